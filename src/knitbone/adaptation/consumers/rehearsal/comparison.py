"""The comparison of what the code made of an answer with what it would make of the repaired one.

The rule: what the application reads without an exception, an empty result or a lost record, adapt
does not change. A repair may fill what was empty, add records, and replace a default by what the
code finds; it may not change what was read.
"""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from knitbone.adaptation.consumers.rehearsal.machine import Ending, Opaque, is_nothing

__all__ = ["RehearsedEndings", "fields_of", "is_same", "keeps_what_was_read", "reads_alike"]

_NONE = object()
_MAX_ITEMS = 5_000
"""Items that are compared (ours)."""


class RehearsedEndings(NamedTuple):
    """The ends of three rehearsals, and which differences between them are allowed."""

    plain: Ending
    """The end on the answer."""
    mended: Ending
    """The end on the repaired answer."""
    nothing: Ending | None
    """The end on a text that no code reads: a value that it has as well was not read from the
    answer."""
    defaults: bool
    """Whether a repair may take the place of a default."""
    interpreted: bool
    """Whether the answer is code for an interpreter, of which a rehearsal sees that it gets it."""
    answer: str
    repaired: str


def keeps_what_was_read(reading: RehearsedEndings) -> bool:
    """Return whether the repair changes nothing that the code had read from the answer.

    Where it fills what was empty, or adds records, what the code derives from them may follow: its
    numbers, a text of which a part goes elsewhere, and what stood there by default.
    """
    plain, mended = reading.plain, reading.mended
    if plain.kind != "returned" or plain.is_empty:
        return True
    if mended.kind != "returned":
        return False
    default: Any = _NONE
    if reading.nothing is not None and reading.nothing.kind == "returned":
        default = (reading.nothing.value, reading.nothing.effects)
    before, after = (plain.value, plain.effects), (mended.value, mended.effects)
    # Where nothing was read at all, the answer may be another one than the code asks for.
    sure = reading.defaults or default is _NONE or not is_same(before, default)
    allowed = _Allowed(reading, grown=sure and _grows(before, after))
    if reading.interpreted:
        return _is_kept(before[0], after[0], _NONE if default is _NONE else default[0], allowed)
    return _is_kept(before, after, default, allowed)


class _Allowed(NamedTuple):
    """The changes of a value that one comparison allows."""

    reading: RehearsedEndings
    grown: bool
    parts: bool = True
    """Whether a text may become any part of it, where the rest goes elsewhere; else its head."""


def _grows(one: Any, other: Any) -> bool:
    """Return whether something empty is filled, or a list or dictionary got longer."""
    if is_nothing(one):
        return not is_nothing(other)
    if type(one) is not type(other) or isinstance(one, str | bytes):
        return False
    if (fields := fields_of(one)) is not None:
        return _grows(fields, fields_of(other))
    if isinstance(one, dict):
        return len(other) > len(one) or any(_grows(one[k], other[k]) for k in one if k in other)
    if isinstance(one, list | tuple):
        return len(other) > len(one) or any(map(_grows, one, other))
    return False


def reads_alike(reading: RehearsedEndings) -> bool:
    """Return whether the code makes the same of both answers, except that it hands on the text
    itself."""
    plain, mended = reading.plain, reading.mended
    before, after = (plain.value, plain.effects), (mended.value, mended.effects)
    return plain.kind == mended.kind and is_same(before, after, reading)


def is_same(one: Any, other: Any, reading: RehearsedEndings | None = None) -> bool:
    """Return whether two values are equal in content; with a ``reading``, both answers count as
    the same."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, Opaque) or (reading is not None and _is_answer(one, other, reading)):
        return True
    fields = fields_of(one)
    if fields is not None:
        beside = fields_of(other)
        return beside is not None and is_same(fields, beside, reading)
    if isinstance(one, dict):
        same_keys = list(one) == list(other)
        return same_keys and all(is_same(one[key], other[key], reading) for key in one)
    if isinstance(one, list | tuple):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(is_same(*pair, reading) for pair in pairs)
    if isinstance(one, BaseException):
        return str(one) == str(other)
    return bool(one == other)


def _is_answer(one: Any, other: Any, reading: RehearsedEndings) -> bool:
    """Return whether both values are the answer itself, which the code hands on."""
    return (
        isinstance(one, str)
        and isinstance(other, str)
        and one.strip() == reading.answer.strip()
        and other.strip() == reading.repaired.strip()
    )


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return the fields of an object of an application's class; ``None`` for other values."""
    if isinstance(value, enum.Enum | type) or callable(value):
        return None
    if dataclasses.is_dataclass(value):
        return {f.name: getattr(value, f.name, None) for f in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(cast("Any", value)._fields, value, strict=True))
    if type(value).__module__ in ("builtins", "datetime", "decimal", "collections", "fractions"):
        return None
    return dict(vars(value)) if hasattr(value, "__dict__") else None


def _is_kept(one: Any, other: Any, default: Any, allowed: _Allowed) -> bool:
    """Return whether a value that was read is still there after the repair, as far as that is
    demanded."""
    if is_same(one, other) or is_nothing(one):
        return True
    reading = allowed.reading
    if _is_answer(one, other, reading):
        return True
    if default is not _NONE and is_same(one, default) and (reading.defaults or allowed.grown):
        return True
    if isinstance(one, int | float) and isinstance(other, int | float):
        return allowed.grown
    if type(one) is not type(other):
        return False
    if isinstance(one, str):
        part = other in one if allowed.parts else one.startswith(other)
        return allowed.grown and bool(other.strip()) and part
    if (fields := fields_of(one)) is not None:
        return _keeps_entries(fields, fields_of(other) or {}, fields_of(default), allowed)
    if isinstance(one, dict):
        return _keeps_entries(one, other, default if isinstance(default, dict) else None, allowed)
    if isinstance(one, list | tuple):
        return _keeps_items(one, other, default, allowed)
    return False


def _keeps_entries(
    one: dict[Any, Any], other: dict[Any, Any], default: dict[Any, Any] | None, allowed: _Allowed
) -> bool:
    """Return whether a dictionary keeps all of its entries."""
    if [key for key in other if key in one] != list(one):
        return False
    known = default or {}
    return all(
        _is_kept(value, other[key], known.get(key, _NONE), allowed) for key, value in one.items()
    )


def _keeps_items(one: Sequence[Any], other: Sequence[Any], default: Any, allowed: _Allowed) -> bool:
    """Return whether a list keeps all of its items, in their order."""
    if len(one) > len(other) or len(other) > _MAX_ITEMS:
        return False
    beside = default if type(default) is type(one) else ()
    if len(one) == len(other):
        defaults = beside if len(beside) == len(one) else (_NONE,) * len(one)
        triples = zip(one, other, defaults, strict=True)
        return all(_is_kept(*each, allowed) for each in triples)
    left, whole = iter(other), allowed._replace(parts=False)
    return all(any(_is_kept(item, found, _NONE, whole) for found in left) for item in one)
