"""LangChain's chat models, and with them the agents of LangGraph.

Hooked where recording hooks them. What a chat model asks its provider's client is the same request
once more, so inside the outer call nothing is supervised. Callbacks, and streams that LangGraph
makes of callbacks (``stream_mode="messages"``), hear an answer that is sent back, too.

:mod:`.langchain_middleware` holds the middleware for ``create_agent``.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import wraps
from inspect import iscoroutinefunction
from itertools import chain
from types import ModuleType
from typing import Any, cast

from knitbone.errors import MissingExtraError
from knitbone.loading.patching import Patch
from knitbone.tethering.capture.langchain_messages import LANGCHAIN, chat_message
from knitbone.tethering.capture.protocol import ModelAnswer, text_of
from knitbone.tethering.supervision.active import Supervised, current, unsupervised
from knitbone.tethering.supervision.hooks.call_history import AskedCall
from knitbone.tethering.supervision.hooks.error_guard import guarded
from knitbone.tethering.supervision.hooks.forms import FoundResult, MessageForm, behind
from knitbone.tethering.supervision.hooks.held_streams import HeldAsyncChunks, HeldChunks
from knitbone.tethering.supervision.hooks.second_requests import (
    accepted,
    accepted_async,
    judged_aside,
)
from knitbone.tethering.supervision.hooks.turn import ModelTurn, judged_once
from knitbone.tethering.supervision.records import ReturnedCall
from knitbone.wire.fields import element, elements, field, word

__all__ = ["SupervisionMiddleware", "patches"]


# LangChain's messages, as supervision reads and changes them.

_ASSISTANT = ("ai", "AIMessageChunk")


class _LangchainMessages:
    """The classes of ``langchain_core.messages``."""

    name = "langchain"

    def calls(self, message: Any) -> Iterable[AskedCall]:
        if getattr(message, "type", None) not in _ASSISTANT:
            return ()
        return [
            AskedCall(word(field(call, "id")), word(field(call, "name")) or "", field(call, "args"))
            for call in elements(message.tool_calls)
        ]

    def results(self, message: Any) -> Iterable[FoundResult]:
        if getattr(message, "type", None) != "tool" or not word(message.tool_call_id):
            return ()
        failed = message.status == "error"
        return (FoundResult(0, message.tool_call_id, message.content, failed, word(message.name)),)

    def corrected(self, message: Any, corrections: Mapping[int, str]) -> Any:
        return message.model_copy(update={"content": behind(message.content, corrections[0])})

    def answer_text(self, message: Any) -> str | None:
        said = getattr(message, "type", None) in _ASSISTANT
        return chat_message(message).content if said else None

    def sent_back(self, text: str, said: str) -> tuple[Any, Any]:
        messages: Any = importlib.import_module("langchain_core.messages")
        return messages.AIMessage(content=text), messages.HumanMessage(content=said)

    def opens(self, message: Any) -> bool:
        del message
        return False


LANGCHAIN_MESSAGES: MessageForm = _LangchainMessages()

_ROLES = {"ai": "assistant", "human": "user", "system": "system", "tool": "tool"}


def guided_langchain(run: Supervised, messages: Sequence[Any]) -> list[Any]:
    """The messages with the guidance in them."""
    if run.guidance is None or not run.guidance.text:
        return list(messages)
    # The same in OpenAI's shape: what is another object afterwards was changed or added.
    shown = [_shown(message) for message in messages]
    numbers = {id(each): number for number, each in enumerate(shown)}
    guided: list[dict[str, Any]] = run.guided(cast("list[Any]", shown))
    kept = {numbers[id(each)] for each in guided if id(each) in numbers}
    replaced = iter([number for number in range(len(shown)) if number not in kept])
    found: list[Any] = []
    for each in guided:
        number = numbers.get(id(each))
        number = next(replaced, None) if number is None else number
        if number is None:
            found.append(_made(each))
        elif id(each) in numbers:
            found.append(messages[number])
        else:
            found.append(messages[number].model_copy(update={"content": each["content"]}))
    return found


def _shown(message: Any) -> dict[str, Any]:
    return {"role": _ROLES.get(message.type, message.type), "content": message.content}


def _made(message: Mapping[str, Any]) -> Any:
    messages: Any = importlib.import_module("langchain_core.messages")
    kind = messages.SystemMessage if message["role"] == "system" else messages.HumanMessage
    return kind(content=message["content"])


# A middleware for LangChain's ``create_agent``: guidance and answers around the model, corrections
# where tools return, so that they are in the agent's state.


class SupervisionMiddleware:
    """A middleware that supervises the agent it is given to; an ``AgentMiddleware`` of LangChain.

    Args:
        run: as ``supervised()`` gives it; by default each call belongs to the run that it is part
            of.

    Raises:
        MissingExtraError: ``langchain`` is not installed.
    """

    def __new__(cls, run: Supervised | None = None) -> SupervisionMiddleware:
        """An object that has LangChain's base class, too, which is loaded with the first one."""
        del run
        return object.__new__(_with_base(cls))

    def __init__(self, run: Supervised | None = None) -> None:
        super().__init__()
        self._run = run

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Guidance and corrections in; an answer that is sent back is not the agent's."""
        run = self._run or current()
        call = None if run is None else _begin(run, request)
        if call is None:
            return handler(request)

        def send() -> Any:
            with unsupervised():
                return handler(call.sent())

        return accepted(call, send(), send)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same of an asynchronous call."""
        run = self._run or current()
        call = None if run is None else await judged_aside(run, lambda: _begin(run, request))
        if call is None:
            return await handler(request)

        async def send() -> Any:
            with unsupervised():
                return await handler(call.sent())

        return await accepted_async(call, await send(), send)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """A correction behind what the tool gave."""
        result = handler(request)
        run = self._run or current()
        corrected = None if run is None else _corrected(run, request, result)
        return result if corrected is None else corrected

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same of an asynchronous call."""
        result = await handler(request)
        run = self._run or current()
        if run is None:
            return result
        corrected = await judged_aside(run, lambda: _corrected(run, request, result))
        return result if corrected is None else corrected


