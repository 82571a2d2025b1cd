"""Fitting the ranker: a conditional logit over the units of each labelled run.

One run is one choice: the probability of a unit is the softmax of its score among the units of its
run, so that runs of every length count the same. Squared weights are penalized (``penalty / 2``
each): with a few dozen labelled runs and some fifty columns, the likelihood alone would fit
anything. Labelled runs of other applications may help: they share a part of the weights, and the
application's own runs carry a second part besides, penalized alike (Daumé 2007, "Frustratingly
easy domain adaptation").

Probabilities are calibrated by one temperature (Guo et al. 2017), chosen on the predictions for
runs that the fit had not seen.

Loads numpy; import it on first use only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from knitbone.errors import KnitboneError
from knitbone.tethering.ranker.design import COLUMNS
from knitbone.tethering.ranker.model import Ranker

__all__ = ["MIN_RUNS", "PENALTY", "Example", "best_temperature", "fit_ranker"]

Matrix = npt.NDArray[np.float64]

MIN_RUNS = 5
"""Fewer labelled runs than this are refused: the penalty alone would decide."""

FOLDS = 5
PENALTY = 1.0
"""One squared unit of weight costs half a nat: chosen beforehand, not by the score."""

_FINE = 1e-10
"""Nearer to the optimum than this nothing that is kept changes (weights have six digits)."""

_STEPS = 100
"""Newton's method takes about eight."""

_SHARE = 1e-4
"""Armijo's share of the expected gain that a step must reach; else it is halved."""


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One labelled run."""

    matrix: Any
    """From ``design``."""
    blamed: int
    """Ordinal of the unit that annotators blamed."""
    group: str
    """Runs of the same task share one; they never stand on both sides of a split."""


def fit_ranker(
    examples: Sequence[Example],
    *,
    related: Sequence[Example] = (),
    penalty: float = PENALTY,
    calibrate: bool = True,
) -> Ranker:
    """The ranker that explains the labels best, deterministic for the same examples.

    Args:
        related: labelled runs of other applications.
        calibrate: choose the temperature by cross-validation over groups; else it is 1.

    Raises:
        KnitboneError: fewer than ``MIN_RUNS`` examples.
    """
    if len(examples) < MIN_RUNS:
        raise KnitboneError(
            f"{len(examples)} labelled runs are too few to fit a ranker; {MIN_RUNS} is the least.",
            next_step="Label more runs, or go on without a ranker.",
        )
    weights = _weights(examples, related, penalty)
    temperature = 1.0
    if calibrate:
        temperature = best_temperature(_held_out(examples, related, penalty))
    return Ranker(
        weights={n: round(float(w), 6) for n, w in zip(COLUMNS, weights, strict=True)},
        temperature=round(temperature, 4), runs=len(examples), penalty=penalty,
    )  # fmt: skip


def best_temperature(held: Sequence[tuple[Matrix, int]]) -> float:
    """The temperature under which unseen labels are least surprising, within 0.25 and 10.

    Args:
        held: a run's logits, from a fit that had not seen it, and the ordinal that was blamed.
    """
    if not held:
        return 1.0

    def surprise(log_temperature: float) -> float:
        scale = float(np.exp(log_temperature))
        total = 0.0
        for logits, blamed in held:
            scaled = logits / scale
            top = scaled.max()
            total += float(top + np.log(np.exp(scaled - top).sum()) - scaled[blamed])
        return total

    return float(np.exp(_least(surprise, float(np.log(0.25)), float(np.log(10.0)))))


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one valley within the bounds is least, by golden sections."""
    golden = (5**0.5 - 1) / 2
    near, far = high - golden * (high - low), low + golden * (high - low)
    at_near, at_far = function(near), function(far)
    while high - low > _FINE:
        if at_near < at_far:
            high, far, at_far = far, near, at_near
            near = high - golden * (high - low)
            at_near = function(near)
        else:
            low, near, at_near = near, far, at_far
            far = low + golden * (high - low)
            at_far = function(far)
    return (low + high) / 2


