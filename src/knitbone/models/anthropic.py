"""Anthropic's messages.

Source: the Anthropic API reference, ``POST /v1/messages``. A schema is asked for as a tool that
the model must call; its arguments are the JSON answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from knitbone.config import ModelConfig
from knitbone.errors import import_extra
from knitbone.models.chat import (
    ChatRequest,
    Completion,
    clean_json,
    with_call_ids,
)
from knitbone.models.endpoints import NO_KEY, resolve_endpoint
from knitbone.models.failures import Endpoint
from knitbone.models.remote import RemoteChatModel, client_of_loop, read_body
from knitbone.models.structured import ANSWER_NAME, as_object_schema, unwrap
from knitbone.record.events import ChatMessage, Json, ToolCallRequest, Usage
from knitbone.wire.usage import with_cached

__all__ = ["anthropic_chat_model"]

_URL = "https://api.anthropic.com"
_FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


def anthropic_chat_model(
    config: ModelConfig,
    *,
    environ: Mapping[str, str] | None = None,
) -> RemoteChatModel:
    """A chat model behind Anthropic's messages API.

    Raises:
        ConfigError: no name, or an unusable ``base_url``.
        MissingExtraError: the ``anthropic`` package is not installed.
        MissingKeyError: the environment variable that should hold the key is not set.
    """
    url, endpoint = resolve_endpoint(
        config,
        default_url=_URL,
        url_env="ANTHROPIC_BASE_URL",
        key_env="ANTHROPIC_API_KEY",
        environ=environ,
    )
    library = import_extra("anthropic", extra="anthropic", purpose="An Anthropic chat model")
    # The library adds /v1 itself, and OpenAI's URLs end in it: both ways of writing it work.
    transport = _AnthropicTransport(library, config, url.rstrip("/").removesuffix("/v1"), endpoint)
    return RemoteChatModel(transport, config, endpoint)


class _ContentBlock(msgspec.Struct, frozen=True):
    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None


class _Used(msgspec.Struct, frozen=True):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _MessageBody(msgspec.Struct, frozen=True):
    content: list[_ContentBlock]
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: _Used | None = None


class _AnthropicTransport:
    def __init__(self, library: Any, config: ModelConfig, url: str, endpoint: Endpoint) -> None:
        self._config = config
        self._endpoint = endpoint
        self._client = client_of_loop(
            partial(
                library.AsyncAnthropic,
                api_key=endpoint.key or NO_KEY,
                base_url=url,
                timeout=config.timeout_s,
                max_retries=config.max_retries,
                # A kept connection would leak when its loop ends, which nobody tells us.
                default_headers={"Connection": "close"},
            )
        )

    async def answer(self, request: ChatRequest) -> Completion:
        client = self._client()
        answer = read_body(await client.messages.create(**self._arguments(request)), _MessageBody)
        calls = tuple(
            ToolCallRequest(name=block.name or "", arguments=block.input, call_id=block.id)
            for block in answer.content
            if block.type == "tool_use"
        )
        text = "".join(block.text or "" for block in answer.content if block.type == "text")
        finish_reason = answer.stop_reason
        if request.schema is not None and calls:
            value = unwrap(calls[0].arguments, request.schema)
            text, calls = msgspec.json.encode(value).decode(), ()
            finish_reason = "end_turn" if finish_reason == "tool_use" else finish_reason
        return _completion(
            answer,
            self._endpoint.model,
            text=text,
            calls=calls,
            finish_reason=finish_reason,
            used=answer.usage,
        )

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        config = self._config
        spoken = [message for message in request.messages if message.role != "system"]
        system = [message.content for message in request.messages if message.role == "system"]
        arguments: dict[str, Any] = {
            "model": config.name,
            "messages": _messages(with_call_ids(spoken)),
            "max_tokens": config.max_tokens,
        }
        if system:
            arguments["system"] = clean_json("\n\n".join(system))
        if config.temperature is not None:
            arguments["temperature"] = config.temperature
        if request.tools:
            arguments["tools"] = [
                {
                    "name": tool.name,
                    "description": clean_json(tool.description),
                    "input_schema": clean_json(tool.parameters),
                }
                for tool in request.tools
            ]
        if request.schema is not None:
            arguments["tools"] = [
                {
                    "name": ANSWER_NAME,
                    "description": "Gives the answer.",
                    "input_schema": clean_json(as_object_schema(request.schema)),
                }
            ]
            arguments["tool_choice"] = {"type": "tool", "name": ANSWER_NAME}
        return arguments


def _completion(
    answer: _MessageBody,
    model: str,
    *,
    text: str,
    calls: tuple[ToolCallRequest, ...],
    finish_reason: str | None,
    used: _Used | None,
) -> Completion:
    reason = finish_reason or ("tool_use" if calls else "end_turn")
    return Completion(
        message=ChatMessage(role="assistant", content=text, tool_calls=calls),
        finish_reason=_FINISH_REASONS.get(reason, reason),
        usage=_usage(used),
        model=answer.model or model,
        refusal=text if reason == "refusal" else None,
        response_id=answer.id,
    )


def _usage(used: _Used | None) -> Usage:
    """Cached input tokens are counted apart over there; here they are input like the rest."""
    if used is None:
        return Usage()
    given = with_cached(
        used.input_tokens, made=used.cache_creation_input_tokens, read=used.cache_read_input_tokens
    )
    return Usage(input_tokens=given, output_tokens=used.output_tokens)


def _messages(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Turns alternate over there: neighbours of one side are joined; results are the user's."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"].extend(blocks)
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: ChatMessage) -> list[dict[str, Any]]:
    text = clean_json(message.content)
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": text}]
    # An empty text block is refused over there.
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    blocks.extend(
        {
            "type": "tool_use",
            "id": call.call_id,
            "name": call.name,
            "input": _input(call.arguments),
        }
        for call in message.tool_calls
    )
    return blocks


def _input(arguments: Json) -> dict[str, Any]:
    """A tool call's arguments are an object over there; a text that was none stays readable."""
    if arguments is None:
        return {}
    cleaned: Any = clean_json(arguments)
    return cleaned if isinstance(arguments, Mapping) else {"arguments": cleaned}
