"""Spans as Phoenix exports them: its client's and server's records, or a table's ``to_json``.

Written from its documentation and public examples. A record is ``{name, span_kind, parent_id,
context: {trace_id, span_id}, attributes, events, status_code}``, with attributes by OpenInference,
flat or nested. A table's columns have the same names with dots (``context.trace_id``,
``attributes.llm.input_messages``), in any orientation but ``values``. The spans that
OpenTelemetry's SDK prints (``status``, ``parent_span_id``) are the same but for these two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from knitbone.record.events import Json
from knitbone.tethering.interchange.importers import openinference
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.platform_spans import runs_of
from knitbone.tethering.interchange.importers.platform_values import (
    field,
    identifier,
    listed,
    optional_text,
    time_ns,
)
from knitbone.tethering.interchange.importers.span_values import structure_of
from knitbone.tethering.interchange.spans.span import Span, SpanEvent
from knitbone.tethering.interchange.untrusted_json import JsonPlace, as_object, first_object
from knitbone.wire.fields import object_of

__all__ = ["read", "recognises"]

FORMAT = "phoenix"

_TRACE, _SPAN = "context.trace_id", "context.span_id"
_WRAPPERS = ("data", "spans")
_ATTRIBUTES = "attributes."


def recognises(value: Json) -> bool:
    """Records with a ``context``, or a table with its columns."""
    if _table(value) is not None:
        return True
    rows = listed(value, *_WRAPPERS)
    first = first_object(rows[0][0]) if rows else None
    if first is None:
        return False
    context = first.get("context")
    return _TRACE in first or (isinstance(context, dict) and "trace_id" in context)


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of the file's traces.

    Raises:
        InputFormatError: a record is no span, or none is a step of an agent.
    """
    table = _table(value)
    rows: list[tuple[Json, str]]
    rows = listed(value, *_WRAPPERS) if table is None else [(row, f"[{n}]") for n, row in table]
    spans: list[Span] = []
    for row, where in rows:
        place = JsonPlace(path).at(where) if where else JsonPlace(path)
        spans.append(_span(as_object(row, place), place))
    yield from runs_of(spans, source_format=FORMAT, path=path, missing={})


def _table(value: Json) -> list[tuple[str, dict[str, Json]]] | None:
    """The rows of a table, each with its label; ``None`` where it is none."""
    if not isinstance(value, dict):
        return None
    body = cast("dict[str, Any]", value)
    columns, index, data = body.get("columns"), body.get("index"), body.get("data")
    if isinstance(columns, list) and isinstance(index, list) and isinstance(data, list):
        names = [str(name) for name in cast("list[Any]", columns)]
        labels = [str(label) for label in cast("list[Any]", index)]
        lines = [cast("list[Any]", line) if isinstance(line, list) else [] for line in
                 cast("list[Any]", data)]  # fmt: skip
        return [(label, _labelled(dict(zip(names, line, strict=False)), label))
                for label, line in zip(labels, lines, strict=False)]  # fmt: skip
    if isinstance(body.get(_TRACE), dict):  # by column, as pandas does unasked
        return [(label, _labelled(row, label)) for label, row in _by_row(body).items()]
    first: Any = next(iter(body.values()), None)
    if isinstance(first, dict) and _TRACE in first and not isinstance(first[_TRACE], dict):
        rows = [(n, cast("dict[str, Json]", row)) for n, row in body.items()
                if isinstance(row, dict)]  # fmt: skip
        return [(label, _labelled(row, label)) for label, row in rows]
    return None


def _by_row(columns: Mapping[str, Json]) -> dict[str, dict[str, Json]]:
    rows: dict[str, dict[str, Json]] = {}
    for name, column in columns.items():
        for label, cell in object_of(column).items():
            rows.setdefault(label, {})[name] = cell
    return rows


def _labelled(row: Mapping[str, Json], label: str) -> dict[str, Json]:
    """The row; the table is indexed by span unless somebody chose otherwise."""
    return dict(row) if row.get(_SPAN) is not None else {**row, _SPAN: label}


def _span(body: Mapping[str, Any], place: JsonPlace) -> Span:
    context: Any = body.get("context")
    ids = object_of(context)
    status: Any = body.get("status")
    state = cast("dict[str, Any]", status) if isinstance(status, dict) else body
    attributes = _flat(structure_of(body.get("attributes")))
    for name, item in body.items():
        if name.startswith(_ATTRIBUTES) and item is not None:
            attributes |= _flat(item, name.removeprefix(_ATTRIBUTES))
    kind = body.get("span_kind")
    if isinstance(kind, str):
        attributes.setdefault(openinference.KIND, kind)
    name = optional_text(body.get("name"), place.at("name"))
    message = field(state, "status_message", "description", "message")
    parent = field(body, "parent_id", "parent_span_id")
    return Span(
        trace_id=identifier(field(ids, "trace_id") or body.get(_TRACE), place.at(_TRACE)),
        span_id=identifier(field(ids, "span_id") or body.get(_SPAN), place.at(_SPAN)),
        parent_id=optional_text(parent, place.at("parent_id")),
        name=name or "",
        start_ns=time_ns(body.get("start_time"), place.at("start_time")) or 0,
        end_ns=time_ns(body.get("end_time"), place.at("end_time")),
        attributes=attributes,
        events=tuple(_events(structure_of(body.get("events")), place)),
        failed=state.get("status_code") == "ERROR",
        message=message if isinstance(message, str) else "",
        place=place,
    )


def _events(value: Json, place: JsonPlace) -> Iterator[SpanEvent]:
    for number, item in enumerate(cast("list[Any]", value) if isinstance(value, list) else ()):
        at = place.at("events").at(number)
        body = as_object(item, at)
        yield SpanEvent(
            name=optional_text(body.get("name"), at.at("name")) or "",
            time_ns=time_ns(body.get("timestamp"), at.at("timestamp")) or 0,
            attributes=_flat(structure_of(body.get("attributes"))),
        )


def _flat(value: Json, name: str = "") -> dict[str, Json]:
    """Nested attributes by the names that OpenInference gives them, with dots and indices."""
    found: dict[str, Json] = {}
    stack: list[tuple[str, Any]] = [(name, value)]
    while stack:
        at, item = stack.pop()
        parts: list[tuple[str, Any]] | None = None
        if isinstance(item, dict):
            parts = [(str(key), each) for key, each in cast("dict[str, Any]", item).items()]
        elif isinstance(item, list) and any(
            isinstance(each, dict) for each in cast("list[Any]", item)
        ):
            parts = [(str(n), each) for n, each in enumerate(cast("list[Any]", item))]
        if parts:
            joined = [(f"{at}.{key}" if at else key, each) for key, each in parts]
            stack.extend(reversed(joined))
        elif at and item is not None:
            found[at] = item
    return found
