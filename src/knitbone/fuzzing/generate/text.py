"""Texts to try: those of what a field seems to hold, neighbours of an example, and random ones."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from knitbone.fuzzing.generate.text_values import DATES, NUMBERS, PATHS, SHAPES, UNICODE, URLS

__all__ = ["awkward_texts", "family_of", "mutate", "quoted_examples", "random_text"]

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

_QUOTED = re.compile(r"[\"'`\u201c]([^\"'`\u201c\u201d\n]{1,80})[\"'`\u201d]")
_EXAMPLE = re.compile(
    r"(?:e\.g\.|for example|such as|example:|like)\s+([^\s,;.()][^\n()]{0,60})", re.IGNORECASE
)
_VAGUE = re.compile(r"\b(?:input|query|text|command|content|arg\w*)\b")
"""Names of fields that say nothing of what is in them."""
_INPUT = re.compile(r"\binputs?\b(?:[ \n]+\w+){1,12}")
"""What a documentation says of the one input that its tool has."""
_SEPARATORS = re.compile(r"(->|=>|::|[;,|:/=&\s\-_.#@]+)")
_NUMERALS = ("0", "-1", "1", "x", "", "999999999999", "1.5")


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


def quoted_examples(documentation: str) -> list[str]:
    """Values that a documentation shows: quoted texts, and what follows "for example"."""
    text = documentation[:20_000]
    found = [match.group(1) for match in _QUOTED.finditer(text)]
    found += [match.group(1).strip(" .'\"`") for match in _EXAMPLE.finditer(text)]
    return [value for value in dict.fromkeys(found) if value][:40]


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
