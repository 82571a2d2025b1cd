"""The tool calls of a recorded run, whoever made them: seen by a hook, or told to the model."""

from __future__ import annotations

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.supervision.records import ReturnedCall
from knitbone.tethering.supervision.risk import tool_risk

__all__ = ["made_calls", "state_changes"]

_NAMED = 5
"""Tools that are named; more are counted."""


def made_calls(run: Run) -> list[ReturnedCall]:
    """List the calls in the order of the run."""
    return [
        ReturnedCall(tool=call.tool, arguments=call.arguments, result=call.result, error=call.error)
        for unit in build_units(run)
        for call in unit.calls
    ]


def state_changes(run: Run | None) -> list[str]:
    """Name the tools whose calls may have changed state, so that the run must not simply be
    repeated; in the order of the run.

    A call that failed may have changed something before it did, and of a tool that nothing is known
    of nobody can say that it only reads: both are named. Of a run that was not recorded nothing is
    known either.
    """
    if run is None:
        return ["tools that were not recorded"]
    called = dict.fromkeys(call.tool for call in made_calls(run))
    named = [tool for tool in called if tool_risk(tool) != "read"]
    more = len(named) - _NAMED
    return named[:_NAMED] + ([f"{more} others"] if more > 0 else [])
