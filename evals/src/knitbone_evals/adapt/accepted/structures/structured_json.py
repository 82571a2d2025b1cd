"""Consumers of JSON: plain keys, fences, JSON Lines, tool calls, fallbacks."""

from __future__ import annotations

import random

from knitbone_evals.adapt.accepted.structures.structured_base import (
    LEADS,
    WORDS,
    Raw,
    ask_prompt,
    crlf,
    extras,
    fenced,
    fill,
    keys,
    many,
    number,
    odd,
    pad,
    prose,
    sentence,
    template,
    text_value,
    to_json,
    value,
    wrapped,
)

JSON_HINTS = (
    "Answer in JSON.",
    "Return only a JSON object, no markdown.",
    "Respond with valid JSON",
)


def full(r: random.Random) -> str:
    """A text value that is not empty."""
    return text_value(r) or "x"


@template("json-brackets", "JSON object by keys")
def _(r: random.Random):
    one, two, three = keys(r, 3)
    ending = r.choice(
        (
            f'return data["{one}"], data["{two}"], data["{three}"]',
            f'{one}, {two} = data["{one}"], data["{two}"]\n'
            f'    return {{"{one}": {one}, "{two}": {two}, "third": data["{three}"]}}',
            f'return [data[key] for key in ("{one}", "{two}", "{three}")]',
        )
    )
    source = fill(
        """
        import json


        def handle():
            data = json.loads(ask(@prompt@))
            @ending@
        """,
        prompt=ask_prompt(r, f"{one}, {two} and {three} of the book", *JSON_HINTS),
        ending=ending,
    )

    def draw(d: random.Random) -> str:
        data = {key: d.choice((full(d), full(d), number(d), odd(d))) for key in (one, two, three)}
        return crlf(d, pad(d, to_json(d, extras(d, data))))

    return source, draw


@template("json-get-default", "JSON keys with defaults")
def _(r: random.Random):
    one, two = keys(r, 2)
    default = r.choice(("unknown", "low", "n/a", "general", ""))
    source = fill(
        """
        import json

        PROMPT = @prompt@


        def parse(raw):
            obj = json.loads(raw)
            return {
                "@one@": obj.get("@one@", "@default@"),
                "@two@": obj.get("@two@") or @fallback@,
                "score": float(obj.get("score", 0)),
            }


        def handle():
            return parse(ask(PROMPT))
        """,
        prompt=ask_prompt(r, "the facts", *JSON_HINTS),
        one=one,
        two=two,
        default=default,
        fallback=r.choice(("[]", '"-"', "None")),
    )

    def draw(d: random.Random) -> str:
        data: dict[str, object] = {}
        if d.random() < 0.5:
            data[one] = full(d)
        if d.random() < 0.6:
            data[two] = d.choice((None, "", [], full(d), 0, [full(d), full(d)]))
        if d.random() < 0.6:
            data["score"] = d.choice((number(d), "1e3", "-5", " 7 ", "+3", "1_000", True, ".5"))
        return pad(d, to_json(d, extras(d, data)))

    return source, draw


@template("json-nested", "JSON nested objects")
def _(r: random.Random):
    outer = r.choice(("user", "customer", "result", "data"))
    inner = r.choice(("address", "profile", "details"))
    one, two = keys(r, 2)
    source = fill(
        """
        import json


        def handle() -> tuple:
            answer = ask(@prompt@)
            payload = json.loads(answer.strip())
            @outer@ = payload["@outer@"]
            place = @outer@["@inner@"]
            return @outer@["@one@"], place["@two@"], place.get("zip"), len(@outer@.get("tags", []))
        """,
        prompt=ask_prompt(r, f"the {outer}", *JSON_HINTS),
        outer=outer,
        inner=inner,
        one=one,
        two=two,
    )

    def draw(d: random.Random) -> str:
        place = {two: full(d)}
        if d.random() < 0.6:
            place["zip"] = d.choice(("0042", "01067", "SW1A 1AA", None, Raw("1067"), "K1A 0B1", ""))
        who = {one: full(d), inner: extras(d, place)}
        if d.random() < 0.6:
            who["tags"] = [full(d) for _ in range(d.randint(0, 4))]
        return pad(d, to_json(d, extras(d, {outer: extras(d, who)})))

    return source, draw


