"""The run-local detector: an Isolation Forest over the features of one run (AgentTether
§III.C.2, §IV.A: 100 trees, subsamples of at most 256, seed 42, one hop).

Departure from the paper, marked: an Isolation Forest knows no direction, so that an uncommonly
*empty* step isolates as well as an uncommonly loaded one. The score of the plane is therefore
the mean of two views: the forest's percentile, and the mean percentile of the few features whose
high values are suspicious in themselves (``features.SIGNALS``). Nothing is fitted to labels;
``knitbone_evals.diagnose.localization`` prints the forest alone beside it.

Loads numpy; import it on first use only.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence, ranks
from knitbone.tethering.diagnosis.detect.forest import anomaly_scores
from knitbone.tethering.diagnosis.features import FEATURES, SIGNALS

__all__ = ["PLANE", "forest_scores", "score_units"]

PLANE = "run-local"

_Matrix = npt.NDArray[np.float64]

_TREES, _MAX_SAMPLES, _SEED = 100, 256, 42
"""Of the Isolation Forest: AgentTether §IV.A."""

_STANDS_OUT = 0.75
"""Percentile from which on a feature is named as a signal."""

_MIN_UNITS = 4
"""Below this many units a forest has nothing to isolate from; the signals alone decide."""


def forest_scores(rows: list[list[float]]) -> list[float]:
    """The Isolation Forest's anomaly scores, higher is more anomalous; zeros for tiny runs."""
    if len(rows) < _MIN_UNITS:
        return [0.0] * len(rows)
    matrix: _Matrix = np.asarray(rows, dtype=np.float64)
    scores = anomaly_scores(matrix, trees=_TREES, max_samples=_MAX_SAMPLES, seed=_SEED)
    return [float(score) for score in scores]


def score_units(rows: list[list[float]]) -> list[PlaneEvidence]:
    """The evidence of this plane for every unit, in their order.

    Args:
        rows: one row a unit, as ``features.features_of`` makes them.
    """
    if not rows:
        return []
    matrix: _Matrix = np.asarray(rows, dtype=np.float64)
    standing = np.column_stack([_percentiles(column) for column in matrix.T])
    names = list(FEATURES)
    chosen = [names.index(signal) for signal in SIGNALS]
    forest = np.asarray(forest_scores(rows))
    views = (_percentiles(forest) + standing[:, chosen].mean(axis=1)) / 2
    scores: list[float] = [float(score) for score in views]
    return [
        PlaneEvidence(
            plane=PLANE, ordinal=ordinal, score=round(scores[ordinal], 6), rank=rank,
            signals=_signals(standing[ordinal], names),
        )
        for ordinal, rank in enumerate(ranks(scores))
    ]  # fmt: skip


def _percentiles(column: _Matrix) -> _Matrix:
    """Each value's standing in its run, 0 to 1; equal values stand equal, at their middle."""
    ordered = np.sort(column)
    below = np.searchsorted(ordered, column, side="left")
    upto = np.searchsorted(ordered, column, side="right")
    return np.asarray((below + upto) / (2 * len(column)), dtype=np.float64)


def _signals(standing: _Matrix, names: list[str]) -> tuple[str, ...]:
    strong = [(float(value), k) for k, value in enumerate(standing) if value >= _STANDS_OUT]
    return tuple(names[k] for _, k in sorted(strong, key=lambda pair: (-pair[0], pair[1]))[:5])
