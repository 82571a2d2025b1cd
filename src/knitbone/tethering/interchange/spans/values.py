"""Attribute values: ``AnyValue`` of OTLP/JSON and plain JSON, both ways.

Specification: OpenTelemetry Protocol 1.x, "JSON Protobuf Encoding": 64-bit integers are decimal
text, keys are lowerCamelCase, an ``AnyValue`` with no field set is null.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

from knitbone.errors import InputFormatError
from knitbone.record.events import Json
from knitbone.tethering.interchange.untrusted_json import (
    MAX_DEPTH,
    JsonPlace,
    as_list,
    as_object,
    as_text,
    checked,
    describe,
)

__all__ = [
    "any_value_from",
    "attributes_from",
    "attributes_of",
    "integer",
    "is_native",
    "parse_structure",
    "to_json_text",
]

INT64 = range(-(2**63), 2**63)

_MAX_JSON_DEPTH = 2 * MAX_DEPTH
"""A value of the greatest depth that is accepted, inside a message, is still read."""
_MAX_LEVELS = 40
"""Lists and maps inside one another that are read; the file itself may not be deeper either."""


def to_any_value(value: Json) -> dict[str, Any]:
    """A value as OTLP/JSON writes it.

    Text, booleans, 64-bit integers, floats, null, and lists of these; whatever else JSON can hold
    is the caller's to encode as text.
    """
    if value is None:
        return {}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value if math.isfinite(value) else _name_of(value)}
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return {"arrayValue": {"values": [to_any_value(item) for item in items]}}
    return {"stringValue": str(value)}


def _name_of(value: float) -> str:
    """Protobuf's JSON names of the floats that JSON has no number for."""
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def attributes_of(values: Mapping[str, Json]) -> list[dict[str, Any]]:
    """Named values as OTLP/JSON's list of keys and values."""
    return [{"key": key, "value": to_any_value(value)} for key, value in values.items()]


def attributes_from(value: Json, place: JsonPlace) -> dict[str, Json]:
    """The inverse of ``attributes_of``; an absent list is no attributes.

    Raises:
        InputFormatError: not a list of keys and values.
    """
    if value is None:
        return {}
    found: dict[str, Json] = {}
    for number, item in enumerate(as_list(value, place)):
        at = place.at(number)
        entry = as_object(item, at)
        key = as_text(entry.get("key"), at.at("key"))
        found[key] = _from_any_value(entry.get("value"), at.at("value"), 0)
    return found


def any_value_from(value: Json, place: JsonPlace) -> Json:
    """One value, as plain JSON.

    Raises:
        InputFormatError: it is no ``AnyValue``.
    """
    return _from_any_value(value, place, 0)


def _from_any_value(value: Json, place: JsonPlace, level: int) -> Json:
    if value is None:
        return None
    if level > _MAX_LEVELS:
        raise InputFormatError(
            f"{place}: lists and maps are nested deeper than {_MAX_LEVELS} levels.",
            next_step="Correct the file.",
        )
    entry = as_object(value, place)
    for names, read in _READERS:
        name = next((n for n in names if n in entry), None)
        if name is not None:
            return read(entry[name], place.at(name), level + 1)
    if entry:
        raise InputFormatError(
            f"{place}: expected an attribute value such as stringValue, found {describe(value)}.",
            next_step="Correct the file; see OTLP's JSON encoding.",
        )
    return None


def _text(value: Json, place: JsonPlace, _: int) -> str:
    return as_text(value, place)


def _plain(value: Json, place: JsonPlace, _: int) -> Json:
    if isinstance(value, (dict, list)):
        raise InputFormatError(
            f"{place}: expected a plain value, found {describe(value)}.",
            next_step="Correct the file.",
        )
    return value


def _whole(value: Json, place: JsonPlace, _: int) -> int:
    return integer(value, place)


def _double(value: Json, place: JsonPlace, _: int) -> float:
    try:
        if isinstance(value, (int, float, str)):
            return float(value)
    except (ValueError, OverflowError):
        pass
    raise InputFormatError(
        f"{place}: expected a number, found {describe(value)}.", next_step="Correct the file."
    )


def _array(value: Json, place: JsonPlace, level: int) -> list[Json]:
    items: Any = as_object(value, place).get("values") or []
    at = place.at("values")
    return [_from_any_value(v, at.at(n), level) for n, v in enumerate(as_list(items, at))]


def _map(value: Json, place: JsonPlace, level: int) -> dict[str, Json]:
    entries: Any = as_object(value, place).get("values") or []
    at = place.at("values")
    found: dict[str, Json] = {}
    for number, item in enumerate(as_list(entries, at)):
        entry = as_object(item, at.at(number))
        key = as_text(entry.get("key"), at.at(number).at("key"))
        found[key] = _from_any_value(entry.get("value"), at.at(number).at("value"), level)
    return found


_READERS: tuple[tuple[tuple[str, str], Any], ...] = (
    (("stringValue", "string_value"), _text),
    (("intValue", "int_value"), _whole),
    (("boolValue", "bool_value"), _plain),
    (("doubleValue", "double_value"), _double),
    (("arrayValue", "array_value"), _array),
    (("kvlistValue", "kvlist_value"), _map),
    (("bytesValue", "bytes_value"), _plain),
)


def integer(value: Json, place: JsonPlace) -> int:
    """A 64-bit integer: a number, or its decimal digits as text.

    Raises:
        InputFormatError: it is neither, or has more than 64 bits.
    """
    text = value if isinstance(value, str) else ""
    if len(text) <= 20 and text.isascii() and text.removeprefix("-").isdigit():
        value = int(text)
    if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**64:
        return value
    raise InputFormatError(
        f"{place}: expected a 64-bit integer, found {describe(value)}.",
        next_step="Correct the file.",
    )


def is_native(value: Json) -> bool:
    """Whether ``to_any_value`` holds it without loss: a scalar, or a list of scalars."""
    if isinstance(value, list):
        items: Iterable[Any] = cast("list[Any]", value)
        return all(not isinstance(item, (list, dict)) and is_native(item) for item in items)
    if isinstance(value, int):
        return value in INT64
    return value is None or isinstance(value, (str, float))


def parse_structure(text: str, place: JsonPlace) -> Json:
    """The inverse of ``to_json_text``.

    Raises:
        ValueError, RecursionError, TypeError: it is no JSON text.
        InputFormatError: it is nested absurdly deep.
    """
    return checked(json.loads(text), place, max_depth=_MAX_JSON_DEPTH)


def to_json_text(value: Json) -> str:
    """A value as JSON text, for attributes that hold structure."""
    return json.dumps(value, ensure_ascii=False, default=repr)
