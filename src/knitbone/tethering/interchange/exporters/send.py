"""Sending runs to a collector, through OpenTelemetry's own exporter: OTLP over HTTP, in protobuf.

Headers, timeout, compression and certificates come from OpenTelemetry's environment variables. The
exporter logs what fails, takes a redirection for success and reads no answer; a run that did not
arrive whole is an error here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from knitbone._version import __version__
from knitbone.common.printable import printable
from knitbone.errors import ConfigError, ExportError, import_extra
from knitbone.record.events import Json, Run
from knitbone.tethering.interchange.exporters.otlp import SERVICE, batches
from knitbone.tethering.interchange.spans.values import attributes_from
from knitbone.tethering.interchange.untrusted_json import JsonPlace

__all__ = ["endpoint_of", "send_runs", "shown"]

_DEFAULT_ENDPOINT = "http://localhost:4318"
_PATH = "/v1/traces"
_PURPOSE = "Sending runs to a collector"
_NEXT_STEPS = {
    401: "Check the key in OTEL_EXPORTER_OTLP_HEADERS.",
    403: "Check the key in OTEL_EXPORTER_OTLP_HEADERS.",
    404: "Check the address; /v1/traces is added to --endpoint.",
    413: "Raise the collector's limit on a request's size.",
}


class RunSent(msgspec.Struct, frozen=True, kw_only=True):
    """All of one run has arrived."""

    run: str
    spans: int
    requests: int


def endpoint_of(environ: Mapping[str, str], endpoint: str | None = None) -> str:
    """The address for traces: of the argument, else of OpenTelemetry's environment variables.

    Args:
        endpoint: the collector's address; ``/v1/traces`` is added unless it ends so.

    Raises:
        ConfigError: the environment asks for gRPC.
    """
    for name in ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        if environ.get(name) == "grpc":
            raise ConfigError(
                f"{name} is 'grpc', which is not spoken here.",
                next_step="Set it to http/protobuf; collectors take that on port 4318.",
            )
    if endpoint is None and (whole := environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")):
        return whole
    base = endpoint or environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or _DEFAULT_ENDPOINT
    try:
        parts = urlsplit(base)
    except ValueError as error:
        raise ConfigError(
            f"{printable(base.rpartition('@')[2])!r} is no address of a collector: {error}.",
            next_step="Give one such as http://localhost:4318 (OTLP over HTTP).",
        ) from error
    path = parts.path.rstrip("/")
    return urlunsplit(parts._replace(path=path if path.endswith(_PATH) else path + _PATH))


def shown(url: str) -> str:
    """An address without its query and user, which may hold a key."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query="", netloc=parts.netloc.rpartition("@")[2]))


def send_runs(
    runs: Iterable[Run],
    url: str,
    *,
    untimed_ns: int,
    timeout_s: float | None = None,
    resource: Mapping[str, Json] | None = None,
) -> Iterator[RunSent]:
    """Send runs, one after the other.

    Args:
        url: the whole address, as ``endpoint_of`` makes it.
        timeout_s: seconds for one request with what is tried again; else the environment's.

    Raises:
        ExportError: the collector cannot be reached, or did not take a run whole.
        ConfigError: an environment variable of OpenTelemetry cannot be used.
        MissingExtraError: the extra ``otlp`` is not installed.
    """
    collector = _Collector(url, timeout_s)
    made = _SpanMaker(SERVICE | dict(resource or {}))
    with collector.open() as export:
        for run in runs:
            spans = count = 0
            for batch in batches(run, untimed_ns=untimed_ns):
                export(run.id, [made.span(span) for span in batch])
                spans += len(batch)
                count += 1
            yield RunSent(run=run.id, spans=spans, requests=count)


class _SpanMaker:
    """Makes OpenTelemetry's spans of ours."""

    def __init__(self, resource: Mapping[str, Json]) -> None:
        self._api = import_extra("opentelemetry.trace", extra="otlp", purpose=_PURPOSE)
        self._sdk = import_extra("opentelemetry.sdk.trace", extra="otlp", purpose=_PURPOSE)
        resources = import_extra("opentelemetry.sdk.resources", extra="otlp", purpose=_PURPOSE)
        scopes = import_extra(
            "opentelemetry.sdk.util.instrumentation", extra="otlp", purpose=_PURPOSE
        )
        self._resource = resources.Resource(dict(resource))
        self._scope = scopes.InstrumentationScope("knitbone", __version__)

    def span(self, span: Mapping[str, Any]) -> Any:
        """One span of ``spans_of``."""
        api, parent, status = self._api, span.get("parentSpanId"), span.get("status")
        return self._sdk.ReadableSpan(
            name=span["name"],
            context=self._context(span["traceId"], span["spanId"]),
            parent=None if parent is None else self._context(span["traceId"], parent),
            resource=self._resource,
            attributes=attributes_from(span["attributes"], JsonPlace("span", None)),
            kind=api.SpanKind(span["kind"] - 1),  # OTLP counts from 1
            status=api.Status(api.StatusCode(status["code"]), status["message"])
            if status
            else api.Status(),
            start_time=int(span["startTimeUnixNano"]),
            end_time=int(span["endTimeUnixNano"]),
            instrumentation_scope=self._scope,
        )

    def _context(self, trace_id: str, span_id: str) -> Any:
        return self._api.SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=False)


