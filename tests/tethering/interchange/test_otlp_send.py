"""Sending to a collector: what goes over the wire, what is tried again, what errors say."""

from __future__ import annotations

import gzip
import json
import os
import sys

import pytest
from local_collector import Answer, Collector
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from recorded_logs import SEATS

from knitbone.errors import ConfigError, ExportError, MissingExtraError
from knitbone.record.events import ChatMessage, ErrorInfo, Message, ModelCall, Run, ToolCall
from knitbone.tethering.interchange.exporters import otlp
from knitbone.tethering.interchange.exporters.otlp import resource_attributes
from knitbone.tethering.interchange.exporters.send import endpoint_of, send_runs
from knitbone.tethering.interchange.importers import import_bytes
from knitbone.tethering.interchange.spans.run import spans_of

NOW = 1_790_000_000_000_000_000
RUN = import_bytes(json.dumps(SEATS).encode(), path="r.json")[0].run


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in [name for name in os.environ if name.startswith("OTEL_") or "CA_BUNDLE" in name]:
        monkeypatch.delenv(name)


def send(collector, *, runs=(RUN,), timeout_s=None):
    url = endpoint_of({}, collector.url)
    return list(send_runs(runs, url, untimed_ns=NOW, timeout_s=timeout_s))


def failure(collector, **how):
    with pytest.raises(ExportError) as caught:
        send(collector, **how)
    assert caught.value.next_step
    return caught.value


def attributes_of(span):
    return {a["key"]: next(iter(a["value"].values())) for a in span["attributes"]}


def test_the_spans_are_those_of_the_genai_conventions():
    asked = ModelCall(
        id="a", agent="host", started_ns=NOW, ended_ns=NOW + 5, model="gpt-4o", provider="openai",
        output=ChatMessage(role="assistant", content="Hello"), finish_reason="stop",
    )  # fmt: skip
    tool = ToolCall(
        id="b", parent="a", agent="clerk", name="seat", call_id="c1", arguments={"n": 1},
        error=ErrorInfo(type="ValueError", message="no table"),
    )  # fmt: skip
    run = Run(id="ab" * 16, name="inn", task="Seat us.", events=(asked, tool))
    root, host, chat, clerk, seat = spans_of(run, untimed_ns=NOW)
    assert [s["name"] for s in (root, host, chat, clerk, seat)] == [
        "invoke_workflow inn",
        "invoke_agent host",
        "chat gpt-4o",
        "invoke_agent clerk",
        "execute_tool seat",
    ]
    assert {s["traceId"] for s in (root, host, chat, clerk, seat)} == {"ab" * 16}
    assert (host["parentSpanId"], chat["parentSpanId"]) == (root["spanId"], host["spanId"])
    said = attributes_of(chat)
    assert said["gen_ai.operation.name"] == "chat"
    assert (said["gen_ai.request.model"], said["gen_ai.provider.name"]) == ("gpt-4o", "openai")
    assert said["gen_ai.agent.name"] == "host"
    assert json.loads(said["gen_ai.output.messages"]) == [
        {"role": "assistant", "parts": [{"type": "text", "content": "Hello"}],
         "finish_reason": "stop"}
    ]  # fmt: skip
    assert (chat["kind"], chat["startTimeUnixNano"]) == (3, str(NOW))
    said = attributes_of(seat)
    assert said["gen_ai.operation.name"] == "execute_tool"
    assert (said["gen_ai.tool.name"], said["gen_ai.tool.call.id"]) == ("seat", "c1")
    assert (said["gen_ai.tool.call.arguments"], said["error.type"]) == ('{"n": 1}', "ValueError")
    assert seat["status"] == {"code": 2, "message": "no table"}
    assert json.loads(attributes_of(root)["gen_ai.input.messages"])[0]["role"] == "user"


def test_one_agent_is_one_span_and_events_without_times_follow_one_another():
    spans = list(spans_of(RUN, untimed_ns=NOW))
    assert spans[0]["name"] == "invoke_agent"
    assert len(spans) == len(RUN.events) + 1
    starts = [int(span["startTimeUnixNano"]) for span in spans[1:]]
    assert starts == sorted(set(starts))
    assert starts[0] > NOW
    assert len({span["spanId"] for span in spans}) == len(spans)


