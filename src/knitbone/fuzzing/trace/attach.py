"""One call of a tool, told: taint is put on behind the framework's own validation.

``begin`` before the call, ``end`` after it. What the framework hands to the tool's own function is
tainted as far as it is what the caller gave.
"""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import decimal
import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any, cast

from knitbone.fuzzing.trace.known_objects import TRACKED
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.strip import clean
from knitbone.fuzzing.trace.terms import Path, Term, pack, type_of
from knitbone.fuzzing.trace.values import LEAVES, MAX_ITEMS, known_by_identity, wrap

__all__ = ["begin", "end", "taint_arguments", "traced"]


# Taint on the arguments of a call, behind the framework's validation.

_MAX_DEPTH = 8


def taint_arguments(arguments: dict[str, Any], raw: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call, tainted where they are what the caller gave, at any depth.

    Args:
        arguments: by parameter, as the framework's validation made them.
        raw: as they were given. What validation made another value of stays plain, but for
            numbers, dates and models.
    """
    return {
        name: _taint(value, (name,), raw.get(name), 0) if name in raw else value
        for name, value in arguments.items()
    }


def _taint(value: Any, path: Path, raw: Any, depth: int) -> Any:
    kind = type_of(value)
    if depth > _MAX_DEPTH or value is None or kind is bool:
        return value
    if kind is str or kind is int or kind is float or kind is bytes:
        return _taint_leaf(value, kind, path, raw)
    if (kind is list or kind is tuple) and isinstance(raw, list):
        return _taint_items(value, path, cast("list[Any]", raw), depth)
    if kind is dict and isinstance(raw, dict):
        held = cast("dict[Any, Any]", raw)
        same = _same(value, held)
        for key in list(value)[:MAX_ITEMS]:
            value[key] = _taint(value[key], (*path, key), held.get(key), depth + 1)
        if same:
            TRACKED.add(value, Term("input", (path,)))
        return value
    if known_by_identity(value):
        op = _PARSED.get(cast("Any", kind))
        if op is not None and isinstance(raw, str):
            TRACKED.add(value, Term(op, (Term("input", (path,)),)))
        return value
    _taint_model(value, path, raw, depth)
    return value


def _taint_leaf(value: Any, kind: Any, path: Path, raw: Any) -> Any:
    if kind is type(raw):
        return value if value != raw else wrap(value, Term("input", (path,)))
    if kind is float and type(raw) is int:
        return wrap(value, Term("float", (Term("input", (path,)),)))
    if type(raw) is str and (kind is int or kind is float):
        return wrap(value, Term(kind.__name__, (Term("input", (path,)),)))
    return value


_PARSED = {
    dt.date: "datetime.date.fromisoformat",
    dt.datetime: "datetime.datetime.fromisoformat",
    dt.time: "datetime.time.fromisoformat",
    decimal.Decimal: "decimal.Decimal",
}


def _taint_items(value: Any, path: Path, raw: list[Any], depth: int) -> Any:
    known = min(len(value), len(raw), MAX_ITEMS)
    kind = type_of(value)
    same = kind is list and _same(value, raw)
    items = [
        _taint(item, (*path, index), raw[index], depth + 1) if index < known else item
        for index, item in enumerate(value)
    ]
    if kind is tuple:
        return tuple(items)
    value[:] = items
    if same:
        term = Term("input", (path,))
        term.count = len(value)
        TRACKED.add(value, term)
    return value


def _same(value: Any, raw: Any, depth: int = 0) -> bool:
    """Whether validation has left a value as it was given; nobody's own ``==`` is asked."""
    kind = type_of(value)
    if kind is not type(raw) or depth > _MAX_DEPTH:
        return False
    if kind is list:
        return len(value) == len(raw) and all(
            _same(a, b, depth + 1) for a, b in zip(value, raw, strict=True)
        )
    if kind is dict:
        return len(value) == len(raw) and all(
            key in raw and _same(part, raw[key], depth + 1) for key, part in value.items()
        )
    if value is None or kind is bool:
        return value is raw
    return kind in LEAVES and bool(value == raw)


def _taint_model(value: Any, path: Path, raw: Any, depth: int) -> None:
    """The fields of a model or dataclass, where they are kept in its dictionary."""
    if not isinstance(raw, dict):
        return
    given = cast("dict[str, Any]", raw)
    try:
        held: Any = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return
    for name in list(held):
        if name in given:
            held[name] = _taint(held[name], (*path, name), given[name], depth + 1)


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
