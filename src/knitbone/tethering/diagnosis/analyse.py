"""The analyst without a model: the graph algorithm alone (AgentTether §III.C.3).

From the region's peak unit it reasons backward along dependency edges, from where the failure
shows to the candidate, and says what it found in words grounded in the events. Recovery hints
follow disclosure control: they name the failing action family and the class of constraint, never
a value, so that the next run follows the pattern and not a fixed answer.

Where an analyst's verdict was validated, the same facts are gathered at the step that it names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.analyst import ValidatedAnswer
from knitbone.tethering.diagnosis.case import Case
from knitbone.tethering.diagnosis.claims import claims_of, speaks_against
from knitbone.tethering.diagnosis.detect.conduct import PLANE as CONDUCT
from knitbone.tethering.diagnosis.detect.conduct import SIGNALS as CONDUCT_SIGNALS
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.findings import (
    RunFinding,
    broken_rules,
    describe,
    findings_at,
    mended_at,
    quoted,
)
from knitbone.tethering.diagnosis.records import (
    Attribution,
    Claim,
    ConversationPart,
    Diagnosis,
    OutcomeName,
    PlaneView,
    RunWarning,
    StateChange,
)
from knitbone.tethering.diagnosis.region import contiguous, frontier, shown_region
from knitbone.tethering.diagnosis.suspicion import FEW, by_plane
from knitbone.tethering.diagnosis.units import TransitionUnit, last_successes
from knitbone.tethering.diagnosis.vocabulary import words_of

if TYPE_CHECKING:
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = ["Diagnosis", "analyse", "headline", "sentence", "signals_of"]


# In what a step is unlike others, in words, and unlike which others: those of its own run, or those
# of successful runs of other agents; and what the run itself says against it.

_MOST = 3
"""Signals told of a step."""

_SIGNAL_WORDS = {
    "in_degree": "it builds on more earlier steps than most",
    "in_weight": "it builds on more specific earlier values than most",
    "out_degree": "more later steps build on it than on most",
    "out_weight": "more specific values of it are used later than of most",
    "longest_back": "it reaches far back for what it uses",
    "longest_forward": "steps far later still use what it brought",
    "action_length": "it does more at once than most",
    "belief_length": "it reasons longer than most",
    "feedback_length": "more came back than from most",
    "artifacts_used": "it carries more values than most",
    "artifacts_new": "it brings in more new values than most",
    "unsupported_share": "more of its values appear first in it than in most",
    "artifacts_returned": "it returned more new values than most",
    "failed": "it failed",
    "inconsistent": "what followed does not fit its result",
    "repeats": "it had been done before",
    "kind_rarity": "this agent seldom does this here",
    "side_effect": "it changes state",
    "macro_rarity": "it stands in a rare kind of phase",
    "macro_errors": "its neighbours in the same phase fail",
    "macro_repeats": "its phase repeats itself",
    "neighbour_errors": "the steps tied to it fail",
    "neighbour_effects": "the steps tied to it change state",
}


def signals_of(evidence: Sequence[PlaneEvidence]) -> tuple[str, ...]:
    """In what a unit stands out, in words, at most three; its records of all planes."""
    words = _words()
    facts_first = sorted(evidence, key=lambda item: item.plane != CONDUCT)
    names = (name for item in facts_first for name in item.signals)
    return tuple(dict.fromkeys(words[name] for name in names if name in words))[:_MOST]


def stands_out(evidence: Sequence[PlaneEvidence], *, others: int) -> tuple[str, ...]:
    """The same by what it is unlike, a clause each.

    Args:
        others: how many other steps the run has.
    """
    words, told = _words(), set(signals_of(evidence))
    clauses: list[str] = []
    for item in evidence:
        said = dict.fromkeys(words[name] for name in item.signals if words.get(name) in told)
        told -= set(said)
        if said:
            clauses.append(f"{_against(item.plane, others)}: {', '.join(said)}")
    return tuple(clauses)


def _against(plane: str, others: int) -> str:
    if plane == CONDUCT:
        return "by what it says and does"
    if plane == "offline":
        return "unlike what successful runs of other agents do next"
    return f"unlike the other {others} steps of this run"


def _words() -> dict[str, str]:
    # Loaded here: it brings numpy.
    from knitbone.tethering.diagnosis.detect.offline import SIGNALS  # noqa: PLC0415

    return _SIGNAL_WORDS | SIGNALS | CONDUCT_SIGNALS


# The first line of a diagnosis: what is wrong, or that nothing on record says so.


def headline(
    outcome: OutcomeName, made: Claim | None, cause: str, fact: str, *, verdict: str = ""
) -> str:
    """One line.

    Args:
        made: what is claimed of the run; ``cause`` says it.
        fact: what on record speaks against the run, claimed or not; empty where nothing does.
        verdict: the words of whoever judged the run.
    """
    if made is not None:
        return cause
    if outcome == "failed":
        said = f" ({quoted(verdict, 120)})" if verdict else ""
        if not fact:
            return f"The run failed{said}; nothing on record says at which step."
        return f"The run failed{said}. On record, though it need not be why: {fact}."
    if outcome == "succeeded":
        if not fact:
            return "The run succeeded; nothing on record speaks against a step."
        return f"The run succeeded, but on record: {fact}."
    if not fact:
        return "Nothing on record says that something went wrong."
    return f"{sentence(fact)} Whether the run failed is not on record."


def sentence(text: str) -> str:
    """With a capital, unless it begins with a name from the run; with a full stop."""
    head = text[:1].upper() if text.startswith(_OWN) else text[:1]
    return head + text[1:] + "."


_OWN = ("step", "among", "the ", "no fact", "unlike", "it ", "its code ")


_PLACES = {"built upon", "symptom", "ended here"}
"""Findings that say where a step stands, and not what is wrong with it."""

_TOP = 5
"""Steps shown of one plane."""


def analyse(
    case: Case,
    *,
    verdict: ValidatedAnswer | None = None,
    analysis: Attribution | None = None,
    claim: bool = False,
) -> Diagnosis:
    """The diagnosis that the graph and the evidence support.

    Args:
        claim: claim a turning point also where the outcome is unknown or good.
        verdict: the analyst's, validated; it names the turning point where there is one.
        analysis: what became of asking the analyst.
    """
    run, graph, outcome = case.run, case.graph, case.outcome
    units = graph.units
    named = case.peak
    if named is None:
        return _without_steps(run, outcome)
    on_record = claims_of(case)
    made = _claimed(outcome, verdict, on_record, asked_for=claim)
    turning = made is not None and made.turning
    peak = next(u for u in units if u.index == made.step) if made and turning else named
    findings = _findings(case, peak)
    crashed = made is not None and made.kind == "crash"
    if crashed:  # the agent did not end its work: the program did
        findings = [finding for finding in findings if finding.kind != "ended here"]
    told = turning or (outcome == "failed" and any(map(speaks_against, findings)))
    hints = _after_crash(peak) if crashed else _hints(peak, findings) if told else ()
    few = len(units) < FEW  # more than the only other step is no way to stand out
    own = () if few else [item for item in case.evidence if item.ordinal == peak.ordinal]
    unusual = stands_out(own, others=len(units) - 1)
    mistakes = (f for f in findings if f.kind not in _PLACES and not f.mended)
    mistake = next(mistakes, None)
    cause = verdict.root_cause if verdict else _root_cause(peak, made, mistake, unusual)
    # A loop has weight of its own in the scores; what else is claimed is inside all the same.
    region = shown_region(case.scores, first=peak.ordinal) if turning else case.region
    inside = set(region)
    after = _affected(graph, peak.ordinal)
    return Diagnosis(
        run=run.id,
        outcome=outcome,
        units=len(units),
        turning_point=peak.index if turning else None,
        headline=headline(
            outcome, made, cause, _fact(case, on_record, findings), verdict=_words_of_verdict(run)
        ),
        claim=made,
        on_record=tuple(on_record),
        action=describe(peak),
        category=_category(verdict, made, mistake),
        root_cause=cause,
        reason=_reason(outcome, peak, findings, unusual, claimed=turning),
        signals=signals_of(own),
        unusual=unusual,
        recovery_hints=(verdict.recovery_hints if verdict else ()) or hints,
        ranking=tuple(units[k].index for k in case.order),
        region=tuple(units[k].index for k in region),
        region_groups=tuple(tuple(units[k].index for k in g) for g in contiguous(region)),
        findings=tuple(findings),
        evidence=tuple(item for item in case.evidence if item.ordinal in inside),
        planes=_planes(units, case.evidence, inside),
        missing_planes=case.missing_planes,
        affected=tuple(units[k].index for k in after),
        changed=_changes([peak, *(units[k] for k in after)]),
        analysis=_with_path(analysis or Attribution(), named.index, findings),
        conversations=_parts(case),
        warnings=tuple(
            RunWarning(step=item.step, text=f"speaks to its reader: {quoted(item.text, 140)}")
            for item in case.addressed
        ),
    )


def _changes(units: Iterable[TransitionUnit]) -> tuple[StateChange, ...]:
    """List what these steps wrote."""
    return tuple(StateChange(step=unit.index, tool=unit.wrote) for unit in units if unit.wrote)


def _parts(case: Case) -> tuple[ConversationPart, ...]:
    """The run's conversations with their steps, where there are several."""
    if len(case.conversations) < 2:
        return ()
    steps: dict[int, list[int]] = {}
    for unit in case.graph.units:
        steps.setdefault(unit.conversation, []).append(unit.index)
    return tuple(
        ConversationPart(
            number=one.number, parent=one.parent, steps=tuple(steps.get(one.number, ()))
        )
        for one in case.conversations
    )


