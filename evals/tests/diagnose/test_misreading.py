"""A file is read with all its tool calls and results, or refused.

Valid files of each format, with keys taken away, renamed, added and moved: what of a call or result
still stands in the file is a call or result of the run, or the file is refused.
"""

from __future__ import annotations

import copy
import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.errors import InputFormatError
from knitbone.record.events import ModelCall, ToolCall, encode_json
from knitbone.tethering.interchange.importers import import_bytes
from knitbone_evals.diagnose.misreading import changed

TOOL, ARGUMENT, RESULT = "seat_parrot", "zebra-4417", "found otter-9921"
ASKED, SAID = "Seat the parrot, please.", "It is seated."


def _chat(*, as_text=True):
    arguments = json.dumps({"who": ARGUMENT}) if as_text else {"who": ARGUMENT}
    return [
        {"role": "user", "content": ASKED},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": TOOL, "arguments": arguments}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "name": TOOL, "content": RESULT},
        {"role": "assistant", "content": SAID},
    ]


ANTHROPIC = [
    {"role": "user", "content": ASKED},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "c1", "name": TOOL, "input": {"who": ARGUMENT}},
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "c1",
                "content": [{"type": "text", "text": RESULT}],
            }
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": SAID}]},
]
RESPONSES = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASKED}]},
    {
        "type": "function_call",
        "id": "fc1",
        "call_id": "c1",
        "name": TOOL,
        "arguments": json.dumps({"who": ARGUMENT}),
    },
    {"type": "function_call_output", "call_id": "c1", "output": RESULT},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID}]},
]
LANGCHAIN = [
    {"type": "human", "data": {"content": ASKED}},
    {
        "type": "ai",
        "data": {
            "content": "",
            "tool_calls": [
                {"name": TOOL, "args": {"who": ARGUMENT}, "id": "c1", "type": "tool_call"}
            ],
        },
    },
    {"type": "tool", "data": {"content": RESULT, "name": TOOL, "tool_call_id": "c1"}},
    {"type": "ai", "data": {"content": SAID}},
]
DUMPED = [{"type": each["type"], **each["data"]} for each in LANGCHAIN]
TAU2 = {
    "simulations": [
        {
            "id": "s1",
            "task_id": "3",
            "trial": 0,
            "reward_info": {"reward": 1.0},
            "termination_reason": "user_stop",
            "messages": [
                {"role": "user", "content": ASKED, "turn_idx": 0},
                {
                    "role": "assistant",
                    "content": None,
                    "turn_idx": 1,
                    "tool_calls": [
                        {
                            "id": "c1",
                            "name": TOOL,
                            "arguments": {"who": ARGUMENT},
                            "requestor": "assistant",
                        }
                    ],
                },
                {
                    "role": "tool",
                    "id": "c1",
                    "content": RESULT,
                    "requestor": "assistant",
                    "error": False,
                },
                {"role": "assistant", "content": SAID},
            ],
        }
    ],
    "tasks": [{"id": "3"}],
    "info": {},
}


def _langfuse():
    asks, answer = _chat()[1], _chat()[3]
    told = _chat()
    common = {
        "traceId": "t1",
        "startTime": "2026-01-01T08:00:00Z",
        "endTime": "2026-01-01T08:00:01Z",
    }
    return {
        "trace": {"id": "t1", "name": "agent"},
        "observations": [
            {"id": "o0", "type": "SPAN", "name": "agent", **common},
            {
                "id": "o1",
                "type": "GENERATION",
                "name": "chat",
                "parentObservationId": "o0",
                **common,
                "input": told[:1],
                "output": asks,
            },
            {
                "id": "o2",
                "type": "TOOL",
                "name": TOOL,
                "parentObservationId": "o0",
                **common,
                "input": {"who": ARGUMENT},
                "output": RESULT,
            },
            {
                "id": "o3",
                "type": "GENERATION",
                "name": "chat",
                "parentObservationId": "o0",
                **common,
                "input": told[:3],
                "output": answer,
            },
        ],
    }


FILES = {
    "messages": {"messages": _chat(), "success": False},
    "bare messages": _chat(),
    "messages, parsed arguments": {"messages": _chat(as_text=False)},
    "tau-bench": [{"task_id": 3, "trial": 0, "reward": 0.0, "info": {}, "traj": _chat()}],
    "tau2-bench": TAU2,
    "anthropic": {"system": "Be kind.", "messages": ANTHROPIC},
    "bare anthropic": ANTHROPIC,
    "openai-responses": RESPONSES,
    "openai-responses, object": {"input": RESPONSES[:1], "output": RESPONSES[1:]},
    "langchain": LANGCHAIN,
    "langchain, dumped": {"messages": DUMPED},
    "langfuse": _langfuse(),
    "who-and-when": {
        "question": ASKED,
        "mistake_step": "1",
        "history": [
            {"role": "user", "name": "Planner", "content": ASKED},
            {"role": "assistant", "content": SAID},
        ],
    },
    "agentrx": [
        {"role": "human", "content": ASKED},
        {"role": "Orchestrator (thought)", "content": SAID},
    ],
}


