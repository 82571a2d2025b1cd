"""Programs that ask for a few values in a form that their prompt shows, and answers in others.

Each program draws its fields, the mark between them, the way it reads them and the words of its
prompt. An answer either holds the values, in one of the layouts that models write, or is a trap:
two values for one field, a value too many, one that is taken back or missing.
"""

from __future__ import annotations

import calendar
import json
import random
import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Asked", "answers", "drawn_program", "traps"]

_UNITS = {"weight": "kg", "width": "cm", "height": "cm", "price": "euros"}
_FIELDS = {
    "weight": "number", "width": "number", "height": "number", "guests": "number",
    "boxes": "number", "price": "decimal", "load": "decimal", "article": "code", "flight": "code",
    "pickup": "time", "start": "time", "day": "date", "due": "date", "state": "option",
}  # fmt: skip
_OPTIONS = ("open", "closed", "waiting")
_CODES = ("AB-12", "KX-907", "Q7", "LATCH-02", "ZZ-1-4")
_PATTERNS = {
    "number": r"\d+", "decimal": r"\d+\.\d{2}", "code": r"[A-Z0-9-]+", "time": r"\d{2}:\d{2}",
    "date": r"\d{4}-\d{2}-\d{2}", "option": "|".join(_OPTIONS),
}  # fmt: skip
_READS = {
    "number": "int({})", "decimal": "float({})", "code": "CODES[{}.strip()]",
    "time": "(int({}.split(':')[0]), int({}.split(':')[1]))",
    "date": "date.fromisoformat({}.strip()).isoformat()", "option": "STATES[{}.strip()]",
}  # fmt: skip
_MARKS = ("|", ";", "; ", ", ", " ~ ", " -> ")
_HEADER = f"""
import re
from datetime import date
import knitbone
ANSWER = ""
CODES = {{each: each for each in {_CODES!r}}}
STATES = {{each: number for number, each in enumerate({_OPTIONS!r})}}
@knitbone.source
def ask(prompt):
    return ANSWER
"""


class Asked(NamedTuple):
    """A program, and the values that its answers are to hold."""

    source: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    values: tuple[str, ...]
    form: str
    """The values as the program reads them."""


def _value(kind: str, rng: random.Random) -> str:
    if kind == "number":
        return str(rng.choice((rng.randint(1, 9), rng.randint(10, 999), rng.randint(1000, 29999))))
    if kind == "decimal":
        return f"{rng.randint(1, 4000)}.{rng.randint(0, 99):02d}"
    if kind == "code":
        return rng.choice(_CODES)
    if kind == "time":
        return f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"
    if kind == "date":
        return f"20{rng.randint(20, 29)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    return rng.choice(_OPTIONS)


def drawn_program(rng: random.Random) -> Asked:
    """Return a program and the values that it is to get."""
    names = tuple(rng.sample(sorted(_FIELDS), rng.randint(2, 4)))
    kinds = tuple(_FIELDS[name] for name in names)
    values = tuple(_value(kind, rng) for kind in kinds)
    samples = tuple(_value(kind, rng) for kind in kinds)
    listed = ", ".join(f"{name} in {_UNITS[name]}" if name in _UNITS else name for name in names)
    if rng.random() < 0.35:
        return _of_lines(names, kinds, values, listed, rng)
    mark = rng.choice(_MARKS)
    example, form = mark.join(samples), mark.join(values)
    prompt = rng.choice((
        f"Give {listed}. Answer like this: {example}",
        f"Note: {{}}\n\nReturn {listed}, in this order, for example: {example}",
        f"Return only {listed} with nothing else, e.g. {example}",
        f"One line with {listed}.\nExample: {example}\nNo other text.",
    )).replace("{}", "we spoke on the telephone")  # fmt: skip
    body = _reader(kinds, mark, rng)
    source = f"{_HEADER}\ndef handle():\n    text = ask({prompt!r})\n{body}"
    return Asked(source, names, kinds, values, form)


def _reader(kinds: tuple[str, ...], mark: str, rng: random.Random) -> str:
    variables = [f"v{n}" for n in range(len(kinds))]
    made = ", ".join(
        _READS[kind].replace("{}", name) for kind, name in zip(kinds, variables, strict=True)
    )
    style = rng.choice(("unpack", "pattern", "parts", "map"))
    if style == "unpack":
        return f"    {', '.join(variables)} = text.split({mark!r})\n    return ({made})\n"
    if style == "pattern":
        pattern = re.escape(mark).join(f"({_PATTERNS[kind]})" for kind in kinds)
        return (
            f"    found = re.fullmatch({pattern!r}, text.strip())\n    if found is None:\n"
            f"        raise ValueError(text)\n    {', '.join(variables)} = found.groups()\n"
            f"    return ({made})\n"
        )
    if style == "parts":
        return (
            f"    parts = [part.strip() for part in text.split({mark!r})]\n"
            f"    if len(parts) != {len(kinds)}:\n        raise ValueError(text)\n"
            f"    {', '.join(variables)} = parts\n    return ({made})\n"
        )
    readers = ", ".join(f"lambda p: {_READS[kind].replace('{}', 'p')}" for kind in kinds)
    return (
        f"    return tuple(read(part) for read, part in "
        f"zip([{readers}], text.split({mark!r}), strict=True))\n"
    )


