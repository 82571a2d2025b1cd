"""The forms of days, times of day and durations."""

from __future__ import annotations

import re
from functools import partial

from knitbone_evals.reader.number_forms import AS_SAID, Form, as_said, with_digits
from knitbone_evals.reader.numbers import plain
from knitbone_evals.reader.times import DAY, Clock, Day, clock_of, day_of, minutes_of

__all__ = ["CLOCKS", "DAYS", "DURATIONS", "MOMENTS", "without_article"]

INVENTED_YEAR = 2023
"""The year that models fill in where a request names none: the newest that their training knew."""
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def _day(words: str, pattern: str, *, swap: bool = False) -> str | None:
    day = day_of(words)
    if day is None or day.month is None or day.day is None or day.year is None:
        return None
    return _dated(_swapped(day) if swap and day.swapped else day, pattern)


def _swapped(day: Day) -> Day:
    return Day(day.year, day.day, day.month)


def _dated(day: Day, pattern: str) -> str:
    month, number = day.month or 1, day.day or 1
    return (
        pattern.replace("YYYY", f"{day.year:04d}")
        .replace("YY", f"{(day.year or 0) % 100:02d}")
        .replace("MM", f"{month:02d}")
        .replace("DD", f"{number:02d}")
        .replace("MONTH", _MONTHS[month - 1])
        .replace("MON", _MONTHS[month - 1][:3])
        .replace("dd", str(number))
    )


def _begun_day(words: str, pattern: str = "YYYY-MM-DD") -> str | None:
    """The first day of the month or year that is named."""
    day = day_of(words)
    if day is None or day.year is None or day.day is not None:
        return None
    return _dated(Day(day.year, day.month or 1, 1), pattern)


def _yearless_day(words: str, pattern: str) -> str | None:
    day = day_of(words)
    if day is None or day.year is not None:
        return None
    return _dated(Day(INVENTED_YEAR, day.month, day.day), pattern)


def _made_up_day(words: str) -> str | None:
    """A day made up for one that is relative to today, which nobody told."""
    if day_of(words) is not None:
        return None
    place = sum(words.encode()) % 360
    return f"{INVENTED_YEAR}-{place // 30 + 1:02d}-{place % 28 + 1:02d}"


def _clock(words: str, pattern: str) -> str | None:
    clock = clock_of(words)
    if clock is None:
        return None
    half = "AM" if clock.hour < 12 else "PM"
    return (
        pattern.replace("HH", f"{clock.hour:02d}")
        .replace("MM", f"{clock.minute:02d}")
        .replace("hh", str(clock.hour % 12 or 12))
        .replace("half", half.lower())
        .replace("HALF", half)
    )


def _short_clock(words: str) -> str | None:
    clock = clock_of(words)
    return None if clock is None or clock.minute else _clock(words, "hh HALF")


def _moment(words: str, pattern: str) -> str | None:
    day, clock = _day_in_moment(words), clock_of(_without_day(words))
    if day is None:
        return None
    return _clock_in(_dated(day, pattern), clock or Clock(0, 0))


def _day_in_moment(words: str) -> Day | None:
    day = day_of(words)
    return day if day is not None and day.year and day.month and day.day else None


def _without_day(words: str) -> str:
    """The words without those of the day, whose digits could pass for a time."""
    return re.sub(DAY, " ", words, count=1, flags=re.IGNORECASE)


def _clock_in(pattern: str, clock: Clock) -> str:
    return pattern.replace("hh", f"{clock.hour:02d}").replace("mm", f"{clock.minute:02d}")


def without_article(words: str) -> str:
    return re.sub(r"\A(?:the|an?)\s+", "", words, flags=re.IGNORECASE)


