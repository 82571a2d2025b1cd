"""From scores to the anomalous substructure (AgentTether §III.C.2).

*What a person is shown* is the smallest set of steps that holds most of the suspicion
(``shown_region``). *What an analyst is shown* (``analyst_region``, for the packet) is wider: the
planes' frontiers, and the context that the graph ties to what is suspicious, at most half of the
run.

*Frontier of a plane*: its units above the largest drop between consecutive scores, the paper's cut
for the offline detector, here for every plane. The union of the frontiers is the core.

*Context*: the rest of the room goes to the units that are suspicious together with what they are
tied to. A unit's own standing and the mean standing of its neighbours (one hop along temporal and
dependency edges, §IV.A) count half each. Annotators of one run often name neighbouring steps, and
a decision that went wrong is seldom odd alone: what it was told and what it caused are odd too.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.suspicion import by_plane

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = ["analyst_region", "contiguous", "frontier", "shown_region"]

MAX_SHARE = 0.5
"""Largest share of the units in the region: a region that is the run explains nothing."""

CORE_SHARE = 0.25
"""Largest share of the units that come from the planes' frontiers: the other half of the room is
for context. A plane whose scores fall evenly has its largest drop anywhere."""


MASS = 2 / 3
"""Share of the suspicion that the region holds (ours; not fitted to a label:
docs/explanation/claims.md has what it covers at which size)."""


def analyst_region(
    graph: CriticalTransitionGraph, scores: Sequence[float], evidence: Sequence[PlaneEvidence] = ()
) -> tuple[int, ...]:
    """The ordinals of the region, in order.

    The peak is always inside; of a single unit, it is all.

    Args:
        scores: one suspicion a unit, from ``suspicion.suspicions``.
        evidence: the planes' records; their frontiers are the core of the region.
    """
    n = len(scores)
    if n == 0:
        return ()
    room = max(1, int(n * MAX_SHARE))
    order = sorted(range(n), key=lambda k: (-scores[k], k))
    region = {order[0]}
    cores = [frontier(records) for records in by_plane(evidence).values()]
    core = max(1, int(n * CORE_SHARE))
    for place in range(max(map(len, cores), default=0)):  # a unit of each plane in turn
        for plane in cores:
            if place < len(plane) and len(region) < core:
                region.add(plane[place])
    ascending = sorted(scores)
    standing = [(bisect_left(ascending, s) + bisect_right(ascending, s)) / (2 * n) for s in scores]
    for ordinal in sorted(range(n), key=lambda k: (-_with_context(graph, standing, k), k)):
        if len(region) >= room:
            break
        region.add(ordinal)
    return tuple(sorted(region))


def shown_region(scores: Sequence[float], *, first: int | None = None) -> tuple[int, ...]:
    """The ordinals of the fewest units that hold ``MASS`` of the suspicion, in order.

    Where the evidence points at one step it is that step; where it says little it grows, to half
    of the units at most.

    Args:
        scores: one suspicion a unit, none negative.
        first: a unit that is inside whatever its score, such as a turning point.
    """
    order = sorted(range(len(scores)), key=lambda k: (k != first, -scores[k], k))
    room = max(1, int(len(scores) * MAX_SHARE))
    held, wanted = 0.0, MASS * sum(scores)
    region: list[int] = []
    for ordinal in order[:room]:
        if region and held >= wanted:
            break
        region.append(ordinal)
        held += scores[ordinal]
    return tuple(sorted(region))


def frontier(records: Sequence[PlaneEvidence]) -> list[int]:
    """The ordinals of one plane above the largest drop of its scores, highest first.

    Empty where the plane says the same of every unit.
    """
    ordered = sorted(records, key=lambda record: record.rank)
    drops = [a.score - b.score for a, b in itertools.pairwise(ordered)]
    if not drops or max(drops) <= 0:
        return []
    return [record.ordinal for record in ordered[: drops.index(max(drops)) + 1]]


def _with_context(graph: CriticalTransitionGraph, standing: Sequence[float], ordinal: int) -> float:
    near = graph.neighbours(ordinal)
    if not near:
        return standing[ordinal]
    return (standing[ordinal] + sum(standing[k] for k in near) / len(near)) / 2


def contiguous(ordinals: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The ordinals in groups without a gap: the frontier groups."""
    groups: list[list[int]] = []
    for ordinal in ordinals:
        if groups and groups[-1][-1] == ordinal - 1:
            groups[-1].append(ordinal)
        else:
            groups.append([ordinal])
    return tuple(tuple(group) for group in groups)
