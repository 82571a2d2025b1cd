"""Spans as OTLP/JSON holds them, parsed once.

Accepted beside the specification's form: snake_case keys (protobuf's own JSON), ``batches`` in
place of ``resourceSpans``, identifiers that are not hexadecimal, enumerations by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from knitbone.errors import InputFormatError
from knitbone.record.events import Json
from knitbone.tethering.interchange.spans.values import any_value_from, attributes_from, integer
from knitbone.tethering.interchange.untrusted_json import (
    JsonPlace,
    as_list,
    as_object,
    as_text,
    describe,
)

__all__ = ["LogRecord", "Span", "SpanEvent", "logs_in", "spans_in"]

_ERROR_CODES = (2, "STATUS_CODE_ERROR")


class SpanEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened during a span; a log record that names the span counts as one."""

    name: str
    time_ns: int = 0
    attributes: dict[str, Json] = {}
    body: Json = None


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """One span."""

    trace_id: str
    span_id: str
    name: str
    place: JsonPlace
    parent_id: str | None = None
    start_ns: int = 0
    end_ns: int | None = None
    attributes: dict[str, Json] = {}
    events: tuple[SpanEvent, ...] = ()
    failed: bool = False
    """Its status is an error."""
    message: str = ""
    """The description of its status."""
    scope: str = ""
    """The library that made it."""


class LogRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A log record that belongs to a span."""

    trace_id: str
    span_id: str
    event: SpanEvent


def _get(body: Mapping[str, Any], *names: str) -> Any:
    return next((body[name] for name in names if body.get(name) is not None), None)


def _children(
    body: Mapping[str, Any], place: JsonPlace, *names: str
) -> Iterator[tuple[Any, JsonPlace]]:
    """The objects of the list under the first of these names; none where there is no such list."""
    name = next((name for name in names if body.get(name) is not None), None)
    if name is None:
        return
    at = place.at(name)
    for number, item in enumerate(as_list(body[name], at)):
        yield as_object(item, at.at(number)), at.at(number)


def spans_in(record: Json, place: JsonPlace) -> Iterator[Span]:
    """The spans of one ``TracesData``, in the order of the file.

    Raises:
        InputFormatError: not what OTLP/JSON promises; the message says where.
    """
    body = as_object(record, place)
    for resource, at in _children(body, place, "resourceSpans", "resource_spans", "batches"):
        scopes = _children(resource, at, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")
        for group, within in scopes:
            scope = _get(group, "scope", "instrumentationLibrary")
            name: Any = scope.get("name") if isinstance(scope, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            for span, where in _children(group, within, "spans"):
                yield _span(span, where, name if isinstance(name, str) else "")


def _span(body: Mapping[str, Any], place: JsonPlace, scope: str) -> Span:
    status: Any = _get(body, "status") or {}
    state = as_object(status, place.at("status"))
    end = _get(body, "endTimeUnixNano", "end_time_unix_nano")
    parent = _get(body, "parentSpanId", "parent_span_id")
    message = state.get("message")
    return Span(
        trace_id=_identifier(_get(body, "traceId", "trace_id"), place.at("traceId")),
        span_id=_identifier(_get(body, "spanId", "span_id"), place.at("spanId")),
        parent_id=as_text(parent, place.at("parentSpanId")) or None if parent is not None else None,
        name=_name(body, place),
        start_ns=_time(_get(body, "startTimeUnixNano", "start_time_unix_nano"), place, "start"),
        end_ns=_time(end, place, "end") if end is not None else None,
        attributes=attributes_from(body.get("attributes"), place.at("attributes")),
        events=tuple(_event(event, at) for event, at in _children(body, place, "events")),
        failed=state.get("code") in _ERROR_CODES,
        message=message if isinstance(message, str) else "",
        scope=scope, place=place,
    )  # fmt: skip


def _name(body: Mapping[str, Any], place: JsonPlace) -> str:
    name = body.get("name")
    return "" if name is None else as_text(name, place.at("name"))


def _identifier(value: Json, place: JsonPlace) -> str:
    if isinstance(value, str) and value.strip("0"):
        return value
    raise InputFormatError(
        f"{place}: expected an identifier, found {describe(value)}.",
        next_step="Every span of OTLP has a traceId and a spanId. Is the file cut or edited?",
    )


def _time(value: Json, place: JsonPlace, which: str) -> int:
    return 0 if value is None else integer(value, place.at(f"{which}TimeUnixNano"))


def _event(body: Mapping[str, Any], place: JsonPlace) -> SpanEvent:
    return SpanEvent(
        name=_name(body, place),
        time_ns=_time(_get(body, "timeUnixNano", "time_unix_nano"), place, "event"),
        attributes=attributes_from(body.get("attributes"), place.at("attributes")),
    )


def logs_in(record: Json, place: JsonPlace) -> Iterator[LogRecord]:
    """The log records of one ``LogsData`` that name a span: some libraries put messages there.

    Raises:
        InputFormatError: not what OTLP/JSON promises.
    """
    body = as_object(record, place)
    for resource, at in _children(body, place, "resourceLogs", "resource_logs"):
        for group, within in _children(resource, at, "scopeLogs", "scope_logs"):
            for log, where in _children(group, within, "logRecords", "log_records"):
                attributes = attributes_from(log.get("attributes"), where.at("attributes"))
                name = _get(log, "eventName", "event_name") or attributes.get("event.name") or ""
                trace, span = _get(log, "traceId", "trace_id"), _get(log, "spanId", "span_id")
                if isinstance(trace, str) and isinstance(span, str) and isinstance(name, str):
                    time = _get(log, "timeUnixNano", "time_unix_nano")
                    yield LogRecord(
                        trace_id=trace, span_id=span,
                        event=SpanEvent(
                            name=name, time_ns=_time(time, where, "log"), attributes=attributes,
                            body=any_value_from(log.get("body"), where.at("body")),
                        ),
                    )  # fmt: skip
