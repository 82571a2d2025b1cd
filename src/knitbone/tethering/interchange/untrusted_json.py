"""From bytes to a JSON value, and what to say when that, or the value's structure, is wrong.

Files are untrusted: truncated, foreign, nested without end, not UTF-8. Whatever the reason, the
caller sees an ``InputFormatError`` that says what was found, where, and what to do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from knitbone.errors import InputFormatError
from knitbone.record.events import Json

__all__ = [
    "MAX_DEPTH",
    "JsonPlace",
    "as_list",
    "as_object",
    "as_text",
    "checked",
    "describe",
    "first_object",
    "parse_json",
    "parse_lenient",
    "text_of_json",
]

MAX_DEPTH = 100
"""Deepest nesting accepted. Recorded runs need about ten; a limit of ours keeps every later
recursion (encoding, comparing, printing) far from the interpreter's."""


class JsonPlace(msgspec.Struct, frozen=True):
    """Where in a file a value stands, for messages."""

    path: str
    record: int | None = None
    """0-based; shown 0-based, as the indices of a diagnosis are."""
    field: str = ""

    def at(self, step: str | int) -> JsonPlace:
        """The place one step further in."""
        tail = f"[{step}]" if isinstance(step, int) else (f".{step}" if self.field else step)
        return JsonPlace(self.path, self.record, self.field + tail)

    def __str__(self) -> str:
        parts = [self.path]
        if self.record is not None:
            parts.append(f"record {self.record}")
        if self.field:
            parts.append(self.field)
        return ", ".join(parts)


def first_object(value: Json) -> Mapping[str, Any] | None:
    """The object itself, or the first one of a list: what a format is recognised by."""
    if isinstance(value, list):
        items = cast("list[Any]", value)
        value = items[0] if items else None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def as_object(value: Json, place: JsonPlace) -> Mapping[str, Any]:
    """The value, an object; or an error that says what it is instead."""
    if not isinstance(value, dict):
        raise _unexpected(value, place, "an object")
    return cast("dict[str, Any]", value)


def as_list(value: Json, place: JsonPlace) -> Sequence[Any]:
    """The value, a list; or an error that says what it is instead."""
    if not isinstance(value, list):
        raise _unexpected(value, place, "a list")
    return cast("list[Any]", value)


def as_text(value: Json, place: JsonPlace) -> str:
    """The value, a text; or an error that says what it is instead."""
    if not isinstance(value, str):
        raise _unexpected(value, place, "text")
    return value


def _unexpected(value: Json, place: JsonPlace, expected: str) -> InputFormatError:
    return InputFormatError(
        f"{place}: expected {expected}, found {describe(value)}.",
        next_step="Correct the file, or name its format with --format.",
    )


def describe(value: Json) -> str:
    """What a value is, short enough for a message."""
    if isinstance(value, dict):
        keys = list(cast("dict[str, Any]", value))
        shown = ", ".join(repr(key[:40]) for key in keys[:6])
        more = ", ..." if len(keys) > 6 else ""
        return f"an object with the keys {shown}{more}" if keys else "an empty object"
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if not items:
            return "an empty list"
        first = items[0]
        inner = "a list" if isinstance(first, list) else describe(first)
        return f"a list of {len(items)}, first {inner}"
    if value is None:
        return "null"
    shown = repr(value[:60]) + ("..." if len(value) > 60 else "") if isinstance(value, str) else ""
    return shown or str(value)[:60]


def text_of_json(value: Json) -> str:
    """A text as it is, nothing as the empty text, a structure as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)


def parse_lenient(text: str) -> Json:
    """Tool arguments as the model wrote them: the JSON value, or the text where it is none."""
    try:
        return checked(json.loads(text))
    except (ValueError, RecursionError, InputFormatError):
        return text


def parse_json(data: bytes, *, path: str) -> Json:
    """A JSON document, or JSON lines as the list of their values.

    Raises:
        InputFormatError: with the line and byte where reading stopped.
    """
    if not data.strip():
        raise InputFormatError(
            f"{path} is empty ({len(data)} bytes).", next_step="Was the copy or download complete?"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputFormatError(
            f"{path}, line {line}, byte {error.start}: 0x{data[error.start]:02x} is not UTF-8"
            " text, so this is no JSON file.",
            next_step="Give the recorded runs as JSON or JSON lines in UTF-8.",
        ) from error
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise _too_deep(JsonPlace(path)) from error
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and (lines := _json_lines(text, path)) is not None:
            value = lines
        else:
            raise _not_json(text, error, path) from error
    except ValueError as error:  # an integer of thousands of digits
        raise InputFormatError(
            f"{path} holds a number that cannot be read: {error}.", next_step="Correct the file."
        ) from error
    return checked(value, JsonPlace(path))


def _json_lines(text: str, path: str) -> list[Json] | None:
    """The values of JSON lines, or None where the first line alone is no JSON value."""
    values: list[Json] = []
    # Not splitlines(): JSON strings may hold U+2028 and its like.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            if not values or not isinstance(values[0], (dict, list)):
                return None
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            raise InputFormatError(
                f"{path}, line {number} is not a JSON value ({reason}): {line[:60]!r}.",
                next_step="JSON lines need one whole value a line; was the file cut off?",
            ) from error
    return values


def _not_json(text: str, error: json.JSONDecodeError, path: str) -> InputFormatError:
    byte = len(text[: error.pos].encode("utf-8", "surrogatepass"))
    at_end = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    if at_end and text.lstrip()[:1] in ("{", "["):
        size = len(text.encode("utf-8", "surrogatepass"))
        return InputFormatError(
            f"{path} ends in the middle of a value: line {error.lineno}, byte {byte} of {size}"
            f" ({error.msg}; the last characters are {text.rstrip()[-40:]!r}).",
            next_step="The file is truncated; copy or download it again.",
        )
    found = text[error.pos : error.pos + 60]
    return InputFormatError(
        f"{path} is not JSON: line {error.lineno}, column {error.colno}, byte {byte}: {error.msg},"
        f" found {found!r}.",
        next_step="Give recorded runs as JSON or JSON lines; formats: knitbone diagnose --help",
    )


def _too_deep(place: JsonPlace, max_depth: int = MAX_DEPTH) -> InputFormatError:
    return InputFormatError(
        f"{place} is nested deeper than {max_depth} levels; no run format is.",
        next_step="Correct the file.",
    )


def checked(value: Json, place: JsonPlace | None = None, *, max_depth: int = MAX_DEPTH) -> Json:
    """The value, if its nesting is sane, with lone surrogates made visible.

    A lone surrogate (an escape such as ``\\ud800`` without its partner) is no character: no
    store, terminal or file could hold it, so it is replaced by U+FFFD here, once.
    """
    root: list[Json] = [value]
    stack: list[tuple[Any, int]] = [(root, 0)]
    while stack:
        container: Any
        container, depth = stack.pop()
        if depth > max_depth:
            raise _too_deep(place or JsonPlace("the value"), max_depth)
        keys: list[Any] = list(range(len(container)))
        if isinstance(container, dict):
            keys = list(cast("dict[str, Any]", container))
        for key in keys:
            item = _item(container, key)
            if _is_container(item):
                stack.append((item, depth + 1))
            elif isinstance(item, str) and not _encodable(item):
                container[key] = _replace_surrogates(item)
            if isinstance(key, str) and not _encodable(key):
                container[_replace_surrogates(key)] = container[key]
                del container[key]
    return root[0]


def _item(container: Any, key: Any) -> Any:
    return container[key]


def _is_container(value: Json) -> bool:
    return isinstance(value, (dict, list))


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _replace_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
