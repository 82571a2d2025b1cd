"""A run that goes out over OTLP and comes in again is the same run, and has the same graph."""

from __future__ import annotations

import json
from contextlib import closing

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from local_collector import Collector
from recorded_block import record_run
from recorded_logs import FERRY, LIGHTHOUSES, PHONE, SEATS, chat_record
from recorded_spans import ANTHROPIC, GENAI_SPANS, OPENINFERENCE_SPANS, RESPONSES, traces

from knitbone.errors import InputFormatError
from knitbone.record.events import (
    Adaptation,
    ChatMessage,
    Document,
    ErrorInfo,
    Intervention,
    Message,
    ModelCall,
    Origin,
    Outcome,
    Position,
    Retrieval,
    Run,
    ToolCall,
    ToolCallRequest,
    Usage,
    encode_json,
)
from knitbone.record.secrets.names import strength_of
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.exporters.otlp import lines
from knitbone.tethering.interchange.exporters.send import endpoint_of, send_runs
from knitbone.tethering.interchange.importers import import_bytes

NOW = 1_790_000_000_000_000_000


def imported(value):
    return [item.run for item in import_bytes(json.dumps(value).encode(), path="runs.json")]


def back(data):
    return [item.run for item in import_bytes(data, path="traces.jsonl")]


def graph_of(run):
    graph = build_graph(build_units(run))
    edges = sorted(graph.network.edges(data=True), key=lambda edge: edge[:2])
    return graph.units, dict(graph.dependencies_into), edges


def recorded_run(tmp_path):
    """A run as the recorder stores it: times, usage, several agents, every kind of event."""
    asked = ToolCallRequest(name="find", arguments={"name": "Brandt"}, call_id="c1")
    garbled = ToolCallRequest(name="seat", arguments='{"table": T17', call_id="c2")
    with closing(SqliteStore(tmp_path / "runs.sqlite")) as store:
        with record_run(store, name="inn", task="Seat the guests.") as recorder:
            record = recorder.record
            record(Message(id="m", role="user", content="Seat Brandt.", started_ns=NOW))
            record(ModelCall(
                id="a", agent="planner", started_ns=NOW + 5, ended_ns=NOW + 9, model="gpt-4o",
                provider="openai", input=(ChatMessage(role="user", content="Seat Brandt."),),
                output=ChatMessage(role="assistant", tool_calls=(asked, garbled)),
                finish_reason="tool_calls",
                usage=Usage(input_tokens=20, output_tokens=7, cost_usd=0.1),
                attributes={"gen_ai.request.temperature": 0.5},
            ))  # fmt: skip
            record(ToolCall(
                id="b", parent="a", agent="host", name="find", call_id="c1",
                arguments={"name": "Brandt"}, result={"booking_id": "BK4471"},
                started_ns=NOW + 10, ended_ns=NOW + 12,
            ))  # fmt: skip
            record(ToolCall(
                id="c", parent="a", agent="host", name="seat", call_id="c2",
                arguments='{"table": T17', error=ErrorInfo(type="ValueError", message="no JSON"),
            ))  # fmt: skip
            record(Retrieval(
                id="d", agent="host", query="tables for 4", source="floor",
                documents=(Document(text="T17 seats 4", id="f", score=0.5, metadata={"page": 1}),),
            ))  # fmt: skip
            record(Adaptation(
                id="e", site="inn.py:3", requirement="JSON", action="repaired", before="{",
                after="{}", rules=("close",),
            ))  # fmt: skip
            record(Intervention(id="f", trigger="tool_return", signal="loop", content="Stop."))
            record(ModelCall(id="g", agent="planner", error=ErrorInfo(type="Timeout")))
            record(Outcome(id="h", success=False, reward=0.0, reason="no table"))
        return store.get(recorder.run_id)


def every_kind(tmp_path):
    yield from imported([chat_record(), chat_record(4, 1.0)])
    for value in (LIGHTHOUSES, FERRY, PHONE, SEATS, RESPONSES, ANTHROPIC):
        yield from imported(value)
    yield from imported(traces(*GENAI_SPANS))
    yield from imported(traces(*({**s, "traceId": "ab" * 16} for s in OPENINFERENCE_SPANS)))
    yield recorded_run(tmp_path)
    yield Run(id="empty, and no trace id")


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_a_run_sent_to_a_collector_and_imported_again_has_the_same_graph(
    tmp_path, monkeypatch, compression
):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
    runs = list(every_kind(tmp_path))
    with Collector() as collector:
        sent = list(send_runs(runs, endpoint_of({}, collector.url), untimed_ns=NOW))
    assert [one.run for one in sent] == [run.id for run in runs]
    again = back(collector.file())
    assert [graph_of(run) for run in again] == [graph_of(run) for run in runs]
    assert again == runs


def test_what_was_imported_and_sent_keeps_where_it_came_from(tmp_path):
    (run,) = imported(SEATS)
    (again,) = back(b"".join(lines([run], untimed_ns=NOW)))
    assert (again.origin.format, again.origin.path) == ("messages", "runs.json")