@template("json-list-of-objects", "JSON list of objects")
def _(r: random.Random):
    one, two = keys(r, 2)
    body = r.choice(
        (
            f'return [Record(row["{one}"], row["{two}"]) for row in rows]',
            f'return [Record({one}=row["{one}"], {two}=row.get("{two}")) for row in rows]',
            f"out = []\n    for row in rows:\n"
            f'        out.append(Record(row["{one}"], row["{two}"]))'
            "\n    return out",
        )
    )
    source = fill(
        """
        import json
        from dataclasses import dataclass


        @dataclass
        class Record:
            @one@: str
            @two@: str


        def handle():
            rows = json.loads(ask(@prompt@))
            @body@
        """,
        prompt=ask_prompt(r, "all records", "Return a JSON array of objects."),
        one=one,
        two=two,
        body=body,
    )

    def draw(d: random.Random) -> str:
        rows = [extras(d, {one: full(d), two: text_value(d)}, 0.2) for _ in range(many(d, 1, 5))]
        if d.random() < 0.2:
            rows.append(d.choice(rows))
        return pad(d, to_json(d, rows))

    return source, draw


@template("json-list-of-strings", "JSON list of texts")
def _(r: random.Random):
    ending = r.choice(
        (
            "items",
            "[str(item) for item in items]",
            "tuple(items)",
            "[(n, x) for n, x in enumerate(items, 1)]",
        )
    )
    source = fill(
        """
        from json import loads


        def @name@(topic: str):
            items = loads(ask(f"Give me ideas about {topic}. @hint@"))
            return @ending@


        def handle():
            return @name@(@topic@)
        """,
        name=r.choice(("brainstorm", "get_ideas", "keywords", "suggest")),
        hint=r.choice(
            (
                "JSON array of strings.",
                "One JSON list!",
                'Output: [\\"...\\", ...]'.replace("\\", ""),
            )
        ).replace('"', "'"),
        ending=ending,
        topic=repr(r.choice(WORDS)),
    )

    def draw(d: random.Random) -> str:
        items: list[object] = [full(d) for _ in range(many(d, 1, 7))]
        if d.random() < 0.2:
            items.insert(0, items[-1])
        if d.random() < 0.2:
            items.append(d.choice((None, "", number(d), [], ["nested", "list"])))
        return crlf(d, pad(d, to_json(d, items)))

    return source, draw


@template("json-optional-keys", "JSON optional keys")
def _(r: random.Random):
    one, two, three = keys(r, 3)
    source = fill(
        """
        import json


        def handle():
            d = json.loads(ask(@prompt@))
            lines = [f"# {d['@one@']}"]
            if "@two@" in d:
                lines.append(f"@two@: {d['@two@']}")
            if (extra := d.get("@three@")) is not None:
                lines.append(f"@three@: {extra!r}")
            @ending@
        """,
        prompt=ask_prompt(r, "a short card", *JSON_HINTS),
        one=one,
        two=two,
        three=three,
        ending=r.choice(('return "\\n".join(lines)', "return lines")),
    )

    def draw(d: random.Random) -> str:
        data: dict[str, object] = {one: full(d)}
        for key in (two, three):
            if d.random() < 0.6:
                data[key] = odd(d)
        return pad(d, to_json(d, extras(d, data)))

    return source, draw


