"""Notation for the shape of a structured value: a list of keys with their types, for people.

    "items[].qty: integer-like"    "note?: string or null"    "state: string in ('on', 'off',)"

``[]`` are the items of an array, ``?`` marks a key that may be missing, ``-like`` what only has
to convert to the type, ``as`` the application's own class, ``by`` how the code reads a date,
``after strip.lower`` what it does to a text before it looks for it among the values; ``$`` is the
whole value. Objects and arrays of which nothing more is known than what they hold have no
line of their own.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast, get_args

import msgspec

from knitbone.adaptation.requirements.notation import (
    check_reading,
    from_literal,
    list_of,
    literal,
    read_literal,
    readable_or_literal,
    text_of,
)
from knitbone.adaptation.requirements.records import Shape, ValueType
from knitbone.common.structured.shape import TextStep

__all__ = ["read_shape", "write_shape"]

_TYPES: tuple[str, ...] = get_args(ValueType)
_STEP = "|".join(get_args(TextStep))
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_TYPE = re.compile(
    rf"(?P<type>{'|'.join(_TYPES)})(?P<like>-like)?(?P<null> or null)?"
    r"(?: as (?P<name>[\w.\[\]<>]+))?(?: by (?P<reading>'[^']*'|\"[^\"]*\"))?"
    rf"(?: after (?P<steps>(?:{_STEP})(?:\.(?:{_STEP}))*))?"
    r"(?: in (?P<values>\(.*\)))?",
    re.DOTALL,
)


def write_shape(shape: Shape) -> Any:
    """Return the lines of a shape."""
    return readable_or_literal(shape, list(_shape_lines("", shape)), read_shape)


def _shape_lines(path: str, shape: Shape) -> list[str]:
    """Return the lines of the part of a shape at a path."""
    container = "object" if shape.fields else "array" if shape.items else None
    bare = Shape(type=cast("Any", container or "any"), fields=shape.fields, items=shape.items)
    lines: list[str] = []
    if container is None or shape != bare:
        lines.append(f"{path or '$'}: {_write_type(shape)}")
    for field in shape.fields:
        plain = _PLAIN_NAME.fullmatch(field.name)
        name = (field.name if plain else json.dumps(field.name)) + ("" if field.required else "?")
        lines += _shape_lines(f"{path}.{name}" if path else name, field.shape)
    return lines + (_shape_lines(f"{path}[]", shape.items) if shape.items else [])


def _write_type(shape: Shape) -> str:
    """Return the type behind the colon."""
    written = shape.type + ("-like" if shape.convertible else "")
    written += " or null" if shape.nullable else ""
    written += f" as {shape.name}" if shape.name else ""
    written += f" by {literal(shape.reading)}" if shape.reading else ""
    written += f" after {'.'.join(shape.steps)}" if shape.steps else ""
    values = ", ".join(literal(value) for value in shape.values)
    return written + (f" in ({values},)" if values else "")


class _ShapeNode:
    """A shape being read."""

    def __init__(self) -> None:
        self.declared: dict[str, Any] | None = None
        self.fields: dict[str, tuple[bool, _ShapeNode]] = {}
        self.items: _ShapeNode | None = None

    def build(self) -> dict[str, Any]:
        """Return the shape as plain data."""
        built: dict[str, Any] = dict(
            self.declared or {"type": "object" if self.fields else "array"}
        )
        if self.fields:
            built["fields"] = [
                {"name": name, "required": required, "shape": node.build()}
                for name, (required, node) in self.fields.items()
            ]
        if self.items:
            built["items"] = self.items.build()
        return built


def read_shape(written: Any) -> Shape:
    """Return the shape of some lines.

    Raises:
        ValueError: a line is not ``path: type``, or a path stands twice.
    """
    if isinstance(written, dict):
        return from_literal(cast("dict[str, Any]", written), Shape)
    root = _ShapeNode()
    lines = [text_of(line) for line in list_of(written)]
    for line in lines:
        node, rest = _walk(root, line)
        match = _TYPE.fullmatch(rest.strip())
        if match is None:
            raise ValueError(f"{rest.strip()!r} in {line!r} is not a type: {', '.join(_TYPES)}")
        if node.declared is not None:
            raise ValueError(f"{line!r}: this key stands twice")
        values = read_literal(match["values"]) if match["values"] else ()
        reading = read_literal(match["reading"]) if match["reading"] else ""
        if match["reading"]:
            check_reading(reading)
        node.declared = {
            "type": match["type"],
            "convertible": bool(match["like"]),
            "nullable": bool(match["null"]),
            "name": match["name"] or "",
            "reading": reading,
            "steps": match["steps"].split(".") if match["steps"] else (),
            "values": values if isinstance(values, tuple) else (values,),
        }
    return msgspec.convert(root.build(), Shape) if lines else Shape()


def _walk(root: _ShapeNode, line: str) -> tuple[_ShapeNode, str]:
    """Return the node that a line's path names, made where it is new, and what follows
    the colon."""
    if line.startswith("$:"):
        return root, line[2:]
    node, rest, first = root, line, True
    while not rest.startswith(":") or first:
        if rest.startswith("[]"):
            node.items = node.items or _ShapeNode()
            node, rest = node.items, rest[2:]
        else:
            rest = rest if first else rest.removeprefix(".")
            name, rest = _leading_name(rest, line)
            optional = rest.startswith("?")
            required, node = node.fields.setdefault(name, (not optional, _ShapeNode()))
            if required is optional:
                raise ValueError(f"{line!r}: {name!r} is optional in one line and not in another")
            rest = rest[optional:]
        first = False
    return node, rest[1:]


def _leading_name(rest: str, line: str) -> tuple[str, str]:
    """Return the name that a path begins with, and the rest."""
    if rest.startswith('"'):
        try:
            name, end = json.JSONDecoder(strict=False).raw_decode(rest)
        except ValueError as error:
            raise ValueError(f"{line!r}: the quoted key does not end") from error
        return name, rest[end:]
    match = _PLAIN_NAME.match(rest)
    if match is None:
        raise ValueError(f"{line!r} is not a key and its type, such as 'items[].qty: integer'")
    return match.group(), rest[match.end() :]
