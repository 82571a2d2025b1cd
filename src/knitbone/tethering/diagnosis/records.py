"""What a diagnosis is: the records that the engine gives, and how they came about."""

from __future__ import annotations

from typing import Literal

import msgspec

from knitbone.record.events import Usage
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.findings import RunFinding

__all__ = [
    "Attribution",
    "Claim",
    "ClaimKind",
    "ConversationPart",
    "Diagnosis",
    "Opinion",
    "OutcomeName",
    "PlaneView",
    "Quote",
    "RunWarning",
    "StateChange",
]

OutcomeName = Literal["failed", "succeeded", "unknown"]

AnalysisState = Literal["not configured", "not asked", "accepted", "opinion", "refused", "failed"]


ClaimKind = Literal[
    "crash",
    "loop",
    "fails for one reason",
    "same call again",
    "missing argument",
    "broken schema",
    "refused, then changed",
    "change in the way",
    "rule broken",
    "made-up value",
    "error never mended",
    "said to be done",
    "says the same again",
    "answer cut off",
    "stopped by a limit",
    "gave up",
    "named by the analyst",
]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """Something that went wrong, on record."""

    kind: ClaimKind
    text: str
    """What, in one sentence without a full stop; a sentence that begins with ``step``."""
    step: int
    """Where: the step that went wrong, or, of what shows only at the end, the last one."""
    steps: tuple[int, ...] = ()
    """Every step that shows it."""
    turning: bool = True
    """Whether the step is where the run left the path. A run that was stopped by a limit had left
    it somewhere before: what is claimed of it is no turning point."""
    proves: bool = False
    """Whether it shows by itself that something went wrong, whatever was asked of the agent and
    meant by it. What does not is never claimed; it is stated as a fact on record."""


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """Words that stand in a step of the run, verified."""

    step: int
    text: str


class StateChange(msgspec.Struct, frozen=True, kw_only=True):
    """A state-changing step."""

    step: int
    tool: str | None = None


class PlaneView(msgspec.Struct, frozen=True, kw_only=True):
    """One evidence plane by itself."""

    plane: str
    top: tuple[int, ...]
    """Its most suspicious steps, at most five, the worst first."""
    region: tuple[int, ...]
    """The part of the anomalous substructure that it supports, in the order of the run."""


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What an analyst says that the graph does not bear out."""

    turning_point: int
    root_cause: str


class Attribution(msgspec.Struct, frozen=True, kw_only=True):
    """Who named the turning point: the analyst, or the graph algorithm alone, and why."""

    by: Literal["graph", "analyst"] = "graph"
    state: AnalysisState = "not configured"
    """What became of the analyst: ``opinion``: its answer fits the run, but the graph does not
    bear it out, so that it stands beside the diagnosis; ``refused``: it does not fit the run;
    ``failed``: there was none; ``not asked``: the run succeeded, or has no step."""
    model: str | None = None
    reason: str = ""
    """Why the answer is an opinion or was refused, or the call failed."""
    opinion: Opinion | None = None
    """What the analyst named, where that is not the diagnosis."""
    graph_turning_point: int | None = None
    """What the graph algorithm alone names; it may differ from the analyst's."""
    path: tuple[int, ...] = ()
    """From the step where the failure shows back to the turning point."""
    quotes: tuple[Quote, ...] = ()
    attempts: int = 0
    usage: Usage | None = None
    self_judging: bool = False
    """The analyst is the model that the run was made with."""


class RunWarning(msgspec.Struct, frozen=True, kw_only=True):
    """Something about the run that its reader should know before trusting a text in it."""

    step: int | None
    text: str


class ConversationPart(msgspec.Struct, frozen=True, kw_only=True):
    """One of several conversations in the run."""

    number: int
    parent: int | None
    """The conversation that it was begun in."""
    steps: tuple[int, ...]


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What broke a run, where, and why we think so. All indices are the source's own."""

    run: str
    outcome: OutcomeName
    units: int
    turning_point: int | None
    """Where the run left the path: a claim, made where a fact proves it; ``None`` where none do,
    where the outcome is unknown or good and nobody asked, and where the agent took no step."""
    headline: str = ""
    """What is wrong, or that nothing on record says so; one line."""
    claim: Claim | None = None
    """What is claimed of the run, and what it rests on."""
    on_record: tuple[Claim, ...] = ()
    """All that speaks for something having gone wrong, claimed or not."""
    action: str
    """The action at the turning point; without one, at the step that ranks first."""
    category: str
    root_cause: str
    reason: str
    recovery_hints: tuple[str, ...]
    ranking: tuple[int, ...]
    """Every unit, the most suspicious first, as the detectors see it."""
    region: tuple[int, ...]
    """The anomalous substructure: the fewest steps that hold two thirds of the suspicion."""
    region_groups: tuple[tuple[int, ...], ...]
    """The region in groups of consecutive units."""
    findings: tuple[RunFinding, ...]
    evidence: tuple[PlaneEvidence, ...]
    """The planes' scores for the units of the region; ``ordinal`` counts units."""
    signals: tuple[str, ...] = ()
    """In what the turning point (else the step that ranks first) stands out, in words."""
    unusual: tuple[str, ...] = ()
    """The same in clauses that say against what: the run's other steps, or successful runs."""
    planes: tuple[PlaneView, ...] = ()
    missing_planes: tuple[str, ...] = ()
    """Planes that could not be read, each with the reason and what to do."""
    affected: tuple[int, ...] = ()
    """Later steps that build on the turning point, directly or through others."""
    changed: tuple[StateChange, ...] = ()
    """State changes that went through at the turning point and at the steps it affected."""
    analysis: Attribution = Attribution()
    conversations: tuple[ConversationPart, ...] = ()
    """Where the run holds several conversations, each with its steps; else empty."""
    warnings: tuple[RunWarning, ...] = ()
