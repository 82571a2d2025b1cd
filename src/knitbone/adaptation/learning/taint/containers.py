"""Lists, tuples and dictionaries that came out of a tainted text, and record how they are read.

They hold plain values; what is taken out records from then on. C code and libraries that read
them directly get the plain values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from knitbone.adaptation.learning.taint.marks import Mark, Written
from knitbone.adaptation.learning.taint.tainted_kinds import bounds, kind_of, register_kind, taint

__all__ = ["TaintDict", "TaintList", "TaintTuple"]

_MAX_ITEMS = 10_000
"""Items of an iteration that record; the rest are plain."""


_list: Any = list
_tuple: Any = tuple
_dict: Any = dict


class _Marked:
    """The methods that the tainted containers share."""

    __slots__ = ()
    _mark: Mark | None

    def _note(self, name: str, arguments: tuple[Any, ...] = (), *, live: bool = False) -> Any:
        """Record an operation on the container; return the mark of its result."""
        # The application may have made the list itself: ``type(parts)()``.
        mark: Mark | None = getattr(self, "_mark", None)
        result_mark = mark.record(name, arguments) if mark is not None else None
        if result_mark is not None and live:
            result_mark.note_live()
        return result_mark

    def _fail(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Record an operation that raises."""
        result_mark = self._note(name, arguments)
        if result_mark is not None:
            result_mark.note_raised()


class TaintList(list[Any], _Marked):
    """A list of what a text was cut into, or of what was parsed."""

    __slots__ = ("_mark",)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (list, (_list.copy(self),))

    def __bool__(self) -> bool:
        self._note("truth")
        return _list.__len__(self) > 0

    def __len__(self) -> int:
        self._note("len")
        return _list.__len__(self)

    def __contains__(self, item: Any) -> bool:
        found = _list.__contains__(self, item)
        self._note("contains", (item,), live=found)
        return found

    def __getitem__(self, key: Any) -> Any:
        try:
            item = _list.__getitem__(self, key)
        except IndexError:
            self._fail("getitem", (key,))
            raise
        if type(key) is slice:
            return taint(item, self._note("slice", bounds(key)))
        return _recording_item(self, key, item, self._note("getitem", (key,)))

    def __iter__(self) -> Iterator[Any]:
        mark = self._note("iterate")
        return _list.__iter__(self) if mark is None else _items(self, mark)

    def __reversed__(self) -> Iterator[Any]:
        mark = self._note("iterate")
        items = _list.__reversed__(self)
        return items if mark is None else (taint(item, mark) for item in items)

    def pop(self, index: Any = -1, /) -> Any:
        try:
            item = _list.pop(self, index)
        except IndexError:
            self._fail(".pop", (index,))
            raise
        return _marked(item, self._note(".pop", (index,)))

    def copy(self) -> Any:
        return taint(_list.copy(self), getattr(self, "_mark", None))


def _items(holder: TaintList, mark: Mark) -> Iterator[Any]:
    """Yield the items of a list, tainted."""
    # By index, as a list's own iterator goes: the list may change meanwhile.
    index = 0
    while index < _list.__len__(holder):
        item = _list.__getitem__(holder, index)
        yield _recording_item(holder, index, item, mark) if index < _MAX_ITEMS else item
        index += 1


class TaintTuple(tuple[Any, ...], _Marked):
    """A tuple: the parts of ``partition``, the groups of a match."""

    _mark: Mark | None = None

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (tuple, (tuple(_tuple.__iter__(self)),))

    def __bool__(self) -> bool:
        return _tuple.__len__(self) > 0

    def __len__(self) -> int:
        self._note("len")
        return _tuple.__len__(self)

    def __contains__(self, item: Any) -> bool:
        found = _tuple.__contains__(self, item)
        self._note("contains", (item,), live=found)
        return found

    def __getitem__(self, key: Any) -> Any:
        try:
            item = _tuple.__getitem__(self, key)
        except IndexError:
            self._fail("getitem", (key,))
            raise
        if type(key) is slice:
            return taint(item, self._note("slice", bounds(key)))
        return taint(item, self._note("getitem", (key,)))

    def __iter__(self) -> Iterator[Any]:
        mark = self._note("iterate")
        items = _tuple.__iter__(self)
        return items if mark is None else (taint(item, mark) for item in items)


