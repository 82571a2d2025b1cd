"""The one policy for every provider: timeouts, retries, prices, errors.

A provider is a ``Transport``: it sends one request and reads one answer. Its library's own
retries are switched off, so that what is counted and configured here is what happens.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

import msgspec

from knitbone.config import ModelConfig
from knitbone.errors import ModelError
from knitbone.models.chat import ChatRequest, Completion, ToolSpec, chat_request
from knitbone.models.failures import (
    BrokenAnswerError,
    Endpoint,
    ModelFailure,
    failure_of,
    model_error,
)
from knitbone.models.structured import parse_structured
from knitbone.record.events import ChatMessage, Json, Usage

__all__ = ["RemoteChatModel", "Transport", "client_of_loop", "read_body", "retry_delay_s"]

_Body = TypeVar("_Body")

FIRST_DELAY_S = 0.5
MAX_DELAY_S = 8.0
"""Backoff doubles from the first delay up to this; both as in the providers' own clients."""
MAX_RETRY_AFTER_S = 60.0
"""A server that asks for a longer pause is asked again after this one."""


class Transport(Protocol):
    """One provider's protocol, without any policy."""

    async def answer(self, request: ChatRequest) -> Completion:
        """Send one request, read the whole answer."""
        ...


class RemoteChatModel:
    """A ``ChatModel`` over a transport.

    Args:
        endpoint: how messages name the model and its place.
        sleep: waits between attempts, in seconds.
        rng: the jitter.
    """

    def __init__(
        self,
        transport: Transport,
        config: ModelConfig,
        endpoint: Endpoint,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        rng: random.Random | None = None,
    ) -> None:
        self._transport = transport
        self._config = config
        self._endpoint = endpoint
        self._sleep = sleep
        self._rng = rng or random.Random()  # noqa: S311 - jitter, not a secret

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
        attempts = 0
        while True:
            attempts += 1
            try:
                answer = await asyncio.wait_for(
                    self._transport.answer(request), self._config.timeout_s
                )
            except Exception as error:  # noqa: BLE001 - what it means is read from it
                await self._pause_or_raise(error, attempts)
            else:
                return parse_structured(
                    self._finished(answer, attempts), request.schema, str(self._endpoint)
                )

    async def _pause_or_raise(self, error: Exception, attempts: int) -> None:
        """Wait before the next attempt, or raise the error that says why there is none."""
        failure = None if isinstance(error, ModelError) else failure_of(error)
        if failure is None:
            raise error
        if not failure.retriable or attempts > self._config.max_retries:
            raised = model_error(
                failure, self._endpoint, attempts=attempts, timeout_s=self._config.timeout_s
            )
            # The cause is suppressed: its text may repeat the key.
            raise raised from None
        await self._sleep(retry_delay_s(failure, attempts, self._rng))

    def _finished(self, answer: Completion, attempts: int) -> Completion:
        usage = msgspec.structs.replace(answer.usage, cost_usd=_cost(answer.usage, self._config))
        return msgspec.structs.replace(answer, usage=usage, attempts=attempts)


def retry_delay_s(failure: ModelFailure, attempts: int, rng: random.Random) -> float:
    """Seconds to wait after this many attempts.

    What the server asks for, at most ``MAX_RETRY_AFTER_S``; else a backoff that doubles, of which
    up to half is left to chance so that many clients do not come back at once.
    """
    if failure.retry_after_s is not None:
        return min(failure.retry_after_s, MAX_RETRY_AFTER_S)
    backoff = min(FIRST_DELAY_S * 2.0 ** min(attempts - 1, 30), MAX_DELAY_S)
    return backoff * (0.5 + rng.random() / 2)


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
