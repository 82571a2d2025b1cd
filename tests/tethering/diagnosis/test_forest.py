"""The forest isolates what stands apart, draws the same everywhere, and ranks as scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.tethering.diagnosis.detect.local import anomaly_scores


def _rows(count: int, seed: int) -> np.ndarray:
    """Rows as features of a run are: numbers, flags, columns that never vary, equal rows."""
    draws = np.random.default_rng(seed)
    rows = draws.normal(size=(count, 20))
    rows[:, 5:12] = rows[:, 5:12] > 1
    rows[:, 12:15] = 0
    rows[count // 2] = rows[count // 3]
    return rows


def _standing(values: np.ndarray) -> np.ndarray:
    return np.argsort(np.argsort(values))


def _agreement(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.corrcoef(_standing(one), _standing(other))[0, 1])


@pytest.mark.parametrize("count", [8, 20, 60, 300])
def test_forest_agrees_with_scikit_learn_as_it_agrees_with_itself(count: int) -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    rows = _rows(count, count)

    def theirs(seed: int) -> np.ndarray:
        forest = ensemble.IsolationForest(
            n_estimators=100, max_samples=min(256, count), random_state=seed
        )
        return -forest.fit(rows).score_samples(rows)

    ours = np.array(
        [anomaly_scores(rows, trees=100, max_samples=256, seed=seed) for seed in range(8)]
    )
    other = np.array([theirs(seed) for seed in range(8)])
    # The mean of eight forests is steadier than one: what is left would be another method.
    assert _agreement(ours.mean(axis=0), other.mean(axis=0)) > 0.95
    assert abs(ours.mean() - other.mean()) < 0.005
    assert ours.std(axis=0).mean() < 1.2 * other.std(axis=0).mean()


def test_row_that_stands_apart_is_the_most_anomalous() -> None:
    rows = _rows(40, 1)
    rows[17] = 9.0
    scores = anomaly_scores(rows, trees=100, max_samples=256, seed=42)
    assert int(scores.argmax()) == 17
    assert scores[17] > 0.6


def test_same_seed_gives_the_same_scores_everywhere() -> None:
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [9.0, 9.0]])
    scores = anomaly_scores(rows, trees=10, max_samples=256, seed=42)
    assert [round(float(score), 4) for score in scores] == [0.3923, 0.3778, 0.4072, 0.6147]
    assert not np.array_equal(scores, anomaly_scores(rows, trees=10, max_samples=256, seed=43))


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 6).flatmap(
        lambda width: st.lists(
            st.lists(st.floats(-1e9, 1e9), min_size=width, max_size=width), min_size=2, max_size=12
        )
    ),
    samples=st.integers(2, 20),
)
def test_any_finite_rows_have_scores_and_equal_rows_equal_ones(
    rows: list[list[float]], samples: int
) -> None:
    matrix = np.array(rows)
    scores = anomaly_scores(matrix, trees=7, max_samples=samples, seed=3)
    assert ((scores > 0) & (scores <= 1)).all()
    again = anomaly_scores(np.vstack([matrix, matrix[:1]]), trees=7, max_samples=samples, seed=3)
    assert again[0] == again[-1]
