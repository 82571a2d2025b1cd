"""Spans of Vercel's AI SDK: ``ai.operationId``, and the content under ``ai.*``.

The outer span of a call (``ai.generateText``) is the agent: below it stands a span a step
(``ai.generateText.doGenerate``) and one a tool (``ai.toolCall``). Names of the SDK's fourth version
(``args``, ``result``, ``ai.usage.promptTokens``) are read beside those of later ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from knitbone.record.events import ChatMessage, Event, Json, ModelCall, ToolCall
from knitbone.tethering.interchange.importers.messages import THOUGHTS
from knitbone.tethering.interchange.importers.span_values import (
    DEFINITIONS,
    AgentSpan,
    error_of,
    first_of,
    further,
    structure_of,
    text_of,
)
from knitbone.tethering.interchange.spans.messages import conversation_of, message_of, messages_of
from knitbone.tethering.interchange.spans.span import Span
from knitbone.wire.fields import object_of
from knitbone.wire.usage import AI_SDK_COUNTS, read_usage

__all__ = ["KIND", "read_span"]

KIND = "ai.operationId"

_STEPS = (".doGenerate", ".doStream")
_CALLS = ("ai.generate", "ai.stream")
_USED = ("gen_ai.request.model", "gen_ai.response.finish_reasons")


def read_span(span: Span) -> Event | AgentSpan | None:
    """What the span says; ``None`` for embeddings and others that decide nothing."""
    operation = str(span.attributes.get(KIND))
    if operation == "ai.toolCall":
        return _tool(span)
    if not operation.startswith(_CALLS):
        return None
    return _model_call(span) if operation.endswith(_STEPS) else _agent(span)


def _agent(span: Span) -> AgentSpan:
    said = conversation_of(span.attributes.get("ai.prompt"))
    task = next((message.content for message in said if message.role == "user"), "")
    return AgentSpan(text_of(span.attributes, "ai.telemetry.functionId"), task)


def _model_call(span: Span) -> ModelCall:
    values = span.attributes
    attributes = further(values, _USED) | _offered(values.get("ai.prompt.tools"))
    if thoughts := text_of(values, "ai.response.reasoning"):
        attributes[THOUGHTS] = thoughts
    return ModelCall(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        agent=text_of(values, "ai.telemetry.functionId"),
        attributes=attributes,
        model=text_of(values, "gen_ai.request.model", "ai.model.id", "ai.response.model") or "",
        provider=text_of(values, "gen_ai.system", "ai.model.provider"),
        input=tuple(_messages(structure_of(values.get("ai.prompt.messages")))),
        output=_output(values),
        finish_reason=text_of(values, "ai.response.finishReason"),
        usage=read_usage(AI_SDK_COUNTS, values),
        error=error_of(span),
    )  # fmt: skip


def _messages(value: Json) -> list[ChatMessage]:
    """Messages whose parts are called otherwise than in the conventions."""
    bodies: list[Json] = []
    for item in cast("list[Any]", value) if isinstance(value, list) else ():
        if not isinstance(item, dict):
            continue
        body = cast("dict[str, Any]", item)
        content = body.get("content")
        parts = cast("list[Any]", content) if isinstance(content, list) else None
        bodies.append(body if parts is None else body | {"content": [_part(p) for p in parts]})
    return messages_of(bodies)


def _part(value: Json) -> Json:
    part = object_of(value)
    kind = part.get("type")
    if kind == "tool-call":
        return {
            "type": "tool_call", "id": part.get("toolCallId"), "name": part.get("toolName"),
            "arguments": first_of(part, "input", "args"),
        }  # fmt: skip
    if kind == "tool-result":
        answer = _answer(first_of(part, "output", "result"))
        return {"type": "tool_call_response", "id": part.get("toolCallId"), "response": answer}
    return value


def _answer(value: Json) -> Json:
    """What the tool gave; since the fifth version in ``{"type": "json", "value": ...}``."""
    if not isinstance(value, dict):
        return value
    body = cast("dict[str, Any]", value)
    return body["value"] if {"type", "value"} <= set(body) else cast("Json", body)


def _output(values: Mapping[str, Json]) -> ChatMessage | None:
    text = text_of(values, "ai.response.text", "ai.response.object")
    asked: Json = structure_of(values.get("ai.response.toolCalls"))
    calls = [
        _part(cast("dict[str, Any]", call) | {"type": "tool-call"})
        for call in (cast("list[Any]", asked) if isinstance(asked, list) else ())
        if isinstance(call, dict)
    ]
    if text is None and not calls:
        return None
    said: list[Json] = [{"type": "text", "content": text}] if text else []
    return message_of({"role": "assistant", "parts": [*said, *calls]})[-1]


def _offered(value: Json) -> dict[str, Json]:
    """The tools, each a JSON text of its own."""
    found: list[Json] = []
    for item in cast("list[Any]", value) if isinstance(value, list) else ():
        tool: Any = structure_of(item)
        if isinstance(tool, dict):
            found.append(cast("Json", tool))
    return {DEFINITIONS: found} if found else {}


def _tool(span: Span) -> ToolCall:
    values = span.attributes
    return ToolCall(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        agent=text_of(values, "ai.telemetry.functionId"),
        name=text_of(values, "ai.toolCall.name") or span.name or "unknown",
        call_id=text_of(values, "ai.toolCall.id"),
        arguments=structure_of(first_of(values, "ai.toolCall.args", "ai.toolCall.input")),
        result=first_of(values, "ai.toolCall.result", "ai.toolCall.output"),
        error=error_of(span),
    )  # fmt: skip
