"""The generator: what it calls conforming is accepted by the library that made the schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Literal, Optional, Union

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from knitbone.fuzzing.generate.examples import quoted_examples
from knitbone.fuzzing.generate.numbers import draw_number, numbers
from knitbone.fuzzing.generate.schema import SchemaGenerator
from knitbone.fuzzing.generate.strings import family_of, mutate
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.fuzzing.tools.functions import FunctionTool
from knitbone.fuzzing.tools.types import ArgumentsRejectedError


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: float = 0.0


class Item(BaseModel):
    """A pydantic model, nested and recursive."""

    name: str = Field(min_length=1, max_length=8)
    count: int = Field(ge=1, lt=10)
    parts: list[Item] = []
    tags: dict[str, int | None] = {}


TYPES: list[Any] = [
    str,
    int,
    float,
    bool,
    None,
    Any,
    date,
    Annotated[datetime, msgspec.Meta(tz=True)],
    Colour,
    Point,
    Item,
    Literal["a", "b", 3],
    Optional[int],  # noqa: UP045 - as people write it
    Union[int, str, None],  # noqa: UP007 - as people write it
    list[int],
    list[list[str]],
    tuple[int, str],
    dict[str, float],
    set[int],
    list[Item],
    Optional[Item],  # noqa: UP045 - as people write it
    Annotated[int, msgspec.Meta(ge=3, le=5)],
    Annotated[float, msgspec.Meta(gt=0, lt=1)],
    Annotated[int, msgspec.Meta(multiple_of=7)],
    Annotated[str, msgspec.Meta(min_length=2, max_length=4)],
    Annotated[list[int], msgspec.Meta(min_length=2, max_length=3)],
    Annotated[str, msgspec.Meta(pattern="^[a-z]+$")],
]


def tool_of(hint: Any, *, default: Any = ...) -> FunctionTool:
    def tool(value: Any, other: str = "x") -> str:
        """A tool."""
        return "ok"

    tool.__annotations__ = {"value": hint, "other": str, "return": str}
    if default is not ...:
        tool.__defaults__ = (default, "x")
    return FunctionTool(tool, name="tool")


def is_rejected(tool: FunctionTool, arguments: dict[str, Any]) -> bool:
    try:
        tool.prepare(arguments)
    except ArgumentsRejectedError as error:
        return bool(str(error))
    return False


def generator_of(tool: FunctionTool, seed: int) -> SchemaGenerator:
    spec = msgspec.convert({**tool.describe(), "target": "m:tool"}, ToolUnderTest)
    return SchemaGenerator(spec, seed=seed, paths=("notes.txt",))


@pytest.mark.parametrize("hint", TYPES, ids=repr)
def test_conforming_arguments_pass_the_validation_of_the_schemas_own_library(hint: Any) -> None:
    tool = tool_of(hint)
    for seed in (1, 2):
        generator = generator_of(tool, seed)
        conforming = 0
        for call in range(1, 121):
            proposal = generator.propose(call)
            if proposal.conforming:
                conforming += 1
                tool.prepare(proposal.arguments)
        assert conforming > 100


@pytest.mark.parametrize("hint", [str, int, Item, Literal["a", "b"], list[int]], ids=repr)
def test_some_calls_just_miss_the_schema(hint: Any) -> None:
    tool = tool_of(hint)
    generator = generator_of(tool, 1)
    misses = [p for p in map(generator.propose, range(1, 201)) if not p.conforming]
    assert 10 <= len(misses) <= 40
    assert sum(is_rejected(tool, miss.arguments) for miss in misses) >= 5


def test_a_proposal_depends_on_seed_and_number_only() -> None:
    first, second = (generator_of(tool_of(Item), 4) for _ in range(2))
    forward = [first.propose(call) for call in range(1, 50)]
    backward = [second.propose(call) for call in range(49, 0, -1)]
    assert forward == backward[::-1]
    assert forward != [generator_of(tool_of(Item), 5).propose(call) for call in range(1, 50)]


def test_proposals_survive_json_and_stay_small() -> None:
    for hint in (str, list[str], dict[str, str], Any):
        generator = generator_of(tool_of(hint), 1)
        for call in range(1, 150):
            arguments = generator.propose(call).arguments
            text = json.dumps(arguments)
            assert json.loads(text) == arguments
            assert len(text) < 100_000, "a reproducer must fit on a command line"


def test_a_single_text_field_sees_the_classes_that_programs_get_wrong() -> None:
    generator = generator_of(tool_of(str), 1)
    texts = [generator.propose(call).arguments.get("value") for call in range(1, 601)]
    texts = [text for text in texts if isinstance(text, str)]
    assert "" in texts
    assert any(text.isspace() for text in texts if text)
    assert any("\x00" in text for text in texts)
    assert any("\ud800" in text for text in texts)
    assert any(len(text) > 4_000 for text in texts)
    assert "notes.txt" in texts
    assert any(text.startswith("${SANDBOX}/") for text in texts)


def test_enumerations_and_defaults_are_covered() -> None:
    tool = tool_of(Literal["a", "b", "c"], default="b")
    proposals = [generator_of(tool, 1).propose(call) for call in range(1, 61)]
    values = {p.arguments.get("value", "left out") for p in proposals if p.conforming}
    assert values == {"a", "b", "c", "left out"}


@given(
    low=st.none() | st.integers(-(10**6), 10**6),
    span=st.none() | st.integers(0, 10**6),
    step=st.none() | st.integers(1, 50),
    whole=st.booleans(),
    odd=st.booleans(),
    randomness=st.randoms(use_true_random=False),
)
def test_numbers_stay_within_the_bounds_of_the_schema(
    low: int | None, span: int | None, step: int | None, whole: bool, odd: bool, randomness: Any
) -> None:
    schema: dict[str, Any] = {}
    if low is not None:
        schema["minimum"] = low
    if span is not None:
        schema["maximum"] = (low or 0) + span
    if step is not None and span is None:
        schema["multipleOf"] = step
    drawn = [draw_number(randomness, schema, whole=whole, odd=odd), *numbers(schema, whole=whole)]
    for value in drawn:
        assert schema.get("minimum", value) <= value <= schema.get("maximum", value)
        assert value % schema.get("multipleOf", 1) == 0 or not (whole or "multipleOf" in schema)


@settings(max_examples=50)
@given(text=st.text(max_size=60), seed=st.integers(0, 1000))
def test_mutating_any_example_gives_text(text: str, seed: int) -> None:
    import random

    assert isinstance(mutate(random.Random(seed), text), str)


def test_examples_are_read_from_the_documentation() -> None:
    text = "Seat a party from a note such as 'Ann;2;in', e.g. for dinner. Unit is `km` or \"mile\"."
    assert {"Ann;2;in", "km", "mile"} <= set(quoted_examples(text))


@pytest.mark.parametrize(
    ("name", "description", "documentation", "family"),
    [
        ("file_path", "", "", "path"),
        ("arrivalDate", "", "", "date"),
        ("value", "an e-mail address", "", "email"),
        ("start", "", "Counts days from a start date.", "date"),
        ("x", "", "", None),
        ("query", "", "", "query"),
        ("query", "A correct SQL query.", "", "sql"),
        ("query", "Where to look.", "", "query"),
        ("text", "", "A shell. The input should be a valid python command.", "code"),
        ("tool_input", "", "Input to this tool is a detailed GraphQL query.", "graphql"),
        ("tool_input", "", "Input: the name of a city.", None),
        ("table_names", "Table names, such as table1.", "", None),
    ],
)
def test_a_field_tells_what_it_holds(
    name: str, description: str, documentation: str, family: str | None
) -> None:
    assert family_of(name, description, None, documentation=documentation) == family


@pytest.mark.parametrize("longest", [100, 3])
def test_two_fields_of_the_same_sort_get_the_same_text_now_and_then(longest: int) -> None:
    def move(source_path: str, target_path: str, note: str) -> str:
        """A tool."""
        return "ok"

    move.__annotations__["target_path"] = Annotated[str, msgspec.Meta(max_length=longest)]
    generator = generator_of(FunctionTool(move, name="move"), 1)
    calls = [generator.propose(call).arguments for call in range(1, 201)]
    same = [a.get("source_path") for a in calls if a.get("source_path") == a.get("target_path")]
    assert ("notes.txt" in same) is (longest > 3)


def test_types_that_no_library_understands_are_a_clear_error() -> None:
    from knitbone.errors import TargetError

    class Opaque:
        pass

    with pytest.raises(TargetError, match="no JSON schema"):
        tool_of(Opaque)
