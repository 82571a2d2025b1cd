"""``knitbone diagnose``: where a recorded run left the path, and why."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from knitbone.cli.output import console, fail, json_option, print_json
from knitbone.config import load_config
from knitbone.core.events import Run, encode_json
from knitbone.core.store import SqliteStore
from knitbone.report.terminal import printable
from knitbone.tethering.analyse import Diagnosis
from knitbone.tethering.engine import (
    DiagnoseEvent,
    FileFailed,
    FileImported,
    FileSkipped,
    RunDiagnosed,
    diagnose,
    diagnose_paths,
)
from knitbone.tethering.findings import FindingKind
from knitbone.tethering.importers import FORMATS

__all__ = ["command", "diagnosis_record"]

_SHOWN_RANKS = 8
"""Steps of the ranking shown to a person; --json has all."""

_EVIDENCE_WORDS: dict[FindingKind, str] = {
    "missing argument": "argument missing",
    "failed call": "failed",
    "repeated action": "loop",
    "changed before": "state changed before",
    "error passed over": "error passed over",
    "value never observed": "value never observed",
    "state change": "changes state",
    "ended with open error": "open error at the end",
    "built upon": "built upon",
    "symptom": "symptom",
}


@click.command("diagnose")
@click.argument("paths", nargs=-1, metavar="PATH...", type=click.Path(allow_dash=True))
@click.option(
    "--format",
    "source_format",
    type=click.Choice(["auto", *FORMATS]),
    default="auto",
    show_default=True,
    help="Format of the files; auto recognises it by its structure.",
)
@click.option("--store", metavar="FILE", help="Take PATH... as run identifiers in this run store.")
@click.option("--limit", type=click.IntRange(min=1), help="Show no more than this many runs.")
@click.option("--all", "show_all", is_flag=True, help="Show runs that succeeded, too.")
@json_option
def command(
    paths: tuple[str, ...],
    source_format: str,
    store: str | None,
    limit: int | None,
    *,
    show_all: bool,
    as_json: bool,
) -> None:
    """Find the step where recorded agent runs left the path. No model is needed.

    PATH is a file, a folder, or - for standard input: τ-bench results, Who&When and AgentRx logs,
    OpenAI chat message lists, or what `knitbone runs export` wrote. Steps are counted from 0 in
    the file's own message list. With --json every run gives one object, a failed one or not.
    """
    if not paths:
        raise click.UsageError("Name at least one file or folder of recorded runs, or - for stdin.")
    if store is not None:
        events = _from_store(store, paths)
    else:
        events = diagnose_paths(paths, source_format=source_format, config=load_config().tether)
    report = _Report(limit=limit, show_all=show_all, as_json=as_json)
    failures: list[FileFailed] = []
    for event in _watched(events):
        if isinstance(event, FileFailed):
            failures.append(event)  # said at the end, where it is not overlooked
        else:
            report.take(event)
    report.close()
    for failure in failures[:-1]:
        _report_failure(failure, as_json=as_json)
    if failures:
        fail(failures[-1].error, as_json=as_json)


def _from_store(store: str, runs: Iterable[str]) -> Iterator[DiagnoseEvent]:
    opened = SqliteStore(store)
    try:
        for run_id in runs:
            run = opened.get(run_id)
            yield RunDiagnosed(run=run, diagnosis=diagnose(run, config=load_config().tether))
    finally:
        opened.close()


def _watched(events: Iterable[DiagnoseEvent]) -> Iterator[DiagnoseEvent]:
    """The events, with their count on a terminal's standard error while they come."""
    screen = console(stderr=True)
    if not screen.is_terminal or sys.stdout.isatty():
        yield from events  # standard output itself shows the progress, run by run
        return
    with screen.status("diagnosing") as status:
        for number, event in enumerate(events, start=1):
            status.update(f"diagnosing: {number} runs and files")
            yield event


def _report_failure(failure: FileFailed, *, as_json: bool) -> None:
    try:
        fail(failure.error, as_json=as_json)
    except SystemExit:
        return  # the exit code comes with the last one


