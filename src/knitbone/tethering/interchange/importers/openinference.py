"""Spans by OpenInference (Arize Phoenix and others): ``openinference.span.kind`` and ``llm.*``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from knitbone.record.events import (
    ChatMessage,
    Event,
    Json,
    ModelCall,
    Retrieval,
    ToolCall,
)
from knitbone.tethering.interchange.importers.span_values import (
    AgentSpan,
    error_of,
    structure_of,
    text_of,
    tool_call,
    tool_definitions,
    unflatten,
)
from knitbone.tethering.interchange.spans.messages import document_of, messages_of
from knitbone.tethering.interchange.spans.span import Span
from knitbone.wire.fields import object_of
from knitbone.wire.usage import OPENINFERENCE_COUNTS, read_usage

__all__ = ["KIND", "read_span"]

KIND = "openinference.span.kind"


def read_span(span: Span) -> Event | AgentSpan | None:
    """What the span says; ``None`` for chains, guardrails and others that decide nothing."""
    match str(span.attributes.get(KIND)).upper():
        case "LLM":
            return _model_call(span)
        case "TOOL":
            return _tool(span)
        case "RETRIEVER":
            return _retrieval(span)
        case "AGENT":
            name = text_of(span.attributes, "agent.name", "graph.node.id")
            return AgentSpan(name or span.name or None)
        case _:
            return None


def _model_call(span: Span) -> ModelCall:
    values = span.attributes
    given = _messages(values, "llm.input_messages") or _texts(values, "llm.prompts", "prompt.text")
    if not given and (text := text_of(values, "input.value")):
        given = [ChatMessage(role="user", content=text)]
    made = _messages(values, "llm.output_messages")
    if not made and not span.failed and (text := text_of(values, "output.value")):
        made = [ChatMessage(role="assistant", content=text)]
    return ModelCall(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        agent=text_of(values, "agent.name"),
        attributes=tool_definitions(values),
        model=text_of(
            values, "llm.request.model_name", "llm.model_name", "llm.response.model_name"
        ) or "",
        provider=text_of(values, "llm.provider", "llm.system"),
        input=tuple(given),
        output=made[0] if made else None,
        finish_reason=text_of(values, "llm.finish_reason"),
        usage=read_usage(OPENINFERENCE_COUNTS, values),
        error=error_of(span),
    )  # fmt: skip


def _messages(values: Mapping[str, Json], prefix: str) -> list[ChatMessage]:
    """Messages by index: ``llm.input_messages.0.message.tool_calls.0.tool_call.function.name``."""
    bodies: list[Json] = []
    for item in unflatten(values, prefix):
        inner = _inside(item, "message")
        if not inner:
            continue
        calls = [_inside(call, "tool_call") for call in _list(inner.get("tool_calls"))]
        body: dict[str, Json] = {**inner, "tool_calls": calls}
        parts = [_inside(part, "message_content") for part in _list(inner.get("contents"))]
        if parts and "content" not in inner:
            body["content"] = parts
        if "function_call_name" in inner:
            body["tool_calls"] = [*calls, {
                "name": inner["function_call_name"],
                "arguments": inner.get("function_call_arguments_json"),
            }]  # fmt: skip
        bodies.append(body)
    return messages_of(bodies)


def _texts(values: Mapping[str, Json], prefix: str, name: str) -> list[ChatMessage]:
    found: list[ChatMessage] = []
    for item in unflatten(values, prefix):
        text: Any = _inside(item, name.partition(".")[0]).get("text")
        if isinstance(text, str):
            found.append(ChatMessage(role="user", content=text))
    return found


def _inside(item: Json, name: str) -> Mapping[str, Any]:
    body = object_of(item)
    inner: Any = body.get(name)
    return object_of(inner)


def _list(value: Json) -> list[Json]:
    return cast("list[Json]", value) if isinstance(value, list) else []


def _tool(span: Span) -> ToolCall:
    values = span.attributes
    return tool_call(
        span,
        name=text_of(values, "tool.name", "tool_call.function.name"),
        given=values.get("input.value"),
        made=values.get("output.value"),
        agent=text_of(values, "agent.name"),
        call_id=text_of(values, "tool_call.id", "tool.id"),
    )


def _retrieval(span: Span) -> Retrieval:
    values = span.attributes
    documents: list[Json] = []
    for item in unflatten(values, "retrieval.documents"):
        body = dict(_inside(item, "document"))
        body["metadata"] = structure_of(body.get("metadata"))
        documents.append(body)
    return Retrieval(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        agent=text_of(values, "agent.name"),
        query=text_of(values, "input.value") or "",
        source=span.name or None,
        documents=tuple(document_of(document) for document in documents),
    )  # fmt: skip
