"""Tools about dates, durations and schedules."""

import re
from datetime import date, datetime, timedelta
from typing import Literal

_OPENING = {"monday": "9-17", "wednesday": "9-19", "friday": "9-13", "saturday": "10-13"}
_MENUS = tuple(f"menu {number % 13 + 1}" for number in range(52))
_FIRST_DAY = date(2024, 1, 1)
_WALK_KM = 14


def _parse_day(text: str) -> date:
    match = re.fullmatch("([0-9]{4})-([0-9]{2})-([0-9]{2})", text)
    if match is None:
        raise ValueError(f"not a day: {text!r}")
    return _existing(*(int(part) for part in match.groups()))


def _existing(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except (ValueError, OverflowError):
        raise ValueError("there is no such day") from None


def anniversary(day: str, year: int) -> str:
    """Give the weekday of an anniversary.

    Args:
        day: The day itself, written 2024-05-01.
        year: Year of the anniversary, 1 to 9999.

    Raises:
        ValueError: There is no such day, it is written in another way, or the year is out of range.
    """
    first = _parse_day(day)
    if not 1 <= year <= 9999:
        raise ValueError("year from 1 to 9999")
    return _weekday(first, year)


def _weekday(first: date, year: int) -> str:
    return f"{first.replace(year=year):%A}"


def menu_of(day: str) -> str:
    """Name the menu that the canteen serves in the week of a day; there is one for each week.

    Args:
        day: Any day, written 2024-05-01.

    Raises:
        ValueError: There is no such day, or it is written in another way.
    """
    week = _parse_day(day).isocalendar()[1]
    return _MENUS[week - 1]


def days_in_month(month: str) -> int:
    """Count the days of a month.

    Args:
        month: Year and month.
    """
    first = datetime.strptime(month, "%m/%Y").date()  # noqa: DTZ007
    following = first.replace(day=28) + timedelta(days=4)
    return (following - timedelta(days=following.day)).day


def opening_hours(weekday: str) -> str:
    """Tell the opening hours of the office.

    Args:
        weekday: Day of the week in English, in any case.
    """
    return _OPENING[weekday.strip().lower()]


def duty_rota(first_day: int, last_day: int, people: list[str]) -> list[str]:
    """Assign one person of the staff to each day of a period in a month.

    Args:
        first_day: First day of the period, from 1.
        last_day: Last day, not before the first one, up to 31.
        people: Names of the staff in the order of their duties.

    Raises:
        ValueError: The days lie outside of 1 to 31, or in the wrong order.
    """
    if not 1 <= first_day <= last_day <= 31:
        raise ValueError("days from 1 to 31, the first one before the last")
    return [f"{day}: {people[day - first_day]}" for day in range(first_day, last_day + 1)]


def due_date(days: int) -> str:
    """Compute when a loan that begins on 1 January 2024 is due.

    Args:
        days: Number of days that it lasts.
    """
    return (_FIRST_DAY + timedelta(days=days)).isoformat()


def runs_per_hour(expression: str) -> int:
    """Count how often a job runs within each hour that it runs in.

    Args:
        expression: Minute, hour and day of the week, separated by single spaces. Each is "*", a
            whole number (minute up to 59, hour up to 23, day of the week up to 6), or "*/" and a
            whole number of at most two digits.

    Raises:
        ValueError: The expression is written in another way.
    """
    fields = expression.split(" ")
    if len(fields) != 3:
        raise ValueError("an expression has three fields")
    for field, highest in zip(fields, (59, 23, 6), strict=True):
        match = re.fullmatch(r"\*|\*/([0-9]{1,2})|([0-9]{1,2})", field)
        if match is None or int(match.group(2) or 0) > highest:
            raise ValueError(f"not a field: {field[:20]!r}")
    minute = fields[0]
    if minute.startswith("*/"):
        return 60 // int(minute[2:])
    return 60 if minute == "*" else 1


def walking_pace(duration: str) -> str:
    """Tell the pace of the round walk of 14 km.

    Args:
        duration: Time taken, as an ISO 8601 duration of hours and minutes: "PT", one or two digits
            and H, one or two digits and M, as in "PT3H30M".

    Raises:
        ValueError: The duration is written in another way.
    """
    match = re.fullmatch("PT([0-9]{1,2})H([0-9]{1,2})M", duration)
    if match is None:
        raise ValueError(f"not a duration: {duration!r}")
    minutes = int(match.group(1)) * 60 + int(match.group(2))
    return f"{_WALK_KM * 60 / minutes:.1f} km/h"


def deadline(day: str, unit: Literal["days", "weeks", "quarters"], count: int) -> str:
    """Compute a deadline.

    Args:
        day: Day on which the period begins, written 2024-05-01, of the years 1 to 9900.
        unit: Unit of the period.
        count: Number of units, 0 to 100.

    Raises:
        ValueError: There is no such day, it is written in another way, or a number is out of range.
    """
    begin = _parse_day(day)
    if begin.year > 9900 or not 0 <= count <= 100:
        raise ValueError("years up to 9900, 0 to 100 units")
    days = {"days": 1, "weeks": 7}
    return (begin + timedelta(days=days[unit] * count)).isoformat()


def weekday_of(year: int, month: int, day: int) -> str:
    """Name the weekday of a date of the years 1 to 9999.

    Raises:
        ValueError: There is no such date.
    """
    return f"{_existing(year, month, day):%A}"


def working_days(first: str, last: str) -> int:
    """Count the days from Monday to Friday between two days, both included; 0 if reversed.

    Args:
        first: First day, written 2024-05-01.
        last: Last day, written 2024-05-31.

    Raises:
        ValueError: There is no such day, or it is written in another way.
    """
    begin, end = _parse_day(first), _parse_day(last)
    weeks, rest = divmod(max((end - begin).days + 1, 0), 7)
    return weeks * 5 + sum((begin.weekday() + day) % 7 < 5 for day in range(rest))
