"""OpenAI's chat completions: requests, answers, and streams of chunks.

Source: the OpenAI API reference, ``POST /v1/chat/completions``. LiteLLM answers in the same form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from knitbone.record.events import ChatMessage, Json, ToolCallRequest
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
from knitbone.wire.fields import count, element, elements, field, word
from knitbone.wire.usage import CHAT_COUNTS

__all__ = ["CHAT", "chat_message"]

Role = Literal["system", "user", "assistant", "tool"]

_ROLES: dict[Any, Role] = {
    "assistant": "assistant", "developer": "system", "function": "tool", "system": "system",
    "tool": "tool", "user": "user",
}  # fmt: skip
_PARAMETERS = {
    "frequency_penalty": "gen_ai.request.frequency_penalty",
    "max_completion_tokens": "gen_ai.request.max_tokens",
    "max_tokens": "gen_ai.request.max_tokens",
    "n": "gen_ai.request.choice.count",
    "parallel_tool_calls": "knitbone.request.parallel_tool_calls",
    "presence_penalty": "gen_ai.request.presence_penalty",
    "reasoning_effort": "knitbone.request.reasoning_effort",
    "response_format": "knitbone.request.response_format",
    "seed": "gen_ai.request.seed",
    "stop": "gen_ai.request.stop_sequences",
    "stream": "knitbone.request.stream",
    "temperature": "gen_ai.request.temperature",
    "tool_choice": "knitbone.request.tool_choice",
    "top_p": "gen_ai.request.top_p",
}


def _request(body: Mapping[str, Any]) -> ModelRequest:
    return ModelRequest(
        model=str(body.get("model") or ""),
        messages=tuple([chat_message(message) for message in elements(body.get("messages"))]),
        attributes=attributes_of(body, _PARAMETERS),
        tools=body.get("tools") or body.get("functions") or None,
    )


def chat_message(message: Any) -> ChatMessage:
    """One message, as JSON or as the SDK's object."""
    role = _ROLES.get(field(message, "role"), "user")
    content = field(message, "content")
    if role != "assistant" and type(content) is str and type(message) is dict:
        # What most of a history is: this is the path that its length multiplies.
        plain = cast("dict[str, Any]", message)
        return ChatMessage(
            role=role,
            content=content,
            tool_call_id=word(plain.get("tool_call_id")),
            name=word(plain.get("name")),
        )
    calls: tuple[ToolCallRequest, ...] = ()
    if role == "assistant":
        calls = tuple([_call(call) for call in elements(field(message, "tool_calls"))])
        legacy = None if calls else field(message, "function_call")
        if legacy is not None:
            calls = (tool_call(field(legacy, "name"), field(legacy, "arguments"), None),)
    return ChatMessage(
        role=role,
        content=text_of(content) or text_of(field(message, "refusal")),
        tool_calls=calls,
        tool_call_id=word(field(message, "tool_call_id")) if role == "tool" else None,
        name=word(field(message, "name")) if type(message) is dict else None,
    )


def _call(call: Any) -> ToolCallRequest:
    function = field(call, "function")
    if function is None:  # a custom tool: free text in place of arguments
        custom = field(call, "custom")
        return tool_call(field(custom, "name"), field(custom, "input"), field(call, "id"))
    return tool_call(field(function, "name"), field(function, "arguments"), field(call, "id"))


def _answer(response: Any) -> ModelAnswer:
    choice = element(response, "choices")
    message = field(choice, "message")
    attributes = identity_of(response)
    others = [text_of(field(field(each, "message"), "content")) for each in
              list(elements(field(response, "choices")))[1:]]  # fmt: skip
    if others:
        attributes["knitbone.response.other_choices"] = others
    return with_counts(
        ModelAnswer(
            output=None if message is None else chat_message(message),
            finish_reason=word(field(choice, "finish_reason")),
            attributes=attributes,
            error=error_text(field(response, "error")) if message is None else None,
        ),
        field(response, "usage"),
        CHAT_COUNTS,
    )


class _SeenCompletion:
    """The chunks of a stream, put together; of several choices, the first."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: dict[int, list[Any]] = {}
        """By index: name, identifier, pieces of the arguments."""
        self._finish: str | None = None
        self._usage: Any = None
        self._identity: dict[str, Json] = {}

    def add(self, chunk: Any) -> None:
        """One ``chat.completion.chunk``."""
        if not self._identity:
            self._identity = identity_of(chunk)
        self._usage = field(chunk, "usage") or self._usage
        choice = element(chunk, "choices")
        if choice is None or field(choice, "index"):
            return
        self._finish = word(field(choice, "finish_reason")) or self._finish
        delta = field(choice, "delta")
        piece = field(delta, "content") or field(delta, "refusal")
        if isinstance(piece, str):
            self._text.append(piece)
        for call in elements(field(delta, "tool_calls")):
            self._add_call(call)

    def _add_call(self, call: Any) -> None:
        index = count(field(call, "index"))
        held = self._calls.setdefault(len(self._calls) if index is None else index, [None, None])
        function = field(call, "function")
        held[0] = word(field(function, "name")) or held[0]
        held[1] = word(field(call, "id")) or held[1]
        piece = field(function, "arguments")
        if isinstance(piece, str):
            held.append(piece)

    def answer(self) -> ModelAnswer:
        """What was said so far."""
        calls = tuple(
            [
                tool_call(name, "".join(pieces), call_id)
                for _, (name, call_id, *pieces) in sorted(self._calls.items())
            ]
        )
        output = ChatMessage(role="assistant", content="".join(self._text), tool_calls=calls)
        nothing = not (self._text or calls or self._finish)
        answer = ModelAnswer(
            None if nothing else output, self._finish, attributes=dict(self._identity)
        )
        return with_counts(answer, self._usage, CHAT_COUNTS)


CHAT = Dialect("chat", _request, _answer, _SeenCompletion)
