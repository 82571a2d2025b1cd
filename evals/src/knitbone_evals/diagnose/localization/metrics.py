"""Measures of one ranking, and what they come to over many runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SEED = 20240501
RESAMPLES = 4_000
METRICS = ("exact", "within 1", "within 3", "within 5", "top-3", "reciprocal rank", "median error")
COMPARED = ("exact", "top-3", "reciprocal rank")


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
