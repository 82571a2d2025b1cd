"""A failed run -> directives, one a finding or claim; not yet merged or bounded."""

from __future__ import annotations

from collections.abc import Iterator

from knitbone.tethering.diagnosis.findings import RunFinding
from knitbone.tethering.guidance.claim_directives import of_claim
from knitbone.tethering.guidance.failed_run import FailedRun
from knitbone.tethering.guidance.finding_directives import checked_first, ended, of_finding
from knitbone.tethering.guidance.records import Directive

__all__ = ["directives_of"]

_LOOKED_AT = 3
"""Steps that rank first, of which state changes are named where no fact says more (ours)."""


def directives_of(failed: FailedRun) -> list[Directive]:
    """What to do otherwise, of each finding and claim that an agent can act on."""
    diagnosis, reference = failed.diagnosis, failed.reference
    if reference is None:
        return []
    claims = [*filter(None, [diagnosis.claim]), *diagnosis.on_record]
    distinct = {(claim.kind, claim.step, claim.text): claim for claim in claims}
    found = [directive for claim in distinct.values() for directive in of_claim(failed, claim)]
    if diagnosis.turning_point is not None:
        for finding in diagnosis.findings:
            found += of_finding(failed, reference, finding)
    return found or list(_with_care(failed))


def _with_care(failed: FailedRun) -> Iterator[Directive]:
    """What can be said of a run that failed where nothing on record says why: what it changed
    among the steps that rank first, and that it ended too early, perhaps."""
    if failed.diagnosis.outcome != "failed" or not failed.units:
        return
    for step in failed.diagnosis.ranking[:_LOOKED_AT]:
        unit = failed.unit(step)
        if unit is not None and unit.wrote:
            text = f"step {step} changes state through {unit.wrote}"
            fact = RunFinding(kind="state change", steps=(step,), text=text)
            yield from checked_first(failed, unit, fact)
    last = failed.units[-1]
    text = f"step {last.index} ends the work"
    yield from ended(failed, last, RunFinding(kind="ended here", text=text, steps=(last.index,)))
