"""The flow of one value: detect -> repair -> verify -> deliver, stage by stage.

Contracts (each with a property test): a conforming value is returned as the same object; adapting
twice equals adapting once; a repair that does not verify is discarded; no error of ours reaches
the application; every change is a record. Source: Comfrey §4.1, Table 2.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from knitbone._logging import get_logger, log
from knitbone.adaptation.consumers.costly_expressions import costly_expression
from knitbone.adaptation.repair.checks import (
    WORDS_LEFT_OUT,
    EntryVerdict,
    Invocation,
    ListEntry,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.repair.conclusion import conclude, settle
from knitbone.adaptation.repair.decision import Decision, RequirementOutcome, weightiest
from knitbone.adaptation.repair.missing import note_missing
from knitbone.adaptation.repair.plan import CheckPlan, EntryRule, Group, TextRule
from knitbone.adaptation.requirements import describe
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.summary import Summary
from knitbone.adaptation.runtime.values import ValueText, find_texts, replace_texts
from knitbone.adaptation.runtime.values.entries import find_entries, rebuild_entries
from knitbone.adaptation.runtime.values.texts import is_cut_off
from knitbone.common.matching import TooCostlyError, end_allowance, start_allowance
from knitbone.errors import MissingExtraError

if TYPE_CHECKING:
    from knitbone.adaptation.repair.conversions import Rehearse

__all__ = ["MAX_TEXT", "adapt_value", "judge"]

MAX_TEXT = 2_000_000
"""Characters; a longer text is passed on with a record: the fastest parsers need the whole time
budget to read as much (ours). Checks have bounds of their own."""

_MAX_UNCHECKED = 400
"""Characters of an answer without a finding that is rehearsed all the same (ours): that takes some
hundred microseconds, and for hundreds of lines would take as long as a repair may."""
_MAX_ROUNDS = 4
"""Passes after which a repair that still changes is discarded (ours)."""
_logger = get_logger(__name__)


def judge(text: str, groups: Sequence[Group], invocation: Invocation) -> Decision:
    """Bring one text into the form that its consumers read.

    Every stage works on what the stage before left. Afterwards everything is checked again, until
    nothing changes any more: adapting the result must give the result. Never raises.
    """
    if groups and len(text) > MAX_TEXT:
        verdict = unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        return Decision(text=text, outcomes=(_outcome(groups[0].rules[0], verdict, before=text),))
    token = start_allowance(invocation.deadline.seconds)
    try:
        decision = _repair_until_stable(text, groups, invocation)
        if decision.text == text:
            return decision
        if invocation.cut_off:
            return decision.withdrawn(text, "the model stopped at its limit of tokens")
        if reason := decision.final_refusal:
            return decision.withdrawn(text, reason)
        return _within_time(text, decision, invocation)
    finally:
        end_allowance(token)


def _within_time(text: str, decision: Decision, invocation: Invocation) -> Decision:
    """Return the decision, or one to keep the original where an expression of the application may
    hang on the repair."""
    costly = costly_expression(invocation.expressions, decision.text)
    if not costly:
        return decision
    reason = f"the consumer's expression {costly[:80]!r} may take too long on the repair"
    return decision.withdrawn(text, reason)


def _repair_until_stable(text: str, groups: Sequence[Group], invocation: Invocation) -> Decision:
    """Repair until nothing changes any more."""
    current = text
    outcomes: list[RequirementOutcome] = []
    refusals: tuple[RequirementOutcome, ...] = ()
    for _ in range(_MAX_ROUNDS):
        repairs, refusals, after = _round(current, groups, invocation)
        outcomes += repairs
        if after == current:
            return Decision(text=current, outcomes=(*outcomes, *refusals))
        current = after
    unstable = [
        msgspec.structs.replace(
            outcome, disposition="refused", after="", reason="the repair does not come to rest"
        )
        for outcome in outcomes[:1]
    ]
    return Decision(text=text, outcomes=(*unstable, *refusals))


def _round(
    text: str, groups: Sequence[Group], invocation: Invocation
) -> tuple[list[RequirementOutcome], tuple[RequirementOutcome, ...], str]:
    """Run one pass through the stages; return the repairs, the refusals, and the text
    afterwards."""
    repairs: list[RequirementOutcome] = []
    refusals: list[RequirementOutcome] = []
    accepted: list[Group] = []
    current = text
    for group in groups:
        verdict, rule = _choose(current, group, invocation)
        if verdict.disposition == "repaired":
            broken = _broken_consumer(verdict.text, accepted, invocation)
            if not broken:
                repairs.append(_outcome(rule, verdict, before=current))
                current = verdict.text
                accepted.append(group)
                continue
            verdict = refused(current, broken)
        if verdict.disposition in ("refused", "failed"):
            refusals.append(_outcome(rule, verdict, before=current))
        else:
            accepted.append(group)
    return repairs, tuple(refusals), current


def _choose(text: str, group: Group, invocation: Invocation) -> tuple[Verdict, TextRule]:
    """Check a text against alternatives, of which one that accepts it is enough.

    Else the repair with the fewest edits is taken (Comfrey §4.3.1: only the nearest template is
    examined). An alternative that accepts a text in which it finds nothing is enough where no
    other one can be served.
    """
    rules = group.rules
    if len(rules) == 1:
        return _check_branch(text, rules[0], invocation)
    verdicts: list[tuple[Verdict, TextRule]] = []
    empty: tuple[Verdict, TextRule] | None = None
    for rule in rules:
        verdict, violated = _check_branch(text, rule, invocation)
        if verdict.disposition == "conforming" and rule.concerns(text):
            if rule.takes(text):
                return verdict, rule
            empty = empty or (verdict, rule)
        verdicts.append((verdict, violated))
    repairs = [pair for pair in verdicts if pair[0].disposition == "repaired"]
    if len({verdict.text for verdict, _ in repairs if WORDS_LEFT_OUT in verdict.rules}) > 1:
        # Each finds its own value: the code may go over the lines of the answer.
        return refused(text, "the alternatives read different parts of the answer"), rules[0]
    if repairs:
        return min(repairs, key=lambda pair: pair[0].edits)
    if empty is not None:
        return empty
    demanding = [pair for pair in verdicts if pair[0].disposition != "conforming"]
    # What could not be read may be the form that the answer has.
    return min(demanding or verdicts, key=lambda pair: pair[0].known)


def _check_branch(text: str, rule: TextRule, invocation: Invocation) -> tuple[Verdict, TextRule]:
    """Check everything that one alternative demands; the first violation stands for it."""
    if not rule.beside:
        return _check(text, rule, invocation), rule
    demands = (rule, *rule.beside)
    current, repairs = text, list[tuple[Verdict, TextRule]]()
    for demand in demands:
        verdict = _check(current, demand, invocation)
        if verdict.disposition == "repaired":
            repairs.append((verdict, demand))
            current = verdict.text
        elif verdict.disposition != "conforming":
            return msgspec.structs.replace(verdict, text=text), demand
    if not repairs:
        return conforming(text), rule
    for demand in demands:
        if _check(current, demand, invocation).disposition != "conforming":
            reason = f"the repair would break another demand ({describe(demand.requirement)})"
            return refused(text, reason), demand
    rules = dict.fromkeys(each for verdict, _ in repairs for each in verdict.rules)
    edits = sum(verdict.edits for verdict, _ in repairs)
    reason = next((verdict.reason for verdict, _ in repairs if verdict.reason), "")
    return repaired(current, *rules, edits=edits, reason=reason), repairs[0][1]


def _check(text: str, rule: TextRule, invocation: Invocation) -> Verdict:
    try:
        return rule.check(text, invocation)
    except TooCostlyError as error:
        return unread(text, str(error))
    except TimeoutError:
        budget = invocation.deadline.seconds * 1000
        return unread(text, f"it would take longer than the time budget of {budget:g} ms")
    except Exception as error:  # noqa: BLE001 - fail open: a check of ours is no reason to stop
        return Verdict(disposition="failed", text=text, reason=_failure(error, invocation))


def _failure(error: Exception, invocation: Invocation) -> str:
    """Return the reason why a check raised; of a library that is not installed, what to install."""
    if isinstance(error, MissingExtraError):
        note_missing(error)
        return str(error)
    log(_logger, logging.ERROR, "check failed", exc_info=True, site=invocation.site)
    return repr(error)


def _broken_consumer(text: str, accepted: Sequence[Group], invocation: Invocation) -> str:
    """Return the reason why a repair must not be delivered: another consumer would no longer read
    the text."""
    for group in accepted:
        verdict, rule = _choose(text, group, invocation)
        if verdict.disposition != "conforming":
            return f"the repair would break another consumer ({describe(rule.requirement)})"
    return ""


def _outcome(rule: TextRule, verdict: Verdict, *, before: str) -> RequirementOutcome:
    assert verdict.disposition != "conforming"  # noqa: S101 - for the type checker
    return RequirementOutcome(
        requirement=rule.requirement,
        defect=rule.defect,
        disposition=verdict.disposition,
        before=before,
        after=verdict.text if verdict.disposition == "repaired" else "",
        rules=verdict.rules,
        reason=verdict.reason,
        demanded=rule.requirement.__struct_config__.tag != "scenario",
        known=verdict.known,
        final=verdict.final,
    )


def adapt_value(
    value: Any,
    site: Site,
    plan: CheckPlan,
    summary: Summary,
    begin: Callable[[int], Invocation],
) -> Any:
    """Adapt one value of a site on its way to the consumer, and return it in its type.

    Args:
        begin: makes the invocation of a value that holds so many texts; its time runs from then on.

    Raises:
        RequirementViolation: the mode is ``strict`` and the answer violates what code demands.
    """
    if plan.entries:
        return _adapt_entries(value, site, plan, summary, begin(1))
    if not plan.groups and not plan.unchecked:
        return value
    if type(value) is str:
        invocation = begin(1)
        return _decide_part(value, site, plan, invocation).conclude(site, invocation, summary)
    found = find_texts(value)
    if not found:
        summary.count(site, "unknown")
        return value
    invocation = begin(len(found))
    invocation.cut_off = is_cut_off(value)
    decided = [
        _decide_part(part.text, site, plan, invocation, partial(_with_text, value, part))
        for part in found
    ]
    try:
        # Before anything is said to be repaired.
        replace_texts(value, found, [each.decision.text for each in decided])
    except Exception as error:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "value not rebuilt", exc_info=True, site=site.location)
        reason = f"{type(value).__name__} not rebuilt: {error}"
        decided = [each.withdrawn(reason) for each in decided]
    texts = [each.conclude(site, invocation, summary) for each in decided]
    return replace_texts(value, found, texts)


def _with_text(value: Any, part: ValueText, text: str) -> Any:
    """Return the value with one of its texts replaced."""
    return replace_texts(value, [part], [text], always=True)


class _DecidedPart(NamedTuple):
    """One text of a value, and the decision on it."""

    text: str
    plain: str
    """The text without a class of its own: parsers written in C refuse subclasses of ``str``."""
    decision: Decision
    nanoseconds: int

    def withdrawn(self, reason: str) -> _DecidedPart:
        """Return it without its repairs, which are refused for this reason."""
        return self._replace(decision=self.decision.withdrawn(self.plain, reason))

    def conclude(self, site: Site, invocation: Invocation, summary: Summary) -> str:
        """Count and record the decision; return the text that the application gets."""
        spent = self.nanoseconds
        adapted = conclude(self.plain, self.decision, site, invocation, summary, nanoseconds=spent)
        return self.text if adapted is self.plain else adapted


def _decide_part(
    text: str,
    site: Site,
    plan: CheckPlan,
    invocation: Invocation,
    whole: Callable[[str], Any] = str,
) -> _DecidedPart:
    """Decide on one text of a value.

    Args:
        whole: the value that the application gets, with such a text in it.
    """
    plain = text if type(text) is str else str.__str__(text)
    started = time.perf_counter_ns()
    decision = judge(plain, plan.groups, invocation)
    # The arguments of a tool have a schema, which says what they must be.
    stumbles = len(plain) <= _MAX_UNCHECKED and plan.unchecked
    if (decision.outcomes or stumbles) and not site.brings_call:
        decision = _as_rehearsed(decision, plain, site, plan, invocation, whole)
    elif not plan.groups:
        decision = msgspec.structs.replace(decision, checked=False)  # too long to be rehearsed
    if plan.groups and not decision.checked:
        decision = msgspec.structs.replace(decision, checked=True)
    return _DecidedPart(text, plain, decision, time.perf_counter_ns() - started)


def _as_rehearsed(
    decision: Decision,
    text: str,
    site: Site,
    plan: CheckPlan,
    invocation: Invocation,
    whole: Callable[[str], Any],
) -> Decision:
    """Return the decision without what would change an answer that the application reads already,
    and with the texts that its code stumbles over as it takes them."""
    # Repairs are rare; what they need is loaded ahead (``ActiveSite.load``).
    from knitbone.adaptation.repair.acceptance import prepare_rehearsal, spare_accepted  # noqa: PLC0415

    prepare_rehearsal(site)
    # The checks have used up a part of the time; a rehearsal has as much as they had.
    invocation.deadline.extend(invocation.deadline.seconds)
    token = start_allowance(invocation.deadline.seconds)
    try:
        strict = invocation.config.mode == "strict"
        check = invocation.deadline.check

        def prompts() -> list[str]:
            return [message.text for message in invocation.messages]

        spare = partial(
            spare_accepted, site=site, check=check, whole=whole, strict=strict, prompts=prompts
        )

        def stays(mended: str) -> bool:
            again = judge(mended, plan.groups, invocation)
            if not again.outcomes:
                return True
            return spare(again, mended, mend=_leave).text == mended

        mend = partial(_converted, text, plan, invocation, stays)
        return spare(decision, text, mend=mend)
    except TimeoutError as error:
        if not decision.outcomes:
            return decision
        unknown = msgspec.structs.replace(
            decision.outcomes[0],
            disposition="refused",
            after="",
            reason=str(error),
            known=False,
        )
        return Decision(text=text, outcomes=(unknown,))
    except Exception as error:  # noqa: BLE001 - fail open: the answer is passed on as it came
        log(_logger, logging.ERROR, "code not rehearsed", exc_info=True, site=site.location)
        return decision.withdrawn(text, f"the repair could not be rehearsed: {error!r:.200}")
    finally:
        end_allowance(token)


def _leave(start: str, rehearse: Rehearse, decision: Decision) -> None:
    """Mend nothing."""


def _converted(
    text: str,
    plan: CheckPlan,
    invocation: Invocation,
    stays: Callable[[str], bool],
    start: str,
    rehearse: Rehearse,
    decision: Decision,
) -> Decision | None:
    """Return the decision to deliver an answer whose texts are written as the code takes them;
    ``None`` where that is not sure, or would not last."""
    if invocation.cut_off or decision.final_refusal:
        return None
    # Rare, so loaded here.
    from knitbone.adaptation.repair.conversions import find_read_answer  # noqa: PLC0415
    from knitbone.adaptation.repair.forms import find_formed_answer  # noqa: PLC0415
    from knitbone.adaptation.repair.paragraphs import find_read_paragraphs  # noqa: PLC0415

    found = find_read_answer(start, rehearse, invocation)
    if found is None:
        found = find_read_paragraphs(start, rehearse, invocation)
    if found is None:
        found = find_formed_answer(start, rehearse, invocation)
    if found is None or not stays(found.text):
        return None
    repairs = tuple(each for each in decision.outcomes if each.disposition == "repaired")
    demand = decision.outcomes[0].requirement if decision.outcomes else plan.unchecked[0]
    outcome = RequirementOutcome(
        requirement=demand,
        defect="template discrepancy",
        disposition="repaired",
        before=start,
        after=found.text,
        rules=found.rules,
    )
    kept = repairs if start == decision.text != text else ()
    mended = Decision(text=found.text, outcomes=(*kept, outcome))
    return _within_time(text, mended, invocation)


def _adapt_entries(
    value: Any, site: Site, plan: CheckPlan, summary: Summary, invocation: Invocation
) -> Any:
    """Adapt a list that a splitter or retriever returned."""
    found = find_entries(value)
    if found is None:
        summary.count(site, "unknown")
        return value
    started = time.perf_counter_ns()
    entries, outcomes = _judge_entries(found.entries, plan.entries, invocation)
    summary.time(site, time.perf_counter_ns() - started)
    if not outcomes:
        summary.count(site, "conforming")
        return value
    decision, rebuilt = Decision(text="", outcomes=outcomes), value
    try:
        rebuilt = rebuild_entries(value, found, entries)
    except Exception as error:  # noqa: BLE001 - fail open
        log(_logger, logging.ERROR, "list not rebuilt", exc_info=True, site=site.location)
        decision = decision.withdrawn("", f"{type(value).__name__} not rebuilt: {error}")
    return rebuilt if settle(decision, site, invocation.config, summary) else value


def _judge_entries(
    entries: tuple[ListEntry, ...], rules: Sequence[EntryRule], invocation: Invocation
) -> tuple[tuple[ListEntry, ...], tuple[RequirementOutcome, ...]]:
    """Bring a list into the form that its consumers need: each requirement works on what the one
    before left."""
    outcomes: list[RequirementOutcome] = []
    for rule in rules:
        known = True
        try:
            verdict = _run_entries(rule, entries, invocation)
        except TimeoutError as error:
            known = False
            verdict = EntryVerdict(disposition="refused", entries=entries, reason=str(error))
        except Exception as error:  # noqa: BLE001 - fail open
            reason = _failure(error, invocation)
            verdict = EntryVerdict(disposition="failed", entries=entries, reason=reason)
        if verdict.disposition == "conforming":
            continue
        changed = verdict.disposition == "repaired"
        outcomes.append(
            RequirementOutcome(
                requirement=rule.requirement,
                defect=rule.defect,
                disposition=verdict.disposition,
                before=_joined_texts(entries),
                after=_joined_texts(verdict.entries) if changed else "",
                rules=verdict.rules,
                reason=verdict.reason,
                demanded=False,
                known=known,
            )
        )
        entries = verdict.entries if changed else entries
    return entries, tuple(outcomes)


def _run_entries(
    rule: EntryRule, entries: tuple[ListEntry, ...], invocation: Invocation
) -> EntryVerdict:
    """Run the check of a list, chunks document by document.

    Chunks that are neighbours in a list need not have been neighbours in one text.
    """
    if rule.defect != "improper segmentation":
        return rule.check(entries, invocation)
    verdicts = [
        rule.check(tuple(chunks), invocation)
        for _, chunks in itertools.groupby(entries, key=lambda entry: entry.document)
    ]
    if len(verdicts) == 1:
        return verdicts[0]
    return EntryVerdict(
        disposition=weightiest({verdict.disposition for verdict in verdicts}),
        entries=tuple(entry for verdict in verdicts for entry in verdict.entries),
        rules=tuple(dict.fromkeys(rule for verdict in verdicts for rule in verdict.rules)),
        reason=next((verdict.reason for verdict in verdicts if verdict.reason), ""),
    )


def _joined_texts(entries: Sequence[ListEntry]) -> str:
    """Return entries as a record keeps them: a line each."""
    return "\n".join(f"[{entry.source}] {entry.text}" for entry in entries)
