"""Traces as Langfuse exports them: with their observations, or observations alone.

Written from its documentation and public examples: what the page downloads (``{trace,
observations}``), what the API gives (a trace with ``observations``, or ``{data: [...]}``), and
observations one a line, in the case of the API (``parentObservationId``) or of its Python client
(``parent_observation_id``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from knitbone.errors import InputFormatError
from knitbone.record.events import Json
from knitbone.tethering.interchange.importers import langfuse
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.langchain import message_fields
from knitbone.tethering.interchange.importers.platform_spans import runs_of
from knitbone.tethering.interchange.importers.platform_values import (
    field,
    identifier,
    listed,
    optional_text,
    time_ns,
)
from knitbone.tethering.interchange.importers.span_values import structure_of
from knitbone.tethering.interchange.spans.messages import conversation_of
from knitbone.tethering.interchange.spans.span import Span
from knitbone.tethering.interchange.untrusted_json import (
    JsonPlace,
    as_list,
    as_object,
    first_object,
    parse_lenient,
    text_of_json,
)

__all__ = ["read", "recognises"]

FORMAT = "langfuse"

_TYPES = frozenset({
    "AGENT", "CHAIN", "EMBEDDING", "EVALUATOR", "EVENT", "GENERATION", "GUARDRAIL", "RETRIEVER",
    "SPAN", "TOOL",
})  # fmt: skip

_TOOL = re.compile(r"(?:execute[_ ]?)?tool(?:[._ /:-]|$)", re.IGNORECASE)


def recognises(value: Json) -> bool:
    """Traces with their observations, or observations that name their trace."""
    rows = listed(value, "data")
    first = first_object(rows[0][0]) if rows else None
    if first is None:
        return False
    if isinstance(first.get("observations"), list):
        return isinstance(first.get("trace"), dict) or isinstance(first.get("id"), str)
    return field(first, "traceId", "trace_id") is not None and _kind(first) in _TYPES


def _kind(body: Mapping[str, Any]) -> str:
    kind = body.get("type")
    return kind.upper() if isinstance(kind, str) else ""


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of the file's traces.

    Raises:
        InputFormatError: a record is no trace and no observation, or none is a step of an agent.
    """
    spans: list[Span] = []
    traces: dict[str, Mapping[str, Any]] = {}
    for row, where in listed(value, "data"):
        place = JsonPlace(path).at(where) if where else JsonPlace(path)
        body = as_object(row, place)
        if "observations" not in body:
            spans.append(_span(body, place, None))
            continue
        inner = body.get("trace")
        trace = as_object(inner, place.at("trace")) if inner is not None else body
        trace_id = identifier(trace.get("id"), place.at("id"))
        traces[trace_id] = trace
        at = place.at("observations")
        for number, item in enumerate(as_list(body["observations"], at)):
            if isinstance(item, str):
                raise InputFormatError(
                    f"{at.at(number)} is the identifier of an observation, not the observation.",
                    next_step="Export each trace by itself: lists of traces hold identifiers"
                    " alone.",
                )
            spans.append(_span(as_object(item, at.at(number)), at.at(number), trace_id))
    for found in runs_of(spans, source_format=FORMAT, path=path, missing={}):
        yield msgspec.structs.replace(found, run=_told(found.run, traces.get(found.run.id, {})))


def _told(run: Any, trace: Mapping[str, Any]) -> Any:
    """The run, with what its trace says of it."""
    name, session = trace.get("name"), field(trace, "sessionId", "session_id")
    if isinstance(name, str) and name:
        run = msgspec.structs.replace(run, name=name[:200])
    if not run.task:
        given: Json = trace.get("input")
        for _ in range(2):  # the page's download encodes it twice
            given = parse_lenient(given) if isinstance(given, str) else given
        said = conversation_of(given)
        first = next((message.content for message in said if message.role == "user"), "")
        run = msgspec.structs.replace(run, task=first or text_of_json(given))
    if isinstance(session, str) and run.origin is not None:
        identity = run.origin.identity | {"session.id": session}
        run = msgspec.structs.replace(
            run, origin=msgspec.structs.replace(run.origin, identity=identity)
        )
    return run


def _span(body: Mapping[str, Any], place: JsonPlace, trace_id: str | None) -> Span:
    """An observation, as its SDK would have sent it."""
    level = body.get("level")
    status = field(body, "statusMessage", "status_message")
    if _kind(body) == "SPAN" and _read_as(body) == "span" and _is_tools(body):
        raise InputFormatError(
            f"{place} is the span {str(body.get('name'))[:60]!r} of a tool, but no observation of"
            " the type TOOL: its call would be lost.",
            next_step="Record tools as observations of that type, or give OpenTelemetry traces.",
        )
    start, end = field(body, "startTime", "start_time"), field(body, "endTime", "end_time")
    parent = field(body, "parentObservationId", "parent_observation_id")
    named = field(body, "traceId", "trace_id") or trace_id
    attributes: dict[str, Json] = {
        langfuse.KIND: _read_as(body),
        "langfuse.observation.input": body.get("input"),
        "langfuse.observation.output": body.get("output"),
        "langfuse.observation.model.name": field(
            body, "model", "providedModelName", "provided_model_name"
        ),
        "langfuse.observation.usage_details": _usage(body),
        "langfuse.observation.cost_details": _costs(body),
        "langfuse.observation.level": level,
        "langfuse.observation.status_message": status,
    }
    return Span(
        trace_id=identifier(named, place.at("traceId")),
        span_id=identifier(body.get("id"), place.at("id")),
        parent_id=optional_text(parent, place.at("parentObservationId")),
        name=optional_text(body.get("name"), place.at("name")) or "",
        start_ns=time_ns(start, place.at("startTime")) or 0,
        end_ns=time_ns(end, place.at("endTime")),
        attributes={name: item for name, item in attributes.items() if item is not None},
        failed=level == "ERROR",
        message=status if isinstance(status, str) else "",
        place=place,
    )


def _is_tools(body: Mapping[str, Any]) -> bool:
    """Whether a span names itself a tool's: ``tool.search``, ``execute_tool search``."""
    return _TOOL.match(str(body.get("name"))) is not None


def _read_as(body: Mapping[str, Any]) -> str:
    """The type of an observation; a span that gave the answer of a tool is a tool (the callbacks
    for LangChain of earlier SDKs know no other type)."""
    kind = _kind(body).lower()
    if kind == "span":
        message = message_fields(structure_of(body.get("output")))
        if message is not None and message.get("type") == "tool":
            return "tool"
    return kind


def _usage(body: Mapping[str, Any]) -> Json:
    details = field(body, "usageDetails", "usage_details")
    if isinstance(details, dict) and details:
        return cast("Json", details)
    usage: Any = body.get("usage")
    counts = cast("dict[str, Any]", usage) if isinstance(usage, dict) else body
    given = field(counts, "input", "promptTokens", "prompt_tokens", "inputUsage", "inputTokens")
    made = field(
        counts, "output", "completionTokens", "completion_tokens", "outputUsage", "outputTokens"
    )
    return {"input": given, "output": made}


def _costs(body: Mapping[str, Any]) -> Json:
    details = field(body, "costDetails", "cost_details")
    if isinstance(details, dict) and details:
        return cast("Json", details)
    total = field(body, "totalCost", "total_cost", "calculatedTotalCost", "calculated_total_cost")
    return {"total": total} if total else None
