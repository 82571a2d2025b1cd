"""Values that know how they were computed, and otherwise are what they were.

A tainted text, number or byte string is a subclass without a single method of its own: every
operation gives what the plain value gives. What is done with it is recorded where it is written,
in the tool's rewritten code (``helpers``). Objects that are made anew for whoever asked (lists,
dictionaries, matches, dates) stay as they are and are known by identity while a call lasts.
"""

from __future__ import annotations

import datetime as dt
import decimal
import re
from collections.abc import Callable
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.fuzzing.trace.terms import Path, Term

__all__ = [
    "LEAVES",
    "Tracked",
    "deeply_plain",
    "is_known",
    "plain",
    "taint_arguments",
    "term_of",
    "wrap",
]

MAX_ITEMS = 64
"""Items of a list or dictionary that are tainted; the rest stay plain."""
_MAX_DEPTH = 8


class TaintStr(str):
    __slots__ = ("term",)
    term: Term

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (str, (str.__str__(self),))

    def __deepcopy__(self, memo: Any) -> TaintStr:
        return self


class TaintInt(int):
    term: Term

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (int, (int.__int__(self),))

    def __deepcopy__(self, memo: Any) -> TaintInt:
        return self


class TaintFloat(float):
    term: Term

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (float, (float.__float__(self),))

    def __deepcopy__(self, memo: Any) -> TaintFloat:
        return self


class TaintBytes(bytes):
    term: Term

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (bytes, (bytes(memoryview(self)),))

    def __deepcopy__(self, memo: Any) -> TaintBytes:
        return self


LEAVES: dict[type[Any], type[Any]] = {
    str: TaintStr,
    int: TaintInt,
    float: TaintFloat,
    bytes: TaintBytes,
}
TAINTED: dict[type[Any], Callable[[Any], Any]] = {
    TaintStr: str.__str__,
    TaintInt: int.__int__,
    TaintFloat: float.__float__,
    TaintBytes: lambda value: bytes(memoryview(value)),
}
"""Tainted types, and how their plain value is got."""
for _plain, _tainted in LEAVES.items():
    # Error messages and code that looks at type names see what they see for any value.
    _tainted.__name__ = _tainted.__qualname__ = _plain.__name__
    _tainted.__module__ = "builtins"

OBJECTS: tuple[type[Any], ...] = (
    re.Match,
    dt.date,
    dt.time,
    dt.timedelta,
    decimal.Decimal,
    ET.Element,
    tuple,  # a kind of it, with names
)
_CONTAINERS = (list, tuple, dict, set, frozenset)


class Tracked:
    """Objects of the running call that are known by identity; kept, so that no other object can
    have the identity of one that is gone."""

    def __init__(self) -> None:
        self._objects: dict[int, tuple[Any, Term, int]] = {}

    def add(self, value: Any, term: Term) -> None:
        if len(self._objects) < 5_000:
            self._objects[id(value)] = (value, term, _length(value))

    def find(self, value: Any) -> Term | None:
        """The term of an object; ``None`` if it is not known, or has changed its length."""
        found = self._objects.get(id(value))
        if found is None or found[0] is not value or found[2] != _length(value):
            return None
        return found[1]

    def forget(self, value: Any) -> None:
        self._objects.pop(id(value), None)

    def clear(self) -> None:
        self._objects.clear()

    def __contains__(self, value: Any) -> bool:
        return id(value) in self._objects


TRACKED = Tracked()


def _length(value: Any) -> int:
    return len(value) if type(value) in (list, dict, set) else -1


def plain(value: Any) -> Any:
    """The plain value of a tainted one; any other value as it is."""
    strip = TAINTED.get(cast("type[Any]", type(value)))
    return value if strip is None else strip(value)


def deeply_plain(value: Any, depth: int = _MAX_DEPTH) -> Any:
    """The value with all tainted values in its lists, tuples, sets and dictionaries made plain;
    the value itself where there is none."""
    kind: Any = cast("Any", type(value))
    if kind in TAINTED:
        return TAINTED[kind](value)
    if depth <= 0 or kind not in _CONTAINERS:
        return value
    if kind is dict:
        pairs = [(deeply_plain(k, depth - 1), deeply_plain(v, depth - 1)) for k, v in value.items()]
        same = all(k is a and v is b for (k, v), (a, b) in zip(pairs, value.items(), strict=True))
        return value if same else dict(pairs)
    items = [deeply_plain(item, depth - 1) for item in value]
    if all(a is b for a, b in zip(items, value, strict=True)):
        return value
    return kind(items)


def is_known(value: Any) -> bool:
    """Whether it is known how a value was computed, without looking into containers."""
    return type(value) in TAINTED or value in TRACKED


def term_of(value: Any, depth: int = 3) -> Any:
    """The term of a value; of a container with tainted items the term that puts it together; the
    value itself where it does not come from the arguments."""
    kind: Any = cast("Any", type(value))
    if kind in TAINTED:
        return value.term
    found = TRACKED.find(value)
    if found is not None:
        return found
    if depth <= 0 or kind not in _CONTAINERS or not value or len(value) > MAX_ITEMS * 4:
        return value
    if kind is dict:
        parts = [term_of(item, depth - 1) for item in value.values()]
        if any(type(part) is Term for part in parts):
            return Term("dict", (tuple(deeply_plain(list(value))), *parts))
        return deeply_plain(value)
    parts = [term_of(item, depth - 1) for item in value]
    if any(type(part) is Term for part in parts):
        whole = _each(parts) if kind is list or kind is tuple else None
        return whole or Term(kind.__name__, tuple(parts))
    return value


