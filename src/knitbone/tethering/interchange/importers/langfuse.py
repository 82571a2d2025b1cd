"""Spans of Langfuse's SDKs: ``langfuse.observation.type``, with input and output as JSON text.

An observation that is no generation, tool, retriever or agent may be another library's span that
only passed through the SDK; it is left to the conventions that it follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from knitbone.record.events import (
    ChatMessage,
    Document,
    ErrorInfo,
    Event,
    Json,
    ModelCall,
    Retrieval,
    ToolCall,
    Usage,
)
from knitbone.tethering.interchange.importers.langchain import plain_message
from knitbone.tethering.interchange.importers.messages import THOUGHTS
from knitbone.tethering.interchange.importers.span_values import (
    DEFINITIONS,
    AgentSpan,
    error_of,
    structure_of,
    text_of,
    tool_call,
)
from knitbone.tethering.interchange.importers.turns import turns_of
from knitbone.tethering.interchange.spans.messages import (
    conversation_of,
    document_of,
    message_of,
    thoughts_of,
)
from knitbone.tethering.interchange.spans.span import Span
from knitbone.tethering.interchange.untrusted_json import text_of_json
from knitbone.wire.fields import object_of
from knitbone.wire.usage import LANGFUSE_COUNTS, read_usage

__all__ = ["KIND", "read_span"]

KIND = "langfuse.observation.type"

_INPUT = "langfuse.observation.input"
_OUTPUT = "langfuse.observation.output"
_MODEL = "langfuse.observation.model.name"


def read_span(span: Span) -> Event | AgentSpan | None:
    """What the span says; ``None`` for plain spans, chains, events, embeddings and guardrails."""
    match span.attributes.get(KIND):
        case "generation":
            return _model_call(span)
        case "tool":
            return _tool(span)
        case "retriever":
            return _retrieval(span)
        case "agent":
            said = conversation_of(span.attributes.get(_INPUT))
            task = next((message.content for message in said if message.role == "user"), "")
            return AgentSpan(span.name or None, task)
        case _:
            return None


def _model_call(span: Span) -> ModelCall:
    values = span.attributes
    given, offered = _told(structure_of(values.get(_INPUT)))
    attributes: dict[str, Json] = {DEFINITIONS: offered} if isinstance(offered, list) else {}
    made: Json = structure_of(values.get(_OUTPUT))
    if isinstance(made, dict) and (thoughts := thoughts_of(cast("dict[str, Any]", made))):
        attributes[THOUGHTS] = thoughts
    return ModelCall(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        attributes=attributes,
        model=text_of(values, _MODEL, "gen_ai.request.model") or "",
        input=tuple(conversation_of(given)),
        output=_said(made),
        usage=_usage(values),
        error=error_of(span) or _error(span),
    )  # fmt: skip


def _told(given: Json) -> tuple[Json, Json]:
    """What a model was told, with the names of chat messages, and the tools that it was offered.

    The callbacks for LangChain put each tool's definition among the messages.
    """
    request = object_of(given)
    held: Any = request.get("messages") if request else given
    if not isinstance(held, list):
        return given, request.get("tools")
    told: list[Json] = []
    offered: list[Json] = []
    for item in cast("list[Any]", held):
        body = object_of(item)
        content: Any = body.get("content")
        if body.get("role") == "tool" and isinstance(content, dict) and "function" in content:
            offered.append(cast("Json", content))
        elif body:
            told.append(plain_message(body))
    return turns_of(told), request.get("tools") or offered or None


def _said(made: Json) -> ChatMessage | None:
    """A message, the first of several, or whatever else the application noted as the output."""
    answer = object_of(made)
    if isinstance(answer.get("output"), list):
        made = cast("list[Any]", answer["output"])  # a response of the Responses API
    if isinstance(made, list) and made:
        made = (turns_of(cast("list[Any]", made)) or cast("list[Any]", made))[0]
    if isinstance(made, dict) and "role" in made:
        body = plain_message(cast("dict[str, Any]", made))
        return message_of(body | {"role": "assistant"})[-1]
    return ChatMessage(role="assistant", content=text_of_json(made)) if made else None


def _usage(values: Mapping[str, Json]) -> Usage | None:
    counts, costs = (
        object_of(structure_of(values.get(f"langfuse.observation.{name}_details")))
        for name in ("usage", "cost")
    )
    return read_usage(LANGFUSE_COUNTS, counts, costs)


def _error(span: Span) -> ErrorInfo | None:
    """An error noted as a level: earlier SDKs leave the span's status alone."""
    if span.attributes.get("langfuse.observation.level") != "ERROR":
        return None
    message = text_of(span.attributes, "langfuse.observation.status_message") or ""
    return ErrorInfo(type="error", message=message)


def _tool(span: Span) -> ToolCall:
    given, made = span.attributes.get(_INPUT), span.attributes.get(_OUTPUT)
    return tool_call(span, name=span.name, given=given, made=made, error=_error(span))


def _retrieval(span: Span) -> Retrieval:
    found: Json = structure_of(span.attributes.get(_OUTPUT))
    listed = cast("list[Any]", found) if isinstance(found, list) else [found] if found else []
    documents: list[Document] = [document_of(item) for item in listed]
    return Retrieval(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        query=text_of_json(span.attributes.get(_INPUT)), source=span.name or None,
        documents=tuple(documents),
    )  # fmt: skip
