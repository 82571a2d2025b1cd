"""Traces of other instrumentations: each convention, shapes of traces, hostile and cut files."""

from __future__ import annotations

import json
import random

import pytest
from recorded_spans import (
    AGENTS_CHAT_SPANS,
    AGENTS_RESPONSE,
    AI_SDK_SPANS,
    ARGUMENTS,
    ASKED,
    BASE,
    EVENT_SPANS,
    GENAI_SPANS,
    LANGFUSE_SPANS,
    MLFLOW_RESPONSES_SPANS,
    MLFLOW_SPANS,
    OLDER_SPANS,
    OPENINFERENCE_SPANS,
    PYDANTIC_AI_SPANS,
    RESULT,
    SAID,
    STRANDS_SPANS,
    SYSTEM,
    TRACE,
    ai_sdk_spans,
    attributes,
    chat,
    part,
    span,
    traces,
    value_of,
)

from knitbone.errors import InputFormatError
from knitbone.record.events import (
    Document,
    ErrorInfo,
    ModelCall,
    Outcome,
    Retrieval,
    ToolCall,
    Usage,
)
from knitbone.tethering.diagnosis.rules.schemas import tool_schemas
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes
from knitbone.tethering.interchange.importers.messages import THOUGHTS


def load(value, source_format="auto"):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return [i.run for i in import_bytes(data, path="t.json", source_format=source_format)]


def only(*spans):
    (run,) = load(traces(*spans))
    return run


