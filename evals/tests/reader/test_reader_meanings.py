"""The reader of documentation, where somebody else understood the requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.fuzzing.agents import ToolReply, run_agent_sync
from knitbone.models import ToolSpec, complete_sync
from knitbone.record.events import ChatMessage, ErrorInfo, ToolCall
from knitbone_evals.reader.forms import KINDS
from knitbone_evals.reader.meanings import Meaning, StatedNotation, problems_of
from knitbone_evals.reader.reader import DocumentationReader

DAY = {"year": 2025, "month": 3, "day": 12}


def meaning(words: str, kind: str, stated: dict[str, Any] | None = None, **parts: Any) -> Meaning:
    notation = None if stated is None else StatedNotation(quote="any", **stated)
    return Meaning(words=words, kind=kind, stated=notation, **parts)


class Understood:
    """Understands every request in one way."""

    name = "a test"

    def __init__(self, **meanings: Meaning) -> None:
        self._meanings = meanings

    def meanings(self, tool: ToolSpec, request: str) -> Mapping[str, Meaning]:
        assert tool.name == "do_it"
        assert request
        return self._meanings


def spec(**arguments: Any) -> ToolSpec:
    properties = {
        each: given if isinstance(given, dict) else {"type": given}
        for each, given in arguments.items()
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec(name="do_it", description="Do it.", parameters=parameters)


def value(understood: Meaning, type_: Any = "string", *, seed: int = 0, habits: Any = None) -> Any:
    """The value that the reader writes."""
    reader = DocumentationReader(
        seed=seed, habits=habits, comprehension=Understood(value=understood)
    )
    asked = [ChatMessage(role="user", content="Do it.")]
    (call,) = complete_sync(reader, asked, tools=[spec(value=type_)]).message.tool_calls
    assert isinstance(call.arguments, dict)
    return call.arguments["value"]


STATED = [
    (meaning("June 3rd", "date", {"pattern": "%d.%m.%Y"}, **DAY), "string", "12.03.2025"),
    (
        meaning("at 9", "moment", {"pattern": "%Y-%m-%d %H:%M"}, **DAY, hour=9, minute=5),
        "string",
        "2025-03-12 09:05",
    ),
    (meaning("half 4", "time", {"pattern": "%I:%M %p"}, hour=15, minute=30), "string", "03:30 PM"),
    (
        meaning("Ms Ada B", "person", {"pattern": "{family}, {given}"}, given="Ada", family="B"),
        "string",
        "B, Ada",
    ),
    (meaning("2500 m", "quantity", {"times": 0.001}, number=2500, unit="m"), "number", 2.5),
    (meaning("5 hours", "duration", {"times": 60}, number=5, unit="hours"), "integer", 300),
    (meaning("5 hours", "duration", {"times": 60}, number=5, unit="hours"), "string", "300"),
    (meaning("the sea", "option", {"listed": "sea side"}), "string", "sea side"),
    (meaning("Brazil", "country", {"listed": "3"}), "integer", 3),
    (meaning("Poland", "country", {"written": "PL"}), "string", "PL"),
    (meaning("ten", "count", {"written": 10}, number=10), "integer", 10),
    (meaning("by night", "truth", {"listed": "true"}, yes=True), "boolean", True),
    (meaning("by day", "truth", yes=False), "boolean", False),
    (meaning("ham, olives", "list", items=("ham", "olives")), "array", ["ham", "olives"]),
]  # fmt: skip


@pytest.mark.parametrize(("understood", "type_", "written"), STATED)
def test_a_stated_form_is_written_whatever_is_drawn(
    understood: Meaning, type_: str, written: Any
) -> None:
    found = [value(understood, type_, seed=seed) for seed in range(6)]
    assert [(each, type(each)) for each in found] == [(written, type(written))] * 6


def test_where_no_form_is_stated_it_is_drawn_as_often_as_in_the_table() -> None:
    understood = meaning("the 12th of March '25", "date", **DAY)
    habits = {"date": {"without article": 3.0, "12.03.2025": 1.0}}
    drawn = [value(understood, seed=seed, habits=habits) for seed in range(400)]
    assert set(drawn) == {"12th of March '25", "12.03.2025"}
    assert 60 < drawn.count("12.03.2025") < 140


@pytest.mark.parametrize(
    ("understood", "form", "written"),
    [
        (meaning("two and a half kilos", "quantity", number=2.5, unit="kilos"), "12", "2.5"),
        (meaning("two and a half kilos", "quantity", number=2.5, unit="kilos"), "12 kilograms",
         "2.5 kilos"),
        (meaning("€1,250", "amount", number=1250, unit="euros"), "1250 EUR", "1250 EUR"),
        (meaning("a tenth", "percent", number=10), "15%", "10%"),
        (meaning("a tenth", "percent", number=10), "the word", "tenth"),
        (meaning("quarter to noon", "time", hour=11, minute=45), "15:30", "11:45"),
        (meaning("4 August 2025 ... 6 am", "moment", year=2025, month=8, day=4, hour=6),
         "2025-03-17T09:00:00", "2025-08-04T06:00:00"),
        (meaning("4 August 2025 ... 6 am", "moment", year=2025, month=8, day=4, hour=6),
         "as said", "4 August 2025 6 am"),
        (meaning("our Ms Byron", "person", given="Ada", family="Byron"), "Last, First",
         "Byron, Ada"),
        (meaning("may 1999", "date", year=1999, month=5), "2025-03-01 of a month", "1999-05-01"),
    ],
)  # fmt: skip
def test_a_form_is_made_of_the_meaning_or_keeps_the_words(
    understood: Meaning, form: str, written: str
) -> None:
    assert value(understood, habits={understood.kind: {form: 1.0}}) == written


def test_a_number_of_the_schema_is_the_one_that_is_meant() -> None:
    understood = meaning("one and a half kilo", "quantity", number=1.5, unit="kilo")
    assert {value(understood, "number", seed=seed) for seed in range(20)} == {1.5}


def test_the_same_seed_draws_the_same_and_an_argument_that_is_not_meant_is_left_out() -> None:
    understood = meaning("12 March 2025", "date", **DAY)
    habits = {"date": {"as said": 1.0, "2025-03-12": 1.0}}
    drawn = [value(understood, seed=seed, habits=habits) for seed in range(30)]
    assert drawn == [value(understood, seed=seed, habits=habits) for seed in range(30)]
    assert set(drawn) == {"12 March 2025", "2025-03-12"}
    reader = DocumentationReader(comprehension=Understood(day=understood))
    asked = [ChatMessage(role="user", content="Do it.")]
    said = complete_sync(reader, asked, tools=[spec(day="string", other="string")])
    assert list(said.message.tool_calls[0].arguments) == ["day"]


class Picky:
    """Takes days in one form, which only its error tells."""

    spec = spec(day="string")

    def call(self, arguments: dict[str, Any]) -> ToolReply:
        if arguments.get("day") == "12/03/2025":
            return ToolReply(text="done")
        told = "day must be DD/MM/YYYY"
        return ToolReply(text=f"Error: {told}", error=ErrorInfo(type="ValueError", message=told))


def test_after_a_failed_call_the_form_that_the_error_tells_is_written() -> None:
    understood = Understood(day=meaning("March 12th, 2025", "date", **DAY))
    reader = DocumentationReader(habits={"date": {"as said": 1.0}}, comprehension=understood)
    result = run_agent_sync(reader, [Picky()], "Do it on March 12th, 2025")
    made = [event.arguments for event in result.run.events if isinstance(event, ToolCall)]
    assert made == [{"day": "March 12th, 2025"}, {"day": "12/03/2025"}]
    assert result.answer == "The result is: done"


TEXT = 'Books a room. day: first night, as\n    DD/MM/YYYY. view: "sea" or "garden".'


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"words": "12 March", "kind": "date", **DAY}, ""),
        ({"words": "12 ... by the sea", "kind": "date", **DAY}, ""),
        ({"words": "13 March", "kind": "date", **DAY}, "request does not hold"),
        ({"words": "by the sea ... 13", "kind": "date", **DAY}, "request does not hold"),
        ({"words": " ", "kind": "text"}, "request does not hold"),
        ({"words": "12", "kind": "thing"}, "none of the kinds"),
        ({"words": "12", "kind": "count"}, "needs a number"),
        ({"words": "sea", "kind": "truth"}, "needs yes"),
        ({"words": "sea", "kind": "list"}, "needs items"),
        ({"words": "sea", "kind": "option", "stated": {"quote": '"sea" or', "listed": "sea"}}, ""),
        (
            {"words": "sea", "kind": "option", "stated": {"quote": '"sea"', "listed": "garden"}},
            "do not list",
        ),
        (
            {"words": "12", "kind": "date", **DAY,
             "stated": {"quote": "as DD/MM/YYYY", "pattern": "%d/%m/%Y"}},
            "",
        ),
        (
            {"words": "12", "kind": "date", **DAY,
             "stated": {"quote": "as YYYY-MM-DD", "pattern": "%Y-%m-%d"}},
            "documentation does not hold",
        ),
        (
            {"words": "12", "kind": "date", "day": 12,
             "stated": {"quote": "as DD/MM/YYYY", "pattern": "%d/%m/%Y"}},
            "cannot be written",
        ),
        (
            {"words": "12", "kind": "date", **DAY,
             "stated": {"quote": "as DD/MM/YYYY", "pattern": "%d/%q"}},
            "cannot be written",
        ),
        (
            {"words": "12", "kind": "date", **DAY,
             "stated": {"quote": "as DD/MM/YYYY", "pattern": "%d", "written": "12"}},
            "give one of",
        ),
        ({"words": "12", "kind": "text", "stated": {"quote": "view", "times": 2}}, "a number"),
        ({"words": "12", "kind": "text", "stated": {"quote": "view"}}, "give one of"),
    ],
)  # fmt: skip
def test_code_looks_up_what_an_understanding_quotes(answer: dict[str, Any], problem: str) -> None:
    understood = {"day": msgspec.convert(answer, Meaning)}
    found = problems_of(understood, TEXT, ["day"], "A room from 12 March on by the sea")
    assert problem in "; ".join(found)
    assert bool(found) == bool(problem)


def test_an_argument_that_the_tool_does_not_have_is_told() -> None:
    understood = {"days": Meaning(words="12", kind="text")}
    assert problems_of(understood, TEXT, ["day"], "12") == ["days: the tool has no such argument"]


def test_its_name_says_who_understood_the_requests() -> None:
    name = DocumentationReader(seed=2, comprehension=Understood()).name
    assert "simulated" in name
    assert "understood by a test" in name


@given(
    st.builds(
        Meaning,
        words=st.text(max_size=20),
        kind=st.sampled_from([*KINDS, "none"]),
        year=st.none() | st.integers(-1, 10_000),
        month=st.none() | st.integers(-1, 14),
        day=st.none() | st.integers(-1, 40),
        hour=st.none() | st.integers(-1, 30),
        minute=st.none() | st.integers(-1, 90),
        number=st.none() | st.floats(allow_nan=False, allow_infinity=False),
        unit=st.text(max_size=8),
        items=st.lists(st.text(max_size=5), max_size=3).map(tuple),
        yes=st.none() | st.booleans(),
        stated=st.none()
        | st.builds(StatedNotation, quote=st.text(max_size=5), pattern=st.text(max_size=8))
        | st.builds(StatedNotation, quote=st.text(max_size=5), times=st.floats(-1e9, 1e9)),
    ),
    st.sampled_from(["string", "integer", "number", "boolean", "array"]),
)
def test_no_understanding_breaks_the_reader(understood: Meaning, type_: str) -> None:
    value(understood, type_)
    problems_of({"value": understood}, TEXT, ["value"], "request")