def _held_out(
    examples: Sequence[Example], related: Sequence[Example], penalty: float
) -> list[tuple[Matrix, int]]:
    """Each example's logits from a fit without its fold; a group is never split."""
    groups = sorted({example.group for example in examples})
    fold_of = {group: number % FOLDS for number, group in enumerate(groups)}
    held: list[tuple[Matrix, int]] = []
    for fold in range(min(FOLDS, len(groups))):
        out = [example for example in examples if fold_of[example.group] == fold]
        left = {example.group for example in out}
        rest = [example for example in examples if example.group not in left]
        if rest:
            apart = [example for example in related if example.group not in left]
            weights = _weights(rest, apart, penalty)
            held += [(example.matrix @ weights, example.blamed) for example in out]
    return held


def _weights(examples: Sequence[Example], related: Sequence[Example], penalty: float) -> Matrix:
    """The penalized maximum of the likelihood; all runs' units stand in one matrix."""
    matrices: list[Matrix] = [example.matrix for example in examples]
    if related:
        # Shared columns, then the application's own: empty for the runs of others.
        matrices = [np.hstack([matrix, matrix]) for matrix in matrices]
        matrices += [np.hstack([e.matrix, np.zeros_like(e.matrix)]) for e in related]
    sizes = np.array([len(matrix) for matrix in matrices])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    blamed = starts + np.array([example.blamed for example in (*examples, *related)])
    choices = _Choices(
        units=np.concatenate(matrices), starts=starts, penalty=penalty, blamed=blamed,
        run=np.repeat(np.arange(len(sizes)), sizes),
    )  # fmt: skip
    parts: Matrix = _optimum(choices).reshape(-1, len(COLUMNS))
    return np.asarray(parts.sum(axis=0), dtype=np.float64)


class _Choices(msgspec.Struct, frozen=True, kw_only=True):
    """All runs' units in one matrix, run after run."""

    units: Matrix
    starts: npt.NDArray[np.int64]
    """Where each run begins."""
    run: npt.NDArray[np.int64]
    """The run of each unit."""
    blamed: npt.NDArray[np.int64]
    """The row of each run's blamed unit."""
    penalty: float

    def loss(self, weights: Matrix) -> tuple[float, Matrix]:
        """The penalized negative log likelihood, and each unit's chance within its run."""
        logits = self.units @ weights
        logits = logits - np.maximum.reduceat(logits, self.starts)[self.run]
        odds = np.exp(logits)
        sums = np.add.reduceat(odds, self.starts)
        surprise = np.log(sums).sum() - logits[self.blamed].sum()
        return float(self.penalty * (weights @ weights) / 2 + surprise), odds / sums[self.run]

    def slope(self, weights: Matrix, chance: Matrix) -> tuple[Matrix, Matrix]:
        """Gradient and curvature of the loss where the units have these chances."""
        weighted = self.units * chance[:, None]
        means = np.add.reduceat(weighted, self.starts, axis=0)
        gradient = weighted.sum(axis=0) - self.units[self.blamed].sum(axis=0)
        curvature = self.units.T @ weighted - means.T @ means
        return (
            gradient + self.penalty * weights,
            curvature + self.penalty * np.eye(len(weights)),
        )


def _optimum(choices: _Choices) -> Matrix:
    """Where the loss is least, by Newton's method: the penalty makes it strictly convex."""
    weights = np.zeros(choices.units.shape[1])
    loss, chance = choices.loss(weights)
    for _ in range(_STEPS):
        gradient, curvature = choices.slope(weights, chance)
        step = np.linalg.solve(curvature, gradient)
        gain = float(gradient @ step)
        if gain < _FINE:
            break
        length = 1.0
        there = choices.loss(weights - step)
        while there[0] > loss - _SHARE * length * gain and length > _FINE:
            length /= 2
            there = choices.loss(weights - length * step)
        weights = weights - length * step
        loss, chance = there
    return weights
