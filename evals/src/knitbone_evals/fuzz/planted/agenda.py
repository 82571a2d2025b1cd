"""Calendar tools of the office assistant."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_DURATION = re.compile(r"(?:([0-9]{1,2})h)?(?:([0-9]{1,3})m)?")


def _day(text: str, name: str) -> date:
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"{name} must be a date such as 2024-05-31, not {text!r}") from None
    if not 2000 <= day.year <= 2100:
        raise ValueError(f"{name} must lie between 2000 and 2100")
    return day


def _minutes(clock: str) -> int:
    match = _CLOCK.fullmatch(clock.strip())
    if match is None:
        raise ValueError(f"{clock!r} is not a time such as 09:30")
    return int(match[1]) * 60 + int(match[2])


def _clock(minutes: int) -> str:
    hours, rest = divmod(minutes % 1440, 60)
    return f"{hours:02}:{rest:02}"


def next_occurrence(start: str, every_months: int, after: str) -> str:
    """Find the next date of an appointment that repeats every so many months.

    Args:
        start: First date of the series, as YYYY-MM-DD.
        every_months: Months between two dates of the series, 1 to 24.
        after: The date after which to look, as YYYY-MM-DD.

    Returns:
        The first date of the series later than `after`, as YYYY-MM-DD.

    Raises:
        ValueError: If `start` or `after` is not a date from 2000 to 2100, or `every_months` is
            not between 1 and 24.
    """
    first = _day(start, "start")
    limit = _day(after, "after")
    if not 1 <= every_months <= 24:
        raise ValueError("every_months must be between 1 and 24")
    current = first
    passed = 0
    while current <= limit:
        passed += every_months
        years, month = divmod(first.month - 1 + passed, 12)
        current = date(first.year + years, month + 1, first.day)
    return current.isoformat()


def end_time(start: str, duration: str) -> str:
    """Say when a meeting ends.

    Args:
        start: Time at which it begins, on the 24-hour clock, e.g. "14:30".
        duration: How long it takes, e.g. "45m", "2h" or "1h 15m".

    Returns:
        The time at which it ends, e.g. "15:45".
    """
    begin = _minutes(start)
    hours, minutes = _DURATION.fullmatch(duration.strip()).groups()
    return _clock(begin + int(hours or 0) * 60 + int(minutes or 0))


def free_slots(busy: list[str], day_start: str = "09:00", day_end: str = "17:00") -> list[str]:
    """List the free slots of a working day.

    Args:
        busy: Times that are taken, each like "10:00-11:30", in any order.
        day_start: Begin of the working day.
        day_end: End of the working day.

    Returns:
        The gaps between the taken times, each like "09:00-10:00"; empty if there is none.

    Raises:
        ValueError: If a time cannot be read, or an end lies before its begin.
    """
    opening, closing = _minutes(day_start), _minutes(day_end)
    if closing < opening:
        raise ValueError("day_end lies before day_start")
    taken = []
    for entry in busy:
        begin, dash, end = entry.partition("-")
        if not dash:
            raise ValueError(f"{entry!r} is not a span such as 10:00-11:30")
        span = (_minutes(begin), _minutes(end))
        if span[1] < span[0]:
            raise ValueError(f"{entry!r} ends before it begins")
        taken.append(span)
    slots = []
    position = opening
    for begin_at, end_at in sorted(taken):
        if begin_at > position and position < closing:
            slots.append(f"{_clock(position)}-{_clock(min(begin_at, closing))}")
        position = max(position, end_at)
    if position < closing:
        slots.append(f"{_clock(position)}-{_clock(closing)}")
    return slots


def validate_event(event: dict[str, Any]) -> list[str]:
    """Check an event before it is put into the calendar.

    Args:
        event: The event with `title`, `date` (YYYY-MM-DD) and `start` (HH:MM).

    Returns:
        What is wrong with it, one line per problem, e.g. "error: title is missing"; an empty
        list if the event is fine.
    """
    problems = []
    for key in ("title", "date", "start"):
        value = event.get(key)
        if value is None or value == "":
            problems.append(f"error: {key} is missing")
        elif not isinstance(value, str):
            problems.append(f"error: {key} is invalid: text expected, got {type(value).__name__}")
    checks = {"date": lambda text: _day(text, "date"), "start": _minutes}
    for key, check in checks.items():
        value = event.get(key)
        if isinstance(value, str) and value:
            try:
                check(value)
            except ValueError as problem:
                problems.append(f"error: {problem}")
    return problems
