"""Runs as LangSmith exports them: the ``Run`` objects of its API and clients.

Written from its documentation and public examples: a list, one a line, ``{"runs": [...]}``, or
trees (``child_runs``). What a model was told and said stands in whatever shape the traced library
has: LangChain's messages and generations, OpenAI's request and response, Anthropic's message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from knitbone.record.events import Json
from knitbone.tethering.interchange.importers import langsmith
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
from knitbone.tethering.interchange.untrusted_json import (
    JsonPlace,
    as_object,
    as_text,
    first_object,
)
from knitbone.wire.fields import object_of

__all__ = ["read", "recognises"]

FORMAT = "langsmith"

_WRAPPERS = ("runs", "traces")
_FIELDS = {"inputs", "outputs", "parent_run_id", "dotted_order", "child_runs", "start_time"}
_ERROR = re.compile(r"(?:[\w.]*\.)?([A-Z]\w*)\(|([\w.]*(?:Error|Exception|Interrupt)\w*)\b")
_LONGEST = 500
"""Characters of an error that are kept; LangSmith's hold a traceback."""


def recognises(value: Json) -> bool:
    """Objects with a ``run_type`` and fields of a run."""
    rows = listed(value, *_WRAPPERS)
    first = first_object(rows[0][0]) if rows else None
    return (
        first is not None
        and isinstance(first.get("run_type"), str)
        and not _FIELDS.isdisjoint(first)
    )


def read(value: Json, path: str) -> Iterator[ImportedRun]:
    """The runs of the file's traces.

    Raises:
        InputFormatError: a record is no run, or none is a step of an agent.
    """
    bodies = list(_bodies(value, path))
    parents = {body["id"]: parent for body, parent, _ in bodies}
    named = {
        body["id"]: trace for body, _, place in bodies
        if (trace := optional_text(body.get("trace_id"), place.at("trace_id"))) is not None
    }  # fmt: skip
    roots: dict[str, str] = {}
    spans: list[Span] = []
    missing: dict[str, set[str]] = {}
    for body, parent, place in bodies:
        trace = named.get(body["id"]) or _root(body["id"], parents, named, roots)
        spans.append(_span(body, parent, trace, place))
        children = body.get("child_run_ids")
        ids = cast("list[Any]", children) if isinstance(children, list) else []
        missing.setdefault(trace, set()).update(each for each in ids if isinstance(each, str))
    yield from runs_of(spans, source_format=FORMAT, path=path, missing=missing)


def _bodies(value: Json, path: str) -> Iterator[tuple[Mapping[str, Any], str | None, JsonPlace]]:
    """All records, those inside others too, each with the identifier of its parent."""
    rows = listed(value, *_WRAPPERS)
    stack: list[tuple[Json, str | None, JsonPlace]] = [
        (row, None, JsonPlace(path).at(where) if where else JsonPlace(path))
        for row, where in rows[::-1]
    ]
    while stack:
        row, outer, place = stack.pop()
        body = as_object(row, place)
        own = identifier(body.get("id"), place.at("id"))
        parent = optional_text(body.get("parent_run_id"), place.at("parent_run_id")) or outer
        yield body, parent, place
        children = body.get("child_runs")
        if isinstance(children, list):
            inner = place.at("child_runs")
            items = list(enumerate(cast("list[Any]", children)))
            stack.extend((item, own, inner.at(number)) for number, item in items[::-1])


def _root(
    own: str, parents: Mapping[str, str | None], named: Mapping[str, str], known: dict[str, str]
) -> str:
    """The trace of a record that does not name it: that of the first one above that does, else the
    topmost one's identifier; of a circle, that of one in it."""
    way: list[str] = []
    seen: set[str] = set()
    at: str | None = own
    found = own
    while at is not None and at in parents and at not in seen:
        if at in known or at in named:
            found = known.get(at) or named[at]
            break
        seen.add(at)
        way.append(at)
        found, at = at, parents[at]
    known.update(dict.fromkeys(way, found))
    return found


def _span(body: Mapping[str, Any], parent: str | None, trace: str, place: JsonPlace) -> Span:
    error = optional_text(body.get("error"), place.at("error"))
    extra = object_of(structure_of(body.get("extra")))
    attributes: dict[str, Json] = {
        langsmith.KIND: as_text(body.get("run_type"), place.at("run_type")),
        "langsmith.inputs": structure_of(body.get("inputs")),
        "langsmith.outputs": structure_of(body.get("outputs")),
        "langsmith.invocation": extra.get("invocation_params"),
        "langsmith.metadata": extra.get("metadata"),
        "langsmith.prompt_tokens": body.get("prompt_tokens"),
        "langsmith.completion_tokens": body.get("completion_tokens"),
        "langsmith.total_cost": body.get("total_cost"),
    }
    session = field(object_of(extra.get("metadata")), "session_id", "thread_id", "conversation_id")
    if isinstance(session, str):
        attributes["session.id"] = session
    return Span(
        trace_id=trace, span_id=body["id"], parent_id=parent,
        name=optional_text(body.get("name"), place.at("name")) or "",
        start_ns=time_ns(body.get("start_time"), place.at("start_time")) or 0,
        end_ns=time_ns(body.get("end_time"), place.at("end_time")),
        attributes=attributes,
        events=(_raised(error),) if error else (),
        failed=error is not None or body.get("status") == "error",
        place=place,
    )  # fmt: skip


def _raised(error: str) -> SpanEvent:
    """What LangSmith keeps of an exception: its ``repr``, then its traceback."""
    error = error[:_LONGEST]
    head = error.partition("Traceback (most recent call last)")[0].strip() or error
    match = _ERROR.match(head)
    name = (match[1] or match[2]) if match else "error"
    return SpanEvent(
        name="exception", attributes={"exception.type": name, "exception.message": head}
    )
