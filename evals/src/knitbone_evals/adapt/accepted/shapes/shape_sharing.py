"""Programs whose functions share code, of which only one way is taken; and recursive readers."""

from __future__ import annotations

import json

from knitbone_evals.adapt.accepted.shapes.shape_base import (
    ITEMS,
    NAMES,
    PLACES,
    SENTENCES,
    TRICKY,
    Consumer,
    Random,
    consumer,
    fill,
    join_lines,
    mixed,
    number,
    pad,
    some,
    template,
)
from knitbone_evals.adapt.accepted.shapes.shape_passages import passage, prose, single_line


@template
def shared_lines(r: Random) -> Consumer:
    source = fill(
        r'''
        def _lines(text):
            return [line.strip() for line in text.splitlines() if line.strip()]


        def @other@():
            """Scores by name, one "name: score" a line."""
            result = {}
            for line in _lines(ask("Rate the applicants, one 'name: score' per line.")):
                name, score = line.split(": ")
                result[name] = int(score)
            return result


        def @this@(topic="@topic@"):
            return _lines(ask(f"Give me some thoughts on {topic}, one per line."))


        def handle():
            return @this@()
        ''',
        other=r.choice(("rate_applicants", "scores", "get_ratings")),
        this=r.choice(("thoughts", "brainstorm", "ideas_for")),
        topic=r.choice(("gardening", "our Q3 launch", "the O'Brien account")),
    )

    def draw(r: Random) -> str:
        lines = some(
            r, [*SENTENCES, *ITEMS, *TRICKY, "Bo: 5", "Bo: five", "a: b: c", "- x: -3"], 1, 9
        )
        return pad(r, join_lines(r, lines, 0.2))

    return consumer("shared_lines", "shared function, other caller strict", source, draw)


@template
def strict_neighbour(r: Random) -> Consumer:
    first, second, third = r.choice(
        (("low", "medium", "high"), ("bug", "feature", "question"), ("yes", "no", "maybe"))
    )
    source = fill(
        r"""
        from enum import Enum


        class @cls@(Enum):
            A = "@first@"
            B = "@second@"
            C = "@third@"


        def query(instruction, body):
            return ask(f"{instruction}\n\n---\n{body}\n---").strip()


        def classify(body):
            # raises on anything else, the caller retries
            return @cls@(query("Answer with one of: @first@, @second@, @third@.", body).lower())


        def describe(body):
            return query("Describe the ticket for a colleague, briefly.", body)


        def handle():
            return describe("The printer on floor 3 says PC LOAD LETTER again.")
        """,
        cls=r.choice(("Priority", "Label", "Kind")),
        first=first,
        second=second,
        third=third,
    )

    def draw(r: Random) -> str:
        near = [
            f"{first.title()}.",
            f"{second}, I'd say",
            f"not {third}",
            f"{first}/{second}",
            first,
        ]
        text = (
            r.choice(near) if r.random() < 0.3 else prose(r, "summary", "letter", "log", "minutes")
        )
        return pad(r, text)

    return consumer("strict_neighbour", "shared request, other caller an enum", source, draw)


@template
def shared_json_load(r: Random) -> Consumer:
    key = r.choice(("title", "headline", "name"))
    source = fill(
        r"""
        import json
        from pydantic import BaseModel, ConfigDict


        class @model@(BaseModel):
            model_config = ConfigDict(extra="forbid", strict=True)
            @key@: str
            year: int
            tags: list[str]


        def fetch(prompt):
            return json.loads(ask(prompt))


        def full_record():
            return @model@(**fetch("Return the record as JSON: @key@, year (int), tags."))


        def just_the_@key@():
            data = fetch("Return JSON with at least a '@key@'.")
            return data["@key@"]


        def handle():
            return just_the_@key@()
        """,
        key=key,
        model=r.choice(("Book", "Film", "Record")),
    )

    def draw(r: Random) -> str:
        data: dict[str, object] = {key: r.choice((mixed(r), single_line(r)))}
        if r.random() < 0.8:
            data["year"] = r.choice(("1984", 1984, None, -44, "c. 1600", 19.84, []))
        if r.random() < 0.6:
            data["tags"] = r.choice(("a, b", [], None, ["a", "a"], [1, None], {"x": {}}))
        if r.random() < 0.5:
            data[r.choice(("Year", "note", key + "s", ""))] = mixed(r)
        indent = r.choice((None, None, 2, 4))
        return pad(r, json.dumps(data, indent=indent, ensure_ascii=r.random() < 0.3))

    return consumer(
        "shared_json_load", "shared JSON loader, other caller a strict model", source, draw
    )


