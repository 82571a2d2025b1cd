"""Distances of short names, against their definitions."""

from hypothesis import given
from hypothesis import strategies as st

from knitbone.common.edit_distance import distance_within, indel_distance, tolerance

WORDS = st.text("abcde ", max_size=8)


@given(WORDS, WORDS, st.integers(0, 3))
def test_the_distance_is_bounded_and_symmetric(one, other, bound):
    found = distance_within(one, other, bound)
    assert found == distance_within(other, one, bound)
    assert found is None or found <= bound
    assert (found == 0) == (one == other)
    unbounded = distance_within(one, other, 20)
    assert (found is None) == (unbounded > bound)


def _common(one, other):
    """The length of the longest common subsequence, by its definition."""
    if not one or not other:
        return 0
    if one[-1] == other[-1]:
        return _common(one[:-1], other[:-1]) + 1
    return max(_common(one[:-1], other), _common(one, other[:-1]))


@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_characters_beside_the_common_ones_are_inserted_or_deleted(one, other):
    assert indel_distance(one, other) == len(one) + len(other) - 2 * _common(one, other)


def test_neighbours_that_are_exchanged_are_one_edit():
    assert distance_within("actoin", "action", 1) == 1
    assert indel_distance("actoin", "action") == 2


def test_short_names_have_no_other_spelling():
    assert [tolerance("now"), tolerance("score"), tolerance("confidence")] == [0, 1, 2]
