"""Which values have one hash, and whose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.tethering.guidance.hashing import task_key, value_hash

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (250, 250.0), (250, "250.00"), (0.1, "0.10"), ("Ines ", " Ines"), (1e3, "1000"),
        ({"a": 1, "b": "2"}, {"b": 2, "a": 1.0}), ("\u00e9", "e\u0301"), ([1, "x"], ["1", "x "]),
    ],
)  # fmt: skip
def test_what_a_tool_cannot_tell_apart_has_one_hash(one, other):
    assert value_hash("t", one) == value_hash("t", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (250, 2500), ("Green", "green"), (True, 1), (None, "None"), ([1, 2], [2, 1]), ("", None),
        ({"a": 1}, {"b": 1}), ([["a", 1]], {"a": 1}), (0.1, 0.10001), (False, ""), ([], {}),
    ],
)  # fmt: skip
def test_other_values_have_others(one, other):
    assert value_hash("t", one) != value_hash("t", other)


@given(VALUES)
def test_every_value_has_a_hash_that_is_its_task_s_own(value):
    assert value_hash("t", value) == value_hash("t", value)
    assert value_hash("t", value) != value_hash("another task", value)


@pytest.mark.parametrize(
    "value",
    [10**5_000, float("nan"), float("inf"), "\ud800", {1: 2, "1": 3}],
    ids=["huge", "nan", "infinite", "half a character", "keys that look alike"],
)
def test_strange_values_have_a_hash_too(value):
    assert len(value_hash("t", value)) == 24


def test_the_key_of_a_key_is_the_key():
    for task in ("retail-17", "Close my account, please.", "two  words", ""):
        assert task_key(task_key(task)) == task_key(task)
    assert task_key("two  words") == task_key(" two words\n")
    assert task_key("retail-17") == "retail-17"
