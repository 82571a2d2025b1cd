"""Whether a tool returns what its annotation declares. Runs in the worker.

The value is looked at where the function returns it, before a framework makes text of it. Only a
plain contradiction counts: what Python itself lets pass for the declared type (a bool for an int,
an int for a float, a subclass) is accepted, and so is every annotation that cannot be checked.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, Union, cast

import msgspec

from knitbone.fuzzing.tools.types import Tool

__all__ = ["ReturnCheck", "violation"]

_DEPTH = 20
_LONGEST = 100_000
"""Entries of a collection that are looked at; a larger one passes."""


class ReturnCheck:
    """Watches what the tool's own function returns, where its annotation says what that is."""

    def __init__(self, tool: Tool) -> None:
        self.found: str | None = None
        """The contradiction seen since it was last cleared."""
        tool.attach(self._wrap)

    def _wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        declared = _declared(function)
        if declared is Any:
            return function
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def waiting(*args: Any, **kwargs: Any) -> Any:
                value = await function(*args, **kwargs)
                self.found = violation(value, declared)
                return value

            return waiting

        @functools.wraps(function)
        def returning(*args: Any, **kwargs: Any) -> Any:
            value = function(*args, **kwargs)
            self.found = violation(value, declared)
            return value

        return returning


def _declared(function: Callable[..., Any]) -> Any:
    """The return annotation; ``Any`` where there is none, or none that can be evaluated."""
    inner = inspect.unwrap(function)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        return Any  # collected into a list before anybody sees it
    try:
        return typing.get_type_hints(inner).get("return", Any)
    except Exception:  # noqa: BLE001 - evaluating annotations runs arbitrary code
        return Any


def violation(value: Any, declared: Any) -> str | None:
    """How ``value`` contradicts the type ``declared``; ``None`` where it does not, or who knows."""
    if typing.get_origin(declared) in (Union, types.UnionType):
        found = [violation(value, arm) for arm in typing.get_args(declared)]
        return found[0] if all(found) else None
    if _is_instance(value, declared):
        return None
    if inspect.isawaitable(value) or inspect.isgenerator(value) or inspect.isasyncgen(value):
        return None
    error = _conversion_error(value, declared)
    if error is None or _conversion_error(_plain(value, _DEPTH), declared) is None:
        return None
    return f"declares {_name(declared)}: {error}"


def _is_instance(value: Any, declared: Any) -> bool:
    try:
        return isinstance(value, declared)
    except Exception:  # noqa: BLE001 - not a class, or one that cannot be asked
        return False


def _conversion_error(value: Any, declared: Any) -> str | None:
    try:
        msgspec.convert(value, declared)
    except msgspec.ValidationError as error:
        return str(error)
    except Exception:  # noqa: BLE001 - a type that msgspec does not know, or a hostile value
        return None
    return None


def _plain(value: Any, depth: int) -> Any:
    """``value`` with what msgspec is stricter about than Python: subclasses of numbers, bools."""
    if depth == 0:
        return value
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value)
        if len(pairs) <= _LONGEST:
            return {key: _plain(item, depth - 1) for key, item in pairs.items()}
    elif isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        if len(items) <= _LONGEST:
            return [_plain(item, depth - 1) for item in items]
    return cast("Any", value)


def _name(declared: Any) -> str:
    name = getattr(declared, "__name__", None) if isinstance(declared, type) else None
    return name or str(declared).replace("typing.", "")