def read(value):
    """Names, arguments and results of the calls that are read; ``None`` where it is refused."""
    try:
        items = import_bytes(json.dumps(value).encode(), path="runs.json")
    except InputFormatError:
        return None
    names, arguments, results = [], [], []
    for event in (event for item in items for event in item.run.events):
        if isinstance(event, ToolCall):
            names.append(event.name)
            arguments.append(event.arguments)
            results.append(event.result)
        elif isinstance(event, ModelCall):
            said = [*event.input, *([event.output] if event.output else [])]
            asked = [call for message in said for call in message.tool_calls]
            names += [call.name for call in asked]
            arguments += [call.arguments for call in asked]
            results += [message.content for message in said if message.role == "tool"]
    return tuple(encode_json(each).decode() for each in (names, arguments, results))


def lost(value):
    """What of the call and its result stands in the file and is not read as such. A call that
    stands in a result is a part of what the tool answered."""
    told = read(value)
    text = json.dumps(value)
    if told is None:
        return []
    return [
        word
        for word, where in zip((TOOL, ARGUMENT, RESULT), told, strict=True)
        if word in text and word not in where and word not in told[2]
    ]


@pytest.mark.parametrize("name", FILES)
def test_the_valid_files_are_read_whole(name):
    assert read(FILES[name]) is not None
    assert lost(FILES[name]) == []


@pytest.mark.parametrize("name", FILES)
@given(seed=st.integers(min_value=0, max_value=2**32))
def test_a_changed_file_is_read_with_its_calls_or_refused(name, seed):
    value = changed(FILES[name], Random(seed), call=_chat()[1]["tool_calls"])
    assert lost(value) == [], json.dumps(value)


WORDS = st.sampled_from(
    ("tool", "request", "invocation", "data", "steps", "payload", "x", "use", "recipient", "with",
     "args", "input", "name", "history", "params", "function", "body", "action", "kwargs", "extra")
)  # fmt: skip
ANY_KEY = st.builds(
    lambda words, spelled: spelled(words),
    st.lists(WORDS, min_size=1, max_size=2, unique=True),
    st.sampled_from(
        ("_".join, lambda words: words[0] + "".join(word.title() for word in words[1:]))
    ),
)
NAMING = st.sampled_from(
    ("tool", "toolName", "tool_name", "recipient_name", "function", "fn", "action", "function_name")
)
PASSING = st.sampled_from(("args", "arguments", "parameters", "tool_input", "kwargs", "params"))
CALLS = st.sampled_from(
    ("toolInvocations", "tool_request", "calls", "actions", "tool_uses", "functionCall")
)


@st.composite
def foreign_calls(draw):
    """A field that holds a call: told by the key of its name, by those of its name and arguments,
    or by the key that it stands under."""
    name_key, passed_key, under = draw(
        st.one_of(
            st.tuples(NAMING, ANY_KEY, ANY_KEY),
            st.tuples(st.just("name"), PASSING, ANY_KEY),
            st.tuples(ANY_KEY, ANY_KEY, CALLS),
        ).filter(lambda keys: keys[0] != keys[1])
    )
    given = {"who": ARGUMENT}
    call = {name_key: TOOL, passed_key: json.dumps(given) if draw(st.booleans()) else given}
    if draw(st.booleans()):
        call["result"] = RESULT
    listed = draw(st.sampled_from((lambda c: c, lambda c: [c], lambda c: [[c, RESULT]])))
    return under, listed(call)


@settings(max_examples=400)
@given(
    field=foreign_calls(),
    above=st.lists(ANY_KEY.filter(lambda key: key not in ("function", "action")), max_size=2),
    place=st.sampled_from(("beside", "message", "part", "content", "tau-bench")),
)
def test_a_call_under_any_key_names_is_read_or_refused(field, above, place):
    key, value = field
    for outer in above:
        key, value = outer, {key: value}
    messages = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": SAID}]
    file = {"messages": messages}
    match place:
        case "beside":
            file[key] = value
        case "message":
            messages[1][key] = value
        case "part":
            messages[1]["content"] = [{"type": "text", "text": SAID}, {key: value}]
        case "content":
            messages[1]["content"] = {key: value}
        case _:
            messages[1][key] = value
            file = [{"task_id": 3, "trial": 0, "reward": 0.0, "info": {}, "traj": messages}]
    assert lost(file) == [], json.dumps(file)


