"""The state that decides: found where one name separates, and never guessed."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.adaptation.learning.conditions import SOMETIMES, separating_condition


def states(*values, name="mode", place="app.py:1:f"):
    return [{(place, name): value} for value in values]


def test_one_name_with_one_value_separates():
    assert separating_condition(states("'a'", "'a'"), states("'b'", "'c'")) == "mode == 'a'"


@pytest.mark.parametrize(
    ("with_it", "without"),
    [
        (states("'a'"), states("'b'", "'b'")),
        (states("'a'", "'a'"), states("'b'")),
        (states("'a'", "'b'"), states("'c'", "'c'")),
        (states("'a'", "'a'"), states("'b'", "'a'")),
        (states("'a'", "'a'"), [{}, {}]),
        ([{}, {}], [{}, {}]),
    ],
    ids=["one with", "one without", "two values", "not separated", "not known", "nothing"],
)
def test_what_is_not_certain_is_not_said(with_it, without):
    assert separating_condition(with_it, without) == SOMETIMES


def test_a_name_that_the_code_branches_on_goes_before_one_that_happens_to_agree(tmp_path):
    file = tmp_path / "app.py"
    file.write_text(
        "class A:\n"
        "    def f(self, also, kind):\n"
        "        if kind == 'x':\n"
        "            return self.handlers[self.mode]\n"
    )
    place = f"{file}:2:A.f"

    def state(also, kind):
        return {(place, "also"): also, (place, "kind"): kind, (place, "other"): also}

    with_it, without = [state("True", "'x'")] * 2, [state("False", "'y'")] * 2
    assert separating_condition(with_it, without) == "kind == 'x'"
    without_kind = [{k: v for k, v in s.items() if k[1] != "kind"} for s in with_it]
    assert separating_condition(without_kind, without) == "also == True"


def test_the_function_nearest_to_the_answer_goes_before_its_callers(tmp_path):
    """A driver of the test branches too, and its name may come first in the alphabet."""
    file = tmp_path / "app.py"
    file.write_text(
        "def go(kind):\n    return HANDLERS[kind]\n\n\ndef drive(k):\n    return HANDLERS[k]\n"
    )

    def state(value):
        return {(f"{file}:1:go", "kind"): value, (f"{file}:5:drive", "k"): value}

    with_it, without = [state("'x'")] * 2, [state("'y'")] * 2
    assert separating_condition(with_it, without) == "kind == 'x'"


def test_the_answer_does_not_depend_on_the_order():
    with_it = [{("f:1:a", n): "1" for n in names} for names in itertools.permutations("bca")]
    without = [{("f:1:a", n): "2" for n in "abc"}] * 2
    assert {separating_condition(with_it[i:] + with_it[:i], without) for i in range(6)} == {
        "a == 1"
    }


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.sampled_from("123")), max_size=5),
    st.lists(st.dictionaries(st.sampled_from("abc"), st.sampled_from("123")), max_size=5),
)
def test_a_condition_separates_all_that_was_seen(first, second):
    with_it = [{("f:1:g", k): v for k, v in state.items()} for state in first]
    without = [{("f:1:g", k): v for k, v in state.items()} for state in second]
    found = separating_condition(with_it, without)
    if found != SOMETIMES:
        name, value = found.split(" == ")
        assert all(state.get(name) == value for state in first)
        assert all(state[name] != value for state in second)
        assert len(first) >= 2
        assert len(second) >= 2
