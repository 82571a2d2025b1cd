"""Streams of answers that may be sent back.

Nobody can take back what the application has read, so an answer is held back until it is known to
be none that is sent back: until a tool call begins, or, of a text, until its end. A stream whose
answer cannot be sent back is not held. What the stream raises comes behind what it gave.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Protocol

from knitbone.tethering.capture.protocol import Accumulator, ModelAnswer
from knitbone.tethering.supervision.hooks.error_guard import guarded
from knitbone.tethering.supervision.hooks.second_requests import judged_aside
from knitbone.tethering.supervision.hooks.turn import ModelTurn

__all__ = ["HeldAsyncChunks", "HeldChunks"]

_NOTHING: Any = object()


class StreamedRequest(Protocol):
    """The request that is answered by a stream."""

    turn: ModelTurn
    accumulator: Callable[[], Accumulator]
    starts_call: Callable[[Any], bool]
    """Whether a chunk begins a tool call."""

    def concluded(self, answer: ModelAnswer) -> bool:
        """The answer, put together; whether to ask again."""
        ...


class _Held:
    """What is common to plain and asynchronous streams."""

    def __init__(self, request: StreamedRequest) -> None:
        self._request = request
        self._ready: deque[Any] = deque()
        self._back: list[Any] = []
        self._error: Exception | None = None
        self._ended = False
        self._begin()

    def _begin(self) -> None:
        """An answer begins, in place of one that was sent back if there was one."""
        self._back = []
        self._answer = self._request.accumulator()
        self._holds = self._request.turn.holds

    def _take(self, chunk: Any) -> None:
        self._read(chunk)
        if not self._holds:
            self._ready.append(chunk)
            return
        self._back.append(chunk)
        if self._request.starts_call(chunk):
            self._release()

    @guarded
    def _read(self, chunk: Any) -> None:
        self._answer.add(chunk)

    def _release(self) -> None:
        self._ready.extend(self._back)
        self._back = []
        self._holds = False

    def _fail(self, error: Exception) -> None:
        self._release()
        self._error = error

    def _end(self) -> None:
        self._release()
        self._ended = True

    @guarded
    def _judge(self) -> bool:
        """Whether the answer is to be sent back. One that was not held is only looked at."""
        again = self._request.concluded(self._answer.answer())
        if again and not self._holds:
            self._request.turn.given_up()
        return again and self._holds

    def _give_up(self) -> None:
        self._request.turn.given_up()
        self._end()

    def _next(self) -> Any:
        """The next chunk that may be given; ``_NOTHING`` where more is to be read."""
        if self._ready:
            return self._ready.popleft()
        if self._error is not None:
            error, self._error, self._ended = self._error, None, True
            raise error
        return _NOTHING


class HeldChunks(_Held):
    """A plain stream.

    Args:
        again: makes the further request, and gives its chunks.
    """

    def __init__(
        self, inner: Iterator[Any], request: StreamedRequest, again: Callable[[], Iterator[Any]]
    ) -> None:
        super().__init__(request)
        self._inner = inner
        self._again = again

    def __iter__(self) -> HeldChunks:
        return self

    def __next__(self) -> Any:
        while (chunk := self._next()) is _NOTHING:
            if self._ended:
                raise StopIteration
            try:
                self._take(next(self._inner))
            except StopIteration:
                self._finish()
            except Exception as error:  # noqa: BLE001 - raised behind what was held back
                self._fail(error)
        return chunk

    def _finish(self) -> None:
        if not self._judge():
            self._end()
            return
        try:
            self._inner = self._again()
        except Exception:  # noqa: BLE001 - the answer before it is a good one
            self._give_up()
        else:
            self._begin()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class HeldAsyncChunks(_Held):
    """An asynchronous stream."""

    def __init__(
        self,
        inner: AsyncIterator[Any],
        request: StreamedRequest,
        again: Callable[[], Awaitable[AsyncIterator[Any]]],
    ) -> None:
        super().__init__(request)
        self._inner = inner
        self._again = again

    def __aiter__(self) -> HeldAsyncChunks:
        return self

    async def __anext__(self) -> Any:
        while (chunk := self._next()) is _NOTHING:
            if self._ended:
                raise StopAsyncIteration
            try:
                self._take(await self._inner.__anext__())
            except StopAsyncIteration:
                await self._finish()
            except Exception as error:  # noqa: BLE001 - raised behind what was held back
                self._fail(error)
        return chunk

    async def _finish(self) -> None:
        if not await judged_aside(self._request.turn.run, self._judge):
            self._end()
            return
        try:
            self._inner = await self._again()
        except Exception:  # noqa: BLE001 - the answer before it is a good one
            self._give_up()
        else:
            self._begin()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
