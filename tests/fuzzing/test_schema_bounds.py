"""Schemas of others: sound ones pass as they are, hostile ones are bounded and said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.fuzzing.generate.bounded_generator import BoundedGenerator, CannotGenerateError
from knitbone.fuzzing.generate.directed_generator import DirectedGenerator
from knitbone.fuzzing.generate.types import ArgumentProposal, Generator
from knitbone.fuzzing.records import CallOutcome, ToolUnderTest
from knitbone.fuzzing.schema_bounds import bounded_schema, without_patterns

KEYS = [
    "type", "properties", "required", "items", "prefixItems", "minItems", "maxItems", "minLength",
    "maxLength", "minProperties", "minimum", "maximum", "exclusiveMinimum", "multipleOf", "enum",
    "const", "default", "examples", "pattern", "format", "description", "$ref", "$defs", "allOf",
    "anyOf", "oneOf", "additionalProperties", "uniqueItems", "title", "not",
]  # fmt: skip
VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.sampled_from(["string", "object", "array", "#", "#/properties/x", "(a+)+", "\ud800", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYS, "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def tool_of(schema: dict[str, Any]) -> ToolUnderTest:
    sound, unmade = bounded_schema(schema)
    return ToolUnderTest(name="t", target="t", documentation="", schema=sound, unmade=unmade)


def generator_of(schema: dict[str, Any], time_s: float = 20.0) -> BoundedGenerator:
    tool = tool_of(schema)
    return BoundedGenerator(lambda spec: DirectedGenerator(spec, seed=1), tool, time_s=time_s)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(["properties", "type", "required"]), VALUE), VALUE)
def test_no_schema_ends_the_generator(schema: dict[str, Any], field: object) -> None:
    body = {"type": "object", "properties": {"x": field}, **schema}
    tool = tool_of(body)
    generator = DirectedGenerator(tool, seed=1)  # not bounded: what is raised is a fault
    for call in range(1, 21):
        arguments = generator.propose(call).arguments
        generator.observe(arguments, CallOutcome(status="ok", text="x"), None)


def test_a_sound_schema_is_passed_on_as_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"], "pattern": "^[a-z]+(?:-[a-z]+)?$", "default": None},
            "b": {"type": "array", "items": {"$ref": "#/$defs/B"}, "minItems": 1, "maxItems": 3},
            "c": {"anyOf": [{"const": None}, {"enum": [1, None]}], "x-note": {"kept": True}},
        },
        "required": ["a"],
        "$defs": {"B": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}}},
        "additionalProperties": False,
    }
    kept, unmade = bounded_schema(schema)
    assert kept is schema
    assert unmade == ()


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"type": "array", "minItems": 10**9}, "asks for 1,000,000,000 items"),
        ({"type": "string", "minLength": 10**12}, "characters"),
        ({"type": "string", "pattern": "^(a+)+$"}, "may never end"),
        ({"type": "integer", "minimum": 5, "maximum": 1}, "allows nothing"),
        ({"type": "number", "multipleOf": 0}, "`multipleOf` that is none"),
        ({"$ref": "http://localhost/x.json"}, "another document"),
        ({"type": "array", "minItems": 1, "items": {"$ref": "#/properties/x"}}, "without an end"),
        ({"enum": []}, "`enum` that is none"),
        ({"properties": None}, "`properties` that is none"),
    ],
)
def test_what_cannot_be_generated_is_said(field: dict[str, Any], said: str) -> None:
    schema = {"type": "object", "properties": {"x": field}, "required": ["x"]}
    assert any(said in note for note in tool_of(schema).unmade)
    generator = generator_of(schema)
    for call in range(1, 31):
        assert len(json.dumps(generator.propose(call).arguments)) < 100_000


def test_a_pattern_that_hangs_is_left_out_in_time() -> None:
    slow = {"type": "string", "pattern": "^(a|a)*$", "examples": ["a" * 400 + "!"]}
    generator = generator_of({"type": "object", "properties": {"x": slow}}, time_s=3.0)
    assert generator.propose(1).arguments
    assert "pattern" not in json.dumps(without_patterns({"properties": {"x": slow}}))


class Hungry(Generator):
    def __init__(self, *, memory: bool) -> None:
        self._memory = memory

    def propose(self, call: int) -> ArgumentProposal:
        if self._memory:
            return ArgumentProposal(arguments={"x": "x" * 10**10}, conforming=True)
        while True:
            pass

    def observe(self, arguments: Any, outcome: CallOutcome, failure: str | None) -> None:
        raise KeyError("nonsense")

    def behaviours(self) -> tuple[str, ...]:
        return ("learned",)


@pytest.mark.parametrize("memory", [False, True])
def test_a_proposal_without_an_end_ends(memory: bool) -> None:
    bounded = BoundedGenerator(
        lambda _: Hungry(memory=memory), tool_of({"type": "object"}), time_s=1.0
    )
    bounded.observe({}, CallOutcome(status="ok"), None)
    assert bounded.behaviours() == ("learned",)
    assert bounded.propose(1).arguments == {}
    assert bounded.propose(2).arguments == {}
    with pytest.raises(CannotGenerateError, match="asks for too much"):
        bounded.propose(3)
