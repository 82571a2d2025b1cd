"""Whole numbers below a hundred in English words: ``seven``, ``twenty-one``."""

from __future__ import annotations

__all__ = ["NUMBER_WORDS", "number_of_words"]

_BELOW_TWENTY = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_DIGITS = {
    **{word: str(number) for number, word in enumerate(_BELOW_TWENTY)},
    **{word: str(10 * number) for number, word in enumerate(_TENS, 2)},
    **{
        f"{tens} {ones}": f"{number}{digit}"
        for number, tens in enumerate(_TENS, 2)
        for digit, ones in enumerate(_BELOW_TWENTY[1:10], 1)
    },
}


NUMBER_WORDS = tuple(word.replace(" ", "-") for word in _DIGITS)
"""All of them, as they are written."""


def number_of_words(text: str) -> str | None:
    """The digits of a number that is written in words, and of nothing else."""
    return _DIGITS.get(text.strip().replace("-", " ").casefold())
