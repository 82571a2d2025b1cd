"""More consumers of JSON: lines, hooks, types, trees and fallbacks."""

from __future__ import annotations

import random
import re

from knitbone_evals.adapt.accepted.structures.structured_base import (
    AMOUNTS,
    FIRMS,
    PEOPLE,
    REMARKS,
    SHORT,
    TAILS,
    TECH,
    Raw,
    ask_prompt,
    crlf,
    extras,
    fill,
    keys,
    many,
    number,
    odd,
    pad,
    pick,
    prose,
    sentence,
    template,
    text_value,
    to_json,
    value,
)

JSON_HINTS = (
    "Answer in JSON.",
    "Return only a JSON object, no markdown.",
    "Respond with valid JSON",
)


def full(r: random.Random) -> str:
    """A text value that is not empty."""
    return text_value(r) or "x"


@template("json-or-text", "JSON with fallback to the text")
def _(r: random.Random):
    one = r.choice(("answer", "reply", "text", "message"))
    error = r.choice(("json.JSONDecodeError", "ValueError", "Exception"))
    source = fill(
        """
        import json


        def handle():
            raw = ask(@prompt@)
            try:
                data = json.loads(raw)
            except @error@:
                return {"@one@": raw.strip(), "structured": False}
            if not isinstance(data, dict) or "@one@" not in data:
                return {"@one@": str(data), "structured": False}
            return {"@one@": data["@one@"], "structured": True}
        """,
        prompt=ask_prompt(r, "a reply", f"Use JSON with the key {one} if you can."),
        error=error,
        one=one,
    )

    def draw(d: random.Random) -> str:
        if d.random() < 0.5:
            return pad(d, to_json(d, extras(d, {one: d.choice((full(d), odd(d)))})))
        return d.choice(
            (
                prose(d),
                prose(d),
                value(d),
                value(d),
                to_json(d, {d.choice(("error", "status", "re" + one, "items")): full(d)}),
                to_json(d, [full(d), number(d)]),
                to_json(d, odd(d)),
                "{" + sentence(d) + "}",
            )
        )

    return source, draw


@template("json-pairs-hook", "JSON with hooks")
def _(r: random.Random):
    hook = r.choice(
        (
            "object_pairs_hook=list",
            "parse_float=Decimal",
            "parse_float=str, parse_int=str",
            "object_hook=lambda d: tuple(sorted(d))",
            "object_pairs_hook=merge",
        )
    )
    source = fill(
        """
        import json
        from decimal import Decimal


        def merge(pairs):
            out = {}
            for key, val in pairs:
                out.setdefault(key, []).append(val)
            return out


        def handle():
            return [json.loads(ask(@prompt@), @hook@)]
        """,
        prompt=ask_prompt(r, "the prices", *JSON_HINTS),
        hook=hook,
    )

    def draw(d: random.Random) -> str:
        pairs = []
        for _ in range(d.randint(1, 6)):
            val = d.choice(
                (number(d), full(d), Raw(f"{d.randint(-99, 9999)}.{d.choice(('50', '0', '00'))}"))
            )
            pairs.append(f"{to_json(d, value(d), True)}: {to_json(d, val)}")
        if d.random() < 0.4:
            pairs.append(d.choice(pairs))
        joint = d.choice((", ", ",\n  ", ","))
        return pad(d, "{" + joint.join(pairs) + "}")

    return source, draw


@template("json-loose-types", "JSON with values of several types")
def _(r: random.Random):
    key = r.choice(("tags", "authors", "ingredients", "labels"))
    source = fill(
        """
        import json


        def as_list(value):
            if value is None:
                return []
            if isinstance(value, str):
                return [part.strip() for part in value.split(@sep@)]
            if isinstance(value, (int, float)):
                return [str(value)]
            if isinstance(value, dict):
                return list(value)
            return [str(v) for v in value]


        def handle():
            reply = json.loads(ask(@prompt@))
            return {"@key@": as_list(reply.get("@key@")), "ok": bool(reply.get("ok", True))}
        """,
        sep=repr(r.choice((",", ";", "/"))),
        key=key,
        prompt=ask_prompt(r, f"the {key}", *JSON_HINTS),
    )

    def draw(d: random.Random) -> str:
        data: dict[str, object] = {}
        if d.random() < 0.85:
            data[key] = d.choice(
                (
                    None,
                    ", ".join(value(d) for _ in range(3)),
                    number(d),
                    [full(d), odd(d)],
                    {value(d): odd(d)},
                    full(d),
                )
            )
        if d.random() < 0.5:
            data["ok"] = d.choice((True, False, "no", "false", 0, None, "yes"))
        return pad(d, to_json(d, extras(d, data)))

    return source, draw


