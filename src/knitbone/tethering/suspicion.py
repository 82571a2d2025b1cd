"""One suspicion a unit, from the planes' evidence.

The turning point is where the run *first* leaves a recoverable path (AgentTether §III.C.3). A
call that fails and is repeated unchanged is one decision, taken at its first occurrence: that
one carries the highest score among its repetitions, whichever of them the detector saw.

A call that fails ``LOOP`` times unchanged is direct evidence, not a statistical outlier, and goes
before any score (AgentTether §III.D.2 gives loops the same precedence at run time).
"""

from __future__ import annotations

from collections.abc import Sequence

from knitbone.tethering.detect.evidence import Evidence
from knitbone.tethering.units import TransitionUnit

__all__ = ["LOOP", "suspicions"]

LOOP = 3
"""Failures of the very same call that make a loop: once more than a retry in good faith."""


def suspicions(units: Sequence[TransitionUnit], evidence: Sequence[Evidence]) -> list[float]:
    """A score for each unit, higher is more suspicious.

    Args:
        evidence: one record a unit, in their order, of one plane.
    """
    scores = [item.score for item in evidence]
    failures: dict[tuple[str, str], list[int]] = {}
    for unit in units:
        if unit.status != "error" or not unit.calls:
            continue
        same = failures.setdefault((unit.agent, unit.action), [])
        same.append(unit.ordinal)
        if scores[unit.ordinal] > scores[same[0]]:
            scores[same[0]], scores[unit.ordinal] = scores[unit.ordinal], scores[same[0]]
    for same in failures.values():
        if len(same) >= LOOP:
            scores[same[0]] += 1.0  # scores of a plane lie between 0 and 1
    return scores
