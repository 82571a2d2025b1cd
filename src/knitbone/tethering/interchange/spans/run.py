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
from typing import Any, cast

import msgspec

from knitbone.errors import InputFormatError
from knitbone.record.events import (
    Adaptation,
    ErrorInfo,
    Event,
    EventBase,
    Intervention,
    Json,
    Message,
    ModelCall,
    Outcome,
    Retrieval,
    Run,
    ToolCall,
    Usage,
)
from knitbone.tethering.interchange.spans.messages import (
    documents_json,
    message_json,
    own_document,
    own_message,
)
from knitbone.tethering.interchange.spans.span import Span
from knitbone.tethering.interchange.spans.values import (
    attributes_of,
    is_native,
    parse_structure,
    to_json_text,
)
from knitbone.tethering.interchange.untrusted_json import JsonPlace, describe

__all__ = [
    "KIND",
    "decode",
    "encode",
    "is_own_event",
    "is_own_root",
    "pack",
    "run_of",
    "spans_of",
    "unpack",
]


# One event as a span's attributes, and back without loss.
#
# A field stands under the name that the GenAI semantic conventions have for it, and under
# ``knitbone.<kind>.<field>`` where they have none. The table of names is the whole mapping: a field
# that the table does not name travels under its own, so that a new field is never lost.
#
# An attribute holds a scalar or a list of scalars. Structure is JSON text, and its name then stands
# in ``knitbone.json_attributes``: which text is JSON is said, never guessed.
#
# Source: OpenTelemetry semantic conventions for generative AI (inference, agent, tool and retrieval
# spans; evaluation results).

KIND = "knitbone.event.kind"
INDEX = "knitbone.event.index"
"""0-based position in the run."""

_JSON = "knitbone.json_attributes"
_FURTHER = "knitbone.attributes"
_KINDS: dict[str, type[EventBase]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (ModelCall, ToolCall, Retrieval, Message, Adaptation, Intervention, Outcome)
}
_SHARED_NAMES = {
    "id": "knitbone.event.id",
    "parent": "knitbone.event.parent",
    "agent": "gen_ai.agent.name",
    "position": "knitbone.event.position",
}
_NAMES: dict[str, dict[str, str]] = {
    "model_call": {
        "model": "gen_ai.request.model",
        "provider": "gen_ai.provider.name",
        "operation": "gen_ai.operation.name",
        "input": "gen_ai.input.messages",
        "output": "gen_ai.output.messages",
        "finish_reason": "gen_ai.response.finish_reasons",
    },
    "tool_call": {
        "name": "gen_ai.tool.name",
        "call_id": "gen_ai.tool.call.id",
        "arguments": "gen_ai.tool.call.arguments",
        "result": "gen_ai.tool.call.result",
    },
    "retrieval": {
        "query": "gen_ai.retrieval.query.text",
        "source": "gen_ai.data_source.id",
        "documents": "gen_ai.retrieval.documents",
    },
    "message": {"content": "gen_ai.input.messages"},
    "outcome": {
        "success": "gen_ai.evaluation.score.label",
        "reward": "gen_ai.evaluation.score.value",
        "reason": "gen_ai.evaluation.explanation",
    },
}
_CONSTANT: dict[str, dict[str, Json]] = {
    "tool_call": {"gen_ai.operation.name": "execute_tool"},
    "retrieval": {"gen_ai.operation.name": "retrieval"},
    "outcome": {"gen_ai.evaluation.name": "outcome"},
}
"""What the conventions require of such a span, and says nothing that the kind does not."""
_USAGE = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
}
_ERROR = {"type": "error.type"}
_APART = {"attributes", "error", "usage", "started_ns", "ended_ns"}
"""Fields that are no attribute of their own; a span has its times itself."""
_VERDICTS = {True: "pass", False: "fail"}


def _table(kind: str) -> dict[str, str]:
    """The attribute of each field of a kind of event."""
    names = _SHARED_NAMES | _NAMES.get(kind, {})
    fields = [field for field in _KINDS[kind].__struct_fields__ if field not in _APART]
    return {field: names.get(field, f"knitbone.{kind}.{field}") for field in fields}


_TABLES = {kind: _table(kind) for kind in _KINDS}
_USAGE_TABLE = {f: _USAGE.get(f, f"knitbone.usage.{f}") for f in Usage.__struct_fields__}
_ERROR_TABLE = {f: _ERROR.get(f, f"knitbone.error.{f}") for f in ErrorInfo.__struct_fields__}
_PARTS = {"usage": _USAGE_TABLE, "error": _ERROR_TABLE}
_RESERVED = {
    kind: frozenset(
        {KIND, INDEX, _JSON, _FURTHER, "knitbone.started_ns", "knitbone.ended_ns",
         *table.values(), *_CONSTANT.get(kind, ()), *_USAGE_TABLE.values(),
         *_ERROR_TABLE.values()}
    )
    for kind, table in _TABLES.items()
}  # fmt: skip


