"""Exports of LangSmith, Langfuse and Phoenix: one run in every form, gaps, hostile records."""

from __future__ import annotations

import copy
import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platform_exports import (
    ANSWER,
    ASKED,
    CALL,
    FORMS,
    FOUND,
    LANGFUSE,
    SYSTEM,
    TRACE,
    dataframe,
    langsmith,
    phoenix,
)

from knitbone.errors import InputFormatError
from knitbone.record.events import MISSING_EVENTS, ModelCall, Outcome, Retrieval, ToolCall
from knitbone.report.run_lines import lost_line
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.interchange.importers import import_bytes
from knitbone.tethering.interchange.importers.registry import detect


def load(value, source_format="auto"):
    return import_bytes(json.dumps(value).encode(), path="f.json", source_format=source_format)


def only(value):
    (item,) = load(value)
    return item.run


@pytest.mark.parametrize("form", FORMS)
def test_a_run_is_read_alike_in_every_form(form):
    expected, value = FORMS[form]
    assert detect(value, "f").name == expected
    run = only(value)
    assert (run.id, run.name, run.task) == (TRACE, "agent", ASKED)
    first, tool, second = run.events
    assert [message.content for message in first.input] == [SYSTEM, ASKED]
    (asked,) = first.output.tool_calls
    assert (asked.name, asked.arguments, asked.call_id) == ("find_table", CALL, "call_1")
    assert (tool.name, tool.arguments, tool.result) == ("find_table", CALL, FOUND)
    assert (tool.parent, tool.call_id, tool.error) == (first.id, "call_1", None)
    assert second.output.content == ANSWER
    assert [m.role for m in second.input] == ["system", "user", "assistant", "tool"]
    assert second.input[3].content == FOUND
    assert {first.model, second.model} == {"m-1"}
    assert (first.usage.input_tokens, first.usage.output_tokens) == (9, 3)
    assert (second.usage.input_tokens, second.usage.cost_usd) == (20, 0.5)
    assert first.started_ns == 1767254401250 * 10**6
    assert first.ended_ns == 1767254401750 * 10**6
    assert MISSING_EVENTS not in run.attributes
    assert run.outcome is None
    assert diagnose(run).units == 2


@pytest.mark.parametrize("form", FORMS)
def test_one_record_a_line_is_the_same_run(form):
    _, value = FORMS[form]
    lines = value if isinstance(value, list) else [value]
    data = b"".join(json.dumps(each).encode() + b"\n" for each in lines)
    (item,) = import_bytes(data, path="f.jsonl")
    assert item.run.events == only(value).events


def langsmith_errors():
    runs = langsmith()
    runs[0]["error"] = runs[2]["error"] = (
        "ValueError('no table')Traceback (most recent call last):\n  File ..."
    )
    runs[2]["outputs"] = None
    return runs


def langfuse_errors():
    value = copy.deepcopy(LANGFUSE)
    for name in ("obs0", "obs2"):
        failed = next(o for o in value["observations"] if o["id"] == name)
        failed |= {"level": "ERROR", "statusMessage": "no table"}
    next(o for o in value["observations"] if o["id"] == "obs2")["type"] = "TOOL"
    return value


def phoenix_errors():
    spans = phoenix()
    for span in (spans[0], spans[2]):
        said = {"exception": {"type": "ValueError", "message": "no table"}}
        raised = {"name": "exception", "timestamp": "2026-01-01T08:00:03Z", "attributes": said}
        span |= {"status_code": "ERROR", "status_message": "no table", "events": [raised]}
    return spans


@pytest.mark.parametrize("value", [langsmith_errors(), langfuse_errors(), phoenix_errors()])
def test_errors_of_tools_and_of_the_root_are_read(value):
    run = only(value)
    (tool,) = [event for event in run.events if isinstance(event, ToolCall)]
    assert "no table" in tool.error.message
    assert isinstance(run.events[-1], Outcome)
    assert run.outcome.success is False
    assert "no table" in run.outcome.reason


