"""The last step of an adaptation: the decision is counted, recorded and, in ``strict`` mode,
raised.

A record is cleaned of secrets before anything keeps, logs or tells it.
"""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Literal

import msgspec

from knitbone._logging import get_logger, log
from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.decision import Decision, RequirementOutcome
from knitbone.adaptation.requirements import describe
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.decorated_functions import note_adapted, note_unchecked
from knitbone.adaptation.runtime.listeners import drop_repairs, note_repair
from knitbone.adaptation.runtime.summary import MAX_TEXT, Summary
from knitbone.common.printable import printable
from knitbone.config import AdaptConfig, RecordConfig, load_config
from knitbone.errors import RequirementViolation
from knitbone.record.events import Adaptation
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.recorder import current_recorder, redactor_of
from knitbone.record.redaction import Redactor

__all__ = ["conclude", "publish", "settle"]

# The name that docs/explanation/adapt.md gives to whoever listens.
_logger = get_logger("knitbone.adaptation.engine")

_Action = Literal["repaired", "refused", "unread", "observed", "raised", "failed"]
_LINE = 1_000
"""Characters of a line of the log (ours)."""
_NO_REASON = "nothing that is sure to be right was found"
"""The reason of a refusal for which a check gave none."""


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
        if decision.checked:
            summary.count(site, "conforming")
        else:
            summary.count(site, "unchecked")
            note_unchecked(site.place, quiet=invocation.config.quiet)
        return text
    return decision.text if settle(decision, site, invocation.config, summary) else text


def settle(decision: Decision, site: Site, config: AdaptConfig, summary: Summary) -> bool:
    """Count and record what was violated; return whether the repaired value is delivered.

    Repairs are noted for whoever listens, and told by whoever delivers the value.

    Raises:
        RequirementViolation: the mode is ``strict`` and the answer violates what code demands.
    """
    if config.mode == "strict":
        _raise_if_demanded(decision, site, config, summary)
    told: list[tuple[str, str]] = []
    for outcome in decision.outcomes:
        watched = config.mode == "observe" and outcome.known
        action = "observed" if watched else outcome.action
        reason = _report(site, outcome, action, config, summary).reason
        told.append((action, reason))
    if not any(outcome.known for outcome in decision.outcomes):
        summary.count(site, "unread", reasons=told)
        return False
    if config.mode == "observe":
        summary.count(site, "observed", reasons=told)
        return False
    rules = [rule for outcome in decision.outcomes for rule in outcome.rules]
    summary.count(site, decision.disposition, rules=map(_cleaned, rules), reasons=told)
    if decision.disposition == "repaired":
        note_adapted(site.place)
    return True


def _raise_if_demanded(
    decision: Decision, site: Site, config: AdaptConfig, summary: Summary
) -> None:
    for outcome in decision.outcomes:
        requirement = outcome.requirement
        if not outcome.demanded or not outcome.known or outcome.disposition == "failed":
            continue
        drop_repairs()
        reason = _report(site, outcome, "raised", config, summary).reason
        summary.count(site, "raised", reason=reason)
        why = outcome.reason or f"a repair would be: {', '.join(outcome.rules)}"
        raise RequirementViolation(
            f"The answer at {site.location} does not fit what {requirement.evidence.file}:"
            f"{requirement.evidence.line} expects ({describe(requirement)}): "
            f"{outcome.before[:120]!r}; {why}.",
            next_step="Ask the model again, or use mode='repair'.",
        )


def _report(
    site: Site, outcome: RequirementOutcome, action: _Action, config: AdaptConfig, summary: Summary
) -> Adaptation:
    """Make the record of an outcome, publish it, and return it."""
    evidence = outcome.requirement.evidence
    now = now_ns()
    repaired = outcome.disposition == "repaired"
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
        before=outcome.before,
        after=outcome.after if repaired else None,
        reason=outcome.reason or ("" if repaired else _NO_REASON),
    )
    return publish(event, config, summary)


def publish(event: Adaptation, config: AdaptConfig, summary: Summary) -> Adaptation:
    """Keep a record, log it, note it for a listener, and hand it to the run that is being recorded,
    if any; return it without secrets."""
    event = msgspec.structs.replace(
        event,
        requirement=_cleaned(event.requirement),
        evidence=_cleaned(event.evidence),
        rules=tuple(map(_cleaned, event.rules)),
        before=_cleaned(event.before),
        after=None if event.after is None else _cleaned(event.after),
        reason=_cleaned(event.reason),
    )
    summary.keep(event)
    event = msgspec.structs.replace(
        event,
        before=event.before[:MAX_TEXT],
        after=None if event.after is None else event.after[:MAX_TEXT],
    )
    said = ", ".join(event.rules) if event.after is not None else event.reason
    log(
        _logger,
        logging.INFO if event.action in ("repaired", "observed") else logging.WARNING,
        printable(f"output {event.action} at {event.site}: {said}", limit=_LINE),
        site=event.site,
        requirement=event.requirement,
        rules=event.rules,
        reason=event.reason,
    )
    note_repair(event, config)
    if (recorder := current_recorder()) is not None:
        recorder.record(event)
    return event


def _cleaned(text: str) -> str:
    """Return a text without secrets."""
    return _redactor().clean(text)


@lru_cache(maxsize=1)
def _redactor() -> Redactor:
    """Return the redactor of this process, made at the first answer that does not fit."""
    try:
        return redactor_of(load_config().record)
    except Exception as error:  # noqa: BLE001 - fail open; what every redactor finds is found
        log(_logger, logging.ERROR, "record.redact not used", error=repr(error))
        return redactor_of(RecordConfig())