def encode(event: Event, index: int) -> dict[str, Json]:
    """All that the event says, but its times, as attributes."""
    fields: dict[str, Json] = msgspec.to_builtins(event, enc_hook=repr, str_keys=True)
    kind = fields.pop("kind")
    said: dict[str, Json] = {KIND: kind, INDEX: index, **_CONSTANT.get(kind, {})}
    fields |= _conventional(event)
    for field, name in _TABLES[kind].items():
        said[name] = fields.get(field)
    for part, table in _PARTS.items():
        values: dict[str, Json] = fields.get(part) or {}
        said |= {table[field]: value for field, value in values.items()}
    return pack(said, fields.get("attributes", {}), reserved=_RESERVED[kind])


def _conventional(event: Event) -> dict[str, Json]:
    """Fields whose conventional form is another than ours, and those that are required."""
    if isinstance(event, Message):
        spoken = {"role": event.role, "parts": [{"type": "text", "content": event.content}]}
        return {"content": [spoken]}
    if isinstance(event, Retrieval) and event.documents:
        return {"documents": documents_json(event.documents)}
    if isinstance(event, Outcome) and event.success is not None:
        return {"success": _VERDICTS[event.success]}
    if not isinstance(event, ModelCall):
        return {}
    made: dict[str, Json] = {"operation": event.operation}
    if event.input:
        made["input"] = [message_json(message) for message in event.input]
    if event.output is not None:
        made["output"] = [message_json(event.output, finish_reason=event.finish_reason)]
    if event.finish_reason is not None:
        made["finish_reason"] = [event.finish_reason]
    return made


def pack(
    said: Mapping[str, Json], further: Mapping[str, Json], *, reserved: frozenset[str]
) -> dict[str, Json]:
    """Attributes of a span: structure becomes JSON text, and nothing is left out as null.

    Args:
        further: attributes that stand under names of their own; where one of those means
            something here already, all of them travel apart.
    """
    packed = {name: value for name, value in said.items() if value is not None}
    if further and reserved.isdisjoint(further):
        packed |= further
    elif further:
        packed[_FURTHER] = dict(further)
    structured: list[Json] = []
    for name, value in packed.items():
        if not is_native(value):
            packed[name] = to_json_text(value)
            structured.append(name)
    return packed | {_JSON: structured} if structured else packed


def unpack(attributes: Mapping[str, Json], place: JsonPlace) -> dict[str, Json]:
    """The inverse of ``pack``, with what travelled apart left under its name.

    Raises:
        InputFormatError: text that should be JSON is none.
    """
    values = dict(attributes)
    structured = values.pop(_JSON, None)
    for name in cast("list[Any]", structured) if isinstance(structured, list) else ():
        text = values.get(name)
        try:
            values[name] = parse_structure(cast("str", text), place)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputFormatError(
                f"{place}, attribute {str(name)[:80]!r}: expected JSON text, found"
                f" {describe(text)}.",
                next_step="Was an attribute cut by a length limit on the way? Export again.",
            ) from error
    return values


def decode(
    attributes: Mapping[str, Json], place: JsonPlace, *, times: tuple[int, int | None]
) -> Event:
    """The event that ``encode`` was given.

    Args:
        times: when it started and ended, in nanoseconds.

    Raises:
        InputFormatError: the attributes are not those of an event.
    """
    values = unpack(attributes, place)
    kind = values.get(KIND)
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InputFormatError(
            f"{place}, attribute {KIND!r}: {describe(kind)} is no kind of event.",
            next_step=f"Known: {', '.join(_KINDS)}. Was it written by a newer knitbone?",
        )
    body: dict[str, Json] = {"kind": kind, "started_ns": times[0], "ended_ns": times[1]}
    try:
        for field, name in _TABLES[kind].items():
            if name in values:
                body[field] = _ours(kind, field, values[name])
        for part, table in _PARTS.items():
            found = {field: values[name] for field, name in table.items() if name in values}
            if found and part in _KINDS[kind].__struct_fields__:
                body[part] = found
        further = {n: v for n, v in values.items() if n not in _RESERVED[kind]}
        body["attributes"] = values.get(_FURTHER) or further
        return msgspec.convert(body, Event)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise InputFormatError(
            f"{place} says that it is a {kind} of knitbone, and is none:"
            f" {type(error).__name__}: {str(error)[:200]}.",
            next_step="Was the span changed on its way? Export the run again.",
        ) from error


def _ours(kind: str, field: str, value: Json) -> Json:
    """The inverse of ``_conventional``, for one field."""
    match kind, field:
        case "message", "content":
            return value[0]["parts"][0]["content"]
        case "retrieval", "documents":
            return [own_document(document) for document in value]
        case "outcome", "success":
            return {"pass": True, "fail": False}[value]
        case "model_call", "input":
            return [own_message(message) for message in value]
        case "model_call", "output":
            return own_message(value[0])
        case "model_call", "finish_reason":
            return value[0]
        case _:
            return value


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
_INTERNAL, _CLIENT, _STATUS_ERROR = 1, 3, 2
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
        span["status"] = {"code": _STATUS_ERROR, "message": error.message}
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
