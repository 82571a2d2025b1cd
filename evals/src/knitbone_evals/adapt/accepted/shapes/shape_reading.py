"""Programs that pick among readers: tables, registries, first reader that succeeds."""

from __future__ import annotations

import json

from knitbone_evals.adapt.accepted.shapes.shape_base import (
    ITEMS,
    NAMES,
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
from knitbone_evals.adapt.accepted.shapes.shape_passages import prose, single_line


@template
def first_word_table(r: Random) -> Consumer:
    a, b, c = r.choice((("LIST", "NUMBER", "TEXT"), ("Items", "Count", "Note"), ("l", "n", "t")))
    source = fill(
        r"""
        def read_list(rest):
            return [x.strip() for x in rest.split(",")]


        READERS = {
            "@a@": read_list,
            "@b@": lambda rest: float(rest),
            "@c@": str.strip,
        }


        def handle():
            answer = ask("@prompt@ Start with @a@:, @b@: or @c@:").strip()
            word, colon, rest = answer.partition(":")
            if colon and word in READERS:
                return word, READERS[word](rest)
            return "raw", answer
        """,
        a=a,
        b=b,
        c=c,
        prompt=r.choice(("What is in the box?", "Answer the question about the shop.")),
    )

    def draw(r: Random) -> str:
        choice = r.random()
        if choice < 0.22:
            items = [x for x in some(r, [*ITEMS, *TRICKY], 1, 6) if "," not in x] or ["tea"]
            return pad(r, f"{a}: " + r.choice((", ", ",", " , ")).join(items))
        if choice < 0.4:
            return f"{b}:{r.choice((' ', ''))}{number(r)}"
        if choice < 0.6:
            return pad(r, f"{c}: {r.choice((mixed(r), single_line(r)))}")
        near = [
            f"{a.lower()}s: tea, milk",
            f"Some {b.lower()}, e.g. 5",
            f"{c}s: none",
            f"The {a.lower()}: -5",
            f"{a} tea",
        ]
        near += [
            f"A {a.lower()} of tea",
            f"{b}ed 5",
            "Box: 5",
            f"{a}, {b}: 3",
            f"My {c}: x",
            f"{a}ed: x",
        ]
        return pad(r, r.choice((*near, prose(r))))

    return consumer(
        "first_word_table", "readers by first word, with default", source, draw, (a, b, c)
    )


@template
def mode_table(r: Random) -> Consumer:
    mode = r.choice(("csv", "lines", "pairs", "raw"))
    source = fill(
        r"""
        import csv
        import io

        MODE = "@mode@"


        def parse_csv(text):
            return [row for row in csv.reader(io.StringIO(text)) if row]


        def parse_lines(text):
            return text.splitlines()


        def parse_pairs(text):
            pairs = {}
            for line in text.splitlines():
                if ":" in line:
                    k, v = line.split(":", 1)
                    pairs[k.strip()] = v.strip()
            return pairs


        PARSERS = {
            "csv": (parse_csv, "Answer as CSV."),
            "lines": (parse_lines, "One per line."),
            "pairs": (parse_pairs, "Answer as 'key: value' lines."),
            "raw": (lambda text: text, ""),
        }


        def handle(mode=MODE):
            parse, hint = PARSERS[mode]
            return parse(ask("Tell me about the parcels. " + hint))
        """,
        mode=mode,
    )

    def draw(r: Random) -> str:
        if mode == "raw":
            return prose(r)
        lines = []
        for _ in range(r.randint(1, 7)):
            if mode == "csv":
                cells = [mixed(r) for _ in range(3)]
                if r.random() < 0.3:
                    cells[0] = "two\nlines"
                lines.append(",".join('"' + c.replace('"', '""') + '"' for c in cells))
            elif mode == "lines":
                lines.append(r.choice((mixed(r), "", "  " + mixed(r), single_line(r))))
            else:
                lines.append(f"{r.choice(('id', 'Weight', 'to', 'From'))} {len(lines)}: {mixed(r)}")
        return join_lines(r, [*lines, "end: -"])

    return consumer("mode_table", "readers by a mode constant", source, draw)


@template
def registry_decorator(r: Random) -> Consumer:
    mark = r.choice(("/", "!", ":"))
    source = fill(
        r"""
        COMMANDS = {}


        def command(name):
            def register(function):
                COMMANDS["@mark@" + name] = function
                return function

            return register


        @command("add")
        def add(*words):
            return {"added": " ".join(words)}


        @command("remove")
        def remove(*words):
            return {"removed": list(words)}


        @command("say")
        def say(*words):
            return {"said": words}


        def unknown(text):
            return {"chat": text}


        def handle():
            text = ask("Shopping list: @mark@add X, @mark@remove X, @mark@say X or just talk.")
            first, *words = text.split(" ")
            if function := COMMANDS.get(first):
                return function(*words)
            return unknown(text)
        """,
        mark=mark,
    )
    literals = tuple(mark + word for word in ("add", "remove", "say"))

    def draw(r: Random) -> str:
        if r.random() < 0.5:
            return f"{r.choice(literals)} {r.choice((mixed(r), single_line(r), mark + 'add'))}"
        near = [
            f"{mark}added tea",
            "to add: tea",
            "and/or",
            f"{mark}list",
            f"Use {mark}add or {mark}remove.",
        ]
        near += [
            f"I would {mark}add tea",
            f"{mark}removed",
            f"{mark}{mark}say hi",
            mark,
        ]
        return r.choice((*near, prose(r), mixed(r)))

    return consumer("registry_decorator", "registry with default", source, draw, literals)


@template
def match_first_token(r: Random) -> Consumer:
    go, stop, wait = r.choice((("GO", "STOP", "WAIT"), ("buy", "sell", "hold"), ("n", "s", "e")))
    source = fill(
        r"""
        def step(answer):
            match answer.split():
                case ["@go@", target]:
                    return ("@go@", target)
                case ["@stop@"] | ["@stop@", _]:
                    return ("@stop@", None)
                case ["@wait@", amount] if amount.isdigit():
                    return ("@wait@", int(amount))
                case [] | [""]:
                    return ("silence", None)
                case other:
                    return ("other", other)


        def handle():
            return step(ask("Your move: @go@ <x>, @stop@ or @wait@ <n>"))
        """,
        go=go,
        stop=stop,
        wait=wait,
    )

    def draw(r: Random) -> str:
        if r.random() < 0.5:
            target = r.choice(
                ("-5", "A-", "C++", "O'Brien", "b2.", "$12", "No", "東京", '"x"', "it")
            )
            moves = (f"{go} {target}", stop, f"{stop} {target}", f"{wait} 0042", f"{wait} 3")
            return pad(r, r.choice(moves))
        near = (
            f"{go}ing home now",
            f"{wait} ten",
            f"{wait} -5",
            f"{go} now or never",
            f"{stop} and {go}",
            f"no {go}",
        )
        return r.choice((*near, f"don't {stop}", f"non-{stop} x", mixed(r), single_line(r)))

    return consumer(
        "match_first_token", "match statement with default", source, draw, (go, stop, wait)
    )


@template
def single_dispatch(r: Random) -> Consumer:
    source = fill(
        r"""
        import json
        from functools import singledispatch


        @singledispatch
        def show(value):
            return f"other:{value!r}"


        @show.register
        def _(value: str):
            return f"text:{value}"


        @show.register
        def _(value: int):
            return f"int:{value}"


        @show.register
        def _(value: list):
            return [show(v) for v in value]


        @show.register(dict)
        def _show_dict(value):
            return {k: show(v) for k, v in value.items()}


        def handle():
            try:
                value = json.loads(ask("@prompt@"))
            except ValueError:
                return show.__name__ + " failed"
            return show(value)
        """,
        prompt=r.choice(
            ("Any JSON value that fits the riddle.", "Reply with JSON: text, number or list.")
        ),
    )

    def draw(r: Random) -> str:
        if r.random() < 0.35:
            return r.choice(
                (prose(r), mixed(r) + " is it", "a: 1", "[x]", "It's {5}", "no JSON today")
            )
        value = r.choice(
            (mixed(r), -5, 1000, 0.5, True, None, [mixed(r), 3, [mixed(r)]], {"k": mixed(r)})
        )
        return pad(r, json.dumps(value, ensure_ascii=False))

    return consumer("single_dispatch", "singledispatch on a JSON value", source, draw)


@template
def enum_missing(r: Random) -> Consumer:
    a, b, c = r.choice(
        (
            ("small", "medium", "large"),
            ("go", "rust", "c"),
            ("red", "amber", "green"),
            ("A", "B", "C"),
        )
    )
    source = fill(
        r"""
        import enum


        class @cls@(enum.Enum):
            FIRST = "@a@"
            SECOND = "@b@"
            THIRD = "@c@"
            OTHER = "other"

            @classmethod
            def _missing_(cls, value):
                @extra@return cls.OTHER


        def handle() -> @cls@:
            return @cls@(ask("@question@ (@a@, @b@, @c@ or other)").strip())
        """,
        cls=r.choice(("Size", "Choice", "Bucket")),
        a=a,
        b=b,
        c=c,
        extra=r.choice(("", "print('unexpected', value)\n        ")),
        question=r.choice(("Which one?", "Sort this:", "Pick:")),
    )

    def draw(r: Random) -> str:
        if r.random() < 0.5:
            return pad(r, r.choice((a, b, c, "other")))
        near = [
            f"{a}-ish",
            f"not {b}",
            f"{a}/{b}",
            f"{c}++",
            f"{c}#",
            f"{a}-to-{c}",
            f"{b} or {c}",
            f"{a}-",
        ]
        near += [
            f"extra {c}",
            f"any but {a}",
            f"{b}s",
            f"neither {a} nor {c}",
            "none",
            "N/A",
            "it depends",
            f"{a}+",
        ]
        return pad(r, r.choice((*near, mixed(r))))

    return consumer("enum_missing", "enum with _missing_", source, draw, (a, b, c, "other"))


@template
def agent_action(r: Random) -> Consumer:
    source = fill(
        r"""
        import re

        ACTION = re.compile(r"^Action: (\w+)\[(.*)\]$", re.MULTILINE)


        def search(query):
            return ("search", query)


        def lookup(term):
            return ("lookup", term.lower())


        def calculate(expression):
            return ("calculate", expression.replace(" ", ""))


        TOOLS = {f.__name__: f for f in (search, lookup, calculate)}


        def handle():
            answer = ask("@prompt@\nUse 'Action: tool[input]' or answer.")
            if m := ACTION.search(answer):
                tool = TOOLS.get(m.group(1))
                return tool(m.group(2)) if tool else ("unknown tool", m.group(1))
            return ("finish", answer)
        """,
        prompt=r.choice(("How old is the bridge?", "Who was the mayor of Łódź in 1990?")),
    )

    def draw(r: Random) -> str:
        if r.random() < 0.55:
            tool = r.choice(("search", "lookup", "calculate", "browse", "Search", "finish"))
            thought = r.choice(
                ("", "Thought: I should look.\n", "Thought: [hm]\nAction: none yet\n")
            )
            after = r.choice(("", "\nObservation: ...", "\n"))
            return (
                f"{thought}Action: {tool}[{r.choice((mixed(r), '2 + -5', 'a[0][1]', ''))}]{after}"
            )
        near = ["Action: none", "No action: it is 5[a].", "Reaction: search[x]", "I'd lookup[y]."]
        return r.choice((*near, f"Answer: {mixed(r)}", "Final answer: 0042.", prose(r)))

    literals = ("search", "lookup", "calculate")
    return consumer("agent_action", "tool call or final answer", source, draw, literals)


@template
def json_or_pairs_or_lines(r: Random) -> Consumer:
    source = fill(
        r"""
        import json


        def try_json(text):
            return json.loads(text)


        def try_pairs(text):
            out = {}
            for line in text.strip().splitlines():
                key, value = line.split(": ", 1)
                out[key] = value
            return out


        def try_lines(text):
            return [l for l in text.splitlines() if l]


        def handle():
            text = ask("@prompt@")
            for reader in (try_json, try_pairs, try_lines):
                try:
                    return reader(text)
                except ValueError:
                    continue
        """,
        prompt=r.choice(("List the facts about Łódź.", "What do we know? JSON if you can.")),
    )

    def draw(r: Random) -> str:
        choice = r.random()
        if choice < 0.33:
            value = {mixed(r): r.choice((mixed(r), None, [1, -2.5])) for _ in range(3)}
            return pad(r, json.dumps(value, ensure_ascii=False, indent=r.choice((None, 2))))
        keys = ["name", "Größe", "a b", "- x", '"id"', "{", "No.", "URL", "12"]
        if choice < 0.66:
            return "\n".join(
                f"{k}: {mixed(r)}" for k in r.sample(keys, r.randint(1, 6))
            ) + r.choice(("", "\n"))
        lines = some(r, [*SENTENCES, *ITEMS, "a:b", "[1, 2,]", "{'a': 1}", "{", "}", ""], 1, 6)
        return "\n".join(["In short - as lines", *lines])

    return consumer("json_or_pairs_or_lines", "first reader that succeeds", source, draw)


@template
def value_readers(r: Random) -> Consumer:
    source = fill(
        r"""
        from datetime import date
        from fractions import Fraction


        def percent(s):
            if not s.endswith("%"):
                raise ValueError
            return float(s[:-1]) / 100


        READERS = [int, @middle@, percent, date.fromisoformat, str]


        def read(s):
            for reader in READERS:
                try:
                    return reader.__name__, reader(s)
                except ValueError:
                    pass


        def handle():
            return read(ask("@prompt@").strip())
        """,
        middle=r.choice(("float", "Fraction", "float, Fraction")),
        prompt=r.choice(
            ("How much?", "The value, please. Number, date or share.", "When or how many?")
        ),
    )

    def draw(r: Random) -> str:
        values = [
            "1/3",
            "-7/8",
            "5%",
            "-0.5%",
            "2024-02-29",
            "2024-02-30",
            "1,000",
            "1.000,5",
            "12 kg",
        ]
        values += [
            "<5",
            "~10",
            "$12",
            "€5",
            "0042",
            "+3",
            "1e3",
            "1_000",
            "٣",
            "½",
            "5 %",
            "3.",
            "ten",
        ]
        values += [
            "5-10",
            "3rd",
            "29/02/2024",
            "1 000",
            "0x1F",
            "--5",
            "1:30",
            "5.0.1",
            "−5",
            "100%!",
        ]
        return pad(r, r.choice((*values, number(r), mixed(r))))

    return consumer("value_readers", "first value reader that succeeds", source, draw)


@template
def chain_of_handlers(r: Random) -> Consumer:
    prefix = r.choice(("http", "s3:", "www."))
    source = fill(
        r"""
        class Handler:
            def __init__(self, successor=None):
                self.successor = successor

            def accepts(self, text):
                return True

            def convert(self, text):
                return ("text", text)

            def process(self, text):
                if self.accepts(text):
                    return self.convert(text)
                return self.successor.process(text)


        class LinkHandler(Handler):
            def accepts(self, text):
                return text.startswith("@prefix@") and " " not in text

            def convert(self, text):
                return ("link", text)


        class NumberHandler(Handler):
            def accepts(self, text):
                return text.lstrip("+-").isdigit()

            def convert(self, text):
                return ("number", int(text))


        class QuestionHandler(Handler):
            def accepts(self, text):
                return text.endswith("?")

            def convert(self, text):
                return ("question", text)


        CHAIN = LinkHandler(NumberHandler(QuestionHandler(Handler())))


        def handle():
            return CHAIN.process(ask("A link, a number, a question back - or an answer.").strip())
        """,
        prefix=prefix,
    )

    def draw(r: Random) -> str:
        links = [
            f"{prefix}x/y?z=1&amp;q",
            f"{prefix}/a_b_c.",
            f"{prefix}(x)",
            f"<{prefix}x>",
            f"see {prefix}x",
        ]
        numbers = ["-5", "+3", "0042", "1,000", "1e3", "5%", "12.", "~10", "7", "3 kg", "4?"]
        other = [
            "Really?",
            "No?",
            "Why not? Well.",
            "¿Qué?",
            "Huh?!",
            mixed(r),
            prose(r),
            single_line(r),
        ]
        return pad(r, r.choice((*links, *numbers, *other)))

    return consumer("chain_of_handlers", "chain of responsibility", source, draw)


@template
def literal_or_json_or_split(r: Random) -> Consumer:
    source = fill(
        r"""
        import ast
        import json


        def parse(answer):
            try:
                return ast.literal_eval(answer)
            except (ValueError, SyntaxError):
                pass
            try:
                return json.loads(answer)
            except json.JSONDecodeError:
                return [part.strip() for part in answer.split("@sep@")]


        def handle() -> object:
            return {"items": parse(ask("@prompt@").strip())}
        """,
        sep=(sep := r.choice((",", ";", "/"))),
        prompt=r.choice(
            ("List some items", "A Python list of items", "Give me items, any format.")
        ),
    )

    def draw(r: Random) -> str:
        pool = [x for x in (*ITEMS, *TRICKY, *NAMES) if sep not in x]
        items = some(r, pool, 1, 6)
        texts = [
            repr(items),
            repr(tuple(items)),
            json.dumps(items),
            json.dumps({"a": None, "b": items[0]}),
        ]
        texts += [
            f"{sep} ".join(items),
            sep.join(items),
            "{1, 2, 2}",
            "'x' 'y'",
            "[1, 2,]",
            "(1)",
            "1_000",
        ]
        texts += ["0042", "-5", "None", "null", "{'a': 1,}", "1, 2"]
        return pad(r, r.choice(texts))

    return consumer("literal_or_json_or_split", "literal, JSON, or split", source, draw)


@template
def pattern_or_text(r: Random) -> Consumer:
    label = r.choice(("Score", "Grade", "Total"))
    source = fill(
        r"""
        import re

        PATTERN = re.compile(r"\b@label@:\s*(\S+)"@flags@)


        def handle():
            answer = ask("@prompt@ End with '@label@: x'.")
            found = PATTERN.findall(answer)
            if not found:
                return {"value": None, "text": answer}
            return {"value": found[-1], "text": PATTERN.sub("", answer).strip()}
        """,
        label=label,
        flags=r.choice(("", ", re.IGNORECASE")),
        prompt=r.choice(("Review the essay.", "Check the invoice.")),
    )

    def draw(r: Random) -> str:
        value = r.choice(
            ("A-", "-5", "+3", "<5", "~10", "1,000", "5%", "$12.", "9/10", "N/A", "**7**", "no.")
        )
        body = prose(r, "summary", "letter", "quotation", "mixed languages")
        if r.random() < 0.35:
            return r.choice(
                (f"{body}\n{label}s: {value}", f"{body}\nNo {label.lower()}, {value}", body, value)
            )
        lines = [f"{label}: {value}"]
        if r.random() < 0.3:
            lines.insert(0, f"{label}: 0 (before)")
        return r.choice((f"{body}\n", f"{body}\n\n", "")) + r.choice(("\n", " ")).join(lines)

    return consumer("pattern_or_text", "pattern, or the whole text", source, draw, (f"{label}:",))