def test_the_type_of_an_error_is_read_off_langsmiths_text():
    run = only(langsmith_errors())
    (tool,) = [event for event in run.events if isinstance(event, ToolCall)]
    assert (tool.error.type, tool.error.message) == ("ValueError", "ValueError('no table')")


def test_retrievals_and_chat_models_of_other_libraries_are_read():
    runs = langsmith()[:1]
    base = runs[0] | {"parent_run_id": TRACE, "run_type": "llm"}
    content = [{"type": "text", "text": "Yes."},
               {"type": "tool_use", "id": "u1", "name": "pay", "input": {"eur": 3}}]  # fmt: skip
    items = [
        {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Yes."}]},
        {"type": "function_call", "name": "pay", "arguments": '{"eur": 3}', "id": "u1"},
    ]
    runs += [
        base | {"id": "a", "inputs": {"system": SYSTEM, "messages": [["human", ASKED]]},
                "outputs": {"role": "assistant", "content": content, "stop_reason": "tool_use",
                            "usage": {"input_tokens": 5, "output_tokens": 2}}},
        base | {"id": "b", "inputs": {"input": [{"role": "user", "content": ASKED}]},
                "outputs": {"output": items}},
        base | {"id": "c", "inputs": {"prompts": [ASKED]}, "outputs": {
            "generations": [[{"text": "Yes."}]]}},
        base | {"id": "d", "run_type": "retriever", "inputs": {"query": "tables"}, "outputs": {
            "documents": [{"page_content": "T4", "metadata": {"k": 1}, "type": "Document"}]}},
    ]  # fmt: skip
    claude, responses, completion, found = only(runs).events
    assert [m.role for m in claude.input] == ["system", "user"]
    assert claude.finish_reason == "tool_use"
    assert claude.usage.input_tokens == 5
    for call in (claude, responses):
        assert call.output.content == "Yes."
        assert call.output.tool_calls[0].arguments == {"eur": 3}
    assert (completion.input[0].content, completion.output.content) == (ASKED, "Yes.")
    assert isinstance(found, Retrieval)
    assert (found.query, found.documents[0].text) == ("tables", "T4")


def test_items_of_the_responses_api_are_turns_in_langfuse_and_langsmith():
    given = [
        {"role": "user", "content": ASKED},
        {"type": "function_call", "call_id": "c1", "name": "pay", "arguments": {"eur": 3}},
        {"type": "function_call_output", "call_id": "c1", "output": "paid"},
    ]
    output = [{"type": "message", "id": "m1", "role": "assistant",
               "content": [{"type": "output_text", "text": "Done."}]}]  # fmt: skip
    made = {"object": "response", "output": output}
    seen = LANGFUSE["observations"][0] | {"input": given, "output": made}
    run = langsmith()[1] | {"inputs": {"input": given}, "outputs": made}
    for value in ([seen], [run]):
        (call,) = only(value).events
        assert [m.role for m in call.input] == ["user", "assistant", "tool"]
        assert call.input[1].tool_calls[0].arguments == {"eur": 3}
        assert (call.input[2].tool_call_id, call.input[2].content) == ("c1", "paid")
        assert call.output.content == "Done."


def without(value, name):
    """A form of the run without the record that has this identifier."""
    ids = (lambda body: body.get("id"), lambda body: (body.get("context") or {}).get("span_id"))
    return [body for body in value if name not in [each(body) for each in ids]]


@pytest.mark.parametrize(
    "value",
    [
        without(langsmith(), TRACE),
        without(LANGFUSE["observations"], "obs0"),
        without(phoenix(), "s0"),
        [run | {"child_run_ids": [*(r["id"] for r in langsmith()), "gone"]} for run in langsmith()],
    ],
)
def test_a_record_that_others_name_and_the_file_lacks_is_said(value):
    run = only(value)
    assert run.attributes[MISSING_EVENTS] == 1
    assert "1 of its events" in lost_line(run)
    assert len([event for event in run.events if isinstance(event, ModelCall)]) == 2


@pytest.mark.parametrize(
    "value",
    [
        [run | {"parent_run_id": other["id"], "trace_id": None}
         for run, other in pairwise([*langsmith(), langsmith()[0]])],
        [o | {"parentObservationId": "obs1" if o["id"] == "obs0" else o["parentObservationId"]}
         for o in LANGFUSE["observations"]],
        [span | {"parent_id": span["context"]["span_id"]} for span in phoenix()],
    ],
)  # fmt: skip
def test_a_circle_of_records_ends(value):
    assert len(only(value).events) == 3


def changed(value, place, new):
    made = copy.deepcopy(value)
    holder = made
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = new
    return made


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (changed(langsmith(), (2, "id"), None), "f.json, [2].id: expected an identifier"),
        (changed(langsmith(), (1, "start_time"), "soon"), "[1].start_time: expected a time"),
        (changed(langsmith(), (1, "start_time"), True), "[1].start_time: expected a time"),
        (changed(langsmith(), (1, "end_time"), "2026-13-01T08:00:00"), "expected a time"),
        (changed(langsmith(), (3, "error"), {"a": 1}), "[3].error: expected text"),
        (changed(langsmith(), (1,), 5), "[1]: expected an object"),
        (changed(LANGFUSE, ("observations", 0, "id"), 7), "observations[0].id: expected an ident"),
        (changed(LANGFUSE, ("observations", 1, "startTime"), []), "expected a time"),
        (changed(LANGFUSE, ("observations",), ["obs1"]), "not the observation"),
        (changed(LANGFUSE, ("observations",), []), "holds 0 records"),
        (
            changed(phoenix(), (2, "context", "trace_id"), ""),
            "[2].context.trace_id: expected an id",
        ),
        (changed(phoenix(), (1, "start_time"), 10**40), "nanoseconds in 64 bits"),
        (changed(phoenix(), (1, "events"), [3]), "[1].events[0]: expected an object"),
        (langsmith()[:1], "none of a model call, a tool or a retrieval: 'agent'"),
        (dataframe()[:1], "none of a model call, a tool or a retrieval"),
    ],
)
def test_a_wrong_record_of_an_export_is_named_with_its_place(value, said):
    with pytest.raises(InputFormatError) as raised:
        load(value)
    assert said in str(raised.value)
    assert raised.value.next_step


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
    | st.sampled_from([10**400, "2026-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "[1", "{"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["id", "role", "content", "type", "message", "0"]), inner,
                      max_size=3),
    max_leaves=6,
)  # fmt: skip


def places(value, at=()):
    items = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        yield (*at, key)
        yield from places(item, (*at, key))


PLACES = {form: list(places(value)) for form, (_, value) in FORMS.items()}


@given(st.data(), st.sampled_from(list(FORMS)), st.booleans())
def test_a_damaged_export_gives_runs_or_an_input_error(data, form, named):
    expected, value = FORMS[form]
    for _ in range(data.draw(st.integers(1, 3))):
        try:
            value = changed(value, data.draw(st.sampled_from(PLACES[form])), data.draw(JSON))
        except (KeyError, IndexError, TypeError):
            continue  # what held the place was replaced before
    try:
        items = import_bytes(json.dumps(value).encode(), path="f.json",
                             source_format=expected if named else "auto")  # fmt: skip
    except InputFormatError:
        return
    for item in items:
        assert item.run.events
        diagnose(item.run)


def test_many_records_in_a_long_chain_are_read_in_time():
    runs = langsmith()
    base = runs[2] | {"trace_id": None}
    chain = [base | {"id": f"n{n}", "parent_run_id": f"n{n - 1}" if n else None}
             for n in range(20_000)]  # fmt: skip
    (item,) = load(chain[::-1])
    assert len(item.run.events) >= 1
    assert item.run.id == "n0"
