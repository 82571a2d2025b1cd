"""One suspicion a unit, from the planes' evidence.

*Combination.* The planes stay apart in what is reported; for a ranking they have to meet. Each
plane's scores are brought to mean 0 and variance 1 within the run and averaged, which is what
outlier ensembles do where nothing is known about their members (Aggarwal and Sathe 2015): no plane
is weighted, none is fitted. A plane that says the same of every unit says nothing and is left out.

*Facts.* What the run itself says against a step (the conduct plane) is no outlier score: each fact
multiplies the odds of the step by e, as much as one standard deviation of the planes does, so that
its score is added and not averaged in. In a conversation of fewer than ``SHORT`` steps nothing can
stand out reliably; where facts speak there, the other planes do not.

*First departure.* The turning point is where the run *first* leaves a recoverable path
(AgentTether §III.C.3), so what is asked of a unit is not only how odd it is, but whether nothing
before it had broken the run already. With independent chances ``p_k`` that unit ``k`` breaks the
run, that probability is ``p_k * prod(1 - p_j for j < k)`` (discrete-time survival); the chances are
the softmax of the combined scores, that is, one break a run is expected. What can be taken back
breaks nothing: in a run that changes state, only state-changing steps count among the ``j``; where
nothing changes state, every step does, since later ones build upon what it said. A late step
loses at most a factor of about 1/e, far less than what sets an odd step apart, so this is no
preference for the beginning of a run at any price.

*Repetition.* A call that fails, and is made again until the tool no longer refuses it for the same
reason, is one decision, taken at its first occurrence, whatever words went with it the next time:
that one carries the highest score among its repetitions. One that fails ``LOOP`` times is direct
evidence and goes before any score (AgentTether §III.D.2 gives loops the same precedence at run
time). So is an agent that says nearly the same ``LOOP`` times and does nothing else
(``repetitions.py``).

*Few units.* Among fewer than ``FEW`` nothing can stand out, and a score is noise: there a failure
on record goes before it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from knitbone.tethering.diagnosis.detect.conduct import PLANE as CONDUCT
from knitbone.tethering.diagnosis.detect.conduct import SILENT
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.repetitions import restated
from knitbone.tethering.diagnosis.units import TransitionUnit

__all__ = [
    "FEW",
    "LOOP",
    "SHORT",
    "by_plane",
    "combined",
    "first_departure",
    "repeated_failures",
    "standing",
    "suspicions",
]

LOOP = 3
"""Failures of a tool for one reason, or restatements, that make a loop: once more than a retry in
good faith."""

FEW = 4
"""Units from which on a run has a distribution to stand out of; so many a forest needs, too."""

SHORT = 12
"""Steps from which on a conversation's outliers are heard beside facts: below, a percentile has no
resolution (ours; on the labelled conversations of 4 to 10 steps outliers add nothing to position
and length, evals/docs/localization.md)."""

_SILENCE = -6.0
"""Log odds of a step that neither says nor does anything: below any that does (ours)."""

_CERTAIN = 0.99
"""Largest chance of one unit: of a run of two units, the later one keeps a rank of its own."""


def suspicions(units: Sequence[TransitionUnit], evidence: Sequence[PlaneEvidence]) -> list[float]:
    """A score for each unit, higher is more suspicious.

    The probability of being the first departure; of a loop, and of a failure among few units, that
    plus one.

    Args:
        evidence: one record a unit and plane, in the order of the units; the records of several
            planes follow one another.
    """
    scores = standing(units, evidence)
    repeated = repeated_failures(units)
    for same in repeated:
        first = same[0]
        for again in same[1:]:
            if scores[again] > scores[first]:
                scores[first], scores[again] = scores[again], scores[first]
    found = first_departure(units, scores)
    for same in repeated:
        if len(same) >= LOOP or len(units) < FEW:
            found[same[0]] += 1.0
    for same in restated(units):
        if len(same) >= LOOP:
            found[same[0]] += 1.0
    return found


def repeated_failures(units: Sequence[TransitionUnit]) -> list[list[int]]:
    """Failed calls, those together that one agent makes of one tool and that fail for one reason,
    with no success of that tool between them."""
    groups: list[list[int]] = []
    going: dict[tuple[int, str, str | None], dict[str, list[int]]] = {}
    for unit in units:
        if not unit.calls:
            continue
        reasons = going.setdefault((unit.conversation, unit.agent, unit.tool), {})
        if unit.status != "error":
            reasons.clear()
            continue
        reason = unit.error_signature or unit.action
        if reason not in reasons:
            reasons[reason] = []
            groups.append(reasons[reason])
        reasons[reason].append(unit.ordinal)
    return groups


def by_plane(evidence: Sequence[PlaneEvidence]) -> dict[str, list[PlaneEvidence]]:
    """Each plane's records, in the order of the units."""
    planes: dict[str, list[PlaneEvidence]] = {}
    for item in evidence:
        planes.setdefault(item.plane, []).append(item)
    return planes


def standing(units: Sequence[TransitionUnit], evidence: Sequence[PlaneEvidence]) -> list[float]:
    """The log odds of each unit, up to a constant: the planes' outliers, and the facts."""
    scores = combined(len(units), evidence)
    facts = [item for item in evidence if item.plane == CONDUCT]
    talk = not any(unit.calls for unit in units)
    if talk and len(units) < SHORT and any(item.score > 0 for item in facts):
        scores = [0.0] * len(units)
    for item in facts:
        scores[item.ordinal] += item.score + _SILENCE * (SILENT in item.signals)
    return scores


def combined(count: int, evidence: Sequence[PlaneEvidence]) -> list[float]:
    """The mean of the planes' standardized scores, itself with variance 1 within the run; facts
    are no outlier scores and stay out of it."""
    total = [0.0] * count
    for plane, records in by_plane(evidence).items():
        if plane == CONDUCT:
            continue
        for record, value in zip(records, _standardized([r.score for r in records]), strict=True):
            total[record.ordinal] += value
    return _standardized(total)


def first_departure(units: Sequence[TransitionUnit], scores: Sequence[float]) -> list[float]:
    """The probability of each unit to be the first that leaves the recoverable path.

    Args:
        scores: standardized, higher is more suspicious.
    """
    if not scores:
        return []
    top = max(scores)
    weights = [math.exp(score - top) for score in scores]
    total = sum(weights)
    changes = any(unit.side_effect for unit in units)
    intact = 1.0
    found: list[float] = []
    for unit, weight in zip(units, weights, strict=True):
        chance = min(weight / total, _CERTAIN)
        found.append(chance * intact)
        if unit.side_effect or not changes:
            intact *= 1.0 - chance
    whole = sum(found)
    return [value / whole for value in found]


def _standardized(values: Sequence[float]) -> list[float]:
    spread = statistics.pstdev(values) if values else 0.0
    if spread < 1e-12:
        return [0.0] * len(values)
    mean = statistics.fmean(values)
    return [(value - mean) / spread for value in values]