@template
def assistant_class(r: Random) -> Consumer:
    source = fill(
        r"""
        class Assistant:
            def __init__(self, tone="@tone@"):
                self.tone = tone
                self.calls = 0

            def _ask(self, task: str) -> str:
                self.calls += 1
                return ask(f"You are a {self.tone} assistant. {task}")

            def rate(self, text) -> int:
                return int(self._ask(f"Rate from 1 to 10, number only: {text}"))

            def tags(self, text) -> list[str]:
                return [t.strip() for t in self._ask(f"Tags, with commas: {text}").split(",")]

            def is_spam(self, text) -> bool:
                answer = self._ask(f"Spam? yes/no: {text}").lower()
                if answer not in ("yes", "no"):
                    raise ValueError(answer)
                return answer == "yes"

            def @write@(self, about) -> str:
                return self._ask(f"@task@ {about}")


        def handle():
            return Assistant().@write@("the harbour at night")
        """,
        tone=r.choice(("friendly", "terse", "pirate")),
        write=r.choice(("write", "compose", "draft_text")),
        task=r.choice(("Write something short about", "Compose a text about", "Draft a piece on")),
    )

    def draw(r: Random) -> str:
        short = ["7", "Yes", "no", "8/10", "boats, gulls, rope", "sea, sea, sea", "Spam!", "No."]
        return r.choice(short) if r.random() < 0.2 else prose(r)

    return consumer("assistant_class", "class with several readers, prose one taken", source, draw)


@template
def parser_argument(r: Random) -> Consumer:
    source = fill(
        r"""
        import json


        def complete(prompt, parser=str.strip):
            return parser(ask(prompt))


        def as_bool(text):
            return {"yes": True, "no": False}[text.strip().lower()]


        def check(draft):
            return complete(f"Is this @adj@? yes or no\n{draft}", as_bool)


        def outline(draft):
            return complete(f"Outline as JSON list of strings:\n{draft}", json.loads)


        def improve(draft):
            return complete(f"Make this @adj@:\n{draft}")


        def handle():
            return {"text": improve("We was here yesterday.")}
        """,
        adj=r.choice(("polite", "shorter", "more formal", "funny")),
    )

    def draw(r: Random) -> str:
        short = [
            "Yes.",
            "No",
            "We were here yesterday.",
            '["We", "were"]',
            '"We were here."',
            "Yes we did",
        ]
        return pad(
            r, r.choice(short) if r.random() < 0.3 else prose(r, "letter", "quotation", "poem")
        )

    return consumer("parser_argument", "reader passed as an argument", source, draw)


@template
def shared_table_reader(r: Random) -> Consumer:
    sep = r.choice(("|", ";", "\t"))
    source = fill(
        r"""
        SEP = @sep@


        def rows(prompt, width=None):
            out = []
            for line in ask(prompt).splitlines():
                if SEP not in line:
                    continue
                cells = [c.strip() for c in line.split(SEP)]
                if width is not None and len(cells) != width:
                    raise ValueError(line)
                out.append(cells)
            return out


        def price_list():
            return {name: float(price) for name, price in rows("name@word@price", width=2)}


        def @this@():
            return rows("List the guests with whatever we know, cells separated by " + repr(SEP))


        def handle():
            return @this@()
        """,
        sep=repr(sep),
        word={"|": "|", ";": ";", "\t": "<tab>"}[sep],
        this=r.choice(("guests", "guest_list", "who_comes")),
    )

    def draw(r: Random) -> str:
        lines = []
        for _ in range(r.randint(1, 6)):
            width = r.choice((2, 3, 3, 3, 5))
            cells = [r.choice((mixed(r), r.choice(NAMES), "")) for _ in range(width)]
            cells = [cell.replace(sep, "") for cell in cells]
            lines.append(r.choice((sep, f" {sep} ", f"{sep} ")).join(cells))
            if r.random() < 0.15:
                lines.append(r.choice(("and then:", "", "(no more known)", "## Family")))
        return join_lines(r, lines)

    return consumer(
        "shared_table_reader", "shared row reader, other caller fixed width", source, draw
    )


