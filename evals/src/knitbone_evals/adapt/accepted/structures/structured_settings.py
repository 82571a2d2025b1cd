"""Consumers of ini files, TOML, Python literals and mail headers."""

from __future__ import annotations

import random

from knitbone_evals.adapt.accepted.structures.structured_base import (
    PEOPLE,
    SHORT,
    WORDS,
    ask_prompt,
    crlf,
    fenced,
    fill,
    json_string,
    keys,
    many,
    pad,
    prose,
    template,
    value,
    wrapped,
)

XML_HINTS = ("Answer in XML.", "Use XML tags.", "No text outside the XML.")


@template("ini-file", "configparser")
def _(r: random.Random):
    section = r.choice(("server", "Main", "user info"))
    one, two = keys(r, 2)
    source = fill(
        """
        import configparser


        def handle():
            parser = configparser.ConfigParser(@options@)
            parser.read_string(ask(@prompt@))
            main = parser["@section@"]
            return main["@one@"], main.get("@two@", "@default@"), sorted(parser.sections())
        """,
        options=r.choice(
            ("interpolation=None", 'interpolation=None, comment_prefixes=("#",), strict=False')
        ),
        section=section,
        one=one,
        two=two,
        default=r.choice(("", "none", "8080")),
        prompt=ask_prompt(r, "the settings", "as an ini file"),
    )

    def draw(d: random.Random) -> str:
        sign = d.choice((" = ", "=", ": ", " : "))
        lines = [f"[{section}]", f"{d.choice((one, one.title()))}{sign}{value(d, start='=:')}"]
        if d.random() < 0.6:
            lines.append(f"{two}{sign}{d.choice(('', value(d, start='=:')))}")
        if d.random() < 0.3:
            lines.insert(
                1, d.choice(("# comment = no", "", "x.y = [1, 2]", "path = C:\\temp\\new"))
            )
        if d.random() < 0.4:
            lines += ["", f"[{d.choice(WORDS)}]", f"k{sign}{value(d, start='=:')}"]
        if d.random() < 0.2:
            lines = ["[DEFAULT]", "debug = off", *lines]
        return crlf(d, "\n".join(lines))

    return source, draw


@template("toml-file", "tomllib where Python has it")
def _(r: random.Random):
    one, two = keys(r, 2)
    source = fill(
        """
        try:
            import tomllib
        except ModuleNotFoundError:
            tomllib = None


        def by_hand(text):
            pairs = {}
            for line in text.splitlines():
                key, sign, val = line.partition("=")
                if sign and not key.startswith("#"):
                    pairs[key.strip()] = val.strip()
            return pairs


        def handle():
            text = ask(@prompt@)
            data = tomllib.loads(text) if tomllib else by_hand(text)
            return data["@one@"], data.get("@two@", @default@)
        """,
        one=one,
        two=two,
        default=r.choice(("None", '"unset"', "0")),
        prompt=ask_prompt(r, "the project file", "as TOML"),
    )

    def draw(d: random.Random) -> str:
        text = value(d)
        literal = f"'{text}'" if "'" not in text else json_string(d, text, True)
        lines = [f"{one} = {d.choice((json_string(d, text, True), literal))}"]
        odd = (
            "1_000",
            "+3",
            "-0.0",
            "1e3",
            "0x1F",
            "2024-01-05",
            "true",
            "[1, 2,]",
            '{ a = "b" }',
            "inf",
            "07:32:00",
        )
        if d.random() < 0.6:
            lines.append(f"{two} = {d.choice(odd)}" + d.choice(("", "  # sic")))
        if d.random() < 0.3:
            lines.insert(0, d.choice(("# a comment", "", '"quoted key" = 1', "a.b.c = 5")))
        if d.random() < 0.4:
            lines += [
                "",
                d.choice(("[tool.x]", "[[people]]")),
                f"n = {json_string(d, value(d), True)}",
            ]
        return "\n".join(lines) + d.choice(("", "\n"))

    return source, draw


