"""Values as they compare: in one order, without what differs from one run to the next.

Identifiers that somebody drew (UUIDs, long hexadecimal numbers, identifiers of calls, addresses)
never tell two runs apart. Clocks and durations do not either in what a tool answers; in arguments
a time is what somebody chose.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

from knitbone.record.events import Json, encode_json

__all__ = [
    "argument_key",
    "canonical_text",
    "differences",
    "parsed_result",
    "result_key",
    "says_when_or_which",
    "without_drawn",
]

_DRAWN = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b0x[0-9a-f]{6,}\b"
    r"|\b(?:call|toolu|fc|msg|resp|chatcmpl|run|req|trace|span)[_-][0-9a-z]{8,}\b"
    r"|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{16,}\b",
    re.IGNORECASE,
)
"""What a program draws anew in each run, told by its look."""
_CLOCK = re.compile(
    r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d+(?:Z|[+-]\d\d:?\d\d)?\b"
    r"|\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|seconds?|secs?)\b",
)
"""A time with fractions of seconds, which nobody chose, and a duration."""
_CLOCK_NAMES = re.compile(
    r"^(?:time_?stamp|now|(?:server|current)_?time|(?:created|updated|modified|accessed|started|"
    r"ended|finished|generated|fetched|retrieved)(?:_?at|_?on)?|date|elapsed|duration|latency|took"
    r"|(?:elapsed|duration|latency|took)_?(?:ns|us|ms|s|seconds)?|nonce|etag|uuid"
    r"|(?:request|trace|span|session|correlation|tool_?call|call|run|response|event)_?id)$",
    re.IGNORECASE,
)
"""Names whose values say when, how long or which request, and nothing of what was asked."""
_LONGEST = 20_000
"""Characters of a text that are compared by what they say; beyond, as they are (ours)."""
_DEEPEST = 40
"""Levels of a value that are looked at; deeper ones are compared as they are (ours)."""
_MOST = 12
"""Differences of one pair of values that are told (ours)."""


def argument_key(arguments: Json) -> str:
    """Equal for the arguments of the same call."""
    return canonical_text(_canonical(arguments, clocks=False, level=0))


def result_key(result: str) -> str:
    """Equal for answers that say the same; JSON text in any order of its keys."""
    return canonical_text(_canonical(parsed_result(result), clocks=True, level=0))


def without_drawn(text: str) -> str:
    """A text without what a program draws anew, and without clocks and durations."""
    return _CLOCK.sub("<time>", _DRAWN.sub("<id>", text))


def says_when_or_which(name: str) -> bool:
    """Whether a field of this name says when, how long or which request, and nothing else."""
    return _CLOCK_NAMES.match(name) is not None


def parsed_result(text: str) -> Json:
    """An answer as a value, where it is JSON text."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def canonical_text(value: Json) -> str:
    """JSON text with sorted keys; what JSON does not know as the recorder would write it."""
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        return encode_json(value).decode("utf-8", "replace")


def _canonical(value: Json, *, clocks: bool, level: int) -> Json:
    if isinstance(value, str):
        if len(value) > _LONGEST:
            return value
        value = _DRAWN.sub("<id>", value)
        return _CLOCK.sub("<time>", value) if clocks else value
    if level >= _DEEPEST:
        return value
    if isinstance(value, dict):
        body = cast("dict[Any, Any]", value)
        return {
            str(name): "<time>" if clocks and _CLOCK_NAMES.match(str(name))
            else _canonical(item, clocks=clocks, level=level + 1)
            for name, item in body.items()
        }  # fmt: skip
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        return [_canonical(item, clocks=clocks, level=level + 1) for item in items]
    return value


def differences(a: Json, b: Json, *, clocks: bool = False) -> list[tuple[str, Json, Json]]:
    """Where two values differ: place, value of the first, value of the second (``None`` where one
    has none), at most a dozen; the places are those of JavaScript (``items[0].name``)."""
    if clocks:
        a, b = (parsed_result(each) if isinstance(each, str) else each for each in (a, b))
    found: list[tuple[str, Json, Json]] = []
    _collect("", a, b, found, clocks=clocks, level=0)
    return found


def _collect(
    place: str, a: Json, b: Json, found: list[tuple[str, Json, Json]], *, clocks: bool, level: int
) -> None:
    if len(found) >= _MOST or canonical_text(
        _canonical(a, clocks=clocks, level=level)
    ) == canonical_text(_canonical(b, clocks=clocks, level=level)):
        return
    if level < _DEEPEST and isinstance(a, dict) and isinstance(b, dict):
        one, other = cast("dict[Any, Any]", a), cast("dict[Any, Any]", b)
        for name in dict.fromkeys([*one, *other]):
            if not (clocks and _CLOCK_NAMES.match(str(name))):
                at = f"{place}.{name}" if place else str(name)
                _collect(at, one.get(name), other.get(name), found, clocks=clocks, level=level + 1)
        return
    if level < _DEEPEST and isinstance(a, list) and isinstance(b, list):
        first, second = cast("list[Any]", a), cast("list[Any]", b)
        if len(first) == len(second):
            for number, (left, right) in enumerate(zip(first, second, strict=True)):
                at = f"{place}[{number}]"
                _collect(at, left, right, found, clocks=clocks, level=level + 1)
            return
    found.append((place, cast("Json", a), cast("Json", b)))
