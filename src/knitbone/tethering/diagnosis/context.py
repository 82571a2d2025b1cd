"""Context nodes: the run-time telemetry around a unit (AgentTether §III.B.2).

Spans, metrics, logs and verification records, read off the events that belong to the unit. A run
that carries none (a plain message list) has none: nothing is made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

import msgspec

from knitbone.record.events import (
    Adaptation,
    ErrorInfo,
    Event,
    Intervention,
    ModelCall,
    Outcome,
    Retrieval,
    ToolCall,
)
from knitbone.tethering.diagnosis.vocabulary import Status
from knitbone.wire.fields import object_of

__all__ = ["ContextNode", "context_of"]

ContextKind = Literal["span", "metric", "log", "verification"]

MAX_NODES = 24
"""Context nodes kept of one event: a span with thousands of log lines stays one step."""

MAX_NOTE = 300
"""Characters kept of a log line or a verdict's reason."""

_METRICS = ("gen_ai.usage.", "gen_ai.client.", "gen_ai.server.", "llm.token_count.", "metric.")
"""Prefixes of the numeric attributes that are measurements (OpenTelemetry GenAI semantic
conventions; OpenInference), and not identifiers or settings."""

_LOGS = ("otel.events", "events", "logs")
"""Attributes under which span events and log records travel, as lists of objects."""

_EVALUATION = "gen_ai.evaluation."
"""OpenTelemetry GenAI semantic conventions, event ``gen_ai.evaluation.result``."""


class ContextNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One record of telemetry, linked to the unit that it was taken during."""

    kind: ContextKind
    name: str
    event: str
    """Identifier of the event that it was read from."""
    status: Status = "unknown"
    value: float | None = None
    """Of a metric its value, in the unit that its name says; of a span its milliseconds; of a
    verification its score."""
    text: str = ""


def context_of(event: Event) -> tuple[ContextNode, ...]:
    """The context nodes of one event."""
    found: list[ContextNode] = []
    for node in _nodes(event):
        found.append(node)
        if len(found) >= MAX_NODES:
            break
    return tuple(found)


def _nodes(event: Event) -> Iterator[ContextNode]:
    if isinstance(event, Outcome):
        yield _verification(event.id, "outcome", event.success, event.reward, event.reason)
        return
    if isinstance(event, Adaptation):
        yield ContextNode(
            kind="verification", name=event.requirement[:80], event=event.id,
            status=_ADAPTED.get(event.action, "error"),
            text=f"{event.action} {event.defect} {event.reason}".strip()[:MAX_NOTE],
        )  # fmt: skip
        return
    if isinstance(event, Intervention):
        yield ContextNode(
            kind="log", name=f"intervention {event.signal}"[:80], event=event.id,
            text=event.content[:MAX_NOTE],
        )  # fmt: skip
        return
    if isinstance(event, (ModelCall, ToolCall, Retrieval)):
        yield from _span(event)
    yield from _metrics(event)
    yield from _records(event)


def _verification(
    event: str, name: str, passed: bool | None, score: float | None, text: str
) -> ContextNode:
    status: Status = "unknown" if passed is None else "ok" if passed else "error"
    return ContextNode(
        kind="verification", name=name[:80], event=event, status=status, value=score,
        text=text[:MAX_NOTE],
    )  # fmt: skip


def _span(event: ModelCall | ToolCall | Retrieval) -> Iterator[ContextNode]:
    if not event.started_ns or event.ended_ns is None:
        return  # an imported conversation says nothing of its times
    error: ErrorInfo | None = None if isinstance(event, Retrieval) else event.error
    match event:
        case ModelCall():
            name = f"{event.operation} {event.model}"
        case ToolCall():
            name = f"execute_tool {event.name}"
        case Retrieval():
            name = f"retrieval {event.source or ''}"
    yield ContextNode(
        kind="span", name=name.strip()[:80], event=event.id, status="error" if error else "ok",
        value=(event.ended_ns - event.started_ns) / 1e6,
        text=f"{error.type}: {error.message}"[:MAX_NOTE] if error else "",
    )  # fmt: skip


def _metrics(event: Event) -> Iterator[ContextNode]:
    given: dict[str, Any] = {}
    if isinstance(event, ModelCall) and event.usage:
        usage = event.usage
        given["gen_ai.usage.input_tokens"] = usage.input_tokens
        given["gen_ai.usage.output_tokens"] = usage.output_tokens
        given["cost_usd"] = usage.cost_usd
    for name, value in event.attributes.items():
        if name.startswith(_METRICS):
            given.setdefault(name, value)
    for name, value in given.items():
        number = _number(value)
        if number is not None:
            yield ContextNode(kind="metric", name=name[:80], event=event.id, value=number)


def _number(value: Any) -> float | None:
    """A number as one; nothing of anything else, and of an integer beyond what a float holds."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _records(event: Event) -> Iterator[ContextNode]:
    """Span events and log records, and the evaluations among them."""
    if any(name.startswith(_EVALUATION) for name in event.attributes):
        yield _evaluation(event.id, event.attributes)
    for key in _LOGS:
        records = event.attributes.get(key)
        if not isinstance(records, list):
            continue
        for record in cast("list[Any]", records)[:MAX_NODES]:
            if isinstance(record, dict):
                yield _record(event.id, cast("dict[str, Any]", record))


def _record(event: str, record: Mapping[str, Any]) -> ContextNode:
    name = str(record.get("name") or record.get("severityText") or "log")
    inner = record.get("attributes")
    attributes = object_of(inner)
    if name.startswith(_EVALUATION.rstrip(".")):
        return _evaluation(event, attributes)
    said = attributes.get("exception.message") or record.get("body") or attributes.get("message")
    severity = str(record.get("severityText") or "").upper()
    failed = name == "exception" or severity in ("ERROR", "FATAL", "CRITICAL")
    return ContextNode(
        kind="log", name=name[:80], event=event, status="error" if failed else "unknown",
        text=str(said)[:MAX_NOTE] if said is not None else "",
    )  # fmt: skip


_ADAPTED: dict[str, Status] = {"repaired": "ok", "observed": "unknown", "unread": "unknown"}

_PASSED = {"pass": True, "passed": True, "true": True, "correct": True, "relevant": True}
_REFUSED = {"fail": False, "failed": False, "false": False, "incorrect": False}


def _evaluation(event: str, attributes: Mapping[str, Any]) -> ContextNode:
    label = str(attributes.get(f"{_EVALUATION}score.label") or "").lower()
    return _verification(
        event,
        str(attributes.get(f"{_EVALUATION}name") or "evaluation"),
        (_PASSED | _REFUSED).get(label),
        _number(attributes.get(f"{_EVALUATION}score.value")),
        str(attributes.get(f"{_EVALUATION}explanation") or ""),
    )
