"""A schema as a server or a module gives it, made into one that arguments can be generated from.

A schema is somebody else's text: a few hundred bytes ask for a thousand million items, refer to
themselves without an end, or hold a number where a list belongs. It is read once, where it comes
in; from there on every keyword has the type that it should, and asks for no more than a call can
carry. A schema of which nothing had to be left out is passed on as the object that it was.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, cast

__all__ = ["bounded_schema", "without_patterns"]

_DEPTH = 64
"""Schemas within schemas, far more than people write and less than Python recurses."""
_NODES = 20_000
"""Values in one schema; the largest of the tools in the benchmark has under 2,000."""
_FIELDS = 500
"""Arguments of one object."""
_ITEMS = 1_000
"""Items that a list may be asked to have at least: a reproducer must fit on a command line."""
_CHARACTERS = 16_000
"""Characters that a text may be asked to have at least, for the same reason."""
_PATTERN = 1_000
"""Characters of an expression that texts are tried with."""
_LARGEST = 1e300
_SMALLEST_STEP = 1e-9
_NOTES = 8
"""Things left out that are told; a schema with more is hostile enough to be told so once."""
_NESTED = re.compile(r"[+*}]\)?[+*{]|\([^()]*(?:\([^()]*\))?[^()]*[+*}][^()]*\)\s*[+*{]|\\[1-9]")
"""A repetition within a repetition, or a reference back: the matcher may try for ever."""
_REPEATS = re.compile(r"(?<!\\)[*+]|\{\d*,\d*\}")
_MOST_REPEATS = 4
"""Each takes the text's length once more as a factor."""

_SCHEMAS = frozenset({"properties", "$defs", "definitions", "patternProperties"})
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_COUNTS = ("Items", "Length", "Properties")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_WORDS = frozenset({"description", "title", "format", "$ref"})


def bounded_schema(schema: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The schema as far as arguments can be generated from it.

    Returns:
        The schema (the same object where nothing is left out), and what cannot be generated, a
        short line each.
    """
    reader = _SchemaReader()
    made = reader.schema(schema, "", 0)
    reader.look_for_circles(made)
    return (made, tuple(reader.notes)) if reader.notes else (schema, ())


def without_patterns(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without the expressions that its texts must match."""
    return _SchemaReader(patterns=False).schema(schema, "", 0)


class _SchemaReader:
    def __init__(self, *, patterns: bool = True) -> None:
        self._patterns = patterns
        self.notes: dict[str, None] = {}
        self._nodes = 0
        self._rules: dict[str, Callable[[str, Any, str, int], Any]] = {
            **dict.fromkeys(_SCHEMAS, self._named),
            **dict.fromkeys(_LISTS, self._list),
            **dict.fromkeys(_NUMBERS, self._number),
            **dict.fromkeys(_WORDS, self._word),
            **{f"{end}{of}": self._count for end in ("min", "max") for of in _COUNTS},
            "required": self._required,
            "enum": self._choices,
            "examples": self._choices,
            "type": self._type,
            "pattern": self._pattern,
            "items": self._part,
            "additionalProperties": self._part,
        }

    def schema(self, body: Any, place: str, depth: int) -> dict[str, Any]:
        """One schema with everything below it."""
        if not isinstance(body, dict):
            return {}
        if depth > _DEPTH or self._nodes > _NODES:
            self._note(place, "is too deep or too large to be read")
            return {}
        self._nodes += 1
        made: dict[str, Any] = {}
        for key, value in cast("dict[str, Any]", body).items():
            if (rule := self._rules.get(key)) is not None:
                kept = rule(key, value, place, depth)
            elif value is None:  # a constant, or a default
                made[key] = None
                continue
            else:
                kept = self._value(key, value, place, depth)
            if kept is not None:
                made[key] = kept
        self._contradictions(made, place)
        return made

    def look_for_circles(self, root: dict[str, Any]) -> None:
        """Say which fields need a value within a value without an end."""
        for name in cast("dict[str, Any]", root.get("properties") or {}):
            if _needs_itself(root["properties"][name], root, frozenset(), [_NODES]):
                self._note(name, "needs itself without an end: values are cut")

    def _note(self, place: str, what: str) -> None:
        if len(self.notes) < _NOTES:
            self.notes[f"`{place[:60]}` {what}" if place else f"the schema {what}"] = None

    def _wrong(self, key: str, place: str) -> None:
        self._note(place, f"has a `{key}` that is none: it is left out")

    # -- a rule for each keyword: what is kept of it, or None -----------------------------------

    def _named(self, key: str, value: Any, place: str, depth: int) -> Any:
        if not isinstance(value, dict):
            return self._wrong(key, place)
        pairs = list(cast("dict[str, Any]", value).items())
        if len(pairs) > _FIELDS:
            self._note(place, f"has {len(pairs):,} `{key}`: the first {_FIELDS} are read")
        return {
            name: part if isinstance(part, bool) else self.schema(part, name, depth + 1)
            for name, part in pairs[:_FIELDS]
        }

    def _list(self, key: str, value: Any, place: str, depth: int) -> Any:
        if not isinstance(value, list) or not value:
            return self._wrong(key, place)
        parts = cast("list[Any]", value)
        if len(parts) > _FIELDS:
            self._note(place, f"has {len(parts):,} `{key}`: the first {_FIELDS} are read")
        return [
            part if isinstance(part, bool) else self.schema(part, place, depth + 1)
            for part in parts[:_FIELDS]
        ]

    def _part(self, key: str, value: Any, place: str, depth: int) -> Any:
        if isinstance(value, bool):
            return value
        if isinstance(value, list):
            return self._list(key, value, place, depth)
        if not isinstance(value, dict):
            return self._wrong(key, place)
        return self.schema(value, place, depth + 1)

    def _number(self, key: str, value: Any, place: str, _: int) -> Any:
        if isinstance(value, bool):  # exclusiveMinimum of the drafts before 6
            return value
        if not isinstance(value, int | float) or not -_LARGEST <= value <= _LARGEST:
            return self._wrong(key, place)
        if key == "multipleOf" and value < _SMALLEST_STEP:
            return self._wrong(key, place)
        return value

    def _count(self, key: str, value: Any, place: str, _: int) -> Any:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 0 <= value <= _LARGEST
            or value != math.floor(value)
        ):
            return self._wrong(key, place)
        most = _CHARACTERS if key == "minLength" else _ITEMS
        if key.startswith("min") and value > most:
            what = "characters" if key == "minLength" else "items"
            self._note(place, f"asks for {value:,} {what}: at most {most:,} are made")
            return most
        return value

    def _word(self, key: str, value: Any, place: str, _: int) -> Any:
        if not isinstance(value, str):
            return self._wrong(key, place)
        if key == "$ref" and not value.startswith("#"):
            self._note(place, "refers to another document, which is not read")
        return value

    def _required(self, key: str, value: Any, place: str, _: int) -> Any:
        if not isinstance(value, list) or not all(
            isinstance(name, str) for name in cast("list[Any]", value)
        ):
            return self._wrong(key, place)
        return cast("Any", value)

    def _choices(self, key: str, value: Any, place: str, depth: int) -> Any:
        if not isinstance(value, list):
            return self._wrong(key, place)
        if not value and key == "enum":
            return self._wrong(key, place)
        return self._value(key, value, place, depth)

    def _type(self, key: str, value: Any, place: str, _: int) -> Any:
        names = cast("list[Any]", value) if isinstance(value, list) else [value]
        if not names or not all(isinstance(name, str) for name in names):
            return self._wrong(key, place)
        return cast("Any", value)

    def _pattern(self, key: str, value: Any, place: str, _: int) -> Any:
        if not isinstance(value, str):
            return self._wrong(key, place)
        if not self._patterns:
            return None
        many = len(_REPEATS.findall(value)) > _MOST_REPEATS and not value.startswith("^")
        if len(value) > _PATTERN or _NESTED.search(value) or many:
            self._note(place, "has a `pattern` that may never end: texts are made without it")
            return None
        return value

    def _value(self, key: str, value: Any, place: str, _: int) -> Any:
        """A value of another keyword, a constant among them: its size alone matters."""
        size = _size(value, _NODES - self._nodes)
        if size is None:
            self._note(place, f"has a `{key}` that is too large or too deep: it is left out")
            return None
        self._nodes += size
        return value

    def _contradictions(self, made: dict[str, Any], place: str) -> None:
        """What no value can meet: one of the two is left out, so that there are values at all."""
        pairs = [("minimum", "maximum"), *((f"min{of}", f"max{of}") for of in _COUNTS)]
        for low, high in pairs:
            if low in made and high in made and made[low] > made[high]:
                self._note(place, f"allows nothing between its `{low}` and `{high}`")
                del made[high]


