"""OTLP/JSON traces: each trace that holds a run of an agent is one run.

What knitbone wrote comes back as it was (``spans/run.py``); spans of any other library are read
by the conventions that they follow (``traces.py``). A trace without a model call, tool
or retrieval, such as a health check's, is passed over.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec

from knitbone._logging import get_logger, log
from knitbone.errors import InputFormatError
from knitbone.record.events import MISSING_EVENTS, Json, Run
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.traces import run_from
from knitbone.tethering.interchange.spans.run import is_own_event, is_own_root, run_of
from knitbone.tethering.interchange.spans.span import Span, SpanEvent, logs_in, spans_in
from knitbone.tethering.interchange.untrusted_json import JsonPlace, first_object

__all__ = ["read", "recognises"]

FORMAT = "otlp"

_SIGNALS = (
    "resourceSpans", "resource_spans", "resourceLogs", "resource_logs", "resourceMetrics",
    "resource_metrics",
)  # fmt: skip
_logger = get_logger(__name__)


def recognises(value: Json) -> bool:
    """An object with ``resourceSpans``, or several, one a line as the file exporter writes."""
    first = first_object(value)
    return first is not None and any(isinstance(first.get(name), list) for name in _SIGNALS)


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of the file's traces, in the order in which the traces first appear.

    Raises:
        InputFormatError: the file is not OTLP/JSON, or holds no run of an agent.
    """
    many = isinstance(value, list)
    traces: dict[str, dict[str, Span]] = defaultdict(dict)
    records = [
        (item, JsonPlace(path, number if many else None))
        for number, item in enumerate(cast("list[Any]", value) if many else [value])
    ]
    for record, place in records:
        for span in spans_in(record, place):
            # A collector that retried has sent a span twice.
            traces[span.trace_id].setdefault(span.span_id, span)
    logged: dict[tuple[str, str], list[SpanEvent]] = defaultdict(list)
    for record, place in records:
        for entry in logs_in(record, place):
            logged[entry.trace_id, entry.span_id].append(entry.event)
    for (trace, span_id), events in logged.items():
        owner = traces.get(trace, {}).get(span_id)
        if owner is not None:
            with_logs = msgspec.structs.replace(owner, events=(*owner.events, *events))
            traces[trace][span_id] = with_logs
    number = 0
    for spans in traces.values():
        run = _run(list(spans.values()), path, number)
        if run is not None:
            number += 1
            yield ImportedRun(run=run)
    if number == 0:
        raise _no_run(path, [span for spans in traces.values() for span in spans.values()])


def _run(spans: Sequence[Span], path: str, number: int) -> Run | None:
    if any(is_own_root(span) or is_own_event(span) for span in spans):
        run, missing = run_of(spans)
        if missing:
            log(_logger, logging.WARNING, "spans of a run are missing", run=run.id, missing=missing)
            further = run.attributes | {MISSING_EVENTS: missing}
            run = msgspec.structs.replace(run, attributes=further)
        return run
    return run_from(spans, source_format=FORMAT, path=path, record=number)


def _no_run(path: str, spans: Sequence[Span]) -> InputFormatError:
    if not spans:
        return InputFormatError(
            f"{path} is OTLP, but holds no spans.",
            next_step="Give the file of the collector's traces pipeline.",
        )
    names = ", ".join(repr(name[:40]) for name in dict.fromkeys(s.name for s in spans[:200]))
    return InputFormatError(
        f"{path} holds {len(spans)} spans, and none of a model call, a tool or a retrieval:"
        f" {names[:300]}.",
        next_step="Record the agent with a GenAI or OpenInference instrumentation, or with"
        " knitbone; their spans say gen_ai.operation.name or openinference.span.kind.",
    )
