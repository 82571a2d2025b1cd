"""Days, times of day and durations in requests."""

from __future__ import annotations

import re
from typing import NamedTuple

from knitbone_evals.reader.numbers import number_at

__all__ = ["CLOCK", "DAY", "DURATION", "Clock", "Day", "clock_of", "day_of", "minutes_of"]

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*(?:\.(?=\s*\d))?"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DMY = re.compile(
    rf"(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH})\b(?:,?\s+(\d{{4}}))?",
    re.IGNORECASE,
)
_MDY = re.compile(
    rf"({_MONTH})\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}}))?", re.IGNORECASE
)
_MY = re.compile(rf"({_MONTH})\s+(\d{{4}})", re.IGNORECASE)
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_NUMERIC = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)")
_RELATIVE = (
    r"the day after tomorrow|today|tomorrow|yesterday|tonight"
    rf"|(?:(?:next|this|last|coming)\s+)?{_WEEKDAY}s?|(?:next|this|last)\s+(?:week|month|year|weekend)"
)
_YEAR = re.compile(r"(?:the (?:start|beginning) of\s+)?((?:19|20)\d\d)", re.IGNORECASE)
_DAY_WORD = r"(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?"
DAY = (
    r"\d{4}-\d{1,2}-\d{1,2}(?!\d)|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})(?!\d)"
    rf"|{_DAY_WORD}\s+(?:of\s+)?\b{_MONTH}(?:,?\s+\d{{4}})?(?!\w)"
    rf"|\b{_MONTH}\s+\d{{4}}\b|\b{_MONTH}\s+{_DAY_WORD}\b(?:,?\s+\d{{4}})?"
    rf"|\b(?:{_RELATIVE})\b"
)
"""An expression for a day in a text; case is ignored."""

_HALF = r"(?:\s*([ap])\.?m\b\.?)"
_TWELVE = re.compile(rf"(\d{{1,2}})(?:[:.](\d\d))?(?::\d\d)?{_HALF}", re.IGNORECASE)
_TWENTY_FOUR = re.compile(r"(\d{1,2})[:.](\d\d)(?::\d\d)?(?!\d)")
_HOUR_MARK = re.compile(r"(\d{1,2})\s?h\b(?!\w)")
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d{1,2}"
_SPOKEN = re.compile(
    rf"(?:(half|a?\s*quarter)\s+(past|to)\s+)({_NUMBERS})|({_NUMBERS})\s+o'clock|\b(noon|midnight)\b",
    re.IGNORECASE,
)
_BARE_HOUR = re.compile(rf"({_NUMBERS})(?=\s+in the\s)", re.IGNORECASE)
_PART = re.compile(r"in the (morning|afternoon|evening)|at night", re.IGNORECASE)
_TAIL = r"(?:\s+in the (?:morning|afternoon|evening))?"
CLOCK = (
    rf"(?:\d{{1,2}}(?:[:.]\d\d)?(?::\d\d)?\s*(?:[ap]m\b|[ap]\.m\.)|\d{{1,2}}:\d\d(?::\d\d)?(?!\d)"
    rf"|(?:half|a?\s*quarter)\s+(?:past|to)\s+(?:{_NUMBERS})\b|(?:{_NUMBERS})\s+o'clock"
    r"|\b(?:noon|midnight)\b|\b\d{1,2}h\b"
    rf"|(?:{_NUMBERS})(?=\s+in the (?:morning|afternoon|evening))){_TAIL}"
)
"""An expression for a time of day in a text; case is ignored."""

_LENGTHS = {"min": 1.0, "hour": 60.0, "hr": 60.0, "h": 60.0, "day": 1440.0, "week": 10080.0,
            "sec": 1 / 60}  # fmt: skip
_LENGTH_UNIT = r"(?:minutes?|mins?|min|hours?|hrs?|h|days?|weeks?|seconds?|secs?)\b"
DURATION = _LENGTH_UNIT
_HM = re.compile(r"(\d+)\s?h\s?(\d{1,2})\b", re.IGNORECASE)


