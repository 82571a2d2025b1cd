"""Texts that code makes a date or a time of: what its function reads, and the same day in the
spelling that it reads.

A reading is named as the code says it: a format of ``strptime``, or the function
(``date.fromisoformat``). What it reads is asked of that function itself. Nothing is added that a
text does not say, and nothing left out but a midnight that the code has no place for.

Source: Comfrey §4.3.1 (type conversion where content violates the template).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from knitbone._forks import unforked
from knitbone.common.structured.moments import Moment, read_moment

__all__ = ["FUNCTIONS", "is_reading", "reads", "respelled"]

FUNCTIONS = ("date.fromisoformat", "datetime.fromisoformat", "time.fromisoformat",
             "pydantic.date", "pydantic.datetime", "pydantic.time")  # fmt: skip
"""Readings that are no format; ``pydantic.date``: a field of that type."""
_MAX_TEXT = 200
"""Characters of a text that is put before a function beyond those of the format (ours)."""
_DIRECTIVE = re.compile(r"%(.)", re.DOTALL)
_OF_DAYS = frozenset("YymdbBjaAcxUWGVuw")
_OF_TIMES = frozenset("HIpMSfzZcX")
_YEARS = frozenset("YyGcx")
_MIDNIGHT = time()


def is_reading(reading: str) -> bool:
    """Tell whether a text names a way to read dates. A day without its year is none: Python 3.13
    warns of it and means to change what it reads."""
    used = set(_DIRECTIVE.findall(reading))
    return reading in FUNCTIONS or (bool(used) and not ("d" in used and used.isdisjoint(_YEARS)))


def reads(value: object, reading: str) -> bool:
    """Tell whether the code makes a date of the value; also where its function is not at hand."""
    function = _function(reading)
    return function is None or _made(function, value, reading) is not None


def respelled(text: str, reading: str) -> str | None:
    """The text in a spelling that the code reads as the same day and time; ``None`` where the
    text may mean another one, or says more or less than the code reads."""
    function = _function(reading)
    moment = read_moment(text) if function is not None else None
    if function is None or moment is None:
        return None
    for spelling in _spellings(moment, reading):
        made = _made(function, spelling, reading)
        if made is not None and _is_same(made, moment):
            return spelling
    return None


@lru_cache(maxsize=256)
def _function(reading: str) -> Callable[[Any], object] | None:
    if reading.startswith("pydantic."):
        kind = {"date": date, "datetime": datetime, "time": time}[reading.partition(".")[2]]
        try:
            return importlib.import_module("pydantic").TypeAdapter(kind).validate_python
        except (ImportError, AttributeError):
            return None  # not installed, or its first version
    if reading in FUNCTIONS:
        owner = {"date": date, "datetime": datetime, "time": time}[reading.partition(".")[0]]
        return owner.fromisoformat
    if not is_reading(reading):
        return None

    def read(text: str) -> datetime:
        with unforked:  # it has a lock of its own
            return datetime.strptime(text, reading)  # noqa: DTZ007 - as the code does

    return read


def _made(function: Callable[[Any], object], value: object, reading: str) -> object:
    if isinstance(value, str) and len(value) > _MAX_TEXT + len(reading):
        return None
    try:
        return function(value)
    except (ValueError, TypeError, OverflowError, re.error):
        return None


def _spellings(moment: Moment, reading: str) -> Iterator[str]:
    day, clock = moment.day, moment.time
    if reading not in FUNCTIONS:
        yield from _by_format(moment, reading)
    elif reading in ("time.fromisoformat", "pydantic.time"):
        if day is None and clock is not None:
            yield clock.isoformat()
    elif day is not None:
        dated = reading.endswith("date") or reading == "date.fromisoformat"
        if clock is None or (dated and _is_no_time(clock)):
            yield day.isoformat()
        elif not dated:
            yield datetime.combine(day, clock).isoformat()


def _by_format(moment: Moment, form: str) -> Iterator[str]:
    """The moment in a format of ``strptime`` that has a place for all of it and nothing else."""
    used = set(_DIRECTIVE.findall(form))
    day, clock = moment.day, moment.time
    if used & {"Z", "c", "x", "X"} or (day is None) is not used.isdisjoint(_OF_DAYS):
        return
    if day is not None and (used.isdisjoint("Yy") or used.isdisjoint("dj")):
        return
    if clock is None and used & _OF_TIMES:
        return
    if "I" in used and not moment.certain_half:
        return
    if clock is not None and not used & _OF_TIMES:
        if not _is_no_time(clock):
            return
        clock = None
    if not _zone_fits(clock, form, used):
        return
    written = datetime.combine(day or date(1900, 1, 1), clock or _MIDNIGHT)
    try:
        yield written.strftime(form)
    except ValueError:
        return


def _zone_fits(clock: time | None, form: str, used: set[str]) -> bool:
    """Tell whether the format says the offset that the text gives, or neither says any."""
    literal = re.search(r"Z|UTC|GMT", _DIRECTIVE.sub(" ", form)) is not None
    if clock is None or clock.tzinfo is None:
        return not literal and "z" not in used
    return "z" in used or (literal and clock.utcoffset() == timedelta())


def _is_no_time(clock: time) -> bool:
    """Midnight, as programs write a day for which there is no time."""
    return clock.replace(tzinfo=None) == _MIDNIGHT and clock.tzinfo in (None, UTC)


def _is_same(made: object, moment: Moment) -> bool:
    """Tell whether the code gets the day and the time that the text says."""
    clock = moment.time or _MIDNIGHT
    if isinstance(made, time):
        return made == clock and made.utcoffset() == clock.utcoffset()
    if isinstance(made, datetime):
        same = made.time() == clock.replace(tzinfo=None)
        zoned = made.utcoffset() in (None, clock.utcoffset())
        return same and zoned and (moment.day is None or made.date() == moment.day)
    return isinstance(made, date) and made == moment.day
