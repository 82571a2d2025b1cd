"""Values of which nothing is lost: every number of JSON keeps its spelling, every key counts."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterable
from typing import Any, cast

from knitbone.common.source import parse_source

__all__ = ["DuplicateKeyError", "is_part", "parse_json", "parse_python"]


class DuplicateKeyError(ValueError):
    """A key stands twice, with different values."""


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
        strict: whether ``NaN`` and ``Infinity``, which Python's parser takes, are refused.

    Raises:
        DuplicateKeyError: a key stands twice, with different values.
        ValueError, RecursionError: it is no JSON, or nested too deeply.
    """
    constant = _no_constant if strict else None
    return json.loads(
        text, object_pairs_hook=_members, parse_float=_Spelled, parse_constant=constant
    )


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _members(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    members = list(pairs)
    known = dict(members)
    if len(known) < len(members):
        for key, value in members:
            if known[key] != value:
                raise DuplicateKeyError(f'the key "{key[:40]}" stands twice with different values')
    return known


def parse_python(text: str) -> Any:
    """Parse a Python literal.

    Raises:
        DuplicateKeyError: a key stands twice, with different values.
        ValueError, SyntaxError, RecursionError, MemoryError: it is none, or nested too deeply.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        tree = parse_source(text.strip(), mode="eval")
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
    return ast.literal_eval(tree)


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
