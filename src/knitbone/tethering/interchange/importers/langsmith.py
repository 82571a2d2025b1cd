"""Runs of LangSmith as spans: ``langsmith.run_type``, with inputs and outputs as they were traced.

They stand in whatever shape the traced library has: LangChain's messages and generations, OpenAI's
request and response, Anthropic's message. Chains, prompts and parsers decide nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from knitbone.record.events import ChatMessage, Event, Json, ModelCall, Retrieval, ToolCall, Usage
from knitbone.tethering.interchange.importers.langchain import plain_message
from knitbone.tethering.interchange.importers.platform_values import field
from knitbone.tethering.interchange.importers.span_values import (
    DEFINITIONS,
    error_of,
    structure_of,
    tool_call,
)
from knitbone.tethering.interchange.importers.turns import turns_of
from knitbone.tethering.interchange.spans.messages import document_of, message_of, messages_of
from knitbone.tethering.interchange.spans.span import Span
from knitbone.tethering.interchange.untrusted_json import text_of_json
from knitbone.wire.fields import integer_of, number_of, object_of
from knitbone.wire.usage import LANGSMITH_COUNTS, PROVIDERS_COUNTS, usage_of

__all__ = ["KIND", "read_span"]

KIND = "langsmith.run_type"


def _first(value: Json) -> Json:
    """The first of a list, of a list in a list, too: generations of one prompt."""
    while isinstance(value, list):
        value = cast("list[Any]", value)[0] if value else None
    return value


def read_span(span: Span) -> Event | None:
    """What the run says; ``None`` for chains, prompts, parsers, embeddings."""
    match str(span.attributes.get(KIND)).lower():
        case "llm":
            return _model_call(span)
        case "tool":
            return _tool(span)
        case "retriever":
            return _retrieval(span)
        case _:
            return None


def _model_call(span: Span) -> ModelCall:
    values = span.attributes
    given, made = object_of(values.get("langsmith.inputs")), values.get("langsmith.outputs")
    asked = object_of(values.get("langsmith.invocation"))
    metadata = object_of(values.get("langsmith.metadata"))
    said, notes = _said(made)
    offered = field(asked, "tools", "functions") or given.get("tools")
    model = field(asked, "model", "model_name") or metadata.get("ls_model_name") or field(
        notes, "model_name", "model")  # fmt: skip
    provider, reason = metadata.get("ls_provider"), field(notes, "finish_reason", "stop_reason")
    return ModelCall(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        attributes={DEFINITIONS: offered} if isinstance(offered, list) else {},
        model=model if isinstance(model, str) else "",
        provider=provider if isinstance(provider, str) else None,
        input=tuple(_told(given)),
        output=said,
        finish_reason=reason if isinstance(reason, str) else None,
        usage=_usage(values, notes),
        error=error_of(span),
    )  # fmt: skip


def _told(given: Mapping[str, Any]) -> list[ChatMessage]:
    """What a model was told: messages in any shape, or prompts."""
    held: Any = field(given, "messages", "prompts", "prompt", "input")
    items = cast("list[Any]", held) if isinstance(held, list) else [held]
    if len(items) == 1 and isinstance(items[0], list) and not _is_pair(items[0]):
        items = cast("list[Any]", items[0])  # LangChain's list of batches
    system = field(given, "system", "instructions")
    told = messages_of([{"role": "system", "content": system}] if system else [])
    if all(isinstance(item, dict) for item in items):
        items = turns_of([_plain(item) for item in items])
    for item in items:
        if isinstance(item, dict):
            told += message_of(_plain(item))
        elif _is_pair(item):
            told += message_of({"role": item[0], "content": item[1]})
        elif item:
            told.append(ChatMessage(role="user", content=text_of_json(item)))
    return told or ([ChatMessage(role="user", content=text_of_json(given))] if given else [])


def _plain(item: Any) -> Any:
    return plain_message(cast("dict[str, Any]", item)) if isinstance(item, dict) else item


def _is_pair(value: Any) -> bool:
    """A message as role and text, which LangChain takes, too."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return len(items) == 2 and all(isinstance(item, str) for item in items)


def _said(made: Json) -> tuple[ChatMessage | None, Mapping[str, Any]]:
    """What a model said, and what stands beside it: counts, its name, why it ended."""
    answer = object_of(made)
    notes: dict[str, Any] = dict(answer)
    body: Json = made
    if (generation := object_of(_first(answer.get("generations")))) or "generations" in answer:
        notes |= object_of(answer.get("llm_output")) | object_of(generation.get("generation_info"))
        body = generation.get("message") or generation.get("text")
    elif choice := object_of(_first(answer.get("choices"))):
        notes |= choice
        body = choice.get("message") or choice.get("text")
    elif "role" not in answer:
        body = field(answer, "message", "output", "messages", "content") or made
    if isinstance(body, list):
        items = cast("list[Any]", body)
        turns = turns_of([_plain(item) for item in items])
        body = turns[-1] if turns else _first(items)
    if not isinstance(body, dict):
        text = text_of_json(body)
        return (ChatMessage(role="assistant", content=text) if text else None), notes
    message = plain_message(cast("dict[str, Any]", body))
    notes |= object_of(message.get("response_metadata")) | {
        name: message[name] for name in ("usage_metadata", "stop_reason") if message.get(name)
    }
    if not {"content", "tool_calls", "parts"} & message.keys():
        return ChatMessage(role="assistant", content=text_of_json(cast("Json", body))), notes
    return message_of({**message, "role": "assistant"})[-1], notes


def _usage(values: Mapping[str, Json], notes: Mapping[str, Any]) -> Usage | None:
    given = integer_of(values, *LANGSMITH_COUNTS.input)
    made = integer_of(values, *LANGSMITH_COUNTS.output)
    for name in ("usage_metadata", "token_usage", "usage"):
        counts = object_of(notes.get(name))
        given = integer_of(counts, *PROVIDERS_COUNTS.input) if given is None else given
        made = integer_of(counts, *PROVIDERS_COUNTS.output) if made is None else made
    return usage_of(given, made, number_of(values, *LANGSMITH_COUNTS.cost))


def _tool(span: Span) -> ToolCall:
    given: Json = span.attributes.get("langsmith.inputs")
    body = object_of(given)
    if list(body) == ["input"] and isinstance(body["input"], str):
        given = structure_of(body["input"])  # LangChain's: all arguments in one text
    return tool_call(
        span, name=span.name, given=given, made=span.attributes.get("langsmith.outputs")
    )


def _retrieval(span: Span) -> Retrieval:
    given, made = span.attributes.get("langsmith.inputs"), span.attributes.get("langsmith.outputs")
    found = field(object_of(made), "documents", "output") or made
    query = field(object_of(given), "query", "input", "question") or given
    return Retrieval(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        query=text_of_json(query), source=span.name or None,
        documents=tuple(map(document_of, cast("list[Any]", found)))
        if isinstance(found, list) else (),
    )  # fmt: skip
