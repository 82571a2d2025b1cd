"""All planes of evidence of one run (AgentTether §III.C.2), each by its own detector.

Loads networkx and scikit-learn; import it on first use only.
"""

from __future__ import annotations

import msgspec

from knitbone.config import TetherConfig
from knitbone.core.events import Run
from knitbone.tethering.detect.evidence import Evidence
from knitbone.tethering.detect.local import score_units
from knitbone.tethering.features import features_of
from knitbone.tethering.graph import CriticalTransitionGraph
from knitbone.tethering.rules import RuleReport, score_run

__all__ = ["Planes", "read_planes"]


class Planes(msgspec.Struct, frozen=True, kw_only=True):
    """What the detectors say; nothing is merged here."""

    evidence: tuple[Evidence, ...]
    """One record a unit and plane, the planes one after the other, run-local first."""
    rules: RuleReport


def read_planes(
    run: Run, graph: CriticalTransitionGraph, *, config: TetherConfig | None = None
) -> Planes:
    """The evidence of every plane for a run and its graph."""
    config = config or TetherConfig()
    local = score_units(features_of(graph, hops=config.hops), config)
    rules = score_run(run, graph.units)
    return Planes(evidence=(*local, *rules.evidence), rules=rules)
