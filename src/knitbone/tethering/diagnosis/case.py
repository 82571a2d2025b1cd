"""A run under examination: its graph, and what the detectors made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.conversations import Conversation
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.reader_instructions import Addressed
from knitbone.tethering.diagnosis.records import OutcomeName
from knitbone.tethering.diagnosis.rules import Violation
from knitbone.tethering.diagnosis.shown import Shown
from knitbone.tethering.diagnosis.units import TransitionUnit

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = ["Case", "outcome_of"]


def outcome_of(run: Run) -> OutcomeName:
    """Whether the run is known to have failed or succeeded."""
    verdict = run.outcome
    if verdict is None or verdict.success is None:
        return "unknown"
    return "succeeded" if verdict.success else "failed"


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """All that packet, analyst and graph algorithm judge by."""

    run: Run
    graph: CriticalTransitionGraph
    scores: tuple[float, ...]
    """One suspicion a unit."""
    evidence: tuple[PlaneEvidence, ...]
    """One record a unit and plane."""
    shown: Shown
    """What the run had shown up to each step."""
    region: tuple[int, ...]
    """Ordinals of the anomalous substructure."""
    violations: tuple[Violation, ...] = ()
    """Steps that break a rule of the application's own."""
    addressed: tuple[Addressed, ...] = ()
    """Texts in the run that speak to its reader."""
    conversations: tuple[Conversation, ...] = ()
    """What is kept apart in the run."""
    missing_planes: tuple[str, ...] = ()
    """Planes that could not be read, each with the reason."""

    @property
    def outcome(self) -> OutcomeName:
        """The run's verdict in one word."""
        return outcome_of(self.run)

    @property
    def order(self) -> list[int]:
        """The units' ordinals, the most suspicious first; ties go to the earlier."""
        return sorted(range(len(self.scores)), key=lambda k: (-self.scores[k], k))

    @property
    def peak(self) -> TransitionUnit | None:
        """The unit that the graph algorithm alone names."""
        return self.graph.units[self.order[0]] if self.scores else None
