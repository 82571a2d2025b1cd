"""A day, a time of day or both, as models write them, where only one can be meant.

``03/04/2026`` is the third of April or the fourth of March, and is neither; so is everything with
a year of two digits. Months are named in English. A day of the week has to be the right one.

Source: Comfrey §4.3.1 (type conversion where content violates the template).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, time, timedelta, timezone
from typing import NamedTuple

__all__ = ["MAX_MOMENT", "Moment", "is_part_of_moment", "read_moment"]

MAX_MOMENT = 60
"""Characters of a text that is read: ``Wednesday, the 23rd of September 2026 at 10:30:15 AM UTC``
has 59 (ours)."""

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september",
           "october", "november", "december")  # fmt: skip
_HALVES = frozenset({"am", "pm", "a", "p", "m", "t", "z", "utc", "gmt", "st", "nd", "rd", "th"})
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WORD = r"(?P<month>[A-Za-z]{3,9})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?"
_YEAR = r"(?P<year>\d{4})"
_SPELLED = tuple(
    re.compile(pattern, re.ASCII | re.IGNORECASE)
    for pattern in (
        rf"{_YEAR}(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})",
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",
        rf"(?:the )?{_DAY}[ -](?:of )?{_WORD},?[ -]{_YEAR}",
        rf"{_WORD}[ -](?:the )?{_DAY}(?:, ?|[ -]){_YEAR}",
        rf"{_YEAR},?[ -]{_WORD}[ -]{_DAY}",
    )
)
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2{_YEAR}", re.ASCII)
_WEEKDAY = re.compile(r"([A-Za-z]{3,9})(?:\.?,|\.)? (?=\S)")
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,6})0*)?)?)?"
    r"(?: ?(?P<half>[ap])\.?m\b\.?)?"
    r"(?: ?(?P<utc>Z|UTC|GMT)| ?(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d))?",
    re.ASCII | re.IGNORECASE,
)
_BETWEEN = re.compile(r"[Tt]|, ?| at | ")
"""Between the day and the time."""


class Moment(NamedTuple):
    """The moment that a text says; a part that it does not say is ``None``."""

    day: date | None
    time: time | None = None
    """With the offset that the text gives."""
    certain_half: bool = True
    """Whether it is clear in which half of the day the time is."""


def read_moment(text: str) -> Moment | None:
    """The day or the time that a text says and nothing else; ``None`` where it may be another."""
    bare = text.strip()
    if not bare or len(bare) > MAX_MOMENT:
        return None
    if (alone := _time(bare)) is not None:
        return alone
    day = _dated(bare)
    if day is not None:
        return Moment(day)
    found: set[Moment] = set()
    for mark in _BETWEEN.finditer(bare):
        clock = _time(bare[mark.end() :])
        day = _dated(bare[: mark.start()]) if clock is not None else None
        if clock is not None and day is not None:
            found.add(clock._replace(day=day))
    return found.pop() if len(found) == 1 else None


def is_part_of_moment(word: str, days: Sequence[date]) -> bool:
    """Whether a word is how a moment is written: a month, the half of the day, or the right
    weekday of one of some days."""
    if word.casefold() in _HALVES or _named(word, _MONTHS) is not None:
        return True
    weekday = _named(word, _DAYS)
    return weekday is not None and any(day.weekday() == weekday for day in days)


def _dated(text: str) -> date | None:
    """The day, with or without the name of its weekday in front."""
    weekday = _WEEKDAY.match(text)
    number = _named(weekday[1], _DAYS) if weekday else None
    if weekday is None or number is None:
        return _date(text)
    day = _date(text[weekday.end() :])
    return day if day is not None and day.weekday() == number else None


def _date(text: str) -> date | None:
    for pattern in _SPELLED:
        if match := pattern.fullmatch(text):
            month = match["month"]
            named = None if month.isdigit() else _named(month, _MONTHS)
            number = int(month) if month.isdigit() else -1 if named is None else named + 1
            return _day(int(match["year"]), number, int(match["day"]))
    match = _YEAR_LAST.fullmatch(text)
    if match is None:
        return None
    first, second, year = int(match[1]), int(match[3]), int(match["year"])
    days = {_day(year, second, first), _day(year, first, second)} - {None}
    return days.pop() if len(days) == 1 else None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _named(word: str, names: tuple[str, ...]) -> int | None:
    """Which of the names a word is, or is short for."""
    plain = word.casefold()
    fitting = [n for n, name in enumerate(names) if name == plain or plain in _short(name)]
    return fitting[0] if len(fitting) == 1 else None


def _short(name: str) -> tuple[str, ...]:
    longer = {"september": ("sept",), "tuesday": ("tues",), "thursday": ("thur", "thurs")}
    return (name[:3], *longer.get(name, ()))


def _time(text: str) -> Moment | None:
    match = _TIME.fullmatch(text)
    if match is None or not (match["minute"] or match["half"]):
        return None
    hour, half = int(match["hour"]), match["half"]
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "pP" else 0)
    fraction = (match["fraction"] or "").ljust(6, "0")
    try:
        clock = time(hour, int(match["minute"] or 0), int(match["second"] or 0), int(fraction),
                     tzinfo=_zone(match))  # fmt: skip
    except ValueError:
        return None
    return Moment(None, clock, bool(half) or hour == 0 or hour > 12)


def _zone(match: re.Match[str]) -> timezone | None:
    """The zone that a time names, if it names one.

    Raises:
        ValueError: no zone has that offset.
    """
    if match["utc"]:
        return UTC
    if not match["sign"]:
        return None
    offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"]))
    if offset > timedelta(hours=14) or int(match["minutes"]) > 59:
        raise ValueError(f"no zone is {offset} from UTC")
    return timezone(-offset if match["sign"] == "-" else offset)
