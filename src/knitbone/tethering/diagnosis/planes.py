"""All planes of evidence of one run (AgentTether §III.C.2), each by its own detector.

The offline detector learned what successful runs look like from agents that act through tools
(evals/docs/offline_detector.md). Of a conversation without tool calls it knows nothing, and its
surprise there is noise (evals/docs/localization.md has both figures); it is asked about runs with
tool calls only.

Loads networkx and, for runs with tool calls, onnxruntime; import it on first use
only.
"""

from __future__ import annotations

from importlib.util import find_spec

import msgspec

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.detect.conduct import score_conduct
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.detect.local import score_units
from knitbone.tethering.diagnosis.features import features_of
from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph
from knitbone.tethering.diagnosis.rules import RuleReport, score_run
from knitbone.tethering.diagnosis.shown import Shown

__all__ = ["read_planes"]

_HOPS = 1
"""AgentTether §IV.A: one-hop graph context."""
_WITHOUT_RUNTIME = (
    'the offline detector needs onnxruntime, which is not installed: pip install "knitbone[tether]"'
)


class Planes(msgspec.Struct, frozen=True, kw_only=True):
    """What the detectors say; nothing is merged here."""

    evidence: tuple[PlaneEvidence, ...]
    """One record a unit and plane, the planes one after the other, run-local first."""
    rules: RuleReport
    missing: tuple[str, ...] = ()
    """Planes that could not be read, each with the reason and what to do."""


def read_planes(
    run: Run,
    graph: CriticalTransitionGraph,
    *,
    shown: Shown | None = None,
) -> Planes:
    """The evidence of every plane that knows runs of this kind.

    Args:
        shown: what the recording had shown up to each step, where ``run`` is a part of it.

    Raises:
        MissingExtraError: the run carries tool schemas, and jsonschema is not installed.
        ModelError: the offline detector's model is damaged.
    """
    local = score_units(features_of(graph, hops=_HOPS))
    offline: list[PlaneEvidence] = []
    missing: tuple[str, ...] = ()
    if not any(unit.calls for unit in graph.units):
        pass  # not a kind of run that it knows
    elif find_spec("onnxruntime") is None:
        missing = (_WITHOUT_RUNTIME,)
    else:
        # Loaded here: it brings onnxruntime and the model.
        from knitbone.tethering.diagnosis.detect.offline import score_run as score_offline  # noqa: PLC0415

        offline = score_offline(graph)
    rules = score_run(run, graph.units, shown=shown)
    evidence = (*local, *offline, *rules.evidence, *score_conduct(graph.units))
    return Planes(evidence=evidence, rules=rules, missing=missing)