def python_value(r: random.Random, depth: int = 0) -> object:
    """A plain Python value."""
    way = r.randrange(8)
    if way == 0:
        return r.choice((None, True, False))
    if way == 1:
        return r.choice((0, -5, 3.5, 1e3, 10**20, -0.0, 0.1))
    if way == 2 and depth < 2:
        return [python_value(r, depth + 1) for _ in range(r.randint(0, 3))]
    if way == 3 and depth < 2:
        return tuple(python_value(r, depth + 1) for _ in range(r.randint(0, 3)))
    if way == 4 and depth < 2:
        return {value(r): python_value(r, depth + 1) for _ in range(r.randint(0, 3))}
    return value(r)


@template("literal-eval", "Python literal")
def _(r: random.Random):
    shape = r.choice(("list", "dict", "tuple"))
    source = fill(
        """
        from ast import literal_eval


        def handle():
            obj = literal_eval(ask(@prompt@)@strip@)
            assert isinstance(obj, @shape@)
            return @ending@
        """,
        prompt=ask_prompt(r, f"a Python {shape}", "No code, only the literal."),
        strip=r.choice((".strip()", ".strip()", ".lstrip()")),
        shape=shape,
        ending=r.choice(("obj", "len(obj), obj", "list(obj)")),
    )

    def draw(d: random.Random) -> str:
        size = many(d, 1, 5, 20)
        if shape == "dict":
            made: object = {
                d.choice((value(d), d.randint(-9, 99))): python_value(d) for _ in range(size)
            }
        else:
            made = [python_value(d) for _ in range(size)]
            made = tuple(made) if shape == "tuple" else made
        text = repr(made)
        if shape == "list" and d.random() < 0.3:
            parts = [repr(python_value(d)) for _ in range(size)] + [
                "'joined' ' text'",
                "0x1F",
                "1_000",
                "r'\\d'",
                "b'x'",
            ]
            text = "[\n    " + ",\n    ".join(parts[-size - 3 :]) + ",  # last\n]"
        elif shape == "tuple" and d.random() < 0.3:
            text = text[1:-1]
        return pad(d, text)

    return source, draw


@template("literal-eval-fallback", "Python literal with fallback")
def _(r: random.Random):
    source = fill(
        """
        import ast


        def parse_list(text: str) -> list:
            try:
                found = ast.literal_eval(text[text.index("[") : text.rindex("]") + 1])
            except (ValueError, SyntaxError):
                found = [part.strip() for part in text.split(@sep@)]
            return found


        def handle():
            return parse_list(ask(@prompt@).strip())
        """,
        sep=repr(sep := r.choice((",", "\n", ";"))),
        prompt=ask_prompt(r, "the tags", "as a Python list"),
    )

    def draw(d: random.Random) -> str:
        items = [value(d) for _ in range(d.randint(1, 6))]
        plain = [value(d, "[]" + sep) for _ in range(d.randint(1, 6))]
        return d.choice(
            (
                repr(items),
                wrapped(d, repr(items)),
                f"tags = {items!r}",
                fenced(d, repr(items), "python"),
                sep.join(plain),
                (sep if sep == "\n" else sep + " ").join(plain),
                plain[0],
            )
        )

    return source, draw


@template("email-headers", "headers and a body")
def _(r: random.Random):
    one = r.choice(("Subject", "To", "Tone"))
    source = fill(
        """
        from email import message_from_string


        def handle():
            mail = message_from_string(ask(@prompt@).lstrip())
            body = mail.get_payload()@end@
            return {"@low@": mail["@one@"], "cc": mail.get("Cc", ""), "body": body}
        """,
        one=one,
        low=one.lower(),
        end=r.choice(("", ".strip()")),
        prompt=ask_prompt(r, "an email", f"Start with {one}: and a blank line."),
    )

    def draw(d: random.Random) -> str:
        lines = [f"{one}: {value(d)}"]
        if d.random() < 0.4:
            lines.append(f"Cc: {d.choice(PEOPLE)} <a@example.org>")
        if d.random() < 0.3:
            lines.insert(0, f"X-Note: {d.choice(SHORT)}")
        body = prose(d) + "\n\n" + d.choice(("Best,\n", "-- \n", "Yours,\n")) + d.choice(PEOPLE)
        return pad(d, "\n".join(lines) + "\n\n" + body)

    return source, draw
