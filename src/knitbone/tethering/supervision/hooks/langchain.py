"""LangChain's chat models, and with them the agents of LangGraph.

Hooked where recording hooks them. What a chat model asks its provider's client is the same request
once more, so inside the outer call nothing is supervised. Callbacks, and streams that LangGraph
makes of callbacks (``stream_mode="messages"``), hear an answer that is sent back, too.

:mod:`.langchain_middleware` holds the middleware for ``create_agent``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from functools import wraps
from inspect import iscoroutinefunction
from itertools import chain
from types import ModuleType
from typing import Any

from knitbone.loading.patching import Patch
from knitbone.tethering.capture.langchain_messages import LANGCHAIN
from knitbone.tethering.capture.protocol import ModelAnswer
from knitbone.tethering.supervision.active import Supervised, current, unsupervised
from knitbone.tethering.supervision.hooks.asking import accepted, accepted_async, judged_aside
from knitbone.tethering.supervision.hooks.guarding import guarded
from knitbone.tethering.supervision.hooks.held_streams import HeldAsyncChunks, HeldChunks
from knitbone.tethering.supervision.hooks.langchain_messages import (
    LANGCHAIN_MESSAGES,
    guided_langchain,
)
from knitbone.tethering.supervision.hooks.langchain_middleware import SupervisionMiddleware
from knitbone.tethering.supervision.hooks.turn import ModelTurn
from knitbone.wire.fields import element, elements, field

__all__ = ["SupervisionMiddleware", "patches"]


def patches(module: ModuleType) -> Iterable[Patch]:
    """The entry points of the base class of chat models."""
    for name in ("generate", "agenerate"):
        yield Patch(module.BaseChatModel, name, _generating)
    yield Patch(module.BaseChatModel, "stream", _streaming)
    yield Patch(module.BaseChatModel, "astream", _streaming_async)


def _generating(original: Any) -> Any:
    """``generate(messages, stop, ...)``: a list of conversations, mostly of one."""
    return (_generating_async if iscoroutinefunction(original) else _generating_plain)(original)


def _generating_plain(original: Any) -> Any:
    @wraps(original)
    def generate(*args: Any, **kwargs: Any) -> Any:
        run = current()
        batch = None if run is None else _begin_batch(run, args, kwargs)
        if batch is None:
            return original(*args, **kwargs)

        def send() -> Any:
            with unsupervised():
                return original(*batch.args, **batch.sent())

        return accepted(batch, send(), send)

    return generate


def _generating_async(original: Any) -> Any:
    @wraps(original)
    async def agenerate(*args: Any, **kwargs: Any) -> Any:
        run = current()
        if run is None:
            return await original(*args, **kwargs)
        batch = await judged_aside(run, lambda: _begin_batch(run, args, kwargs))
        if batch is None:
            return await original(*args, **kwargs)

        async def send() -> Any:
            with unsupervised():
                return await original(*batch.args, **batch.sent())

        return await accepted_async(batch, await send(), send)

    return agenerate


@guarded
def _begin_batch(
    run: Supervised, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> _SupervisedBatch:
    return _SupervisedBatch(run, args, kwargs)


class _SupervisedBatch:
    """One call of ``generate``, with the further ones that it becomes."""

    def __init__(self, run: Supervised, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        given = kwargs["messages"] if "messages" in kwargs else args[1]
        named = dict(zip(("stop", "callbacks"), args[2:], strict=False))
        self.args = args[:1]
        self._kwargs: dict[str, Any] = {**named, **kwargs}
        offered = _offers_tools(kwargs)
        self._turns = [
            ModelTurn(run, LANGCHAIN_MESSAGES, list(elements(each)), offered=offered)
            for each in elements(given)
        ]
        self.turn = self._turns[0]

    def sent(self) -> dict[str, Any]:
        """The named arguments of the call."""
        messages = [_messages(turn) for turn in self._turns]
        again = {"run_id": None} if any(turn.added for turn in self._turns) else {}
        return {**self._kwargs, "messages": messages, **again}

    @guarded
    def is_sent_back(self, value: Any) -> bool:
        """Whether to ask again in place of this answer; never of several conversations."""
        if len(self._turns) != 1:
            return False
        generated = next(iter(elements(element(value, "generations"))), None)
        answer = LANGCHAIN.answer(field(generated, "message"))
        return self._turns[0].answered(answer.output)


def _messages(turn: ModelTurn) -> list[Any]:
    return guided_langchain(turn.run, [*turn.messages, *turn.added])


def _offers_tools(kwargs: dict[str, Any]) -> bool:
    choice = kwargs.get("tool_choice")
    return bool(kwargs.get("tools")) and choice != "none" and field(choice, "type") != "none"


def _streaming(original: Any) -> Any:
    """``stream(input, config, ...)``."""

    @wraps(original)
    def stream(*args: Any, **kwargs: Any) -> Iterator[Any]:
        run = current()
        request = None if run is None else _begin_stream(run, args, kwargs)
        if request is None:
            yield from original(*args, **kwargs)
            return

        def again() -> Iterator[Any]:
            chunks = _outside(original(*request.args, **request.sent()))
            return chain([next(chunks)], chunks)  # a failure shows before anything is dropped

        inner = _outside(original(*request.args, **request.sent()))
        yield from HeldChunks(inner, request, again)

    return stream


def _streaming_async(original: Any) -> Any:
    @wraps(original)
    async def astream(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        run = current()
        request = None
        if run is not None:
            request = await judged_aside(run, lambda: _begin_stream(run, args, kwargs))
        if request is None:
            async for chunk in original(*args, **kwargs):
                yield chunk
            return

        async def again() -> AsyncIterator[Any]:
            chunks = _outside_async(original(*request.args, **request.sent()))
            return _chained(await chunks.__anext__(), chunks)

        inner = _outside_async(original(*request.args, **request.sent()))
        async for chunk in HeldAsyncChunks(inner, request, again):
            yield chunk

    return astream


@guarded
def _begin_stream(run: Supervised, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _StreamRequest:
    return _StreamRequest(run, args, kwargs)


class _StreamRequest:
    """One call of ``stream``, with the further ones that it becomes."""

    accumulator = staticmethod(LANGCHAIN.accumulator)

    def __init__(self, run: Supervised, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        given = kwargs["input"] if "input" in kwargs else args[1]
        messages = args[0]._convert_input(given).to_messages()
        self.args = args[:1]
        self._kwargs: dict[str, Any] = {**dict(zip(("config",), args[2:], strict=False)), **kwargs}
        self.turn = ModelTurn(run, LANGCHAIN_MESSAGES, messages, offered=_offers_tools(kwargs))

    def sent(self) -> dict[str, Any]:
        """The named arguments of the call."""
        return {**self._kwargs, "input": _messages(self.turn)}

    @staticmethod
    def starts_call(chunk: Any) -> bool:
        """Whether a chunk begins a tool call."""
        return bool(field(chunk, "tool_call_chunks") or field(chunk, "tool_calls"))

    def concluded(self, answer: ModelAnswer) -> bool:
        """The answer, put together; whether to ask again."""
        return self.turn.answered(answer.output)


def _outside(chunks: Iterator[Any]) -> Iterator[Any]:
    """The chunks, each made outside of the supervised run: between two, other code runs."""
    while True:
        with unsupervised():
            try:
                chunk = next(chunks)
            except StopIteration:
                return
        yield chunk


async def _outside_async(chunks: AsyncIterator[Any]) -> AsyncIterator[Any]:
    while True:
        with unsupervised():
            try:
                chunk = await chunks.__anext__()
            except StopAsyncIteration:
                return
        yield chunk


async def _chained(first: Any, chunks: AsyncIterator[Any]) -> AsyncIterator[Any]:
    yield first
    async for chunk in chunks:
        yield chunk
