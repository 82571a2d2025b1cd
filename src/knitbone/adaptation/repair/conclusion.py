"""The last step of an adaptation: the decision is counted, recorded and, in ``strict`` mode,
raised."""

from __future__ import annotations

import logging
from typing import Literal

from knitbone._logging import get_logger, log
from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.decision import Decision, RequirementOutcome
from knitbone.adaptation.requirements import describe
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.summary import Summary
from knitbone.errors import RequirementViolation
from knitbone.record.events import Adaptation
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.recorder import current_recorder

__all__ = ["conclude", "settle"]

_MAX_RECORDED = 20_000
"""Characters of a text that a record keeps."""
# The name that docs/adapt.md gives to whoever listens.
_logger = get_logger("knitbone.adaptation.engine")

_Action = Literal["repaired", "refused", "unread", "observed", "raised", "failed"]


def conclude(
    text: str,
    decision: Decision,
    site: Site,
    invocation: Invocation,
    summary: Summary,
    *,
    nanoseconds: int,
) -> str:
    """Count and record the decision on a text; return the text that the application gets.

    Raises:
        RequirementViolation: the mode is ``strict`` and the answer violates what code demands.
    """
    summary.time(site, nanoseconds)
    if not decision.outcomes:
        summary.count(site, "conforming")
        return text
    return decision.text if settle(decision, site, invocation.config.mode, summary) else text


def settle(decision: Decision, site: Site, mode: str, summary: Summary) -> bool:
    """Count and record what was violated; return whether the repaired value is delivered.

    Raises:
        RequirementViolation: the mode is ``strict`` and the answer violates what code demands.
    """
    if mode == "strict":
        _raise_if_demanded(decision, site, summary)
    for outcome in decision.outcomes:
        watched = mode == "observe" and outcome.known
        _report(site, outcome, "observed" if watched else outcome.action, summary)
    if not any(outcome.known for outcome in decision.outcomes):
        summary.count(site, "unread", reason=decision.outcomes[0].reason)
        return False
    if mode == "observe":
        summary.count(site, "observed")
        return False
    rules = [rule for outcome in decision.outcomes for rule in outcome.rules]
    reasons = [outcome.reason for outcome in decision.outcomes if outcome.reason]
    summary.count(site, decision.disposition, rules=rules, reason=reasons[0] if reasons else "")
    return True


def _raise_if_demanded(decision: Decision, site: Site, summary: Summary) -> None:
    for outcome in decision.outcomes:
        requirement = outcome.requirement
        if not outcome.demanded or not outcome.known or outcome.disposition == "failed":
            continue
        _report(site, outcome, "raised", summary)
        summary.count(site, "raised", reason=outcome.reason)
        why = outcome.reason or f"a repair would be: {', '.join(outcome.rules)}"
        raise RequirementViolation(
            f"The answer at {site.location} does not fit what {requirement.evidence.file}:"
            f"{requirement.evidence.line} expects ({describe(requirement)}): "
            f"{outcome.before[:120]!r}; {why}.",
            next_step="Ask the model again, or use mode='repair'.",
        )


def _report(site: Site, outcome: RequirementOutcome, action: _Action, summary: Summary) -> None:
    """Make the record, and hand it to the run that is being recorded, if any."""
    evidence = outcome.requirement.evidence
    now = now_ns()
    event = Adaptation(
        id=new_identifier(),
        started_ns=now,
        ended_ns=now,
        site=site.location,
        requirement=describe(outcome.requirement),
        evidence=f"{evidence.file}:{evidence.line}  {evidence.expression}",
        defect=outcome.defect,
        action=action,
        rules=outcome.rules,
        before=outcome.before[:_MAX_RECORDED],
        after=outcome.after[:_MAX_RECORDED] if outcome.disposition == "repaired" else None,
        reason=outcome.reason,
    )
    summary.keep(event)
    log(
        _logger,
        logging.INFO if action in ("repaired", "observed") else logging.WARNING,
        f"output {action}",
        site=event.site,
        requirement=event.requirement,
        rules=event.rules,
        reason=event.reason,
    )
    if (recorder := current_recorder()) is not None:
        recorder.record(event)
