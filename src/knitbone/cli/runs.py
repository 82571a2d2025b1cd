"""``knitbone runs``: the run store from the command line."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click

from knitbone.cli.output import console, json_option, print_json
from knitbone.cli.runs_compare import compare_runs
from knitbone.cli.runs_list import list_runs
from knitbone.cli.runs_store import with_store
from knitbone.common.printable import printable
from knitbone.config import load_config
from knitbone.errors import StoreError
from knitbone.record.events import Run, encode_json
from knitbone.record.identifiers import now_ns
from knitbone.record.recorder import redactor_of
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store_check import check_store, salvage_store
from knitbone.record.verdicts import LaterOutcome, judge, verdict_of
from knitbone.report.run_lines import check_lines, lost_line, run_lines, time_text, totals
from knitbone.tethering.interchange.exporters.otlp import lines, resource_attributes
from knitbone.tethering.interchange.exporters.send import endpoint_of, send_runs, shown
from knitbone.tethering.interchange.importers import FORMATS, import_file
from knitbone.tethering.interchange.importers.exported import exported
from knitbone.tethering.interchange.importers.imported_run import ImportedRun

__all__ = ["command"]


@click.group("runs")
def command() -> None:
    """List, show, judge, compare, check, import, export, send and purge recorded runs."""


command.add_command(compare_runs)
command.add_command(list_runs)


@command.command("show")
@click.argument("run")
@json_option
@with_store
def show_run(store: SqliteStore, run: str, *, as_json: bool) -> None:
    """Show the run whose identifier starts with RUN; of a damaged one what is left of it."""
    read = store.left_of(run)
    found, annotations = read.run, read.annotations
    if as_json:
        print_json({"run": found, "annotations": annotations})
        return
    screen = console()
    screen.print(f"run {found.id}   {time_text(found.started_ns)}   {printable(found.name)}")
    if found.task:
        screen.print(f"asked   {printable(found.task, limit=300)}")
    if used := totals(found):
        screen.print(f"used    {used}")
    if missing := lost_line(found):
        screen.print(f"lost    {printable(missing, limit=300)}", style="yellow")
    for line in run_lines(found):
        screen.print(line)
    for annotation in annotations:
        screen.print(f"{annotation.kind}   {printable(encode_json(annotation.body).decode())}")


_OUTCOMES: dict[str, bool | None] = {"failed": False, "succeeded": True, "unknown": None}


@command.command("outcome")
@click.argument("run")
@click.argument("outcome", metavar="|".join(_OUTCOMES), type=click.Choice([*_OUTCOMES]))
@click.option("--reason", default="", metavar="TEXT", help="Why, in words.")
@json_option
@with_store
def set_run_outcome(
    store: SqliteStore, run: str, outcome: str, reason: str, *, as_json: bool
) -> None:
    """Say whether the run whose identifier starts with RUN failed or succeeded; unknown withdraws
    what was said before.

    The run itself stays as it was recorded; the latest outcome counts, and says who set it.
    """
    verdict = LaterOutcome(success=_OUTCOMES[outcome], by="command", reason=reason)
    made = judge(store, run, verdict, redactor=redactor_of(load_config().record))
    if as_json:
        said = verdict_of(made)
        print_json({"run": made.run, "outcome": outcome, "reason": said.reason, "set_by": said.by,
                    "set_ns": made.created_ns})  # fmt: skip
    else:
        click.echo(f"run {made.run}: {outcome}, set by command")


@command.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--format",
    "source_format",
    type=click.Choice(["auto", *FORMATS]),
    default="auto",
    show_default=True,
    help="Format of the files; auto recognises it by its structure.",
)
@json_option
@with_store
def import_runs(
    store: SqliteStore, files: tuple[Path, ...], source_format: str, *, as_json: bool
) -> None:
    """Import recorded runs: what `knitbone runs export` wrote, OTLP traces, and logs of others.

    All runs of a file are stored, or none and an error says what is wrong. Labels in the file are
    stored beside the runs. Secrets are removed, as when a run is recorded.
    """
    known = {row.id for row in store.list()}
    redactor = redactor_of(load_config().record)
    for path in files:
        items = import_file(path, source_format=source_format, redactor=redactor)
        _store_all(store, items, known, path)
        if items[-1].unsure:
            note = f"note: {path}: {items[-1].unsure}"
            console(stderr=True).print(printable(note, limit=500), style="dim")
        for item in items if as_json else ():
            print_json({"run": item.run.id, "file": str(path)})
        if not as_json:
            click.echo(f"{printable(str(path))}: {_runs(len(items))} imported")


def _store_all(
    store: SqliteStore, items: Sequence[ImportedRun], known: set[str], path: Path
) -> None:
    """Store all runs of a file, or none of them; ``known`` grows by theirs."""
    of_file: set[str] = set()
    for run_id in (item.run.id for item in items):
        if run_id in known:
            raise StoreError(
                f"{path}: the run {run_id} is already in the store; nothing was imported.",
                next_step=f"To store it anew: knitbone runs purge {run_id}"
                " (and the --store, where one was named).",
            )
        if run_id in of_file:
            raise StoreError(
                f"{path}: the run {run_id} stands in it twice; nothing was imported.",
                next_step="Remove one of the two.",
            )
        of_file.add(run_id)
    stored: list[str] = []
    try:
        for item in items:
            store.put(item.run)
            stored.append(item.run.id)
            for label in item.labels:
                store.annotate(label)
    except BaseException:
        for run_id in stored:
            with suppress(StoreError):  # the first error is the one to tell
                store.purge(run_id)
        raise
    known |= of_file


@command.command("export")
@click.argument("runs", nargs=-1)
@click.option(
    "--format",
    "target_format",
    type=click.Choice(["knitbone", "otlp"]),
    default="knitbone",
    show_default=True,
    help="otlp: OpenTelemetry GenAI spans as OTLP/JSON, one trace a line.",
)
@json_option
@with_store
def export_runs(
    store: SqliteStore, runs: tuple[str, ...], target_format: str, *, as_json: bool
) -> None:
    """Write RUNS (default: all) to standard output, one JSON object a line."""
    del as_json  # the export is JSON by nature
    found = _readable(store, runs)
    written = (
        lines(found, untimed_ns=now_ns(), resource=resource_attributes(os.environ))
        if target_format == "otlp"
        else _counted(found)
    )
    for line in written:
        sys.stdout.write(line.decode("utf-8"))


def _counted(runs: Iterator[Run]) -> Iterator[bytes]:
    """The lines of an export; the last run says how many there are."""
    held: Run | None = None
    number = 0
    failed: StoreError | None = None
    try:
        for run in runs:
            if held is not None:
                yield exported(held) + b"\n"
            held, number = run, number + 1
    except StoreError as error:  # of runs that cannot be read, said when the others are done
        failed = error
    if held is not None:
        yield exported(held, runs=number) + b"\n"
    if failed is not None:
        raise failed


def _readable(store: SqliteStore, runs: tuple[str, ...]) -> Iterator[Run]:
    """The runs, by default all; one that cannot be read is said when the others are done."""
    failed: list[StoreError] = []
    for run in runs or tuple(row.id for row in store.list()):
        try:
            yield store.get(run)
        except StoreError as error:
            failed.append(error)
    for error in failed[:-1]:
        click.echo(f"error: {printable(str(error), limit=1_000)}", err=True)
    if failed:
        raise failed[-1]


@command.command("send")
@click.argument("runs", nargs=-1)
@click.option("--all", "send_all", is_flag=True, help="Send every run of the store.")
@click.option(
    "--endpoint",
    metavar="URL",
    help="The collector, such as http://localhost:4318; default: OTEL_EXPORTER_OTLP_ENDPOINT.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    help="Seconds for one request, with what is tried again.",
)
@json_option
@with_store
def send_to_collector(
    store: SqliteStore,
    runs: tuple[str, ...],
    endpoint: str | None,
    timeout: float | None,
    *,
    send_all: bool,
    as_json: bool,
) -> None:
    """Send RUNS to an OpenTelemetry collector, as GenAI spans over OTLP/HTTP.

    Needs the extra otlp. Headers (keys), compression and certificates come from the environment
    variables of OpenTelemetry: OTEL_EXPORTER_OTLP_HEADERS and so on. A run that is sent twice has
    the same identifiers both times.
    """
    if bool(runs) == send_all:
        raise click.UsageError("Name the runs to send, or give --all.")
    url = endpoint_of(os.environ, endpoint)
    found = _readable(store, runs)
    resource = resource_attributes(os.environ)
    for sent in send_runs(found, url, untimed_ns=now_ns(), timeout_s=timeout, resource=resource):
        if as_json:
            print_json(sent)
        else:
            click.echo(f"{sent.run}: {sent.spans} spans sent to {printable(shown(url))}")


@command.command("check")
@click.argument("store", metavar="[STORE]", required=False)
@click.option(
    "--salvage", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write everything that can still be read into a new store.",
)  # fmt: skip
@json_option
def check_runs(store: str | None, salvage: Path | None, *, as_json: bool) -> None:
    """Say which runs of STORE (default: the configured one) are damaged, and how.

    The store itself is only read. Exit code 1 where anything is damaged.
    """
    path = Path(store or load_config().record.store)
    report = check_store(path)
    kept = None if salvage is None else salvage_store(path, salvage)
    if as_json:
        print_json({"damaged": report.damaged, "salvaged": kept, "report": report})
    else:
        for line in check_lines(report):
            console().print(printable(line, limit=1_000))
        if salvage is not None and kept is not None:
            click.echo(f"{_runs(kept)} written to {printable(str(salvage))}")
        elif report.damaged:
            click.echo(f"To keep the rest: knitbone runs check {shlex.quote(str(path))}"
                       " --salvage NEW.sqlite")  # fmt: skip
    if report.damaged:
        sys.exit(1)


@command.command("purge")
@click.argument("runs", nargs=-1, required=True)
@json_option
@with_store
def purge_runs(store: SqliteStore, runs: tuple[str, ...], *, as_json: bool) -> None:
    """Remove RUNS with their events and annotations, for good."""
    full = [store.find(run) for run in runs]
    for run in full:
        store.purge(run)
        if as_json:
            print_json({"purged": run})
    if not as_json:
        click.echo(f"{_runs(len(full))} purged")


def _runs(number: int) -> str:
    return "1 run" if number == 1 else f"{number:,} runs"