def _claimed(
    outcome: OutcomeName,
    verdict: ValidatedAnswer | None,
    on_record: Sequence[Claim],
    *,
    asked_for: bool,
) -> Claim | None:
    """What is claimed of the run: the analyst's word, else what proves by itself that something
    went wrong."""
    if verdict is not None:
        return Claim(
            kind="named by the analyst", text=verdict.root_cause, step=verdict.turning_point,
            steps=(verdict.turning_point,), proves=True,
        )  # fmt: skip
    if outcome != "failed" and not asked_for:
        return None
    return next((claim for claim in on_record if claim.proves), None)


def _fact(case: Case, on_record: Sequence[Claim], shown: Sequence[RunFinding]) -> str:
    """What the first line says of a run without a claim: what could be claimed, else a failure that
    was never mended, else a fact against the step that is shown, else an error that was mended.
    Empty where none of it is on record."""
    if on_record:
        return on_record[0].text
    units = case.graph.units
    worked = last_successes(units)
    for unit in units:
        if unit.error and mended_at(units, unit, worked) is None:
            failed = findings_at(case.graph, unit, case.shown)
            kinds = ("failed call", "error passed over")
            return "; ".join(fact.text for fact in failed if fact.kind in kinds)
    against = [fact for fact in shown if speaks_against(fact)]
    mended = [fact for fact in shown if fact.kind == "failed call"]
    return next((fact.text for fact in [*against, *mended]), "")


