"""The keys of structured data, as paths such as ``items[].qty:integer``.

``[]`` after a name: an array, whose items follow; alone at the start: an array at the top. ``?``
after a name: optional. ``:type`` at the end: what the code converts it to, declares it, or
necessarily treats it as.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from knitbone.adaptation.testing import Shape

__all__ = ["Keys", "keys_agree", "keys_of_shape", "parse_keys"]

_PART = re.compile(r"(?P<name>[^?\[\]:]*)(?P<marks>(?:\?|\[\])*)")
_TYPES = frozenset({"any", "string", "integer", "number", "boolean", "array", "object", "date"})

Names = tuple[str, ...]


class Segment(NamedTuple):
    """One name of a path, and how many arrays stand between it and the next name."""

    name: str
    arrays: int


class Keys(NamedTuple):
    """The innermost paths with their types, and the names that are optional.

    A path begins with the unnamed top. Its types go from outside to inside: of an array of
    integers, ``("array", "integer")``.
    """

    types: dict[tuple[Segment, ...], Names]
    optional: frozenset[Names]


def parse_keys(paths: Iterable[str]) -> Keys:
    """Keys as a label writes them.

    Raises:
        ValueError: a path is not of this form.
    """
    types: dict[tuple[Segment, ...], Names] = {}
    optional: set[Names] = set()
    for path in paths:
        body, colon, kind = path.partition(":")
        if colon and kind not in _TYPES:
            raise ValueError(f"no type of a key: {kind!r} in {path!r}")
        segments: list[Segment] = []
        for number, part in enumerate(body.split(".")):
            found = _PART.fullmatch(part)
            if found is None or (number and not found["name"]):
                raise ValueError(f"no path of keys: {path!r}")
            if number == 0 and found["name"]:
                segments.append(Segment("", 0))
            segments.append(Segment(found["name"], found["marks"].count("[]")))
            if "?" in found["marks"]:
                optional.add(_names(segments))
        last = segments.pop()
        inner = (kind,) if kind and kind != "any" else ()
        types[(*segments, Segment(last.name, 0))] = ("array",) * last.arrays + inner
    return _innermost(types, optional)


def keys_of_shape(shape: Shape) -> Keys:
    """Keys as the analysis found them."""
    types: dict[tuple[Segment, ...], Names] = {}
    optional: set[Names] = set()
    for path, kinds, choices in _walk(shape, (Segment("", 0),), frozenset()):
        types[path] = kinds
        optional |= choices
    return _innermost(types, optional)


def _walk(
    shape: Shape, path: tuple[Segment, ...], optional: frozenset[Names]
) -> Iterator[tuple[tuple[Segment, ...], Names, frozenset[Names]]]:
    arrays = 0
    while shape.items is not None or (shape.type == "array" and not shape.fields):
        arrays += 1
        shape = shape.items or Shape()
    if not shape.fields:
        inner = (shape.type,) if shape.type != "any" else ()
        yield path, ("array",) * arrays + inner, optional
        return
    here = (*path[:-1], Segment(path[-1].name, arrays))
    for field in shape.fields:
        below = (*here, Segment(field.name, 0))
        marked = optional if field.required else optional | {_names(below)}
        yield from _walk(field.shape, below, marked)


def _innermost(types: dict[tuple[Segment, ...], Names], optional: set[Names]) -> Keys:
    """Without the unnamed top by itself, and without paths that another one passes through."""
    passed = {_names(path[:length]) for path in types for length in range(1, len(path))}
    kept = {path: kinds for path, kinds in types.items() if _names(path) not in passed | {()}}
    return Keys(kept, frozenset(optional))


def _names(path: Iterable[Segment]) -> Names:
    return tuple(segment.name for segment in path if segment.name)


def keys_agree(stated: Keys, found: Keys, *, rows: bool = False) -> bool:
    """Whether the code demands the keys that the label states, and no key more.

    A type that the label leaves out agrees with any. A key is optional on both sides or on none;
    that something around it is optional counts only where the label says so. ``rows``: the format
    is a series of records by itself, and either side may leave its array out.
    """
    ours, theirs = _at_top(stated, rows=rows), _at_top(found, rows=rows)
    if ours.keys() != theirs.keys() or not stated.optional <= found.optional:
        return False
    return all(
        (_names(path) in stated.optional) == (_names(path) in found.optional)
        and kinds == theirs[path][: len(kinds)]
        for path, kinds in ours.items()
    )


def _at_top(keys: Keys, *, rows: bool) -> dict[tuple[Segment, ...], Names]:
    if not rows:
        return keys.types
    return {(Segment("", 0), *path[1:]): kinds for path, kinds in keys.types.items()}
