"""The values in a text, told by how they are written: dates, times, codes, numbers, words."""

# ruff: noqa: RUF001 - the minus signs, dashes and apostrophes that models write
from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias, cast

from knitbone.common.number_words import number_of_words

__all__ = ["Kind", "WrittenValue", "find_values"]

Kind: TypeAlias = Literal["date", "time", "code", "number", "word"]

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_VALUE = re.compile(
    r"(?P<date>(?<![\w.])(?:\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH},? \d{{4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})(?![\w/]|[-.]\d))"
    r"|(?P<time>(?<![\w.:])(?:\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.?m\b\.?)"
    r"(?![\w:]))"
    r"|(?P<code>(?<![\w-])(?:[A-Za-z]+(?=[\w-]*\d)(?:[-_]?[A-Za-z0-9]+)*"
    r"|(?-i:[A-Z]+(?:[-_][A-Z0-9]+)+))(?![\w-]))"
    r"|(?P<number>(?<![\w.,])(?:(?<![\w)])[-+−](?=\d))?"
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?![.,]?\d))"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


class WrittenValue(NamedTuple):
    """A value, how it is written, and where it stands."""

    kind: Kind
    text: str
    start: int
    end: int


def find_values(text: str) -> list[WrittenValue] | None:
    """Return the values of a text in their order; ``None`` where a digit belongs to none."""
    found: list[WrittenValue] = []
    end = 0
    for match in _VALUE.finditer(text):
        if _DIGIT.search(text, end, match.start()):
            return None
        end = match.end()
        kind = cast("Kind", match.lastgroup)
        if kind == "word" and number_of_words(match.group()) is not None:
            kind = "number"
        found.append(WrittenValue(kind, match.group(), match.start(), end))
    return None if _DIGIT.search(text, end) else found
