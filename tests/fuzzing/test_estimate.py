"""Chao1 against what EstimateS itself prints, and against its formulas, worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.fuzzing.estimate import chao1


@pytest.mark.parametrize(
    ("counts", "value", "low", "high"),
    [
        ([1, 1, 4, 2, 5, 2, 4, 1, 2], 9.75, 9.07, 17.45),
        ([2, 2, 4, 5], 4.0, 4.0, 4.95),  # no singletons
        ([1, 1, 4, 5], 5.0, 4.08, 17.27),  # no doubletons
    ],
)
def test_the_numbers_of_estimates_as_scikit_bio_quotes_them(
    counts: list[int], value: float, low: float, high: float
) -> None:
    estimate = chao1(counts)
    assert (estimate.value, estimate.low, estimate.high) == (value, low, high)


def test_both_singletons_and_doubletons() -> None:
    # S = 6, F1 = 3, F2 = 2: 6 + 3*2 / (2*3) = 7.
    # Variance 3*2/6 + 3*25/36 + 9*2*4/324 = 3.3056; T = 1; K = exp(1.96 sqrt(ln 4.3056)) = 10.68.
    estimate = chao1([1, 1, 1, 2, 2, 5])
    assert (estimate.value, estimate.low, estimate.high) == (7.0, 6.09, 16.68)


def test_singletons_without_doubletons() -> None:
    # S = 5, F1 = 3, F2 = 0: 5 + 3*2/2 = 8; variance 3 + 3*25/4 - 81/32 = 19.22; T = 3.
    # K = exp(1.96 sqrt(ln(1 + 19.22/9))) = 8.127.
    estimate = chao1([1, 1, 1, 4, 4])
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
        (8.0, 5.37, 29.38), abs=0.011
    )


def test_failures_seen_often_leave_nothing_to_expect() -> None:
    estimate = chao1([50, 60, 70])
    assert (estimate.value, estimate.low, estimate.high) == (3.0, 3.0, 3.0)


def test_nothing_seen() -> None:
    assert chao1([]).high == 0.0


@given(st.lists(st.integers(1, 50), max_size=60))
def test_the_interval_holds_the_estimate_and_never_less_than_was_seen(counts: list[int]) -> None:
    estimate = chao1(counts)
    assert len(counts) <= estimate.value
    assert len(counts) - 0.01 <= estimate.low <= estimate.high
    assert chao1(counts[::-1]) == estimate
