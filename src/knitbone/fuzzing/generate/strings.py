"""Texts that a string schema allows, plausible or awkward."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Sequence
from typing import Any

from knitbone.fuzzing.generate.examples import quoted_examples
from knitbone.fuzzing.generate.text_values import (
    DATES,
    FAMILIES,
    NUMBERS,
    PATHS,
    SHAPES,
    UNICODE,
    URLS,
)

__all__ = ["draw_string", "family_in", "family_of", "mutate", "strings"]


# What a text field seems to hold, by its format, its name and the words about it.

_HINTS = (
    ("path", r"path|file|folder|dir\b|directory"),
    ("url", r"url|uri\b|link|website|endpoint"),
    ("email", r"e-?mail"),
    ("date", r"date|day\b|\bfrom\b|until|deadline|birthday"),
    ("time", r"time\b|hour|clock"),
    ("json", r"json|payload|\bbody\b"),
    ("graphql", r"graphql"),
    ("sql", r"sql"),
    ("table", r"csv|tables?\b(?! name)|rows?\b|column"),
    ("regex", r"regex|regular expression|pattern"),
    ("code", r"code\b|script|python|expression|formula"),
    ("language", r"language|locale"),
    ("money", r"currency|price|amount|money|cost"),
    ("unit", r"units?\b|measure"),
    ("colour", r"colou?r"),
    ("address", r"\bip\b|host\b|hostname|address"),
    ("place", r"city|country|place|location|town|region|where"),
    ("person", r"name\b|person|guest|author|user\b|customer"),
    ("identifier", r"\bid\b|_id\b|identifier|reference|code\b|key\b|token|sku|ticket"),
    ("number", r"number|count|quantity|age\b|size|limit|score|percent"),
    ("query", r"query|search|question|keyword|text|topic"),
)
_LANGUAGES = frozenset({"json", "graphql", "sql", "table", "regex", "code"})
"""What a query or a text may be written in."""
_FORMATS = {
    "date": "date",
    "date-time": "date",
    "time": "time",
    "email": "email",
    "uri": "url",
    "uuid": "identifier",
    "ipv4": "address",
    "ipv6": "address",
    "path": "path",
    "file-path": "path",
    "directory-path": "path",
}
_VAGUE = re.compile(r"\b(?:input|query|text|command|content|arg\w*)\b")
"""Names of fields that say nothing of what is in them."""
_INPUT = re.compile(r"\binputs?\b(?:[ \n]+\w+){1,12}")
"""What a documentation says of the one input that its tool has."""


def family_of(
    name: str, description: str, format_name: str | None, *, documentation: str = ""
) -> str | None:
    """What a text field seems to hold: by its format, its name, its description, or the words next
    to its name in the tool's documentation; the first that says anything. A query or a text may be
    in a language that only the others name."""
    if format_name in _FORMATS:
        return _FORMATS[format_name]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).lower()
    first: str | None = None
    for text in (
        name.lower() + " " + words,
        description.lower()[:300],
        *_around(name, documentation),
        *(_INPUT.findall(documentation[:20_000].lower()) if _VAGUE.search(words) else ()),
    ):
        for family, hint in _HINTS:
            if re.search(r"(?:^|\b|_)(?:" + hint + ")", text):
                first = first or family
                if first != "query" or family in _LANGUAGES:
                    return family
                break
    return first


def _around(name: str, documentation: str) -> list[str]:
    found = re.finditer(
        r"(?:\w+\W+)?\b" + re.escape(name.lower()) + r"\b(?:\W+\w+)?",
        documentation[:20_000].lower(),
    )
    return [match.group() for match in found][:5]


# Texts made anew: awkward ones, neighbours of an example, and random ones.

_SEPARATORS = re.compile(r"(->|=>|::|[;,|:/=&\s\-_.#@]+)")
_NUMERALS = ("0", "-1", "1", "x", "", "999999999999", "1.5")


def awkward_texts(paths: Sequence[str]) -> list[str]:
    """Every awkward text, and the private directory's own files (``paths``)."""
    existing = [*paths, *(f"${{SANDBOX}}/{path}" for path in paths[:2])]
    everyday = [*DATES[:6], *URLS[:6], *NUMBERS, *PATHS]
    return list(dict.fromkeys([*SHAPES, *UNICODE, *everyday, *existing]))


def mutate(rng: random.Random, text: str) -> str:
    """A neighbour of an example: one of its parts changed, dropped, doubled or moved."""
    parts = [part for part in _SEPARATORS.split(text) if part]
    if not parts:
        return rng.choice(SHAPES)
    index = rng.randrange(len(parts))
    part = parts[index]
    match rng.randrange(7):
        case 0:
            parts[index] = rng.choice(_NUMERALS) if _is_numeral(part) else rng.choice(SHAPES[:14])
        case 1:
            del parts[index]
        case 2:
            parts.insert(index, part)
        case 3:
            parts = parts[: index + 1]
        case 4:
            parts[index] = rng.choice(
                (part.upper(), part.lower(), part.title(), part[::-1], part + "x")
            )
        case 5:
            parts = parts[::-1]
        case _:
            numerals = [i for i, p in enumerate(parts) if _is_numeral(p)]
            if numerals:
                parts[rng.choice(numerals)] = rng.choice(_NUMERALS)
            else:
                parts.append(rng.choice(SHAPES[:14]))
    return "".join(parts)


