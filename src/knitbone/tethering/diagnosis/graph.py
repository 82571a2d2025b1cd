"""The critical transition graph (AgentTether §III.C.1).

Nodes are transition units. Temporal edges join consecutive units; dependency edges join units
that share state: a value that one produced and another uses, a value that both mention, or the
same error. An edge weighs more the rarer what it shares is in the run: a customer's number that
stands in every step explains nothing.

Loads networkx; import it on first use only.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import networkx as nx

from knitbone.tethering.diagnosis.units import TransitionUnit

__all__ = ["CriticalTransitionGraph", "Dependency", "build_graph"]

MAX_EDGES = 8
"""Dependency edges kept into one unit, heaviest first: construction stays linear in the run."""

MIN_RARITY = 0.15
"""A value weighs ``log(n / units that hold it) / log(n)``; below this it ties nothing together."""

Sharing = Literal["produced-consumed", "shared artifact", "shared error"]


class Dependency(msgspec.Struct, frozen=True, kw_only=True):
    """Why one unit depends on an earlier one."""

    source: int
    """Ordinal of the earlier unit."""
    target: int
    sharing: Sharing
    weight: float
    artifacts: tuple[str, ...] = ()
    """What they share, rarest first."""


class CriticalTransitionGraph:
    """A run's units, and the temporal and dependency edges between them."""

    def __init__(
        self, units: tuple[TransitionUnit, ...], dependencies: Sequence[Dependency]
    ) -> None:
        self.units = units
        self.dependencies_into: dict[int, list[Dependency]] = defaultdict(list)
        self.dependencies_from: dict[int, list[Dependency]] = defaultdict(list)
        self.network: Any = nx.DiGraph()
        self.network.add_nodes_from(range(len(units)))
        last: dict[int, int] = {}
        families: dict[int, int] = {}
        for unit in units:
            before = last.get(unit.conversation, families.get(unit.family))
            if before is not None:
                self.network.add_edge(before, unit.ordinal, temporal=True, weight=0.0)
            last[unit.conversation] = families[unit.family] = unit.ordinal
        for dependency in dependencies:
            self.dependencies_into[dependency.target].append(dependency)
            self.dependencies_from[dependency.source].append(dependency)
            ends = (dependency.source, dependency.target)
            known: dict[str, Any] = self.network.get_edge_data(*ends, default={})
            weight = float(known.get("weight", 0.0)) + dependency.weight
            self.network.add_edge(*ends, dependency=True, weight=weight)

    def neighbours(self, ordinal: int) -> list[int]:
        """Units one hop away, in order."""
        return sorted({*self.network.predecessors(ordinal), *self.network.successors(ordinal)})

    def path_back(self, symptom: int, cause: int) -> list[int]:
        """The units from a symptom back to a cause along dependency edges, both included.

        Empty where no such path exists. Temporal adjacency alone is no path.
        """
        if cause >= symptom:
            return []
        came_from: dict[int, int] = {symptom: symptom}
        frontier = [symptom]
        while frontier and cause not in came_from:
            reached: list[int] = []
            for ordinal in frontier:
                for dependency in self.dependencies_into.get(ordinal, ()):
                    if dependency.source >= cause and dependency.source not in came_from:
                        came_from[dependency.source] = ordinal
                        reached.append(dependency.source)
            frontier = reached
        if cause not in came_from:
            return []
        path = [cause]
        while path[-1] != symptom:
            path.append(came_from[path[-1]])
        return path[::-1]


def build_graph(units: tuple[TransitionUnit, ...]) -> CriticalTransitionGraph:
    """The graph over a run's units; time and memory near-linear in the run's length."""
    holders: Counter[str] = Counter()
    for unit in units:
        holders.update(unit.used | unit.produced)
    scale = math.log(max(len(units), 2))

    def rarity(artifact: str) -> float:
        return math.log(max(len(units), 2) / holders[artifact]) / scale

    first_produced: dict[str, int] = {}
    last_produced: dict[str, int] = {}
    last_used: dict[str, int] = {}
    last_error: dict[str, int] = {}
    dependencies: list[Dependency] = []
    for unit in units:
        found: dict[tuple[int, Sharing], list[tuple[float, str]]] = defaultdict(list)
        for artifact in unit.used:
            weight = rarity(artifact)
            if weight < MIN_RARITY:
                continue
            producers = {first_produced.get(artifact), last_produced.get(artifact)} - {None}
            for producer in producers:
                if producer is not None:
                    found[producer, "produced-consumed"].append((weight, artifact))
            before = last_used.get(artifact)
            if before is not None and before not in producers:
                found[before, "shared artifact"].append((weight, artifact))
        edges = [_edge(unit.ordinal, ends, shared) for ends, shared in found.items()]
        edges.sort(key=lambda edge: (-edge.weight, edge.source, edge.sharing))
        dependencies.extend(edges[:MAX_EDGES])
        if unit.error_signature:
            same = last_error.get(unit.error_signature)
            if same is not None:
                dependencies.append(
                    Dependency(source=same, target=unit.ordinal, sharing="shared error", weight=1.0)
                )
            last_error[unit.error_signature] = unit.ordinal
        for artifact in unit.produced:
            first_produced.setdefault(artifact, unit.ordinal)
            last_produced[artifact] = unit.ordinal
        for artifact in unit.used:
            last_used[artifact] = unit.ordinal
    return CriticalTransitionGraph(units, dependencies)


def _edge(target: int, ends: tuple[int, Sharing], shared: list[tuple[float, str]]) -> Dependency:
    source, sharing = ends
    shared.sort(key=lambda pair: (-pair[0], pair[1]))
    return Dependency(
        source=source, target=target, sharing=sharing,
        weight=sum(weight for weight, _ in shared),
        artifacts=tuple(artifact for _, artifact in shared[:3]),
    )  # fmt: skip
