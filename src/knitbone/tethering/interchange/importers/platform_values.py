"""What records of observability platforms share: where they stand, fields, identifiers, times."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from knitbone.errors import InputFormatError
from knitbone.record.events import Json
from knitbone.tethering.interchange.untrusted_json import JsonPlace, as_text, describe
from knitbone.wire.fields import object_of

__all__ = ["field", "identifier", "listed", "optional_text", "time_ns"]

_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?\s*(Z|[+-]\d\d:?\d\d)?"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SCALES = ((10**17, 1), (10**14, 10**3), (10**11, 10**6), (0, 10**9))
"""From which number on a time since 1970 is in nanoseconds, microseconds, milliseconds, seconds:
each unit's number of the year 1973 is the next one's of the year 5138."""


def listed(value: Json, *wrappers: str) -> list[tuple[Json, str]]:
    """The records of a file, each with where it stands: one, a list, or such as hold them in a
    list under one of these names (pages of an API)."""
    if not isinstance(value, list):
        return _held(value, wrappers, "")
    items = enumerate(cast("list[Any]", value))
    return [record for n, item in items for record in _held(item, wrappers, f"[{n}]")]


def _held(value: Json, wrappers: tuple[str, ...], at: str) -> list[tuple[Json, str]]:
    body = object_of(value)
    name = next((name for name in wrappers if isinstance(body.get(name), list)), None)
    if name is None:
        return [(value, at)]
    inner = f"{at}.{name}" if at else name
    return [(item, f"{inner}[{n}]") for n, item in enumerate(body[name])]


def field(body: Mapping[str, Any], *names: str) -> Json:
    """The first of these that is there and not null: platforms and their clients differ in case."""
    return next((body[name] for name in names if body.get(name) is not None), None)


def identifier(value: Json, place: JsonPlace) -> str:
    """An identifier, which no record may lack."""
    if isinstance(value, str) and value:
        return value
    raise InputFormatError(
        f"{place}: expected an identifier, found {describe(value)}.",
        next_step="Is the file cut or edited? Export it again.",
    )


def optional_text(value: Json, place: JsonPlace) -> str | None:
    """A text that is not empty, or nothing."""
    return None if value is None else as_text(value, place) or None


def time_ns(value: Json, place: JsonPlace) -> int | None:
    """Nanoseconds since 1970 of a time in ISO 8601 (UTC where no zone is said) or of a number, in
    seconds or thousandths, millionths, billionths of them; ``None`` for null.

    Raises:
        InputFormatError: it is no time.
    """
    if value is None or value == "":
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        scale = next(scale for least, scale in _SCALES if abs(value) >= least)
        return int(value * scale)
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is not None:
        day, clock, fraction, zone = match.groups()
        try:
            when = datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=UTC)
            offset = datetime.strptime((zone or "Z").replace(":", ""), "%z").utcoffset()
            # Whole seconds in integers: a float holds no nanoseconds.
            seconds = (when - _EPOCH - (offset or timedelta(0))) // timedelta(seconds=1)
            return seconds * 10**9 + int((fraction or "0").ljust(9, "0"))
        except (ValueError, OverflowError):
            pass
    raise InputFormatError(
        f"{place}: expected a time, found {describe(value)}.",
        next_step="Times are ISO 8601 (2026-01-01T08:00:00Z) or numbers since 1970.",
    )
