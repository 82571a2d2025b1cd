"""Values that know how they were computed, and otherwise are what they were.

A tainted text, number or byte string is a subclass without a single method of its own: every
operation gives what the plain value gives. What is done with it is recorded where it is written,
in the tool's rewritten code (``helpers``). Objects that are made anew for whoever asked (lists,
dictionaries, matches, dates) stay as they are and are known by identity while a call lasts
(``tracked``).
"""

from __future__ import annotations

import configparser
import datetime as dt
import decimal
import fractions
import ipaddress
import pathlib
import re
import urllib.parse
import uuid
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

from knitbone.fuzzing.trace.known_objects import TRACKED
from knitbone.fuzzing.trace.terms import Term, type_of

__all__ = [
    "LEAVES",
    "MAX_ITEMS",
    "PLAIN_TYPES",
    "TAINTED",
    "is_known",
    "is_leaf",
    "known_by_identity",
    "own_term",
    "plain",
    "wrap",
]

MAX_ITEMS = 64
"""Items of a list or dictionary that are tainted; the rest stay plain."""
_MAX_DEPTH = 8
_MAX_WRAPPED = 1_000
"""Containers and objects in one result that are known as its parts."""
_MAX_TERM = 50
"""Depth of a term; what is computed in more steps is not followed any further."""
_MAX_TEXT = 65_536
"""Characters of a text that is tainted: each tainted text is a copy."""


class TermStr(str):
    __slots__ = ("call", "term")
    call: int
    term: Term

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (str, (str.__str__(self),))

    def __deepcopy__(self, memo: Any) -> TermStr:
        return self


class TermInt(int):
    call: int
    term: Term

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (int, (int.__int__(self),))

    def __deepcopy__(self, memo: Any) -> TermInt:
        return self


class TermFloat(float):
    __slots__ = ("call", "term")
    call: int
    term: Term

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (float, (float.__float__(self),))

    def __deepcopy__(self, memo: Any) -> TermFloat:
        return self


class TermBytes(bytes):
    call: int
    term: Term

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (bytes, (bytes(memoryview(self)),))

    def __deepcopy__(self, memo: Any) -> TermBytes:
        return self


LEAVES: dict[type[Any], type[Any]] = {
    str: TermStr,
    int: TermInt,
    float: TermFloat,
    bytes: TermBytes,
}
TAINTED: dict[type[Any], Callable[[Any], Any]] = {
    TermStr: str.__str__,
    TermInt: int.__int__,
    TermFloat: float.__float__,
    TermBytes: lambda value: bytes(memoryview(value)),
}
"""Tainted types, and how their plain value is got."""
PLAIN_TYPES: dict[type[Any], type[Any]] = {tainted: kind for kind, tainted in LEAVES.items()}
for _plain, _tainted in LEAVES.items():
    # Error messages and code that looks at type names see what they see for any value.
    _tainted.__name__ = _tainted.__qualname__ = _plain.__name__
    _tainted.__module__ = "builtins"

_OBJECTS = (
    *(re.Match, dt.date, dt.time, dt.timedelta, decimal.Decimal, fractions.Fraction),
    *(ET.Element, uuid.UUID, pathlib.PurePath),
)
_PARSED = frozenset(
    kind
    for module in (urllib.parse, ipaddress)
    for kind in vars(module).values()
    if isinstance(kind, type)
)


def is_leaf(value: Any) -> bool:
    """Whether a value is a tainted text, number or byte string."""
    # No look-up by type: its hash may be the tool's own.
    kind = type_of(value)
    return kind is TermStr or kind is TermInt or kind is TermFloat or kind is TermBytes


def is_known(value: Any) -> bool:
    """Whether it is known how a value was computed, without looking into containers."""
    kind = type_of(value)
    return (
        kind is TermStr
        or kind is TermInt
        or kind is TermFloat
        or kind is TermBytes
        or id(value) in _objects
    )


_objects = TRACKED.objects


def plain(value: Any) -> Any:
    """The plain value of a tainted one; any other value as it is."""
    return TAINTED[type(value)](value) if is_leaf(value) else value


def own_term(value: Any) -> Term | None:
    """The term of a tainted or known value; ``None`` where there is none, or an earlier call
    left it behind."""
    if not is_leaf(value):
        return TRACKED.find(value)
    if getattr(value, "call", -1) != TRACKED.call:
        return None
    return value.term


def known_by_identity(value: Any) -> bool:
    """Whether objects of this type may be known: they are made anew for whoever asks."""
    kind = type_of(value)
    if kind is configparser.SectionProxy:
        return True
    return type(kind).__hash__ is type.__hash__ and (issubclass(kind, _OBJECTS) or kind in _PARSED)


def wrap(value: Any, term: Term) -> Any:
    """The value so that it is known to be ``term``; parts of containers are known as parts."""
    return _wrap(value, term, _MAX_DEPTH, [_MAX_WRAPPED])


def _wrap(value: Any, term: Term, depth: int, left: list[int]) -> Any:
    kind = type_of(value)
    if term.depth > _MAX_TERM or depth <= 0 or value is None or kind is bool:
        return value
    if kind is str or kind is int or kind is float or kind is bytes:
        if (kind is str or kind is bytes) and len(value) > _MAX_TEXT:
            return value
        made = LEAVES[kind](value)
        made.call = TRACKED.call
        made.term = term
        return made
    left[0] -= 1
    if left[0] < 0:
        return value
    if kind is list:
        term.count = len(value)
        for index in range(min(len(value), MAX_ITEMS)):
            value[index] = _wrap(value[index], _item(term, index), depth - 1, left)
    elif kind is dict:
        for number, key in enumerate(value):
            if number >= MAX_ITEMS:
                break
            value[key] = _wrap(value[key], _item(term, key), depth - 1, left)
    elif kind is tuple:
        value = (
            *(
                _wrap(part, _item(term, n), depth - 1, left)
                for n, part in enumerate(value[:MAX_ITEMS])
            ),
            *value[MAX_ITEMS:],
        )
    elif kind is not set and kind is not frozenset and not known_by_identity(value):
        return value
    if (kind is not tuple and kind is not frozenset) or value:  # the empty ones are everybody's
        TRACKED.add(value, term)
    return value


def _item(term: Term, key: Any) -> Term:
    return Term("operator.getitem", (term, plain(key)))