@template("json-scalar", "JSON scalar")
def _(r: random.Random):
    source = fill(
        """
        import json


        def handle():
            v = json.loads(ask(@prompt@))
            if @check@:
                return ("bool or null", v)
            return (type(v).__name__, v)
        """,
        prompt=ask_prompt(r, "the value", "as a JSON literal", "Quote it if it is text."),
        check=r.choice(
            (
                "isinstance(v, bool) or v is None",
                "v in (True, False, None)",
                "v is True or v is None",
            )
        ),
    )

    def draw(d: random.Random) -> str:
        return pad(d, to_json(d, d.choice((full(d), full(d), number(d), True, False, None, []))))

    return source, draw


@template("json-typed-dict", "JSON as a TypedDict")
def _(r: random.Random):
    one, two = keys(r, 2)
    source = fill(
        """
        from __future__ import annotations

        import json
        from typing import TypedDict, cast


        class Entry(TypedDict, total=False):
            @one@: str
            @two@: str
            count: int


        def load(raw: str) -> list[Entry]:
            data = json.loads(raw)
            entries = data["@list@"] if isinstance(data, dict) else data
            return cast("list[Entry]", entries)


        def handle() -> list[tuple[str, int]]:
            return [(e["@one@"], e.get("count", 1)) for e in load(ask(@prompt@))@filter@]
        """,
        one=one,
        two=two,
        list=r.choice(("entries", "items", "results")),
        filter=r.choice(("", "", ' if not e.get("deleted")')),
        prompt=ask_prompt(r, "the entries", *JSON_HINTS),
    )
    name = re.search(r'data\["(\w+)"\]', source).group(1)

    def draw(d: random.Random) -> str:
        rows = []
        for _ in range(many(d, 1, 5)):
            row: dict[str, object] = {one: full(d)}
            if d.random() < 0.5:
                row["count"] = d.choice((number(d), None, "1,000", "~10"))
            if d.random() < 0.5:
                row[two] = odd(d)
            rows.append(extras(d, row, 0.2))
        return pad(d, to_json(d, rows if d.random() < 0.5 else extras(d, {name: rows})))

    return source, draw


@template("json-dataclass-known", "dataclass from known JSON keys")
def _(r: random.Random):
    one, two, three = keys(r, 3)
    source = fill(
        """
        import json
        from dataclasses import asdict, dataclass, field, fields


        @dataclass(frozen=True)
        class Card:
            @one@: str
            @two@: str = "@default@"
            @three@: list = field(default_factory=list)

            @classmethod
            def from_json(cls, text: str) -> "Card":
                data = json.loads(text)
                known = {f.name for f in fields(cls)}
                return cls(**{k: v for k, v in data.items() if k in known})


        def handle():
            card = Card.from_json(ask(@prompt@))
            return @ending@
        """,
        one=one,
        two=two,
        three=three,
        default=r.choice(("", "none", "unknown", "-")),
        prompt=ask_prompt(r, "one card", *JSON_HINTS),
        ending=r.choice(("card", "asdict(card)")),
    )

    def draw(d: random.Random) -> str:
        data: dict[str, object] = {one: full(d)}
        if d.random() < 0.5:
            data[two] = d.choice((full(d), None, ""))
        if d.random() < 0.5:
            data[three] = [odd(d) for _ in range(d.randint(0, 3))]
        return pad(d, to_json(d, extras(d, data)))

    return source, draw


@template("json-enum-missing", "JSON field as an enum with _missing_")
def _(r: random.Random):
    names = r.sample(("low", "medium", "high", "urgent", "normal", "critical"), 3)
    key = r.choice(("priority", "severity", "level"))
    source = fill(
        """
        import json
        from enum import Enum


        class Level(str, Enum):
            FIRST = "@first@"
            SECOND = "@second@"
            THIRD = "@third@"
            OTHER = "other"

            @classmethod
            def _missing_(cls, value):
                @lower@return cls.OTHER


        def handle():
            ticket = json.loads(ask(@prompt@))
            return Level(ticket["@key@"]), ticket.get("comment")
        """,
        first=names[0],
        second=names[1],
        third=names[2],
        key=key,
        lower=r.choice(
            (
                "",
                "text = str(value).strip().lower()\n        for member in cls:\n"
                "            if member.value == text:\n                return member\n        ",
            )
        ),
        prompt=ask_prompt(r, f"{key} ({', '.join(names)})", *JSON_HINTS),
    )

    def draw(d: random.Random) -> str:
        name = d.choice(names)
        near = (
            name + "er",
            "not " + name,
            name + "-ish",
            "very " + name,
            name + "?",
        )
        level = d.choice((name, name, d.choice(near), value(d), None, number(d)))
        data = {key: level}
        if d.random() < 0.6:
            data["comment"] = full(d)
        return pad(d, to_json(d, extras(d, data)))

    return source, draw, (*names, "other")


