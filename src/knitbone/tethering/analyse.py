"""The analyst without a model: the graph algorithm alone (AgentTether §III.C.3).

From the region's peak unit it reasons backward along dependency edges, from where the failure
shows to the candidate, and says what it found in words grounded in the events. Recovery hints
follow disclosure control: they name the failing action family and the class of constraint, never
a value, so that the next run follows the pattern and not a fixed answer.

Where an analyst's verdict was validated, the same facts are gathered at the step that it names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from knitbone.core.events import Run
from knitbone.tethering.analyst import Verdict
from knitbone.tethering.artifacts import artifacts_of_text
from knitbone.tethering.case import Case
from knitbone.tethering.detect import conduct
from knitbone.tethering.detect.evidence import Evidence
from knitbone.tethering.diagnosis import (
    Analysis,
    Change,
    Diagnosis,
    OutcomeName,
    PlaneView,
    RunWarning,
)
from knitbone.tethering.findings import Finding, broken_rules, describe, findings_at, quoted
from knitbone.tethering.frontier import contiguous, frontier
from knitbone.tethering.suspicion import FEW, by_plane
from knitbone.tethering.units import TransitionUnit, asked, system_texts
from knitbone.tethering.vocabulary import words_of

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.graph import CriticalTransitionGraph

__all__ = ["Diagnosis", "analyse"]

_PLACES = {"built upon", "symptom", "ended here"}
"""Findings that say where a step stands, and not what is wrong with it."""

_TOP = 5
"""Steps shown of one plane."""


def analyse(
    case: Case, *, verdict: Verdict | None = None, analysis: Analysis | None = None
) -> Diagnosis:
    """The diagnosis that the graph and the evidence support.

    Args:
        verdict: the analyst's, validated; it names the turning point where there is one.
        analysis: what became of asking the analyst.
    """
    run, graph, outcome = case.run, case.graph, case.outcome
    units = graph.units
    named = case.peak
    if named is None:
        return _without_steps(run, outcome)
    peak = named
    if verdict is not None:
        peak = next(unit for unit in units if unit.index == verdict.turning_point)
    known = artifacts_of_text("\n".join((asked(run), *system_texts(run))))
    findings = [
        *broken_rules(peak, case.violations),
        *findings_at(graph, peak, known),
    ]
    findings.sort(key=lambda finding: finding.kind not in ("missing argument", "failed call"))
    signals = _signals([item for item in case.evidence if item.ordinal == peak.ordinal])
    if len(units) < FEW:
        signals = ()  # more than the only other step is no way to stand out
    mistake = next((finding for finding in findings if finding.kind not in _PLACES), None)
    hints = () if outcome == "succeeded" else _hints(peak, findings)
    inside = set(case.region)
    after = _affected(graph, peak.ordinal)
    return Diagnosis(
        run=run.id,
        outcome=outcome,
        units=len(units),
        turning_point=None if outcome == "succeeded" else peak.index,
        action=describe(peak),
        category=verdict.category if verdict else mistake.kind if mistake else "unusual step",
        root_cause=verdict.root_cause if verdict else _root_cause(peak, mistake, signals),
        reason=_reason(outcome, peak, findings, signals),
        signals=signals,
        recovery_hints=(verdict.recovery_hints if verdict else ()) or hints,
        ranking=tuple(units[k].index for k in case.order),
        region=tuple(units[k].index for k in case.region),
        region_groups=tuple(tuple(units[k].index for k in g) for g in contiguous(case.region)),
        findings=tuple(findings),
        evidence=tuple(item for item in case.evidence if item.ordinal in inside),
        planes=_planes(units, case.evidence, inside),
        missing_planes=case.missing_planes,
        affected=tuple(units[k].index for k in after),
        changed=tuple(
            Change(step=units[k].index, tool=units[k].wrote)
            for k in (peak.ordinal, *after)
            if units[k].wrote
        ),
        analysis=_with_path(analysis or Analysis(), named.index, findings),
        warnings=tuple(
            RunWarning(step=item.step, text=f"speaks to its reader: {quoted(item.text, 140)}")
            for item in case.addressed
        ),
    )


def _without_steps(run: Run, outcome: OutcomeName) -> Diagnosis:
    reason = "The agent took no step in this run: there is nothing to rank."
    return Diagnosis(
        run=run.id, outcome=outcome, units=0, turning_point=None, action="", category="no steps",
        root_cause=reason, reason=reason, recovery_hints=(), ranking=(), region=(),
        region_groups=(), findings=(), evidence=(), analysis=Analysis(state="not asked"),
    )  # fmt: skip


def _with_path(analysis: Analysis, graph_step: int, findings: Sequence[Finding]) -> Analysis:
    """The analysis with the graph's own opinion, and its path back where no analyst gave one."""
    path = next((finding.steps for finding in findings if finding.kind == "symptom"), ())
    return msgspec.structs.replace(
        analysis, graph_turning_point=graph_step, path=analysis.path or path
    )


def _planes(
    units: Sequence[TransitionUnit], evidence: Sequence[Evidence], region: set[int]
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


def _root_cause(peak: TransitionUnit, mistake: Finding | None, signals: Sequence[str]) -> str:
    if mistake is not None:
        return _sentence(mistake.text)
    if not signals:
        return _sentence(_no_fact(peak))
    return _sentence(f"step {peak.index} is unlike the rest of the run: {', '.join(signals)}")


def _no_fact(peak: TransitionUnit) -> str:
    return f"no fact on record speaks against step {peak.index}; it ranks first by its scores alone"


def _sentence(text: str) -> str:
    """With a capital, unless it begins with a name from the run."""
    head = text[:1].upper() if text.startswith(("step", "among", "the ", "no fact")) else text[:1]
    return head + text[1:] + "."


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
    "unsupported_share": "more of its values were never shown before",
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


def _signals(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """In what the unit stands out among those of its run, in words, at most three."""
    # Loaded here: it brings numpy.
    from knitbone.tethering.detect.offline import SIGNALS  # noqa: PLC0415

    words = _SIGNAL_WORDS | SIGNALS | conduct.SIGNALS
    facts_first = sorted(evidence, key=lambda item: item.plane != conduct.PLANE)
    names = (name for item in facts_first for name in item.signals)
    return tuple(dict.fromkeys(words[name] for name in names if name in words))[:3]


def _reason(
    outcome: OutcomeName,
    peak: TransitionUnit,
    findings: Sequence[Finding],
    signals: Sequence[str],
) -> str:
    said = [finding.text for finding in findings]
    if signals:
        said.append(f"among this run's steps it stands out: {', '.join(signals)}")
    text = _sentence("; ".join(said) or _no_fact(peak))
    if outcome == "succeeded":
        return f"The run succeeded; its most unusual step is {peak.index}. {text}"
    return text


def _hints(peak: TransitionUnit, findings: Sequence[Finding]) -> tuple[str, ...]:
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