# Hypothesis draws names out of the sources, too: what stands under a name of a secret is left out.
SHORT = st.text(max_size=8).filter(lambda text: not strength_of(text))
# A larger integer is told in words, as in recorded runs (record/redaction.py).
NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | SHORT | st.sampled_from(['{"a": 1}', "[1]", "12", "{"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SHORT, inner, max_size=3),
    max_leaves=6,
)
NAMES = SHORT | st.sampled_from(
    ["gen_ai.tool.name", "knitbone.event.id", "error.type", "knitbone.attributes", "service.name",
     "knitbone.json_attributes", "knitbone.message.mode", "gen_ai.operation.name",
     "knitbone.started_ns", "gen_ai.usage.input_tokens", "knitbone.run.id"]
)  # fmt: skip
ATTRIBUTES = st.dictionaries(NAMES, JSON, max_size=3)
MAYBE = st.none() | SHORT
TIMES = st.just(0) | st.integers(-5, 2**63 - 1)
BASE = {
    "id": SHORT, "started_ns": TIMES, "ended_ns": st.none() | TIMES, "parent": MAYBE,
    "agent": MAYBE, "attributes": ATTRIBUTES,
    "position": st.none() | st.builds(Position, index=st.integers(0, 2**40)),
}  # fmt: skip
REQUESTS = st.lists(
    st.builds(ToolCallRequest, name=SHORT, arguments=JSON, call_id=MAYBE), max_size=2
).map(tuple)
CHAT = st.builds(
    ChatMessage, role=st.sampled_from(["system", "user", "assistant", "tool"]), content=SHORT,
    tool_calls=REQUESTS, tool_call_id=MAYBE, name=MAYBE,
)  # fmt: skip
ERRORS = st.none() | st.builds(ErrorInfo, type=SHORT, message=SHORT)
USAGE = st.none() | st.builds(
    Usage, input_tokens=st.integers(0, 2**40), output_tokens=st.none() | st.integers(0, 9),
    cost_usd=st.none() | st.floats(0, 1),
)  # fmt: skip
DOCUMENTS = st.lists(
    st.builds(Document, text=SHORT, id=MAYBE, score=st.none() | st.floats(0, 1),
              metadata=st.dictionaries(SHORT, JSON, max_size=2)),
    max_size=2,
).map(tuple)  # fmt: skip
EVENTS = st.one_of(
    st.builds(
        ModelCall, **BASE, model=SHORT, provider=MAYBE, operation=SHORT, output=st.none() | CHAT,
        input=st.lists(CHAT, max_size=2).map(tuple), finish_reason=MAYBE, usage=USAGE, error=ERRORS,
    ),
    st.builds(ToolCall, **BASE, name=SHORT, call_id=MAYBE, arguments=JSON, result=JSON,
              error=ERRORS),
    st.builds(Retrieval, **BASE, query=SHORT, source=MAYBE, documents=DOCUMENTS),
    st.builds(Message, **BASE, role=st.sampled_from(["system", "user", "environment"]),
              content=SHORT),
    st.builds(Adaptation, **BASE, site=SHORT, requirement=SHORT, evidence=SHORT, defect=SHORT,
              action=st.sampled_from(["repaired", "refused", "unread"]), before=SHORT,
              after=MAYBE, rules=st.lists(SHORT, max_size=2).map(tuple), reason=SHORT),
    st.builds(Intervention, **BASE, trigger=st.sampled_from(["tool_return", "text_response"]),
              signal=SHORT, content=SHORT, reason=SHORT),
    st.builds(Outcome, **BASE, success=st.none() | st.booleans(), reason=SHORT,
              reward=st.none() | st.floats(allow_nan=False, allow_infinity=False)),
)  # fmt: skip
RUNS = st.builds(
    Run, id=SHORT | st.uuids().map(lambda made: made.hex), name=SHORT, task=SHORT,
    started_ns=TIMES, ended_ns=st.none() | TIMES, attributes=ATTRIBUTES,
    origin=st.none() | st.builds(Origin, format=SHORT, path=MAYBE, record=st.none() | st.just(3),
                                 identity=st.dictionaries(SHORT, JSON, max_size=2)),
    events=st.lists(EVENTS, max_size=6).map(tuple),
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(RUNS, st.randoms(use_true_random=False), st.booleans())
def test_any_run_comes_back_exactly_whatever_the_order_of_its_spans(run, order, twice):
    body = msgspec.json.decode(next(lines([run], untimed_ns=NOW)))
    spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"]
    order.shuffle(spans)
    if twice:  # a collector that retried
        spans.extend(spans[:2])
    (again,) = back(msgspec.json.encode(body))
    assert again == run
    assert encode_json(again) == encode_json(run)  # 1 and 1.0 and true are not the same


def spans_in(data):
    return json.loads(data)["resourceSpans"][0]["scopeSpans"][0]["spans"]


def as_file(spans):
    return json.dumps(traces(*spans)).encode()


def test_a_run_whose_spans_are_not_all_there_says_so(tmp_path):
    run = recorded_run(tmp_path)
    spans = spans_in(next(lines([run], untimed_ns=NOW)))
    kept = [span for span in spans if not span["name"].startswith("execute_tool")]
    (again,) = back(as_file(kept))
    assert again.attributes["knitbone.import.missing_events"] == 2
    assert len(again.events) == len(run.events) - 2
    (rootless,) = back(as_file(spans[1:]))
    assert rootless.events == run.events
    assert rootless.id == run.id


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("knitbone.event.kind", "teleport", "'teleport' is no kind of event"),
        ("gen_ai.input.messages", "[{", "expected JSON text, found '[{'"),
        ("gen_ai.input.messages", "[" * 300, "expected JSON text"),
        ("gen_ai.input.messages", "[" * 300 + "]" * 300, "nested deeper"),
        ("gen_ai.input.messages", "[]", "is none"),
        ("knitbone.message.role", "robot", "robot"),
    ],
)
def test_a_changed_span_is_named_with_its_place_and_the_next_step(name, value, said):
    run = Run(id="r", events=(Message(id="m", role="user", content="hello"),))
    spans = spans_in(next(lines([run], untimed_ns=NOW)))
    for attribute in spans[1]["attributes"]:
        if attribute["key"] == name:
            attribute["value"] = {"stringValue": value}
    with pytest.raises(InputFormatError, match=r"spans\[1\]") as caught:
        back(as_file(spans))
    assert said in caught.value.message
    assert caught.value.next_step