@template("json-dict-of-lists", "JSON mapping read by items")
def _(r: random.Random):
    source = fill(
        """
        import json


        def handle():
            groups = json.loads(ask(@prompt@))
            return @ending@
        """,
        prompt=ask_prompt(r, "the terms by group", "JSON: group -> list of terms", *JSON_HINTS),
        ending=r.choice(
            (
                "{name: sorted(set(terms)) for name, terms in groups.items()}",
                "[(name, term) for name, terms in groups.items() for term in terms]",
                "{name.lower(): len(terms) for name, terms in groups.items()}",
                "[f\"{k} ({len(v)}): {', '.join(v)}\" for k, v in groups.items()]",
            )
        ),
    )

    def draw(d: random.Random) -> str:
        names = {
            value(d): [full(d) for _ in range(d.randint(1, 4))] for _ in range(many(d, 1, 4, 20))
        }
        return pad(d, to_json(d, names))

    return source, draw


@template("json-match", "JSON with a match statement")
def _(r: random.Random):
    first, second, third = r.sample(("search", "lookup", "click", "type", "scroll", "open"), 3)
    source = fill(
        """
        import json


        def handle():
            match json.loads(ask(@prompt@)):
                case {"action": "@first@", "query": str(query)}:
                    return ("@first@", query)
                case {"action": "@second@", "x": x, "y": y}:
                    return ("@second@", x, y)
                case {"action": "@third@", **rest}:
                    return ("@third@", rest)
                case {"action": str(other)}:
                    return ("unsupported", other)
                case [*actions]:
                    return ("several", len(actions))
                case _:
                    return ("nothing",)
        """,
        prompt=ask_prompt(r, "the next action", *JSON_HINTS),
        first=first,
        second=second,
        third=third,
    )

    def draw(d: random.Random) -> str:
        near = (
            first + "s",
            "re" + first,
            "finish",
            "",
            "no",
        )
        data = d.choice(
            (
                {"action": first, "query": full(d)},
                {"action": second, "x": number(d), "y": number(d)},
                {"action": third, full(d): odd(d)},
                {"action": d.choice(near), "query": full(d)},
                {"action": first, "query": None},
                [{"action": first, "query": full(d)}, {"action": third}],
                [],
                None,
                first,
                {},
            )
        )
        return pad(d, to_json(d, extras(d, data) if isinstance(data, dict) else data))

    return source, draw, (first, second, third)


@template("json-tool-dispatch", "JSON tool call, dispatch table")
def _(r: random.Random):
    tool, args = r.choice((("tool", "args"), ("name", "arguments"), ("function", "parameters")))
    first, second = r.sample(("add", "concat", "echo_back"), 2)
    source = fill(
        """
        import json
        import logging

        log = logging.getLogger(__name__)

        TOOLS = {
            "add": lambda a, b, **_: a + b,
            "concat": lambda parts, sep=" ", **_: sep.join(map(str, parts)),
            "echo_back": lambda text="", **_: text[::-1],
        }


        def run_tool(call):
            func = TOOLS.get(call["@tool@"])
            if func is None:
                log.debug("unknown tool %s", call)
                return f"unknown tool {call['@tool@']!r}"
            args = call.get("@args@", {})
            if isinstance(args, str):
                args = json.loads(args)
            return (call["@tool@"], func(**args))


        def handle():
            return run_tool(json.loads(ask(@prompt@)))
        """,
        prompt=ask_prompt(r, "a tool call", f"Keys: {tool}, {args}"),
        tool=tool,
        args=args,
    )

    def draw(d: random.Random) -> str:
        name = d.choice(
            (
                "add",
                "concat",
                "echo_back",
                "adder",
                "subtract",
                "con-cat",
                "none",
                "no tool",
                "echo",
            )
        )
        call: dict[str, object] = {tool: name}
        given = {
            "add": {"a": number(d), "b": number(d)},
            "concat": {
                "parts": [odd(d, 2) for _ in range(d.randint(1, 4))],
                "sep": d.choice((",", "", "\n")),
            },
            "echo_back": {"text": full(d)},
        }.get(name, {"x": odd(d)})
        if d.random() < 0.3:
            given["why"] = full(d)
        call[args] = to_json(d, given) if d.random() < 0.3 else given
        return pad(d, to_json(d, extras(d, call)))

    return source, draw, ("add", "concat", "echo_back")


