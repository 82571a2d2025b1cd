"""The analyst without a model: the graph algorithm alone (AgentTether §III.C.3).

From the region's peak unit it reasons backward along dependency edges, from where the failure
shows to the candidate, and says what it found in words grounded in the events. Recovery hints
follow disclosure control: they name the failing action family and the class of constraint, never
a value, so that the next run follows the pattern and not a fixed answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from knitbone.core.events import Run
from knitbone.tethering.artifacts import artifacts_of_text
from knitbone.tethering.detect.evidence import Evidence
from knitbone.tethering.findings import Finding, describe, findings_at
from knitbone.tethering.frontier import contiguous
from knitbone.tethering.units import TransitionUnit, system_texts
from knitbone.tethering.vocabulary import words_of

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.graph import CriticalTransitionGraph

__all__ = ["Diagnosis", "OutcomeName", "analyse", "outcome_of"]

OutcomeName = Literal["failed", "succeeded", "unknown"]


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What broke a run, where, and why we think so. All indices are the source's own."""

    run: str
    outcome: OutcomeName
    units: int
    turning_point: int | None
    """Where the run left the path; ``None`` for a run known to have succeeded, and for one in
    which the agent took no step."""
    action: str
    """The action at the turning point (of a successful run: at the most unusual step)."""
    category: str
    root_cause: str
    reason: str
    recovery_hints: tuple[str, ...]
    ranking: tuple[int, ...]
    """Every unit, the most suspicious first."""
    region: tuple[int, ...]
    region_groups: tuple[tuple[int, ...], ...]
    """The region in groups of consecutive units."""
    findings: tuple[Finding, ...]
    evidence: tuple[Evidence, ...]
    """The planes' scores for the units of the region; ``ordinal`` counts units."""


def outcome_of(run: Run) -> OutcomeName:
    """Whether the run is known to have failed or succeeded."""
    verdict = run.outcome
    if verdict is None or verdict.success is None:
        return "unknown"
    return "succeeded" if verdict.success else "failed"


def analyse(
    run: Run,
    graph: CriticalTransitionGraph,
    scores: Sequence[float],
    evidence: Sequence[Evidence],
    region: Sequence[int],
) -> Diagnosis:
    """The diagnosis that the graph and the evidence support.

    Args:
        scores: one suspicion a unit, from ``suspicion.suspicions``.
        evidence: one record a unit, of one plane.
        region: ordinals, from ``frontier.expand``.
    """
    outcome = outcome_of(run)
    units = graph.units
    if not units:
        return _without_steps(run, outcome)
    order = sorted(range(len(units)), key=lambda k: (-scores[k], k))
    peak = units[order[0]]
    known = artifacts_of_text("\n".join((run.task, *system_texts(run))))
    findings = findings_at(graph, peak, known)
    inside = set(region)
    groups = tuple(tuple(units[k].index for k in group) for group in contiguous(region))
    return Diagnosis(
        run=run.id,
        outcome=outcome,
        units=len(units),
        turning_point=None if outcome == "succeeded" else peak.index,
        action=describe(peak),
        category=findings[0].kind if findings else "unusual step",
        root_cause=_root_cause(peak, findings),
        reason=_reason(outcome, peak, findings, evidence[peak.ordinal]),
        recovery_hints=() if outcome == "succeeded" else _hints(peak, findings),
        ranking=tuple(units[k].index for k in order),
        region=tuple(units[k].index for k in region),
        region_groups=groups,
        findings=tuple(findings),
        evidence=tuple(item for item in evidence if item.ordinal in inside),
    )


def _without_steps(run: Run, outcome: OutcomeName) -> Diagnosis:
    reason = "The agent took no step in this run: there is nothing to rank."
    return Diagnosis(
        run=run.id, outcome=outcome, units=0, turning_point=None, action="", category="no steps",
        root_cause=reason, reason=reason, recovery_hints=(), ranking=(), region=(),
        region_groups=(), findings=(), evidence=(),
    )  # fmt: skip


def _root_cause(peak: TransitionUnit, findings: Sequence[Finding]) -> str:
    lead = findings[0].text if findings else f"step {peak.index} is unlike the rest of the run"
    return _sentence(lead)


def _sentence(text: str) -> str:
    """With a capital, unless it begins with a name from the run."""
    head = text[:1].upper() if text.startswith(("step", "among", "the ")) else text[:1]
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


def _reason(
    outcome: OutcomeName, peak: TransitionUnit, findings: Sequence[Finding], evidence: Evidence
) -> str:
    said = [finding.text for finding in findings]
    odd = [_SIGNAL_WORDS[name] for name in evidence.signals if name in _SIGNAL_WORDS]
    if odd:
        said.append(f"among this run's steps it stands out: {', '.join(odd[:3])}")
    text = "; ".join(said) or f"step {peak.index} ranks first by the run's own graph alone"
    text = _sentence(text)
    if outcome == "succeeded":
        return f"The run succeeded; its most unusual step is {peak.index}. {text}"
    return text


def _hints(peak: TransitionUnit, findings: Sequence[Finding]) -> tuple[str, ...]:
    """What to do differently, at most three; names and classes of constraints, no values."""
    family = " ".join(words_of(peak.tool)) if peak.tool else _family(peak)
    hints: dict[str, None] = {}
    for finding in findings:
        names = [name for name in finding.names[1:] if name]
        match finding.kind:
            case "missing argument":
                hint = (
                    f"Supply every required argument of the {family} step"
                    f" ({', '.join(names)}), taken from a record read before."
                )
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
