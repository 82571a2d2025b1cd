"""Any LangChain ``BaseChatModel`` as a ``ChatModel``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from knitbone.common.printable import printable
from knitbone.config import ModelConfig
from knitbone.errors import ModelError, ModelRequestError, import_extra
from knitbone.models.chat import (
    ChatRequest,
    Completion,
    clean_json,
    tool_call,
    with_call_ids,
)
from knitbone.models.failures import Endpoint, model_error
from knitbone.models.remote import RemoteChatModel
from knitbone.models.structured import ANSWER_NAME
from knitbone.record.events import ChatMessage, Usage
from knitbone.wire.content import joined_text

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = ["langchain_chat_model"]

_FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "refusal": "content_filter",
    "safety": "content_filter",
}


def langchain_chat_model(
    model: BaseChatModel,
    *,
    config: ModelConfig | None = None,
) -> RemoteChatModel:
    """A LangChain chat model as a ``ChatModel``.

    Args:
        model: the LangChain model; its temperature, key and so on are its own.
        config: name, timeout and prices. LangChain's models retry on their own.

    Raises:
        MissingExtraError: ``langchain-core`` is not installed.
    """
    messages = import_extra(
        "langchain_core.messages", extra="langchain", purpose="A LangChain chat model"
    )
    config = config or ModelConfig()
    endpoint = Endpoint(model=config.name or _name(model))
    transport = _LangChainTransport(model, messages, config, endpoint)
    return RemoteChatModel(transport, config, endpoint)


class _LangChainTransport:
    def __init__(self, model: Any, messages: Any, config: ModelConfig, endpoint: Endpoint) -> None:
        self._model = model
        self._messages = messages
        self._timeout_s = config.timeout_s
        self._endpoint = endpoint

    async def answer(self, request: ChatRequest) -> Completion:
        try:
            return await asyncio.wait_for(self._asked(request), self._timeout_s)
        except Exception as error:
            told = self._told(error)
            if told is error:
                raise
            raise told from error

    async def _asked(self, request: ChatRequest) -> Completion:
        if request.schema is not None:
            return await self._structured(request, request.schema)
        return self._completion(await self._bound(request).ainvoke(self._convert(request.messages)))

    async def _structured(self, request: ChatRequest, schema: dict[str, Any]) -> Completion:
        """Through the model's own way of giving JSON, else by asking for it in words."""
        titled = {"title": ANSWER_NAME, "description": "The answer.", **schema}
        try:
            runnable = self._model.with_structured_output(titled, include_raw=True)
        except NotImplementedError:
            runnable = None
        if runnable is None:
            asked = ChatMessage(
                role="system",
                content="Answer with one JSON value and nothing else. It conforms to this JSON "
                f"schema:\n{msgspec.json.encode(clean_json(schema)).decode()}",
            )
            answer = await self._model.ainvoke(self._convert((asked, *request.messages)))
            return self._completion(answer)
        result = await runnable.ainvoke(self._convert(request.messages))
        completion = self._completion(result["raw"])
        if result["parsed"] is None:
            # The raw text is then judged, and named, as any other answer that is not JSON.
            return completion
        text = msgspec.json.encode(result["parsed"], enc_hook=repr).decode()
        message = ChatMessage(role="assistant", content=text)
        return msgspec.structs.replace(
            completion,
            message=message,
            finish_reason="stop"
            if completion.finish_reason == "tool_calls"
            else completion.finish_reason,
        )

    def _bound(self, request: ChatRequest) -> Any:
        if not request.tools:
            return self._model
        tools = [
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
        try:
            return self._model.bind_tools(tools)
        except NotImplementedError:
            raise ModelRequestError(
                f"{self._endpoint} cannot call tools: {type(self._model).__name__} has no "
                "bind_tools.",
                next_step="Use a LangChain model that supports tool calling.",
            ) from None

    def _told(self, error: Exception) -> Exception:
        """The exception as one that the policy reads, or as an error of ours."""
        if isinstance(error, ModelError):
            return error
        if model_error(error, self._endpoint, timeout_s=self._timeout_s) is not None:
            return error
        return ModelError(
            f"{self._endpoint} raised {type(error).__name__}: {printable(str(error))}.",
            next_step="Call the LangChain model by itself to see the whole error.",
        )

    def _convert(self, messages: Sequence[ChatMessage]) -> list[Any]:
        return [self._message(message) for message in with_call_ids(messages)]

    def _message(self, message: ChatMessage) -> Any:
        kinds = self._messages
        text = clean_json(message.content)
        if message.role == "system":
            return kinds.SystemMessage(content=text)
        if message.role == "user":
            return kinds.HumanMessage(content=text, name=message.name)
        if message.role == "tool":
            return kinds.ToolMessage(content=text, tool_call_id=message.tool_call_id or "")
        calls: list[dict[str, Any]] = []
        invalid: list[dict[str, Any]] = []
        for call in message.tool_calls:
            sent = {"name": call.name, "args": clean_json(call.arguments), "id": call.call_id}
            if isinstance(call.arguments, dict):
                calls.append(sent)
            elif call.arguments is None:
                calls.append({**sent, "args": {}})
            else:
                invalid.append({**sent, "args": str(sent["args"]), "error": "not a JSON object"})
        return kinds.AIMessage(content=text, tool_calls=calls, invalid_tool_calls=invalid)

    def _completion(self, answer: Any) -> Completion:
        calls = tuple(
            tool_call(call["name"] or "", _as_text(call["args"]), call["id"])
            for call in (*answer.tool_calls, *answer.invalid_tool_calls)
        )
        told: dict[str, Any] = answer.response_metadata or {}
        reason = told.get("finish_reason") or told.get("stop_reason")
        reason = str(reason).lower() if reason else ("tool_calls" if calls else "stop")
        used: dict[str, Any] = answer.usage_metadata or {}
        refusal = answer.additional_kwargs.get("refusal")
        return Completion(
            message=ChatMessage(
                role="assistant", content=joined_text(answer.content), tool_calls=calls
            ),
            finish_reason=_FINISH_REASONS.get(reason, reason),
            usage=Usage(
                input_tokens=used.get("input_tokens"), output_tokens=used.get("output_tokens")
            ),
            model=str(told.get("model_name") or told.get("model") or self._endpoint.model),
            refusal=refusal if isinstance(refusal, str) else None,
            response_id=answer.id,
        )


def _as_text(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return msgspec.json.encode(arguments or {}, enc_hook=repr).decode()


def _name(model: Any) -> str:
    for attribute in ("model_name", "model", "model_id"):
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(model).__name__
