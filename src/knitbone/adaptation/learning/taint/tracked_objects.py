"""Objects that came out of a tainted text and cannot record themselves: matches, XML elements, ...

A bounded table remembers them by identity.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from knitbone._forks import new_lock
from knitbone.adaptation.learning.taint.marks import Mark

__all__ = ["forget_objects", "track", "tracked"]

_MAX_OBJECTS = 2_000
"""Objects kept alive; the oldest are forgotten first."""

_lock = new_lock()
_objects: OrderedDict[int, tuple[Any, Mark]] = OrderedDict()


def track(value: Any, mark: Mark | None) -> Any:
    """Remember an object; return it."""
    if mark is not None and value is not None:
        mark.note_live()
        with _lock:
            # The object is kept: while it lives, no other can have its identity.
            _objects[id(value)] = (value, mark)
            _objects.move_to_end(id(value))
            while len(_objects) > _MAX_OBJECTS:
                _objects.popitem(last=False)
    return value


def tracked(value: Any) -> Mark | None:
    """Return the mark of an object."""
    found = _objects.get(id(value))
    return found[1] if found is not None and found[0] is value else None


def forget_objects() -> None:
    """Forget all objects."""
    with _lock:
        _objects.clear()
