"""The clients of ``openai`` and ``anthropic``, hooked where recording hooks them: at ``request``.

An application that reads the body of a response itself (``with_streaming_response``, and raw
responses of streams) gets guidance and corrections; its answers are not judged, for they would have
to be read before it.
"""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from functools import partial, wraps
from inspect import iscoroutinefunction
from types import ModuleType
from typing import Any

from knitbone.loading.patching import Patch
from knitbone.tethering.capture.stainless import content_of, inference
from knitbone.tethering.capture.streams import MARK
from knitbone.tethering.supervision.active import Supervised, current
from knitbone.tethering.supervision.hooks.asking import accepted, accepted_async, judged_aside
from knitbone.tethering.supervision.hooks.bodies import RequestBody, body_of
from knitbone.tethering.supervision.hooks.guarding import guarded
from knitbone.tethering.supervision.hooks.held_streams import HeldAsyncChunks, HeldChunks

__all__ = ["patches"]


def patches(module: ModuleType) -> Iterable[Patch]:
    """The ``request`` of the plain and of the asynchronous client."""
    library = module.__name__
    names = ("OpenAI", "AsyncOpenAI") if library == "openai" else ("Anthropic", "AsyncAnthropic")
    for name in names:
        client: Any = getattr(module, name)
        base = next(each for each in client.__mro__ if "request" in vars(each))
        yield Patch(base, "request", partial(_hooked, library))


def _hooked(library: str, original: Any) -> Any:
    return (_coroutine if iscoroutinefunction(original) else _plain)(library, original)


def _plain(library: str, original: Any) -> Any:
    @wraps(original)
    def request(*args: Any, **kwargs: Any) -> Any:
        run = current()
        exchange = None if run is None else _begin(library, run, args, kwargs)
        if exchange is None:
            return original(*args, **kwargs)

        def again() -> Any:
            return original(*exchange.args, **exchange.sent(again=True))

        value = original(*exchange.args, **exchange.sent())
        if exchange.streams(value):
            return _held(value, exchange.body, again)
        return accepted(exchange, value, again)

    return request


def _coroutine(library: str, original: Any) -> Any:
    @wraps(original)
    async def request(*args: Any, **kwargs: Any) -> Any:
        run = current()
        if run is None:
            return await original(*args, **kwargs)
        exchange = await judged_aside(run, lambda: _begin(library, run, args, kwargs))
        if exchange is None:
            return await original(*args, **kwargs)

        async def again() -> Any:
            return await original(*exchange.args, **exchange.sent(again=True))

        value = await original(*exchange.args, **exchange.sent())
        if exchange.streams(value):
            return _held_async(value, exchange.body, again)
        return await accepted_async(exchange, value, again)

    return request


def _held(stream: Any, body: RequestBody, again: Callable[[], Any]) -> Any:
    """The stream, the same object, whose answer is judged before the application has it."""
    outer = weakref.ref(stream)

    def follow() -> Iterator[Any]:
        return _take_place(outer(), again())

    stream._iterator = HeldChunks(stream._iterator, body, follow)
    return stream


def _held_async(stream: Any, body: RequestBody, again: Callable[[], Awaitable[Any]]) -> Any:
    outer = weakref.ref(stream)

    async def follow() -> AsyncIterator[Any]:
        return _take_place(outer(), await again())

    stream._iterator = HeldAsyncChunks(stream._iterator, body, follow)
    return stream


def _take_place(outer: Any, stream: Any) -> Any:
    """The chunks of a further stream: whoever closes the first one closes what is read now."""
    if outer is not None:
        outer.response = stream.response
        if hasattr(stream, MARK):
            setattr(outer, MARK, getattr(stream, MARK))
    return stream._iterator


@guarded
def _begin(
    library: str, run: Supervised, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> _Exchange | None:
    found = inference(library, args, kwargs)
    if found is None:
        return None
    body = body_of(run, *found)
    return None if body is None else _Exchange(run, body, args, kwargs)


class _Exchange:
    """One call of ``request``, with the further ones that it becomes."""

    def __init__(
        self, run: Supervised, body: RequestBody, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.body = body
        self.turn = body.turn
        self.args = args[:2]
        """The client, and the type of the answer, where it stands there."""
        self._run = run
        self._options: Any = kwargs["options"] if "options" in kwargs else args[2]
        self._kwargs = kwargs

    def sent(self, *, again: bool = False) -> dict[str, Any]:
        """The named arguments of the call."""
        return {**self._kwargs, "options": self._changed(again=again) or self._options}

    @guarded
    def _changed(self, *, again: bool) -> Any:
        """A copy of the request's options with what is changed; nothing where nothing is."""
        changes: dict[str, Any] = self.body.changes()
        if not changes:
            return None
        update: dict[str, Any] = {"json_data": {**self._options.json_data, **changes}}
        if again:  # it is another request, which a server must not take for the one before
            update["idempotency_key"] = None
        copy = getattr(self._options, "model_copy", None) or self._options.copy
        return copy(update=update)

    def streams(self, value: Any) -> bool:
        """Whether the answer is a stream that somebody judges."""
        return self._run.supervisor is not None and getattr(value, "_iterator", None) is not None

    @guarded
    def is_sent_back(self, value: Any) -> bool:
        """Whether to ask again in place of this answer."""
        if self._run.supervisor is None:
            return False
        if hasattr(value, "http_response") and callable(getattr(value, "parse", None)):
            content = content_of(value.http_response)
            if content is None:
                self._run.ledger.unread_answers = True
                return False
            return self.body.answered(content)
        return self.body.answered(value)
