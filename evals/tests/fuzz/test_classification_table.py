"""The table of the classification benchmark."""

from __future__ import annotations

import pytest

from knitbone_evals.fuzz.classification import Judged, table, wilson


def judged(theme: str, truth: str, verdict: str) -> Judged:
    return Judged(
        target="t", theme=theme, category="c", truth=truth, verdict=verdict, sentence="",
        arguments={},
    )  # fmt: skip


def test_the_interval_is_wilsons() -> None:
    # Newcombe (1998), Table I, method 3: 81 of 263 and 15 of 148.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)


def test_both_halves_and_the_majority_class_are_told() -> None:
    ones = [
        judged("travel", "under", "under"),
        judged("travel", "ill", "under"),
        judged("web", "under", "ill"),
    ]
    lines = list(table(ones))
    assert "always 'under'" in lines[0]
    assert lines[1].split()[:3] == ["developed", "on", "2"]
    assert "1 = 0.50" in lines[1]
    assert "0 = 0.00" in lines[2]
    assert "2 = 0.67" in lines[3]
