"""Measures of one ranking, and what they come to over many runs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

SEED = 20240501
RESAMPLES = 4_000
METRICS = ("exact", "within 1", "within 3", "within 5", "top-3", "reciprocal rank", "median error")
COMPARED = ("exact", "top-3", "reciprocal rank")
BINS = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)


def measures(ranking: Sequence[int], label: int) -> dict[str, float]:
    """The metrics of one ranking, by source index, of one run."""
    error = abs(ranking[0] - label)
    return {
        "exact": float(error == 0),
        "within 1": float(error <= 1),
        "within 3": float(error <= 3),
        "within 5": float(error <= 5),
        "top-3": float(label in ranking[:3]),
        "reciprocal rank": 1.0 / (ranking.index(label) + 1) if label in ranking else 0.0,
        "median error": float(error),
    }


def interval(
    values: Sequence[float], generator: np.random.Generator, *, median: bool = False
) -> list[float]:
    """Point estimate and the 95 % bootstrap interval over runs."""
    array = np.asarray(values)
    of = np.median if median else np.mean
    samples = generator.integers(0, len(array), size=(RESAMPLES, len(array)))
    low, high = np.quantile(of(array[samples], axis=1), [0.025, 0.975])
    return [round(float(value), 3) for value in (of(array), low, high)]


def summary(
    runs: Sequence[dict[str, float]], generator: np.random.Generator
) -> dict[str, list[float]]:
    """Every metric over runs."""
    return {
        metric: interval([run[metric] for run in runs], generator, median=metric == "median error")
        for metric in METRICS
    }


def paired(
    ours: Sequence[dict[str, float]],
    theirs: Sequence[dict[str, float]],
    generator: np.random.Generator,
) -> dict[str, list[float]]:
    """Per metric: the mean difference run by run, its bootstrap interval, and the two-sided
    p-value of a sign-flip permutation test."""
    table: dict[str, list[float]] = {}
    for metric in COMPARED:
        differences = np.array([a[metric] - b[metric] for a, b in zip(ours, theirs, strict=True)])
        flips = generator.choice([-1.0, 1.0], size=(RESAMPLES, len(differences)))
        by_chance = np.abs((flips * differences).mean(axis=1))
        p = (1 + int((by_chance >= abs(differences.mean()) - 1e-12).sum())) / (1 + RESAMPLES)
        table[metric] = [*interval(list(differences), generator), round(p, 4)]
    return table


def reliability(
    predictions: Sequence[tuple[Sequence[float], int | None]],
) -> dict[str, object]:
    """How honest probabilities of units are: by bin, the predicted mean and the share blamed.

    Args:
        predictions: a run's probabilities, and the ordinal that was blamed; ``None`` where the
            label lies on no unit.
    """
    chances = np.array([p for probabilities, _ in predictions for p in probabilities])
    hits = np.array(
        [float(k == blamed) for probabilities, blamed in predictions
         for k in range(len(probabilities))]
    )  # fmt: skip
    bins: list[dict[str, float]] = []
    error = 0.0
    for low, high in itertools.pairwise(BINS):
        inside = (chances > low) & (chances <= high)
        if inside.any():
            predicted, found = float(chances[inside].mean()), float(hits[inside].mean())
            error += abs(predicted - found) * int(inside.sum()) / len(chances)
            bins.append(
                {"above": low, "to": high, "units": int(inside.sum()),
                 "predicted": round(predicted, 3), "blamed": round(found, 3)}
            )  # fmt: skip
    known = [(p, blamed) for p, blamed in predictions if blamed is not None]
    return {
        "units": len(chances),
        "bins": bins,
        "expected calibration error": round(error, 4),
        "nats a run": round(float(np.mean([-np.log(max(p[b], 1e-12)) for p, b in known])), 3),
        "nats a run, uniform": round(float(np.mean([np.log(len(p)) for p, _ in known])), 3),
    }
