"""Minimising keeps the failure, makes it smaller, and keeps to its budget."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.fuzzing.minimise import minimise, weight

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES, max_size=3)


@given(arguments=ARGUMENTS, letter=st.sampled_from(["1", "e", "[", "'"]))
def test_the_result_still_fails_is_no_heavier_and_within_budget(
    arguments: dict[str, Any], letter: str
) -> None:
    calls = 0

    def fails(candidate: dict[str, Any]) -> bool:
        nonlocal calls
        calls += 1
        return letter in repr(candidate)

    if letter not in repr(arguments):
        return
    smallest = minimise(arguments, fails=fails, budget=40)
    assert letter in repr(smallest)
    assert weight(smallest) <= weight(arguments)
    assert calls <= 40


@pytest.mark.parametrize(
    ("arguments", "fails", "smallest"),
    [
        ({"x": "b" * 5_000, "y": 1}, lambda a: len(a.get("x", "")) > 255, {"x": "a" * 256}),
        ({"x": "Ann;0;in"}, lambda a: a["x"].split(";")[1] == "0", None),
        ({"x": 123_456}, lambda a: a["x"] > 1000, {"x": 1001}),
        ({"x": -50}, lambda a: a["x"] < 0, {"x": -1}),
        ({"x": [3, 0, 5, 6]}, lambda a: 0 in a["x"], {"x": [0]}),
        ({"x": {"y": {"z": "abc"}}}, lambda a: bool(a["x"]["y"]), {"x": {"y": {"z": ""}}}),
    ],
)
def test_hard_cases_become_small(arguments: Any, fails: Any, smallest: Any) -> None:
    def guarded(candidate: Any) -> bool:
        try:
            return bool(fails(candidate))
        except (KeyError, IndexError, TypeError):
            return False

    found = minimise(arguments, fails=guarded, budget=100)
    assert guarded(found)
    if smallest is None:
        assert len(found["x"]) <= 3
    else:
        assert found == smallest
