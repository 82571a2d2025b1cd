"""Tools of the application: declared by ``@knitbone.tool``, or looked up by a name that a model
gave.

A history of calls is kept for each place in the code, within the session; without one, within the
thread or task (Comfrey §4.5.1: a history for each code location).
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from inspect import isasyncgenfunction, isgeneratorfunction
from typing import Any, TypeVar, overload

from knitbone.adaptation.repair.behaviour import Repeated, Tools
from knitbone.adaptation.repair.conclusion import publish
from knitbone.adaptation.runtime.listeners import tell_repairs
from knitbone.adaptation.runtime.session import Session, current_session
from knitbone.adaptation.runtime.summary import SUMMARY
from knitbone.common.tool_history import ToolHistory
from knitbone.common.watching import marked_tool
from knitbone.config import AdaptConfig, is_disabled, load_config
from knitbone.errors import KnitboneError
from knitbone.record.events import Adaptation
from knitbone.record.identifiers import new_identifier, now_ns

__all__ = ["tool", "watch_tool"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_without_session: ContextVar[Session] = ContextVar("knitbone_tool_histories")
_MAX_SHOWN = 2_000


class _Histories:
    """The histories of one session, by place."""

    def __init__(self) -> None:
        self.by_place: dict[str, ToolHistory] = {}


class _ToolPlace:
    """One place where tools are called.

    Args:
        location: ``file:line``, for reports.
        config: the settings that hold there.
        key: which history it looks into; its own by default.
    """

    def __init__(self, location: str, config: AdaptConfig, key: str = "") -> None:
        self.location = location
        self.config = config
        self._key = key or location
        self.tools = Tools(
            self._history,
            declared=frozenset(config.stateless),
            reads="no_repeated_behaviour" in config.scenario,
            report=self._report,
            bypasses=config.mode != "observe",
        )

    def _history(self) -> ToolHistory:
        found = current_session()
        if found is None:
            found = _without_session.get(None)
            if found is None:
                found = Session()
                _without_session.set(found)
        held = found.state(_Histories).by_place
        history = held.get(self._key)
        if history is None:
            history = held.setdefault(self._key, ToolHistory(self.config.history))
        return history

    def _report(self, repeated: Repeated) -> None:
        """Record a repeated call, and hand the record to the run that is being recorded, if any."""
        bypassed = self.config.mode != "observe"
        now = now_ns()
        event = Adaptation(
            id=new_identifier(),
            started_ns=now,
            ended_ns=now,
            site=self.location,
            requirement="no call that repeats an earlier one",
            defect="redundant behaviour",
            action="repaired" if bypassed else "observed",
            rules=(f"{repeated.tool} answered from the history",),
            before=repeated.arguments[:_MAX_SHOWN],
            after=str(repeated.output)[:_MAX_SHOWN],
        )
        SUMMARY.count(self, event.action, rules=event.rules)
        publish(event, self.config, SUMMARY)
        tell_repairs()


_places: dict[str, _ToolPlace] = {}


def watch_tool(value: Any, location: str, config: AdaptConfig) -> Any:
    """Return what is called in place of a tool that code took out of a table by a computed name."""
    if not _is_wanted(config):
        return value
    place = _places.get(location)
    if place is None or place.config != config:
        place = _places[location] = _ToolPlace(location, config)
    return place.tools.watch(value)


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
        code = getattr(target, "__code__", None)
        location = f"{code.co_filename}:{code.co_firstlineno}" if code else repr(target)
        # All declared tools share a history: each may change what another reads.
        tools = _ToolPlace(location, config, key="declared tools").tools
        put: Callable[[Any], Any] = (
            partial(tools.wrap, kind="stable") if stateless else tools.wrap_changing
        )
        # Outermost, so that a call answered from the history is seen, too; but a generator is only
        # known as one before it is wrapped.
        generates = isgeneratorfunction(target) or isasyncgenfunction(target)
        made: Any = put(marked_tool(target)) if generates else marked_tool(put(target))
        made.__knitbone_tool__ = "stateless" if stateless else "state-changing"
        return made

    return decorate if function is None else decorate(function)
