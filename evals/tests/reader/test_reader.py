"""The simulated reader of documentation."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.fuzzing.agents import ToolReply, run_agent_sync
from knitbone.models import ToolSpec, complete_sync
from knitbone.record.events import ChatMessage, ErrorInfo, ToolCall
from knitbone_evals.reader.filling import frozen_habits
from knitbone_evals.reader.reader import DocumentationReader


def tool(name: str = "do_it", description: str = "Do it.", **arguments: Any) -> ToolSpec:
    """A tool; an argument is its description, or its schema."""
    properties = {
        each: given if isinstance(given, dict) else {"type": "string", "description": given}
        for each, given in arguments.items()
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec(name=name, description=description, parameters=parameters)


def called(spec: ToolSpec, request: str, *, seed: int = 0, habits: Any = None) -> dict[str, Any]:
    """The arguments that the reader gives."""
    reader = DocumentationReader(seed=seed, habits=habits)
    said = complete_sync(reader, [ChatMessage(role="user", content=request)], tools=[spec])
    (call,) = said.message.tool_calls
    assert isinstance(call.arguments, dict)
    return call.arguments


STATED = [
    ("day", "Day as YYYY-MM-DD.", "Do it on March 12, 2025.", "2025-03-12"),
    ("day", "Day (DD/MM/YYYY).", "Do it on 3 April 2026.", "03/04/2026"),
    ("day", "Day, e.g. 2024-01-31.", "Do it on March 12th, 2025.", "2025-03-12"),
    ("day", {"type": "string", "format": "date"}, "Do it on 12 March 2025", "2025-03-12"),
    ("start", "Time, 24-hour HH:MM.", "Do it at 5:30 pm.", "17:30"),
    ("moment", "ISO 8601 date and time.", "Do it on 2 May 2025 at 9 am", "2025-05-02T09:00:00"),
    ("distance", "Distance in kilometres.", "Do it for 10 miles.", "16.0934"),
    ("weight_kg", {"type": "number"}, "Do it with a weight of 500 g.", 0.5),
    ("country", "ISO 3166 two-letter country code.", "Do it in Germany.", "DE"),
    ("country", "Country, for example FRA.", "Do it in Germany.", "DEU"),
    ("currency", "ISO 4217 code.", "Do it in Swiss francs.", "CHF"),
    ("origin", "IATA code of the airport.", "Do it from Lisbon.", "LIS"),
    ("city", "City in lower case.", "Do it in Buenos Aires.", "buenos aires"),
    ("guest", "Name as Last, First.", "Do it for Maria Lopez.", "Lopez, Maria"),
    ("page", {"type": "integer", "description": "Page, 0-based."}, "Do it for the third page.", 2),
    ("discount", "A fraction between 0 and 1.", "Do it with 15% off.", "0.15"),
    ("minutes", {"type": "integer", "description": "How long."}, "Do it for two hours.", 120),
    ("toppings", "Separated by semicolons.", "Do it with ham, olives and corn.", "ham;olives;corn"),
    ("toppings", {"type": "array"}, "Do it with ham and olives.", ["ham", "olives"]),
    ("season", {"type": "string", "enum": ["low", "high"]}, "Do it in the high season", "high"),
    ("cabin", "Cabin, such as 'first_class'.", "Do it in business class", "business_class"),
    ("season", "One of: low, high.", "Do it in the low season.", "low"),
    ("mode", 'Must be "on_foot" or "by_car".', "Do it on foot.", "on_foot"),
    ("breakfast", {"type": "boolean"}, "Do it without breakfast.", False),
    ("path", "Path of the file.", "Do it with notes/todo.txt please.", "notes/todo.txt"),
    ("text", "What to say.", "Do it with 'Hello, you'.", "Hello, you"),
]


@pytest.mark.parametrize(("name", "stated", "request_", "value"), STATED)
def test_the_reader_writes_the_form_that_is_stated(
    name: str, stated: Any, request_: str, value: Any
) -> None:
    found = {json.dumps(called(tool(**{name: stated}), request_, seed=seed)) for seed in range(6)}
    assert found == {json.dumps({name: value})}


def test_a_form_stated_in_the_tools_description_is_read() -> None:
    spec = tool(description="Do it. The day must be given as YYYY-MM-DD.", day={"type": "string"})
    assert called(spec, "Do it on 12 March 2025.") == {"day": "2025-03-12"}


def test_where_nothing_is_stated_forms_are_drawn_as_often_as_in_the_table() -> None:
    spec = tool(day={"type": "string"})
    habits = {"date": {"as said": 3.0, "2025-03-12": 1.0}}
    drawn = [
        called(spec, "Do it on 12 March 2025.", seed=s, habits=habits)["day"] for s in range(400)
    ]
    assert set(drawn) == {"12 March 2025", "2025-03-12"}
    assert 60 < drawn.count("2025-03-12") < 140


def test_the_same_seed_gives_the_same_call_and_another_request_another_draw() -> None:
    spec = tool(day={"type": "string"})
    habits = {"date": {"as said": 1.0, "2025-03-12": 1.0}}
    requests = [f"Do it on {n} March 2025." for n in range(1, 29)]
    once, again = ([called(spec, r, habits=habits)["day"] for r in requests] for _ in range(2))
    assert once == again
    assert 0 < sum(day.startswith("2025") for day in once) < len(once)


def test_each_argument_gets_its_own_words() -> None:
    spec = tool(
        origin={"type": "string"},
        destination={"type": "string"},
        passengers={"type": "integer"},
        day="As YYYY-MM-DD.",
    )
    assert called(
        spec, "I must be in Rome on 14 May 2026 from London, two passengers, to Rome"
    ) == {
        "origin": "London",
        "destination": "Rome",
        "passengers": 2,
        "day": "2026-05-14",
    }


def test_of_several_tools_the_nearest_is_taken() -> None:
    tools = [
        tool("delete_file", "Delete a file.", path="Path."),
        tool("move_file", "Move a file to another folder.", path="Path.", folder="Folder."),
        tool("weather", "Weather forecast of a city.", city="City."),
    ]
    reader = DocumentationReader()
    for request, name in (
        ("Please delete old.txt", "delete_file"),
        ("Move a.txt to the folder docs", "move_file"),
        ("What is the weather in Oslo?", "weather"),
    ):
        said = complete_sync(reader, [ChatMessage(role="user", content=request)], tools=tools)
        assert [call.name for call in said.message.tool_calls] == [name]


class Rooms:
    """Takes days in one form, of which its documentation says nothing."""

    spec = tool("book_room", "Book a room.", arrival={"type": "string"})

    def __init__(self, complaint: str) -> None:
        self.complaint = complaint

    def call(self, arguments: dict[str, Any]) -> ToolReply:
        if str(arguments.get("arrival"))[4:5] == "-":
            return ToolReply(text="Room 7 is booked.")
        told = f"Error: ValueError: {self.complaint}"
        return ToolReply(text=told, error=ErrorInfo(type="ValueError", message=self.complaint))


@pytest.mark.parametrize("style", ["react", "tool-calling"])
@pytest.mark.parametrize(
    ("complaint", "calls", "answer"),
    [
        ("arrival must be YYYY-MM-DD", 2, "The result is: Room 7 is booked."),
        ("bad day", 1, "I could not do this: Error: ValueError: bad day"),
    ],
)
def test_a_failed_call_is_tried_once_more_with_what_the_error_says(
    style: Literal["react", "tool-calling"], complaint: str, calls: int, answer: str
) -> None:
    reader = DocumentationReader(habits={"date": {"as said": 1.0}})
    result = run_agent_sync(reader, [Rooms(complaint)], "A room from 1 May 2026", style=style)
    made = [event for event in result.run.events if isinstance(event, ToolCall)]
    assert len(made) == calls
    assert result.answer == answer


def test_its_name_says_that_it_is_simulated() -> None:
    assert "simulated" in DocumentationReader(seed=3).name
    assert "3" in DocumentationReader(seed=3).name


def test_the_frozen_habits_are_used_by_default() -> None:
    assert frozen_habits()["date"]
    assert called(tool(city={"type": "string"}), "Do it in Rome")["city"] == "Rome"


@given(
    st.text(max_size=120),
    st.dictionaries(st.text(min_size=1, max_size=12), st.text(max_size=60), max_size=4),
)
def test_no_request_and_no_documentation_breaks_the_reader(
    request_: str, arguments: dict[str, str]
) -> None:
    spec = ToolSpec(
        name="t",
        description=" ".join(arguments.values()),
        parameters={
            "type": "object",
            "properties": {n: {"type": "string", "description": d} for n, d in arguments.items()},
            "required": list(arguments),
        },
    )
    said = complete_sync(
        DocumentationReader(), [ChatMessage(role="user", content=request_)], tools=[spec]
    )
    for call in said.message.tool_calls:
        assert isinstance(call.arguments, dict)
        assert set(call.arguments) <= set(arguments)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"properties": 3},
        {"properties": {"a": None}},
        {"properties": {"a": {"type": 3, "enum": 4}}, "required": 5},
    ],
)
def test_a_schema_of_any_shape_is_read(parameters: Any) -> None:
    spec = ToolSpec(name="t", description="x", parameters=parameters)
    said = complete_sync(
        DocumentationReader(), [ChatMessage(role="user", content="Do it")], tools=[spec]
    )
    assert len(said.message.tool_calls) == 1


@pytest.mark.parametrize("unit", ["1", "a-", "a, ", "three ", "'", "A.", "(one of a|", "and a "])
def test_huge_requests_and_documentation_are_read(unit: str) -> None:
    # None of them may take the square of its length: this test would not end.
    spec = tool(description=unit * 20_000, day=f"one of: {unit * 20_000}")
    called(spec, "on 12 March 2025 " + unit * 20_000)