@functools.cache
def _with_base(middleware: type[SupervisionMiddleware]) -> type[SupervisionMiddleware]:
    try:
        library: Any = importlib.import_module("langchain.agents.middleware")
    except ImportError as error:
        raise MissingExtraError(
            "The middleware needs the package langchain, which is not installed.",
            next_step="pip install langchain",
        ) from error
    if issubclass(middleware, library.AgentMiddleware):
        return middleware
    bases = (middleware, library.AgentMiddleware)
    return type(middleware.__name__, bases, {"__module__": middleware.__module__})


@guarded
def _begin(run: Supervised, request: Any) -> _MiddlewareCall:
    return _MiddlewareCall(run, request)


class _MiddlewareCall:
    """One request of the agent to its model, with the further ones that it becomes."""

    def __init__(self, run: Supervised, request: Any) -> None:
        self._request = request
        choice = request.tool_choice
        offered = bool(request.tools) and choice != "none" and field(choice, "type") != "none"
        self.turn = ModelTurn(run, LANGCHAIN_MESSAGES, request.messages, offered=offered)

    def sent(self) -> Any:
        """The request with what is changed."""
        run, changes = self.turn.run, dict[str, Any]()
        messages = [*self.turn.messages, *self.turn.added]
        if run.guidance is not None and run.guidance.plan.place == "system text":
            system = self._request.system_message  # it stands apart from the messages
            held = "" if system is None else system.content
            made: Any = importlib.import_module("langchain_core.messages").SystemMessage
            changes["system_message"] = made(content=run.guided_system(held))
        else:
            messages = guided_langchain(run, messages)
        return self._request.override(messages=messages, **changes)

    @guarded
    def is_sent_back(self, response: Any) -> bool:
        """Whether to ask again in place of this answer."""
        result = field(response, "result")
        message = next((m for m in elements(result) if field(m, "type") == "ai"), response)
        return self.turn.answered(LANGCHAIN.answer(message).output)


@guarded
def _corrected(run: Supervised, request: Any, result: Any) -> Any:
    """The tool's message with a correction behind it; nothing where there is none. What else a tool
    may give, a command to the graph, is judged where the model is asked next."""
    if run.supervisor is None or field(result, "type") != "tool":
        return None
    asked, text = request.tool_call, text_of(result.content)
    call = ReturnedCall(
        tool=word(field(asked, "name")) or "unknown",
        arguments=field(asked, "args"),
        result=text,
        error=text if field(result, "status") == "error" else None,
        call_id=word(field(asked, "id")),
    )
    correction = judged_once(run, call, text)
    run.ledger.executed(call, correction, text=text)
    return None if correction is None else LANGCHAIN_MESSAGES.corrected(result, {0: correction})


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