@template
def module_with_main(r: Random) -> Consumer:
    sep = r.choice((",", ";"))
    source = fill(
        r'''
        """Small tools for the newsletter."""
        import re

        NUMBER = re.compile(r"-?\d+")


        def _call(prompt: str) -> str:
            text = ask(prompt)
            return text.strip()


        def reading_time() -> int:
            match = NUMBER.fullmatch(_call("How many minutes to read it? Digits only."))
            if not match:
                raise ValueError("no number")
            return int(match[0])


        def subject_line() -> str:
            line = _call("A subject line, max 60 chars, no quotes.")
            assert "\n" not in line and len(line) <= 60
            return line


        def keywords() -> tuple[str, ...]:
            return tuple(k.strip() for k in _call("Keywords, separated by '@sep@'").split("@sep@"))


        TOOLS = {"time": reading_time, "subject": subject_line, "keywords": keywords}


        def main(argv):
            return TOOLS[argv[0]]()


        def handle():
            return main(["keywords"])
        ''',
        sep=sep,
    )

    def draw(r: Random) -> str:
        words = [w for w in [*TRICKY, *ITEMS, *NAMES] if sep not in w]
        return pad(r, r.choice((sep, sep + " ", f" {sep} ")).join(some(r, words, 1, 9)))

    return consumer("module_with_main", "table of commands, one taken", source, draw)


@template
def shared_default(r: Random) -> Consumer:
    yes, no, default = r.choice(
        (("yes", "no", "unsure"), ("keep", "drop", "ask"), ("pass", "fail", "?"))
    )
    source = fill(
        r'''
        def choose(answer, options, default):
            """The option the answer is, or the default."""
            cleaned = answer.strip().lower()
            for option in options:
                if cleaned == option:
                    return option
            return default


        def language():
            return choose(ask("Language? (en/de/fr)"), ("en", "de", "fr"), "en")


        def @this@():
            return choose(ask("@question@ Answer @yes@ or @no@."), ("@yes@", "@no@"), "@default@")


        def handle():
            return @this@()
        ''',
        this=r.choice(("verdict", "decide", "review")),
        question=r.choice(("Should we keep the file?", "Is the clause fair?", "Good enough?")),
        yes=yes,
        no=no,
        default=default,
    )

    def draw(r: Random) -> str:
        if r.random() < 0.45:
            return pad(r, r.choice((yes, no, yes.upper(), no.title())))
        near = [
            "en",
            "de",
            "non",
            "nobody",
            "N/A",
            "maybe not",
            "yes-man",
            "both",
            "?",
            default,
        ]
        near += [
            f"not {yes}",
            f"{yes} and {no}",
            f"{no}t sure",
            f"{yes}terday",
            f"un{yes}",
            f"{no}body",
        ]
        return pad(r, r.choice((*near, r.choice(SENTENCES))))

    return consumer("shared_default", "comparison with default, shared", source, draw, (yes, no))


@template
def imported_constants(r: Random) -> Consumer:
    source = fill(
        r"""
        import json
        from dataclasses import dataclass, field

        FORMAT_JSON = 'Answer as JSON: {"sentiment": "pos" | "neg", "score": 0..1}'
        FORMAT_FREE = "@free@"


        @dataclass
        class Job:
            prompt: str
            hint: str = FORMAT_FREE
            log: list = field(default_factory=list)

            def run(self):
                answer = ask(self.prompt + "\n" + self.hint)
                self.log.append(answer)
                return answer


        def sentiment(text):
            data = json.loads(Job(text, FORMAT_JSON).run())
            return data["sentiment"], float(data["score"])


        def handle():
            job = Job("@prompt@")
            job.run()
            return job
        """,
        free=r.choice(("Answer freely.", "Any format is fine.", "Use your own words.")),
        prompt=r.choice(("What do you make of this review?", "Comment on the memo.", "Thoughts?")),
    )

    def draw(r: Random) -> str:
        odd = [
            '{"sentiment": "mixed"}',
            "pos",
            "neg, mostly",
            '{"score": 0.5,}',
            "{sentiment: pos}",
        ]
        return r.choice(odd) if r.random() < 0.3 else prose(r)

    return consumer("imported_constants", "two format constants, free one taken", source, draw)


@template
def nested_parentheses(r: Random) -> Consumer:
    opening, closing = r.choice(("()", "[]", "{}"))
    source = fill(
        r'''
        import re

        TOKEN = re.compile(r"\s*([@open@@close@]|[^\s@open@@close@]+)")


        def parse(tokens):
            """Read one list, up to its closing mark."""
            out = []
            while tokens:
                token = tokens.pop(0)
                if token == "@opening@":
                    out.append(parse(tokens))
                elif token == "@closing@":
                    return out
                else:
                    out.append(token)
            return out


        def handle():
            answer = ask("Bracket the sentence: phrases in @opening@@closing@, e.g. @example@")
            return parse(TOKEN.findall(answer))
        ''',
        open="\\" + opening,
        close="\\" + closing,
        opening=opening,
        closing=closing,
        example=f"{opening}S {opening}NP the cat{closing} sat{closing}",
    )
    words = [
        "the",
        "cat",
        "the",
        "O'Brien",
        "-5",
        "no.",
        "A-",
        "C++",
        '"sat"',
        "naïve",
        "东",
        "...",
        "x,",
    ]

    def tree(r: Random, depth: int) -> str:
        parts = []
        for _ in range(r.randint(1, 4)):
            if depth and r.random() < 0.4:
                parts.append(opening + tree(r, depth - 1) + closing)
            else:
                parts.append(r.choice(words))
        return r.choice((" ", " ", "\n  ")).join(parts)

    def draw(r: Random) -> str:
        return pad(r, opening + tree(r, 4) + closing)

    return consumer("nested_parentheses", "recursive: nested brackets", source, draw)


