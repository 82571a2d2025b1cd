"""Plain functions: what their annotations say is what an agent sees, and what is validated."""

from __future__ import annotations

import enum
import functools
import random
from typing import Annotated, Any, Literal

import msgspec
import pytest
from pydantic import BaseModel, Field

from knitbone.fuzzing.generate.schema import SchemaGenerator
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.fuzzing.tools.functions import FunctionTool
from knitbone.fuzzing.tools.types import ArgumentsRejectedError


class Guest(BaseModel):
    age: Annotated[int, Field(ge=0)]


class Colour(enum.Enum):
    RED = "red"


def described(
    table: Annotated[int, "Number of the table."],
    place: Annotated[Literal["in", "out"], "Where."] = "in",
    colour: Colour = Colour.RED,
) -> str:
    """Seats."""
    return f"{table} {place} {colour}"


def constrained(
    table: Annotated[int, Field(ge=1, description="From 1.", examples=[4])],
    note: Annotated[str, "A note."] = "",
) -> str:
    return f"{table} {note}"


def deep(tables: list[Annotated[int, Field(ge=1)]]) -> str:
    return str(tables)


def with_msgspec(table: Annotated[int, msgspec.Meta(ge=1)]) -> str:
    return str(table)


def field_as_default(table: int = Field(4, ge=1, description="From 1.")) -> str:
    return f"{table + 1}"


def nested(guest: Guest) -> str:
    return str(guest.age)


def call(function: Any, **arguments: Any) -> Any:
    """The result; ``None`` where validation refuses the arguments."""
    tool = FunctionTool(function, name=function.__name__)
    try:
        return tool.call(tool.prepare(arguments))
    except ArgumentsRejectedError:
        return None


def properties(function: Any) -> dict[str, Any]:
    return FunctionTool(function, name=function.__name__).describe()["schema"]["properties"]


def test_texts_beside_a_type_describe_the_field() -> None:
    fields = properties(described)
    assert fields["table"]["description"] == "Number of the table."
    assert fields["place"]["description"] == "Where."
    assert set(fields["place"]["enum"]) == {"in", "out"}
    assert fields["place"]["default"] == "in"
    assert fields["colour"]["default"] == "red"
    assert call(described, table=4) == "4 in Colour.RED"
    assert call(described, table=4, place="roof") is None


def test_constraints_of_pydantic_are_seen_and_validated() -> None:
    fields = properties(constrained)
    assert fields["table"]["minimum"] == 1
    assert fields["table"]["examples"] == [4]
    assert fields["table"]["description"] == "From 1."
    assert fields["note"]["description"] == "A note."
    assert call(constrained, table=1) == "1 "
    assert call(constrained, table=0) is None


def test_a_field_as_default_gives_its_default() -> None:
    assert properties(field_as_default)["table"]["default"] == 4
    assert call(field_as_default) == "5"
    assert call(field_as_default, table=0) is None


@pytest.mark.parametrize(
    ("function", "good", "bad"),
    [
        (deep, {"tables": [1]}, {"tables": [1, 0]}),
        (with_msgspec, {"table": 1}, {"table": 0}),
        (nested, {"guest": {"age": 0}}, {"guest": {"age": -1}}),
    ],
)
def test_validation_reaches_inside(
    function: Any, good: dict[str, Any], bad: dict[str, Any]
) -> None:
    assert call(function, **good) is not None
    assert call(function, **bad) is None


def unset(table: int = None, note: str | None = None) -> str:  # noqa: RUF013 - as people write it
    return f"{table} {note}"


def test_a_default_that_may_not_be_given_is_none_of_the_schema() -> None:
    fields = properties(unset)
    assert "default" not in fields["table"]
    assert fields["note"]["default"] is None
    assert call(unset) == "None None"
    assert call(unset, table=None) is None


def test_a_default_that_does_not_fit_its_schema_is_not_drawn() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "default": None}}}
    tool = ToolUnderTest(name="t", target="t:t", documentation="", schema=schema)
    generator = SchemaGenerator(tool, seed=random.Random(4).randrange(99))
    drawn = [generator.propose(number) for number in range(1, 60)]
    valid = [each.arguments for each in drawn if each.arguments.get("n", 0) is None]
    assert len(valid) < 6  # one that just misses the schema now and then


def shown_otherwise(function: Any) -> Any:
    @functools.wraps(function)
    def called(params: dict[str, Any]) -> Any:
        return function(**params["values"])

    return called


def as_shown(function: Any) -> Any:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return called


def test_a_decorator_that_takes_something_else_is_called_its_way() -> None:
    assert list(properties(shown_otherwise(with_msgspec))) == ["params"]
    assert call(shown_otherwise(with_msgspec), params={"values": {"table": 2}}) == "2"
    assert list(properties(as_shown(with_msgspec))) == ["table"]
    assert call(as_shown(with_msgspec), table=2) == "2"


class Decorated:
    """What some frameworks put in a function's place."""

    def __init__(self, function: Any) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)


def test_an_object_in_a_functions_place_shows_what_it_wraps() -> None:
    assert list(properties(Decorated(with_msgspec))) == ["table"]
    assert call(Decorated(with_msgspec), table=2) == "2"
