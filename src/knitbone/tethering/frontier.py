"""From scores to the anomalous substructure: high scorers, expanded along the graph into
frontiers (AgentTether §III.C.2), kept to at most half of the run."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.graph import CriticalTransitionGraph

__all__ = ["MAX_SHARE", "contiguous", "expand"]

MAX_SHARE = 0.5
"""Largest share of the units in the region: a region that is the run explains nothing."""

SEED_SHARE = 0.25
"""Share of the units, highest scores first, that a frontier starts from."""


def expand(graph: CriticalTransitionGraph, scores: Sequence[float]) -> tuple[int, ...]:
    """The ordinals of the region, in order.

    Each seed, the most suspicious first, brings in its neighbours that score at least the run's
    median, until the region is full. The peak is always inside; of a single unit, it is all.
    """
    n = len(scores)
    if n == 0:
        return ()
    room = max(1, int(n * MAX_SHARE))
    order = sorted(range(n), key=lambda k: (-scores[k], k))
    median = statistics.median(scores)
    region: set[int] = set()
    for seed in order[: max(1, round(n * SEED_SHARE))]:
        near = sorted(graph.neighbours(seed), key=lambda k: (-scores[k], k))
        for ordinal in [seed, *(k for k in near if scores[k] >= median)]:
            if len(region) < room:
                region.add(ordinal)
    return tuple(sorted(region))


def contiguous(ordinals: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The ordinals in groups without a gap: the frontier groups."""
    groups: list[list[int]] = []
    for ordinal in ordinals:
        if groups and groups[-1][-1] == ordinal - 1:
            groups[-1].append(ordinal)
        else:
            groups.append([ordinal])
    return tuple(tuple(group) for group in groups)