@template
def indented_outline(r: Random) -> Consumer:
    indent = r.choice(("  ", "    ", "\t"))
    source = fill(
        r"""
        INDENT = @indent@


        def depth(line):
            n = 0
            while line.startswith(INDENT * (n + 1)):
                n += 1
            return n


        def build(lines, level=0):
            nodes = []
            while lines and depth(lines[0]) >= level:
                title = lines.pop(0).strip()
                nodes.append((title, build(lines, level + 1)))
            return nodes


        def handle():
            text = ask("@prompt@")
            return build([ln for ln in text.splitlines() if ln.strip()])
        """,
        indent=repr(indent),
        prompt=r.choice(
            ("Outline the talk, indent the sub-points.", "Give me a tree of the topics (indented).")
        ),
    )

    def draw(r: Random) -> str:
        lines, level = [], 0
        for _ in range(r.randint(1, 12)):
            bullet = r.choice(("", "", "- ", "* ", "1. "))
            lines.append(indent * level + bullet + mixed(r))
            level = max(0, level + r.choice((-2, -1, 0, 0, 1, 1)))
        return join_lines(r, lines, 0.1) + r.choice(("", "\n"))

    return consumer("indented_outline", "recursive: indented tree", source, draw)


def json_tree(r: Random, key: str, depth: int) -> object:
    """A nested JSON value in which some objects have the key."""
    if depth == 0 or r.random() < 0.2:
        return r.choice((mixed(r), None, True, -5, 1e3, 0.5, "", [], {}))
    if r.random() < 0.4:
        return [json_tree(r, key, depth - 1) for _ in range(r.randint(0, 3))]
    data: dict[str, object] = {}
    for _ in range(r.randint(1, 3)):
        data[r.choice(("children", "meta", "a b", "Name", "x-y", "0"))] = json_tree(
            r, key, depth - 1
        )
    if r.random() < 0.7:
        data[key] = mixed(r)
    return data


@template
def walk_json(r: Random) -> Consumer:
    key = r.choice(("name", "label", "id"))
    source = fill(
        r"""
        import json


        def walk(node, found):
            if isinstance(node, dict):
                for key, value in node.items():
                    if key == "@key@":
                        found.append(value)
                    else:
                        walk(value, found)
            elif isinstance(node, list):
                for child in node:
                    walk(child, found)
            return found


        def handle():
            tree = json.loads(ask("@prompt@ Each node has a '@key@'. JSON only."))
            return walk(tree, [])
        """,
        key=key,
        prompt=r.choice(("The org chart as a nested object.", "Describe the menu as a tree.")),
    )

    def draw(r: Random) -> str:
        tree = {key: mixed(r), "children": json_tree(r, key, 4)}
        text = json.dumps(tree, indent=r.choice((None, 1, 2)), ensure_ascii=r.random() < 0.2)
        return pad(r, text)

    return consumer("walk_json", "recursive: walk a JSON tree", source, draw)


@template
def json_depth(r: Random) -> Consumer:
    source = fill(
        r'''
        import json


        def flatten(value, path=()):
            """Yield (path, leaf) pairs."""
            match value:
                case {} if value:
                    for k, v in value.items():
                        yield from flatten(v, (*path, k))
                case [_, *_]:
                    for i, v in enumerate(value):
                        yield from flatten(v, (*path, i))
                case _:
                    yield "@sep@".join(map(str, path)), value


        def handle():
            return dict(flatten(json.loads(ask("@prompt@"))))
        ''',
        sep=r.choice((".", "/", "__")),
        prompt=r.choice(
            ("Settings as JSON", "Describe the house as nested JSON.", "JSON, any depth:")
        ),
    )

    def draw(r: Random) -> str:
        tree = json_tree(r, "name", r.choice((0, 2, 4, 5)))
        return pad(r, json.dumps(tree, indent=r.choice((None, 2, 4)), ensure_ascii=False))

    return consumer("json_depth", "recursive: flatten JSON", source, draw)


