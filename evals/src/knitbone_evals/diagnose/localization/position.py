"""What a ranking says beyond where a step stands and how long it is.

*Position and length alone* is a conditional logit over the steps of a run (squared penalty
``PENALTY``): the position's first twelve places, relative and log position, the last step, and the
standing of the step's length. It is fitted on the other runs of the set, and never on another run
of the same task. Beside it stands the same fit with one column more, the logarithm of our
suspicion. What that column brings to the probability of the blamed step, in nats a run, is what the
ranking knows beyond position and length. Both are fitted to labels; the column itself is not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize

from knitbone_evals.diagnose.localization.methods import Scored
from knitbone_evals.diagnose.localization.metrics import RESAMPLES, interval

POSITION = "position and length alone, leave-one-out"
PLACES = 12
PENALTY = 1.0
"""One squared unit of weight costs half a nat: chosen beforehand, not by the score."""
_LEAST = 1e-6
"""Smallest suspicion whose logarithm is told apart."""

Matrix = npt.NDArray[np.float64]


def position_rankings(runs: Sequence[Scored]) -> list[list[float]]:
    """Each run's scores by position and length, from a fit on the others."""
    matrices = [_columns(run) for run in runs]
    return [[float(v) for v in logits] for logits in _left_out(runs, matrices)]


def beyond_position(
    sets: Mapping[str, Sequence[Scored]],
    pools: Mapping[str, Sequence[str]],
    methods: Sequence[str],
    generator: np.random.Generator,
) -> dict[str, dict[str, Any]]:
    """Nats a run that a method's suspicion adds to position and length, by set and by pool."""
    gains: dict[str, dict[str, list[float]]] = {method: {} for method in methods}
    for name, runs in sets.items():
        plain = [_columns(run) for run in runs]
        without = _nats(runs, _left_out(runs, plain))
        for method in methods:
            matrices = [
                np.column_stack([columns, np.log(np.maximum(run.scores[method], _LEAST))])
                for columns, run in zip(plain, runs, strict=True)
            ]
            with_it = _nats(runs, _left_out(runs, matrices))
            gains[method][name] = [a - b for a, b in zip(with_it, without, strict=True)]
    groups = {**{name: (name,) for name in sets}, **pools}
    return {
        group: {
            method: _tested([v for name in names for v in gains[method][name]], generator)
            for method in methods
        }
        for group, names in groups.items()
    }


def _tested(gains: Sequence[float], generator: np.random.Generator) -> dict[str, Any]:
    array = np.asarray(gains)
    flips = generator.choice([-1.0, 1.0], size=(RESAMPLES, len(array)))
    by_chance = np.abs((flips * array).mean(axis=1))
    p = (1 + int((by_chance >= abs(array.mean()) - 1e-12).sum())) / (1 + RESAMPLES)
    return {"n": len(array), "nats a run": interval(gains, generator), "p": round(p, 4)}


def _nats(runs: Sequence[Scored], logits: Sequence[Matrix]) -> list[float]:
    """Log probability of the blamed step; runs without a step that can be blamed are left out."""
    found: list[float] = []
    for run, values in zip(runs, logits, strict=True):
        if run.blamed is not None:
            shifted = values - values.max()
            found.append(float(shifted[run.blamed] - np.log(np.exp(shifted).sum())))
    return found


def _columns(run: Scored) -> Matrix:
    units, n = run.units, len(run.units)
    ordinals = np.arange(n)
    whole = [len(unit.action) + len(unit.belief) for unit in units]
    return np.column_stack(
        [
            _standing(whole), _standing([len(unit.action) for unit in units]),
            ordinals / max(n - 1, 1), np.log1p(ordinals) / math.log(32),
            (ordinals == n - 1).astype(np.float64),
            *(np.array([float(unit.index == at) for unit in units]) for at in range(PLACES)),
        ]
    )  # fmt: skip


def _standing(values: Sequence[float]) -> Matrix:
    column = np.asarray(values, dtype=np.float64)
    ordered = np.sort(column)
    both = np.searchsorted(ordered, column, "left") + np.searchsorted(ordered, column, "right")
    return np.asarray(both / (2 * len(column)) - 0.5, dtype=np.float64)


def _left_out(runs: Sequence[Scored], matrices: Sequence[Matrix]) -> list[Matrix]:
    found: list[Matrix] = []
    for held, matrix in zip(runs, matrices, strict=True):
        rest = [
            (own, run.blamed)
            for run, own in zip(runs, matrices, strict=True)
            if run.blamed is not None and run.case.group != held.case.group
        ]
        found.append(matrix @ _fit([own for own, _ in rest], [blamed for _, blamed in rest]))
    return found


def _fit(matrices: Sequence[Matrix], blamed: Sequence[int]) -> Matrix:
    """The penalized maximum of the likelihood."""
    stacked = np.concatenate(matrices)
    sizes = np.array([len(matrix) for matrix in matrices])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    run = np.repeat(np.arange(len(sizes)), sizes)
    chosen = starts + np.asarray(blamed)

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        logits = stacked @ weights
        logits = logits - np.maximum.reduceat(logits, starts)[run]
        chances = np.exp(logits)
        chances = chances / np.add.reduceat(chances, starts)[run]
        value = float(PENALTY * (weights @ weights) / 2)
        value -= float(np.log(np.maximum(chances[chosen], 1e-300)).sum())
        chances[chosen] -= 1.0
        return value, stacked.T @ chances + PENALTY * weights

    start = np.zeros(stacked.shape[1])
    return np.asarray(optimize.minimize(loss, start, jac=True, method="L-BFGS-B").x)
