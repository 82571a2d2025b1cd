"""A run as the spans of one trace, and back without loss.

The root span is the run: ``invoke_agent``, or ``invoke_workflow`` where several agents took part;
then each stretch of one agent's events is an ``invoke_agent`` span of its own. Below stands one
span an event: ``chat``, ``execute_tool``, ``retrieval``; messages, verdicts, adaptations and
interventions, which the conventions know no span for, are spans without an operation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from knitbone.errors import InputFormatError
from knitbone.record.events import ErrorInfo, Event, Json, ModelCall, Retrieval, Run, ToolCall
from knitbone.tethering.interchange.spans.events import INDEX, KIND, decode, encode, pack, unpack
from knitbone.tethering.interchange.spans.span import Span
from knitbone.tethering.interchange.spans.values import attributes_of

__all__ = ["is_own_event", "is_own_root", "run_of", "spans_of"]

STEP_NS = 1_000_000
"""Between the spans of events whose time is not known: their order is all that it shows."""

_RUN_ID = "knitbone.run.id"
_EVENTS = "knitbone.run.events"
_STARTED = "knitbone.started_ns"
_ENDED = "knitbone.ended_ns"
_NOT_ENDED = -1
_TASK = "gen_ai.input.messages"
_ROOT_NAMES = {
    "id": _RUN_ID,
    "name": "knitbone.run.name",
    "origin": "knitbone.run.origin",
    "schema_version": "knitbone.run.schema_version",
}
_ROOT_RESERVED = frozenset(
    {*_ROOT_NAMES.values(), _EVENTS, _STARTED, _ENDED, _TASK, KIND, INDEX, "gen_ai.agent.name",
     "gen_ai.operation.name", "knitbone.json_attributes", "knitbone.attributes"}
)  # fmt: skip
_INTERNAL, _CLIENT, _ERROR = 1, 3, 2
_MAX_NAME = 120
_HEX = frozenset("0123456789abcdef")


def spans_of(run: Run, *, untimed_ns: int) -> Iterator[dict[str, Any]]:
    """The spans of a run in OTLP/JSON, the root first, then in the order of the events.

    Deterministic: a run exported twice has the same identifiers, so a collector that has seen it
    can drop the second.

    Args:
        untimed_ns: where on the clock a run without times is put, such as now: most backends
            show nothing of 1970. The true times travel with it.
    """
    trace_id = _trace_id(run.id)
    root_id = _span_id(run.id, "root")
    times = _placed(run, untimed_ns)
    agents = list(dict.fromkeys(event.agent for event in run.events if event.agent))
    several = len(agents) > 1
    start = _on_clock(run.started_ns) or (times[0][0] if times else untimed_ns)
    last = max((end for _, end in times), default=start)
    operation = "invoke_workflow" if several else "invoke_agent"
    said = _root_attributes(run, operation, agents[0] if len(agents) == 1 else None)
    span = _Times(start, max(last, _on_clock(run.ended_ns)), run.started_ns, run.ended_ns)
    yield _span(trace_id, root_id, None, f"{operation} {run.name}", said, span)
    numbered = enumerate(zip(run.events, times, strict=True))
    for agent, stretch in groupby(numbered, key=lambda item: item[1][0].agent):
        items = list(stretch)
        parent = root_id
        if several and agent is not None:
            parent = _span_id(run.id, f"agent {items[0][0]}")
            bounds = (items[0][1][1][0], max(end for _, (_, (_, end)) in items))
            named: dict[str, Json] = {
                "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent
            }  # fmt: skip
            span = _Times(*bounds, *bounds)
            yield _span(trace_id, parent, root_id, f"invoke_agent {agent}", named, span)
        for index, (event, (begin, end)) in items:
            span = _Times(begin, end, event.started_ns, event.ended_ns)
            event_id = _span_id(run.id, f"event {index}")
            error: ErrorInfo | None = getattr(event, "error", None)
            yield _span(
                trace_id, event_id, parent, _name(event), encode(event, index), span,
                kind=_CLIENT if isinstance(event, (ModelCall, Retrieval)) else _INTERNAL,
                error=error,
            )  # fmt: skip


class _Times(msgspec.Struct, frozen=True):
    """Where a span stands on the clock, and the times that its record has."""

    start: int
    end: int
    started_ns: int
    ended_ns: int | None


def _placed(run: Run, untimed_ns: int) -> list[tuple[int, int]]:
    """Start and end of each event's span: as recorded, else right after the event before."""
    clock = _on_clock(run.started_ns) or untimed_ns
    placed: list[tuple[int, int]] = []
    for event in run.events:
        start = _on_clock(event.started_ns) or clock + STEP_NS
        clock = max(start, _on_clock(event.ended_ns))
        placed.append((start, clock))
    return placed


