"""The flow of one value: detect -> repair -> verify -> deliver.

Contracts (each with a property test): a conforming value is returned as the same object; adapting
twice equals adapting once; a repair that does not verify is discarded; no error of ours reaches
the application; every change is a record. Source: Comfrey §4.1, §4.3.1.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from knitbone._logging import get_logger, log
from knitbone.adaptation.detect.cost import STEPS_PER_MS, estimated_steps
from knitbone.adaptation.detect.records import Line, find_records, suspicious
from knitbone.adaptation.repair.rewrite import rewrite
from knitbone.adaptation.repair.verify import verify
from knitbone.adaptation.requirements import PositionalTemplate, describe
from knitbone.adaptation.requirements.readers import Record
from knitbone.adaptation.sites import Site
from knitbone.adaptation.summary import Disposition, Summary
from knitbone.adaptation.values import find_parts, replace_texts
from knitbone.config import AdaptConfig
from knitbone.core.events import Adaptation
from knitbone.core.identifiers import new_identifier, now_ns
from knitbone.core.recorder import current_recorder
from knitbone.errors import RequirementViolation

__all__ = [
    "MAX_TEXT",
    "MAX_TEXT_SPANNING",
    "Verdict",
    "adapt_text",
    "adapt_value",
    "conclude",
    "judge",
    "replayable",
]

MAX_TEXT = 1_000_000
"""Characters; a longer answer is passed on with a record (ours)."""
MAX_TEXT_SPANNING = 65_536
"""The same for expressions whose slots run over lines: they may take quadratic time (ours)."""

_MAX_ROUNDS = 4
"""Passes after which a repair that still changes is discarded (ours)."""
_DEFECT = "template discrepancy"
_logger = get_logger(__name__)

Monotonic = Callable[[], float]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the engine says about one value under one requirement."""

    disposition: Literal["conforming", "repaired", "refused"]
    text: str
    """The value to deliver: the same object as the input unless repaired."""
    rules: tuple[str, ...] = ()
    reason: str = ""


class _Detection(msgspec.Struct, frozen=True, kw_only=True):
    records: tuple[Line, ...]
    found: tuple[Record, ...]
    """What the consumer finds in the answer as it is."""
    reason: str = ""
    """Why nothing can be done, where that is so."""

    def drifted(self, tau: int) -> list[Line]:
        return [
            line for line in self.records if line.inline or (not line.conforms and line.edits < tau)
        ]


class _Stop(Exception):  # noqa: N818 - control flow between the stages
    """The answer is passed on; the message says why."""


def adapt_text(
    text: str,
    template: PositionalTemplate,
    config: AdaptConfig,
    *,
    clock: Monotonic = time.perf_counter,
) -> Verdict:
    """Bring one answer into the form that its consumer reads.

    Returns:
        ``conforming`` or ``refused`` with ``text`` itself, or ``repaired`` with a new text in
        which every record is read by the consumer and every slot is byte-identical.

    Raises:
        ValueError: the template has no reader; nothing can be verified against it.
    """
    if template.reader is None:
        raise ValueError("A template without a reader cannot be replayed.")
    limit = MAX_TEXT_SPANNING if template.spans_lines else MAX_TEXT
    if len(text) > limit:
        return _refuse(text, f"the answer has {len(text)} characters; the bound is {limit}")
    if not suspicious(text, template):
        return Verdict(disposition="conforming", text=text)
    deadline = clock() + config.budget_ms / 1000
    current = Verdict(disposition="conforming", text=text)
    rules: tuple[str, ...] = ()
    try:
        # Until nothing changes any more: adapting the result again must give the result.
        for _ in range(_MAX_ROUNDS):
            following = _round(current.text, template, config, lambda: clock() > deadline)
            if following.disposition != "repaired":
                break
            current, rules = following, rules + following.rules
        else:
            raise _Stop("the repair does not come to rest")
        if current.disposition == "conforming":
            return following
    except _Stop as stop:
        return _refuse(text, str(stop))
    except TimeoutError:
        return _refuse(
            text, f"it would take longer than the time budget of {config.budget_ms:g} ms"
        )
    return msgspec.structs.replace(current, rules=rules)


def _round(
    text: str, template: PositionalTemplate, config: AdaptConfig, expired: Callable[[], bool]
) -> Verdict:
    """One pass through the stages."""
    if not suspicious(text, template):
        return Verdict(disposition="conforming", text=text)
    if estimated_steps(text, template) > config.budget_ms * STEPS_PER_MS:
        raise TimeoutError
    detection = _detect(text, template, expired)
    if not detection.records and not detection.found:
        return _refuse(text, "nothing in the answer identifies a record")
    beyond = [x for x in detection.records if not x.conforms and x.edits >= config.tau_element]
    if not detection.drifted(config.tau_element):
        if beyond:
            return _refuse(text, _beyond(beyond, config))
        return Verdict(disposition="conforming", text=text)
    candidate = rewrite(text, detection.records, template, tau=config.tau_element)
    if expired():
        raise TimeoutError
    if candidate.text == text:
        return Verdict(disposition="conforming", text=text)
    if reason := verify(detection.found, candidate, template):
        return _refuse(text, reason)
    return Verdict(
        disposition="repaired",
        text=candidate.text,
        rules=candidate.rules,
        reason=_beyond(beyond, config) if beyond else "",
    )


def _detect(text: str, template: PositionalTemplate, expired: Callable[[], bool]) -> _Detection:
    found = template.reader.read(text) if template.reader else []
    if found and not template.repeated:
        return _Detection(records=(), found=tuple(found))
    return _Detection(
        records=tuple(find_records(text, template, expired=expired)), found=tuple(found)
    )


def _beyond(lines: list[Line], config: AdaptConfig) -> str:
    return (
        f"{len(lines)} record{'s' if len(lines) > 1 else ''} with {config.tau_element} or more "
        f"edits, not this template: {lines[0].text[:80]!r}"
    )


def _refuse(text: str, reason: str) -> Verdict:
    return Verdict(disposition="refused", text=text, reason=reason)


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