@pytest.mark.parametrize(
    "spans", [GENAI_SPANS[:3] + GENAI_SPANS[5:6], OLDER_SPANS, EVENT_SPANS,
              OPENINFERENCE_SPANS[:5] + OPENINFERENCE_SPANS[6:], PYDANTIC_AI_SPANS, AI_SDK_SPANS,
              LANGFUSE_SPANS[:3] + LANGFUSE_SPANS[5:], STRANDS_SPANS, MLFLOW_SPANS],
    ids=["messages", "indexed attributes", "events", "openinference", "pydantic-ai", "ai-sdk",
         "langfuse", "strands", "mlflow"],
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
    assert asked.finish_reason in ("tool_call", "tool_calls", None)
    assert said.output.content == SAID
    first, last = build_units(run)
    (made,) = first.calls  # from the tool's span, or from the next call's input
    assert (made.tool, made.arguments, made.result) == ("get_booking", ARGUMENTS, RESULT)
    assert ASKED in first.observation
    assert last.action == SAID
    for tool in (event for event in run.events if isinstance(event, ToolCall)):
        assert (tool.parent, tool.call_id, tool.result) == (asked.id, "call_1", RESULT)


def test_what_the_ai_sdk_says_of_tools_thoughts_and_failures_is_read():
    run = only(*ai_sdk_spans({"output": {"type": "error-text", "value": "no"}}, failed="no"))
    asked, tool, said = run.events
    assert asked.usage == Usage(input_tokens=20, output_tokens=7)
    assert asked.attributes[THOUGHTS] == "Hm."
    assert list(tool_schemas(run)) == ["get_booking"]
    assert {event.agent for event in run.events} == {"host"}
    assert (tool.error.message, tool.result) == ("no", None)
    assert (said.input[-1].role, said.input[-1].content) == ("tool", "no")
    fourth = ai_sdk_spans({"result": RESULT})  # as the SDK's fourth version wrote it
    assert only(*fourth).events[-1].input[-1].content == RESULT


def test_observations_of_langfuse_have_costs_documents_and_errors():
    run = only(*LANGFUSE_SPANS)
    asked, _booking, floor, seating, _said = run.events
    assert asked.usage == Usage(input_tokens=20, output_tokens=7, cost_usd=0.5)
    assert (floor.query, floor.documents[0].text) == ("tables for 4", "floor plan")
    assert seating.error == ErrorInfo(type="error", message="no such table")
    assert {event.agent for event in run.events} == {"host"}
    other = dict(chat([{"role": "user", "parts": [part(ASKED)]}], []))
    (call,) = only(span("x", 1, other | {"langfuse.observation.type": "span"})).events
    assert call.input[0].content == ASKED  # another library's span that passed through


def test_usage_tools_and_agents_of_mlflow_are_read():
    run = only(*MLFLOW_SPANS)
    asked, _booking, said = run.events
    assert asked.usage == Usage(input_tokens=20, output_tokens=7, cost_usd=0.5)
    assert (asked.provider, asked.finish_reason) == ("openai", "tool_calls")
    assert "get_booking" in tool_schemas(run)
    assert {event.agent for event in run.events} == {"host"}
    assert said.finish_reason == "stop"


def test_requests_and_answers_of_every_sdk_are_read_from_mlflow():
    asked, booking, found, told, plain, other, _verdict = only(*MLFLOW_RESPONSES_SPANS).events
    assert [(m.role, m.content) for m in asked.input] == [("system", SYSTEM), ("user", ASKED)]
    assert (asked.output.content, asked.attributes[THOUGHTS]) == ("I look.", "I need it.")
    assert [call.call_id for call in asked.output.tool_calls] == ["call_1"]
    assert (booking.call_id, booking.error.message) == ("call_1", "no such booking")
    assert (found.query, found.documents[0].text) == ("menu", "Soup.")
    assert [m.role for m in told.input] == ["user", "assistant", "tool"]
    assert [call.call_id for call in told.input[1].tool_calls] == ["call_1"]
    assert told.input[2].tool_call_id == "call_1"
    assert told.output.content == SAID
    assert (plain.input[0].content, plain.output.content) == ("Why?", "Because.")
    assert (other.finish_reason, other.input[0].content) == ("tool_use", SYSTEM)
    assert other.output.tool_calls[0].arguments == ARGUMENTS


def test_what_a_model_said_that_its_span_does_not_tell_is_read_from_the_next_call():
    asked, tool, last = only(*AGENTS_CHAT_SPANS).events
    assert asked.output.content == "I look."
    assert (tool.parent, tool.call_id) == (asked.id, "call_1")
    assert last.output is None  # no span tells it


def test_another_conversation_tells_nothing_of_this_one():
    first, tool, last = AGENTS_CHAT_SPANS
    other = json.dumps([{"role": "user", "parts": [part("Else?")]}])
    strange = span("openai.response", 5, dict(AGENTS_RESPONSE) | {"gen_ai.input.messages": other})
    del strange["attributes"][-1]
    asked = only(strange, first, tool, last).events[0]
    assert asked.output is None


def test_items_of_the_responses_api_are_one_answer_and_choices_are_not():
    (answer,) = only(span("x", 1, AGENTS_RESPONSE | {"gen_ai.response.id": "resp_1"})).events
    assert (answer.output.content, answer.finish_reason) == ("I look.", "tool_call")
    assert [call.call_id for call in answer.output.tool_calls] == ["call_1"]
    (choice,) = only(span("x", 1, AGENTS_RESPONSE | {"gen_ai.response.id": "chatcmpl-1"})).events
    assert (choice.output.content, choice.output.tool_calls) == ("I look.", ())


def test_a_chain_of_openinference_is_no_step_whatever_else_it_carries():
    (tool,) = (s for s in OPENINFERENCE_SPANS if any(
        a["value"].get("stringValue") == "TOOL" for a in s["attributes"]))  # fmt: skip
    chain = span("chain", 1, {"openinference.span.kind": "CHAIN", "gen_ai.request.model": "x"})
    assert len(only(tool, chain).events) == 1


def test_blocks_in_events_are_read_and_other_json_text_is_what_was_said():
    asked, tool, said = only(*STRANDS_SPANS).events
    assert asked.attributes[THOUGHTS] == "Hm."
    assert (said.input[-1].role, said.input[-1].content) == ("tool", RESULT)
    assert tool.error is None
    failed = dict(STRANDS_SPANS[2])
    failed["attributes"] = attributes(
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.status": "error"}
    )
    (tool,) = only(failed).events
    assert tool.error == ErrorInfo(type="tool error", message=RESULT)
    for text in ('[{"text": 1, "more": 2}]', '[{"name": "x"}]', "[]", "[1]"):
        events = [("gen_ai.user.message", {"content": text})]
        (call,) = only(span("chat", 1, {"gen_ai.operation.name": "chat"}, events=events)).events
        assert call.input[0].content == text


def test_a_span_that_openinference_annotated_is_read_as_it_was_written():
    kinds = {"chat": "LLM", "execute_tool": "TOOL", "invoke_agent": "AGENT"}
    annotated = []
    for item in PYDANTIC_AI_SPANS:
        (operation,) = (
            a["value"]["stringValue"] for a in item["attributes"]
            if a["key"] == "gen_ai.operation.name"
        )  # fmt: skip
        more = {"openinference.span.kind": kinds[operation], "input.value": "something shorter"}
        annotated.append(item | {"attributes": item["attributes"] + attributes(more)})
    assert only(*annotated).events == only(*PYDANTIC_AI_SPANS).events


def test_an_answer_under_another_identifier_belongs_to_the_call_before_it():
    given = [
        {"role": "user", "parts": [part(ASKED)]},
        {"role": "assistant", "parts": [
            {"type": "tool_call", "id": "fc_1", "name": "get_booking", "arguments": ARGUMENTS}]},
        {"role": "tool", "parts": [
            {"type": "tool_call_response", "id": "call_1", "response": RESULT}]},
    ]  # fmt: skip
    run = only(
        span("openai.response", 1, chat(given[:1], given[1:2])),
        span("openai.response", 5, chat(given, [{"role": "assistant", "parts": [part(SAID)]}])),
    )
    first, _ = build_units(run)
    assert first.calls[0].result == RESULT
    told = json.loads(json.dumps(given[:2]).replace("fc_1", "call_1"))
    run = only(  # the call's own identifier is right: only the history names it otherwise
        span("openai.response", 1, chat(told[:1], told[1:])),
        span("openai.response", 5, chat(given, [{"role": "assistant", "parts": [part(SAID)]}])),
    )
    assert build_units(run)[0].calls[0].result == RESULT


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
    answered = {"gen_ai.response.id": "msg_1"}
    beside = span("anthropic.messages.create", 2, bare | answered)
    run = only(beside, span("anthropic.chat", 1, chat([asked], said) | answered, length=9))
    (call,) = (e for e in run.events if isinstance(e, ModelCall))
    assert (call.id, call.output.content) == (f"{2:016x}", SAID)
    later = span("anthropic.chat", 20, chat([asked], said) | answered)  # a server that repeats
    assert len(only(beside, later).events) == 2
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