class _Report:
    """Consumes the engine's events: one block, or one JSON object, a run."""

    def __init__(self, *, limit: int | None, show_all: bool, as_json: bool) -> None:
        self._limit = limit
        self._show_all = show_all
        self._as_json = as_json
        self._screen = console()
        self._counts: Counter[str] = Counter()
        self._shown = 0
        self._many = False

    def take(self, event: FileSkipped | FileImported | RunDiagnosed) -> None:
        match event:
            case FileSkipped():
                note = f"note: {event.path} passed over: {event.reason}"
                console(stderr=True).print(printable(note, limit=500), style="dim")
            case FileImported():
                self._many = event.runs > 1
                if event.runs > 1 and not self._as_json:
                    text = f"{event.path}: {event.format}, {event.runs} runs, {event.failed} failed"
                    self._screen.print(printable(text, limit=500) + "\n", style="bold")
            case RunDiagnosed():
                self._run(event.run, event.diagnosis)

    def _run(self, run: Run, diagnosis: Diagnosis) -> None:
        self._counts[diagnosis.outcome] += 1
        room = self._limit is None or self._shown < self._limit
        if self._as_json:
            if room:
                print_json(diagnosis_record(run, diagnosis))
                self._shown += 1
        elif room and (self._show_all or diagnosis.outcome != "succeeded"):
            _show(self._screen, run, diagnosis, many=self._many)
            self._shown += 1

    def close(self) -> None:
        """The counts, once everything has been seen."""
        if self._as_json or not self._counts:
            return
        kinds = ", ".join(f"{self._counts[k]} {k}" for k in ("failed", "succeeded", "unknown"))
        total = sum(self._counts.values())
        text = f"{_count(total, 'run')}: {kinds}; {self._shown} shown"
        if self._limit is not None and self._shown == self._limit:
            text += f" (--limit {self._limit})"
        elif self._counts["succeeded"] and not self._show_all:
            text += " (--all shows the successful ones, too)"
        self._screen.print(text, style="bold")


def diagnosis_record(run: Run, diagnosis: Diagnosis) -> dict[str, Any]:
    """The object that ``--json`` prints for one run."""
    origin = run.origin
    return {
        "run": run.id,
        "source": {
            "format": origin.format if origin else "knitbone",
            "path": origin.path if origin else None,
            "record": origin.record if origin else None,
            "identity": origin.identity if origin else {},
        },
        "outcome": diagnosis.outcome,
        "units": diagnosis.units,
        "turning_point": diagnosis.turning_point,
        "ranking": diagnosis.ranking,
        "region": diagnosis.region,
        "region_groups": diagnosis.region_groups,
        "action": diagnosis.action,
        "category": diagnosis.category,
        "root_cause": diagnosis.root_cause,
        "reason": diagnosis.reason,
        "recovery_hints": diagnosis.recovery_hints,
        "evidence": {"findings": diagnosis.findings, "planes": diagnosis.evidence},
    }


def _show(screen: Console, run: Run, diagnosis: Diagnosis, *, many: bool) -> None:
    where = _source(run, many=many)
    state = {"failed": "failed", "succeeded": "succeeded", "unknown": "outcome unknown"}
    screen.print(
        Text.assemble(
            (printable(where, limit=160), "bold"),
            f"   {_count(diagnosis.units, 'step')}, {state[diagnosis.outcome]}   run {run.id[:12]}",
        )
    )
    _line(screen, "Asked", run.task or "(the source does not say)", limit=240)
    if diagnosis.turning_point is None and diagnosis.units:
        _line(screen, "Unusual", f"step {diagnosis.ranking[0]}   {diagnosis.action}", limit=200)
    elif diagnosis.units:
        _line(
            screen,
            "Left at",
            f"step {diagnosis.turning_point}   {diagnosis.action}",
            limit=200,
            style="bold red",
        )
    if diagnosis.units:
        share = round(100 * len(diagnosis.region) / diagnosis.units)
        groups = ", ".join(_span(group) for group in diagnosis.region_groups)
        noun = "step" if len(diagnosis.region) == 1 else "steps"
        _line(screen, "Region", f"{noun} {groups}   ({share} % of the run)", limit=400)
        ranks = " > ".join(map(str, diagnosis.ranking[:_SHOWN_RANKS]))
        more = len(diagnosis.ranking) - _SHOWN_RANKS
        _line(screen, "Ranking", ranks + (f" > {more} more" if more > 0 else ""))
    _line(screen, "Why", diagnosis.reason, limit=900)
    _line(screen, "Evidence", _evidence(diagnosis), limit=300)
    for hint in diagnosis.recovery_hints:
        _line(screen, "Next time", hint, limit=300)
    screen.print()


def _source(run: Run, *, many: bool) -> str:
    origin = run.origin
    if origin is None:
        return run.name or run.id
    name = Path(origin.path).name if origin.path and origin.path != "-" else "standard input"
    parts = [name]
    if many:
        parts.append(f"record {origin.record}")
        parts.append(", ".join(f"{k} {_plain(v)}" for k, v in origin.identity.items()))
    return "   ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else encode_json(value).decode("utf-8")


def _span(group: tuple[int, ...]) -> str:
    return str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}"


def _evidence(diagnosis: Diagnosis) -> str:
    shown: list[str] = []
    for finding in diagnosis.findings:
        label = _EVIDENCE_WORDS.get(finding.kind)
        if label:
            shown.append(f"{label} ({', '.join(map(str, finding.steps[:8]))})")
    for item in diagnosis.evidence:
        if item.rank == 1:
            shown.append(f"{item.plane} outlier rank 1 (score {item.score:.2f})")
    return "  ·  ".join(shown) or "none"


def _line(screen: Console, label: str, text: str, *, limit: int = 200, style: str = "") -> None:
    screen.print(Text.assemble((f"  {label:<10}", "dim"), (printable(text, limit=limit), style)))