def _findings(case: Case, unit: TransitionUnit) -> list[RunFinding]:
    findings = [*broken_rules(unit, case.violations), *findings_at(case.graph, unit, case.shown)]
    findings.sort(key=lambda finding: finding.kind not in ("missing argument", "failed call"))
    return findings


def _category(
    verdict: ValidatedAnswer | None, made: Claim | None, mistake: RunFinding | None
) -> str:
    if verdict is not None:
        return verdict.category
    if made is None:
        return "none on record"
    return mistake.kind if mistake is not None and made.turning else made.kind


def _words_of_verdict(run: Run) -> str:
    return run.outcome.reason if run.outcome else ""


def _without_steps(run: Run, outcome: OutcomeName) -> Diagnosis:
    reason = "The agent took no step in this run: there is nothing to rank."
    return Diagnosis(
        run=run.id, outcome=outcome, units=0, turning_point=None, headline=reason, action="",
        category="no steps",
        root_cause=reason, reason=reason, recovery_hints=(), ranking=(), region=(),
        region_groups=(), findings=(), evidence=(), analysis=Attribution(state="not asked"),
    )  # fmt: skip


def _with_path(
    analysis: Attribution, graph_step: int, findings: Sequence[RunFinding]
) -> Attribution:
    """The analysis with the graph's own opinion, and its path back where no analyst gave one."""
    path = next((finding.steps for finding in findings if finding.kind == "symptom"), ())
    return msgspec.structs.replace(
        analysis, graph_turning_point=graph_step, path=analysis.path or path
    )


