"""What all providers have in common: prices, errors, one client for each event loop.

A provider is a ``Transport``. Timeouts and retries are those of its client library, which is given
``timeout_s`` and ``max_retries`` of the configuration.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

import msgspec

from knitbone.config import ModelConfig
from knitbone.models.chat import ChatRequest, Completion, ToolSpec, chat_request
from knitbone.models.failures import BrokenAnswerError, Endpoint, model_error
from knitbone.models.structured import parse_structured
from knitbone.record.events import ChatMessage, Json, Usage

__all__ = ["RemoteChatModel", "Transport", "client_of_loop", "read_body"]

_Body = TypeVar("_Body")


class Transport(Protocol):
    """One provider's protocol."""

    async def answer(self, request: ChatRequest) -> Completion:
        """Send a request, read the whole answer; retried as the client's library does."""
        ...


class RemoteChatModel:
    """A ``ChatModel`` over a transport.

    Args:
        endpoint: how messages name the model and its place.
    """

    def __init__(self, transport: Transport, config: ModelConfig, endpoint: Endpoint) -> None:
        self._transport = transport
        self._config = config
        self._endpoint = endpoint

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._endpoint!r}>"

    @property
    def name(self) -> str:
        """The model's name, as configured."""
        return self._endpoint.model

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Json] | None = None,
    ) -> Completion:
        """The whole answer; see ``ChatModel.complete``."""
        request = chat_request(messages, tools, schema)
        try:
            answer = await self._transport.answer(request)
        except Exception as error:
            told = model_error(error, self._endpoint, timeout_s=self._config.timeout_s)
            if told is None:
                raise
            # The cause is suppressed: its text may repeat the key.
            raise told from None
        usage = msgspec.structs.replace(answer.usage, cost_usd=_cost(answer.usage, self._config))
        priced = msgspec.structs.replace(answer, usage=usage)
        return parse_structured(priced, request.schema, str(self._endpoint))


def _cost(usage: Usage, config: ModelConfig) -> float | None:
    prices = (config.price_input_usd_per_million, config.price_output_usd_per_million)
    if None in (*prices, usage.input_tokens, usage.output_tokens):
        return None
    given, made = usage.input_tokens or 0, usage.output_tokens or 0
    return (given * (prices[0] or 0.0) + made * (prices[1] or 0.0)) / 1_000_000


def read_body(answer: Any, kind: type[_Body]) -> _Body:
    """Read a library's object as our own record: it is built without validation over there.

    Raises:
        BrokenAnswerError: it is not of that form.
    """
    dump = getattr(answer, "model_dump", None)
    if dump is None:
        raise BrokenAnswerError(f"not a JSON object: {str(answer)[:1000]!r}")
    try:
        return msgspec.convert(dump(warnings=False), kind)
    except (msgspec.ValidationError, TypeError, RecursionError) as error:
        raise BrokenAnswerError(str(error)) from error


def client_of_loop(make: Callable[[], Any]) -> Callable[[], Any]:
    """Give the client of the running loop: connections do not outlive the loop they belong to."""
    clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    def client() -> Any:
        loop = asyncio.get_running_loop()
        made = clients.get(loop)
        if made is None:
            made = clients[loop] = make()
        return made

    return client