class TaintDict(dict[Any, Any], _Marked):
    """An object that was parsed from a text.

    ``__iter__`` is not overridden: ``dict(value)`` and ``f(**value)`` then copy the values at
    once, and do not look like code that asks for each key. Loops are seen by ``watch``.
    """

    __slots__ = ("_mark",)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (dict, (dict(self),))

    def __bool__(self) -> bool:
        self._note("truth")
        return _dict.__len__(self) > 0

    def __contains__(self, key: Any) -> bool:
        found = _dict.__contains__(self, key)
        self._note("contains", (key,), live=found)
        return found

    def __getitem__(self, key: Any) -> Any:
        try:
            item = _dict.__getitem__(self, key)
        except KeyError:
            self._fail("getitem", (key,))
            raise
        return _recording_item(self, key, item, self._note("getitem", (key,)))

    def get(self, key: Any, default: Any = None, /) -> Any:
        mark = self._note(".get", (key,) if default is None else (key, default))
        if not _dict.__contains__(self, key):
            return default
        return _recording_item(self, key, _dict.__getitem__(self, key), mark)

    def pop(self, key: Any, *default: Any) -> Any:
        try:
            item = _dict.pop(self, key, *default)
        except KeyError:
            self._fail(".pop", (key,))
            raise
        return _marked(item, self._note(".pop", (key, *default)))

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        item = _dict.setdefault(self, key, default)
        return _recording_item(self, key, item, self._note(".setdefault", (key, default)))

    def items(self) -> Any:
        mark = self._note(".items")
        return _Items(self, mark) if mark is not None else _dict.items(self)

    def values(self) -> Any:
        mark = self._note(".values")
        return _Values(self, mark) if mark is not None else _dict.values(self)

    def copy(self) -> Any:
        return taint(_dict.copy(self), getattr(self, "_mark", None))


class _View:
    """A view of a dictionary whose loop records; all else is the view's own."""

    def __init__(self, holder: TaintDict, mark: Mark) -> None:
        self._holder = holder
        self._mark = mark

    def _own(self) -> Any:
        """Return the view of the plain dictionary."""
        raise NotImplementedError

    def __len__(self) -> int:
        return _dict.__len__(self._holder)

    def __contains__(self, item: Any) -> bool:
        return item in self._own()

    def __eq__(self, other: Any) -> bool:
        return self._own() == (other._own() if isinstance(other, _View) else other)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return repr(self._own())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own(), name)

    def _pairs(self) -> Iterator[tuple[Any, Any, Mark | None]]:
        """Yield key, item and the item's mark."""
        mark = self._mark.record("iterate")
        for index, (key, item) in enumerate(_dict.items(self._holder)):
            yield key, item, mark if index < _MAX_ITEMS else None


class _Items(_View):
    """The view of ``items()``."""

    def _own(self) -> Any:
        return _dict.items(self._holder)

    def __iter__(self) -> Iterator[Any]:
        for key, item, mark in self._pairs():
            # ``for key, item in``: what a loop over items always does.
            part = mark.record("unpack", (Written(1), Written(2))) if mark is not None else None
            yield key, _recording_item(self._holder, key, item, part)


class _Values(_View):
    """The view of ``values()``."""

    def _own(self) -> Any:
        return _dict.values(self._holder)

    def __iter__(self) -> Iterator[Any]:
        for key, item, mark in self._pairs():
            yield _recording_item(self._holder, key, item, mark)


def _recording_item(holder: Any, key: Any, item: Any, mark: Mark | None) -> Any:
    """Return an item of a container so that it records.

    An inner list or dictionary is exchanged for its recording form where it lies, so that the code
    sees one object however often it looks, and its changes stay.
    """
    kind = kind_of(item)
    if mark is None:
        return item
    if kind is list or kind is dict:
        made = taint(item, mark)
        (_list if isinstance(holder, list) else _dict).__setitem__(holder, key, made)
        return made
    return _marked(item, mark)


def _marked(item: Any, mark: Mark | None) -> Any:
    """Return the item with the mark of the way that it was reached on last."""
    if mark is not None and type(item) in (TaintList, TaintDict):
        item._mark = mark
        if (_list if type(item) is TaintList else _dict).__len__(item):
            mark.note_live()
        return item
    if mark is not None and type(item) in (int, float, bool):
        mark.note_live()
    return taint(item, mark)


def _with_mark(kind: Any, value: Iterable[Any], mark: Mark) -> Any:
    """Return a tainted container."""
    made = kind(value)
    made._mark = mark
    return made


TaintList.__name__ = TaintList.__qualname__ = "list"
TaintDict.__name__ = TaintDict.__qualname__ = "dict"
TaintTuple.__name__ = TaintTuple.__qualname__ = "tuple"


def _plain_list(value: TaintList) -> list[Any]:
    """Return the plain list of a tainted one."""
    return list(_list.__iter__(value))


def _plain_tuple(value: TaintTuple) -> tuple[Any, ...]:
    """Return the plain tuple of a tainted one."""
    return tuple(_tuple.__iter__(value))


register_kind(list, TaintList, lambda v, m: _with_mark(TaintList, v, m), _plain_list)
register_kind(tuple, TaintTuple, lambda v, m: _with_mark(TaintTuple, v, m), _plain_tuple)
register_kind(dict, TaintDict, lambda v, m: _with_mark(TaintDict, v, m), dict)
