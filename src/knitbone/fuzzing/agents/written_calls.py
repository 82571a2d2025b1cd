"""Tool calls that a model wrote into its answer, as small models do where others fill in the
protocol's own field: as JSON, bare, fenced or in ``<tool_call>`` tags.

An answer that merely has JSON in it stays an answer: a call stands on lines of its own, names a
known tool, has its arguments as one object, and nothing in it that is no part of a call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from knitbone.models.chat import ToolSpec
from knitbone.parsing.documents import JsonDocument, find_documents, slot_of_keys
from knitbone.record.events import ToolCallRequest
from knitbone.wire.fields import elements, object_of, word
from knitbone.wire.tool_calls import (
    WRITTEN_ARGUMENTS,
    WRITTEN_BESIDE,
    WRITTEN_FENCES,
    WRITTEN_LISTS,
    WRITTEN_NAMES,
    WRITTEN_RESULTS,
)

__all__ = ["WrittenCalls", "read_written_calls"]

_LONGEST = 200_000
"""Characters of one answer that are read."""
_MAX_CALLS = 100
"""Calls of one answer that are read; the agent makes fewer at a time."""
_BEFORE = re.compile(
    r"(?:[^{}]*:|[-*]|\d{1,2}[.)])?[ \t`{]*(?:<[\w|]{1,40}>|\[TOOL_CALLS\])?[ \t{]*"
)
"""What may stand before a call on its line: a remark that leads to it, a fence, a tag, and the
second brace that Qwen2.5-Coder's own template shows it."""
_BEHIND = re.compile(r"[ \t`},;]*(?:</[\w|]{1,40}>)?[ \t`]*")
_RESULTS = re.compile("|".join(re.escape(mark) for mark in WRITTEN_RESULTS))
_PARTS = frozenset({*WRITTEN_NAMES, *WRITTEN_ARGUMENTS, *WRITTEN_BESIDE})


_OUTLINE = slot_of_keys(WRITTEN_NAMES + WRITTEN_ARGUMENTS)


class WrittenCalls(NamedTuple):
    """The calls of an answer, and the remark before the first."""

    calls: tuple[ToolCallRequest, ...]
    remark: str


def read_written_calls(text: str, tools: Sequence[ToolSpec]) -> WrittenCalls | None:
    """The calls of these tools that stand in an answer; ``None`` where it is no call."""
    said = text[:_LONGEST]
    if made_up := _RESULTS.search(said):
        said = said[: made_up.start()]
    known = {tool.name: tool for tool in tools}
    # Most answers are prose: without a tool's name there is nothing to read.
    if "{" not in said or not any(name in said for name in known):
        return None
    calls: list[ToolCallRequest] = []
    start = -1
    for document in find_documents(said, slot=_OUTLINE).documents:
        found = _calls_of(document, said, known)
        if found and start < 0:
            start = document.reading.start
        calls += found
        if len(calls) >= _MAX_CALLS:
            break
    return WrittenCalls(tuple(calls), _remark(said[:start])) if calls else None


def _calls_of(
    document: JsonDocument, text: str, known: Mapping[str, ToolSpec]
) -> list[ToolCallRequest]:
    """The calls that a document is, all of it; none where it is anything else."""
    if (document.fence or "").casefold() not in WRITTEN_FENCES or not _stands_alone(document, text):
        return []
    try:
        value = json.loads(document.reading.json)
    except (ValueError, RecursionError):
        return []
    found = [_call(entry, known) for entry in _entries(value)]
    return [] if None in found else cast("list[ToolCallRequest]", found)


def _stands_alone(document: JsonDocument, text: str) -> bool:
    start, end = document.reading.start, document.reading.end
    before = text[text.rfind("\n", 0, start) + 1 : start]
    line_end = text.find("\n", end)
    behind = text[end : line_end if line_end >= 0 else len(text)]
    return bool(_BEFORE.fullmatch(before)) and bool(_BEHIND.fullmatch(behind))


def _entries(value: Any) -> Iterator[Any]:
    """The calls of a list, of an object that holds nothing else, or the one that a value is."""
    if isinstance(value, dict) and len(cast("dict[str, Any]", value)) == 1:
        ((key, inner),) = cast("dict[str, Any]", value).items()
        if key in WRITTEN_LISTS:
            value = inner
    if isinstance(value, list):
        yield from elements(value)
    else:
        yield value


def _call(value: Any, known: Mapping[str, ToolSpec]) -> ToolCallRequest | None:
    """The call that an object is."""
    outer = object_of(value)
    inner = object_of(outer.get("function"))
    parts = inner or outer
    if not parts or not set(outer) | set(inner) <= _PARTS:
        return None
    name = next((found for key in WRITTEN_NAMES if (found := word(parts.get(key)))), None)
    given = [key for key in WRITTEN_ARGUMENTS if key in parts]
    if name is None or name not in known or len(given) != 1:
        return None
    arguments = _arguments(parts[given[0]])
    if arguments is None or _is_schema(arguments, known[name]):
        return None
    # No identifier of the model's: it may well write the same one each time.
    return ToolCallRequest(name=name, arguments=arguments)


def _arguments(value: Any) -> dict[str, Any] | None:
    """The arguments as an object, also where they are encoded once more, as on OpenAI's wire."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _is_schema(arguments: Mapping[str, Any], tool: ToolSpec) -> bool:
    """Whether these are not arguments but the tool's description of them, shown again."""
    properties = object_of(tool.parameters.get("properties"))
    return "properties" in arguments and "properties" not in properties


def _remark(before: str) -> str:
    """What was said before the first call, without the fence or tag that opens it."""
    return re.sub(r"(?:`{3,}\w*|<[\w|]{1,40}>|\[TOOL_CALLS\]|[\s{\[])*\Z", "", before)
