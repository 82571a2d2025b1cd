"""Tool calls that a model writes into its answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.config import ModelConfig
from knitbone.fuzzing.agents import ToolReply, run_agent_sync
from knitbone.fuzzing.agents.written_calls import read_written_calls
from knitbone.models import ToolSpec, create_chat_model
from knitbone.record.events import ToolCall
from knitbone.testing import ModelServer

ROOM = ToolSpec(
    name="book_room",
    description="Book a hotel room.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}},
    },
)
CALL = '{"name": "book_room", "arguments": {"city": "Rome", "nights": 3}}'
WANTED = {"city": "Rome", "nights": 3}

WRITTEN = {
    "bare": CALL,
    "two braces, as Qwen2.5-Coder 1.5B writes": "{" + CALL + "}",
    "fenced": f"```json\n{CALL}\n```",
    "fenced over lines": "```json\n" + json.dumps(json.loads(CALL), indent=2) + "\n```",
    "a remark before and behind": f"I will book it.\n\n```json\n{CALL}\n```\n\nIt costs 3 nights.",
    "a tag": f"<tool_call>\n{CALL}\n</tool_call>",
    "a tag on one line": f"<tool_call>{CALL}</tool_call>",
    "a tag within a fence": f"```xml\n<tool_call>\n{{{CALL}}}\n</tool_call>\n```",
    "a tag never closed": f"Sure:\n<tool_call>\n{CALL}",
    "another tag": f"<tools>\n{CALL}\n</tools>",
    "behind a remark on its line": f"Here is the call: {CALL}",
    "a list": f"[{CALL}]",
    "Mistral's list": f"[TOOL_CALLS] [{CALL}]",
    "OpenAI's wire": json.dumps(
        {"tool_calls": [{"id": "c1", "type": "function", "function": {
            "name": "book_room", "arguments": json.dumps(WANTED)}}]}
    ),
    "Llama's keys": '{"type": "function", "name": "book_room", "parameters": {"city": "Rome",'
    ' "nights": 3}}',
    "LangChain's keys": '{"action": "book_room", "action_input": {"city": "Rome", "nights": 3}}',
    "Python's quotes": "```json\n{'name': 'book_room', "
    "'arguments': {'city': 'Rome', 'nights': 3}}\n```",
    "a comma too many": '{"name": "book_room", "arguments": {"city": "Rome", "nights": 3,},}',
    "what it makes up behind": f"{CALL}\n<tool_response>\n"
    '{"name": "book_room", "arguments": {"city": "Oslo", "nights": 1}}\n</tool_response>',
}  # fmt: skip

ANSWERS = {
    "the call within a sentence": f"You could write {CALL} to book it.",
    "the call in code": f"```python\ncall = {CALL}\n```",
    "the call in code, bare": f"```python\n{CALL}\n```",
    "data": '```json\n{"city": "Rome", "nights": 3}\n```',
    "data with a name": '{"name": "book_room", "nights": 3}',
    "arguments that are no object": '{"name": "book_room", "arguments": "Rome"}',
    "another tool": '{"name": "cook", "arguments": {"city": "Rome"}}',
    "the tool's own description": json.dumps(
        {"name": "book_room", "description": "Book a hotel room.", "parameters": ROOM.parameters}
    ),
    "the tool's own schema": json.dumps({"name": "book_room", "parameters": ROOM.parameters}),
    "a list of which one is no call": f'[{CALL}, {{"name": "Ann"}}]',
    "more than a call": '{"name": "book_room", "arguments": {"city": "Rome"}, "price": 200}',
    "cut off": CALL[:-12],
}


@pytest.mark.parametrize("said", WRITTEN.values(), ids=WRITTEN)
def test_a_call_is_read_in_each_form_that_models_write(said: str) -> None:
    read = read_written_calls(said, [ROOM])
    assert read is not None
    assert [(call.name, call.arguments) for call in read.calls] == [("book_room", WANTED)]


@pytest.mark.parametrize("said", ANSWERS.values(), ids=ANSWERS)
def test_an_answer_with_json_in_it_stays_an_answer(said: str) -> None:
    assert read_written_calls(said, [ROOM]) is None


def test_several_calls_are_read_in_order_and_the_remark_is_kept() -> None:
    second = CALL.replace("Rome", "Oslo")
    read = read_written_calls(
        f"Two rooms.\n```json\n{CALL}\n```\nand\n```json\n{second}\n```", [ROOM]
    )
    assert read is not None
    assert read.remark == "Two rooms."
    assert [call.arguments["city"] for call in read.calls] == ["Rome", "Oslo"]  # type: ignore[index, call-overload]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "arguments", "city", "nights", "tool", "input"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


def is_call(value: Any) -> bool:
    """Whether some object in a value is one of a tool's name and an object."""
    if isinstance(value, list):
        return any(is_call(item) for item in value)
    if not isinstance(value, dict):
        return False
    named = "book_room" in [inner for inner in value.values() if isinstance(inner, str)]
    return named or any(is_call(inner) for inner in value.values())


@given(
    value=JSON.filter(lambda value: not is_call(value)),
    before=st.sampled_from(["", "book_room says: ", "The result of book_room:\n", "```json\n"]),
    behind=st.sampled_from(["", "\n```", " as book_room told me", "\n<tool_call>"]),
)
def test_no_plain_answer_becomes_a_call(value: Any, before: str, behind: str) -> None:
    assert read_written_calls(before + json.dumps(value) + behind, [ROOM]) is None


@given(st.text(alphabet="{}[]\"':,`<>/ab\n\\", max_size=200))
def test_no_text_breaks_the_reader_of_written_calls(said: str) -> None:
    assert read_written_calls(said + "book_room", [ROOM]) is None


class Hotel:
    """Takes bookings."""

    spec = ROOM

    def call(self, arguments: dict[str, Any]) -> ToolReply:
        return ToolReply(text=f"booked in {arguments['city']}")


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_the_agent_makes_the_call_that_its_model_wrote(provider: str) -> None:
    said = f"I will book it.\n```json\n{CALL}\n```"
    with ModelServer([said, "Done."]) as server:
        url = server.base_url if provider == "openai" else server.url
        model = create_chat_model(ModelConfig(provider=provider, name="m", base_url=url), "agent")
        result = run_agent_sync(model, [Hotel()], "A room in Rome", style="tool-calling")
        told = json.dumps(server.requests[1].body["messages"])
    calls = [event for event in result.run.events if isinstance(event, ToolCall)]
    assert [(call.arguments, call.result) for call in calls] == [(WANTED, "booked in Rome")]
    assert result.answer == "Done."
    assert "I will book it." in told
    assert "booked in Rome" in told
