"""Objects that carry a name, a schema and a callable are tools, however they are laid out; of what
is none, the error says how to pass it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from knitbone.errors import TargetError
from knitbone.fuzzing.tools.resolve import load_tools
from knitbone.fuzzing.tools.types import ArgumentsRejectedError, Tool

FIELDS: dict[str, Any] = {"city": {"type": "string"}, "days": {"type": "integer", "default": 3}}
SCHEMA: dict[str, Any] = {"type": "object", "properties": FIELDS, "required": ["city"]}


class Model(BaseModel):
    city: str
    days: int = 3


def forecast(city: str, days: int = 3) -> str:
    """Forecast the weather."""
    return f"{city} {days}"


async def forecast_later(city: str, days: int = 3) -> str:
    return f"{city} {days}"


async def forecast_in_parts(city: str, days: int = 3) -> Any:
    yield f"{city} "
    yield f"{days}"


def forecast_any(**given: Any) -> str:
    return forecast(**given)


SCHEMAS: dict[str, tuple[str, Any]] = {
    "input_schema": ("input_schema", SCHEMA),
    "inputSchema": ("inputSchema", SCHEMA),
    "parameters": ("parameters", SCHEMA),
    "model": ("args_schema", Model),
    "input model": ("input_schema", Model),
    "within an object": ("function_schema", SimpleNamespace(json_schema=SCHEMA)),
    "within a specification": ("tool_spec", {"name": "forecast", "inputSchema": {"json": SCHEMA}}),
    "a table": ("args", FIELDS),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sync": forecast, "async": forecast_later, "parts": forecast_in_parts, "any": forecast_any,
}  # fmt: skip
PLACES = ("entrypoint", "implementation", "function", "func", "fn", "handler", "run", "execute",
          "_run", "call", "forward", "__call__")  # fmt: skip


@dataclasses.dataclass
class Empty:
    """An object of a class; what it carries is put on it."""


def laid_out(how: str, fields: dict[str, Any]) -> Any:
    """An object with these fields: as a namespace, on a class, or behind properties."""
    called = fields.pop("__call__", None)
    if how == "namespace" and called is None:
        return SimpleNamespace(**fields)
    body: dict[str, Any] = {}
    for name, field in fields.items():
        is_function = callable(field) and not isinstance(field, type)
        body[name] = property(lambda _, v=field: v) if how == "properties" or is_function else field
    if called is not None:
        body["__call__"] = lambda _self, **given: called(**given)
    return type("Laid", (Empty,), body)()


def load(value: Any) -> list[Tool]:
    module = ModuleType("object_shapes_under_test")
    module.value = value  # pyright: ignore[reportAttributeAccessIssue] - made for it
    sys.modules[module.__name__] = module
    try:
        return load_tools(f"{module.__name__}:value", directory="/")
    finally:
        del sys.modules[module.__name__]


def joined(result: Any) -> str:
    return "".join(result) if isinstance(result, list) else str(result)


@st.composite
def objects(draw: st.DrawFn) -> Any:
    field, schema = SCHEMAS[draw(st.sampled_from(sorted(SCHEMAS)))]
    function = FUNCTIONS[draw(st.sampled_from(sorted(FUNCTIONS)))]
    fields: dict[str, Any] = {
        draw(st.sampled_from(["name", "tool_name"])): "forecast",
        "description": "Forecast the weather.",
        field: schema,
        draw(st.sampled_from(PLACES)): function,
    }
    if draw(st.booleans()):  # what an agent's framework calls instead, with things of its own
        fields.setdefault("invoke", lambda context, given: (context, given))
    if draw(st.booleans()):
        fields |= {"metadata": {"type": "x"}, "tags": [], "strict": True}
    return laid_out(draw(st.sampled_from(["namespace", "class", "properties"])), fields)


HOLDERS: dict[str, Callable[[Any], Any]] = {
    "alone": lambda tool: tool,
    "list": lambda tool: [tool],
    "functions": lambda tool: SimpleNamespace(name="kit", functions={"forecast": tool}),
    "tools": lambda tool: SimpleNamespace(tools=[tool]),
    "table": lambda tool: SimpleNamespace(tools={"forecast": tool}),
    "method": lambda tool: SimpleNamespace(tools=lambda: [tool]),
    "generator": lambda tool: SimpleNamespace(tools=lambda: (each for each in [tool])),
    "get_tools": lambda tool: SimpleNamespace(get_tools=lambda: [tool]),
    "class": lambda tool: type("Kit", (), {"__init__": lambda self: setattr(self, "functions",
                                                                          {"a": tool})}),
}  # fmt: skip


@given(objects(), st.sampled_from(sorted(HOLDERS)))
def test_an_object_with_name_schema_and_callable_is_a_tool(value: Any, holder: str) -> None:
    (tool,) = load(HOLDERS[holder](value))
    described = tool.describe()
    assert described["name"] == "forecast"
    assert described["documentation"] == "Forecast the weather."
    assert list(described["schema"]["properties"]) == ["city", "days"]
    assert described["schema"]["required"] == ["city"]
    assert joined(tool.call(tool.prepare({"city": "Oslo", "days": 2}))) == "Oslo 2"
    assert joined(tool.call(tool.prepare({"city": "Oslo"}))) == "Oslo 3"
    for wrong in ({}, {"city": 1}, {"city": "Oslo", "days": "x"}):
        with pytest.raises(ArgumentsRejectedError):
            tool.prepare(wrong)


def test_an_object_whose_schema_is_not_made_yet_is_read_by_its_function() -> None:
    value = SimpleNamespace(
        name="forecast", description=None, entrypoint=forecast,
        parameters={"type": "object", "properties": {}, "required": []},
    )  # fmt: skip
    (tool,) = load(value)
    assert tool.describe()["schema"]["required"] == ["city"]
    assert tool.describe()["documentation"] == "Forecast the weather."
    value.process_entrypoint = lambda: setattr(value, "parameters", SCHEMA)
    (tool,) = load(value)
    assert tool.describe()["schema"] == SCHEMA


def injected(city: str, days: int, agent: Any) -> str:
    return f"{city} {days} {agent}"


def test_an_object_whose_function_wants_more_than_its_schema_is_refused() -> None:
    value = SimpleNamespace(name="forecast", parameters=SCHEMA, function=injected)
    with pytest.raises(TargetError, match="'agent', which its framework injects"):
        load(value)


class Service:
    def find(self, key: str) -> str:
        return key

    def store(self, key: str) -> str:
        return key


def takes_anything(*args: Any, **kwargs: Any) -> None: ...


@pytest.mark.parametrize(
    ("value", "hints"),
    [
        (Service(), ["module:object.find", "[value.find, value.store]", "SCHEMA}, function"]),
        (Service, ["TOOLS = [value(...).find", "SCHEMA}, function"]),
        (takes_anything, ["SCHEMA}, function"]),
        (SimpleNamespace(name="a", input_schema=SCHEMA), ["(schema, function)"]),
        (SimpleNamespace(name="a", input_schema=SCHEMA, invoke=lambda context, given: given),
         ["(schema, function)"]),
        (3, ["(schema, function)"]),
    ],
)  # fmt: skip
def test_what_is_no_tool_is_told_how_to_pass_it(value: Any, hints: list[str]) -> None:
    with pytest.raises(TargetError) as caught:
        load(value)
    for hint in hints:
        assert hint in str(caught.value.next_step)
