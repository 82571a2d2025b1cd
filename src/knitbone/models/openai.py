"""Chat completions of any endpoint that speaks OpenAI's protocol.

Source: the OpenAI API reference, ``POST /v1/chat/completions``. Servers that speak it loosely
(content as parts, no usage, no finish reason in time) are read as far as they can be.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from knitbone.config import ModelConfig
from knitbone.errors import import_extra
from knitbone.models.chat import (
    ChatRequest,
    Completion,
    clean_json,
    tool_call,
    with_call_ids,
)
from knitbone.models.endpoints import NO_KEY, resolve_endpoint
from knitbone.models.failures import BrokenAnswerError, Endpoint
from knitbone.models.remote import RemoteChatModel, client_of_loop, read_body
from knitbone.models.structured import ANSWER_NAME, allows_strict
from knitbone.record.events import ChatMessage, ToolCallRequest, Usage
from knitbone.wire.content import joined_text

__all__ = ["openai_chat_model"]

_URL = "https://api.openai.com/v1"
_FINISH_REASONS = {"function_call": "tool_calls"}


def openai_chat_model(
    config: ModelConfig,
    *,
    environ: Mapping[str, str] | None = None,
) -> RemoteChatModel:
    """A chat model behind an OpenAI-compatible endpoint.

    Raises:
        ConfigError: no name, or an unusable ``base_url``.
        MissingExtraError: the ``openai`` package is not installed.
        MissingKeyError: the environment variable that should hold the key is not set.
    """
    url, endpoint = resolve_endpoint(
        config,
        default_url=_URL,
        url_env="OPENAI_BASE_URL",
        key_env="OPENAI_API_KEY",
        environ=environ,
    )
    library = import_extra("openai", extra="openai", purpose="An OpenAI-compatible chat model")
    transport = _OpenAITransport(library, config, url, endpoint)
    return RemoteChatModel(transport, config, endpoint)


class _Function(msgspec.Struct, frozen=True):
    name: str | None = None
    arguments: str | None = None


class _ToolCall(msgspec.Struct, frozen=True):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Message(msgspec.Struct, frozen=True):
    content: str | list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message | None = None
    finish_reason: str | None = None


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _CompletionBody(msgspec.Struct, frozen=True):
    """An answer as far as it is read; the rest is ignored."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    model: str | None = None
    id: str | None = None


class _OpenAITransport:
    def __init__(self, library: Any, config: ModelConfig, url: str, endpoint: Endpoint) -> None:
        self._config = config
        self._url = url
        self._endpoint = endpoint
        self._client = client_of_loop(
            partial(
                library.AsyncOpenAI,
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
        answer = read_body(
            await client.chat.completions.create(**self._arguments(request)), _CompletionBody
        )
        choice = answer.choices[0] if answer.choices else None
        if choice is None or choice.message is None:
            raise BrokenAnswerError("it holds no choices")
        calls = tuple(
            tool_call(call.function.name, call.function.arguments or "", call.id)
            for call in choice.message.tool_calls or ()
            if call.function is not None and call.function.name
        )
        return _completion(
            answer,
            self._endpoint.model,
            text=joined_text(choice.message.content),
            refusal=choice.message.refusal,
            calls=calls,
            finish_reason=choice.finish_reason,
        )

    def _arguments(self, request: ChatRequest) -> dict[str, Any]:
        config = self._config
        # OpenAI's newer models refuse max_tokens; other servers know nothing else.
        own = self._url.startswith(_URL)
        arguments: dict[str, Any] = {
            "model": config.name,
            "messages": [_message(message) for message in with_call_ids(request.messages)],
            "max_completion_tokens" if own else "max_tokens": config.max_tokens,
        }
        if config.temperature is not None:
            arguments["temperature"] = config.temperature
        if request.tools:
            arguments["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": clean_json(tool.description),
                        "parameters": clean_json(tool.parameters),
                    },
                }
                for tool in request.tools
            ]
        if request.schema is not None:
            arguments["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": ANSWER_NAME,
                    "schema": clean_json(request.schema),
                    "strict": allows_strict(request.schema),
                },
            }
        return arguments


def _completion(
    answer: _CompletionBody,
    model: str,
    *,
    text: str,
    refusal: str | None,
    calls: tuple[ToolCallRequest, ...],
    finish_reason: str | None,
) -> Completion:
    reason = finish_reason or ("tool_calls" if calls else "stop")
    used = answer.usage or _Usage()
    return Completion(
        message=ChatMessage(role="assistant", content=text, tool_calls=calls),
        finish_reason=_FINISH_REASONS.get(reason, reason),
        usage=Usage(input_tokens=used.prompt_tokens, output_tokens=used.completion_tokens),
        model=answer.model or model,
        refusal=refusal or None,
        response_id=answer.id,
    )


def _message(message: ChatMessage) -> dict[str, Any]:
    content = clean_json(message.content)
    sent: dict[str, Any] = {"role": message.role, "content": content}
    if message.name:
        sent["name"] = clean_json(message.name)
    if message.role == "tool":
        sent["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        sent["content"] = content or None
        sent["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": _argument_text(call)},
            }
            for call in message.tool_calls
        ]
    return sent


def _argument_text(call: ToolCallRequest) -> str:
    if isinstance(call.arguments, str):
        return str(clean_json(call.arguments))
    arguments: Any = {} if call.arguments is None else clean_json(call.arguments)
    return msgspec.json.encode(arguments, enc_hook=repr).decode()
