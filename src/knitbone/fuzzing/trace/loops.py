"""What is gone through or taken apart in rewritten code, its items told as items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from types import GeneratorType
from typing import Any
from xml.etree import ElementTree as ET

from knitbone.fuzzing.trace.compose import argument, is_container, is_free, is_told, make_term
from knitbone.fuzzing.trace.known_objects import TRACKED
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.terms import Term, type_of
from knitbone.fuzzing.trace.values import is_leaf, own_term, plain, wrap

__all__ = ["PartIterator", "loop", "spread", "unpack"]


_LAZY = frozenset(map(id, (map, filter, zip, GeneratorType)))


_list: Callable[[Any], Any] = list


def unpack(site: int, value: Any, count: int) -> Any:
    """A value that is about to be taken apart to ``count`` names."""
    if not RECORDER.active:
        return value
    if id(type_of(value)) in _LAZY:
        # As many as the assignment itself would ask for.
        value = _list(islice(value, count + 1))
    if is_leaf(value):
        size = len(value) if hasattr(value, "__len__") else -1
    elif is_container(type_of(value)) and is_told(value):
        size = len(value)
    else:
        return value
    RECORDER.call(site, Term("unpack", (argument(value), count)), size == count)
    return tuple(_items(value)) if is_leaf(value) and size == count else value


def spread(value: Any) -> Any:
    """A value that is about to be taken apart to names of which one takes the rest."""
    return list(_items(value)) if is_leaf(value) and hasattr(value, "__len__") else value


def loop(site: int, value: Any, count: int = 0) -> Any:
    """What a loop goes over, each item of which is taken apart to ``count`` names, if to any."""
    if not RECORDER.active:
        return value
    if is_leaf(value):
        if not hasattr(value, "__len__"):
            RECORDER.call(site, make_term("iter", value), False)
            return value
        RECORDER.branch(site, make_term("operator.truth", value), bool(value))
        return _items(value)
    if is_told(value):
        term = own_term(value)
        if type(value) is ET.Element:
            if term is not None:
                listed = Term("operator.truth", (Term("items", (term,)),))
                RECORDER.branch(site, listed, len(value) > 0)
            return _items(value)
        if term is not None and is_free(term):
            RECORDER.call(site, Term("iter", (term,)), True)
        RECORDER.branch(site, make_term("operator.truth", value), bool(value))
        if count and type_of(value) is list and term is not None and is_free(term):
            return _taken_apart(site, value, count)
    return value


def _taken_apart(site: int, value: Any, count: int) -> Iterator[Any]:
    for part in value:
        if is_leaf(part) and not hasattr(part, "__len__"):
            RECORDER.call(site, Term("unpack", (argument(part), count)), False)
        yield unpack(site, part, count)


def _items(value: Any) -> Iterator[Any]:
    """The items of a text, or of an element that nothing changes meanwhile."""
    term = own_term(value)
    if term is None:
        return iter(plain(value))
    return _told(value, term if is_leaf(value) else Term("items", (term,)))


def _told(value: Any, term: Term) -> Iterator[Any]:
    for index, part in enumerate(iter(plain(value))):
        if own_term(value) is None:
            yield part
        else:
            yield wrap(part, Term("operator.getitem", (term, index)))


class PartIterator:
    """An iterator whose parts are known as parts; otherwise it is the iterator that it holds."""

    __slots__ = ("_inner", "_next", "_term")
    _inner: Any
    _next: int
    _term: Term | None

    def __init__(self, inner: Any, term: Term) -> None:
        set_own(self, "_inner", inner)
        set_own(self, "_term", Term("items", (term,)))
        set_own(self, "_next", 0)

    def __iter__(self) -> PartIterator:
        return self

    def __next__(self) -> Any:
        number: int = self._next
        try:
            part = next(self._inner)
        except StopIteration:
            if self._term is not None:
                self._term.count = number
            raise
        set_own(self, "_next", number + 1)
        if self._term is None:
            return part
        return wrap(part, Term("operator.getitem", (self._term, number)))

    def release(self) -> Any:
        """The iterator itself, for somebody who takes parts from it unseen."""
        set_own(self, "_term", None)
        return self._inner

    def kind(self) -> Any:
        """The type of the iterator."""
        return type_of(self._inner)

    def all(self, kind: type[Any]) -> Any:
        """What is left, as a list or a tuple."""
        first: int = self._next
        made: Any = kind(self)
        if kind is list and not first and self._term is not None:
            TRACKED.add(made, self._term)
        return made

    @property
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._inner.__class__

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner, name, value)

    def __repr__(self) -> str:
        return repr(self._inner)


set_own: Callable[[Any, str, Any], None] = object.__setattr__
