"""Sending runs to a collector: OTLP over HTTP, in JSON or protobuf.

Specification: OTLP/HTTP. 429, 502, 503 and 504 are tried again, after ``Retry-After`` where the
collector says so, else with exponential back-off; any other refusal is final. A request that was
taken may hold spans that were not (partial success), which is an error too: the run there would
not be the run here. Redirections are not followed: headers hold keys.
"""

from __future__ import annotations

import gzip
import http.client
import json
import random
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

import msgspec

from knitbone.errors import ExportError, import_extra
from knitbone.record.events import Json, Run
from knitbone.tethering.interchange.exporters.otlp import (
    SpanRequest,
    requests,
    to_json,
    to_protobuf,
)
from knitbone.tethering.interchange.exporters.settings import Settings

__all__ = ["RunSent", "send_runs"]

ATTEMPTS = 5
"""Tries of one request, the first included."""
MAX_WAIT_S = 30.0
"""Longest wait between two tries, whatever the collector asks for."""

_RETRYABLE = frozenset({429, 502, 503, 504})
_MAX_ANSWER = 64 * 1024
_CONTENT_TYPES = {"http/json": "application/json", "http/protobuf": "application/x-protobuf"}


class RunSent(msgspec.Struct, frozen=True, kw_only=True):
    """All of one run has arrived."""

    run: str
    spans: int
    requests: int


class _CollectorReply(msgspec.Struct, frozen=True):
    status: int
    """0 where there was none."""
    body: bytes
    content_type: str
    retry_after: str | None
    reason: str


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def send_runs(
    runs: Iterable[Run],
    settings: Settings,
    *,
    untimed_ns: int,
    resource: Mapping[str, Json] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[RunSent]:
    """Send runs, one after the other.

    Raises:
        ExportError: the collector cannot be reached, or did not take a run whole.
        MissingExtraError: protobuf is asked for, and its library is not installed.
    """
    handlers = [_NoRedirect(), urllib.request.HTTPSHandler(context=settings.tls_context())]
    opener = urllib.request.build_opener(*handlers)
    for run in runs:
        spans = count = 0
        for request in requests(run, untimed_ns=untimed_ns, resource=resource):
            _send(opener, request, settings, run.id, sleep)
            spans += request.spans
            count += 1
        yield RunSent(run=run.id, spans=spans, requests=count)


def _send(
    opener: urllib.request.OpenerDirector,
    request: SpanRequest,
    settings: Settings,
    run_id: str,
    sleep: Callable[[float], None],
) -> None:
    encode = to_protobuf if settings.protocol == "http/protobuf" else to_json
    body = encode(request.body)
    body = gzip.compress(body) if settings.compress else body
    for attempt in range(1, ATTEMPTS + 1):
        answer = _post(opener, body, settings)
        if 200 <= answer.status < 300:
            rejected, why = _rejected(answer, settings)
            if rejected:
                raise ExportError(
                    f"{settings.shown_url} took run {run_id} and rejected {rejected} of"
                    f" {request.spans} spans: {why or 'no reason given'}.",
                    next_step="Look at the collector's limits and processors, then send it again.",
                )
            return
        final = answer.status not in _RETRYABLE and answer.status != 0
        if final or attempt == ATTEMPTS:
            raise _failed(answer, settings, run_id, attempt)
        sleep(_wait(answer.retry_after, attempt))


def _post(
    opener: urllib.request.OpenerDirector, body: bytes, settings: Settings
) -> _CollectorReply:
    headers = {"Content-Type": _CONTENT_TYPES[settings.protocol], "User-Agent": "knitbone"}
    if settings.compress:
        headers["Content-Encoding"] = "gzip"
    request = urllib.request.Request(  # noqa: S310 - settings allow http and https alone
        settings.url, data=body, headers=headers | settings.headers, method="POST"
    )
    try:
        with opener.open(request, timeout=settings.timeout_s) as response:
            return _answer(response.status, response, response.headers, "")
    except urllib.error.HTTPError as error:
        with error:
            return _answer(error.code, error, error.headers, str(error.reason))
    except ssl.SSLError as error:
        raise _untrusted(error, settings) from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLError):
            raise _untrusted(error.reason, settings) from error
        return _CollectorReply(0, b"", "", None, str(error.reason))
    except (OSError, http.client.HTTPException) as error:
        return _CollectorReply(0, b"", "", None, f"{type(error).__name__}: {error}")


def _answer(status: int, response: Any, headers: Any, reason: str) -> _CollectorReply:
    try:
        body = response.read(_MAX_ANSWER)
    except (OSError, http.client.HTTPException):
        body = b""  # the status alone decides
    return _CollectorReply(
        status, body, str(headers.get("Content-Type", "")), headers.get("Retry-After"), reason
    )


def _wait(retry_after: str | None, attempt: int) -> float:
    """Seconds until the next try: what the collector asks for, else 1, 2, 4 ... with jitter."""
    if retry_after is not None and retry_after.strip().isascii() and retry_after.strip().isdigit():
        return min(float(retry_after.strip()[:6]), MAX_WAIT_S)
    return min(2.0 ** (attempt - 1), MAX_WAIT_S) * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def _rejected(answer: _CollectorReply, settings: Settings) -> tuple[int, str]:
    """How many spans a 2xx answer says were not taken, and why; an unreadable one says nothing."""
    if not answer.body:
        return 0, ""
    if settings.protocol == "http/protobuf":
        return _rejected_protobuf(answer.body)
    try:
        body: Any = json.loads(answer.body)
        partial: Any = body.get("partialSuccess") or {}
        return int(partial.get("rejectedSpans", 0)), str(partial.get("errorMessage", ""))[:300]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return 0, ""


def _rejected_protobuf(body: bytes) -> tuple[int, str]:
    service = import_extra(
        "opentelemetry.proto.collector.trace.v1.trace_service_pb2",
        extra="otlp", purpose="OTLP over protobuf",
    )  # fmt: skip
    message = import_extra("google.protobuf.message", extra="otlp", purpose="OTLP over protobuf")
    try:
        partial = service.ExportTraceServiceResponse.FromString(body).partial_success
    except message.DecodeError:
        return 0, ""
    return int(partial.rejected_spans), cast("str", partial.error_message)[:300]


def _failed(answer: _CollectorReply, settings: Settings, run_id: str, attempts: int) -> ExportError:
    tries = "1 try" if attempts == 1 else f"{attempts} tries"
    if answer.status == 0:
        return ExportError(
            f"{settings.shown_url} cannot be reached after {tries}: {answer.reason}. Run {run_id}"
            " was not sent whole.",
            next_step="Is the collector running, with OTLP over HTTP (port 4318, not 4317)?",
        )
    said = answer.body[:300].decode("utf-8", "replace").strip()
    next_step = {
        401: "Check the key in OTEL_EXPORTER_OTLP_HEADERS.",
        403: "Check the key in OTEL_EXPORTER_OTLP_HEADERS.",
        404: "Check the address; /v1/traces is added to --endpoint.",
        413: "Raise the collector's limit on a request's size.",
        415: "Choose the other encoding with --protocol.",
    }.get(answer.status, "Look into the collector's log.")
    return ExportError(
        f"{settings.shown_url} refused run {run_id} after {tries}: HTTP {answer.status}"
        f" {answer.reason}" + (f": {said}" if said else "") + ".",
        next_step=next_step,
    )


def _untrusted(error: ssl.SSLError, settings: Settings) -> ExportError:
    return ExportError(
        f"{settings.shown_url}: TLS failed: {error}.",
        next_step="Name the collector's CA in OTEL_EXPORTER_OTLP_CERTIFICATE.",
    )
