"""The value that a constraint is about: found in a term, read from arguments, put into them."""

# Arguments are any JSON.
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any, cast

from knitbone.fuzzing.fixing.records import ConcernedValue
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.fuzzing.trace.terms import Term
from knitbone.record.events import Json

__all__ = [
    "concerned",
    "descriptions_of",
    "pattern_text",
    "values_at",
    "with_value",
]

_QUIET = frozenset(
    f".str.{name}"
    for name in ("strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "capitalize")
)
_NUMBERS = frozenset({"int", "float", "decimal.Decimal", "abs", "round", "str"})
_MATCHES = frozenset({"re.match", "re.fullmatch", "re.search"})
_READ = 2_000
"""Characters of a text that a pattern is tried on."""
_ITEMS = 200


def concerned(term: Any) -> ConcernedValue | None:
    """The value that a term stands for, where it is an argument or a part of one, also as a number
    or without blanks and case."""
    if type(term) is not Term or not term.args:
        return None
    if term.op == "input":
        first, *rest = term.args[0]
        path = tuple("*" if isinstance(step, int) else step for step in rest)
        return ConcernedValue(argument=str(first), path=path)
    if term.op in _QUIET or (term.op in _NUMBERS and len(term.args) == 1):
        return concerned(term.args[0])
    if term.op == "operator.getitem" and isinstance(term.args[1], int):
        return _of_split(term.args[0], term.args[1]) or _of_groups(term.args[0], term.args[1] + 1)
    if term.op == ".Match.group" and len(term.args) > 1 and isinstance(term.args[1], int):
        return _of_match(term.args[0], term.args[1])
    return None


def _of_split(held: Any, part: int) -> ConcernedValue | None:
    if type(held) is not Term or held.op != ".str.split" or len(held.args) < 2 or part < 0:
        return None
    whole, separator = concerned(held.args[0]), held.args[1]
    if whole is None or whole.is_part or not isinstance(separator, str) or not separator:
        return None
    return ConcernedValue(argument=whole.argument, path=whole.path, separator=separator, part=part)


def _of_groups(held: Any, group: int) -> ConcernedValue | None:
    if type(held) is not Term or held.op != ".Match.groups":
        return None
    return _of_match(held.args[0], group)


def _of_match(match: Any, group: int) -> ConcernedValue | None:
    if type(match) is not Term or match.op not in _MATCHES or len(match.args) < 2 or group < 1:
        return None
    whole, text = concerned(match.args[1]), pattern_text(match.args[0])
    if whole is None or whole.is_part or text is None:
        return None
    return ConcernedValue(argument=whole.argument, path=whole.path, pattern=text, part=group)


def pattern_text(pattern: Any) -> str | None:
    """What a regular expression, compiled or not, looks like."""
    if isinstance(pattern, re.Pattern):
        pattern = cast("re.Pattern[Any]", pattern).pattern
    return pattern if isinstance(pattern, str) else None


def descriptions_of(tool: ToolUnderTest) -> dict[str, str]:
    """What is written of a tool's arguments in its schema, by name."""
    found: dict[str, str] = {}
    for name, field in properties_of(tool.schema).items():
        text = cast("dict[str, Any]", field).get("description") if isinstance(field, dict) else None
        if isinstance(text, str) and text.strip():
            found[name] = text
    return found


def values_at(of: ConcernedValue, arguments: dict[str, Json]) -> list[Any]:
    """The values of it in a call: none where it is left out, several of a list's items."""
    if of.argument not in arguments:
        return []
    return [part for whole in _within(arguments[of.argument], of.path) for part in _part(of, whole)]


def _within(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    if not path:
        yield value
    elif path[0] == "*" and isinstance(value, list):
        for item in cast("list[Any]", value)[:_ITEMS]:
            yield from _within(item, path[1:])
    elif isinstance(value, dict) and path[0] in value:
        yield from _within(cast("dict[str, Any]", value)[path[0]], path[1:])


def _part(of: ConcernedValue, whole: Any) -> Iterator[Any]:
    if not of.is_part:
        yield whole
    elif isinstance(whole, str):
        span = _span(of, whole)
        if span is not None:
            yield whole[span[0] : span[1]]


def _span(of: ConcernedValue, text: str) -> tuple[int, int] | None:
    """Where a part of a text begins and ends."""
    if of.separator is not None:
        parts = text.split(of.separator)
        if of.part >= len(parts):
            return None
        start = sum(len(part) + len(of.separator) for part in parts[: of.part])
        return start, start + len(parts[of.part])
    match = re.search(of.pattern or "", text[:_READ])
    if match is None or of.part > (match.re.groups or 0) or match.start(of.part) < 0:
        return None
    return match.span(of.part)


def with_value(
    of: ConcernedValue, arguments: dict[str, Json], value: Json
) -> dict[str, Json] | None:
    """The call with another value there; of a list's items, the first. ``None`` where there is no
    such place in it."""
    if not of.path and not of.is_part:
        return {**arguments, of.argument: value}
    if of.argument not in arguments:
        return None
    made = copy.deepcopy(arguments)
    holder: Any = made
    text: Any
    key: Any = of.argument
    for step in of.path:
        holder = holder[key]
        key = 0 if step == "*" else step
        if isinstance(holder, list) and (step != "*" or not holder):
            return None
        if not isinstance(holder, list) and (not isinstance(holder, dict) or key not in holder):
            return None
    if of.is_part:
        text = holder[key]
        span = _span(of, text) if isinstance(text, str) else None
        if span is None:
            return None
        value = f"{text[: span[0]]}{value}{text[span[1] :]}"
    holder[key] = value
    return made
