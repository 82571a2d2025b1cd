"""Anthropic's messages: requests, answers, and streams of events.

Source: the Anthropic API reference, ``POST /v1/messages``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

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
)
from knitbone.wire.content import ANTHROPIC_CALLS, ANTHROPIC_THOUGHTS
from knitbone.wire.fields import count, elements, field, word
from knitbone.wire.usage import with_cached

__all__ = ["MESSAGES"]

_PARAMETERS = {
    "max_tokens": "gen_ai.request.max_tokens",
    "output_config": "knitbone.request.output_config",
    "stop_sequences": "gen_ai.request.stop_sequences",
    "stream": "knitbone.request.stream",
    "temperature": "gen_ai.request.temperature",
    "thinking": "knitbone.request.thinking",
    "tool_choice": "knitbone.request.tool_choice",
    "top_k": "gen_ai.request.top_k",
    "top_p": "gen_ai.request.top_p",
}


def _request(body: Mapping[str, Any]) -> ModelRequest:
    system = text_of(body.get("system"))
    messages = [ChatMessage(role="system", content=system)] if system else []
    for message in elements(body.get("messages")):
        messages.extend(_messages(message))
    return ModelRequest(
        model=str(body.get("model") or ""),
        messages=tuple(messages),
        attributes=attributes_of(body, _PARAMETERS),
        tools=body.get("tools") or None,
    )


def _messages(message: Any) -> list[ChatMessage]:
    """One message of theirs: the results of tools in it are messages of their own."""
    content = field(message, "content")
    role = field(message, "role")
    if role == "assistant":
        return [_said(elements(content) if not isinstance(content, str) else (content,))]
    if role == "system":
        return [ChatMessage(role="system", content=text_of(content))]
    if isinstance(content, str):
        return [ChatMessage(role="user", content=content)]
    found: list[ChatMessage] = []
    rest: list[Any] = []
    for block in elements(content):
        if str(field(block, "type")).endswith("tool_result"):
            found.append(
                ChatMessage(
                    role="tool",
                    content=text_of(field(block, "content")),
                    tool_call_id=word(field(block, "tool_use_id")),
                )
            )
        else:
            rest.append(block)
    if rest or not found:
        found.append(ChatMessage(role="user", content=text_of(rest)))
    return found


def _said(blocks: Iterable[Any]) -> ChatMessage:
    """What the model said: its text and the tool calls that it asked for."""
    texts: list[str] = []
    calls: list[ToolCallRequest] = []
    for block in blocks:
        kind = field(block, "type")
        if kind in ANTHROPIC_CALLS:
            calls.append(tool_call(field(block, "name"), field(block, "input"), field(block, "id")))
        elif kind not in ANTHROPIC_THOUGHTS:  # sent back for the server's sake alone
            texts.append(text_of([block]))
    return ChatMessage(role="assistant", content="\n".join(texts), tool_calls=tuple(calls))


def _answer(message: Any) -> ModelAnswer:
    blocks = field(message, "content")
    answer = ModelAnswer(
        output=_said(elements(blocks)) if blocks is not None else None,
        finish_reason=word(field(message, "stop_reason")),
        attributes=identity_of(message),
        error=error_text(field(message, "error")),
    )
    return _with_usage(answer, _usage(field(message, "usage")))


_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)


def _usage(usage: Any) -> dict[str, int]:
    return {name: found for name in _COUNTS if (found := count(field(usage, name))) is not None}


def _with_usage(answer: ModelAnswer, usage: Mapping[str, int]) -> ModelAnswer:
    """OpenTelemetry counts as input what came from the cache, too; Anthropic counts it apart."""
    read, made = usage.get("cache_read_input_tokens"), usage.get("cache_creation_input_tokens")
    attributes = dict(answer.attributes)
    if read:
        attributes["gen_ai.usage.cache_read.input_tokens"] = read
    if made:
        attributes["gen_ai.usage.cache_creation.input_tokens"] = made
    return answer._replace(
        attributes=attributes,
        input_tokens=with_cached(usage.get("input_tokens"), made=made, read=read),
        output_tokens=usage.get("output_tokens"),
    )


class _SeenMessage:
    """The events of a stream, put together."""

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._usage: dict[str, int] = {}
        self._finish: str | None = None
        self._identity: dict[str, Json] = {}
        self._error: str | None = None

    def add(self, chunk: Any) -> None:
        """One raw event."""
        kind = field(chunk, "type")
        if kind == "message_start":
            message = field(chunk, "message")
            self._identity = identity_of(message)
            self._usage |= _usage(field(message, "usage"))
        elif kind == "content_block_start":
            block = field(chunk, "content_block")
            self._blocks[self._index(chunk)] = {
                "type": field(block, "type"),
                "name": field(block, "name"),
                "id": field(block, "id"),
                "given": field(block, "input"),
                "pieces": [word(field(block, "text")) or ""],
            }
        elif kind == "content_block_delta":
            delta = field(chunk, "delta")
            piece = field(delta, "text")
            piece = field(delta, "partial_json") if piece is None else piece
            block = self._blocks.get(self._index(chunk))
            if block is not None and isinstance(piece, str):
                block["pieces"].append(piece)
        elif kind == "message_delta":
            self._finish = word(field(field(chunk, "delta"), "stop_reason")) or self._finish
            self._usage |= _usage(field(chunk, "usage"))
        elif kind == "error":
            self._error = text_of(field(field(chunk, "error"), "message"))

    @staticmethod
    def _index(chunk: Any) -> int:
        return count(field(chunk, "index")) or 0

    def answer(self) -> ModelAnswer:
        """What was said so far."""
        blocks: list[dict[str, Any]] = []
        for _, block in sorted(self._blocks.items()):
            text = "".join(block["pieces"])
            if block["type"] in ANTHROPIC_CALLS:
                blocks.append(block | {"input": text or block["given"]})
            else:
                blocks.append({"type": block["type"], "text": text})
        answer = ModelAnswer(
            output=_said(blocks) if blocks else None,
            finish_reason=self._finish,
            attributes=dict(self._identity),
            error=self._error,
        )
        return _with_usage(answer, self._usage)


MESSAGES = Dialect("chat", _request, _answer, _SeenMessage)
