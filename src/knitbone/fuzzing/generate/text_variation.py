"""Texts made anew: awkward ones, neighbours of an example, and random ones."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from knitbone.fuzzing.generate.text_values import DATES, NUMBERS, PATHS, SHAPES, UNICODE, URLS

__all__ = ["awkward_texts", "mutate", "random_text"]

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
