"""Failures of many runs, grouped: those with the same fact on record are one line.

Runs fail alike where the same kind of fact is on record, at the same tool, with an error that
differs only in names and numbers. The fact is what is claimed, else what stands on record first,
else what speaks against the step that ranks first. Runs known to have failed are grouped, and those
of which something is claimed.
"""

from __future__ import annotations

import msgspec

from knitbone.tethering.diagnosis.claims import speaks_against
from knitbone.tethering.diagnosis.engine import Examined
from knitbone.tethering.diagnosis.findings import RunFinding
from knitbone.tethering.diagnosis.records import Claim, Diagnosis
from knitbone.tethering.diagnosis.units import asked
from knitbone.tethering.diagnosis.vocabulary import error_signature

__all__ = ["NOTHING", "FailureGroup", "FailureGroups"]

NOTHING = "nothing on record says where"
"""The kind of failed runs without such a fact."""
_LONGEST = 300
"""Characters of an error that are kept (ours)."""


class FailureGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Runs that failed alike."""

    kind: str
    """The kind of fact."""
    tool: str | None
    """The tool at that step."""
    error: str
    """What it reported, in the run that is the example; empty where nothing failed."""
    signature: str
    """The same without names and numbers: what the runs share."""
    count: int
    share: float
    """Of all runs that are grouped."""
    run: str
    """The first of them, as an example."""
    path: str | None
    """The file that it stands in."""
    record: int | None
    step: int | None
    """The step of the fact there."""
    headline: str
    task: str


class FailureGroups:
    """Collects diagnoses; memory grows with the groups, not with the runs."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str | None, str], FailureGroup] = {}
        self.runs = 0
        """Runs that are grouped."""

    def add(self, examined: Examined) -> None:
        """Take a run in, if it is known to have failed or something is claimed of it."""
        diagnosis = examined.diagnosis
        if diagnosis.outcome != "failed" and diagnosis.claim is None:
            return
        self.runs += 1
        group = _group_of(examined)
        key = (group.kind, group.tool, group.signature)
        known = self._groups.get(key, group)
        self._groups[key] = msgspec.structs.replace(known, count=known.count + 1)

    def groups(self) -> list[FailureGroup]:
        """The groups, the largest first; those that are alike in size in the order of the runs."""
        found = sorted(self._groups.values(), key=lambda group: -group.count)
        return [msgspec.structs.replace(g, share=g.count / self.runs) for g in found]


def _group_of(examined: Examined) -> FailureGroup:
    """The group of one run, which it is the example of; still without members."""
    run, diagnosis = examined.case.run, examined.diagnosis
    fact = _fact(diagnosis)
    step: int | None = None
    error, tool = run.outcome.reason if run.outcome is not None else "", None
    if fact is not None:
        step = fact.step if isinstance(fact, Claim) else diagnosis.ranking[0]
        unit = next(u for u in examined.case.graph.units if u.index == step)
        error, tool = unit.error or "", unit.failed_tool or unit.tool
        if fact.kind == "crash" and run.outcome is not None:
            raised = run.outcome.attributes.get("exception.type")
            said = run.outcome.attributes.get("exception.message")
            if isinstance(raised, str):
                error, tool = f"{raised}: {said}" if said else raised, None
    return FailureGroup(
        kind=fact.kind if fact is not None else NOTHING, tool=tool, error=error[:_LONGEST],
        signature=error_signature(error[:_LONGEST]), count=0, share=0.0, run=run.id,
        path=run.origin.path if run.origin else None,
        record=run.origin.record if run.origin else None,
        step=step,
        headline=diagnosis.headline, task=asked(run),
    )  # fmt: skip


def _fact(diagnosis: Diagnosis) -> Claim | RunFinding | None:
    known = diagnosis.claim or next(iter(diagnosis.on_record), None)
    if known is not None:
        return known
    return next((fact for fact in diagnosis.findings if speaks_against(fact)), None)
