"""Parts of an answer that may be the document, and edits made in a text by place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

import msgspec

from knitbone.common.structured.shape import Field, Shape

__all__ = [
    "DocumentDraft",
    "Spelled",
    "SpelledInteger",
    "dates_as_texts",
    "fenced_parts",
    "has_text_keys",
    "names_in",
    "same_value",
    "splice",
]

_FENCE = re.compile(r"^[ \t]{0,8}(?:`{3,}|~{3,})[^\n`]*$", re.MULTILINE)
_MAX_FENCES = 64
"""Fence lines of an answer that are looked at (ours)."""
_TRUTH = frozenset({"true", "false", "yes", "no", "on", "off"})


class DocumentDraft(NamedTuple):
    """A text that may be the document, and what was done to make it one."""

    text: str
    rules: tuple[str, ...] = ()
    beside: bool = False
    """Whether it is one of several documents of the answer, none of which is preferred."""


class Spelled(float):
    """A number that prints as it was written: ``1.10`` as a text is ``"1.10"``."""

    spelling: str

    def __new__(cls, number: float, spelling: str) -> Spelled:
        made = super().__new__(cls, number)
        made.spelling = spelling
        return made

    def __str__(self) -> str:
        return self.spelling

    __repr__ = float.__repr__


class SpelledInteger(int):
    """The same for whole numbers: ``0o14``, ``1_000``."""

    spelling: str

    def __new__(cls, number: int, spelling: str) -> SpelledInteger:
        made = super().__new__(cls, number)
        made.spelling = spelling
        return made

    def __str__(self) -> str:
        return self.spelling

    __repr__ = int.__repr__


def fenced_parts(text: str) -> list[str]:
    """List what stands inside code fences, the last first; a part that a fence opens and none
    closes reaches to the end."""
    marks: list[re.Match[str]] = []
    for mark in _FENCE.finditer(text):
        marks.append(mark)
        if len(marks) > _MAX_FENCES:
            return []
    parts = [
        text[mark.end() + 1 : marks[index + 1].start() if index + 1 < len(marks) else len(text)]
        for index, mark in enumerate(marks)
        if index % 2 == 0
    ]
    return [part for part in reversed(parts) if part.strip()]


def splice(text: str, edits: Iterable[tuple[int, int, str]]) -> str | None:
    """The text with pieces replaced; ``None`` where two are in each other's way."""
    pieces: list[str] = []
    place = 0
    for start, end, written in sorted(edits):
        if start < place:
            return None
        pieces += [text[place:start], written]
        place = end
    return "".join((*pieces, text[place:]))


def names_in(shape: Shape) -> frozenset[str]:
    """All keys that a shape names."""
    names: set[str] = set()
    pending = [shape]
    while pending:
        inner = pending.pop()
        names.update(field.name for field in inner.fields)
        pending.extend(field.shape for field in inner.fields)
        pending.extend([inner.items] if inner.items is not None else [])
    return frozenset(names)


def dates_as_texts(shape: Shape) -> Shape:
    """The shape for a format whose parser makes dates by itself: the code wants the text."""
    return msgspec.structs.replace(
        shape,
        type="string" if shape.type == "date" and not shape.reading else shape.type,
        fields=tuple(
            Field(name=f.name, shape=dates_as_texts(f.shape), required=f.required)
            for f in shape.fields
        ),
        items=dates_as_texts(shape.items) if shape.items is not None else None,
    )


def has_text_keys(value: Any) -> bool:
    """Tell whether all objects in a value have texts for keys."""
    pending: list[Any] = [value]
    while pending:
        inner = pending.pop()
        if isinstance(inner, dict):
            members = cast("dict[Any, Any]", inner)
            if not all(isinstance(key, str) for key in members):
                return False
            pending.extend(members.values())
        elif isinstance(inner, list | tuple):
            pending.extend(cast("Iterable[Any]", inner))
    return True


def same_value(said: Any, meant: Any) -> bool:
    """Tell whether two values are equal, type by type; the spelling of a truth value that became a
    text is the text's own."""
    pending = [(said, meant)]
    while pending:
        one, other = pending.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            first, second = cast("dict[Any, Any]", one), cast("dict[Any, Any]", other)
            if list(first) != list(second):
                return False
            pending.extend((first[key], second[key]) for key in first)
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            items, others = cast("list[Any]", one), cast("list[Any]", other)
            if len(items) != len(others):
                return False
            pending.extend(zip(items, others, strict=True))
        elif isinstance(one, str) and isinstance(other, str):
            if one != other and not {one.lower(), other} <= _TRUTH:
                return False
        elif isinstance(one, bool) != isinstance(other, bool) or (
            one != other and not (one != one and other != other)  # noqa: PLR0124 - NaN
        ):
            return False
    return True
