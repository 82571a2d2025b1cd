"""Chat models: one interface over all providers (design §5)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast, runtime_checkable

import msgspec

from knitbone.errors import KnitboneError
from knitbone.record.events import ChatMessage, Json, ToolCallRequest, Usage

__all__ = [
    "ChatModel",
    "ChatRequest",
    "Completion",
    "ToolSpec",
    "chat_request",
    "clean_json",
    "complete_sync",
    "parse_arguments",
    "tool_call",
    "with_call_ids",
]

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _no_parameters() -> dict[str, Json]:
    return {"type": "object", "properties": {}}


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that a model may call."""

    name: str
    description: str = ""
    parameters: dict[str, Json] = msgspec.field(default_factory=_no_parameters)
    """JSON schema of the arguments; its type is ``object``."""


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """A model's whole answer."""

    message: ChatMessage
    finish_reason: str
    """In OpenAI's words: ``stop``, ``length``, ``tool_calls``, ``content_filter``; a reason that
    has none stays as the provider gave it."""
    usage: Usage
    model: str
    """The model that answered, as its server names it."""
    parsed: Json = None
    """The JSON value, where a schema was asked for."""
    refusal: str | None = None
    """The words with which the model declined, where the provider tells them apart."""
    response_id: str | None = None

    @property
    def text(self) -> str:
        """What the model said; empty where it only called tools."""
        return self.message.content


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a model."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    schema: dict[str, Json] | None = None


@runtime_checkable
class ChatModel(Protocol):
    """A chat model."""

    @property
    def name(self) -> str:
        """The model's name, as configured."""
        ...

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Json] | None = None,
    ) -> Completion:
        """The whole answer.

        Args:
            tools: tools that the model may call.
            schema: a JSON schema; the answer is then a JSON value, in ``parsed``. The provider
                is asked to keep to it; only its outermost type is verified. Not together with
                ``tools``.

        Raises:
            ModelError: one of its kinds, after the retries that make sense.
        """
        ...


def complete_sync(
    model: ChatModel,
    messages: Sequence[ChatMessage],
    *,
    tools: Sequence[ToolSpec] | None = None,
    schema: Mapping[str, Json] | None = None,
) -> Completion:
    """``complete`` for code that is not asynchronous.

    Raises:
        KnitboneError: an event loop is running in this thread.
        ModelError: as ``ChatModel.complete``.
    """

    async def complete() -> Completion:
        return await model.complete(messages, tools=tools, schema=schema)

    if _in_event_loop():
        raise KnitboneError(
            "complete_sync was called inside a running event loop.",
            next_step="Use: await model.complete(...)",
        )
    return asyncio.run(complete())


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def chat_request(
    messages: Sequence[ChatMessage],
    tools: Sequence[ToolSpec] | None,
    schema: Mapping[str, Json] | None,
) -> ChatRequest:
    """The arguments of ``complete`` as one record.

    Raises:
        KnitboneError: there is no message, or both tools and a schema.
    """
    if not messages:
        raise KnitboneError(
            "A model was called without any message.", next_step="Pass at least one ChatMessage."
        )
    if tools and schema is not None:
        raise KnitboneError(
            "A model was called with both tools and a schema, which not every provider combines.",
            next_step="Ask with the tools first, then for the JSON in a second call.",
        )
    return ChatRequest(
        messages=tuple(messages),
        tools=tuple(tools or ()),
        schema=None if schema is None else dict(schema),
    )


def with_call_ids(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The messages with an identifier on every tool call and tool result.

    Providers refuse a call without one, and some recorded conversations have none: results then
    answer the calls in order.
    """
    named: list[ChatMessage] = []
    unanswered: list[str] = []
    for index, message in enumerate(messages):
        if message.tool_calls:
            calls = tuple(
                call
                if call.call_id
                else msgspec.structs.replace(call, call_id=f"call_{index}_{place}")
                for place, call in enumerate(message.tool_calls)
            )
            unanswered.extend(call.call_id or "" for call in calls)
            named.append(msgspec.structs.replace(message, tool_calls=calls))
        elif message.role == "tool":
            answered = message.tool_call_id or (unanswered[0] if unanswered else f"call_{index}")
            if answered in unanswered:
                unanswered.remove(answered)
            named.append(msgspec.structs.replace(message, tool_call_id=answered))
        else:
            named.append(message)
    return named


def parse_arguments(text: str) -> Json:
    """A tool call's arguments: parsed, or the raw text where they are not JSON."""
    if not text.strip():
        return {}
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return text


def tool_call(name: str, arguments: str, call_id: str | None) -> ToolCallRequest:
    """A tool call from the text of its arguments."""
    return ToolCallRequest(name=name, arguments=parse_arguments(arguments), call_id=call_id)


def clean_json(value: Any) -> Any:
    """A JSON-like value that encodes as UTF-8: a lone surrogate becomes U+FFFD."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {clean_json(key): clean_json(item) for key, item in items}
    if isinstance(value, (list, tuple)):
        return [clean_json(item) for item in cast("Sequence[Any]", value)]
    return value
