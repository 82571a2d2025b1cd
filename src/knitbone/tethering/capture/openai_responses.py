"""OpenAI's Responses API: requests, answers, and streams of events.

Source: the OpenAI API reference, ``POST /v1/responses``. A conversation that the server keeps
(``previous_response_id``, ``conversation``) is not in the request, and so not in the record; its
identifier is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from knitbone.record.events import ChatMessage, ToolCallRequest
from knitbone.tethering.capture.openai_chat import chat_message
from knitbone.tethering.capture.protocol import (
    Dialect,
    ModelAnswer,
    ModelRequest,
    attributes_of,
    error_text,
    identity_of,
    text_of,
    tool_call,
    with_counts,
)
from knitbone.wire.content import RESPONSES_CALLS
from knitbone.wire.fields import elements, field, word
from knitbone.wire.usage import RESPONSES_COUNTS

__all__ = ["RESPONSES"]

_PARAMETERS = {
    "conversation": "gen_ai.conversation.id",
    "max_output_tokens": "gen_ai.request.max_tokens",
    "parallel_tool_calls": "knitbone.request.parallel_tool_calls",
    "previous_response_id": "knitbone.request.previous_response_id",
    "reasoning": "knitbone.request.reasoning",
    "stream": "knitbone.request.stream",
    "temperature": "gen_ai.request.temperature",
    "text": "knitbone.request.text",
    "tool_choice": "knitbone.request.tool_choice",
    "top_p": "gen_ai.request.top_p",
}


def _request(body: Mapping[str, Any]) -> ModelRequest:
    instructions, given = word(body.get("instructions")), body.get("input")
    messages = [ChatMessage(role="system", content=instructions)] if instructions else []
    if isinstance(given, str):
        messages.append(ChatMessage(role="user", content=given))
    else:
        messages.extend(_conversation(elements(given)))
    return ModelRequest(
        model=str(body.get("model") or ""),
        messages=tuple(messages),
        attributes=attributes_of(body, _PARAMETERS),
        tools=body.get("tools") or None,
    )


def _conversation(items: Iterable[Any]) -> list[ChatMessage]:
    """The items as messages: the calls of one turn are one message, as in a chat."""
    messages: list[ChatMessage] = []
    for item in items:
        kind = field(item, "type")
        if kind in RESPONSES_CALLS:
            _ask(messages, _call(item))
        elif isinstance(kind, str) and kind.endswith("_call_output"):
            messages.append(
                ChatMessage(
                    role="tool",
                    content=text_of(field(item, "output")),
                    tool_call_id=word(field(item, "call_id")),
                )
            )
        elif field(item, "role") is not None:
            messages.append(chat_message(item))
        elif kind == "reasoning":
            continue
        else:
            messages.append(ChatMessage(role="user", content=text_of([item])))
    return messages


def _call(item: Any) -> ToolCallRequest:
    given = field(item, "arguments")
    return tool_call(
        field(item, "name"),
        field(item, "input") if given is None else given,
        field(item, "call_id") or field(item, "id"),
    )


def _ask(messages: list[ChatMessage], call: ToolCallRequest) -> None:
    last = messages[-1] if messages else None
    role: Literal["assistant"] = "assistant"
    if last is not None and last.role == role:
        calls = (*last.tool_calls, call)
        messages[-1] = ChatMessage(role=role, content=last.content, tool_calls=calls)
    else:
        messages.append(ChatMessage(role=role, tool_calls=(call,)))


def _answer(response: Any) -> ModelAnswer:
    texts: list[str] = []
    calls: list[ToolCallRequest] = []
    for item in elements(field(response, "output")):
        kind = field(item, "type")
        if kind == "message":
            texts.append(text_of(field(item, "content")))
        elif kind in RESPONSES_CALLS:
            calls.append(_call(item))
    reason = word(field(field(response, "incomplete_details"), "reason"))
    answer = ModelAnswer(
        output=ChatMessage(role="assistant", content="\n".join(texts), tool_calls=tuple(calls)),
        finish_reason=reason or word(field(response, "status")),
        attributes=identity_of(response),
        error=error_text(field(response, "error")),
    )
    return with_counts(answer, field(response, "usage"), RESPONSES_COUNTS)


class _SeenResponse:
    """The events of a stream: the last one brings the whole response, an earlier end what came."""

    _LAST = ("response.completed", "response.incomplete", "response.failed")

    def __init__(self) -> None:
        self._response: Any = None
        self._text: list[str] = []
        self._calls: list[ToolCallRequest] = []
        self._error: str | None = None

    def add(self, chunk: Any) -> None:
        """One event."""
        kind = field(chunk, "type")
        if kind in self._LAST:
            self._response = field(chunk, "response")
        elif kind in ("response.output_text.delta", "response.refusal.delta"):
            self._text.append(word(field(chunk, "delta")) or "")
        elif kind == "response.output_item.done":
            item = field(chunk, "item")
            if field(item, "type") in RESPONSES_CALLS:
                self._calls.append(_call(item))
        elif kind == "error":
            self._error = text_of(field(chunk, "message"))

    def answer(self) -> ModelAnswer:
        """What was said so far."""
        if self._response is not None:
            return _answer(self._response)
        if not (self._text or self._calls):
            return ModelAnswer(None, error=self._error)
        said = ChatMessage(
            role="assistant", content="".join(self._text), tool_calls=tuple(self._calls)
        )
        return ModelAnswer(said, error=self._error)


RESPONSES = Dialect("chat", _request, _answer, _SeenResponse)