@template
def heading_tree(r: Random) -> Consumer:
    source = fill(
        r'''
        def sections(lines, level=1):
            """Nested sections of a Markdown document: {title: (body, subsections)}"""
            mark = "#" * level + " "
            out, title, body = {}, None, []
            for line in [*lines, mark]:
                if line.startswith(mark) or line == mark:
                    if title is not None:
                        own = []
                        rest = list(body)
                        while rest and not rest[0].startswith("#" * (level + 1) + " "):
                            own.append(rest.pop(0))
                        below = sections(rest, level + 1) if rest else {}
                        out[title] = ("\n".join(own).strip(), below)
                    title, body = line[len(mark):].strip(), []
                else:
                    body.append(line)
            return out


        def handle():
            return sections(ask("@prompt@").splitlines())
        ''',
        prompt=r.choice(
            ("Write a Markdown guide to moving house.", "Document the API in Markdown.")
        ),
    )

    def draw(r: Random) -> str:
        lines = []
        for title in r.sample([*ITEMS, *PLACES], r.randint(1, 3)):
            lines.append("# " + title)
            lines += r.choice(("", "Intro: none.", "- a\n- a", passage(r, "faq", "repeats"))).split(
                "\n"
            )
            for sub in r.sample([*NAMES, *TRICKY], r.randint(0, 2)):
                lines += ["", "## " + sub, *passage(r, "legal", "recipe", "summary").split("\n")]
        return join_lines(r, lines)

    return consumer("heading_tree", "recursive: Markdown sections", source, draw)


@template
def walk_xml(r: Random) -> Consumer:
    root = r.choice(("menu", "plan", "tree"))
    source = fill(
        r"""
        import xml.etree.ElementTree as ET


        def convert(element):
            text = (element.text or "").strip()
            return (element.tag, dict(element.attrib), text, [convert(e) for e in element])


        def handle():
            answer = ask("Return the @root@ as XML, root element <@root@>.")
            return convert(ET.fromstring(answer.strip()))
        """,
        root=root,
    )

    def element(r: Random, depth: int) -> str:
        tag = r.choice(("item", "part", "Item", "x", "note", "b"))
        text = mixed(r).replace("&", "&amp;").replace("<", "&lt;")
        attribute = r.choice(("", "", ' id="0042"', " lang='fr'", ' n="-5" note="it&apos;s"'))
        if r.random() < 0.1:
            return f"<{tag}{attribute}/>"
        if r.random() < 0.1:
            text = "<![CDATA[" + r.choice(('{"a": <1>}', "a && b", "- x")) + "]]>"
        inside = "".join(element(r, depth - 1) for _ in range(r.randint(0, 2))) if depth else ""
        return f"<{tag}{attribute}>{text}{inside}</{tag}>" + r.choice(("", "\n", "\n  "))

    def draw(r: Random) -> str:
        inside = "\n".join(element(r, 3) for _ in range(r.randint(1, 4)))
        comment = r.choice(("", "", "<!-- none -->\n"))
        return pad(r, f"<{root}>\n{comment}{inside}\n</{root}>")

    return consumer("walk_xml", "recursive: walk XML", source, draw)


@template
def dotted_keys(r: Random) -> Consumer:
    sep = r.choice((" = ", ": ", "="))
    source = fill(
        r"""
        def put(tree, path, value):
            head, *rest = path
            if rest:
                child = tree.setdefault(head, {})
                if isinstance(child, dict):
                    put(child, rest, value)
            else:
                tree[head] = value


        def handle():
            tree = {}
            for raw in ask("Write the config as dotted keys, a.b.c@sep@value").splitlines():
                key, found, value = raw.partition("@sep@")
                if not found or raw.lstrip().startswith("#"):
                    continue
                put(tree, key.strip().split("."), value.strip())
            return tree
        """,
        sep=sep,
    )

    def draw(r: Random) -> str:
        lines: list[str] = []
        paths: list[str] = []
        for _ in range(r.randint(1, 8)):
            path = some(r, ["db", "web", "0", "no-cache", "Host", "x_y", "größe"], 1, 3)
            value = r.choice(
                (mixed(r), number(r), '"quoted"', "a, b,", "[1, 2]", "$HOME", "x = y: z")
            )
            dotted = ".".join(path)
            if any(dotted.startswith(p) or p.startswith(dotted) for p in paths):
                continue
            paths.append(dotted)
            lines.append(dotted + sep + value)
            if r.random() < 0.2:
                lines.append(r.choice(("# " + "comment = 1", "", "[section]")))
        return join_lines(r, lines)

    return consumer("dotted_keys", "recursive: dotted keys", source, draw)