def _planes(
    units: Sequence[TransitionUnit], evidence: Sequence[PlaneEvidence], region: set[int]
) -> tuple[PlaneView, ...]:
    views: list[PlaneView] = []
    for plane, records in by_plane(evidence).items():
        least = min(record.score for record in records)
        top = sorted((r for r in records if r.score > least), key=lambda record: record.rank)
        views.append(
            PlaneView(
                plane=plane,
                top=tuple(units[record.ordinal].index for record in top[:_TOP]),
                region=tuple(units[k].index for k in sorted(region & {*frontier(records)})),
            )
        )
    return tuple(views)


def _affected(graph: CriticalTransitionGraph, ordinal: int) -> list[int]:
    """The later units that build on one, directly or through others, in order."""
    reached: set[int] = set()
    frontier = [ordinal]
    while frontier:
        ends = {edge.target for k in frontier for edge in graph.dependencies_from.get(k, ())}
        frontier = sorted(ends - reached)
        reached |= ends
    return sorted(reached)


def _root_cause(
    peak: TransitionUnit, made: Claim | None, mistake: RunFinding | None, unusual: Sequence[str]
) -> str:
    if mistake is not None and mistake.kind == "missing argument" and made is not None:
        return sentence(mistake.text)  # it says why the call fails, and where the value had been
    if made is not None:
        return sentence(made.text)
    return sentence("; ".join([_no_fact(peak), *unusual]))


def _no_fact(peak: TransitionUnit) -> str:
    return f"no fact on record speaks against step {peak.index}; it ranks first by its scores alone"


def _reason(
    outcome: OutcomeName,
    peak: TransitionUnit,
    findings: Sequence[RunFinding],
    unusual: Sequence[str],
    *,
    claimed: bool,
) -> str:
    text = sentence("; ".join([*(f.text for f in findings), *unusual]) or _no_fact(peak))
    if claimed:
        return text
    return f"{_KNOWN[outcome]}; of its steps {peak.index} ranks first. {text}"


_KNOWN: dict[OutcomeName, str] = {
    "succeeded": "The run succeeded",
    "failed": "The run failed, and nothing on record proves at which step",
    "unknown": "Whether the run failed is not on record",
}


def _hints(peak: TransitionUnit, findings: Sequence[RunFinding]) -> tuple[str, ...]:
    """What to do differently, at most three; names and classes of constraints, no values."""
    hints: dict[str, None] = {}
    for finding in findings:
        # The finding's own tool: of several calls made at once it may be a later one.
        tool = next(iter(finding.names), "") or peak.tool
        family = " ".join(words_of(tool)) if tool else _family(peak)
        names = [name for name in finding.names[1:] if name]
        match finding.kind:
            case "missing argument":
                hint = (
                    f"Supply every required argument of the {family} step"
                    f" ({', '.join(names)}), taken from a record read before."
                )
            case "broken rule":
                hint = f"Before the {family} step, see that its rules are kept: {' '.join(names)}."
            case "failed call":
                hint = f"Read the error of the {family} step and change the call before going on."
            case "changed before" if names:
                other = " ".join(words_of(names[0]))
                hint = f"Take the {family} step before the {other} step that it may rule out."
            case "repeated action":
                hint = f"Do not repeat the {family} step unchanged; change it or find out more."
            case "error passed over":
                hint = f"Settle a failed {family} step before the steps that depend on it."
            case "value never observed":
                which = f" ({', '.join(names[:3])})" if names else ""
                hint = f"Use only values in the {family} step{which} that were read or told before."
            case "state change":
                hint = (
                    f"Before the {family} step, check target and arguments against the request"
                    " and the rules; verify the result afterwards."
                )
            case "ended with open error" | "ended here":
                hint = "Before ending, check that every part of the request is done and confirmed."
            case _:
                continue
        hints[hint] = None
    if not hints:
        family = " ".join(words_of(peak.tool)) if peak.tool else _family(peak)
        hints[f"Check what the {family} step takes for granted before building on it."] = None
    return tuple(hints)[:3]


def _after_crash(peak: TransitionUnit) -> tuple[str, ...]:
    family = " ".join(words_of(peak.tool)) if peak.tool else _family(peak)
    return (f"Look at the line that raised, and at what the {family} step had given it.",)


def _family(unit: TransitionUnit) -> str:
    return {
        "compute": "code",
        "plan": "planning",
        "delegate": "delegation",
        "finish": "final",
        "read": "look-up",
        "write": "write",
        "communicate": "answering",
    }[unit.intent]