class Day(NamedTuple):
    """A day, or the month or year that a text names; what it does not say is ``None``."""

    year: int | None
    month: int | None = None
    day: int | None = None
    swapped: bool = False
    """Whether day and month may as well be the other way round."""


class Clock(NamedTuple):
    """A time of day."""

    hour: int
    minute: int


def day_of(words: str) -> Day | None:
    """The day that stands in a text; ``None`` for one that is relative to another."""
    if found := _ISO.search(words):
        return Day(int(found[1]), int(found[2]), int(found[3]))
    if found := _NUMERIC.search(words):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        year += 2000 if year < 50 else 1900 if year < 100 else 0
        if first > 12:
            return Day(year, second, first)
        if second > 12:
            return Day(year, first, second)
        # As an American reads it: what small models do is a form of its own.
        return Day(year, first, second, swapped=True)
    if found := _DMY.search(words):
        return Day(int(found[3]) if found[3] else None, _month(found[2]), int(found[1]))
    # A month and a year before a month and a day: "January 2024" is no 20th of January.
    if found := _MY.search(words):
        return Day(int(found[2]), _month(found[1]))
    if found := _MDY.search(words):
        return Day(int(found[3]) if found[3] else None, _month(found[1]), int(found[2]))
    if found := _YEAR.search(words):
        return Day(int(found[1]))
    return None


def clock_of(words: str) -> Clock | None:
    """The time of day that stands in a text."""
    clock = _clock(words)
    part = _PART.search(words)
    if clock and part and part[1] in ("afternoon", "evening") and clock.hour < 12:
        return Clock(clock.hour + 12, clock.minute)
    return clock


def _clock(words: str) -> Clock | None:
    if found := _TWELVE.search(words):
        return _of_half(int(found[1]), int(found[2] or 0), found[3].casefold())
    if found := _TWENTY_FOUR.search(words):
        return Clock(int(found[1]) % 24, int(found[2]))
    if found := _HOUR_MARK.search(words):
        return Clock(int(found[1]) % 24, 0)
    if found := _SPOKEN.search(words):
        if found[5]:
            return Clock(12 if found[5].casefold() == "noon" else 0, 0)
        hour = _hour(found[3] or found[4])
        share = 30 if (found[1] or "").casefold() == "half" else 15 if found[1] else 0
        if (found[2] or "").casefold() == "to":
            return Clock((hour - 1) % 24, 60 - share)
        return Clock(hour, share)
    if found := _BARE_HOUR.search(words) or re.fullmatch(
        rf"({_NUMBERS})", words.strip(), re.IGNORECASE
    ):
        return Clock(_hour(found[1]) % 24, 0)
    return None


def minutes_of(words: str) -> float | None:
    """The length of a duration in minutes."""
    bare = words.casefold().strip()
    if found := _HM.fullmatch(bare):
        return 60.0 * int(found[1]) + int(found[2])
    total, place = 0.0, 0
    while place < len(bare):
        number = number_at(bare, place)
        if number is None:
            place += 1
            continue
        unit = re.match(r"[\s-]*(?:an?\s+)?([a-z]+)", bare[number.end :])
        key = next((k for k in ("min", "sec", "hour", "hr", "day", "week") if unit
                    and unit[1].startswith(k)), None)  # fmt: skip
        if key is None and unit and unit[1] == "h":
            key = "h"
        if key is None:
            place = number.end
            continue
        assert unit is not None
        total += number.value * _LENGTHS[key]
        place = number.end + unit.end()
        half = re.match(r"\s+and\s+a\s+(half|quarter)\b", bare[place:])
        if half:
            total += _LENGTHS[key] * (0.5 if half[1] == "half" else 0.25)
            place += half.end()
    return total or None


def _month(word: str) -> int:
    return next(
        n for n, name in enumerate(_MONTHS, start=1) if name.startswith(word[:3].casefold())
    )


def _of_half(hour: int, minute: int, half: str) -> Clock:
    return Clock(hour % 12 + (12 if half == "p" else 0), minute)


def _hour(word: str) -> int:
    names = [
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
    ]
    return int(word) if word.isdigit() else names.index(word.casefold())
