"""Plain values for those who do not belong to the tool, in the very containers that they get."""

from __future__ import annotations

from typing import Any

from knitbone.fuzzing.trace.loops import PartIterator
from knitbone.fuzzing.trace.terms import type_of
from knitbone.fuzzing.trace.values import is_leaf, plain

__all__ = ["Stripped", "clean"]

_MAX_PARTS = 20_000
"""Parts that are looked at for one call of a library; where there are more, what is beyond them
stays as it is."""
_MAX_NESTED = 30
_DICT: Any = dict
_SET: Any = set
"""Their own methods are used, whatever a subclass makes of them."""


class Stripped:
    """Arguments of a call without taint at any depth; ``restore`` puts it back afterwards.

    Lists and dictionaries stay the objects that they are, because the callee may change or keep
    them. Keys, and members of sets, stay tainted: whoever calls may be going through them.
    """

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._changed: list[tuple[Any, Any, Any, Any]] = []
        walk = _TaintWalk(self._changed, _MAX_PARTS)
        self.args = tuple(walk.value(value) for value in args)
        self.kwargs = {name: walk.value(value) for name, value in kwargs.items()}
        walk.rest()

    def restore(self) -> None:
        """Taint again what the callee has left in its place."""
        for holder, key, tainted, bare in self._changed:
            if type_of(holder) is dict:
                if holder.get(key) is bare:
                    holder[key] = tainted
            elif key < len(holder) and holder[key] is bare:
                holder[key] = tainted


def clean(value: Any) -> Any:
    """The value for those outside of the call: nothing in it is tainted. Containers, and objects
    that keep what they know in a dictionary, are changed in place."""
    walk = _TaintWalk(None, None)
    made = walk.value(value)
    walk.rest()
    return made


class _TaintWalk:
    """Goes through containers, each once; ``changed`` takes down what could be put back."""

    def __init__(self, changed: list[tuple[Any, Any, Any, Any]] | None, left: int | None) -> None:
        self._changed = changed
        self._left = left
        self._waiting: list[Any] = []
        self._seen: dict[int, Any] = {}
        self._bare: dict[int, tuple[Any, Any]] = {}

    def value(self, value: Any, depth: int = 0) -> Any:
        """What stands for a value: containers are the same ones, to be looked at by ``rest``."""
        kind = type_of(value)
        if kind is str or kind is int or value is None:
            return value
        if is_leaf(value):
            # The same object stays the same one: ``pickle`` tells.
            found = self._bare.get(id(value))
            if found is None:
                found = self._bare[id(value)] = (value, plain(value))
            return found[1]
        if kind is PartIterator:
            return value.release()
        if issubclass(kind, tuple | frozenset):
            return self._fixed(value, kind, depth)
        if (kind is list or kind is dict or self._changed is None) and id(value) not in self._seen:
            self._seen[id(value)] = value
            self._waiting.append(value)
        return value

    def _fixed(self, value: Any, kind: Any, depth: int) -> Any:
        if depth > _MAX_NESTED:
            return value
        parts = [self.value(part, depth + 1) for part in value]
        if all(a is b for a, b in zip(parts, value, strict=True)):
            return value
        try:
            maker: Any = tuple if issubclass(kind, tuple) else frozenset
            return maker.__new__(kind, parts)
        except TypeError:  # written in C, and made in its own way
            return value

    def rest(self) -> None:
        """Change what was found."""
        while self._waiting:
            holder = self._waiting.pop()
            kind = type_of(holder)
            if issubclass(kind, list):
                self._items(holder, range(len(holder)))
            elif issubclass(kind, dict):
                if self._changed is None and any(map(_tainted_key, holder)):
                    pairs = [(self.value(key), part) for key, part in holder.items()]
                    _DICT.clear(holder)
                    for key, part in pairs:
                        _DICT.__setitem__(holder, key, part)
                self._items(holder, list(_DICT.keys(holder)))
            else:
                self._other(holder)

    def _items(self, holder: Any, keys: Any) -> None:
        kind: Any = list if issubclass(type_of(holder), list) else dict
        for key in keys:
            if self._left is not None:
                self._left -= 1
                if self._left < 0:
                    return
            part = kind.__getitem__(holder, key)
            bare = self.value(part)
            if bare is not part:
                kind.__setitem__(holder, key, bare)
                if self._changed is not None:
                    self._changed.append((holder, key, part, bare))

    def _other(self, holder: Any) -> None:
        """Sets, and objects with a dictionary, at the end of a call."""
        if issubclass(type_of(holder), set):
            parts = [self.value(part) for part in holder]
            if any(a is not b for a, b in zip(parts, holder, strict=True)):
                _SET.clear(holder)
                _SET.update(holder, parts)
            return
        try:
            held: Any = object.__getattribute__(holder, "__dict__")
        except Exception:  # noqa: BLE001 - it may be anything
            return
        if type_of(held) is dict and not issubclass(type_of(holder), type):
            self.value(held)


def _tainted_key(key: Any) -> bool:
    return is_leaf(key) or type(key) is tuple