def random_text(rng: random.Random, *, longest: int) -> str:
    """Words, symbols or characters from anywhere, at most ``longest`` characters."""
    length = min(longest, rng.choice((1, 2, 3, 5, 8, 13, 40, 200)))
    alphabet = rng.choice(
        (
            "abcdefghij klmnop",
            "ABCxyz012 ,.;:-_/",
            "0123456789",
            "0123456789+-*/(). ",
            "{}[]()<>\"'`\\|&$#@!?*%^~",
            "\u00e4\u00f6\u00fc\u00df\u00e9 \u0416\u4e2d\u05d0\u0645\U0001f600",
        )
    )
    return "".join(rng.choice(alphabet) for _ in range(length))


def _is_numeral(part: str) -> bool:
    return part.lstrip("+-").replace(".", "", 1).isdigit()


_MUTANTS = 3
"""Neighbours made of each example."""
_BASIC = ("", " ", "a", "0", "-1", "a" * 300, "\u00e9\u4e2d", "a\nb")
_EXACT: dict[str, tuple[str, ...]] = {
    "date": ("2024-01-31", "2024-02-29", "1970-01-01", "9999-12-31", "0001-01-01"),
    "date-time": ("2024-01-31T10:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
    "time": ("10:00:00Z", "00:00:00Z", "23:59:59Z"),
    "duration": ("PT0S", "P1D", "PT1H30M"),
    "email": ("ann@example.com", "a.b+c@example.co"),
    "uri": ("http://localhost/", "https://example.com/a?b=c#d"),
    "uuid": ("550e8400-e29b-41d4-a716-446655440000", "00000000-0000-0000-0000-000000000000"),
    "ipv4": ("127.0.0.1", "0.0.0.0", "255.255.255.255"),  # noqa: S104 - a value, not a bind
    "ipv6": ("::1", "2001:db8::1"),
    "decimal": ("0", "1.5", "-1", "1000000"),
    "byte": ("", "YWJj", "AA=="),
}
"""Values of the formats that frameworks check."""


def strings(
    schema: dict[str, Any],
    name: str,
    paths: Sequence[str],
    documentation: str,
    rng: random.Random,
) -> tuple[list[str], list[str], list[str]]:
    """Texts worth trying in this field: the most basic, those it seems made for, all others."""
    if exact := _exact(schema):
        return exact, [], []
    examples = _examples(schema, documentation)
    mutants = [mutate(rng, text) for text in examples for _ in range(_mutants_of(text))]
    family = family_in(schema, name, documentation)
    made_for = [*examples, *mutants, *FAMILIES.get(family or "", ())]
    if family == "path":
        made_for += paths
    tiers = (_BASIC, made_for, awkward_texts(paths))
    basic, fitting, others = (_allowed(tier, schema, rng) for tier in tiers)
    return basic, fitting, others


def _mutants_of(example: str) -> int:
    """An example of several parts hides a format, and there is more of it to get wrong."""
    return _MUTANTS if example.isalnum() else _MUTANTS * 5


def draw_string(
    rng: random.Random,
    schema: dict[str, Any],
    name: str,
    paths: Sequence[str],
    documentation: str,
    *,
    odd: bool,
) -> str:
    """One text that the schema allows."""
    if exact := _exact(schema):
        return rng.choice(exact)
    examples = _examples(schema, documentation)
    family = family_in(schema, name, documentation)
    pools: list[Sequence[str]] = []
    if examples:
        pools += [examples, [mutate(rng, rng.choice(examples))]]
    if family is not None:
        pools.append(FAMILIES[family])
    if family == "path" and paths:
        pools.append(paths)
    if odd:
        pools += [awkward_texts(paths), [random_text(rng, longest=200)]]
    if not pools:
        pools = [("text", "abc", "Hello, world!", "two words", "1", "a,b,c"), ("Ann", "Oslo", "x")]
    text = rng.choice(rng.choice(pools))
    return (_allowed([text], schema, rng) or _allowed([*pools[0]], schema, rng) or [text])[0]


def _exact(schema: dict[str, Any]) -> list[str]:
    return list(_EXACT.get(str(schema.get("format")), ()))


def family_in(schema: dict[str, Any], name: str, documentation: str) -> str | None:
    """What a text field seems to hold, a key of ``FAMILIES``."""
    description = str(schema.get("description", ""))
    return family_of(name, description, schema.get("format"), documentation=documentation)


def _examples(schema: dict[str, Any], documentation: str) -> list[str]:
    given = [*schema.get("examples", ()), schema.get("default")]
    texts = [value for value in given if isinstance(value, str)]
    texts += quoted_examples(str(schema.get("description", "")))
    texts += quoted_examples(documentation)
    return list(dict.fromkeys(texts))


def _allowed(texts: Sequence[str], schema: dict[str, Any], rng: random.Random) -> list[str]:
    """The texts brought to the allowed length; where there is a pattern, those that match."""
    low, high = int(schema.get("minLength", 0)), schema.get("maxLength")
    fitted: list[str] = []
    for text in texts:
        grown = text if len(text) >= low else text + "x" * (low - len(text))
        fitted.append(grown if high is None else grown[: int(high)])
    unique = list(dict.fromkeys(fitted))
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        with contextlib.suppress(re.error):
            expression = re.compile(pattern)
            candidates = [*unique, *(random_text(rng, longest=20) for _ in range(50))]
            matching = [text for text in candidates if expression.search(text[:500])]
            # Where nothing matches, the texts are tried all the same: validation rejects them.
            return matching or unique
    return unique
