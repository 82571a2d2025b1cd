"""Our Isolation Forest beside scikit-learn's, on the labelled runs: ``python -m
knitbone_evals.diagnose.localization.forests --data DIR``.

Prints, per set, the mean rank correlation within a run of our forest with theirs and of theirs
with itself under another seed, how often both name the same step first, and the seconds of all runs
together, in one process, imports apart.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from sklearn.ensemble import IsolationForest

from knitbone.tethering.diagnosis.detect.local import anomaly_scores
from knitbone.tethering.diagnosis.features import features_of
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.units import build_units
from knitbone_evals.diagnose.localization.sets import labelled_runs

TREES, SAMPLES, SEED, OTHER_SEED = 100, 256, 42, 7
FEWEST = 4
"""Smaller runs have no forest."""


def theirs(rows: np.ndarray, seed: int) -> np.ndarray:
    forest = IsolationForest(
        n_estimators=TREES, max_samples=min(SAMPLES, len(rows)), random_state=seed
    )
    return -forest.fit(rows).score_samples(rows)


def ours(rows: np.ndarray, seed: int) -> np.ndarray:
    return anomaly_scores(rows, trees=TREES, max_samples=SAMPLES, seed=seed)


def timed(
    forest: Callable[[np.ndarray, int], np.ndarray], runs: list[np.ndarray], seed: int
) -> tuple[list[np.ndarray], float]:
    started = time.perf_counter()
    scores = [forest(rows, seed) for rows in runs]
    return scores, time.perf_counter() - started


def agreement(one: list[np.ndarray], other: list[np.ndarray]) -> tuple[float, float]:
    """Mean rank correlation within a run, and how often the first step is the same."""
    correlations = [spearmanr(a, b).statistic for a, b in zip(one, other, strict=True)]
    same = [a.argmax() == b.argmax() for a, b in zip(one, other, strict=True)]
    return float(np.nanmean(correlations)), float(np.mean(same))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    for name, cases in labelled_runs(parser.parse_args().data).items():
        graphs = [build_graph(build_units(case.run)) for case in cases]
        runs = [np.asarray(features_of(g), dtype=float) for g in graphs if len(g.units) >= FEWEST]
        own, seconds = timed(ours, runs, SEED)
        reference, their_seconds = timed(theirs, runs, SEED)
        again, _ = timed(theirs, runs, OTHER_SEED)
        with_theirs, with_itself = agreement(own, reference), agreement(reference, again)
        print(
            f"{name}: {len(runs)} runs; rank correlation {with_theirs[0]:.3f} (theirs under another"
            f" seed {with_itself[0]:.3f}), same first step {with_theirs[1]:.2f}"
            f" ({with_itself[1]:.2f}); {seconds:.2f} s against {their_seconds:.2f} s"
        )


if __name__ == "__main__":
    main()
