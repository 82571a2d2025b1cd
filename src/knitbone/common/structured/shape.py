"""Shapes of structured values: a tree of types, keys and allowed values."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["Field", "Shape", "ValueType"]

ValueType = Literal[
    "any", "string", "integer", "number", "boolean", "array", "object", "null", "date"
]


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
    nullable: bool = False
    name: str = ""
    """The class of the application that declares it."""
    reading: str = ""
    """Of a date: what the code reads it with, a format of ``strptime`` or a function, named as in
    ``common.structured.dates``; empty: any text may do."""
