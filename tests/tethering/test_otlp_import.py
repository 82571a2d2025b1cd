"""Traces of other instrumentations: each convention, shapes of traces, hostile and cut files."""

from __future__ import annotations

import json
import random

import pytest
from recorded_spans import (
    ARGUMENTS,
    ASKED,
    BASE,
    EVENT_SPANS,
    GENAI_SPANS,
    OLDER_SPANS,
    OPENINFERENCE_SPANS,
    RESULT,
    SAID,
    SYSTEM,
    TRACE,
    attributes,
    chat,
    part,
    span,
    traces,
    value_of,
)

from knitbone.core.events import (
    Document,
    ErrorInfo,
    ModelCall,
    Outcome,
    Retrieval,
    ToolCall,
    Usage,
)
from knitbone.errors import InputFormatError
from knitbone.tethering.importers import import_bytes
from knitbone.tethering.importers.messages import THOUGHTS
from knitbone.tethering.rules.schemas import tool_schemas
from knitbone.tethering.units import build_units


def load(value, source_format="auto"):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return [i.run for i in import_bytes(data, path="t.json", source_format=source_format)]


def only(*spans):
    (run,) = load(traces(*spans))
    return run


@pytest.mark.parametrize(
    "spans", [GENAI_SPANS[:3] + GENAI_SPANS[5:6], OLDER_SPANS, EVENT_SPANS,
              OPENINFERENCE_SPANS[:5] + OPENINFERENCE_SPANS[6:]],
    ids=["messages", "indexed attributes", "events", "openinference"],
)  # fmt: skip
def test_every_convention_gives_the_same_steps(spans):
    run = only(*spans)
    asked, said = (event for event in run.events if isinstance(event, ModelCall))
    assert run.origin.format == "otlp"
    assert (run.id, run.task) == (TRACE, ASKED)
    assert [(m.role, m.content) for m in asked.input] == [("system", SYSTEM), ("user", ASKED)]
    assert asked.model == "gpt-4o-mini"
    (call,) = asked.output.tool_calls
    assert (call.name, call.arguments, call.call_id) == ("get_booking", ARGUMENTS, "call_1")
    assert asked.finish_reason in ("tool_call", "tool_calls")
    assert said.output.content == SAID
    first, last = build_units(run)
    (made,) = first.calls  # from the tool's span, or from the next call's input
    assert (made.tool, made.arguments, made.result) == ("get_booking", ARGUMENTS, RESULT)
    assert ASKED in first.observation
    assert last.action == SAID
    for tool in (event for event in run.events if isinstance(event, ToolCall)):
        assert (tool.parent, tool.call_id, tool.result) == (asked.id, "call_1", RESULT)


def test_usage_agents_thoughts_retrievals_and_errors_are_read():
    events = only(*GENAI_SPANS).events
    asked, booking, floor, seating, _, failed = events
    assert asked.usage == Usage(input_tokens=20, output_tokens=7)
    assert asked.attributes[THOUGHTS] == "I need the booking first."
    assert {event.agent for event in events} == {"host"}
    assert (asked.started_ns, asked.ended_ns) == (BASE + 10_000, BASE + 11_000)
    assert (floor.query, floor.source, floor.parent) == ("tables for 4", "floor", booking.id)
    assert floor.documents == (Document(text="", id="floor.md", score=0.9),)
    assert seating.error == ErrorInfo(type="ValueError", message="no such table")
    assert failed.error == ErrorInfo(type="TimeoutError", message="no answer in 10 s")


def test_a_tool_without_arguments_of_its_own_has_those_that_were_asked_for():
    tool, floor = only(*OPENINFERENCE_SPANS).events[1:3]
    assert (tool.arguments, tool.call_id, tool.agent) == (ARGUMENTS, "call_1", "host")
    assert isinstance(floor, Retrieval)
    assert floor.documents[0].metadata == {"source": "floor.md"}


def test_spans_stand_in_any_order_and_parents_may_be_missing():
    expected = only(*OPENINFERENCE_SPANS)
    shuffled = list(OPENINFERENCE_SPANS)
    random.Random(7).shuffle(shuffled)
    assert only(*shuffled, *shuffled[:3]) == expected
    without_root = only(*OPENINFERENCE_SPANS[1:])
    assert without_root.events == expected.events