class _Collector:
    """The exporter, and what a collector answered it."""

    def __init__(self, url: str, timeout_s: float | None) -> None:
        exporters = import_extra(
            "opentelemetry.exporter.otlp.proto.http.trace_exporter", extra="otlp", purpose=_PURPOSE
        )
        session = import_extra("requests", extra="otlp", purpose=_PURPOSE).Session()
        session.hooks["response"].append(self._answered)
        self._url = url
        self._answers: list[Any] = []
        with _logged() as records:
            self._exporter = exporters.OTLPSpanExporter(
                endpoint=url, timeout=timeout_s, session=session
            )
        if records:  # it would go on without what it cannot use
            of_headers = records[0].name.startswith("opentelemetry.util")
            said = "a header is not name=value" if of_headers else records[0].getMessage()
            raise ConfigError(
                f"A variable OTEL_EXPORTER_OTLP_... cannot be used: {said}.",
                next_step="Correct it, or unset it.",
            )

    def _answered(self, response: Any, *_: Any, **__: Any) -> None:
        self._answers.append(response)

    @contextmanager
    def open(self) -> Generator[Any]:
        """What sends the spans of a run."""
        try:
            yield self._export
        finally:
            self._exporter.shutdown()

    def _export(self, run_id: str, spans: Sequence[Any]) -> None:
        self._answers.clear()
        with _logged() as records:
            done = self._exporter.export(spans)
        failed = [record for record in records if record.levelno >= logging.ERROR]
        if not self._answers:
            raise self._unreached(run_id, records)
        answer = self._answers[-1]
        if done.name != "SUCCESS" or failed or not 200 <= answer.status_code < 300:
            raise self._refused(run_id, answer)
        rejected, why = _rejected(answer.content)
        if rejected:
            raise ExportError(
                f"{shown(self._url)} took run {run_id} and rejected {rejected} of {len(spans)}"
                f" spans: {why or 'no reason given'}.",
                next_step="Look at the collector's limits and processors, then send it again.",
            )

    def _unreached(self, run_id: str, records: Sequence[logging.LogRecord]) -> ExportError:
        said = "; ".join(dict.fromkeys(record.getMessage() for record in records))
        # The words of a connection that failed repeat the address with its query.
        said = printable(re.sub(r"\?[^\s'\")]*", "", said), limit=500)
        return ExportError(
            f"{shown(self._url)} cannot be reached: {said}. Run {run_id} was not sent whole.",
            next_step="Is the collector running, with OTLP over HTTP (port 4318, not 4317)?",
        )

    def _refused(self, run_id: str, answer: Any) -> ExportError:
        said = printable(answer.content[:300].decode("utf-8", "replace").strip())
        return ExportError(
            f"{shown(self._url)} refused run {run_id}: HTTP {answer.status_code}"
            f" {printable(str(answer.reason))}" + (f": {said}" if said else "") + ".",
            next_step=_NEXT_STEPS.get(answer.status_code, "Look into the collector's log."),
        )


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def _logged() -> Generator[list[logging.LogRecord]]:
    """What OpenTelemetry logs meanwhile, which is where it says why an export failed."""
    logger, handler = logging.getLogger("opentelemetry"), _Records()
    propagates = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield handler.records
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates


def _rejected(body: bytes) -> tuple[int, str]:
    """How many spans a 2xx answer says were not taken, and why; an unreadable one says nothing."""
    service = import_extra(
        "opentelemetry.proto.collector.trace.v1.trace_service_pb2", extra="otlp", purpose=_PURPOSE
    )
    message = import_extra("google.protobuf.message", extra="otlp", purpose=_PURPOSE)
    try:
        partial = service.ExportTraceServiceResponse.FromString(body).partial_success
    except message.DecodeError:
        return 0, ""
    return int(partial.rejected_spans), printable(str(partial.error_message), limit=300)
