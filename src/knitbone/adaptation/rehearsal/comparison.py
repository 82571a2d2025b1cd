"""What the code made of an answer, and what it would make of the repaired one.

The rule: what the application reads without an exception, an empty result or a lost record, adapt
does not change. A repair may fill what was empty, add records, and put the place of a default what
the code finds; what it had read it may not change.
"""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from knitbone.adaptation.rehearsal.machine import Ending, Opaque, is_nothing

__all__ = ["Reading", "keeps_what_was_read"]

_NONE = object()
_MAX_ITEMS = 5_000
"""Items that are compared (ours)."""


class Reading(NamedTuple):
    """Endings of three rehearsals, and what of their difference is allowed."""

    plain: Ending
    """Of the answer."""
    mended: Ending
    """Of the repaired answer."""
    nothing: Ending | None
    """Of a text that no code reads: what stands there, too, was not read from the answer."""
    defaults: bool
    """Whether a repair may take the place of a default."""
    parts: bool
    """Whether a repair may leave a part of a text that the code had read whole."""
    answer: str
    repaired: str


def keeps_what_was_read(reading: Reading) -> bool:
    """Whether the repair changes nothing that the code had read from the answer."""
    plain, mended = reading.plain, reading.mended
    if plain.kind != "returned" or plain.is_empty:
        return True
    if mended.kind != "returned":
        return False
    nothing = reading.nothing
    known = nothing is not None and nothing.kind == "returned"
    default = nothing.value if nothing is not None and known else _NONE
    if not _kept(plain.value, mended.value, default, reading):
        return False
    effects = nothing.effects if nothing is not None and known else ()
    return _kept(plain.effects, mended.effects, effects, reading)


def is_same(one: Any, other: Any) -> bool:
    """Whether two values say the same."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, Opaque):
        return True
    fields = _fields(one)
    if fields is not None:
        beside = _fields(other)
        return beside is not None and is_same(fields, beside)
    if isinstance(one, dict):
        return list(one) == list(other) and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, BaseException):
        return str(one) == str(other)
    return bool(one == other)


def _fields(value: Any) -> dict[str, Any] | None:
    """What an object of a class of the application holds."""
    if isinstance(value, enum.Enum | type) or callable(value):
        return None
    if dataclasses.is_dataclass(value):
        return {f.name: getattr(value, f.name, None) for f in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(cast("Any", value)._fields, value, strict=True))
    if type(value).__module__ in ("builtins", "datetime", "decimal", "collections", "fractions"):
        return None
    return dict(vars(value)) if hasattr(value, "__dict__") else None


def _kept(one: Any, other: Any, default: Any, reading: Reading) -> bool:
    if is_same(one, other) or is_nothing(one):
        return True
    if isinstance(one, str) and one == reading.answer and other == reading.repaired:
        return True  # the answer itself, which the code hands on
    if default is not _NONE and is_same(one, default):
        return reading.defaults
    if type(one) is not type(other):
        return False
    if isinstance(one, str):
        return reading.parts and bool(other.strip()) and other in one
    if (fields := _fields(one)) is not None:
        return _kept_entries(fields, _fields(other) or {}, _fields(default), reading)
    if isinstance(one, dict):
        return _kept_entries(one, other, default if isinstance(default, dict) else None, reading)
    if isinstance(one, list | tuple):
        return _kept_items(one, other, default, reading)
    return False


def _kept_entries(
    one: dict[Any, Any], other: dict[Any, Any], default: dict[Any, Any] | None, reading: Reading
) -> bool:
    if [key for key in other if key in one] != list(one):
        return False
    known = default or {}
    return all(
        _kept(value, other[key], known.get(key, _NONE), reading) for key, value in one.items()
    )


def _kept_items(one: Sequence[Any], other: Sequence[Any], default: Any, reading: Reading) -> bool:
    if len(one) > len(other) or len(other) > _MAX_ITEMS:
        return False
    beside = default if type(default) is type(one) else ()
    if len(one) == len(other):
        defaults = beside if len(beside) == len(one) else (_NONE,) * len(one)
        triples = zip(one, other, defaults, strict=True)
        return all(_kept(*each, reading) for each in triples)
    left = iter(other)
    return all(any(_kept(item, found, _NONE, reading) for found in left) for item in one)
