"""Shapes of literal JSON Schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from knitbone.adaptation.requirements.records import Field, Shape, ValueType

__all__ = ["mapping_of", "shape_of_schema"]

_TYPES: dict[str, ValueType] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "array": "array",
    "object": "object",
    "null": "null",
}
_READINGS = {"date": "pydantic.date", "date-time": "pydantic.datetime", "time": "pydantic.time"}
"""Formats of texts that a validator makes dates and times of, and what reads them so."""
_MAX_DEPTH = 8
"""Objects inside one another; what lies deeper is not read (ours)."""


def shape_of_schema(schema: Mapping[str, Any], depth: int = 0, *, dates: bool = False) -> Shape:
    """Return the shape of a JSON Schema, as far as types, properties, items and enumerations go.

    Args:
        dates: whether the formats of dates and times are demanded, which a schema only notes.

    Never raises: what is no schema demands nothing.
    """
    if depth > _MAX_DEPTH:
        return Shape()
    properties = _mapping(schema.get("properties"))
    needed = _members(schema.get("required"))
    fields = tuple(
        Field(
            name=str(name),
            shape=shape_of_schema(_mapping(inner), depth + 1, dates=dates),
            required=name in needed,
        )
        for name, inner in properties.items()
    )
    kinds = [kind for kind in _members(schema.get("type")) if kind in _TYPES]
    plain = [kind for kind in kinds if kind != "null"]
    items = schema.get("items")
    kind: ValueType = _TYPES[plain[0]] if len(plain) == 1 else "object" if fields else "any"
    written = str(schema.get("format")) if dates and kind == "string" else ""
    reading = _READINGS.get(written, "")
    return Shape(
        type="date" if reading else kind,
        reading=reading,
        fields=fields,
        items=None if items is None else shape_of_schema(_mapping(items), depth + 1, dates=dates),
        values=tuple(
            value
            for value in _members(schema.get("enum"))
            if value is None or isinstance(value, str | int | float)
        ),
        nullable=len(plain) < len(kinds),
    )


def mapping_of(value: Any, depth: int = 0) -> Any:
    """Return a dictionary that was written as a tuple of pairs so that it can be hashed, with those
    inside it; any other value as it is."""
    plain: Any = value
    if not isinstance(value, tuple) or depth > _MAX_DEPTH * 2:
        return plain
    items = cast("tuple[Any, ...]", value)
    if items and all(_is_pair(item) for item in items):
        return {key: mapping_of(inner, depth + 1) for key, inner in items}
    return tuple(mapping_of(item, depth + 1) for item in items)


def _is_pair(value: object) -> bool:
    """Return whether a value is a key and a value."""
    if not isinstance(value, tuple):
        return False
    items = cast("tuple[object, ...]", value)
    return len(items) == 2 and isinstance(items[0], str)


def _mapping(value: object) -> Mapping[str, Any]:
    """Return a value if it is a mapping, or else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _members(value: object) -> tuple[Any, ...]:
    """Return the members of a list; a value that is none is the only one."""
    if isinstance(value, list | tuple):
        return tuple(cast("tuple[Any, ...]", value))
    return () if value is None else (value,)
