"""Plain functions that the application marks with ``knitbone.tool``.

No module imports this one: the table of hooks in ``patching.py`` loads it by name.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from knitbone.record.events import Json
from knitbone.tethering.capture.patching import Patch
from knitbone.tethering.capture.tool_calls import ToolWatch, tool_watch

__all__ = ["patches"]


def patches(module: ModuleType) -> Iterable[Patch]:
    """The observer of marked tools."""
    yield Patch(module, "tool_observer", _observer)


def _observer(_: Any) -> Any:
    return _observe


def _observe(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> ToolWatch | None:
    name = getattr(function, "__name__", type(function).__name__)
    return tool_watch("function", name, lambda: bound_arguments(function, args, kwargs))


def bound_arguments(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Json:
    """Arguments by their parameters' names, as a model would give them: without ``self``, and
    without what was left to its default."""
    parameters = _parameters(function)
    named = dict(zip(parameters, args, strict=False))
    for own in ("self", "cls"):
        named.pop(own, None)
    rest = args[len(parameters) :]
    return {**named, **({"args": list(rest)} if rest else {}), **kwargs}


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    try:
        return _cached_parameters(function)
    except TypeError:  # a callable object that cannot be hashed, such as a dataclass
        return _cached_parameters.__wrapped__(function)


@functools.lru_cache(maxsize=4_096)
def _cached_parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(each.name for each in parameters if each.kind in by_position)
