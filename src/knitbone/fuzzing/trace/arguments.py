"""Taint on the arguments of a call, behind the framework's validation."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any, cast

from knitbone.fuzzing.trace.terms import Path, Term, type_of
from knitbone.fuzzing.trace.tracked import TRACKED
from knitbone.fuzzing.trace.values import LEAVES, MAX_ITEMS, known_by_identity, wrap

__all__ = ["taint_arguments"]

_MAX_DEPTH = 8


def taint_arguments(arguments: dict[str, Any], raw: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call, tainted where they are what the caller gave, at any depth.

    Args:
        arguments: by parameter, as the framework's validation made them.
        raw: as they were given. What validation made another value of stays plain, but for
            numbers, dates and models.
    """
    return {
        name: _taint(value, (name,), raw.get(name), 0) if name in raw else value
        for name, value in arguments.items()
    }


def _taint(value: Any, path: Path, raw: Any, depth: int) -> Any:
    kind = type_of(value)
    if depth > _MAX_DEPTH or value is None or kind is bool:
        return value
    if kind is str or kind is int or kind is float or kind is bytes:
        return _taint_leaf(value, kind, path, raw)
    if (kind is list or kind is tuple) and isinstance(raw, list):
        return _taint_items(value, path, cast("list[Any]", raw), depth)
    if kind is dict and isinstance(raw, dict):
        held = cast("dict[Any, Any]", raw)
        same = _same(value, held)
        for key in list(value)[:MAX_ITEMS]:
            value[key] = _taint(value[key], (*path, key), held.get(key), depth + 1)
        if same:
            TRACKED.add(value, Term("input", (path,)))
        return value
    if known_by_identity(value):
        op = _PARSED.get(cast("Any", kind))
        if op is not None and isinstance(raw, str):
            TRACKED.add(value, Term(op, (Term("input", (path,)),)))
        return value
    _taint_model(value, path, raw, depth)
    return value


def _taint_leaf(value: Any, kind: Any, path: Path, raw: Any) -> Any:
    if kind is type(raw):
        return value if value != raw else wrap(value, Term("input", (path,)))
    if kind is float and type(raw) is int:
        return wrap(value, Term("float", (Term("input", (path,)),)))
    if type(raw) is str and (kind is int or kind is float):
        return wrap(value, Term(kind.__name__, (Term("input", (path,)),)))
    return value


_PARSED = {
    dt.date: "datetime.date.fromisoformat",
    dt.datetime: "datetime.datetime.fromisoformat",
    dt.time: "datetime.time.fromisoformat",
    decimal.Decimal: "decimal.Decimal",
}


def _taint_items(value: Any, path: Path, raw: list[Any], depth: int) -> Any:
    known = min(len(value), len(raw), MAX_ITEMS)
    kind = type_of(value)
    same = kind is list and _same(value, raw)
    items = [
        _taint(item, (*path, index), raw[index], depth + 1) if index < known else item
        for index, item in enumerate(value)
    ]
    if kind is tuple:
        return tuple(items)
    value[:] = items
    if same:
        term = Term("input", (path,))
        term.count = len(value)
        TRACKED.add(value, term)
    return value


def _same(value: Any, raw: Any, depth: int = 0) -> bool:
    """Whether validation has left a value as it was given; nobody's own ``==`` is asked."""
    kind = type_of(value)
    if kind is not type(raw) or depth > _MAX_DEPTH:
        return False
    if kind is list:
        return len(value) == len(raw) and all(
            _same(a, b, depth + 1) for a, b in zip(value, raw, strict=True)
        )
    if kind is dict:
        return len(value) == len(raw) and all(
            key in raw and _same(part, raw[key], depth + 1) for key, part in value.items()
        )
    if value is None or kind is bool:
        return value is raw
    return kind in LEAVES and bool(value == raw)


def _taint_model(value: Any, path: Path, raw: Any, depth: int) -> None:
    """The fields of a model or dataclass, where they are kept in its dictionary."""
    if not isinstance(raw, dict):
        return
    given = cast("dict[str, Any]", raw)
    try:
        held: Any = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return
    for name in list(held):
        if name in given:
            held[name] = _taint(held[name], (*path, name), given[name], depth + 1)
