"""A stream whose items pass through a filter, and that otherwise behaves like the stream it
replaces.

The consumer sees items of the same type, the same attributes, the same ``close``, ``send`` and
``throw``, the same exceptions at the same position; ``isinstance`` sees the wrapped type.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from types import AsyncGeneratorType, GeneratorType
from typing import Any, Protocol, cast

from knitbone.adaptation.runtime.values.texts import is_sdk

__all__ = ["Filter", "is_stream", "wrap_stream"]


class Filter(Protocol):
    """Decides which items of a stream are passed on, when, and in which form."""

    def feed(self, item: Any) -> Sequence[Any]:
        """Take one more item; return what can be passed on now, in order."""
        ...

    def finish(self) -> Sequence[Any]:
        """Return the rest: the stream ended."""
        ...

    def leave(self) -> Sequence[Any]:
        """Return what was held, unchanged: the stream broke off, or its consumer left."""
        ...


def is_stream(value: Any, *, expected: bool) -> bool:
    """Return whether a value is an iterator over parts of an answer, sync or async.

    Args:
        expected: whether the code asked for a stream; where it did not, only generators and the
            stream classes of SDKs count, not files and the like.
    """
    kind = cast("type[Any]", type(value))
    if not (hasattr(kind, "__next__") or hasattr(kind, "__anext__")):
        return False
    return expected or kind in (GeneratorType, AsyncGeneratorType) or is_sdk(kind)


def wrap_stream(value: Any, items: Filter) -> Any:
    """Return a stream whose items pass through the filter; ``value`` must be a stream
    (``is_stream``)."""
    kind = cast("type[Any]", type(value))
    sync, later = hasattr(kind, "__next__"), hasattr(kind, "__anext__")
    if sync and later:
        return _EitherStream(value, items)
    return _SyncStream(value, items) if sync else _AsyncStream(value, items)


class _Stream:
    """The common part of both kinds of streams: items that are ready, and an end that comes after
    them."""

    __slots__ = ("__weakref__", "_end", "_items", "_ready", "_source")

    def __init__(self, source: Any, items: Filter) -> None:
        self._source = source
        self._items = items
        self._ready: deque[Any] = deque()
        self._end: BaseException | None = None

    @property
    def __class__(self) -> Any:
        return cast("Any", type(self._source))

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise TypeError(f"the class of a {type(self._source).__name__} cannot be changed")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def __repr__(self) -> str:
        return repr(self._source)

    def _take(self, item: Any) -> None:
        self._ready.extend(self._items.feed(item))

    def _note_end(self, end: BaseException) -> None:
        """Note how the source ended, by itself or by an error; that comes after what is held."""
        regular = isinstance(end, StopIteration | StopAsyncIteration)
        self._end = end
        self._ready.extend(self._items.finish() if regular else self._items.leave())

    def _raise_end(self, after: type[Exception]) -> None:
        end = self._end
        if isinstance(end, StopIteration | StopAsyncIteration):
            value = end.value if isinstance(end, StopIteration) else None
            self._end = type(end)()
            raise type(end)(value) if value is not None else type(end)()
        # An error is raised once; after it the stream is at its end, like a generator.
        self._end = after()
        if end is not None:
            raise end


class _SyncStream(_Stream):
    __slots__ = ()

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return self._pull(None)

    def send(self, value: Any) -> Any:
        return self._pull(value)

    def _pull(self, sent: Any) -> Any:
        while not self._ready:
            if self._end is not None:
                self._raise_end(StopIteration)
            try:
                item = next(self._source) if sent is None else self._source.send(sent)
            except Exception as end:  # noqa: BLE001 - raised behind what is held
                self._note_end(end)
            else:
                sent = None
                self._take(item)
        return self._ready.popleft()

    def throw(self, *error: Any) -> Any:
        self._ready.extend(self._items.leave())
        try:
            self._take(self._source.throw(*error))
        except BaseException:
            self._ready.clear()
            raise
        return self._pull(None)

    def close(self) -> Any:
        self._items.leave()
        self._ready.clear()
        self._end = StopIteration()
        close = getattr(self._source, "close", None)
        return close() if close is not None else None

    def __enter__(self) -> Any:
        entered = self._source.__enter__()
        return self if entered is self._source else entered

    def __exit__(self, *error: Any) -> Any:
        return self._source.__exit__(*error)


class _AsyncStream(_Stream):
    __slots__ = ()

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Any:
        return await self._pull_later(None)

    async def asend(self, value: Any) -> Any:
        return await self._pull_later(value)

    async def _pull_later(self, sent: Any) -> Any:
        while not self._ready:
            if self._end is not None:
                self._raise_end(StopAsyncIteration)
            try:
                item = await (
                    self._source.__anext__() if sent is None else self._source.asend(sent)
                )
            except Exception as end:  # noqa: BLE001 - raised behind what is held
                self._note_end(end)
            else:
                sent = None
                self._take(item)
        return self._ready.popleft()

    async def athrow(self, *error: Any) -> Any:
        self._ready.extend(self._items.leave())
        try:
            self._take(await self._source.athrow(*error))
        except BaseException:
            self._ready.clear()
            raise
        return await self._pull_later(None)

    async def aclose(self) -> Any:
        self._items.leave()
        self._ready.clear()
        self._end = StopAsyncIteration()
        # A generator's way, and that of the SDKs' streams.
        close = getattr(self._source, "aclose", None) or self._source.close
        return await close()

    async def __aenter__(self) -> Any:
        entered = await self._source.__aenter__()
        return self if entered is self._source else entered

    async def __aexit__(self, *error: Any) -> Any:
        return await self._source.__aexit__(*error)


class _EitherStream(_SyncStream, _AsyncStream):
    """A stream that can be read both ways, as LiteLLM's can."""

    __slots__ = ()