FENCE_READERS = (
    """m = re.search(r"```(?:json)?\\s*(.*?)```", text, re.DOTALL)
    return json.loads(m.group(1) if m else text)""",
    """if (found := FENCE.search(text)) is not None:
        text = found.group(1)
    return json.loads(text)""",
    """blocks = FENCE.findall(text)
    return json.loads(blocks[-1].strip() if blocks else text.strip())""",
)


@template("json-fence-regex", "JSON from a fence, or whole")
def _(r: random.Random):
    one, two = keys(r, 2)
    source = fill(
        """
        import json
        import re

        FENCE = re.compile(r"```(?:json|JSON)?[ \\t]*\\r?\\n(.*?)\\r?\\n```", re.S)


        def extract(text):
            @reader@


        def handle():
            data = extract(ask(@prompt@))
            return {"@one@": data["@one@"], "@two@": data.get("@two@", @default@)}
        """,
        reader=r.choice(FENCE_READERS),
        prompt=ask_prompt(r, "the data", "Put the JSON in a ```json block."),
        one=one,
        two=two,
        default=r.choice(("None", '"?"', "0")),
    )

    def clean(d: random.Random) -> str:
        while "```" in (text := full(d)):
            pass
        return text

    def draw(d: random.Random) -> str:
        data: dict[str, object] = {one: clean(d)}
        if d.random() < 0.6:
            data[two] = d.choice((clean(d), number(d), [clean(d)], None))
        if d.random() < 0.4:
            data[d.choice(("notes", "x-y", ""))] = clean(d)
        text = to_json(d, data)
        if d.random() < 0.35:
            return pad(d, text)
        return crlf(d, wrapped(d, fenced(d, text)))

    return source, draw


@template("json-fence-split", "JSON from a fence by split")
def _(r: random.Random):
    reader = r.choice(
        (
            """if "```json" in raw:
        raw = raw.split("```json", 1)[1].rsplit("```", 1)[0]
    elif "```" in raw:
        raw = raw.split("```")[1]""",
            """raw = raw.strip()
    if raw.startswith("```json"):
        raw = raw[len("```json") :]
    raw = raw.removeprefix("```").removesuffix("```")""",
            """before, mark, after = raw.partition("```json")
    if mark:
        raw, _, _ = after.rpartition("```")""",
        )
    )
    named = "partition" in reader
    at_start = "removeprefix" in reader
    source = fill(
        """
        import json


        def clean(raw: str) -> str:
            @reader@
            return raw.strip()


        def handle():
            return json.loads(clean(ask(@prompt@)))
        """,
        reader=reader,
        prompt=ask_prompt(r, "three facts", "Reply with JSON", "Use a code block."),
    )

    def draw(d: random.Random) -> str:
        def clean(maker=value) -> str:
            while "```" in (text := maker(d)):
                pass
            return text

        data = {clean(): clean(text_value) for _ in range(d.randint(1, 5))}
        text = to_json(d, d.choice((data, [data], list(data.values()))))
        if d.random() < 0.35:
            return pad(d, text)
        text = f"```json\n{text}\n```" if named else fenced(d, text)
        return pad(d, text) if at_start else wrapped(d, text)

    return source, draw


@template("json-brace-slice", "JSON cut from prose by braces")
def _(r: random.Random):
    one, two = keys(r, 2)
    cut = r.choice(
        (
            'text[text.find("{") : text.rfind("}") + 1]',
            'text[text.index("{") : text.rindex("}") + 1]',
            're.search(r"\\{.*\\}", text, re.DOTALL).group(0)',
        )
    )
    source = fill(
        """
        import json
        import re


        def handle():
            text = ask(@prompt@)
            found = json.loads(@cut@)
            return found["@one@"], found["@two@"]
        """,
        prompt=ask_prompt(r, "your verdict", "Think first, then write a JSON object."),
        cut=cut,
        one=one,
        two=two,
    )

    def draw(d: random.Random) -> str:
        text = to_json(d, extras(d, {one: full(d), two: odd(d)}))
        if d.random() < 0.4:
            text = fenced(d, text)
        before = prose(d, "{}") + d.choice(("\n", "\n\n", " ", ": ")) if d.random() < 0.7 else ""
        after = d.choice(("\n", " ", "\n\n")) + prose(d, "{}") if d.random() < 0.5 else ""
        return before + text + after

    return source, draw