@pytest.mark.parametrize(
    "more",
    [
        {"metadata": {"model": "gpt-4o", "usage": {"total": 3}, "run_name": "evening"}},
        {"tool_choice": "auto", "response_format": {"type": "json_schema", "json_schema": {}}},
        {"functions": [{"name": "look", "parameters": {"type": "object", "properties": {}}}]},
        {"user_profile": {"name": "Kim", "address": {"city": "Oslo"}}, "ls_params": {"a": 1}},
        {"tools": [{"type": "function", "function": {"name": "look", "parameters": {}}}]},
    ],
)
def test_what_else_stands_in_a_file_is_no_call(more):
    messages = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": SAID}]
    assert read({"messages": messages, **more}) is not None
    assert read([messages[0], {**messages[1], **more}]) is not None


def test_what_the_agent_said_outside_its_messages_is_not_passed_over():
    file = {"messages": [{"role": "user", "content": ASKED}], "outputs": [SAID]}
    with pytest.raises(InputFormatError, match=r"nothing that the agent said.*outputs"):
        import_bytes(json.dumps(file).encode(), path="x")


SWE_AGENT = {
    "trajectory": [{"action": "ls", "observation": "a.py", "response": "I look.", "state": {}}],
    "history": [
        {"role": "user", "content": ASKED, "agent": "main", "message_type": "observation"},
        {**_chat()[1], "thought": "I look.", "action": "ls", "message_type": "action"},
    ],
    "info": {"exit_status": "submitted", "submission": None},
}
OPENHANDS = [
    {"id": "e1", "timestamp": "2026-01-01", "source": "agent", "kind": "ActionEvent", "action": {}},
    {"id": "e2", "timestamp": "2026-01-01", "source": "environment", "kind": "ObservationEvent"},
]
CLAUDE_CODE = [
    {"type": "summary", "summary": "Seats", "leafUuid": "m2"},
    {"type": "user", "uuid": "m1", "parentUuid": None, "sessionId": "s", "message": ANTHROPIC[0]},
    {
        "type": "assistant",
        "uuid": "m2",
        "parentUuid": "m1",
        "sessionId": "s",
        "message": ANTHROPIC[1],
    },
]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (SWE_AGENT, "a SWE-agent trajectory"),
        ({key: SWE_AGENT[key] for key in ("trajectory", "info")}, "a SWE-agent trajectory"),
        ({key: SWE_AGENT[key] for key in ("history", "info")}, "a SWE-agent trajectory"),
        ({"history": SWE_AGENT["history"]}, "a SWE-agent trajectory"),
        (
            {"trajectory_format": "mini-swe-agent-1", "messages": _chat()},
            "a mini-SWE-agent trajectory",
        ),
        (OPENHANDS, "an event log of OpenHands"),
        (CLAUDE_CODE, "a session of Claude Code"),
        (
            {"version": 2, "status": "success", "eval": {"task": "seat"}, "samples": []},
            "a log of Inspect",
        ),
        ({"contents": [{"role": "user", "parts": [{"text": ASKED}]}]}, "a conversation of Gemini"),
    ],
)
def test_a_foreign_format_is_refused_by_its_name(value, name):
    with pytest.raises(InputFormatError) as caught:
        import_bytes(json.dumps(value).encode(), path="run.json")
    assert caught.value.message == f"run.json looks like {name}, which knitbone does not read yet."


def test_an_archive_is_refused_by_its_name():
    with pytest.raises(InputFormatError, match=r"a log of Inspect \(.eval\)"):
        import_bytes(b"PK\x03\x04\x14\x00_journal/start.json", path="x.eval")


def test_the_format_that_is_named_is_held_to_its_promise_too():
    with pytest.raises(InputFormatError, match=r"'message_type'|'thought'|'agent'"):
        import_bytes(json.dumps(SWE_AGENT).encode(), path="x", source_format="who-and-when")


def test_a_tool_that_a_platform_kept_as_a_span_is_not_passed_over():
    file = copy.deepcopy(FILES["langfuse"])
    file["observations"][2] |= {"type": "SPAN", "name": "tool.seat_parrot"}
    with pytest.raises(InputFormatError, match="of a tool"):
        import_bytes(json.dumps(file).encode(), path="x")


@pytest.mark.parametrize("name", ["who-and-when", "agentrx"])
def test_logs_of_agents_do_not_swallow_calls(name):
    file = copy.deepcopy(FILES[name])
    turns = file["history"] if isinstance(file, dict) else file
    turns += _chat()[1:3]
    with pytest.raises(InputFormatError):
        import_bytes(json.dumps(file).encode(), path="x")
