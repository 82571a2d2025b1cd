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

import math
import random

import msgspec
import numpy as np
import numpy.typing as npt

from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence, ranks
from knitbone.tethering.diagnosis.features import FEATURES, SIGNALS

__all__ = ["PLANE", "anomaly_scores", "forest_scores", "score_units"]


# An Isolation Forest (Liu, Ting and Zhou 2008, "Isolation Forest", algorithms 1 to 3).
#
# Rows that few random cuts part from all others are anomalous. Each tree draws its rows without
# replacement; a cut takes one of the features that still vary in a node and a threshold between its
# least and greatest value there; nodes are parted until one row is left, nothing varies, or the
# depth reaches ``ceil(log2(rows of a tree))``. All trees grow side by side, one level at a time.
#
# scikit-learn's forest draws other numbers and ranks alike
# (``knitbone_evals.diagnose.localization.forests`` compares the two); with scipy it brings 200 MB,
# and takes ten times the time on runs of some dozen steps.
#
# Loads numpy; import it on first use only.

_Floats = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]

_EULER = 0.5772156649015329


def anomaly_scores(rows: _Floats, *, trees: int, max_samples: int, seed: int) -> _Floats:
    """The anomaly score of each row within (0, 1], higher is more anomalous.

    Equal for equal arguments, on every machine and Python: the draws are those of
    ``random.Random``.

    Args:
        rows: at least two rows of finite numbers, (rows, features).
        trees: how many trees, at least 1.
        max_samples: how many rows a tree draws at most, at least 2.
        seed: of the draws.
    """
    size = min(max_samples, len(rows))
    draws = random.Random(seed)  # noqa: S311 - no secret is made of it
    everything = range(len(rows))
    drawn = np.array([draws.sample(everything, size) for _ in range(trees)])
    levels, leaves = _grow(rows, drawn, draws)
    depths = _depths(rows, trees, levels, leaves)
    return np.exp2(-depths.mean(axis=0) / _mean_depth(np.array([size]))[0])


class _TreeLevel(msgspec.Struct, frozen=True):
    """The nodes of one depth, of all trees: a node that is cut names feature and threshold."""

    feature: _Integers
    """-1 in a leaf."""
    threshold: _Floats
    left: _Integers
    """Number of the left child within the next level; the right one follows it."""


def _grow(
    rows: _Floats, drawn: _Integers, draws: random.Random
) -> tuple[list[_TreeLevel], list[_Floats]]:
    """The levels of all trees, and for each level what a row that ends there has as its depth."""
    trees, size = drawn.shape
    node: _Integers = np.repeat(np.arange(trees, dtype=np.int64), size)
    values = rows[drawn.ravel()]
    levels: list[_TreeLevel] = []
    depths: list[_Floats] = []
    limit = math.ceil(math.log2(max(size, 2)))
    for depth in range(limit + 1):
        count = int(node.max()) + 1 if len(node) else 0
        held = np.bincount(node, minlength=count)
        level = _cut(values, held, draws, cut=depth < limit)
        levels.append(level)
        depths.append(depth + _mean_depth(held))
        inner = level.feature[node] >= 0
        if not inner.any():
            break
        node, values = node[inner], values[inner]
        beyond = values[np.arange(len(node)), level.feature[node]] > level.threshold[node]
        node = level.left[node] + beyond
        order = np.argsort(node, kind="stable")
        node, values = node[order], values[order]
    return levels, depths


def _cut(values: _Floats, held: _Integers, draws: random.Random, *, cut: bool) -> _TreeLevel:
    """A random cut of each node that can be cut.

    Args:
        values: the rows of all nodes, node after node.
        held: how many rows each node holds.
    """
    count = len(held)
    feature = np.full(count, -1)
    threshold = np.zeros(count)
    starts = np.concatenate([[0], np.cumsum(held)[:-1]])
    if cut:
        least = np.minimum.reduceat(values, starts)
        greatest = np.maximum.reduceat(values, starts)
        for number in np.flatnonzero((least < greatest).any(axis=1)):
            low, high = least[number], greatest[number]
            column = draws.choice(np.flatnonzero(low < high).tolist())
            feature[number] = column
            # Halfway at most, so that no rounding puts the greatest value on the left side.
            place = low[column] + draws.random() * (high[column] - low[column])
            threshold[number] = place if place < high[column] else low[column]
    left = np.cumsum(np.where(feature >= 0, 2, 0)) - 2
    return _TreeLevel(feature=feature, threshold=threshold, left=left)


def _depths(rows: _Floats, trees: int, levels: list[_TreeLevel], leaves: list[_Floats]) -> _Floats:
    """How deep each row ends in each tree, (trees, rows), with the unbuilt rest of a leaf added."""
    depths = np.zeros((trees, len(rows)))
    tree, row = (part.ravel() for part in np.indices(depths.shape))
    node = tree.copy()
    for level, ends in zip(levels, leaves, strict=True):
        inner = level.feature[node] >= 0
        depths[tree[~inner], row[~inner]] = ends[node[~inner]]
        tree, row, node = tree[inner], row[inner], node[inner]
        beyond = rows[row, level.feature[node]] > level.threshold[node]
        node = level.left[node] + beyond
    return depths


def _mean_depth(size: npt.NDArray[np.int64]) -> _Floats:
    """The mean depth of an unsuccessful search in a binary tree of so many rows (equation 1)."""
    rest = np.maximum(size, 3) - 1.0
    grown = 2 * (np.log(rest) + _EULER) - 2 * rest / (rest + 1)
    return np.where(size <= 1, 0.0, np.where(size == 2, 1.0, grown))


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