def test_requests_carry_the_headers_the_service_and_the_path(monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20k1,x-team=inn")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    with Collector() as collector:
        (sent,) = send(collector)
        ((path, given, body),) = collector.requests
        headers = {name.lower(): value for name, value in given.items()}
    assert path == "/v1/traces"
    assert (headers["authorization"], headers["x-team"]) == ("Bearer k1", "inn")
    assert (sent.spans, sent.requests) == (len(RUN.events) + 1, 1)
    assert gzip.decompress(body)
    (resource,) = collector.taken[0]["resourceSpans"]
    assert attributes_of(resource["resource"]) == {"service.name": "knitbone"}


def test_a_long_run_goes_in_several_requests(monkeypatch):
    monkeypatch.setattr(otlp, "MAX_REQUEST", 50_000)
    events = tuple(
        Message(id=str(n), role="user", content="x" * (90_000 if n == 7 else 9_000))
        for n in range(20)
    )
    run = Run(id="long", events=events)
    with Collector() as collector:
        (sent,) = send(collector, runs=[run])
        sizes = [len(body) for _, _, body in collector.requests]
    assert sent.requests == len(sizes) > 4
    assert sorted(sizes)[-2] < 51_000  # the one large span went alone
    (item,) = import_bytes(collector.file(), path="t.jsonl")
    assert item.run == run


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_collector_is_tried_again(status):
    busy = Answer(status, headers={"Retry-After": "0"})
    with Collector(busy, busy) as collector:
        assert len(send(collector)) == 1
    assert len({body for _, _, body in collector.requests}) == 1
    assert len(collector.requests) == 3


def test_a_collector_that_stays_busy_is_an_error():
    with Collector(*[Answer(503, b"overloaded", headers={"Retry-After": "0"})] * 9) as collector:
        error = failure(collector)
    assert len(collector.requests) > 1
    assert "HTTP 503" in error.message
    assert "overloaded" in error.message


@pytest.mark.parametrize(
    ("status", "step"), [(400, "log"), (401, "HEADERS"), (404, "v1/traces"), (413, "limit")]
)
def test_another_refusal_is_final(status, step):
    with Collector(Answer(status, b"because \xff")) as collector:
        error = failure(collector)
    assert len(collector.requests) == 1
    assert f"HTTP {status}" in error.message
    assert "because \ufffd" in error.message
    assert step in error.next_step


def test_a_redirection_is_not_followed_with_the_key(monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=k1")
    with Collector() as other:
        moved = Answer(302, headers={"Location": other.url + "/v1/traces"})
        with Collector(moved) as collector:
            error = failure(collector)
        assert "HTTP 302" in error.message
        assert other.requests == []


def test_spans_that_are_rejected_are_an_error():
    answer = ExportTraceServiceResponse()
    answer.partial_success.rejected_spans = 3
    answer.partial_success.error_message = "too old"
    with Collector(Answer(200, answer.SerializeToString())) as collector:
        assert "rejected 3 of 13 spans: too old" in failure(collector).message


@pytest.mark.parametrize("body", [b"", b"taken", b"[]", b"\xff\xff", b'{"partialSuccess": 1}'])
def test_an_unreadable_answer_to_what_was_taken_is_no_error(body):
    with Collector(Answer(200, body)) as collector:
        assert len(send(collector)) == 1


def test_a_collector_that_does_not_answer_is_an_error():
    with Collector(*[Answer(200, delay_s=0.6)] * 9) as collector:
        error = failure(collector, timeout_s=0.1)
    assert "4318" in error.next_step


def test_a_collector_that_is_not_there_is_an_error():
    with Collector() as collector:
        pass
    error = failure(collector, timeout_s=3)
    assert "cannot be reached" in error.message
    assert "refused" in error.message
    assert RUN.id in error.message


@pytest.mark.parametrize("there", [True, False])
def test_no_message_holds_a_key(monkeypatch, there):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=k1")
    with Collector(Answer(401)) as collector:
        url = collector.url + "/v1/traces?token=s3cret"
        if there:
            with pytest.raises(ExportError) as caught:
                list(send_runs([RUN], url, untimed_ns=NOW))
            assert collector.requests[0][0] == "/v1/traces?token=s3cret"
    if not there:
        with pytest.raises(ExportError) as caught:
            list(send_runs([RUN], url, untimed_ns=NOW, timeout_s=1))
    assert "s3cret" not in str(caught.value)
    assert "k1" not in str(caught.value)


@pytest.mark.parametrize(
    ("environ", "endpoint", "url"),
    [
        ({}, None, "http://localhost:4318/v1/traces"),
        ({}, "http://c:1", "http://c:1/v1/traces"),
        ({}, "http://c:1/v1/traces", "http://c:1/v1/traces"),
        ({}, "https://c/api/otel/", "https://c/api/otel/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1/x"}, None, "http://c:1/x/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:1/x"}, None, "http://c:1/x"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:1/x"}, "http://d", "http://d/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, None, "http://localhost:4318/v1/traces"),
    ],
)
def test_the_endpoint_is_the_argument_else_the_variable(environ, endpoint, url):
    assert endpoint_of(environ, endpoint) == url


def test_grpc_is_refused():
    with pytest.raises(ConfigError, match=r"OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'"):
        endpoint_of({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})


@pytest.mark.parametrize("url", ["localhost:4318", "file:///etc/passwd", "http://[::1"])
def test_an_address_that_is_none_is_an_error(url):
    with pytest.raises((ConfigError, ExportError)) as caught:
        list(send_runs([RUN], endpoint_of({}, url), untimed_ns=NOW))
    assert caught.value.next_step


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TIMEOUT", "soon"),
        ("COMPRESSION", "zip"),
        ("HEADERS", "s3cret"),
        ("CERTIFICATE", "/nowhere/ca.pem"),
    ],
)
def test_a_variable_that_cannot_be_used_is_an_error(monkeypatch, name, value):
    monkeypatch.setenv(f"OTEL_EXPORTER_OTLP_{name}", value)
    url = "https://127.0.0.1:9/v1/traces"
    with pytest.raises((ConfigError, ExportError)) as caught:
        list(send_runs([RUN], url, untimed_ns=NOW))
    assert (value in str(caught.value)) == (name != "HEADERS")  # which may hold a key


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(MissingExtraError, match=r"otlp"):
        list(send_runs([RUN], "http://127.0.0.1:9/v1/traces", untimed_ns=NOW))


def test_the_resource_comes_from_the_environment():
    environ = {"OTEL_RESOURCE_ATTRIBUTES": "service.name=a,team=inn", "OTEL_SERVICE_NAME": "b"}
    assert resource_attributes(environ) == {"service.name": "b", "team": "inn"}
    with pytest.raises(ConfigError, match="entry 2"):
        resource_attributes({"OTEL_RESOURCE_ATTRIBUTES": "a=1,b"})
