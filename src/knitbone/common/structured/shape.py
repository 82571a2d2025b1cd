"""Shapes of structured values: a tree of types, keys and allowed values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

__all__ = ["Field", "Shape", "TextStep", "ValueType", "after_steps", "dates_as_texts", "key_names"]

ValueType = Literal[
    "any", "string", "integer", "number", "boolean", "array", "object", "null", "date"
]

TextStep = Literal["strip", "lstrip", "rstrip", "lower", "upper", "casefold"]
"""A method of a text, called without arguments."""


class Field(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One key of an object."""

    name: str
    shape: Shape
    required: bool = True


class Shape(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The shape of a structured value, as far as the code demands it."""

    type: ValueType = "any"
    convertible: bool = False
    """Whether what converts to the type is enough: ``int("3")``."""
    fields: tuple[Field, ...] = ()
    """Of an object, in the order of the code."""
    items: Shape | None = None
    """Of an array."""
    values: tuple[str | int | float | bool | None, ...] = ()
    """The only values accepted, where the code names them."""
    steps: tuple[TextStep, ...] = ()
    """What the code does to a text before it looks for it among these values."""
    nullable: bool = False
    name: str = ""
    """The class of the application that declares it."""
    reading: str = ""
    """Of a date: what the code reads it with, a format of ``strptime`` or a function, named as in
    ``common.structured.dates``; empty: any text may do."""


def after_steps(text: str, steps: Sequence[TextStep]) -> str:
    """Return a text after the steps."""
    for step in steps:
        text = getattr(text, step)()
    return text


def key_names(shape: Shape) -> frozenset[str]:
    """Return the names of all keys of a shape."""
    names: set[str] = set()
    pending = [shape]
    while pending:
        inner = pending.pop()
        names.update(field.name for field in inner.fields)
        pending.extend(field.shape for field in inner.fields)
        pending.extend([inner.items] if inner.items is not None else [])
    return frozenset(names)


def dates_as_texts(shape: Shape) -> Shape:
    """Return the shape for a format whose parser makes dates by itself: the code wants the text."""
    return msgspec.structs.replace(
        shape,
        type="string" if shape.type == "date" and not shape.reading else shape.type,
        fields=tuple(
            Field(name=f.name, shape=dates_as_texts(f.shape), required=f.required)
            for f in shape.fields
        ),
        items=dates_as_texts(shape.items) if shape.items is not None else None,
    )
