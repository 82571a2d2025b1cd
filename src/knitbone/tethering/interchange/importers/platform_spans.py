"""From the spans of an exported file to runs, with a count of what is missing of each."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from knitbone._logging import get_logger, log
from knitbone.errors import InputFormatError
from knitbone.record.events import MISSING_EVENTS, Run
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.traces import run_from
from knitbone.tethering.interchange.spans.span import Span

__all__ = ["runs_of"]

_logger = get_logger(__name__)


def runs_of(
    spans: Sequence[Span], *, source_format: str, path: str, missing: Mapping[str, set[str]]
) -> Iterator[ImportedRun]:
    """The runs that the spans of a file show, a trace each, in the order of the file.

    Args:
        missing: by trace: identifiers that its records name. Those that are not in the file are
            counted in the run, which says so wherever it is shown.

    Raises:
        InputFormatError: no trace holds a step of an agent.
    """
    traces: dict[str, dict[str, Span]] = {}
    for span in spans:
        traces.setdefault(span.trace_id, {}).setdefault(span.span_id, span)
    number = 0
    for trace, held in traces.items():
        uncircled = _uncircled(held)
        run = run_from(uncircled, source_format=source_format, path=path, record=number)
        if run is None:
            continue
        number += 1
        named = {span.parent_id for span in held.values() if span.parent_id}
        gone = (named | missing.get(trace, set())) - held.keys()
        yield ImportedRun(run=_with_gap(run, len(gone)))
    if number == 0:
        names = ", ".join(repr(n[:40]) for n in dict.fromkeys(s.name for s in spans[:200]))
        raise InputFormatError(
            f"{path} holds {len(spans)} records, and none of a model call, a tool or a retrieval:"
            f" {names[:300]}.",
            next_step="Export whole traces, with their model calls and tools.",
        )


def _uncircled(held: Mapping[str, Span]) -> list[Span]:
    """The spans of a trace; those that stand above themselves stand under none."""
    ends: set[str] = set()
    """Spans whose way up is known to end."""
    circles: set[str] = set()
    for span_id in held:
        way: dict[str, None] = {}
        at: str | None = span_id
        while at is not None and at in held and at not in ends and at not in way:
            way[at] = None
            at = held[at].parent_id
        if at in way:
            listed = list(way)
            circles.update(listed[listed.index(at) :])
        ends.update(way)
    if circles:
        log(_logger, logging.WARNING, "records stand above themselves", records=len(circles))
    return [
        msgspec.structs.replace(span, parent_id=None) if span_id in circles else span
        for span_id, span in held.items()
    ]


def _with_gap(run: Run, missing: int) -> Run:
    if not missing:
        return run
    log(_logger, logging.WARNING, "records of a run are missing", run=run.id, missing=missing)
    return msgspec.structs.replace(run, attributes=run.attributes | {MISSING_EVENTS: missing})
