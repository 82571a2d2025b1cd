"""LangChain's messages and message chunks."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import reduce
from typing import Any, Literal

from knitbone.record.events import ChatMessage, Json
from knitbone.tethering.capture.protocol import (
    Dialect,
    ModelAnswer,
    ModelRequest,
    text_of,
    tool_call,
    with_counts,
)
from knitbone.wire.content import CALLS
from knitbone.wire.fields import elements, field, word
from knitbone.wire.usage import LANGCHAIN_COUNTS

__all__ = ["LANGCHAIN", "answer_of", "chat_message"]

Role = Literal["system", "user", "assistant", "tool"]

_ROLES: dict[Any, Role] = {
    "AIMessageChunk": "assistant", "ai": "assistant", "assistant": "assistant",
    "developer": "system", "function": "tool", "human": "user", "system": "system", "tool": "tool",
    "user": "user",
}  # fmt: skip
_CALL_PARTS = (*CALLS, "input_json_delta")
"""Content blocks that repeat what the message's ``tool_calls`` say."""


def chat_message(message: Any) -> ChatMessage:
    """One message."""
    kind = field(message, "type")
    role = _ROLES.get(field(message, "role") if kind == "chat" else kind, "user")
    content = field(message, "content")
    if isinstance(content, list):
        content = [part for part in elements(content) if field(part, "type") not in _CALL_PARTS]
    calls = [
        tool_call(field(call, "name"), field(call, "args"), field(call, "id"))
        for name in ("tool_calls", "invalid_tool_calls")
        for call in (elements(field(message, name)) if role == "assistant" else ())
    ]
    return ChatMessage(
        role=role,
        content=text_of(content),
        tool_calls=tuple(calls),
        tool_call_id=word(field(message, "tool_call_id")) if role == "tool" else None,
        name=word(field(message, "name")),
    )


def answer_of(message: Any) -> ModelAnswer:
    """What a model answered, with what its message tells of the call."""
    if message is None:
        return ModelAnswer(None)
    about = field(message, "response_metadata")
    attributes: dict[str, Json] = {}
    if name := word(field(about, "model_name")) or word(field(about, "model")):
        attributes["gen_ai.response.model"] = name
    if identity := word(field(message, "id")):
        attributes["gen_ai.response.id"] = identity
    finish = word(field(about, "finish_reason")) or word(field(about, "stop_reason"))
    answer = ModelAnswer(output=chat_message(message), finish_reason=finish, attributes=attributes)
    return with_counts(answer, field(message, "usage_metadata"), LANGCHAIN_COUNTS)


class _SeenChunks:
    """Chunks, added up by LangChain's own addition."""

    def __init__(self) -> None:
        self._chunks: list[Any] = []

    def add(self, chunk: Any) -> None:
        """One chunk of a message."""
        self._chunks.append(chunk)

    def answer(self) -> ModelAnswer:
        """What was said so far."""
        if not self._chunks:
            return ModelAnswer(None)
        return answer_of(reduce(operator.add, self._chunks))


def _request(body: Mapping[str, Any]) -> ModelRequest:
    return ModelRequest(
        "", tuple([chat_message(each) for each in elements(body.get("messages"))]), {}
    )


LANGCHAIN = Dialect("chat", _request, answer_of, _SeenChunks)
