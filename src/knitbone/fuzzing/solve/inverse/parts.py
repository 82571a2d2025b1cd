"""Back through lists, dictionaries and sets: their parts and their length."""

from __future__ import annotations

import copy
import re
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.fuzzing.solve.inverse.view import MOST, Changes, Step, TermView, in_order

__all__ = ["STEPS", "resized"]

_FEW = 4
"""Members of a set that are tried."""


def _length(view: TermView, value: Any) -> Changes:
    yield 0, resized(view[0], value)


def resized(now: Any, length: int) -> Any:
    """A text, list or dictionary of another length; what is added is like what is there."""
    if not 0 <= length <= MOST:
        raise ValueError
    if isinstance(now, str):
        return now[:length] if length <= len(now) else now + (now[-1:] or "a") * (length - len(now))
    if isinstance(now, bytes):
        return now[:length].ljust(length, b"a")
    if isinstance(now, dict):
        held = cast("dict[Any, Any]", now)
        made = dict(list(held.items())[:length])
        filler = next(iter(held.values()), "a")
        for number in range(length - len(made)):
            made[f"k{number}"] = filler
        return made
    items = list(now)
    filler = copy.deepcopy(items[-1]) if items else ""
    return items[:length] + [copy.deepcopy(filler) for _ in range(length - len(items))]


def _item(view: TermView, value: Any) -> Changes:
    if view.is_term(0):
        now, key = view[0], view[1]
        if isinstance(now, re.Match):
            yield 0, (key, value)
            return
        yield 0, _replaced(now, key, value)
    if view.is_term(1):
        holder = view[0]
        keys: Any = (
            enumerate(holder) if not isinstance(holder, dict) else cast("Any", holder).items()
        )
        for key, held in list(keys)[:200]:
            if type(held) is type(value) and held == value:
                yield 1, key


def _replaced(now: Any, key: Any, value: Any) -> Any:
    if isinstance(now, dict):
        return {**cast("dict[Any, Any]", now), key: value}
    if isinstance(now, str):
        characters = list(now)
        if isinstance(key, slice):
            if key == slice(None, None, -1):
                return value[::-1]
            if cast("Any", key).step not in (None, 1):
                raise ValueError
            start, stop, _ = key.indices(len(now))
            return now[:start] + value + now[max(stop, start) :]
        while key >= len(characters):
            characters.append("a")
        characters[key] = value
        return "".join(characters)
    items = list(now)
    if isinstance(key, slice):
        items[key] = value
        return items
    while key >= len(items):
        items.append(copy.deepcopy(items[-1]) if items else value)
    items[key] = value
    return items


def _any_item(view: TermView, value: Any) -> Changes:
    """A list that the code put together: one of the items that are to change."""
    for index, wanted in enumerate(value):
        if index >= len(view):
            return
        if view.is_term(index) and (type(view[index]) is not type(wanted) or view[index] != wanted):
            yield index, wanted


def _list_of(view: TermView, value: Any) -> Changes:
    """Through ``set`` and ``sorted``: any order will do. A set of fewer is that of a list in which
    what is not in it became one of it."""
    members = in_order(value)
    now: list[Any] = list(view[0])
    if members and isinstance(value, set | frozenset):
        yield 0, [item if item in members else members[0] for item in now]
    yield 0, members


def _any_member(view: TermView, value: Any) -> Changes:
    """A set that the code put together: an item that should not be in it becomes one that may."""
    for index in range(len(view)):
        if view.is_term(index) and view[index] not in value:
            for member in sorted(value, key=repr)[:_FEW]:
                yield index, member
            return


def _any_value(view: TermView, value: Any) -> Changes:
    for index, key in enumerate(view[0]):
        if key in value and view.is_term(index + 1) and view[index + 1] != value[key]:
            yield index + 1, value[key]


def _list_position(view: TermView, value: Any) -> Changes:
    yield 1, view[0][value]


def _as_it_is(_: TermView, value: Any) -> Changes:
    """What leaves a value as it is, where nothing speaks against it."""
    yield 0, value


def _iterated(view: TermView, value: Any) -> Changes:
    """The items of a list; those of an element are its children."""
    if not isinstance(view[0], ET.Element):
        yield 0, value
        return
    root = copy.deepcopy(view[0])
    root[:] = [part if isinstance(part, ET.Element) else ET.Element("x") for part in value]
    yield 0, root


def _second(_: TermView, value: Any) -> Changes:
    yield 1, value


STEPS: dict[str, Step] = {
    "len": _length, "operator.getitem": _item, "unpack": _as_it_is, "items": _iterated,
    "set_of": _list_of, "sorted_of": _list_of, "set": _any_member, "frozenset": _any_member,
    "list": _any_item, "tuple": _any_item,
    "dict": _any_value, "member": _second, ".list.index": _list_position,
    ".tuple.index": _list_position, ".list.copy": _as_it_is,
}  # fmt: skip