def _on_clock(time_ns: int | None) -> int:
    """The time where OTLP can hold it, else 0, which is no time."""
    return time_ns if time_ns is not None and 0 < time_ns < 2**63 else 0


def _root_attributes(run: Run, operation: str, agent: str | None) -> dict[str, Json]:
    fields: dict[str, Json] = msgspec.to_builtins(run, enc_hook=repr, str_keys=True)
    said: dict[str, Json] = {name: fields.get(field) for field, name in _ROOT_NAMES.items()}
    said |= {
        "gen_ai.operation.name": operation,
        "gen_ai.agent.name": agent,
        "knitbone.run.schema_version": run.schema_version,
        _EVENTS: len(run.events),
    }
    if run.task:
        said[_TASK] = [{"role": "user", "parts": [{"type": "text", "content": run.task}]}]
    return pack(said, run.attributes, reserved=_ROOT_RESERVED)


def _name(event: Event) -> str:
    match event:
        case ModelCall():
            return f"{event.operation} {event.model}"
        case ToolCall():
            return f"execute_tool {event.name}"
        case Retrieval():
            return f"retrieval {event.source or ''}"
        case _:
            return f"knitbone.{event.__struct_config__.tag}"


def _span(
    trace_id: str,
    span_id: str,
    parent: str | None,
    name: str,
    said: Mapping[str, Json],
    times: _Times,
    *,
    kind: int = _INTERNAL,
    error: ErrorInfo | None = None,
) -> dict[str, Any]:
    said = dict(said)
    if times.start != times.started_ns:
        said[_STARTED] = times.started_ns
    if times.end != times.ended_ns:
        said[_ENDED] = _NOT_ENDED if times.ended_ns is None else times.ended_ns
    span: dict[str, Any] = {
        "traceId": trace_id,
        "spanId": span_id,
        "name": name.strip()[:_MAX_NAME],
        "kind": kind,
        "startTimeUnixNano": str(times.start),
        "endTimeUnixNano": str(times.end),
        "attributes": attributes_of(said),
    }
    if parent is not None:
        span["parentSpanId"] = parent
    if error is not None:
        span["status"] = {"code": _ERROR, "message": error.message}
    return span


def _trace_id(run_id: str) -> str:
    if len(run_id) == 32 and set(run_id) <= _HEX and set(run_id) != {"0"}:
        return run_id
    return hashlib.blake2b(run_id.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _span_id(run_id: str, what: str) -> str:
    return hashlib.blake2b(
        f"{run_id}\0{what}".encode("utf-8", "replace"), digest_size=8
    ).hexdigest()


def is_own_root(span: Span) -> bool:
    """Whether ``spans_of`` wrote it for a run."""
    return _RUN_ID in span.attributes and not is_own_event(span)


def is_own_event(span: Span) -> bool:
    """Whether ``spans_of`` wrote it for an event."""
    return KIND in span.attributes


def run_of(spans: Sequence[Span]) -> tuple[Run, int]:
    """The run that ``spans_of`` was given, and how many of its events are not among the spans.

    The spans may stand in any order, be there twice, and lack the root.

    Raises:
        InputFormatError: a span was changed on its way.
    """
    by_index: dict[int, Span] = {}
    for span in spans:
        index = span.attributes.get(INDEX)
        if is_own_event(span) and isinstance(index, int):
            by_index.setdefault(index, span)
    events = [
        decode(span.attributes, span.place, times=_times(span))
        for _, span in sorted(by_index.items())
    ]
    root = next((span for span in spans if is_own_root(span)), None)
    if root is None:
        highest = max(by_index, default=-1)
        return Run(id=spans[0].trace_id, events=tuple(events)), highest + 1 - len(events)
    values = unpack(root.attributes, root.place)
    started, ended = _times(root)
    further = {n: v for n, v in values.items() if n not in _ROOT_RESERVED}
    body: dict[str, Json] = {f: values[n] for f, n in _ROOT_NAMES.items() if n in values}
    body |= {
        "started_ns": started,
        "ended_ns": ended,
        "attributes": values.get("knitbone.attributes") or further,
    }
    try:
        if _TASK in values:
            body["task"] = values[_TASK][0]["parts"][0]["content"]
        missing = int(values[_EVENTS]) - len(events)
        run = msgspec.convert(body, Run)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputFormatError(
            f"{root.place} says that it is a run of knitbone, and is none:"
            f" {type(error).__name__}: {str(error)[:200]}.",
            next_step="Was the span changed on its way? Export the run again.",
        ) from error
    return msgspec.structs.replace(run, events=tuple(events)), missing


def _times(span: Span) -> tuple[int, int | None]:
    started, ended = span.attributes.get(_STARTED), span.attributes.get(_ENDED)
    return (
        started if isinstance(started, int) else span.start_ns,
        (None if ended == _NOT_ENDED else ended) if isinstance(ended, int) else span.end_ns,
    )
