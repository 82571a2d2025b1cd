"""Runs as OTLP: JSON for files, and requests for a collector in JSON or protobuf.

OTLP/JSON is a plain mapping, so it is written here and needs no library; ``opentelemetry-proto``
(extra ``otlp``) encodes the same objects as protobuf. The SDK's own exporter is not used: it
exports spans that happen now, under identifiers and times of its own, and only logs a failure.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from knitbone._version import __version__
from knitbone.errors import import_extra
from knitbone.record.events import Json, Run
from knitbone.tethering.interchange.spans.run import spans_of
from knitbone.tethering.interchange.spans.values import attributes_of

__all__ = ["MAX_REQUEST", "SpanRequest", "lines", "requests", "to_protobuf"]

MAX_REQUEST = 4 * 1024 * 1024
"""Bytes of JSON in one request; a collector takes 20 MiB by default, a gateway often 5."""

_encoder = msgspec.json.Encoder()
_SERVICE = {"service.name": "knitbone"}


class SpanRequest(msgspec.Struct, frozen=True):
    """The spans of one request."""

    body: dict[str, Any]
    """``ExportTraceServiceRequest``, or ``TracesData``: they are laid out alike."""
    spans: int


def lines(
    runs: Iterable[Run], *, untimed_ns: int, resource: Mapping[str, Json] | None = None
) -> Iterator[bytes]:
    """One line of OTLP/JSON a run, as the collector's file exporter writes.

    Args:
        untimed_ns: see ``spans_of``.
        resource: resource attributes, such as ``service.name``.
    """
    for run in runs:
        spans = list(spans_of(run, untimed_ns=untimed_ns))
        yield _encoder.encode(_traces(spans, resource)) + b"\n"


def requests(
    run: Run, *, untimed_ns: int, resource: Mapping[str, Json] | None = None
) -> Iterator[SpanRequest]:
    """The run in requests of at most ``MAX_REQUEST`` bytes; a larger span goes alone."""
    batch: list[dict[str, Any]] = []
    size = 0
    for span in spans_of(run, untimed_ns=untimed_ns):
        length = len(_encoder.encode(span))
        if batch and size + length > MAX_REQUEST:
            yield SpanRequest(_traces(batch, resource), len(batch))
            batch, size = [], 0
        batch.append(span)
        size += length
    yield SpanRequest(_traces(batch, resource), len(batch))


def _traces(spans: Sequence[Any], resource: Mapping[str, Json] | None) -> dict[str, Any]:
    scope = {"name": "knitbone", "version": __version__}
    attributes = attributes_of(_SERVICE | dict(resource or {}))
    groups = [{"scope": scope, "spans": list(spans)}]
    return {"resourceSpans": [{"resource": {"attributes": attributes}, "scopeSpans": groups}]}


def to_json(body: Mapping[str, Any]) -> bytes:
    """A request as OTLP/JSON."""
    return _encoder.encode(body)


def to_protobuf(body: Mapping[str, Any]) -> bytes:
    """A request as protobuf.

    Raises:
        MissingExtraError: opentelemetry-proto is not installed.
    """
    service = import_extra(
        "opentelemetry.proto.collector.trace.v1.trace_service_pb2",
        extra="otlp", purpose="OTLP over protobuf",
    )  # fmt: skip
    json_format = import_extra(
        "google.protobuf.json_format", extra="otlp", purpose="OTLP over protobuf"
    )
    # OTLP/JSON writes identifiers in hexadecimal, protobuf's JSON all bytes in base64.
    message = json_format.ParseDict(_base64_identifiers(body), service.ExportTraceServiceRequest())
    return message.SerializeToString()


def _base64_identifiers(body: Mapping[str, Any]) -> dict[str, Any]:
    (resource,) = body["resourceSpans"]
    (group,) = resource["scopeSpans"]
    spans = [
        {k: _base64(v) if k in ("traceId", "spanId", "parentSpanId") else v for k, v in s.items()}
        for s in group["spans"]
    ]
    return {"resourceSpans": [resource | {"scopeSpans": [group | {"spans": spans}]}]}


def _base64(identifier: str) -> str:
    return base64.b64encode(bytes.fromhex(identifier)).decode("ascii")