@template("json-literal-args", "JSON field against Literal")
def _(r: random.Random):
    names = r.sample(("positive", "negative", "neutral", "mixed", "sarcastic"), 3)
    default = r.choice((names[-1], "unclear"))
    source = fill(
        """
        import json
        from typing import Literal, get_args

        Mood = Literal[@names@]


        def to_mood(raw: str) -> str:
            return raw if raw in get_args(Mood) else "@default@"


        def handle():
            data = json.loads(ask(@prompt@))
            return {item["@id@"]: to_mood(item.get("mood", "")) for item in data["reviews"]}
        """,
        names=", ".join(f'"{name}"' for name in names),
        default=default,
        id=r.choice(("id", "review_id", "text")),
        prompt=ask_prompt(r, "the mood of every review", *JSON_HINTS),
    )
    ident = re.search(r'item\["(\w+)"\]', source).group(1)

    def draw(d: random.Random) -> str:
        rows = []
        for at in range(many(d, 1, 4, 20)):
            row: dict[str, object] = {ident: d.choice((at, str(at), value(d)))}
            if d.random() < 0.85:
                name = d.choice(names)
                near = (
                    "non-" + name,
                    name[:-1],
                    "very " + name,
                    name + "/mixed",
                )
                row["mood"] = d.choice((name, name, d.choice(near), value(d), None))
            rows.append(extras(d, row, 0.2))
        return pad(d, to_json(d, extras(d, {"reviews": rows})))

    return source, draw, (*names, default)


@template("json-sorted-numbers", "JSON numbers, sorted or summed")
def _(r: random.Random):
    key = r.choice(("score", "price", "weight", "year"))
    source = fill(
        """
        import json


        def handle():
            rows = json.loads(ask(@prompt@))
            @body@
        """,
        prompt=ask_prompt(r, f"each name with its {key}", "JSON list"),
        body=r.choice(
            (
                f'rows.sort(key=lambda row: float(row["{key}"]), reverse=True)\n    return rows',
                f'return max(rows, key=lambda row: float(row["{key}"]))["name"], len(rows)',
                f'return round(sum(float(row["{key}"]) for row in rows), 3), rows[0]["name"]',
                f'return [row["name"] for row in rows if float(row["{key}"]) > 0] or ["no one"]',
            )
        ),
    )

    def draw(d: random.Random) -> str:
        rows = []
        for _ in range(many(d, 1, 6)):
            val = d.choice((number(d), "-5", "+3", "1e3", " 7", "0042", "1_000", ".5", "5.", "-0"))
            rows.append({"name": full(d), key: val})
        return pad(d, to_json(d, rows))

    return source, draw


@template("json-tree", "JSON tree, read recursively")
def _(r: random.Random):
    name, children = r.choice((("name", "children"), ("title", "sections"), ("label", "nodes")))
    source = fill(
        """
        import json


        def walk(node, depth=0):
            yield (depth, node["@name@"])
            for child in node.get("@children@") or []:
                yield from walk(child, depth + 1)


        def handle():
            return @ending@(walk(json.loads(ask(@prompt@))))
        """,
        name=name,
        children=children,
        ending=r.choice(("list", "tuple", "max")),
        prompt=ask_prompt(r, "the outline as a tree", *JSON_HINTS),
    )

    def draw(d: random.Random) -> str:
        def node(depth: int) -> dict:
            out: dict[str, object] = {name: full(d)}
            if depth < 4 and d.random() < 0.8:
                out[children] = [node(depth + d.randint(1, 2)) for _ in range(d.randint(0, 3))]
            elif d.random() < 0.3:
                out[children] = None
            return extras(d, out, 0.1)

        return pad(d, to_json(d, node(0)))

    return source, draw


@template("json-all-fences", "several JSON blocks in fences")
def _(r: random.Random):
    source = fill(
        """
        import json
        import re

        BLOCK = re.compile(r"^```json\\n(.*?)\\n```$", re.DOTALL | re.MULTILINE)


        def handle():
            return [json.loads(m.group(1)) for m in BLOCK.finditer(ask(@prompt@))]
        """,
        prompt=ask_prompt(r, "every variant", "Each in its own ```json fence."),
    )

    def draw(d: random.Random) -> str:
        parts = []
        for _ in range(d.randint(1, 4)):
            if d.random() < 0.6:
                parts.append(prose(d, "`"))
            if d.random() < 0.2:
                parts.append("```python\nprint({'a': 1})\n```")
            data = extras(d, {value(d, "`"): pick(d, d.choice((PEOPLE, TECH, AMOUNTS, FIRMS)))}, 0)
            parts.append(f"```json\n{to_json(d, data)}\n```")
        return "\n".join(parts) + d.choice(("", "\n", "\n\n" + d.choice(TAILS)))

    return source, draw


