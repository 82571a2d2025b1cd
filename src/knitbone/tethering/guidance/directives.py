"""A failed run -> directives, one a finding, claim or hint; not yet merged or bounded."""

from __future__ import annotations

from collections.abc import Iterator

from knitbone.tethering.diagnosis.findings import RunFinding
from knitbone.tethering.guidance.claim_directives import of_claim
from knitbone.tethering.guidance.failed_run import FailedRun
from knitbone.tethering.guidance.finding_directives import checked_first, ended, of_finding
from knitbone.tethering.guidance.hint_directives import hint_directives
from knitbone.tethering.guidance.records import Directive

__all__ = ["directives_of"]


def directives_of(failed: FailedRun) -> list[Directive]:
    """What to do otherwise, of each finding, claim and hint that an agent can act on; where none
    says more, what calls for care."""
    diagnosis, reference = failed.diagnosis, failed.reference
    if reference is None:
        return []
    claims = [*filter(None, [diagnosis.claim]), *diagnosis.on_record]
    distinct = {(claim.kind, claim.step, claim.text): claim for claim in claims}
    found = [directive for claim in distinct.values() for directive in of_claim(failed, claim)]
    if diagnosis.turning_point is not None or diagnosis.outcome == "failed":
        for finding in diagnosis.findings:
            found += of_finding(failed, reference, finding)
    found += hint_directives(failed, reference)
    telling = any(one.constraint not in ("check first", "completion") for one in found)
    return found if telling else [*found, *_with_care(failed)]


def _with_care(failed: FailedRun) -> Iterator[Directive]:
    """What can be said of a run that failed where nothing on record says why: how it ended, and
    what it changed, in the order of suspicion."""
    if failed.diagnosis.outcome != "failed" or not failed.units:
        return
    last = failed.units[-1]
    text = f"step {last.index} ends the work"
    yield from ended(failed, last, RunFinding(kind="ended here", text=text, steps=(last.index,)))
    changed: set[str] = set()
    for step in failed.diagnosis.ranking:
        unit = failed.unit(step)
        if unit is not None and unit.wrote and unit.wrote not in changed:
            changed.add(unit.wrote)
            text = f"step {step} changes state through {unit.wrote}"
            fact = RunFinding(kind="state change", steps=(step,), text=text)
            yield from checked_first(failed, unit, fact)
