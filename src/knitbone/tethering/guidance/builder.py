"""Build guidance, top to bottom: a diagnosis and its run -> directives, one a fact -> without
overlaps, with those that the repair memory carries along -> their words, within the disclosure ->
the text that the next attempt is given (AgentTether §III.C.3)."""

from __future__ import annotations

from collections.abc import Sequence

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.records import Diagnosis
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.guidance.directives import FailedRun, directives_of
from knitbone.tethering.guidance.disclosure import RunNames
from knitbone.tethering.guidance.hashing import task_key
from knitbone.tethering.guidance.merging import carried_along, merged
from knitbone.tethering.guidance.records import (
    Disclosure,
    Guidance,
    InjectionPlace,
    InjectionPlan,
    RepairEntry,
)
from knitbone.tethering.guidance.request import request_of
from knitbone.tethering.guidance.told_values import told_values
from knitbone.tethering.guidance.wording import in_disclosure, worded

__all__ = ["build_guidance"]

DIRECTIVES = 5
"""Directives that the next attempt is given at most (ours)."""
CHARACTERS = 900
"""Longest guidance; about four characters are one token (ours)."""


def build_guidance(
    diagnosis: Diagnosis,
    run: Run,
    *,
    task: str,
    memory: Sequence[RepairEntry] = (),
    disclosure: Disclosure = "constraint",
    place: InjectionPlace = "first user turn",
) -> Guidance:
    """What the next attempt at a task is told after a run of it.

    Deterministic; no model is asked. In the disclosures ``family`` and ``constraint`` the text
    consists of sentences of ours and of names of tools and arguments: of two runs that differ in
    values alone it is the same. Nothing is said of a run that did not fail and shows nothing.

    Source: AgentTether §III.C.3 (disclosure control, prominence, concision).

    Args:
        diagnosis: of ``run``.
        task: the task, or its key in the repair memory.
        memory: what the repair memory has of the task; what is not put right comes along.
    """
    units = build_units(run)
    failed = FailedRun(
        task=task_key(task),
        run=run,
        diagnosis=diagnosis,
        units=units,
        by_step={unit.index: unit for unit in units},
        names=RunNames(run, units),
        request=request_of(run),
    )
    fresh = merged(directives_of(failed))
    directives = [in_disclosure(one, disclosure) for one in carried_along(fresh, memory)]
    text, told = worded(
        directives,
        values={one.id: told_values(failed, one) for one in fresh}
        if disclosure == "values"
        else None,
        most=DIRECTIVES,
        characters=CHARACTERS,
    )
    return Guidance(
        task=failed.task,
        run=run.id,
        calls=sum(len(unit.calls) for unit in units),
        disclosure=disclosure,
        directives=tuple(directives[:told]),
        left_out=len(directives) - told,
        text=text,
        plan=InjectionPlan(place=place),
    )