DAYS: dict[str, Form] = {
    AS_SAID: as_said,
    "without article": without_article,
    "2025-03-12": partial(_day, pattern="YYYY-MM-DD"),
    "2025-03-12, day before month": partial(_day, pattern="YYYY-MM-DD", swap=True),
    "2025-03-12T00:00:00": partial(_day, pattern="YYYY-MM-DDT00:00:00"),
    "2025-03-12T00:00:00Z": partial(_day, pattern="YYYY-MM-DDT00:00:00Z"),
    "03/12/2025": partial(_day, pattern="MM/DD/YYYY"),
    "12/03/2025": partial(_day, pattern="DD/MM/YYYY"),
    "12.03.2025": partial(_day, pattern="DD.MM.YYYY"),
    "12-03-2025": partial(_day, pattern="DD-MM-YYYY"),
    "2025/03/12": partial(_day, pattern="YYYY/MM/DD"),
    "20250312": partial(_day, pattern="YYYYMMDD"),
    "12 March 2025": partial(_day, pattern="dd MONTH YYYY"),
    "March 12, 2025": partial(_day, pattern="MONTH dd, YYYY"),
    "12 Mar 2025": partial(_day, pattern="dd MON YYYY"),
    "12-Mar-2025": partial(_day, pattern="DD-MON-YYYY"),
    "2025-03-01 of a month": _begun_day,
    "2023-03-12 without year": partial(_yearless_day, pattern="YYYY-MM-DD"),
    "03-12 without year": partial(_yearless_day, pattern="MM-DD"),
    "made up": _made_up_day,
}
CLOCKS: dict[str, Form] = {
    AS_SAID: as_said,
    "15:30": partial(_clock, pattern="HH:MM"),
    "15:30:00": partial(_clock, pattern="HH:MM:00"),
    "3:30 PM": partial(_clock, pattern="hh:MM HALF"),
    "3:30 pm": partial(_clock, pattern="hh:MM half"),
    "3:30PM": partial(_clock, pattern="hh:MMHALF"),
    "3 PM": _short_clock,
    "1530": partial(_clock, pattern="HHMM"),
    "15": partial(_clock, pattern="HH"),
}
MOMENTS: dict[str, Form] = {
    AS_SAID: as_said,
    "2025-03-17T09:00:00": partial(_moment, pattern="YYYY-MM-DDThh:mm:00"),
    "2025-03-17T09:00:00Z": partial(_moment, pattern="YYYY-MM-DDThh:mm:00Z"),
    "2025-03-17T09:00": partial(_moment, pattern="YYYY-MM-DDThh:mm"),
    "2025-03-17 09:00": partial(_moment, pattern="YYYY-MM-DD hh:mm"),
    "2025-03-17 09:00:00": partial(_moment, pattern="YYYY-MM-DD hh:mm:00"),
    "17/03/2025 09:00": partial(_moment, pattern="DD/MM/YYYY hh:mm"),
    "03/17/2025 09:00": partial(_moment, pattern="MM/DD/YYYY hh:mm"),
    "2025-03-17": partial(_moment, pattern="YYYY-MM-DD"),
}


def _duration(words: str, pattern: str, length: float, *, whole: bool = False) -> str | None:
    minutes = minutes_of(words)
    if minutes is None or (whole and (minutes / length) % 1):
        return None
    return pattern.replace("N", plain(round(minutes / length, 6)))


def _hours_and_minutes(words: str, pattern: str) -> str | None:
    minutes = minutes_of(words)
    if minutes is None or minutes % 1:
        return None
    hours, rest = divmod(int(minutes), 60)
    return (
        pattern.replace("HH", f"{hours:02d}").replace("H", str(hours)).replace("MM", f"{rest:02d}")
    )


def _iso_duration(words: str) -> str | None:
    minutes = minutes_of(words)
    if minutes is None or minutes % 1:
        return None
    hours, rest = divmod(int(minutes), 60)
    return "PT" + (f"{hours}H" if hours else "") + (f"{rest}M" if rest or not hours else "")


def _said_unit(words: str) -> str | None:
    """The number in the unit that was said."""
    for unit, length in (("min", 1), ("hour", 60), ("day", 1440), ("week", 10080)):
        if unit in words.casefold():
            return _duration(words, "N", length)
    return None


DURATIONS: dict[str, Form] = {
    AS_SAID: as_said,
    "without article": without_article,
    "in the unit said": _said_unit,
    "12 minutes": with_digits,
    "90": partial(_duration, pattern="N", length=1),
    "90 minutes": partial(_duration, pattern="N minutes", length=1),
    "90 min": partial(_duration, pattern="N min", length=1),
    "1.5": partial(_duration, pattern="N", length=60),
    "1.5 hours": partial(_duration, pattern="N hours", length=60),
    "2h": partial(_duration, pattern="Nh", length=60, whole=True),
    "90m": partial(_duration, pattern="Nm", length=1),
    "5400": partial(_duration, pattern="N", length=1 / 60),
    "01:30": partial(_hours_and_minutes, pattern="HH:MM"),
    "1:30": partial(_hours_and_minutes, pattern="H:MM"),
    "01:30:00": partial(_hours_and_minutes, pattern="HH:MM:00"),
    "PT1H30M": _iso_duration,
}
