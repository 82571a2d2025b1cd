"""Readers of messages: nothing about a shape is taken for granted, and nothing is made up."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.record.events import Usage
from knitbone.wire import usage
from knitbone.wire.content import CALLS, RESULTS, THOUGHTS, joined_text, text_of_part
from knitbone.wire.fields import element, elements, field, integer_of, number_of, object_of, word
from knitbone.wire.tool_calls import names_same_tool
from knitbone.wire.usage import CHAT_COUNTS, MLFLOW_COUNTS, CountNames, read_usage, with_cached

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "type", "prompt_tokens", "content"]), inner)
    ),
    max_leaves=8,
)
TABLES = [names for name, names in vars(usage).items() if name.endswith("_COUNTS")]


@given(ANYTHING)
def test_readers_of_fields_raise_at_nothing(value):
    assert object_of(value) == (value if isinstance(value, dict) else {})
    assert list(elements(value)) == (value if isinstance(value, list) else [])
    assert word(value) in (value, None)
    assert field(field(value, "content"), "text") is None or isinstance(value, dict)
    assert text_of_part(value) is None or isinstance(value, (str, dict))
    for names in TABLES:
        assert read_usage(names, object_of(value)) is None or "prompt_tokens" in value
    assert field(value, "type") not in CALLS  # which also takes a list in place of a type


def test_an_object_of_an_sdk_reads_as_its_json_does():
    asked = SimpleNamespace(choices=[SimpleNamespace(text="a")])
    assert field(element(asked, "choices"), "text") == "a"
    assert field(element({"choices": [{"text": "a"}]}, "choices"), "text") == "a"
    assert element({"choices": []}, "choices") is None


def test_truth_is_no_number():
    assert integer_of({"a": True, "b": 3}, "a", "b") == 3
    assert number_of({"a": False, "b": 3}, "a", "b") == 3.0
    assert integer_of({"a": 1.5, "b": "7"}, "a", "b") is None


@pytest.mark.parametrize("names", TABLES, ids=lambda names: names.input[0])
def test_each_convention_counts_by_the_first_of_its_names_that_is_there(names: CountNames):
    counts = dict.fromkeys(names.input, 9) | dict.fromkeys(names.output, 8)
    costs = dict.fromkeys(names.cost, 0.5)
    assert read_usage(names, counts, costs) == Usage(
        input_tokens=9, output_tokens=8, cost_usd=0.5 if names.cost else None
    )
    assert read_usage(names, {names.input[-1]: 7}) == Usage(input_tokens=7)
    assert read_usage(names, {}) is None


def test_counts_and_costs_may_stand_apart():
    assert read_usage(MLFLOW_COUNTS, {"total_cost": 2.0}) == Usage(cost_usd=2.0)
    assert read_usage(MLFLOW_COUNTS, {"total_cost": 2.0}, {}) is None


def test_cached_tokens_are_input_tokens():
    assert with_cached(5, made=2, read=None) == 7
    assert with_cached(None, made=2, read=3) is None
    told = {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}
    assert CHAT_COUNTS.cached(told) == 4
    assert MLFLOW_COUNTS.cached(told) is None


def test_what_was_said_is_the_text_of_parts():
    assert joined_text(["a", {"text": "b"}, {"text": 3}, 4]) == "ab"
    assert joined_text(None) == ""
    assert text_of_part({"type": "refusal", "refusal": "no"}) == "no"
    assert text_of_part({"type": "image_url"}) is None


def test_a_part_is_of_one_kind():
    kinds = [*CALLS, *RESULTS, *THOUGHTS]
    assert len(kinds) == len(set(kinds))


NAMES = st.text("ab_-./:", max_size=8)


@given(NAMES, NAMES, st.sampled_from("_-./:"))
def test_a_tool_is_the_same_behind_the_name_of_its_server(server, name, mark):
    assert names_same_tool(name, name)
    assert names_same_tool(f"{server}{mark}{name}", name) == bool(name or f"{server}{mark}" == name)
    assert not names_same_tool(f"{server}x{name}", name) or not name


@given(NAMES, NAMES)
def test_two_names_of_one_length_are_two_tools(one, other):
    if len(one) <= len(other):
        assert names_same_tool(one, other) == (one == other)
