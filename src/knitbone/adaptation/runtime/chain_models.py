"""Models inside a chain (``prompt | model | parser``), wrapped so that their outputs can be
adapted.

Their outputs appear when the chain runs, so it is the model that is wrapped, not the value of an
expression. The wrapped model is a shallow copy whose class is a subclass of the model's own, with
the same name: ``isinstance``, attributes, serialisation and tracing see what they saw before.
Everything that runs the model is handed to the original, and what comes back is delivered.
LangChain is never imported here.
"""

from __future__ import annotations

import copy
import functools
import inspect
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, cast
from weakref import WeakKeyDictionary

from knitbone.adaptation.model_mark import MODEL_MARK
from knitbone.adaptation.runtime.output import deliver_chain_output

__all__ = ["wrap_model"]

_classes: WeakKeyDictionary[type[Any], type[Any]] = WeakKeyDictionary()


def wrap_model(value: Any, number: int) -> Any:
    """Wrap a model, or a function that stands for one, so that its outputs are delivered.

    A value that is neither is returned itself.
    """
    base: Any = sys.modules.get("langchain_core.runnables.base")
    if base is not None and isinstance(value, base.Runnable):
        return _wrap_runnable(value, number, base)
    if inspect.isroutine(value):
        return _wrap_function(value, number)
    return value


def _wrap_runnable(value: Any, number: int, base: Any) -> Any:
    """Return a copy of a runnable whose class delivers its outputs."""
    held: Any = getattr(value, "__dict__", None)
    if (
        not isinstance(held, dict)
        or cast("dict[str, Any]", held).get(MODEL_MARK, (0, 0))[1] == number
    ):
        return value
    copied = copy.copy(value)
    if isinstance(value, base.RunnableSequence):
        # ``|`` takes sequences apart; the output of the last step is that of the whole.
        vars(copied)["last"] = wrap_model(value.last, number)
        return copied
    vars(copied)[MODEL_MARK] = (value, number)
    object.__setattr__(copied, "__class__", _subclass(cast("type[Any]", type(value))))
    return copied


def _subclass(kind: type[Any]) -> type[Any]:
    """Return the subclass of a model's class that delivers, made once for each class."""
    if kind not in _classes:
        namespace: dict[str, Any] = {
            name: function for name, function in vars(_Delivering).items() if name in _METHODS
        }
        namespace |= {
            "__module__": kind.__module__,
            "__qualname__": kind.__qualname__,
            "__doc__": kind.__doc__,
        }
        _classes[kind] = cast("Any", type(kind))(kind.__name__, (kind,), namespace)
    return _classes[kind]


def _original(wrapped: Any) -> tuple[Any, int]:
    return cast("tuple[Any, int]", vars(wrapped)[MODEL_MARK])


_METHODS = frozenset(
    {"invoke", "ainvoke", "batch", "abatch", "batch_as_completed", "abatch_as_completed"}
    | {"stream", "astream", "transform", "atransform", "__reduce_ex__"}
)


class _Delivering:
    """The methods that run a model; put into a subclass of the model's own class."""

    def invoke(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(
            original.invoke(*args, **kwargs), number, _input_of(args, kwargs)
        )

    async def ainvoke(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(
            await original.ainvoke(*args, **kwargs), number, _input_of(args, kwargs)
        )

    def batch(self, *args: Any, **kwargs: Any) -> list[Any]:
        original, number = _original(self)
        return [_deliver_item(output, number) for output in original.batch(*args, **kwargs)]

    async def abatch(self, *args: Any, **kwargs: Any) -> list[Any]:
        original, number = _original(self)
        return [_deliver_item(output, number) for output in await original.abatch(*args, **kwargs)]

    def batch_as_completed(self, *args: Any, **kwargs: Any) -> Iterator[tuple[int, Any]]:
        original, number = _original(self)
        for index, output in original.batch_as_completed(*args, **kwargs):
            yield index, _deliver_item(output, number)

    async def abatch_as_completed(
        self, *args: Any, **kwargs: Any
    ) -> AsyncIterator[tuple[int, Any]]:
        original, number = _original(self)
        async for index, output in original.abatch_as_completed(*args, **kwargs):
            yield index, _deliver_item(output, number)

    def stream(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(
            original.stream(*args, **kwargs), number, _input_of(args, kwargs)
        )

    def astream(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(
            original.astream(*args, **kwargs), number, _input_of(args, kwargs)
        )

    def transform(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(original.transform(*args, **kwargs), number)

    def atransform(self, *args: Any, **kwargs: Any) -> Any:
        original, number = _original(self)
        return deliver_chain_output(original.atransform(*args, **kwargs), number)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # The class cannot be found by its name; the model is pickled and wrapped anew.
        return wrap_model, _original(self)


def _input_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the input that a runnable is run on."""
    return args[0] if args else kwargs.get("input")


def _deliver_item(output: Any, number: int) -> Any:
    """Deliver one output of a batch; with ``return_exceptions`` it may be an error."""
    return output if isinstance(output, BaseException) else deliver_chain_output(output, number)


def _wrap_function(function: Callable[..., Any], number: int) -> Callable[..., Any]:
    """Return a function, or coroutine function, that delivers what the wrapped one returns."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def later(*args: Any, **kwargs: Any) -> Any:
            return deliver_chain_output(await function(*args, **kwargs), number)

        return later
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def pieces(*args: Any, **kwargs: Any) -> Any:
            yield from deliver_chain_output(function(*args, **kwargs), number)

        return pieces
    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def pieces_later(*args: Any, **kwargs: Any) -> Any:
            async for item in deliver_chain_output(function(*args, **kwargs), number):
                yield item

        return pieces_later

    @functools.wraps(function)
    def at_once(*args: Any, **kwargs: Any) -> Any:
        return deliver_chain_output(function(*args, **kwargs), number)

    return at_once