def test_a_circle_of_parents_ends():
    one = span("a", 1, chat([], []), parent=2)
    two = span("b", 2, {"gen_ai.operation.name": "invoke_agent"}, parent=1)
    assert len(only(one, two).events) == 1


def test_traces_are_runs_one_a_line_and_within_a_line():
    other = [{**s, "traceId": "ab" * 16} for s in OLDER_SPANS]
    health = [span("GET /health", 1, {"http.request.method": "GET"}, trace="cd" * 16)]
    lines = [traces(*GENAI_SPANS[:3]), traces(*health, *other), traces(*GENAI_SPANS[3:])]
    first, second = load("\n".join(map(json.dumps, lines)).encode())
    assert first.events == only(*GENAI_SPANS).events
    assert (second.id, second.origin.record) == ("ab" * 16, 1)
    assert second.origin.identity == {"trace_id": "ab" * 16}


def test_nested_agents_act_under_their_own_names():
    run = only(
        span("invoke_workflow", 0, {"gen_ai.operation.name": "invoke_workflow"}),
        span("invoke_agent lead", 1, {
            "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "lead"}, parent=0),
        span("chat", 2, chat([{"role": "user", "parts": [part(ASKED)]}], []), parent=1),
        span("execute_tool ask_clerk", 3, {
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "ask_clerk"}, parent=1),
        span("invoke_agent clerk", 4, {
            "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}, parent=3),
        span("chat", 5, chat([{"role": "user", "parts": [part("Which table?")]}], []), parent=4),
    )  # fmt: skip
    calls = [event for event in run.events if isinstance(event, ModelCall)]
    assert [call.agent for call in calls] == ["lead", "clerk"]
    assert calls[1].parent == next(e.id for e in run.events if isinstance(e, ToolCall))
    assert [call.input[0].content for call in calls] == [ASKED, "Which table?"]


def test_a_call_that_two_instrumentations_saw_counts_once():
    asked = {"role": "user", "parts": [part(ASKED)]}
    said = [{"role": "assistant", "parts": [part(SAID)]}]
    outer = span("ChatOpenAI", 1, chat([asked], said), length=9)
    bare = {k: v for k, v in chat([], []).items() if "messages" not in k}
    for inner in (chat([asked], said), bare):
        run = only(outer, span("openai.chat", 2, inner, parent=1))
        (call,) = (e for e in run.events if isinstance(e, ModelCall))
        assert (call.id, call.output.content) == (f"{3:016x}", SAID)
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "seat"}
    run = only(span("seat", 1, tool), span("tools/call seat", 2, tool, parent=1))
    assert [event.id for event in run.events] == [f"{2:016x}"]


def test_what_is_said_twice_is_heard_twice_and_history_once():
    def turn(at, said, answered):
        given = [{"role": role, "content": text} for role, text in said]
        return span("chat", at, chat(given, [{"role": "assistant", "content": answered}]))

    before = [("user", "hello"), ("assistant", "hi"), ("user", "yes")]
    run = only(turn(1, before, "done"), turn(2, [*before, ("assistant", "done"), ("user", "yes")],
                                            "again"))  # fmt: skip
    first, second = build_units(run)
    assert (first.feedback, second.observation, second.action) == ("yes", "yes", "again")


def test_messages_in_log_records_belong_to_their_span():
    bare = [{**s, "events": []} for s in EVENT_SPANS]
    logs = []
    for one in EVENT_SPANS:
        for event in one["events"]:
            said = {a["key"]: a["value"]["stringValue"] for a in event["attributes"]}
            body = {"kvlistValue": {"values": [
                {"key": key, "value": value_of(value)} for key, value in said.items()
                if key != "gen_ai.event.content"]}}  # fmt: skip
            logs.append({"traceId": one["traceId"], "spanId": one["spanId"], "body": body,
                         "eventName": event["name"],
                         "attributes": event["attributes"]})  # fmt: skip
    records = {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]}
    both = f"{json.dumps(records)}\n{json.dumps(traces(*bare))}".encode()
    (run,) = load(both)
    assert [type(event) for event in run.events] == [
        type(event) for event in only(*EVENT_SPANS).events
    ]
    assert run.events[-1].output.content == SAID


def test_what_langchain_callbacks_wrap_around_a_tool_is_taken_off():
    call = {"input_str": "{}", "inputs": ARGUMENTS, "kwargs": {"tool_call_id": "call_1"}}
    message = {"lc": 1, "type": "constructor", "id": ["langchain", "ToolMessage"],
               "kwargs": {"content": "no such booking", "status": "error"}}  # fmt: skip
    run = only(span("execute_tool get_booking", 1, {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_booking",
        "gen_ai.tool.call.arguments": json.dumps(call),
        "gen_ai.tool.call.result": json.dumps({"output": message, "kwargs": {}})}))  # fmt: skip
    (tool,) = run.events
    assert (tool.arguments, tool.call_id, tool.result) == (ARGUMENTS, "call_1", "no such booking")
    assert tool.error.message == "no such booking"


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
FUNCTION = {"name": "seat", "description": "Seats guests.", "parameters": SCHEMA}


@pytest.mark.parametrize(
    "offered",
    [
        {**chat([], []), "gen_ai.tool.definitions": json.dumps([{"type": "function", **FUNCTION}])},
        {"openinference.span.kind": "LLM",
         "llm.tools.0.tool.json_schema": json.dumps({"type": "function", "function": FUNCTION})},
        {"llm.request.type": "chat", "llm.request.functions.0.name": "seat",
         "llm.request.functions.0.parameters": json.dumps(SCHEMA)},
    ],
    ids=["conventions", "openinference", "openllmetry"],
)  # fmt: skip
def test_the_tools_that_a_model_was_offered_are_kept_once(offered):
    run = only(span("chat", 1, offered), span("chat", 2, offered))
    assert tool_schemas(run) == {"seat": SCHEMA}
    first, second = run.events
    assert second.attributes["knitbone.tools.event"] == first.id
    assert "gen_ai.tool.definitions" not in second.attributes


def test_roles_and_wrappings_of_smolagents_are_read():
    given = [("user", ASKED), ("tool-call", "Calling tools: seat"), ("tool-response", "seated")]
    said = {f"llm.input_messages.{n}.message.role": role for n, (role, _) in enumerate(given)}
    said |= {f"llm.input_messages.{n}.message.contents.0.message_content.text": text
             for n, (_, text) in enumerate(given)}  # fmt: skip
    wrapped = {"args": [], "sanitize_inputs_outputs": True, "kwargs": ARGUMENTS}
    run = only(
        span("generate", 1, {"openinference.span.kind": "LLM",
                             "llm.input_messages.0.message.role": "user",
                             "llm.input_messages.0.message.content": ASKED}),
        span("SimpleTool", 2, {"openinference.span.kind": "TOOL", "tool.name": "seat",
                               "input.value": json.dumps(wrapped), "output.value": "seated"}),
        span("generate", 3, {"openinference.span.kind": "LLM", **said}),
    )  # fmt: skip
    assert [type(event) for event in run.events] == [ModelCall, ToolCall, ModelCall]
    assert run.events[1].arguments == ARGUMENTS
    assert [message.role for message in run.events[2].input] == ["user", "assistant", "tool"]


def test_a_root_that_failed_is_the_verdict():
    run = only(span("agent", 0, {}, error="gave up"), span("chat", 1, chat([], []), parent=0))
    assert run.events[-1] == Outcome(id=run.events[-1].id, success=False, reason="error: gave up")
    handled = only(*GENAI_SPANS)  # a tool failed, the run went on
    assert handled.outcome is None


def snake(value):
    if isinstance(value, list):
        return [snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    names = {
        "resourceSpans": "resource_spans", "scopeSpans": "scope_spans", "traceId": "trace_id",
        "spanId": "span_id", "parentSpanId": "parent_span_id", "stringValue": "string_value",
        "intValue": "int_value", "startTimeUnixNano": "start_time_unix_nano",
        "endTimeUnixNano": "end_time_unix_nano", "timeUnixNano": "time_unix_nano",
        "arrayValue": "array_value", "doubleValue": "double_value",
    }  # fmt: skip
    return {names.get(key, key): snake(item) for key, item in value.items()}


def test_protobufs_own_json_is_read_too():
    assert load(snake(traces(*GENAI_SPANS)))[0].events == only(*GENAI_SPANS).events


@pytest.mark.parametrize(
    ("change", "where", "what"),
    [
        ({"traceId": None}, "spans[1].traceId", "null"),
        ({"traceId": "0" * 32}, "spans[1].traceId", "'00000000"),
        ({"spanId": 7}, "spans[1].spanId", "found 7"),
        ({"parentSpanId": []}, "spans[1].parentSpanId", "an empty list"),
        ({"startTimeUnixNano": "soon"}, "spans[1].startTimeUnixNano", "'soon'"),
        ({"startTimeUnixNano": "9" * 5000}, "spans[1].startTimeUnixNano", "'999"),
        ({"endTimeUnixNano": 1.5}, "spans[1].endTimeUnixNano", "1.5"),
        ({"attributes": {"a": 1}}, "spans[1].attributes", "keys 'a'"),
        ({"attributes": [{"value": {}}]}, "spans[1].attributes[0].key", "null"),
        ({"attributes": [{"key": "a", "value": "b"}]}, "spans[1].attributes[0].value", "'b'"),
        ({"attributes": [{"key": "a", "value": {"text": "b"}}]}, "attributes[0].value", "'text'"),
        ({"attributes": [{"key": "a", "value": {"intValue": "x"}}]}, "value.intValue", "'x'"),
        ({"attributes": [{"key": "a", "value": {"doubleValue": "x"}}]}, "doubleValue", "'x'"),
        ({"attributes": [{"key": "a", "value": {"arrayValue": []}}]}, "arrayValue", "list"),
        ({"events": "none"}, "spans[1].events", "'none'"),
        ({"status": "failed"}, "spans[1].status", "'failed'"),
        ({"name": {}}, "spans[1].name", "an empty object"),
    ],
)
def test_a_wrong_span_is_named_with_its_place_and_the_next_step(change, where, what):
    with pytest.raises(InputFormatError) as caught:
        load(traces(GENAI_SPANS[0], {**GENAI_SPANS[1], **change}))
    assert "t.json, resourceSpans[0].scopeSpans[0]." in caught.value.message
    assert where in caught.value.message
    assert what in caught.value.message
    assert caught.value.next_step


def test_a_file_that_is_cut_in_a_line_names_the_line():
    line = json.dumps(traces(*OLDER_SPANS))
    with pytest.raises(InputFormatError, match="line 2") as caught:
        load(f"{line}\n{line[:300]}".encode())
    assert "cut off" in caught.value.next_step
    with pytest.raises(InputFormatError, match="ends in the middle of a value"):
        load(line[:300].encode())


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (traces(span("GET /", 1, {"http.request.method": "GET"})), "holds 1 spans, and none"),
        ({"resourceSpans": []}, "holds no spans"),
        ({"resourceMetrics": []}, "holds no spans"),
        (traces(span("embed", 1, {"gen_ai.operation.name": "embeddings"})), "'embed'"),
    ],
)
def test_a_trace_of_something_else_says_what_is_missing(value, said):
    with pytest.raises(InputFormatError) as caught:
        load(value)
    assert said in caught.value.message
    assert caught.value.next_step


def test_hostile_names_and_values_are_read_without_harm():
    wild = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.999999999999999999.message.role": "user",
        "llm.input_messages.-1.message.role": "user",
        "llm.input_messages.0": "a value and a container",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages." + "0." * 5000 + "role": "user",
        "llm.output_messages.0.message.content": "\ud800\x1b[31m" + "x" * 100_000,
        "llm.output_messages.0.message.tool_calls.0": 3,
        "llm.token_count.prompt": "many",
        "gen_ai.input.messages": "[" * 100_000,
    }
    (event,) = only(span("x" * 10_000, 1, wild)).events
    assert event.output.content.startswith("\ufffd\x1b[31m")
    deep = value_of("x")
    for _ in range(10):
        deep = {"arrayValue": {"values": [deep]}}
    assert only({**span("chat", 1, chat([], [])), "attributes": [
        *attributes(chat([], [])), {"key": "deep", "value": deep}]}).events  # fmt: skip


def test_a_long_chain_and_many_spans_are_read_in_time():
    spans = [
        span("chat", n, chat([], []) if n % 10 == 0 else {}, parent=n - 1 if n else None)
        for n in range(5_000)
    ]
    assert len(only(*spans).events) >= 1
