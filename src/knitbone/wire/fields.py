"""Fields of a message whose shape is not taken for granted: JSON, or an SDK's object.

What is not there, or of another type than it should be, reads as nothing; no reader here raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

__all__ = [
    "count",
    "element",
    "elements",
    "field",
    "integer_of",
    "number_of",
    "object_of",
    "word",
]


def field(value: Any, name: str) -> Any:
    """A field of an SDK's object or of its JSON; ``None`` where there is none."""
    if type(value) is dict or isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name)
    return getattr(value, name, None)


def elements(value: Any) -> Iterable[Any]:
    """The elements of a list, none of anything else."""
    return cast("Iterable[Any]", value) if isinstance(value, (list, tuple)) else ()


def element(value: Any, name: str) -> Any:
    """The first element of a field that holds a list."""
    return next(iter(elements(field(value, name))), None)


def object_of(value: Any) -> dict[str, Any]:
    """A JSON object; an empty one in place of anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def word(value: Any) -> str | None:
    """A text, or nothing."""
    return value if isinstance(value, str) else None


def count(value: Any) -> int | None:
    """A whole number, such as one of tokens, or nothing."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def integer_of(fields: Mapping[str, Any], *names: str) -> int | None:
    """The first of these fields that is a whole number."""
    return next((found for name in names if (found := count(fields.get(name))) is not None), None)


def number_of(fields: Mapping[str, Any], *names: str) -> float | None:
    """The first of these fields that is a number."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
    return None
