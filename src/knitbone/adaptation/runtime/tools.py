"""Tools of the application: declared by ``@knitbone.tool``, or looked up by a name that a model
gave.

What repeated calls of them become is the scenario's (``scenario/behaviour``).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from inspect import isasyncgenfunction, isgeneratorfunction
from types import ModuleType
from typing import Any, TypeVar, overload

from knitbone.common.function_watch import marked_tool
from knitbone.config import AdaptConfig, is_disabled, load_config
from knitbone.errors import KnitboneError

__all__ = ["load_ahead", "tool", "watch_tool"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def watch_tool(value: Any, location: str, config: AdaptConfig) -> Any:
    """Return what is called in place of a tool that code took out of a table by a computed name."""
    return _behaviour().watch(value, location, config) if _is_watched(config) else value


def load_ahead(config: AdaptConfig) -> None:
    """Load what the first tool would wait for."""
    if _is_watched(config):
        _behaviour()


def _behaviour() -> ModuleType:
    return importlib.import_module("knitbone.adaptation.scenario.behaviour")


def _is_watched(config: AdaptConfig) -> bool:
    """Return whether a tool that is not declared may be answered from the history: by its source
    where the scenario says so, by its name in ``adapt.stateless`` otherwise."""
    by_source = "no_repeated_behaviour" in config.scenario
    return _is_wanted(config) and (by_source or bool(config.stateless))


def _is_wanted(config: AdaptConfig) -> bool:
    off = {"behaviour", "behaviour.bypass"} & set(config.without)
    return bool({"no_repeated_behaviour", "declared"} & set(config.scenario)) and not off


@overload
def tool(function: _Function, /) -> _Function: ...
@overload
def tool(*, stateless: bool = False) -> Callable[[_Function], _Function]: ...
def tool(function: Any = None, /, *, stateless: bool = False) -> Any:
    """Mark a function as a tool of an agent.

    A *stateless* tool's output depends on its arguments alone: called again with the same
    plain-data arguments within a session it gives a copy of what it gave before, unless a tool
    that is not stateless ran in between (Comfrey §4.5.1). While a run is recorded, its calls are
    part of it. Signature, name and kind (function, coroutine function) stay.

    Raises:
        ConfigError: the configuration cannot be used; at decoration, never later.
        KnitboneError: what is decorated cannot be called.
    """

    def decorate(target: Any) -> Any:
        if not callable(target):
            raise KnitboneError(
                f"knitbone.tool was given {target!r:.200}, which is no function.",
                next_step="Write @knitbone.tool directly above the function, below decorators"
                " of others.",
            )
        if is_disabled():
            return target
        config = load_config().adapt
        if not _is_wanted(config):
            return marked_tool(target)
        behaviour = _behaviour()

        def put(one: Any) -> Any:
            return behaviour.declare(one, config, stateless=stateless)

        # Outermost, so that a call answered from the history is seen, too; but a generator is only
        # known as one before it is wrapped.
        generates = isgeneratorfunction(target) or isasyncgenfunction(target)
        made: Any = put(marked_tool(target)) if generates else marked_tool(put(target))
        made.__knitbone_tool__ = "stateless" if stateless else "state-changing"
        return made

    return decorate if function is None else decorate(function)
