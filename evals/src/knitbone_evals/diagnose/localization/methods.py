"""What is compared: the planes, their ablations, and baselines that need no detector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from knitbone.tethering.diagnosis.detect.conduct import facts_of, score_conduct
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence, ranks
from knitbone.tethering.diagnosis.detect.local import forest_scores
from knitbone.tethering.diagnosis.detect.offline import score_run as score_offline
from knitbone.tethering.diagnosis.features import FAMILIES, FEATURES, features_of
from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph, build_graph
from knitbone.tethering.diagnosis.planes import read_planes
from knitbone.tethering.diagnosis.region import analyst_region
from knitbone.tethering.diagnosis.suspicion import by_plane, standing, suspicions
from knitbone.tethering.diagnosis.units import TransitionUnit, build_units
from knitbone_evals.diagnose.localization.metrics import measures
from knitbone_evals.diagnose.localization.sets import Labelled

RANDOM_DRAWS = 400
KNITBONE = "knitbone, label-free"
ABLATIONS = {
    KNITBONE: "all planes, each where it knows runs of the kind",
    "no offline plane": "without the graph transformer",
    "offline plane everywhere": "the graph transformer on conversations without tools, too",
    "offline plane alone": "the graph transformer alone, on every run",
    "no run-local plane": "without the Isolation Forest and the signals",
    "no rules": "without the step rules",
    "no conduct plane": "without the facts that the run itself holds against a step",
    "no first departure": "planes averaged, whatever came before",
    "Isolation Forest alone": "the paper's run-local detector as it stands",
    "graph features only": "Isolation Forest over the structural features alone",
}
FACTS = (
    "first trouble",
    "first code",
    "word without deed",
    "declared assumption",
    "blamed later",
    "side_effect",
)
"""The facts of the conduct plane: each is left out, and each is tried as the only one."""
SINGLE = {
    **{f"without {fact}": fact for fact in FACTS},
    **{f"of the facts, only {fact}": fact for fact in FACTS},
}
BASELINES = (
    "best constant positions, leave-one-out",
    "random",
    "first",
    "last (recency)",
    "frequency of the kind of step",
    "first error",
    "longest",
)
POSITIONS = BASELINES[0]


class Scored(NamedTuple):
    """One labelled run with each label-free method's scores and regions, by ordinal."""

    case: Labelled
    units: tuple[TransitionUnit, ...]
    graph: CriticalTransitionGraph
    evidence: tuple[PlaneEvidence, ...]
    scores: dict[str, list[float]]
    regions: dict[str, tuple[int, ...]]

    @property
    def blamed(self) -> int | None:
        """The ordinal of the unit whose action is blamed."""
        return next((u.ordinal for u in self.units if u.index == self.case.label), None)

    def ranking(self, method: str) -> list[int]:
        """Source indices, the most suspicious first; ties go to the earlier."""
        return self.by_score(self.scores[method])

    def by_score(self, scores: Sequence[float]) -> list[int]:
        order = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
        return [self.units[k].index for k in order]

    def covered(self, region: Sequence[int], *, messages: bool) -> float:
        """Whether the region holds the blamed step: its action, or any of its messages."""
        if not messages:
            return float(self.blamed is not None and self.blamed in region)
        owner = max((u.ordinal for u in self.units if u.index <= self.case.label), default=0)
        return float(owner in region)


def score(case: Labelled) -> Scored:
    """Every label-free method on one run."""
    units = build_units(case.run)
    graph = build_graph(units)
    rows = features_of(graph)
    planes = by_plane(read_planes(case.run, graph).evidence)
    offline = planes.get("offline") or score_offline(graph)
    structural = [k for k, name in enumerate(FEATURES) if name in FAMILIES["structural"]]
    forest = forest_scores(rows)
    of_graph = forest_scores([[row[k] for k in structural] for row in rows])

    def without(*names: str) -> list[PlaneEvidence]:
        return [item for name, plane in planes.items() if name not in names for item in plane]

    used: dict[str, list[PlaneEvidence]] = {
        KNITBONE: without(),
        "no offline plane": without("offline"),
        "offline plane everywhere": [*without("offline"), *offline],
        "offline plane alone": offline,
        "no run-local plane": without("run-local"),
        "no rules": without("rules"),
        "no conduct plane": without("conduct"),
        "Isolation Forest alone": _plane(forest),
        "graph features only": _plane(of_graph),
    }
    scores = {name: suspicions(units, used[name]) for name in ABLATIONS if name in used}
    scores["no first departure"] = standing(units, used[KNITBONE])
    used["no first departure"] = used[KNITBONE]
    for name, plain in (("Isolation Forest alone", forest), ("graph features only", of_graph)):
        scores[name] = plain
    regions = {name: analyst_region(graph, scores[name], used[name]) for name in ABLATIONS}
    scores |= _by_fact(units, without("conduct"))
    scores |= _baselines(units)
    return Scored(case, units, graph, tuple(used[KNITBONE]), scores, regions)


def _plane(scores: list[float]) -> list[PlaneEvidence]:
    return [
        PlaneEvidence(plane="run-local", ordinal=ordinal, score=scores[ordinal], rank=rank)
        for ordinal, rank in enumerate(ranks(scores))
    ]


def _by_fact(
    units: Sequence[TransitionUnit], others: Sequence[PlaneEvidence]
) -> dict[str, list[float]]:
    """The ranking with one fact of the conduct plane left out, and with one alone."""
    facts = facts_of(units)
    found: dict[str, list[float]] = {}
    for name, fact in SINGLE.items():
        alone = name not in {f"without {fact}" for fact in FACTS}
        used = {key: values for key, values in facts.items() if (key == fact) == alone}
        found[name] = suspicions(units, [*others, *score_conduct(units, used)])
    return found


def _baselines(units: Sequence[TransitionUnit]) -> dict[str, list[float]]:
    kinds = Counter(unit.kind for unit in units)
    chosen: dict[str, Callable[[TransitionUnit], float]] = {
        "first": lambda unit: -unit.ordinal,
        "last (recency)": lambda unit: unit.ordinal,
        "frequency of the kind of step": lambda unit: kinds[unit.kind],
        "first error": lambda unit: float(unit.status == "error"),
        "longest": lambda unit: len(unit.action),
    }
    return {name: [float(of(unit)) for unit in units] for name, of in chosen.items()}


def positions(runs: Sequence[Scored], left_out: Scored) -> list[int]:
    """Message positions in the order of how often they are blamed in the other runs."""
    counts = Counter(run.case.label for run in runs if run is not left_out)
    fitted = sorted(counts, key=lambda position: (-counts[position], position))
    present = {unit.index for unit in left_out.units}
    return [position for position in fitted if position in present] or sorted(present)


def random_measures(run: Scored, generator: np.random.Generator) -> dict[str, float]:
    """The mean over random orders."""
    indices = [unit.index for unit in run.units]
    draws = [
        measures([indices[k] for k in generator.permutation(len(indices))], run.case.label)
        for _ in range(RANDOM_DRAWS)
    ]
    return {metric: float(np.mean([draw[metric] for draw in draws])) for metric in draws[0]}