@template("json-raw-decode", "JSON with trailing remarks")
def _(r: random.Random):
    one = r.choice(keys(r, 1))
    source = fill(
        """
        import json


        class Reader:
            def __init__(self):
                self.decoder = json.JSONDecoder(@options@)

            def read(self, text):
                start = text.index("{")
                obj, end = self.decoder.raw_decode(text, start)
                return obj["@one@"], text[end:].strip()


        def handle():
            return Reader().read(ask(@prompt@))
        """,
        options=r.choice(("", "strict=False", "parse_float=str", "parse_int=str")),
        one=one,
        prompt=ask_prompt(r, "the record and a comment on it"),
    )

    def draw(d: random.Random) -> str:
        text = to_json(d, extras(d, {one: d.choice((full(d), number(d)))}))
        before = sentence(d, "{") + "\n" if d.random() < 0.5 else ""
        after = d.choice(("\n", " ", "\n\n", "")) + prose(d) if d.random() < 0.7 else ""
        return before + text + after

    return source, draw


@template("json-lines", "JSON Lines")
def _(r: random.Random):
    one, two = keys(r, 2)
    reader = r.choice(
        (
            "rows = [json.loads(line) for line in text.splitlines() if line.strip()]",
            'rows = [json.loads(line) for line in text.strip().split("\\n") if line.strip()]',
            "rows = list(map(json.loads, filter(str.strip, text.splitlines())))",
        )
    )
    source = fill(
        """
        import json


        def handle():
            text = ask(@prompt@)
            @reader@
            return [(row["@one@"], row.get("@two@")) for row in rows]
        """,
        reader=reader,
        prompt=ask_prompt(r, "the events", "Use JSON Lines: one object per line.", "JSONL"),
        one=one,
        two=two,
    )

    def draw(d: random.Random) -> str:
        lines = []
        for _ in range(many(d, 1, 6)):
            row: dict[str, object] = {one: full(d)}
            if d.random() < 0.7:
                row[two] = odd(d)
            lines.append(to_json(d, extras(d, row, 0.2), one_line=True))
            if d.random() < 0.15:
                lines.append(d.choice(("", "  ")))
        return crlf(d, pad(d, "\n".join(lines)))

    return source, draw


@template("json-lines-filter", "JSON Lines among prose")
def _(r: random.Random):
    one = keys(r, 1)[0]
    source = fill(
        """
        import json


        def records(text):
            for line in text.splitlines():
                line = line.strip()
                if not line.startswith("{"):
                    continue
                @body@


        def handle():
            return list(records(ask(@prompt@)))
        """,
        body=r.choice(
            (
                f'yield json.loads(line)["{one}"]',
                f'data = json.loads(line.rstrip(","))\n'
                f'        yield data["{one}"], data.get("n", 0)',
            )
        ),
        prompt=ask_prompt(r, "records", "One JSON object per line."),
    )

    def draw(d: random.Random) -> str:
        lines = [d.choice(LEADS)] if d.random() < 0.5 else []
        for _ in range(many(d, 1, 6)):
            row = extras(d, {one: full(d), "n": number(d)}, 0.2)
            lines.append(d.choice(("", "", "  ")) + to_json(d, row, one_line=True))
            if d.random() < 0.2:
                lines.append(
                    d.choice(("", "```", "# " + sentence(d), "[]", sentence(d, start="{")))
                )
        return crlf(d, "\n".join(lines))

    return source, draw
