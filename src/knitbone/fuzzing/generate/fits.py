"""Whether arguments satisfy a JSON schema, as far as a validation before the call would say, and
what else may stand where the schema leaves few choices."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from knitbone.fuzzing.generate.shapes import Resolver, properties_of

__all__ = ["fits", "siblings"]

_DEPTH = 12
_TYPES: dict[str, tuple[type[Any], ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_LONGEST = 2_000


def fits(value: Any, schema: Any, resolver: Resolver, depth: int = 0) -> bool:
    """Whether ``value`` satisfies ``schema``; what is not looked at counts as satisfied."""
    if depth > _DEPTH or not isinstance(schema, dict):
        return True
    return any(_fits_one(value, branch, resolver, depth) for branch in resolver.branches(schema))


def _fits_one(value: Any, schema: dict[str, Any], resolver: Resolver, depth: int) -> bool:
    kinds = schema.get("type")
    if kinds is not None:
        names = cast("list[str]", [kinds] if isinstance(kinds, str) else kinds)
        if not any(_is_of(value, name) for name in names):
            return False
    if "const" in schema and value != schema["const"]:
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return _fits_number(value, schema)
    if isinstance(value, str):
        return _fits_text(value, schema)
    if isinstance(value, list):
        return _fits_list(cast("list[Any]", value), schema, resolver, depth)
    if isinstance(value, dict):
        return _fits_object(cast("dict[str, Any]", value), schema, resolver, depth)
    return True


def _is_of(value: Any, name: str) -> bool:
    if isinstance(value, bool) and name != "boolean":
        return False
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(name, (object,)))


def _fits_number(value: float, schema: dict[str, Any]) -> bool:
    return (
        value >= schema.get("minimum", value)
        and value <= schema.get("maximum", value)
        and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
        and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"])
    )


def _fits_text(value: str, schema: dict[str, Any]) -> bool:
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        return False
    pattern = schema.get("pattern")
    if not isinstance(pattern, str) or len(value) > _LONGEST:
        return True
    try:
        return re.search(pattern, value) is not None
    except re.error:
        return True


def _fits_list(value: list[Any], schema: dict[str, Any], resolver: Resolver, depth: int) -> bool:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return False
    prefix: list[Any] = schema.get("prefixItems") or []
    for index, item in enumerate(value[:200]):
        part: Any = prefix[index] if index < len(prefix) else schema.get("items")
        if not fits(item, part, resolver, depth + 1):
            return False
    return True


def _fits_object(
    value: dict[str, Any], schema: dict[str, Any], resolver: Resolver, depth: int
) -> bool:
    properties = properties_of(schema)
    if any(name not in value for name in schema.get("required") or ()):
        return False
    extra = schema.get("additionalProperties")
    for name, item in value.items():
        part = properties.get(name, extra)
        if part is False or not fits(item, part, resolver, depth + 1):
            return False
    return True


_CHOICES = 12


Draw = Callable[[Any, str], Any]
"""A value for a field, from its schema and name."""


def siblings(
    value: Any, schema: Any, resolver: Resolver, draw: Draw, depth: int = 0
) -> Iterator[Any]:
    """The same value with one flag turned, one choice exchanged, or one optional field left out
    or added."""
    if depth > _DEPTH or not isinstance(schema, dict):
        return
    for branch in resolver.branches(schema):
        for other in _others(value, branch):
            yield other
        if isinstance(value, dict):
            yield from _with_sibling(cast("dict[str, Any]", value), branch, resolver, draw, depth)
        elif isinstance(value, list) and branch.get("items") is not None:
            items = cast("list[Any]", value)
            for index, item in enumerate(items[:4]):
                for other in siblings(item, branch["items"], resolver, draw, depth + 1):
                    yield [*items[:index], other, *items[index + 1 :]]


def _others(value: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if isinstance(value, bool) and schema.get("type") == "boolean":
        yield not value
    for choice in schema.get("enum", ())[:_CHOICES]:
        if choice != value:
            yield choice
    if schema.get("type") == "null" and value is not None:
        yield None


def _with_sibling(
    value: dict[str, Any], schema: dict[str, Any], resolver: Resolver, draw: Draw, depth: int
) -> Iterator[dict[str, Any]]:
    properties = properties_of(schema)
    required = schema.get("required") or ()
    for name, part in properties.items():
        if name in value:
            for other in siblings(value[name], part, resolver, draw, depth + 1):
                yield {**value, name: other}
            if name not in required:
                yield {key: item for key, item in value.items() if key != name}
        else:
            yield {**value, name: draw(part, name)}
