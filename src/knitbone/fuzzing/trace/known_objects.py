"""Objects of the running call that are known by identity: lists, dictionaries, matches, dates."""

from __future__ import annotations

from operator import is_
from typing import Any

from knitbone.fuzzing.trace.terms import Term, type_of

__all__ = ["TRACKED", "TrackedObjects"]

_MAX_OBJECTS = 2_000
_MAX_PARTS = 1_000
"""Items of a container that is known; each is looked at again when the container is."""
_MAX_COST = 200_000
"""Items of all containers of one call: what is known is kept in memory until its end."""


class TrackedObjects:
    """Objects by identity, each with its term.

    They are kept, so that no other object can have the identity of one that is gone. A container
    counts as known as long as it holds the very same parts: whatever changed it is noticed.
    """

    def __init__(self) -> None:
        self.call = 0
        """Number of the running call: what an earlier one left behind is known no more."""
        self.objects: dict[int, tuple[Any, Term, tuple[Any, ...], tuple[Any, ...]]] = {}
        self._cost = 0

    def add(self, value: Any, term: Term) -> None:
        """From now on the object is known, unless too much is already."""
        parts = _parts(value)
        self._cost += 1 + len(parts)
        if len(parts) > _MAX_PARTS or len(self.objects) >= _MAX_OBJECTS or self._cost > _MAX_COST:
            self.objects.pop(id(value), None)
            return
        inner = tuple(part for part in parts if _is_changeable(part) and id(part) in self.objects)
        self.objects[id(value)] = (value, term, parts, inner)

    def find(self, value: Any) -> Term | None:
        """The term of an object; ``None`` if it is not known, or changed at any depth."""
        found = self.objects.get(id(value))
        if found is None:
            return None
        if _is_changeable(value) and not self._unchanged(value):
            del self.objects[id(value)]
            return None
        return found[1]

    def _unchanged(self, value: Any) -> bool:
        waiting, seen = [value], {id(value)}
        while waiting:
            holder = waiting.pop()
            found = self.objects.get(id(holder))
            if found is None:
                return False
            parts = _parts(holder)
            if len(parts) != len(found[2]) or not all(map(is_, parts, found[2])):
                return False
            for part in found[3]:
                if id(part) not in seen:
                    seen.add(id(part))
                    waiting.append(part)
        return True

    def forget(self, kind: type[Any]) -> None:
        """Know no object of this type any more."""
        for number in [n for n, found in self.objects.items() if type(found[0]) is kind]:
            del self.objects[number]

    def start(self) -> None:
        """Another call begins: nothing is known."""
        self.call += 1
        self.clear()

    def clear(self) -> None:
        """The call is over."""
        self.objects.clear()
        self._cost = 0

    def __contains__(self, value: Any) -> bool:
        return id(value) in self.objects


def _is_changeable(value: Any) -> bool:
    kind = type_of(value)
    return kind is list or kind is dict or kind is set


def _parts(value: Any) -> tuple[Any, ...]:
    kind = type_of(value)
    if kind is list or kind is set:
        return tuple(value)
    return (*value, *value.values()) if kind is dict else ()


TRACKED = TrackedObjects()
