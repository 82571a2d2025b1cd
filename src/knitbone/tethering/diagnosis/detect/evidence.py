"""What a detector says about a unit. Planes stay apart (AgentTether §III.C.2): a later reader
must see which detector said what."""

from __future__ import annotations

import msgspec

__all__ = ["PlaneEvidence", "ranks"]


class PlaneEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """One plane's view of one unit."""

    plane: str
    """The detector, such as ``run-local``."""
    ordinal: int
    score: float
    """Higher is more suspicious; comparable within one plane of one run only."""
    rank: int
    """1 is the most suspicious of the run."""
    signals: tuple[str, ...] = ()
    """Names of the features in which the unit stands out, strongest first."""


def ranks(scores: list[float]) -> list[int]:
    """The rank of each score, 1 the highest; ties go to the earlier unit."""
    order = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    found = [0] * len(scores)
    for rank, ordinal in enumerate(order, start=1):
        found[ordinal] = rank
    return found
