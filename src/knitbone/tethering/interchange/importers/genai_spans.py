"""Spans by the GenAI semantic conventions, of this year and of the years before.

Messages stand in ``gen_ai.input.messages`` and ``gen_ai.output.messages`` (attributes of the span,
or of the event ``gen_ai.client.inference.operation.details``); before, in events or log records
(``gen_ai.user.message``, ``gen_ai.choice``, ``gen_ai.content.prompt``), or in attributes by index
(``gen_ai.prompt.0.content``, OpenLLMetry).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from knitbone.record.events import (
    ChatMessage,
    Event,
    Json,
    ModelCall,
    Retrieval,
    ToolCall,
)
from knitbone.tethering.interchange.importers.converse import parts_of, text_of_blocks
from knitbone.tethering.interchange.importers.messages import THOUGHTS
from knitbone.tethering.interchange.importers.span_values import (
    AgentSpan,
    error_of,
    first_of,
    further,
    structure_of,
    text_of,
    tool_call,
    tool_definitions,
    unflatten,
)
from knitbone.tethering.interchange.spans.messages import (
    conversation_of,
    document_of,
    message_of,
    messages_of,
    one_turn,
    thoughts_of,
)
from knitbone.tethering.interchange.spans.span import Span, SpanEvent
from knitbone.wire.usage import GENAI_COUNTS, read_usage

__all__ = ["read_span"]

_MODEL = frozenset({"chat", "generate_content", "text_completion"})
_AGENT = frozenset({"invoke_agent", "invoke_workflow"})
_RETRIEVAL = frozenset({"retrieval", "search_memory"})
_DETAILS = "gen_ai.client.inference.operation.details"
_INPUT_EVENTS = {
    "gen_ai.assistant.message": "assistant",
    "gen_ai.system.message": "system",
    "gen_ai.tool.message": "tool",
    "gen_ai.user.message": "user",
}
_RESPONSE = "resp_"
"""How identifiers of the Responses API begin. It gives no alternatives: what an instrumentation
(OpenLLMetry of the Agents SDK) writes as several messages are the items of one answer."""
_USED = ("gen_ai.request.model", "gen_ai.response.finish_reasons")


def read_span(span: Span) -> Event | AgentSpan | None:
    """What the span says by these conventions; ``None`` where it says nothing about an agent."""
    values = span.attributes
    operation = text_of(values, "gen_ai.operation.name")
    kind = text_of(values, "traceloop.span.kind")
    method = text_of(values, "mcp.method.name")
    if operation == "execute_tool" or kind == "tool" or method == "tools/call":
        return _tool(span)
    if operation in _RETRIEVAL:
        return _retrieval(span)
    if operation in _AGENT or (operation is None and kind in ("workflow", "agent")):
        name = text_of(values, "gen_ai.agent.name", "agent_name")
        if name is None and kind == "agent":
            name = text_of(values, "traceloop.entity.name")
        return AgentSpan(name, _task(values))
    request = text_of(values, "llm.request.type")
    older = operation is None and (
        request in ("chat", "completion")
        or (request is None and text_of(values, *_MODEL_NAMES) is not None)
    )
    return _model_call(span, operation or "chat") if operation in _MODEL or older else None


_MODEL_NAMES = ("gen_ai.request.model", "gen_ai.response.model")


def _task(values: Mapping[str, Json]) -> str:
    said = messages_of(structure_of(values.get("gen_ai.input.messages")))
    return next((message.content for message in said if message.role == "user"), "")


def _model_call(span: Span, operation: str) -> ModelCall:
    values = span.attributes
    spoken = _output(span)
    output = spoken[0] if spoken else None
    reasons: Any = values.get("gen_ai.response.finish_reasons")
    reason: Any = cast("list[Any]", reasons)[0] if isinstance(reasons, list) and reasons else None
    if not isinstance(reason, str):
        reason = spoken[1] if spoken else None
    attributes = further(values, _USED) | tool_definitions(values)
    if spoken and spoken[2]:
        attributes[THOUGHTS] = spoken[2]
    return ModelCall(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        agent=text_of(values, "gen_ai.agent.name"),
        attributes=attributes,
        model=text_of(values, *_MODEL_NAMES) or "",
        provider=text_of(values, "gen_ai.provider.name", "gen_ai.system"),
        operation=operation,
        input=tuple(_input(span)),
        output=output,
        finish_reason=reason,
        usage=read_usage(GENAI_COUNTS, values),
        error=error_of(span),
    )  # fmt: skip


def _details(span: Span) -> Mapping[str, Json]:
    """Attributes of the span, and before them those of the event that carries its content."""
    told = [event for event in span.events if event.name == _DETAILS]
    merged = dict(span.attributes)
    for event in told:
        merged |= event.attributes
        body: Any = event.body
        if isinstance(body, dict):
            merged |= cast("dict[str, Json]", body)
    return merged


def _input(span: Span) -> list[ChatMessage]:
    values = _details(span)
    found: list[ChatMessage] = []
    system: Json = structure_of(values.get("gen_ai.system_instructions"))
    if system:
        found.extend(message_of({"role": "system", "content": system}))
    listed = messages_of(structure_of(values.get("gen_ai.input.messages")))
    if not listed:
        listed = messages_of(unflatten(values, "gen_ai.prompt"))
    if not listed:
        listed = conversation_of(values.get("gen_ai.prompt"))
    if not listed:
        for event in span.events:
            if event.name in _INPUT_EVENTS:
                body = {"role": _INPUT_EVENTS[event.name], **_body(event)}
                listed.extend(message_of(body))
            elif event.name == "gen_ai.content.prompt":
                listed.extend(conversation_of(event.attributes.get("gen_ai.prompt")))
    return found + listed


def _output(span: Span) -> tuple[ChatMessage, str | None, str] | None:
    """The first choice, why it ended, and what was thought before it."""
    said: list[tuple[ChatMessage, str | None, str]] = []
    for choice in _choices(span):
        if isinstance(choice, dict):
            body = _spoken(cast("dict[str, Any]", choice))
            reason = body.get("finish_reason")
            message = message_of({"role": "assistant", **body})[-1]
            said.append((message, reason if isinstance(reason, str) else None, thoughts_of(body)))
    if len(said) > 1 and str(span.attributes.get("gen_ai.response.id")).startswith(_RESPONSE):
        messages, reasons, thoughts = zip(*said, strict=True)
        return one_turn(messages), reasons[-1], "\n".join(filter(None, thoughts))
    return said[0] if said else None


def _choices(span: Span) -> list[Any]:
    values = _details(span)
    choices: Json = structure_of(values.get("gen_ai.output.messages"))
    if not (isinstance(choices, list) and choices):
        choices = unflatten(values, "gen_ai.completion")
    if not choices:
        choices = [
            {"role": "assistant", **_body(event)}
            for event in span.events
            if event.name == "gen_ai.choice"
        ]
    if not choices:
        texts = [values.get("gen_ai.completion")]
        texts += [
            event.attributes.get("gen_ai.completion")
            for event in span.events
            if event.name == "gen_ai.content.completion"
        ]
        choices = [_completion(text) for text in texts if text]
    return cast("list[Any]", choices)


def _spoken(choice: dict[str, Any]) -> dict[str, Any]:
    """A choice with the fields of the message that stands in it."""
    inner: Any = structure_of(choice.get("message"))
    if isinstance(inner, dict):
        return {**choice, **cast("dict[str, Any]", inner)}
    if inner is not None and "content" not in choice:
        return {**choice, "content": parts_of(inner) or inner}
    return choice


def _completion(value: Json) -> Json:
    body: Any = structure_of(value)
    if isinstance(body, list) and body:
        return cast("list[Any]", body)[0]
    return cast("Json", body) if isinstance(body, dict) else {"content": value}


def _body(event: SpanEvent) -> dict[str, Any]:
    """The message in an event: in its body (log records), in one attribute, or in several."""
    inner: Any = event.body
    if not inner:
        inner = structure_of(event.attributes.get("gen_ai.event.content"))
    if isinstance(inner, dict):
        return cast("dict[str, Any]", inner)
    body: dict[str, Any] = {n: structure_of(value) for n, value in event.attributes.items()}
    if "content" in body:
        # Text that happens to be JSON is still what was said, unless it is blocks.
        body["content"] = parts_of(body["content"]) or event.attributes["content"]
    return body


def _tool(span: Span) -> ToolCall:
    values = span.attributes
    given = first_of(
        values, "gen_ai.tool.call.arguments", "tool_arguments", "traceloop.entity.input"
    )
    made = first_of(values, "gen_ai.tool.call.result", "tool_response", "traceloop.entity.output")
    call = tool_call(
        span,
        name=text_of(values, "gen_ai.tool.name", "mcp.tool.name", "traceloop.entity.name")
        or span.name.removeprefix("execute_tool "),
        given=given or _told(span, "gen_ai.tool.message", "content"),
        made=text_of_blocks(made or _told(span, "gen_ai.choice", "message")),
        agent=text_of(values, "gen_ai.agent.name"),
        call_id=text_of(values, "gen_ai.tool.call.id"),
        failed=values.get("gen_ai.tool.status") == "error",
    )
    return msgspec.structs.replace(call, attributes=further(values, _USED))


def _told(span: Span, name: str, attribute: str) -> Json:
    """What an event of the span says: Strands Agents tells a tool's values there."""
    found = (event.attributes.get(attribute) for event in span.events if event.name == name)
    return next((value for value in found if value is not None), None)


def _retrieval(span: Span) -> Retrieval:
    values = span.attributes
    documents: Json = structure_of(values.get("gen_ai.retrieval.documents"))
    listed = cast("list[Any]", documents) if isinstance(documents, list) else []
    return Retrieval(
        id=span.span_id, started_ns=span.start_ns, ended_ns=span.end_ns,
        agent=text_of(values, "gen_ai.agent.name"),
        attributes=further(values, _USED),
        query=text_of(values, "gen_ai.retrieval.query.text", "gen_ai.retrieval.query") or "",
        source=text_of(values, "gen_ai.data_source.id"),
        documents=tuple(document_of(document) for document in listed),
    )  # fmt: skip
