"""Streams that are recorded while the application consumes them.

The application gets the very chunks that the library made. Where the library keeps its iterator in
``_iterator`` (OpenAI's and Anthropic's streams) the stream object stays the same, too, and only
that iterator is another. Nothing here refers to the stream itself, so it is freed, and its
connection with it, when the application drops it. Any other stream gets a stand-in that passes
everything on.

A stream is freed wherever the garbage collector runs: in any thread, under whatever lock it holds.
So nothing but a note is taken then; :func:`settle_freed` sees to it.
"""

from __future__ import annotations

import atexit
import weakref
from collections import deque
from typing import Any, Protocol, cast

from knitbone._forks import new_lock, renew_in_child
from knitbone.record.identifiers import now_ns

__all__ = ["MARK", "Listener", "follow", "settle_freed"]


class Listener(Protocol):
    """Who hears a stream; none of its methods raises."""

    def add(self, chunk: Any) -> None: ...
    def finished(self) -> None: ...
    def failed(self, error: BaseException) -> None: ...
    def left(self, ended_ns: int | None = None) -> None:
        """The application closed the stream, or dropped it, before its end: now, or then."""
        ...


MARK = "_knitbone_listener"
"""Where a stream carries its listener, for the hook on its ``close``."""


def follow(stream: Any, listener: Listener) -> Any:
    """The stream to give to the application; its listener hears each chunk and its end."""
    inner = getattr(stream, "_iterator", None)
    if inner is None:
        return _StandIn(stream, listener)
    watched = _AsyncChunks if hasattr(inner, "__anext__") else _Chunks
    stream._iterator = watched(inner, listener)
    setattr(stream, MARK, listener)
    weakref.finalize(stream, _note_freed, listener)
    return stream


_freed: deque[tuple[Listener, int]] = deque()
_settling = new_lock()


def _note_freed(listener: Listener) -> None:
    _freed.append((listener, now_ns()))


def settle_freed() -> None:
    """Tell the listeners of streams that were freed since the last time; called where a call is
    recorded, which may wait."""
    if not _freed or not _settling.acquire(blocking=False):
        return  # whoever does it now, perhaps this thread further out, takes these too
    try:
        while _freed:
            listener, ended_ns = _freed.popleft()
            listener.left(ended_ns)
    finally:
        _settling.release()


def _forget_freed() -> None:
    """In a fork: its parent records them."""
    _freed.clear()


atexit.register(settle_freed)  # runs after the finalizers of what lives to the end
renew_in_child(_forget_freed)


class _Chunks:
    """A plain iterator, heard."""

    def __init__(self, inner: Any, listener: Listener) -> None:
        self._inner = inner
        self._listener = listener

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        try:
            chunk = next(self._inner)
        except StopIteration:
            self._listener.finished()
            raise
        except BaseException as error:
            self._listener.failed(error)
            raise
        self._listener.add(chunk)
        return chunk

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _AsyncChunks:
    """An asynchronous iterator, heard."""

    def __init__(self, inner: Any, listener: Listener) -> None:
        self._inner = inner
        self._listener = listener

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Any:
        try:
            chunk = await self._inner.__anext__()
        except StopAsyncIteration:
            self._listener.finished()
            raise
        except BaseException as error:
            self._listener.failed(error)
            raise
        self._listener.add(chunk)
        return chunk

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _StandIn:
    """Stands for a stream of any class; ``isinstance`` sees that class."""

    def __init__(self, stream: Any, listener: Listener) -> None:
        self._stream = stream
        self._listener = listener
        weakref.finalize(self, _note_freed, listener)

    @property
    def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return cast("Any", type(self._stream))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Any:
        return _Chunks(iter(self._stream), self._listener)

    def __next__(self) -> Any:
        return next(_Chunks(self._stream, self._listener))

    def __aiter__(self) -> Any:
        return _AsyncChunks(self._stream.__aiter__(), self._listener)

    def __anext__(self) -> Any:
        return _AsyncChunks(self._stream, self._listener).__anext__()

    def __enter__(self) -> Any:
        self._stream.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        self._listener.left()
        return self._stream.__exit__(*error)

    async def __aenter__(self) -> Any:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        self._listener.left()
        return await self._stream.__aexit__(*error)

    def close(self) -> Any:
        """Close the stream; an asynchronous one gives its coroutine."""
        self._listener.left()
        return self._stream.close()