def _of_lines(
    names: tuple[str, ...],
    kinds: tuple[str, ...],
    values: tuple[str, ...],
    listed: str,
    rng: random.Random,
) -> Asked:
    """Return a program that reads lines with names."""
    mark = rng.choice((": ", " = ", ":"))
    shown = "\n".join(
        f"{name}{mark}<{name} as {kind}>" for name, kind in zip(names, kinds, strict=True)
    )
    made = ", ".join(
        _READS[kind].replace("{}", f"pairs[{name!r}]")
        for name, kind in zip(names, kinds, strict=True)
    )
    prompt = f"Give {listed} in these lines:\n{shown}"
    source = (
        f"{_HEADER}\ndef handle():\n    text = ask({prompt!r})\n"
        f"    pairs = {{}}\n    for line in text.strip().splitlines():\n"
        f"        name, value = line.split({mark!r}, 1)\n        pairs[name] = value\n"
        f"    return ({made})\n"
    )
    form = "\n".join(f"{name}{mark}{value}" for name, value in zip(names, values, strict=True))
    return Asked(source, names, kinds, values, form)


def _shown(value: str, kind: str, rng: random.Random) -> str:
    """Return a value as a model may write it."""
    if kind == "number" and len(value) > 3 and rng.random() < 0.4:
        return f"{int(value):,}"
    if kind == "date" and rng.random() < 0.3:
        year, month, day = value.split("-")
        return f"{int(day)} {calendar.month_name[int(month)]} {year}"
    if kind in ("option", "code") and rng.random() < 0.2:
        return value.capitalize() if kind == "option" else value
    return value


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def answers(asked: Asked, rng: random.Random) -> list[str]:
    """Return answers that hold the values, in many layouts."""
    shown = [_shown(v, k, rng) for v, k in zip(asked.values, asked.kinds, strict=True)]
    pairs = list(zip(asked.names, shown, strict=True))
    united = [f"{value} {_UNITS[name]}" if name in _UNITS else value for name, value in pairs]
    turned = pairs[::-1]
    other = rng.choice((" | ", "\n", "; ", " / ", " - ", ", "))
    return [
        asked.form,
        f"```\n{asked.form}\n```",
        f"**{asked.form}**",
        f"Here is the result:\n\n{asked.form}",
        other.join(shown),
        other.join(united),
        "; ".join(f"{name.capitalize()}: {value}" for name, value in pairs),
        "\n".join(f"- **{name.capitalize()}:** {value}" for name, value in pairs),
        "\n".join(f"{name} = {value}" for name, value in turned),
        "\n".join(f"{name.upper()}: {value}" for name, value in turned),
        "The " + " and the ".join(f"{name} is {value}" for name, value in pairs) + ".",
        json.dumps(dict(pairs), indent=2),
        _row(asked.names) + "\n|" + "---|" * len(pairs) + "\n" + _row(shown),
        "| Field | Value |\n|---|---|\n" + "\n".join(f"| {n} | {v} |" for n, v in pairs),
    ]  # fmt: skip


def traps(asked: Asked, rng: random.Random) -> list[str]:
    """Return answers that do not say each value, or not one."""
    place = rng.randrange(len(asked.values))
    name, kind, value = asked.names[place], asked.kinds[place], asked.values[place]
    another = value
    while another == value:
        another = _value(kind, rng)
    said = list(asked.values)

    def spoken(text: str) -> str:
        return " ; ".join([*said[:place], text, *said[place + 1 :]])

    labelled = [f"{n}: {v}" for n, v in zip(asked.names, said, strict=True)]
    doubled = [*labelled[:place], f"{name}: {value} or {another}", *labelled[place + 1 :]]
    missing = [part for n, part in enumerate(labelled) if n != place]
    return [
        spoken(f"{value} or {another}"),
        spoken(f"not {value}"),
        spoken(f"{value} (or maybe {another})"),
        spoken(f"{value}?"),
        spoken("unknown"),
        "\n".join(doubled),
        "\n".join(missing),
        "; ".join(missing),
        "\n".join([*labelled, f"{name}: {another}"]),
        "\n".join([*(missing if kind == "number" else labelled), "total: 17"]),
        f"I cannot tell the {name}; the last time it was " + ", ".join(said) + ".",
        f"Earlier we had {' and '.join(said)}, but that was wrong.",
        "\n".join([*missing, f"{name}: n/a"]),
    ]  # fmt: skip