def _each(parts: list[Any]) -> Term | None:
    """Items that were made alike from the items of one list, in their order: ``each`` of that
    list, so that it is known where their number comes from."""
    first = parts[0]
    if type(first) is not Term:
        return None
    for base in _bases(first, 0):
        if all(type(part) is Term and _alike(first, part, base, n) for n, part in enumerate(parts)):
            template = _with_hole(first, base)
            return base if template.op == "hole" else Term("each", (base, template))
    return None


def _bases(term: Term, depth: int) -> list[Term]:
    if depth > _MAX_DEPTH:
        return []
    if term.op == "operator.getitem" and type(term.args[0]) is Term and term.args[1] == 0:
        return [term.args[0]]
    return [base for part in term.args if type(part) is Term for base in _bases(part, depth + 1)]


def _is_item(term: Term, base: Term, number: int) -> bool:
    return (
        term.op == "operator.getitem"
        and term.args[0] is base
        and type(term.args[1]) is int
        and term.args[1] == number
    )


def _alike(first: Any, other: Any, base: Term, number: int) -> bool:
    if type(first) is not Term or type(other) is not Term:
        return type(first) is type(other) and bool(first == other)
    if _is_item(first, base, 0):
        return _is_item(other, base, number)
    return first is other or (
        (first.op == other.op and first.names == other.names)
        and len(first.args) == len(other.args)
        and all(_alike(a, b, base, number) for a, b in zip(first.args, other.args, strict=True))
    )


def _with_hole(term: Term, base: Term) -> Term:
    if _is_item(term, base, 0):
        return Term("hole", ())
    parts = tuple(_with_hole(p, base) if type(p) is Term else p for p in term.args)
    return Term(term.op, parts, term.names)


def wrap(value: Any, term: Term) -> Any:
    """The value so that it is known to be ``term``; parts of containers are known as parts."""
    kind: Any = cast("Any", type(value))
    leaf = LEAVES.get(kind)
    if leaf is not None:
        made = leaf(value)
        made.term = term
        return made
    if kind in _CONTAINERS:
        return _wrap_container(value, term, _MAX_DEPTH)
    if isinstance(value, OBJECTS) or kind.__module__ in ("urllib.parse", "ipaddress", "uuid"):
        TRACKED.add(value, term)
    return value


def _wrap_container(value: Any, term: Term, depth: int) -> Any:
    kind: Any = cast("Any", type(value))
    if depth <= 0:
        return value
    if kind in (set, frozenset):
        if value:
            TRACKED.add(value, term)
        return value
    if kind is dict:
        for number, key in enumerate(value):
            if number >= MAX_ITEMS:
                break
            value[key] = _part(value[key], Term("operator.getitem", (term, key)), depth)
        TRACKED.add(value, term)
        return value
    if kind is tuple:
        value = tuple(
            _part(item, Term("operator.getitem", (term, index)), depth)
            if index < MAX_ITEMS
            else item
            for index, item in enumerate(value)
        )
        if value:
            TRACKED.add(value, term)
        return value
    for index in range(min(len(value), MAX_ITEMS)):
        value[index] = _part(value[index], Term("operator.getitem", (term, index)), depth)
    TRACKED.add(value, term)
    return value


def _part(value: Any, term: Term, depth: int) -> Any:
    if type(value) in _CONTAINERS:
        return _wrap_container(value, term, depth - 1)
    return wrap(value, term)


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
    kind: Any = cast("Any", type(value))
    if depth > _MAX_DEPTH or value is None or kind is bool:
        return value
    if kind in LEAVES:
        if kind is type(raw):
            return value if value != raw else wrap(value, Term("input", (path,)))
        if kind is float and type(raw) is int:
            return wrap(value, Term("float", (Term("input", (path,)),)))
        if type(raw) is str and kind in (int, float):
            return wrap(value, Term(kind.__name__, (Term("input", (path,)),)))
        return value
    if kind in (list, tuple) and isinstance(raw, list):
        return _taint_items(value, path, cast("list[Any]", raw), depth)
    if kind is dict and isinstance(raw, dict):
        held = cast("dict[Any, Any]", raw)
        for key in list(value)[:MAX_ITEMS]:
            value[key] = _taint(value[key], (*path, key), held.get(key), depth + 1)
        TRACKED.add(value, Term("input", (path,)))
        return value
    if isinstance(value, OBJECTS):
        op = _PARSED.get(kind)
        if op is not None and isinstance(raw, str):
            TRACKED.add(value, Term(op, (Term("input", (path,)),)))
        return value
    _taint_model(value, path, raw, depth)
    return value


_PARSED = {
    dt.date: "datetime.date.fromisoformat",
    dt.datetime: "datetime.datetime.fromisoformat",
    dt.time: "datetime.time.fromisoformat",
    decimal.Decimal: "decimal.Decimal",
}


def _taint_items(value: Any, path: Path, raw: list[Any], depth: int) -> Any:
    known = min(len(value), len(raw), MAX_ITEMS)
    items = [
        _taint(item, (*path, index), raw[index], depth + 1) if index < known else item
        for index, item in enumerate(value)
    ]
    if type(value) is tuple:
        value = tuple(items)
        if value:
            TRACKED.add(value, Term("input", (path,)))
        return value
    value[:] = items
    TRACKED.add(value, Term("input", (path,)))
    return value


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
