"""Schemas beside callables: who is meant by which form."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from knitbone.errors import TargetError
from knitbone.fuzzing.tools.schemas import schema_tools
from knitbone.fuzzing.tools.types import ArgumentsRejectedError, Tool

PARAMETERS = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
SEND = {"name": "send", "description": "Sends.", "parameters": PARAMETERS}
COMPOSIO = {
    "slug": "SLACK_SEND",
    "name": "Send",
    "description": "S",
    "input_parameters": PARAMETERS,
}


def send(text: str) -> str:
    return "sent " + text


def execute(name: str, arguments: dict[str, Any]) -> str:
    return f"{name} {arguments['text']}"


def tools(value: Any) -> list[Tool]:
    found = schema_tools(value)
    assert found is not None
    return found


def call(tool: Tool, **arguments: Any) -> Any:
    try:
        return tool.call(tool.prepare(arguments))
    except ArgumentsRejectedError:
        return None


@pytest.mark.parametrize(
    ("value", "name", "result"),
    [
        ((SEND, send), "send", "sent a"),
        (({"type": "function", "function": SEND}, send), "send", "sent a"),
        (({"name": "send", "input_schema": PARAMETERS}, send), "send", "sent a"),
        (([SEND], {"send": send}), "send", "sent a"),
        (([SEND], execute), "send", "send a"),
        ((COMPOSIO, execute), "SLACK_SEND", "SLACK_SEND a"),
        ({**SEND, "callable": send}, "send", "sent a"),
        ({"schema": SEND, "function": send}, "send", "sent a"),
    ],
)
def test_each_form_is_called_as_it_is_meant(value: Any, name: str, result: str) -> None:
    (tool,) = tools(value)
    assert tool.describe()["name"] == name
    assert tool.describe()["schema"] == PARAMETERS
    assert call(tool, text="a") == result
    assert call(tool, text=3) is None
    assert call(tool, text="a", more=1) is None


def test_an_action_may_be_an_object() -> None:
    action = SimpleNamespace(**COMPOSIO, model_dump=lambda: COMPOSIO)
    (tool,) = tools(([action], execute))
    assert call(tool, text="a") == "SLACK_SEND a"


@pytest.mark.parametrize(
    "value", [(1, 2), {"a": 1}, (send, send), ({"a": 1}, send), [SEND], "text"]
)
def test_anything_else_is_no_schema(value: Any) -> None:
    assert schema_tools(value) is None


def test_a_schema_without_its_function_is_an_error() -> None:
    with pytest.raises(TargetError, match=r"schema for 'send'.*functions for: post"):
        schema_tools(([SEND], {"post": send}))


def test_a_schema_that_is_none_is_an_error() -> None:
    broken = {**SEND, "parameters": {"type": "object", "properties": {"text": {"type": "txt"}}}}
    with pytest.raises(TargetError, match=r"no JSON schema.*'txt'"):
        schema_tools((broken, send))
