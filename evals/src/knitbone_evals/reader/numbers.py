"""Numbers in requests: digits, words, fractions, and what is counted or measured with them."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["NUMBER", "Number", "number_at", "ordinal_of", "plain"]

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL: dict[str, float] = {
    **{word: n for n, word in enumerate(_ONES)},
    **{word: 10 * n for n, word in enumerate(_TENS, start=2)},
    "a": 1,
    "an": 1,
    "no": 0,
    "fortnight": 14,
}
_GROUPS: dict[str, float] = {
    "dozen": 12, "hundred": 100, "thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6,
    "billion": 1e9,
}  # fmt: skip
_FRACTIONS = {"half": 0.5, "quarter": 0.25, "third": 1 / 3}
_ORDINALS = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
]
_WORDS = "|".join(sorted([*_SMALL, *(g for g in _GROUPS if len(g) > 1)], key=len, reverse=True))
_MORE = "|".join(word for word in _WORDS.split("|") if word not in ("a", "an", "no"))
NUMBER = (
    # Digits are bounded, and begun at their first: a text of nothing else takes no square of time.
    r"(?:(?<!\d)\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?|(?<!\d)\.\d{1,15})"
    r"(?:k\b|\s?(?:thousand|million|billion|dozen|hundred)\b)?"
    rf"|(?:half an?|a quarter|half)\b|\b(?:{_WORDS})(?:[-\s]+(?:and\s+)?(?:{_MORE}))*\b"
)
"""An expression for a number in a text."""
_NUMBER = re.compile(NUMBER, re.IGNORECASE)
_HALF_BEHIND = re.compile(r"\s+and\s+a\s+(half|quarter)\b", re.IGNORECASE)


class Number(NamedTuple):
    """A number, and where it ends in its text."""

    value: float
    end: int


def number_at(text: str, start: int = 0) -> Number | None:
    """The number that stands at a place of a text."""
    match = _NUMBER.match(text, start)
    if match is None:
        return None
    value = _value(match[0].casefold())
    end = match.end()
    if behind := _HALF_BEHIND.match(text, end):
        return Number(value + _FRACTIONS[behind[1].casefold()], behind.end())
    return Number(value, end)


def ordinal_of(words: str) -> int | None:
    """The number of an ordinal or cardinal: ``third``, ``3rd``, ``grade 3``, ``page one``."""
    bare = words.casefold()
    if digits := re.search(r"\d+", bare):
        return int(digits[0])
    for word in re.findall(r"[a-z]+", bare):
        if word in _ORDINALS:
            return _ORDINALS.index(word)
        if word in _SMALL and word not in ("a", "an", "no"):
            return int(_SMALL[word])
    return None


def plain(value: float) -> str:
    """A number in digits, without a needless point."""
    return str(int(value)) if float(value).is_integer() else f"{value:.10g}"


def _value(words: str) -> float:
    if words[0].isdigit() or words[0] == ".":
        digits = re.match(r"[\d,.]+", words)
        assert digits is not None
        number = float(digits[0].replace(",", "").rstrip(".") or 0)
        return number * _GROUPS.get(words[digits.end() :].strip(), 1)
    for fraction, share in _FRACTIONS.items():
        if fraction in words.split() and set(words.split()) <= {"a", "an", "half", "quarter"}:
            return share
    total = current = 0.0
    for word in re.findall(r"[a-z]+", words):
        if word in ("a", "an"):
            current = current or 1.0 if word == words.strip() else current
        elif word in _SMALL:
            current += _SMALL[word]
        elif word in _GROUPS:
            current = (current or 1) * _GROUPS[word]
            if _GROUPS[word] >= 1000:
                total, current = total + current, 0.0
    return total + current
