"""A parsed value against its shape: the fewest changes that make it one, or why there are none.

The walk knows no format. It says *where* something has to change and how; a format writes the
changes into its text, so that everything else stays as it was written. Of an array of objects
each object is a record: one that is beyond repair leaves the others alone.

Source: Comfrey §4.3.1 (structured templates: minimum edits to structure, then type conversion).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgspec

from knitbone.common.structured.changes import (
    Conformed,
    Misfit,
    Path,
    ValueChange,
    clip,
    kind_of,
    shown,
)
from knitbone.common.structured.names import match_names
from knitbone.common.structured.scalars import NO_READING, convert, is_scalar, says_nothing
from knitbone.common.structured.shape import Shape

__all__ = [
    "HEURISTICS",
    "MAX_MISFITS",
    "TAU_ELEMENT",
    "Conformed",
    "Misfit",
    "ValueChange",
    "conform",
    "fits",
]

TAU_ELEMENT = 3
"""Comfrey §4.3.1: a record with this many missing and extraneous elements is not this template."""
HEURISTICS = ("keys", "wrapper", "types", "values")
"""What can be switched off: key names, objects and arrays around the value, types of values,
allowed values."""
_LIST_MARKS = frozenset(",;|\n")
_MAX_WRAPPERS = 8
"""Objects with one key in one another, around what the code looks for (ours)."""
MAX_MISFITS = 100
"""Places that are told; one is enough to refuse, the others are for the reader (ours)."""


def fits(value: Any, shape: Shape, *, required: bool = True) -> bool:
    """Tell whether a value is what the shape asks for.

    An optional one may be null; it may be missing, but not stand there under another spelling.
    """
    if value is None and not required:
        return True
    if shape.type == "object" or shape.fields:
        if not isinstance(value, dict):
            return value is None and shape.nullable
        return _has_members(cast("dict[Any, Any]", value), shape)
    if shape.type == "array" or shape.items is not None:
        if not isinstance(value, list | tuple):
            return value is None and shape.nullable
        items = shape.items
        return items is None or all(fits(item, items) for item in cast("list[Any]", value))
    if isinstance(value, dict | list | tuple):
        return shape.type == "any" and not shape.values
    return is_scalar(value, shape)


def _has_members(known: dict[Any, Any], shape: Shape) -> bool:
    lacking: list[str] = []
    for field in shape.fields:
        if field.name in known:
            if not fits(known[field.name], field.shape, required=field.required):
                return False
        elif field.required:
            return False
        else:
            lacking.append(field.name)
    if not lacking or len(known) + len(lacking) == len(shape.fields):
        return True
    wanted = {field.name for field in shape.fields}
    # Python and YAML have other keys than texts; no text is a spelling of them.
    others = [key for key in known if isinstance(key, str) and key not in wanted]
    return all(near for _, _, near in match_names(others, lacking))


def conform(
    value: Any,
    shape: Shape,
    *,
    name: str = "",
    tau: int = TAU_ELEMENT,
    uses: Callable[[str], bool] = lambda _: True,
    pause: Callable[[], None] = lambda: None,
) -> Conformed:
    """Bring a parsed value into its shape.

    Args:
        value: of dictionaries with text keys, lists, texts, numbers, truth values and null.
        name: of the value itself, where it is a field of something else.
        tau: elements by which a record may not differ.
        uses: whether one of ``HEURISTICS`` is switched on.
        pause: called for each item of an array; it may raise where the time is spent.

    Returns:
        the value with the changes that were made, each of which says the same as before in
        another form, and the places where nothing safe could be done. Bringing the result into
        shape again changes nothing. Never raises but what ``pause`` raises.
    """
    return _ShapeWalk(name, tau, uses, pause).run(value, shape)


class _ShapeWalk:
    """One run of ``conform``; recursion goes no deeper than the shape, and the wrappers that may
    stand around it."""

    def __init__(
        self,
        name: str,
        tau: int,
        uses: Callable[[str], bool],
        pause: Callable[[], None],
        *,
        wrappers: int = 0,
    ) -> None:
        self.name = name
        self.tau = tau
        self.uses = uses
        self.pause = pause
        self.wrappers = wrappers
        """Objects that were taken off around the value."""
        self.changes: list[ValueChange] = []
        self.misfits: list[Misfit] = []

    def run(self, value: Any, shape: Shape) -> Conformed:
        result = self.value(value, shape, ())
        return Conformed(value=result, changes=tuple(self.changes), misfits=tuple(self.misfits))

    def value(self, value: Any, shape: Shape, path: Path, *, required: bool = True) -> Any:
        if fits(value, shape, required=required):
            return value
        if shape.type == "object" or shape.fields:
            return self._object(value, shape, path)
        if shape.type == "array" or shape.items is not None:
            return self._array(value, shape, path)
        return self._scalar(value, shape, path)

    def _object(self, value: Any, shape: Shape, path: Path) -> Any:
        if isinstance(value, dict):
            known = cast("dict[str, Any]", value)
            found = self._wrapped(known, shape)
            if found is None:
                return self._members(known, shape, path)
            key, inner = found
            self._change(path, "unwrap", key, f'wrapper "{clip(key)}" removed', element=True)
            # As it was tried: another walk at each wrapper would double the time.
            self.changes += [
                msgspec.structs.replace(change, path=(*path, key, *change.path))
                for change in inner.changes
            ]
            return inner.value
        if isinstance(value, list | tuple) and self.uses("wrapper"):
            items = cast("list[Any]", value)
            if len(items) == 1 and isinstance(items[0], dict):
                self._change(path, "unwrap", 0, "array around the object removed", element=True)
                return self.value(items[0], shape, (*path, 0))
        return self._misfit(value, path, f"{kind_of(value)} where an object is expected")

    def _wrapped(self, known: dict[str, Any], shape: Shape) -> tuple[str, Conformed] | None:
        """The only key, and the object in its shape, where it stands under that key and not in
        its place."""
        if not self.uses("wrapper") or len(known) != 1 or not shape.fields:
            return None
        if self.wrappers == _MAX_WRAPPERS:
            return None
        key, inner = next(iter(known.items()))
        if not isinstance(inner, dict) or match_names([key], [f.name for f in shape.fields]):
            return None
        walk = _ShapeWalk(key, self.tau, self.uses, self.pause, wrappers=self.wrappers + 1)
        tried = walk.run(inner, shape)
        held = any(f.name in tried.value for f in shape.fields) if tried.fits else False
        return (key, tried) if held else None

    def _members(self, known: dict[str, Any], shape: Shape, path: Path) -> Any:
        names = self._names(known, shape)
        missing = [f for f in shape.fields if f.required and f.name not in names]
        elements = len(missing) + sum(1 for _, near in names.values() if near)
        if elements >= self.tau:
            return self._misfit(known, path, f"{elements} keys are missing or have other names")
        if missing:
            said = ", ".join(f'"{clip(f.name)}"' for f in missing)
            self._misfit(known, path, f"the key {said} is missing")
        changed: dict[str, tuple[str, Any]] = {}
        for field in shape.fields:
            if field.name not in names:
                continue
            key, near = names[field.name]
            if key != field.name:
                rule = f'key "{clip(key)}" -> "{clip(field.name)}"'
                self._change((*path, key), "rename", field.name, rule, element=near)
            new = self.value(known[key], field.shape, (*path, key), required=field.required)
            if new is not known[key] or key != field.name:
                changed[key] = (field.name, new)
        if not changed:
            return known
        return dict(changed.get(key, (key, old)) for key, old in known.items())

    def _names(self, known: dict[str, Any], shape: Shape) -> dict[str, tuple[str, bool]]:
        """Wanted key -> the key that is there, and whether it is another one misspelt."""
        names = {f.name: (f.name, False) for f in shape.fields if f.name in known}
        if not self.uses("keys"):
            return names
        lacking = [f for f in shape.fields if f.name not in known]
        wanted = [f.name for f in shape.fields]
        others = [key for key in known if key not in wanted]
        if lacking and others:
            optional = {f.name for f in lacking if not f.required}
            for key, name, near in match_names(others, [f.name for f in lacking]):
                # What the code can do without may well be missing: only its own name will do.
                if not (near and name in optional):
                    names[name] = (key, near)
        return names

    def _array(self, value: Any, shape: Shape, path: Path) -> Any:
        items = shape.items or Shape()
        if isinstance(value, list | tuple):
            old = cast("list[Any]", value)
            new: list[Any] = []
            for index, item in enumerate(old):
                self.pause()
                new.append(self.value(item, items, (*path, index)))
            return old if all(a is b for a, b in zip(old, new, strict=True)) else new
        if self.uses("wrapper"):
            if isinstance(value, dict):
                known = cast("dict[str, Any]", value)
                key, inner = next(iter(known.items())) if len(known) == 1 else ("", None)
                if isinstance(inner, list) and not fits(known, items):
                    rule = f'wrapper "{clip(key)}" removed'
                    self._change(path, "unwrap", key, rule, element=True)
                    return self.value(inner, shape, (*path, key))
            if _is_one_item(value, items):
                self._change(path, "wrap", None, f"{kind_of(value)} -> array of one", element=True)
                return [self.value(value, items, path)]
        return self._misfit(value, path, f"{kind_of(value)} where an array is expected")

    def _scalar(self, value: Any, shape: Shape, path: Path) -> Any:
        if isinstance(value, list | tuple) and self.uses("wrapper"):
            only = cast("list[Any]", value)
            if len(only) == 1 and fits(only[0], shape) and only[0] is not None:
                self._change(path, "unwrap", 0, "array around one value removed", element=True)
                return only[0]
        new: Any = NO_READING
        if self.uses("values" if shape.values else "types"):
            name = next((key for key in reversed(path) if isinstance(key, str)), self.name)
            new = convert(value, shape, name)
        if new is NO_READING or not is_scalar(new, shape):
            return self._misfit(value, path, _expected(value, shape))
        quotes = isinstance(new, str) and not isinstance(value, str) and not shape.values
        quotes = quotes and (shape.type != "date" or new == str(cast("object", value)))
        self._change(path, "quote" if quotes else "replace", new, _conversion(value, new))
        return new

    def _change(
        self, path: Path, action: Any, value: Any, rule: str, *, element: bool = False
    ) -> None:
        change = ValueChange(path=path, action=action, value=value, rule=rule, element=element)
        self.changes.append(change)

    def _misfit(self, value: Any, path: Path, reason: str) -> Any:
        if len(self.misfits) < MAX_MISFITS:
            self.misfits.append(Misfit(path=path, reason=reason))
        return value


def _is_one_item(value: Any, items: Shape) -> bool:
    """Tell whether a value stands for an array that holds it alone.

    A text that may be a list itself does not: ``"a, b"``; nor one that may say that there is
    nothing: ``""``, ``"none"``.
    """
    if isinstance(value, str):
        plain = not _LIST_MARKS & set(value) and not says_nothing(value)
        return items.type == "string" and plain and fits(value, items)
    if isinstance(value, dict):
        named = items.type == "object" or bool(items.fields)
        return named and conform(cast("dict[str, Any]", value), items).fits
    return value is not None and items.type in ("integer", "number") and fits(value, items)


def _conversion(value: Any, new: Any) -> str:
    """Numbers are told by kind: each is another one."""
    if isinstance(value, int | float) and not isinstance(value, bool) and isinstance(new, str):
        return "number -> text"
    if isinstance(value, str) and isinstance(new, int | float) and not isinstance(new, bool):
        return "text -> number"
    return f"{shown(value)} -> {shown(new)}"


def _expected(value: Any, shape: Shape) -> str:
    if shape.values:
        return f"{shown(value)} is none of the {len(shape.values)} values expected"
    article = "an" if shape.type[0] in "aio" else "a"
    return f"{shown(value)} where {article} {shape.type} is expected"
