"""Message lists of LangChain, OpenAI's Responses API and Anthropic."""

from __future__ import annotations

import json

import pytest
from langchain_core.load import dumpd, dumps
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    messages_to_dict,
)
from langchain_core.messages.ai import UsageMetadata
from recorded_spans import ANTHROPIC, ARGUMENTS, ASKED, RESPONSES, RESULT, SAID, SYSTEM

from knitbone.errors import InputFormatError
from knitbone.record.events import Message, ModelCall, Usage
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes
from knitbone.tethering.interchange.importers.messages import THOUGHTS


def load(value, source_format="auto"):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return import_bytes(data, path="runs.json", source_format=source_format)


def only(value):
    (item,) = load(value)
    return item.run


LANGCHAIN = [
    SystemMessage(SYSTEM),
    HumanMessage(ASKED),
    AIMessage(
        [{"type": "thinking", "thinking": "I need the booking first."},
         {"type": "text", "text": "One moment."},
         {"type": "tool_use", "id": "call_1", "name": "get_booking", "input": ARGUMENTS}],
        name="host",
        tool_calls=[{"name": "get_booking", "args": ARGUMENTS, "id": "call_1"}],
        invalid_tool_calls=[
            {"name": "assign_table", "args": "{oops", "id": "call_2", "error": "no JSON"}],
        usage_metadata=UsageMetadata(input_tokens=20, output_tokens=7, total_tokens=27),
        response_metadata={"model_name": "gpt-4o-mini", "finish_reason": "tool_calls"},
    ),
    ToolMessage(RESULT, tool_call_id="call_1", name="get_booking"),
    ToolMessage("arguments are no JSON", tool_call_id="call_2", status="error"),
    AIMessage(SAID, name="host"),
]  # fmt: skip
DUMPED = [message.model_dump() for message in LANGCHAIN]


@pytest.mark.parametrize(
    "value",
    [
        messages_to_dict(LANGCHAIN),
        dumpd(LANGCHAIN),
        dumps(LANGCHAIN).encode(),
        DUMPED,
        {"messages": DUMPED},
        {"messages": dumpd(LANGCHAIN), "remaining_steps": 3},
        {"values": {"messages": messages_to_dict(LANGCHAIN)}, "next": []},
    ],
    ids=["to_dict", "dumpd", "dumps", "model_dump", "state", "dumped state", "thread"],
)
def test_every_form_of_langchain_messages_gives_the_same_run(value):
    run = only(value)
    assert run.origin.format == "langchain"
    assert run.task == ASKED
    system, user, asked, answered, failed, said = run.events
    assert (system.content, user.content) == (SYSTEM, ASKED)
    assert (asked.agent, asked.model, asked.usage) == ("host", "gpt-4o-mini", Usage(
        input_tokens=20, output_tokens=7))  # fmt: skip
    assert asked.output.content == "One moment."
    assert asked.attributes[THOUGHTS] == "I need the booking first."
    assert [(c.name, c.arguments) for c in asked.output.tool_calls] == [
        ("get_booking", ARGUMENTS),
        ("assign_table", "{oops"),
    ]
    assert (answered.parent, answered.arguments, answered.error) == (asked.id, ARGUMENTS, None)
    assert failed.error.message == "arguments are no JSON"
    assert said.output.content == SAID
    assert [event.position.index for event in run.events] == list(range(6))


def test_states_one_a_line_are_runs():
    line = json.dumps({"messages": DUMPED, "success": False})
    assert [item.run.outcome.success for item in load(f"{line}\n{line}".encode())] == [False, False]


def test_items_of_the_responses_api_are_turns():
    run = only(RESPONSES)
    assert run.origin.format == "openai-responses"
    system, user, asked, tables, booking, searched, found, said = run.events
    assert (system.role, system.content, user.content) == ("system", SYSTEM, ASKED)
    assert asked.attributes[THOUGHTS] == "I need the booking first."
    assert asked.position.index == 3  # the action, not the reasoning before it
    assert [c.name for c in asked.output.tool_calls] == ["get_booking", "list_tables"]
    assert (tables.name, tables.result, tables.parent) == ("list_tables", "T12, T13", asked.id)
    assert (booking.arguments, booking.result) == (ARGUMENTS, RESULT)
    assert (searched.output.tool_calls[0].name, found.result) == ("web_search", '["an inn"]')
    assert found.parent == searched.id
    assert said.output.content == SAID
    assert len(build_units(run)) == 3


def test_a_request_with_its_response_is_a_run():
    run = only({"object": "response", "instructions": SYSTEM, "input": ASKED,
                "output": RESPONSES[3:4], "id": "resp_1"})  # fmt: skip
    assert run.origin.identity == {"id": "resp_1"}
    assert [type(event) for event in run.events] == [Message, Message, ModelCall]


