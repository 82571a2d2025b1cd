"""Back through dates, times and durations."""

from __future__ import annotations

import contextlib
import datetime as dt
from typing import Any

from knitbone.fuzzing.solve.inverse.view import Changes, Step, TermView

__all__ = ["STEPS"]


def _whole(value: Any) -> Any:
    """A float without a fraction as an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _parsed_date(view: TermView, value: Any) -> Changes:
    yield 0, value.strftime(view[1])


def _iso(view: TermView, value: Any) -> Changes:
    now = view[0]
    text = value.isoformat()
    yield 0, text[: len(now)] if isinstance(now, str) and len(now) in (10, 16) else text
    yield 0, text


def _date_parts(view: TermView, value: Any) -> Changes:
    names = view.term.names or ("year", "month", "day", "hour", "minute", "second")
    first = len(view) - len(view.term.names)
    for index in range(len(view)):
        name = view.term.names[index - first] if index >= first else names[index]
        if view.is_term(index) and getattr(value, name) != view[index]:
            yield index, getattr(value, name)


def _duration_parts(view: TermView, value: Any) -> Changes:
    names = view.term.names or ("days", "seconds")
    units = {"weeks": 604_800, "days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
    for index, name in enumerate(names):
        if view.is_term(index) and name in units:
            yield index, _whole(value.total_seconds() / units[name])


def _weekday(view: TermView, value: Any) -> Changes:
    for weeks in (0, 1):
        yield 0, view[0] + dt.timedelta(days=value - view.now + 7 * weeks)


def _calendar_week(_: TermView, value: Any) -> Changes:
    for year in (value[0], 2020, 2026, 2032, 2024):
        with contextlib.suppress(ValueError):
            yield 0, dt.date.fromisocalendar(year, value[1], value[2])


def _date_of(view: TermView, value: Any) -> Changes:
    now = view[0]
    yield 0, now.replace(year=value.year, month=value.month, day=value.day)


def _seconds(_: TermView, value: Any) -> Changes:
    yield 0, dt.timedelta(seconds=value)


def _formatted_date(view: TermView, value: Any) -> Changes:
    made = dt.datetime.strptime(value, view[1])  # noqa: DTZ007 - as the tool's own
    yield 0, made.date() if type(view[0]) is dt.date else made


def _shown(view: TermView, value: Any) -> Changes:
    """The date or time of day whose ISO form is a text."""
    yield 0, view[0].fromisoformat(value)  # a class method, which an instance has as well


STEPS: dict[str, Step] = {
    "datetime.datetime.strptime": _parsed_date, "datetime.date.fromisoformat": _iso,
    "datetime.datetime.fromisoformat": _iso, "datetime.time.fromisoformat": _iso,
    "datetime.date": _date_parts, "datetime.datetime": _date_parts,
    "datetime.timedelta": _duration_parts, ".timedelta.total_seconds": _seconds,
    ".datetime.date": _date_of,
    **{
        f".{kind}.{name}": step
        for kind in ("date", "datetime")
        for name, step in {
            "isocalendar": _calendar_week, "weekday": _weekday, "isoweekday": _weekday,
            "strftime": _formatted_date, "isoformat": _shown,
        }.items()
    },
}  # fmt: skip