@template("json-chained-fallback", "JSON, then literals, then lines")
def _(r: random.Random):
    source = fill(
        """
        import ast
        import json


        def from_json(text):
            return json.loads(text)


        def from_python(text):
            return ast.literal_eval(text)


        def from_lines(text):
            return [line.strip() for line in text.splitlines() if line.strip()]


        def handle():
            text = ask(@prompt@).strip()
            for parse in (from_json, from_python, from_lines):
                try:
                    return (parse.__name__, parse(text))
                except (ValueError, SyntaxError, @more@):
                    continue
        """,
        prompt=ask_prompt(r, "a list", "Preferably JSON."),
        more=r.choice(("TypeError, MemoryError", "TypeError, RecursionError, MemoryError")),
    )

    def draw(d: random.Random) -> str:
        items = [pick(d, d.choice((PEOPLE, FIRMS, SHORT, REMARKS))) for _ in range(d.randint(1, 5))]
        return d.choice(
            (
                to_json(d, items),
                repr(items),
                repr(tuple(items)),
                "\n".join(items),
                "- " + "\n- ".join(items),
                repr(dict.fromkeys(items)),
            )
        )

    return source, draw


@template("json-text-with-code", "JSON field that holds code")
def _(r: random.Random):
    key = r.choice(("code", "sql", "patch", "html"))
    source = fill(
        """
        import json


        def handle():
            reply = json.loads(ask(@prompt@))
            lines = reply["@key@"].split("\\n")
            return {"lines": lines, "n": len(lines), "file": reply.get("file", "main.txt")}
        """,
        key=key,
        prompt=ask_prompt(r, f"the {key}", *JSON_HINTS),
    )
    codes = (
        'def f(x):\n\treturn {"a": [1, 2,], }  # no\n',
        "SELECT * FROM t WHERE name = 'O''Brien' AND x <> '';",
        '<p class="a">It\'s &lt;fine&gt;</p>\n<br/>',
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new",
        "```js\nconst s = `a ${b}`;\n```",
        'if (a && !b) { print("yes\\n"); }',
        r"\d+\.\d{2}\\server\share",
        "{\n  // comment\n  'single': True,\n}",
        '{"inner": "{\\"deep\\": \\"x\\"}"}',
        '#!/bin/sh\r\necho "$1"\r\n',
    )

    def draw(d: random.Random) -> str:
        data: dict[str, object] = {key: "\n".join(d.choices(codes, k=d.randint(1, 3)))}
        if d.random() < 0.5:
            data["file"] = d.choice(TECH)
        return pad(d, to_json(d, extras(d, data)))

    return source, draw


@template("json-string-amounts", "JSON amounts kept as texts")
def _(r: random.Random):
    one, two = r.sample(("price", "grade", "dose", "version", "code", "phone", "time"), 2)
    source = fill(
        """
        import json
        from collections import namedtuple

        Line = namedtuple("Line", "@one@ @two@")


        def handle():
            return [Line(x["@one@"], str(x["@two@"])) for x in json.loads(ask(@prompt@))["lines"]]
        """,
        one=one,
        two=two,
        prompt=ask_prompt(
            r, f"{one} and {two} of each line", "Keep them exactly as written. JSON."
        ),
    )

    def draw(d: random.Random) -> str:
        rows = [
            extras(
                d,
                {one: pick(d, AMOUNTS + SHORT), two: d.choice((pick(d, AMOUNTS), number(d), None))},
                0.1,
            )
            for _ in range(many(d, 1, 6))
        ]
        return crlf(d, pad(d, to_json(d, {"lines": rows})))

    return source, draw


@template("json-after-thinking", "JSON after a thinking part")
def _(r: random.Random):
    tag = r.choice(("think", "thinking", "scratchpad", "reasoning"))
    key = keys(r, 1)[0]
    source = fill(
        """
        import json
        import re


        def handle():
            reply = re.sub(r"<@tag@>.*?</@tag@>", "", ask(@prompt@), flags=re.S).strip()
            return json.loads(reply)["@key@"]
        """,
        tag=tag,
        key=key,
        prompt=ask_prompt(r, "the result", f"Think in <{tag}> first, then write JSON."),
    )

    def draw(d: random.Random) -> str:
        text = to_json(d, extras(d, {key: d.choice((full(d), number(d)))}))
        while f"<{tag}>" in text:
            text = to_json(d, {key: "plain"})
        while f"<{tag}>" in (thought := prose(d)):
            pass
        if d.random() < 0.4:
            thought += "\n" + to_json(d, {key: "draft"})
        return f"<{tag}>{thought}</{tag}>{d.choice((' ', chr(10), chr(10) * 2, ''))}{text}"

    return source, draw