def test_blocks_of_anthropic_messages_are_turns():
    run = only(ANTHROPIC)
    assert run.origin.format == "anthropic"
    system, user, asked, failed, answered, hurried, said = run.events
    assert (system.content, user.content, hurried.content) == (SYSTEM, ASKED, "Hurry up, please.")
    assert asked.output.content == "One moment."
    assert asked.attributes[THOUGHTS] == "I need the booking first."
    assert (failed.name, failed.error.message) == ("assign_table", "table_id is missing")
    assert (answered.name, answered.arguments, answered.result) == (
        "get_booking",
        ARGUMENTS,
        RESULT,
    )
    assert said.output.content == SAID
    assert [e.position.index for e in run.events[1:]] == [0, 1, 2, 2, 2, 3]
    assert only(ANTHROPIC["messages"]).origin.format == "anthropic"


def test_plain_anthropic_messages_are_chat_messages():
    assert only([{"role": "user", "content": ASKED}]).origin.format == "messages"


@pytest.mark.parametrize(
    ("called", "answered", "arguments", "result"),
    [
        ({"type": "apply_patch_call", "call_id": "c", "operation": {"type": "delete_file"}},
         {"type": "apply_patch_call_output", "call_id": "c", "status": "completed",
          "output": "done"}, {"type": "delete_file"}, "done"),
        ({"type": "local_shell_call", "id": "x", "call_id": "c", "action": {"command": ["ls"]}},
         {"type": "local_shell_call_output", "id": "c", "output": "a.txt"},
         {"command": ["ls"]}, "a.txt"),
        ({"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}},
         {"type": "shell_call_output", "call_id": "c", "output": [
             {"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]},
         {"commands": ["ls"]}, '"stdout": "a"'),
        ({"type": "program", "call_id": "c", "code": "1 + 1"},
         {"type": "program_output", "call_id": "c", "result": "2"}, "1 + 1", "2"),
        ({"type": "tool_search_call", "call_id": "c", "arguments": {"query": "seat"}},
         {"type": "tool_search_output", "call_id": "c", "tools": [{"name": "seat"}]},
         {"query": "seat"}, '"seat"'),
        ({"type": "custom_tool_call", "call_id": "c", "name": "x", "input": "free text"},
         {"type": "custom_tool_call_output", "call_id": "c", "output": "ok"}, "free text", "ok"),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) and "type" in value else "",
)  # fmt: skip
def test_every_kind_of_call_is_tied_to_its_answer(called, answered, arguments, result):
    run = only([{"type": None, "role": "user", "content": ASKED}, called, answered])
    assert run.origin.format == "openai-responses"
    (unit,) = build_units(run)
    (made,) = unit.calls
    assert made.arguments == arguments or str(arguments) in str(made.arguments)
    assert result in made.result


def test_a_patch_that_could_not_be_applied_is_an_error():
    called = {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "delete_file"}}
    failed = {"type": "apply_patch_call_output", "call_id": "c", "status": "failed",
              "output": "no such file"}  # fmt: skip
    (unit,) = build_units(only([{"role": "user", "content": ASKED}, called, failed]))
    assert (unit.status, unit.calls[0].error) == ("error", "tool error: no such file")


def test_an_error_of_a_tool_that_the_provider_runs_is_one():
    failed = {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
    }
    asked = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    run = only(
        [{"role": "user", "content": ASKED}, {"role": "assistant", "content": [asked, failed]}]
    )
    tool = run.events[-1]
    assert (tool.name, "max_uses_exceeded" in tool.error.message) == ("web_search", True)


@pytest.mark.parametrize(
    ("value", "where", "what"),
    [
        ([*messages_to_dict(LANGCHAIN), 7], "[6]", "found 7"),
        ({"messages": [*DUMPED, {"role": "user"}]}, "messages[6]", "'role'"),
        ([*RESPONSES, {"type": "message", "role": "robot"}], "[9].role", "'robot'"),
        ([*RESPONSES, {"id": "x"}], "[9].type", "'id'"),
        ([*ANTHROPIC["messages"], {"role": "robot", "content": []}], "[4].role", "'robot'"),
        ([*ANTHROPIC["messages"], {"role": "user", "content": [{}]}],
         "[4].content[0].type", "null"),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_named_with_its_place_and_the_next_step(value, where, what):
    with pytest.raises(InputFormatError) as caught:
        load(value)
    assert where in caught.value.message
    assert what in caught.value.message
    assert caught.value.next_step
