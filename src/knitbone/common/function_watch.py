"""Watch the calls of a function without changing what it is or does.

The kind of the function stays (plain, coroutine, generator, asynchronous generator), so do its
signature, its values and its exceptions. A watcher never raises: what it does is its own matter,
and it is told nothing that it could change.

Also the joint between ``knitbone.tool``, which marks functions, and capture, which records their
calls; the two parts do not know each other.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar, cast

__all__ = ["marked_tool", "watch"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

MAX_ITEMS = 100_000
"""Items of a generator that its watch is told of, as the value that it returned (ours)."""


class Watch(Protocol):
    """One call that is watched; as a context manager it stands around the function's own code."""

    def __enter__(self) -> Any: ...
    def __exit__(self, *_: object) -> None: ...

    def returned(self, value: Any) -> Any:
        """The call gave a value; what the caller gets (the same object, but for a stream that
        cannot be watched in place)."""
        ...

    def raised(self, error: BaseException) -> None:
        """The call raised; the error goes on as it is."""
        ...


Begin = Callable[[tuple[Any, ...], dict[str, Any]], Watch | None]
"""Called with the arguments before the function is; ``None`` leaves this call alone."""


def watch(function: _Function, begin: Begin) -> _Function:
    """The function, watched; of the same kind and signature."""
    if inspect.iscoroutinefunction(function):
        return _coroutine(function, begin)
    if inspect.isasyncgenfunction(function):
        return _async_generator(function, begin)
    if inspect.isgeneratorfunction(function):
        return _generator(function, begin)
    return _plain(function, begin)


def _plain(function: Any, begin: Begin) -> Any:
    @functools.wraps(function)
    def watched(*args: Any, **kwargs: Any) -> Any:
        call = begin(args, kwargs)
        if call is None:
            return function(*args, **kwargs)
        try:
            with call:
                value = function(*args, **kwargs)
        except BaseException as error:
            call.raised(error)
            raise
        return call.returned(value)

    return watched


def _coroutine(function: Any, begin: Begin) -> Any:
    @functools.wraps(function)
    async def watched(*args: Any, **kwargs: Any) -> Any:
        call = begin(args, kwargs)
        if call is None:
            return await function(*args, **kwargs)
        try:
            with call:
                value = await function(*args, **kwargs)
        except BaseException as error:
            call.raised(error)
            raise
        return call.returned(value)

    return watched


def _generator(function: Any, begin: Begin) -> Any:
    @functools.wraps(function)
    def watched(*args: Any, **kwargs: Any) -> Any:
        call = begin(args, kwargs)
        if call is None:
            value = yield from cast("Generator[Any, Any, Any]", function(*args, **kwargs))
            return value
        items: list[Any] = []
        try:
            with call:
                generator = function(*args, **kwargs)
            value = yield from _steps(generator, call, items)
        except GeneratorExit:
            call.returned(items)
            raise
        except BaseException as error:
            call.raised(error)
            raise
        call.returned(items)
        return value

    return watched


def _steps(
    generator: Any, around: AbstractContextManager[Any], items: list[Any]
) -> Generator[Any, Any, Any]:
    """Drive a generator, each step inside ``around``: between two steps other code runs."""
    step: Callable[[Any], Any] = generator.send
    argument: Any = None
    while True:
        try:
            with around:
                item = step(argument)
        except StopIteration as stop:
            return stop.value
        if len(items) < MAX_ITEMS:
            items.append(item)
        try:
            argument, step = (yield item), generator.send
        except GeneratorExit:
            with around:
                generator.close()
            raise
        except BaseException as error:  # noqa: BLE001 - thrown in by the consumer, for the generator
            argument, step = error, generator.throw


def _async_generator(function: Any, begin: Begin) -> Any:
    @functools.wraps(function)
    async def watched(*args: Any, **kwargs: Any) -> Any:
        call = begin(args, kwargs)
        if call is None:
            call = _Unwatched()
        items: list[Any] = []
        try:
            with call:
                generator: Any = function(*args, **kwargs)
            step: Callable[[Any], Any] = generator.asend
            argument: Any = None
            while True:
                try:
                    with call:
                        item = await step(argument)
                except StopAsyncIteration:
                    break
                if len(items) < MAX_ITEMS:
                    items.append(item)
                try:
                    argument = cast("Any", (yield item))
                    step = generator.asend
                except GeneratorExit:
                    with call:
                        await generator.aclose()
                    raise
                except BaseException as error:  # noqa: BLE001 - as in ``_steps``
                    argument, step = error, generator.athrow
        except GeneratorExit:
            call.returned(items)
            raise
        except BaseException as error:
            call.raised(error)
            raise
        call.returned(items)

    return watched


class _Unwatched:
    """A watch that sees nothing: an asynchronous generator has no ``yield from``."""

    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...
    def returned(self, value: Any) -> Any:
        return value

    def raised(self, error: BaseException) -> None: ...


ToolObserver = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Watch | None]

tool_observer: ToolObserver | None = None
"""Who wants to see the calls of marked tools; capture sets it while a run is recorded."""


def marked_tool(function: _Function) -> _Function:
    """A function whose calls the observer sees, when there is one."""

    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Watch | None:
        observer = tool_observer
        return None if observer is None else observer(function, args, kwargs)

    return watch(function, begin)
