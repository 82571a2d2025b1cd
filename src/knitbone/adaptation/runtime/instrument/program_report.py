"""The report on a program under ``knitbone run``, merged from the reports of its processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from knitbone.adaptation.repair.missing import missing_extras
from knitbone.adaptation.runtime.instrument.plans import Analysed, analysed_units
from knitbone.adaptation.runtime.instrument.reasons import reasons
from knitbone.adaptation.runtime.registry import executed_sites, known_sites, process_counts
from knitbone.adaptation.runtime.summary import (
    SUMMARY,
    Kinds,
    Observation,
    SiteCounts,
    UnlistedKinds,
    merge_counts,
)
from knitbone.record.events import Adaptation, encode_json

__all__ = [
    "ProcessReport",
    "ProgramReport",
    "merge_reports",
    "process_report",
    "read_program_report",
]

_KEPT = 1_000
"""Adaptations in a report; each process keeps its last ones."""


class ProcessReport(msgspec.Struct, frozen=True, kw_only=True):
    """The report that one process wrote at its end."""

    pid: int
    command: tuple[str, ...]
    known: tuple[str, ...]
    """Sites (``file:line:column``) of the modules that it loaded."""
    executed: dict[str, int]
    """Those through which values passed, and how many."""
    sites: tuple[SiteCounts, ...]
    times: dict[str, list[int]]
    adaptations: tuple[Adaptation, ...]
    untouched: dict[str, str]
    analysed: tuple[Analysed, ...]
    missing: tuple[str, ...] = ()
    observations: tuple[Observation, ...] = ()
    unlisted: tuple[UnlistedKinds, ...] = ()


class ProgramReport(msgspec.Struct, frozen=True, kw_only=True):
    """The report on a program and its child processes."""

    processes: int
    """Those that loaded a module of the application."""
    known: tuple[str, ...]
    """Sites (``file:line:column``) of the modules that were loaded."""
    executed: dict[str, int]
    """Those through which values passed, and how many."""
    sites: tuple[SiteCounts, ...]
    adaptations: tuple[Adaptation, ...]
    untouched: dict[str, str]
    """The functions and modules that run without instrumentation, with the reason."""
    missing: tuple[str, ...] = ()
    """The checks that were not made because a library is not installed, each with what to
    install."""
    observations: tuple[Observation, ...] = ()
    """The kinds of repairs and refusals, the most frequent first, each with its first example; at
    most 100 of a site."""
    unlisted: tuple[UnlistedKinds, ...] = ()
    """By site, the kinds beyond those."""
    analysed: tuple[Analysed, ...]
    """The analysed units, each with its cost for the process that waited longest for it."""


def process_report(*, complete: bool) -> bytes:
    """Return the counts of this process as JSON, with its adaptations if ``complete``."""
    return encode_json(
        ProcessReport(
            pid=os.getpid(),
            command=tuple(getattr(sys, "orig_argv", sys.argv)),
            known=known_sites(),
            executed=executed_sites(),
            sites=process_counts(),
            times=SUMMARY.times(),
            adaptations=SUMMARY.adaptations if complete else (),
            untouched=reasons(),
            missing=missing_extras(),
            analysed=analysed_units(),
            observations=SUMMARY.observations,
            unlisted=SUMMARY.unlisted,
        )
    )


def read_program_report(folder: Path) -> ProgramReport:
    """Merge the reports in a folder; one that cannot be read is passed over."""
    parts: list[ProcessReport] = []
    for path in sorted(folder.glob("*.json")):
        try:
            parts.append(msgspec.json.decode(path.read_bytes(), type=ProcessReport))
        except (OSError, msgspec.DecodeError):
            continue
    return merge_reports(parts)


def merge_reports(parts: Sequence[ProcessReport]) -> ProgramReport:
    """Add up the counts of several processes; a site that several executed is one site."""
    executed: dict[str, int] = {}
    times: dict[str, list[int]] = {}
    untouched: dict[str, str] = {}
    analysed: dict[str, Analysed] = {}
    for part in parts:
        for site, number in part.executed.items():
            executed[site] = executed.get(site, 0) + number
        for site, values in part.times.items():
            times.setdefault(site, []).extend(values)
        untouched.update(part.untouched)
        for unit in part.analysed:
            if unit.unit not in analysed or analysed[unit.unit].seconds < unit.seconds:
                analysed[unit.unit] = unit
    kinds = Kinds()
    for one in (one for part in parts for one in part.observations):
        kinds.add(one)
    for more in (more for part in parts for more in part.unlisted):
        kinds.add_unlisted(more)
    events = sorted(
        (event for part in parts for event in part.adaptations), key=lambda event: event.started_ns
    )
    return ProgramReport(
        processes=len(parts),
        known=tuple(sorted({site for part in parts for site in part.known})),
        executed=dict(sorted(executed.items())),
        sites=merge_counts([part.sites for part in parts], times),
        adaptations=tuple(events[-_KEPT:]),
        untouched=dict(sorted(untouched.items())),
        missing=tuple(sorted({message for part in parts for message in part.missing})),
        observations=kinds.listed(),
        unlisted=tuple(msgspec.structs.replace(more, identities=()) for more in kinds.unlisted()),
        analysed=tuple(analysed[unit] for unit in sorted(analysed)),
    )
