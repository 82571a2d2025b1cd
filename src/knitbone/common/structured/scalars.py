"""Single values: whether one is of a type, and the conversion that loses nothing.

A conversion is made where the text has one reading only. ``"1,234"`` is a whole number where one
is wanted, undecided where any number is (it may be 1.234); ``"007"`` is no number, it may be an
identifier; ``"N/A"`` is null only where null is allowed.

Source: Comfrey §4.3.1 (type conversion where content violates the template).
"""

from __future__ import annotations

import math
import re
from typing import Any

from knitbone.common.structured.dates import reads, respelled
from knitbone.common.structured.names import is_near, plain_name
from knitbone.common.structured.shape import Shape, after_steps
from knitbone.common.structured.units import without_unit

__all__ = ["NO_READING", "convert", "is_scalar", "says_nothing"]


class _NoReading:
    """The mark for: no conversion that is sure."""


NO_READING = _NoReading()

_MAX_NUMBER = 40
"""Characters of a text that is read as a number (ours)."""
_WHOLE = re.compile(r"\+?(-?(?:0|[1-9]\d*))(?:\.0*)?", re.ASCII)
_NUMBER = re.compile(r"\+?(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)", re.ASCII)
_GROUPED = re.compile(r"\+?(-?[1-9]\d{0,2}(?:,\d{3})+)", re.ASCII)
_GROUPED_SURELY = re.compile(
    r"\+?(-?[1-9]\d{0,2}(?:(?:,\d{3}){2,}(?:\.\d+)?|,\d{3}\.\d+))", re.ASCII
)
"""Two marks, or a mark and a point: the mark cannot be the decimal one."""
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})
_LOOSE_BOOLEANS = _TRUE | _FALSE | {"y", "n", "t", "f", "1", "0"}
"""What functions that make a truth value of a text accept."""
_NULLS = frozenset({"null", "none", "n/a", "na", "nil", "undefined", "-", ""})
_LONGEST_INT = 4300
"""Digits that ``int`` reads by default."""


def says_nothing(text: str) -> bool:
    """Tell whether a text may be a way to write that there is no value."""
    return len(text) <= _MAX_NUMBER and text.strip().lower() in _NULLS


def is_scalar(value: Any, shape: Shape) -> bool:
    """Tell whether a value that is neither object nor array is what the shape asks for."""
    if value is None:
        return (
            shape.nullable
            or shape.type == "null"
            or (shape.type == "any" and (not shape.values or None in shape.values))
        )
    if shape.values:
        read = after_steps(value, shape.steps) if isinstance(value, str) else value
        if not any(
            v == read and isinstance(v, bool) is isinstance(read, bool) for v in shape.values
        ):
            return False
    return _is_of_type(value, shape)


def _is_of_type(value: Any, shape: Shape) -> bool:
    match shape.type:
        case "any":
            return True
        case "string":
            return isinstance(value, str)
        case "date":
            return reads(value, shape.reading) if shape.reading else isinstance(value, str)
        case "integer":
            plain = isinstance(value, int) and not isinstance(value, bool)
            return plain or (shape.convertible and _reads(int, value))
        case "number":
            plain = isinstance(value, int | float) and not isinstance(value, bool)
            return plain or (shape.convertible and _reads(float, value))
        case "boolean":
            return isinstance(value, bool) or (shape.convertible and _is_loose_boolean(value))
        case _:
            return False


def _reads(function: type[int] | type[float], value: Any) -> bool:
    if isinstance(value, str) and len(value) > _LONGEST_INT:
        return False
    try:
        function(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _is_loose_boolean(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) < _MAX_NUMBER and value.lower() in _LOOSE_BOOLEANS
    return value in (0, 1)


def convert(value: Any, shape: Shape, name: str = "") -> Any:
    """The value as the shape wants it, where it says so in another form; else ``NO_READING``.

    ``name`` is the field's: a unit that it says may stand beside a number as well.
    Text and numbers only turn into what they say already. Of a number that becomes a text the
    result is Python's spelling; a format that keeps its source takes the source's.
    """
    if shape.values:
        return _listed(value, shape)
    if shape.type == "date" and shape.reading:
        return _date(value, shape)
    if isinstance(value, str):
        return _from_text(value, shape, name)
    if isinstance(value, bool):
        return str(value).lower() if shape.type == "string" else NO_READING
    if isinstance(value, int | float) and shape.type == "string":
        return str(value)
    if isinstance(value, float) and shape.type == "integer":
        return int(value) if math.isfinite(value) and value.is_integer() else NO_READING
    if shape.type == "boolean" and isinstance(value, int) and value in (0, 1):
        return bool(value)
    return NO_READING


def _date(value: Any, shape: Shape) -> Any:
    """The date in the spelling that the code reads; a number is one as it is written."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return NO_READING
    if not isinstance(value, str) and not abs(value) < 10**_MAX_NUMBER:
        return NO_READING  # no date, and perhaps too long to be written
    text = _text_of(value)
    if shape.nullable and says_nothing(text):
        return None
    if not isinstance(value, str) and reads(text, shape.reading):
        return text
    spelling = respelled(text, shape.reading)
    return NO_READING if spelling is None else spelling


def _from_text(text: str, shape: Shape, name: str = "") -> Any:
    if len(text) > _MAX_NUMBER:
        return NO_READING
    bare = text.strip()
    if shape.nullable and shape.type != "string" and bare.lower() in _NULLS:
        return None
    if shape.type == "boolean":
        word = bare.lower()
        return True if word in _TRUE else False if word in _FALSE else NO_READING
    if shape.type not in ("integer", "number"):
        return NO_READING
    bare = without_unit(bare, name) or bare
    return _number_from(bare, shape)


def _number_from(bare: str, shape: Shape) -> Any:
    if shape.type == "integer":
        match = _WHOLE.fullmatch(bare) or _GROUPED.fullmatch(bare)
    else:
        match = _NUMBER.fullmatch(bare) or _GROUPED_SURELY.fullmatch(bare)
    if match is None:
        return NO_READING
    spelling = match.group(1).replace(",", "")
    if shape.convertible:
        return spelling  # the code converts a text itself, and may call its methods before
    if shape.type == "integer" or not set(spelling) & set(".eE"):
        return int(spelling)
    number = float(spelling)
    return number if math.isfinite(number) else NO_READING


def _listed(value: Any, shape: Shape) -> Any:
    """The one of the allowed values that is meant."""
    if value is None or not isinstance(value, str | int | float):
        return NO_READING
    if "?" in _text_of(value):
        return NO_READING  # a question, no statement
    said = plain_name(_text_of(value))
    plain = {plain_name(_text_of(allowed)): allowed for allowed in shape.values}
    if len(plain) < len(shape.values) or not said:
        return NO_READING
    if said in plain:
        return plain[said]
    boolean = _from_text(said, Shape(type="boolean"))
    if isinstance(boolean, bool) and plain.keys() <= _TRUE | _FALSE:
        same = _TRUE if boolean else _FALSE
        alike = [allowed for name, allowed in plain.items() if name in same]
    else:
        alike = [allowed for name, allowed in plain.items() if is_near(said, name)]
    return alike[0] if len(alike) == 1 else NO_READING


def _text_of(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
