"""What spans of every convention share: attributes by name or by index, errors, wrapped values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec

from knitbone.record.events import ErrorInfo, Json, ToolCall
from knitbone.tethering.interchange.importers.langchain import message_fields
from knitbone.tethering.interchange.spans.span import Span
from knitbone.tethering.interchange.spans.values import is_native
from knitbone.tethering.interchange.untrusted_json import parse_lenient, text_of_json

__all__ = [
    "DEFINITIONS",
    "AgentSpan",
    "error_of",
    "first_of",
    "further",
    "structure_of",
    "text_of",
    "tool_call",
    "tool_definitions",
    "unflatten",
]

_MAX_PARTS = 16
"""Levels of an indexed name that are followed; the conventions need eight."""
_MAX_DIGITS = 6
_MAX_FURTHER = 200
"""Characters of an attribute that is kept as it came."""


DEFINITIONS = "gen_ai.tool.definitions"

_OF_A_FUNCTION = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})
"""What tracers of functions (OpenLLMetry, smolagents) record of a call by keyword."""


class AgentSpan(msgspec.Struct, frozen=True):
    """The span of an agent: no event, but who did what stands below it."""

    name: str | None
    task: str = ""


def text_of(attributes: Mapping[str, Json], *names: str) -> str | None:
    """The first of these attributes that is a text and not empty."""
    for name in names:
        value = attributes.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def first_of(attributes: Mapping[str, Json], *names: str) -> Json:
    """The first of these attributes that is there and not null."""
    return next((attributes[name] for name in names if attributes.get(name) is not None), None)


def structure_of(value: Json) -> Json:
    """A list or object, given as such or as JSON text; other text as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return parse_lenient(value)
    return value


def unflatten(attributes: Mapping[str, Json], prefix: str) -> list[Json]:
    """``prefix.0.a.b``, ``prefix.1.a`` ... as a list of objects, in the order of the indices.

    What is both a value and a container keeps what came first.
    """
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        if not name.startswith(prefix + "."):
            continue
        parts = name[len(prefix) + 1 :].split(".")
        if len(parts) > _MAX_PARTS or not _is_index(parts[0]):
            continue
        node = root
        for part in parts[:-1]:
            inner: Any = node.setdefault(part, {})
            if not isinstance(inner, dict):
                break
            node = cast("dict[str, Any]", inner)
        else:
            node.setdefault(parts[-1], value)
    listed = _listed(root)
    return cast("list[Json]", listed) if isinstance(listed, list) else []


def _is_index(part: str) -> bool:
    return part.isascii() and part.isdigit() and len(part) <= _MAX_DIGITS


def _listed(node: Any) -> Json:
    if not isinstance(node, dict):
        return node
    items = cast("dict[str, Any]", node)
    if items and all(_is_index(key) for key in items):
        return [_listed(items[key]) for key in sorted(items, key=int)]
    return {key: _listed(value) for key, value in items.items()}


def error_of(span: Span) -> ErrorInfo | None:
    """The error that ended the span; an exception that was recorded and handled is none."""
    named = text_of(span.attributes, "error.type")
    if not span.failed and named is None:
        return None
    raised: dict[str, Json] = {}
    for event in span.events:
        if event.name == "exception":
            raised = event.attributes
    return ErrorInfo(
        type=named or text_of(raised, "exception.type") or "error",
        message=text_of(raised, "exception.message") or span.message,
    )


def tool_definitions(attributes: Mapping[str, Json]) -> dict[str, Json]:
    """The tools that a model was offered, under the name of the conventions; none where unsaid."""
    found: Json = structure_of(attributes.get(DEFINITIONS))
    if not isinstance(found, list):
        offered: list[Json] = []
        for item in unflatten(attributes, "llm.tools"):  # OpenInference
            tool: Any = cast("dict[str, Any]", item).get("tool") if isinstance(item, dict) else None
            schema: Any = cast("dict[str, Any]", tool).get("json_schema") if isinstance(
                tool, dict) else None  # fmt: skip
            offered.append(structure_of(schema))
        for item in unflatten(attributes, "llm.request.functions"):  # OpenLLMetry
            if isinstance(item, dict):
                body = cast("dict[str, Any]", item)
                offered.append(body | {"parameters": structure_of(body.get("parameters"))})
        found = [tool for tool in offered if isinstance(tool, dict)]
    return {DEFINITIONS: cast("Json", found)} if found else {}


def further(attributes: Mapping[str, Json], used: Iterable[str]) -> dict[str, Json]:
    """Short ``gen_ai`` attributes that no field of an event holds, such as the temperature."""
    taken = frozenset(used)
    return {
        name: value
        for name, value in attributes.items()
        if name.startswith(("gen_ai.request.", "gen_ai.response.", "gen_ai.conversation."))
        and name not in taken
        and is_native(value)
        and len(str(value)) <= _MAX_FURTHER
    }


def tool_call(
    span: Span,
    *,
    name: str | None,
    given: Json,
    made: Json,
    agent: str | None = None,
    call_id: str | None = None,
    error: ErrorInfo | None = None,
    failed: bool = False,
) -> ToolCall:
    """A tool's span, without what tracers wrap around values.

    Args:
        given: what the tool was given, ``made`` what it gave; either may be JSON text.
        error: what the convention says went wrong beside the span's status.
        failed: it says that the call failed, and the result is the reason.
    """
    arguments, first_id = _arguments(given)
    result, second_id, is_error = _result(made)
    error = error_of(span) or error
    if error is None and (failed or is_error):
        error = ErrorInfo(type="tool error", message=str(result)[:500])
    return ToolCall(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns, agent=agent,
        name=name or span.name or "unknown",
        call_id=call_id or first_id or second_id, arguments=arguments, result=result, error=error,
    )  # fmt: skip


def _arguments(value: Json) -> tuple[Json, str | None]:
    """A tool's arguments without what a tracer wrapped around them, and the call's identifier."""
    value = structure_of(value)
    if not isinstance(value, dict):
        return value, None
    body = cast("dict[str, Any]", value)
    inputs, context = body.get("inputs"), body.get("kwargs")
    if "input_str" in body and isinstance(inputs, dict):  # LangChain's callback
        call_id: Any = (
            cast("dict[str, Any]", context).get("tool_call_id")
            if isinstance(context, dict)
            else None
        )
        return cast("Json", inputs), call_id if isinstance(call_id, str) else None
    if "kwargs" in body and set(body) <= _OF_A_FUNCTION and not body.get("args"):
        return body["kwargs"], None
    return body, None


def _result(value: Json) -> tuple[Json, str | None, bool]:
    """A tool's result without its wrapping, the call's identifier, and whether it is an error.

    Text that holds JSON stays text: that is what the tool gave.
    """
    inner: Json = value
    body = structure_of(value)
    if isinstance(body, dict) and "output" in body and set(body) <= {"output", "kwargs"}:  # pyright: ignore[reportUnknownArgumentType]
        inner = cast("dict[str, Any]", body)["output"]
    message = message_fields(structure_of(inner))
    if message is None or message.get("type") != "tool":
        return inner, None, False
    call_id = message.get("tool_call_id")
    return (
        text_of_json(message.get("content")),
        call_id if isinstance(call_id, str) else None,
        message.get("status") == "error",
    )
