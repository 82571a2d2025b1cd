"""Sending to a collector: what goes over the wire, what is tried again, what errors say."""

from __future__ import annotations

import gzip
import json

import pytest
from local_collector import Answer, Collector
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from recorded_logs import SEATS

from knitbone.errors import ConfigError, ExportError
from knitbone.record.events import ChatMessage, ErrorInfo, Message, ModelCall, Run, ToolCall
from knitbone.tethering.interchange.exporters import otlp
from knitbone.tethering.interchange.exporters.send import ATTEMPTS, MAX_WAIT_S, send_runs
from knitbone.tethering.interchange.exporters.settings import resource_attributes, settings_from
from knitbone.tethering.interchange.importers import import_bytes
from knitbone.tethering.interchange.spans.run import spans_of

NOW = 1_790_000_000_000_000_000
RUN = import_bytes(json.dumps(SEATS).encode(), path="r.json")[0].run


def send(collector, *, protocol="http/json", environ=None, runs=(RUN,), timeout_s=None):
    waits = []
    settings = settings_from(
        environ or {}, endpoint=collector.url, protocol=protocol, timeout_s=timeout_s
    )
    sent = list(send_runs(runs, settings, untimed_ns=NOW, sleep=waits.append))
    return sent, waits


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


@pytest.mark.parametrize("protocol", ["http/json", "http/protobuf"])
def test_requests_carry_the_headers_the_service_and_the_path(protocol):
    environ = {
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20k1,x-team=inn",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
    }
    with Collector() as collector:
        (sent,), _ = send(collector, protocol=protocol, environ=environ)
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
        (sent,), _ = send(collector, runs=[run])
        sizes = [len(body) for _, _, body in collector.requests]
    assert sent.requests == len(sizes) > 4
    assert sorted(sizes)[-2] < 51_000  # the one large span went alone
    (item,) = import_bytes(collector.file(), path="t.jsonl")
    assert item.run == run


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_collector_is_tried_again(status):
    with Collector(Answer(status), Answer(status, headers={"Retry-After": "7"})) as collector:
        sent, waits = send(collector)
    assert len(sent) == 1
    assert 0.5 <= waits[0] <= 1
    assert waits[1] == 7
    assert len({body for _, _, body in collector.requests}) == 1


def test_no_wait_is_longer_than_the_limit():
    busy = Answer(503, headers={"Retry-After": "86400"})
    with Collector(busy) as collector:
        assert send(collector)[1] == [MAX_WAIT_S]


def test_a_collector_that_stays_busy_is_an_error_after_the_last_try():
    with Collector(*[Answer(503, b"overloaded")] * ATTEMPTS) as collector:
        error = failure(collector)
    assert len(collector.requests) == ATTEMPTS
    assert f"after {ATTEMPTS} tries: HTTP 503" in error.message
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


def test_a_redirection_is_not_followed_with_the_key():
    with Collector() as other:
        moved = Answer(302, headers={"Location": other.url + "/v1/traces"})
        with Collector(moved) as collector:
            error = failure(collector, environ={"OTEL_EXPORTER_OTLP_HEADERS": "api-key=k1"})
        assert "HTTP 302" in error.message
        assert other.requests == []


def test_spans_that_are_rejected_are_an_error():
    partial = {"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too old"}}
    with Collector(Answer(200, json.dumps(partial).encode())) as collector:
        assert "rejected 3 of 13 spans: too old" in failure(collector).message
    answer = ExportTraceServiceResponse()
    answer.partial_success.rejected_spans = 2
    with Collector(Answer(200, answer.SerializeToString())) as collector:
        error = failure(collector, protocol="http/protobuf")
        assert "rejected 2 of 13 spans: no reason given" in error.message


@pytest.mark.parametrize("body", [b"", b"taken", b"[]", b"\xff\xff", b'{"partialSuccess": 1}'])
@pytest.mark.parametrize("protocol", ["http/json", "http/protobuf"])
def test_an_unreadable_answer_to_what_was_taken_is_no_error(body, protocol):
    with Collector(Answer(200, body)) as collector:
        assert len(send(collector, protocol=protocol)[0]) == 1


def test_a_collector_that_does_not_answer_is_an_error():
    with Collector(*[Answer(200, delay_s=0.4)] * ATTEMPTS) as collector:
        error = failure(collector, timeout_s=0.05)
    assert "timed out" in error.message
    assert "4318" in error.next_step


def test_a_collector_that_is_not_there_is_an_error():
    with Collector() as collector:
        pass
    error = failure(collector)
    assert "cannot be reached" in error.message
    assert RUN.id in error.message


def test_no_message_holds_a_key():
    with Collector(Answer(401)) as collector:
        url = collector.url + "/v1/traces?token=s3cret"
        environ = {"OTEL_EXPORTER_OTLP_HEADERS": "api-key=k1"}
        settings = settings_from(environ | {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": url})
        with pytest.raises(ExportError) as caught:
            list(send_runs([RUN], settings, untimed_ns=NOW))
    for text in (str(caught.value), repr(settings)):
        assert "s3cret" not in text
        assert "k1" not in text
    assert collector.requests[0][0] == "/v1/traces?token=s3cret"


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
    assert settings_from(environ, endpoint=endpoint).url == url


def test_variables_for_traces_go_before_those_for_all_signals():
    environ = {
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_HEADERS": "a=1",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "b=2",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "2500",
    }
    settings = settings_from(environ)
    assert (settings.protocol, settings.headers, settings.timeout_s) == (
        "http/protobuf",
        {"b": "2"},
        2.5,
    )
    assert settings_from(environ, protocol="http/json", timeout_s=1.0).timeout_s == 1.0


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318"}, "'localhost:4318'"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "file:///etc/passwd"}, "'file:///etc/passwd'"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://[::1"}, "no address"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c/\r\nx: y"}, "no address"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://me:s3cret@c:1"}, "address of c holds"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "'grpc' is not supported"),
        ({"OTEL_EXPORTER_OTLP_TIMEOUT": "10s"}, "'10s'"),
        ({"OTEL_EXPORTER_OTLP_TIMEOUT": "0"}, "'0'"),
        ({"OTEL_EXPORTER_OTLP_COMPRESSION": "zip"}, "'zip'"),
        ({"OTEL_EXPORTER_OTLP_HEADERS": "a=1,s3cret"}, "entry 2"),
        ({"OTEL_EXPORTER_OTLP_HEADERS": "a=s3cret%0d%0ab"}, "entry 1"),
    ],
)
def test_a_variable_that_cannot_be_used_is_named(environ, said):
    with pytest.raises(ConfigError) as caught:
        settings_from(environ)
    assert said in caught.value.message
    assert "s3cret" not in str(caught.value)
    assert caught.value.next_step


def test_certificates_that_cannot_be_read_are_an_error(tmp_path):
    settings = settings_from({"OTEL_EXPORTER_OTLP_CERTIFICATE": str(tmp_path / "ca.pem")})
    with pytest.raises(ConfigError, match="cannot be read"):
        list(send_runs([RUN], settings, untimed_ns=NOW))


def test_the_resource_comes_from_the_environment():
    environ = {"OTEL_RESOURCE_ATTRIBUTES": "service.name=a,team=inn", "OTEL_SERVICE_NAME": "b"}
    assert resource_attributes(environ) == {"service.name": "b", "team": "inn"}
