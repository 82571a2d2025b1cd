"""The kinds of values that can be tainted, and how a plain value becomes a recording one.

``strings`` and ``containers`` register their kinds here, so that one kind can make another without
knowing it, and further kinds can be added.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, cast

from knitbone.adaptation.learning.taint.marks import Mark

__all__ = [
    "MAX_LENGTH",
    "TAINTED",
    "bounds",
    "deeply_plain",
    "kind_of",
    "mark_of",
    "plain",
    "register_kind",
    "taint",
]

MAX_LENGTH = 5_000_000
"""Characters or items; longer values stay plain, because to taint them is to copy them."""

_MAKERS: dict[type, Callable[[Any, Mark], Any]] = {}
"""Plain type -> function that taints a value of it."""
_PLAIN: dict[type, Callable[[Any], Any]] = {}
"""Tainted type -> function that gives the plain value."""
TAINTED: set[type] = set()
"""The types of tainted values."""


def register_kind(
    plain_type: type,
    tainted_type: type,
    make: Callable[[Any, Mark], Any],
    strip: Callable[[Any], Any],
) -> None:
    """Make values of exactly ``plain_type`` taintable.

    Args:
        make: the tainted value.
        strip: the plain value of a tainted one.
    """
    _MAKERS[plain_type] = make
    _PLAIN[tainted_type] = strip
    TAINTED.add(tainted_type)


def taint(value: Any, mark: Mark | None) -> Any:
    """Return the value so that it records what is done with it; the value itself where its type is
    not taintable or ``mark`` is ``None``."""
    if mark is None:
        return value
    make = _MAKERS.get(kind_of(value))
    if make is None:
        return value
    length = len(value)
    if length:
        mark.note_live()
    return make(value, mark) if length <= MAX_LENGTH else value


def kind_of(value: Any) -> type[Any]:
    """Return the type of a value, without asking the value."""
    return cast("type[Any]", type(value))


def bounds(key: Any) -> tuple[Any, Any, Any]:
    """Return start, stop and step of a slice."""
    return key.start, key.stop, key.step


def mark_of(value: Any) -> Mark | None:
    """Return the mark of a tainted value, ``None`` of any other."""
    return getattr(value, "_mark", None) if type(value) in TAINTED else None


def plain(value: Any) -> Any:
    """Return the plain value of a tainted one; any other value is returned as it is."""
    strip = _PLAIN.get(kind_of(value))
    return value if strip is None else strip(value)


def deeply_plain(value: Any, depth: int = 8) -> Any:
    """Return the value with every tainted value in its lists, tuples and dictionaries made plain;
    the value itself where there is none."""
    value = plain(value)
    kind: Any = kind_of(value)
    if depth <= 0 or kind not in (list, tuple, dict) or len(value) > MAX_LENGTH:
        return value
    if kind is dict:
        pairs = [(plain(key), deeply_plain(item, depth - 1)) for key, item in value.items()]
        same = all(a is k and b is i for (a, b), (k, i) in zip(pairs, value.items(), strict=True))
        return value if same else dict(pairs)
    items = [deeply_plain(item, depth - 1) for item in value]
    return value if all(map(operator.is_, items, value)) else cast("Any", kind)(items)