def _size(value: Any, left: int) -> int | None:
    """How much ``value`` holds: values, and thousands of characters; ``None`` beyond ``left``."""
    size, queue = 0, [(value, 0)]
    while queue:
        item, depth = queue.pop()
        size += 1
        if isinstance(item, str):
            size += len(item) // 1_000
        elif isinstance(item, int):
            size += item.bit_length() // 1_000
        elif isinstance(item, dict):
            queue.extend((part, depth + 1) for part in cast("dict[str, Any]", item).values())
        elif isinstance(item, list):
            queue.extend((part, depth + 1) for part in cast("list[Any]", item))
        if size > left or depth > _DEPTH:
            return None
    return size


def _needs_itself(
    schema: Any, root: dict[str, Any], seen: frozenset[str], left: list[int], depth: int = 0
) -> bool:
    """Whether every value of ``schema`` holds another one of a schema it came from."""
    left[0] -= 1
    if not isinstance(schema, dict) or left[0] < 0 or depth > 4 * _DEPTH:
        return False
    body = cast("dict[str, Any]", schema)

    def leads_back(part: Any) -> bool:
        return _needs_itself(part, root, seen, left, depth + 1)

    if isinstance(reference := body.get("$ref"), str):
        if reference in seen:
            return True
        return _needs_itself(_found(root, reference), root, seen | {reference}, left, depth + 1)
    properties = cast("dict[str, Any]", body.get("properties") or {})
    required = body.get("required")
    names = cast("list[str]", required) if isinstance(required, list) else []
    needed = [properties.get(name) for name in names]
    if body.get("minItems", 0) >= 1:
        needed += [body.get("items"), *body.get("prefixItems", ())]
    if any(leads_back(part) for part in [*needed, *body.get("allOf", ())]):
        return True
    options = cast("list[Any]", body.get("anyOf") or body.get("oneOf") or [])
    return bool(options) and all(leads_back(option) for option in options)


def _found(root: dict[str, Any], reference: str) -> Any:
    node: Any = root
    for part in reference.lstrip("#").strip("/").split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if key:
            node = cast("dict[str, Any]", node).get(key) if isinstance(node, dict) else None
    return node
