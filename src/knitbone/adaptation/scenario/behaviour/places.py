"""The places where tools are called, each with its history, and the reports of repeated calls.

A history of calls is kept for each place in the code, within the session; without one, within the
thread or task (Comfrey §4.5.1: a history for each code location).
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import partial
from typing import Any

from knitbone.adaptation.repair.conclusion import publish
from knitbone.adaptation.runtime.listeners import tell_repairs
from knitbone.adaptation.runtime.session import Session, current_session
from knitbone.adaptation.runtime.summary import SUMMARY
from knitbone.adaptation.scenario.behaviour.bypass import Repeated, Tools
from knitbone.adaptation.scenario.behaviour.tool_history import ToolHistory
from knitbone.config import AdaptConfig
from knitbone.record.events import Adaptation
from knitbone.record.identifiers import new_identifier, now_ns

__all__ = ["declare", "watch"]

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
            history = held.setdefault(self._key, ToolHistory())
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


def watch(value: Any, location: str, config: AdaptConfig) -> Any:
    """Return what is called in place of a tool that is looked up at a location."""
    place = _places.get(location)
    if place is None or place.config != config:
        place = _places[location] = _ToolPlace(location, config)
    return place.tools.watch(value)


def declare(target: Any, config: AdaptConfig, *, stateless: bool) -> Any:
    """Return what is called in place of a declared tool."""
    code = getattr(target, "__code__", None)
    location = f"{code.co_filename}:{code.co_firstlineno}" if code else repr(target)
    # All declared tools share a history: each may change what another reads.
    tools = _ToolPlace(location, config, key="declared tools").tools
    put = partial(tools.wrap, kind="stable") if stateless else tools.wrap_changing
    return put(target)
