"""One call of a tool, told: taint is put on behind the framework's own validation.

``begin`` before the call, ``end`` after it. What the framework hands to the tool's own function is
tainted as far as it is what the caller gave.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any

from knitbone.fuzzing.trace.arguments import taint_arguments
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.strip import clean
from knitbone.fuzzing.trace.terms import pack

__all__ = ["begin", "end", "traced"]

_given: list[dict[str, Any]] = []
"""The arguments of the call that is to be told, if one is."""


def begin(arguments: dict[str, Any]) -> None:
    """The next call is to be told; the arguments are those that its framework gets."""
    _given[:] = [arguments]


def end() -> dict[str, Any] | None:
    """What the tool did with them; ``None`` if its function was not reached, or nothing began."""
    _given.clear()
    return pack(RECORDER.stop()) if RECORDER.active else None


def traced(function: Callable[..., Any]) -> Callable[..., Any]:
    """The tool's own function, given tainted values. What it returns, raises, or has done to its
    arguments is plain."""
    names = _positional(function)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def call_later(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = _tainted(names, args, kwargs)
            with _cleaned(args, kwargs):
                return clean(await function(*args, **kwargs))

        return call_later

    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def generate(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = _tainted(names, args, kwargs)
            with _cleaned(args, kwargs):
                return clean((yield from map(clean, function(*args, **kwargs))))

        return generate

    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def generate_later(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = _tainted(names, args, kwargs)
            with _cleaned(args, kwargs):
                async for item in function(*args, **kwargs):
                    yield clean(item)

        return generate_later

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = _tainted(names, args, kwargs)
        with _cleaned(args, kwargs):
            return clean(function(*args, **kwargs))

    return call


@contextlib.contextmanager
def _cleaned(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Generator[None, None, None]:
    """Nothing tainted is left in the arguments, or in an exception."""
    try:
        yield
    except BaseException as error:
        bare = clean(error.args)
        if bare is not error.args:
            error.args = bare
        clean(error)
        raise
    finally:
        clean((args, kwargs))


def _positional(function: Callable[..., Any]) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in kinds]


def _tainted(
    names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if not _given or RECORDER.active:
        return args, kwargs  # not to be told, or the tool calls itself
    RECORDER.start()
    # Lists and dictionaries are marked in place, and the tool may change them.
    given = dict(zip(names, args, strict=False))
    found = taint_arguments({**given, **kwargs}, copy.deepcopy(_given[0]))
    made = tuple(found.get(name, value) for name, value in zip(names, args, strict=False))
    return made + args[len(made) :], {name: found[name] for name in kwargs}
