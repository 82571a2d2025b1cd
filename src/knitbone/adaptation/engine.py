"""The flow of one value: detect -> repair -> verify -> deliver.

Contracts (each with a property test): a conforming value is returned as the same object; adapting
twice equals adapting once; a repair that does not verify is discarded; no error of ours reaches
the application; every change is a record. Source: Comfrey §4.1, §4.3.1.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any, Literal

from knitbone._logging import get_logger, log
from knitbone.adaptation.checks import Verdict
from knitbone.adaptation.defects.positional.check import adapt_text
from knitbone.adaptation.requirements import PositionalTemplate, describe
from knitbone.adaptation.sites import Site
from knitbone.adaptation.summary import Disposition, Summary
from knitbone.adaptation.values import find_parts, replace_texts
from knitbone.config import AdaptConfig
from knitbone.core.events import Adaptation
from knitbone.core.identifiers import new_identifier, now_ns
from knitbone.core.recorder import current_recorder
from knitbone.errors import RequirementViolation

__all__ = [
    "adapt_value",
    "conclude",
    "judge",
    "replayable",
]

_DEFECT = "template discrepancy"
_logger = get_logger(__name__)


def replayable(site: Site) -> tuple[PositionalTemplate, ...]:
    """The requirements of a site that a repair can be verified against."""
    return tuple(
        requirement
        for requirement in site.requirements
        if isinstance(requirement, PositionalTemplate) and requirement.reader is not None
    )


def adapt_value(value: Any, site: Site, config: AdaptConfig, summary: Summary) -> Any:
    """The hook: one value of a site, on its way to the consumer, as the type that it has.

    Raises:
        RequirementViolation: the mode is ``strict`` and the answer violates the requirement.
    """
    templates = replayable(site)
    if not templates:
        return value
    if type(value) is str:
        return _adapt_part(value, site, templates, config, summary)
    found = find_parts(value)
    if not found:
        summary.count(site, "unknown")
        return value
    texts = [_adapt_part(part.text, site, templates, config, summary) for part in found]
    try:
        return replace_texts(value, found, texts)
    except Exception as error:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "value not rebuilt", exc_info=True, site=site.location)
        summary.count(site, "failed", reason=f"{type(value).__name__} not rebuilt: {error}")
        return value


def _adapt_part(
    text: str,
    site: Site,
    templates: Sequence[PositionalTemplate],
    config: AdaptConfig,
    summary: Summary,
) -> str:
    started = time.perf_counter_ns()
    try:
        verdict, template = judge(text, templates, config)
    except Exception as error:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "adaptation failed", exc_info=True, site=site.location)
        _report(site, templates[0], "failed", summary, before=text, reason=repr(error))
        return text
    spent = time.perf_counter_ns() - started
    return conclude(text, verdict, template, site, config, summary, nanoseconds=spent)


def conclude(
    text: str,
    verdict: Verdict,
    template: PositionalTemplate,
    site: Site,
    config: AdaptConfig,
    summary: Summary,
    *,
    nanoseconds: int,
) -> str:
    """Count and record what was decided about a text; what the application gets of it.

    Raises:
        RequirementViolation: the mode is ``strict`` and the answer violates the requirement.
    """
    summary.time(site, nanoseconds)
    if verdict.disposition == "conforming":
        summary.count(site, "conforming")
        return text
    if config.mode == "observe":
        _report(site, template, "observed", summary, before=text, verdict=verdict)
        return text
    if config.mode == "strict":
        _report(site, template, "raised", summary, before=text, verdict=verdict)
        raise RequirementViolation(
            f"The answer at {site.location} does not fit what {template.evidence.file}:"
            f"{template.evidence.line} expects ({describe(template)}): {text[:120]!r}.",
            next_step="Ask the model again, or use mode='repair'.",
        )
    _report(site, template, verdict.disposition, summary, before=text, verdict=verdict)
    return verdict.text


def judge(
    text: str, templates: Sequence[PositionalTemplate], config: AdaptConfig
) -> tuple[Verdict, PositionalTemplate]:
    """Several parsers of one value are alternatives: one that accepts it is enough, else the
    first that can be satisfied (Comfrey §4.3.1: only the nearest template is examined)."""
    verdicts: list[tuple[Verdict, PositionalTemplate]] = []
    for template in templates:
        verdict = adapt_text(text, template, config)
        if verdict.disposition == "conforming":
            return verdict, template
        verdicts.append((verdict, template))
    for verdict, template in verdicts:
        if verdict.disposition == "repaired":
            return verdict, template
    return verdicts[0]


def _report(
    site: Site,
    template: PositionalTemplate,
    action: Literal["repaired", "refused", "observed", "raised", "failed"],
    summary: Summary,
    *,
    before: str,
    verdict: Verdict | None = None,
    reason: str = "",
) -> None:
    """Make the record, and hand it to the run that is being recorded, if any."""
    evidence = template.evidence
    now = now_ns()
    changed = verdict is not None and verdict.disposition == "repaired"
    event = Adaptation(
        id=new_identifier(),
        started_ns=now,
        ended_ns=now,
        site=site.location,
        requirement=describe(template),
        evidence=f"{evidence.file}:{evidence.line}  {evidence.expression}",
        defect=_DEFECT,
        action=action,
        rules=verdict.rules if verdict else (),
        before=before,
        after=verdict.text if verdict is not None and changed else None,
        reason=reason or (verdict.reason if verdict else ""),
    )
    disposition: Disposition = action
    summary.count(site, disposition, rules=event.rules, reason=event.reason)
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
