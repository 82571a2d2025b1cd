"""Values of which nothing is lost: every number of JSON keeps its spelling, every key counts."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterable
from typing import Any, cast

from knitbone.common.structured.python_literal import parse_literal

__all__ = [
    "DuplicateKeyError",
    "NoNumberError",
    "is_part",
    "parse_json",
    "parse_python",
    "same_value",
    "write_json",
]


_SURROGATE = re.compile("[\ud800-\udfff]")


class DuplicateKeyError(ValueError):
    """A key stands twice, with different values."""


class NoNumberError(ValueError):
    """A number that JSON does not have, or that Python cannot hold."""


class _Spelled(float):
    """A number that prints as it was written: ``1.50`` as a text is ``"1.50"``."""

    __slots__ = ("spelling",)

    def __new__(cls, spelling: str) -> _Spelled:
        number = super().__new__(cls, spelling)
        number.spelling = spelling
        return number

    def __str__(self) -> str:
        return self.spelling

    __repr__ = float.__repr__


def parse_json(text: str, *, strict: bool = False) -> Any:
    """Parse a JSON document whose numbers keep their spelling.

    Args:
        strict: whether ``NaN`` and ``Infinity`` are refused, which Python's parser takes, and
            numbers that become infinite.

    Raises:
        DuplicateKeyError: a key stands twice, with different values.
        NoNumberError: only where it is strict.
        ValueError, RecursionError: it is no JSON, or nested too deeply.
    """
    if not strict:
        return json.loads(text, object_pairs_hook=_members, parse_float=_Spelled)
    try:
        return json.loads(
            text,
            object_pairs_hook=_members,
            parse_float=_finite,
            parse_constant=_no_constant,
        )
    except (DuplicateKeyError, NoNumberError, json.JSONDecodeError):
        raise
    except ValueError as error:  # more digits than Python reads
        raise NoNumberError("a number has more digits than can be read") from error


def write_json(value: Any) -> str:
    """Write a value as JSON that any file can hold: half of a surrogate pair stays an escape."""
    written = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if _SURROGATE.search(written) else written


def _finite(spelling: str) -> _Spelled:
    number = _Spelled(spelling)
    if math.isinf(number):
        raise NoNumberError(f"the number {spelling[:40]} is too large")
    return number


def _no_constant(name: str) -> Any:
    raise NoNumberError(f"{name} is no number of JSON")


def same_value(one: Any, other: Any) -> bool:
    """Whether two values are equal and of the same types: ``1`` is not ``True``."""
    return bool(one == other) and repr(one) == repr(other)


def _members(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    members = list(pairs)
    known = dict(members)
    if len(known) < len(members):
        for key, value in members:
            if not same_value(known[key], value):
                raise DuplicateKeyError(f'the key "{key[:40]}" stands twice with different values')
    return known


def parse_python(text: str) -> Any:
    """Parse a Python literal.

    Raises:
        DuplicateKeyError: a key stands twice, with different values.
        ValueError, TypeError, RecursionError, MemoryError: it is none, or too large or deep.
    """
    tree = parse_literal(text.strip())
    if tree is None:
        raise ValueError("it is no Python literal, or too large or deep for one")
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            known: dict[str, str] = {}
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant):
                    said = ast.dump(value)
                    if known.setdefault(repr(key.value), said) != said:
                        raise DuplicateKeyError(
                            f"the key {key.value!r:.40} stands twice with different values"
                        )
    return ast.literal_eval(cast("ast.expr", tree))


def is_part(part: Any, whole: Any) -> bool:
    """Whether a value can grow to another one: by members of its objects, by items at the end of
    its lists, and by growth of what it has."""
    if isinstance(part, dict) and isinstance(whole, dict):
        members, others = cast("dict[str, Any]", part), cast("dict[str, Any]", whole)
        return all(key in others and is_part(value, others[key]) for key, value in members.items())
    if isinstance(part, list) and isinstance(whole, list):
        items, all_items = cast("list[Any]", part), cast("list[Any]", whole)
        return len(items) <= len(all_items) and all(map(is_part, items, all_items[: len(items)]))
    return isinstance(part, type(cast("object", whole))) and part == whole
