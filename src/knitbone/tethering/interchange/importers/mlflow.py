"""Spans of MLflow Tracing: ``mlflow.spanType``, ``mlflow.spanInputs``, ``mlflow.spanOutputs``.

Every value is JSON text. A model's inputs are the request that its SDK was given, or the messages
alone; its outputs what the SDK returned: OpenAI's choices, items of the Responses API, Anthropic's
message. A function that was traced as a model has its arguments there. With
``MLFLOW_ENABLE_OTEL_GENAI_SEMCONV`` MLflow writes the GenAI conventions instead.
"""

from __future__ import annotations

from typing import Any, cast

from knitbone.record.events import ChatMessage, Event, Json, ModelCall, Retrieval, ToolCall, Usage
from knitbone.tethering.interchange.importers.messages import THOUGHTS
from knitbone.tethering.interchange.importers.span_values import (
    DEFINITIONS,
    AgentSpan,
    error_of,
    first_of,
    tool_call,
)
from knitbone.tethering.interchange.importers.turns import turns_of
from knitbone.tethering.interchange.spans.messages import (
    conversation_of,
    document_of,
    message_of,
    messages_of,
    thoughts_of,
)
from knitbone.tethering.interchange.spans.span import Span
from knitbone.tethering.interchange.untrusted_json import parse_lenient, text_of_json
from knitbone.wire.fields import element, object_of
from knitbone.wire.usage import MLFLOW_COUNTS, read_usage

__all__ = ["KIND", "read_span"]

KIND = "mlflow.spanType"

_INPUTS, _OUTPUTS = "mlflow.spanInputs", "mlflow.spanOutputs"


def read_span(span: Span) -> Event | AgentSpan | None:
    """What the span says; ``None`` for chains, parsers and others that decide nothing."""
    match _value(span, KIND):
        case "CHAT_MODEL" | "LLM":
            return _model_call(span)
        case "TOOL":
            return _tool(span)
        case "RETRIEVER":
            return _retrieval(span)
        case "AGENT":
            said = _messages(_value(span, _INPUTS))
            task = next((message.content for message in said if message.role == "user"), "")
            return AgentSpan(span.name or None, task)
        case _:
            return None


def _value(span: Span, name: str) -> Json:
    value = span.attributes.get(name)
    return parse_lenient(value) if isinstance(value, str) else value


def _model_call(span: Span) -> ModelCall:
    given, made = _value(span, _INPUTS), _value(span, _OUTPUTS)
    request, answer = object_of(given), object_of(made)
    choice = object_of(element(answer, "choices"))
    said = _said(first_of(choice, "message") or first_of(answer, "output") or made)
    reason = first_of(choice, "finish_reason") or answer.get("stop_reason")
    attributes: dict[str, Json] = {}
    offered = _value(span, "mlflow.chat.tools") or request.get("tools")
    if isinstance(offered, list):
        attributes[DEFINITIONS] = cast("Json", offered)
    if thoughts := "\n".join(filter(None, map(thoughts_of, said))):
        attributes[THOUGHTS] = thoughts
    system = first_of(request, "system", "instructions")
    told = message_of({"role": "system", "content": system}) if system else []
    model = _value(span, "mlflow.llm.model") or request.get("model")
    provider = _value(span, "mlflow.llm.provider")
    return ModelCall(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        attributes=attributes,
        model=model if isinstance(model, str) else "",
        provider=provider if isinstance(provider, str) else None,
        input=(*told, *_messages(given)),
        output=message_of(said[0] | {"role": "assistant"})[-1] if said else None,
        finish_reason=reason if isinstance(reason, str) else None,
        usage=_usage(span),
        error=error_of(span),
    )  # fmt: skip


def _messages(given: Json) -> list[ChatMessage]:
    """What a model was told: the request's messages, or the arguments of a function."""
    held: Any = first_of(object_of(given), "messages", "input", "prompt") or given
    if isinstance(held, list):
        return messages_of(turns_of(cast("list[Any]", held)))
    if isinstance(held, dict) and len(values := list(cast("dict[str, Any]", held).values())) == 1:
        held = values[0]
    return conversation_of(held)


def _said(made: Json) -> list[dict[str, Any]]:
    """The message that a model gave, in whatever its SDK returned; at most one."""
    if isinstance(made, list):
        return turns_of(cast("list[Any]", made))[:1]
    if isinstance(made, dict) and "content" in made:
        return [cast("dict[str, Any]", made)]
    return [{"content": text_of_json(made)}] if made else []


def _usage(span: Span) -> Usage | None:
    counts = object_of(_value(span, "mlflow.chat.tokenUsage"))
    return read_usage(MLFLOW_COUNTS, counts, object_of(_value(span, "mlflow.llm.cost")))


def _tool(span: Span) -> ToolCall:
    call_id = _value(span, "tool_call_id")  # LangChain's
    return tool_call(
        span,
        name=span.name,
        given=_value(span, _INPUTS),
        made=_value(span, _OUTPUTS),
        call_id=call_id if isinstance(call_id, str) else None,
    )


def _retrieval(span: Span) -> Retrieval:
    found = _value(span, _OUTPUTS)
    listed = cast("list[Any]", found) if isinstance(found, list) else []
    given = _messages(_value(span, _INPUTS))
    return Retrieval(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        query=given[0].content if given else "", source=span.name or None,
        documents=tuple(map(document_of, listed)),
    )  # fmt: skip
