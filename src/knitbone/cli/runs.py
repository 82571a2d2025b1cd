"""``knitbone runs``: the run store from the command line."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.table import Table

from knitbone.cli.output import console, json_option, print_json
from knitbone.cli.run_options import format_option
from knitbone.common.printable import printable
from knitbone.config import load_config
from knitbone.errors import InputFormatError, StoreError
from knitbone.record.events import Outcome, Run, encode_json
from knitbone.record.identifiers import now_ns
from knitbone.record.recorder import redactor_of
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store import RunSummary
from knitbone.record.store_check import check_store, salvage_store
from knitbone.record.verdicts import LaterOutcome, judge, verdict_of
from knitbone.report.comparison import comparison_record, show_comparison
from knitbone.report.run_lines import check_lines, given_by, lost_line, run_lines, time_text, totals
from knitbone.tethering.comparison import compare
from knitbone.tethering.interchange.exporters.otlp import lines, resource_attributes
from knitbone.tethering.interchange.exporters.send import endpoint_of, send_runs, shown
from knitbone.tethering.interchange.importers import import_file
from knitbone.tethering.interchange.importers.exported import exported
from knitbone.tethering.interchange.importers.imported_run import ImportedRun

__all__ = ["command", "list_runs", "with_store"]


# Which run a command is asked to read: of a store, or of a file.

_SQLITE = b"SQLite format 3\x00"
_NAMED = 5
"""Runs of a file that an error names."""


def run_named(name: str, store: str) -> Run:
    """The run that ``name`` says: the beginning of an identifier in ``store``; a file or a run
    store with one run; ``FILE#N``, its run number N from 0; ``FILE#ID``, the one whose identifier
    begins so.

    Raises:
        KnitboneError: there is no such run, or several.
    """
    path, _, part = name.partition("#")
    if Path(name).is_file():
        path, part = name, ""
    if not _is_file(path):
        if not Path(store).exists():
            raise StoreError(
                f"{name!r} is no file, and there is no run store at {store}.",
                next_step="Name a file of recorded runs, or the store with --store.",
            )
        with closing(SqliteStore(store)) as opened:
            return opened.get(name)
    if _is_store(Path(path)):
        with closing(SqliteStore(path)) as opened:
            rows = opened.list(limit=2)
            return opened.get(part or (rows[0].id if len(rows) == 1 else ""))
    return _only(path, part, import_file(path))


def _is_file(path: str) -> bool:
    try:
        return path == "-" or Path(path).is_file()
    except (OSError, ValueError):
        return False


def _is_store(path: Path) -> bool:
    if str(path) == "-":
        return False
    try:
        with path.open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False  # importing it says what is wrong with it


def _only(path: str, part: str, items: list[ImportedRun]) -> Run:
    if part.isdecimal() and int(part) < len(items):
        return items[int(part)].run
    found = [item.run for item in items if item.run.id.startswith(part)]
    if len(found) == 1:
        return found[0]
    ids = ", ".join(item.run.id for item in items[:_NAMED])
    more = f" and {len(items) - _NAMED:,} more" if len(items) > _NAMED else ""
    what = f"{len(items):,} runs" if not part else f"no one run {part!r} among {len(items):,}"
    raise InputFormatError(
        f"{path} holds {what}: {ids}{more}.",
        next_step=f"Name one by its number, counted from 0, or its identifier: {path}#0",
    )


# ``knitbone runs compare``: two recorded runs side by side.


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--store", metavar="FILE", help="The run store; default: the configured.")
@json_option
def compare_runs(a: str, b: str, store: str | None, *, as_json: bool) -> None:
    """Say where run A and run B part, and what came of it.

    A and B are beginnings of identifiers, files with one run, or FILE#N (run number N of the file,
    counted from 0) or FILE#ID. Steps are aligned by tool and arguments; identifiers and clocks
    that each run draws anew do not count, nor the words in which an agent speaks.
    """
    path = store or load_config().record.store
    found = compare(run_named(a, path), run_named(b, path))
    if as_json:
        print_json(comparison_record(found))
    else:
        show_comparison(console(), found)


# The run store that a command opens.


def with_store(function: Callable[..., Any]) -> Callable[..., Any]:
    """Open the store that ``--store`` or the configuration names, and close it afterwards.

    A store that is not there is empty; only an import makes it.
    """

    @wraps(function)
    def opened(*args: Any, store: str | None, **kwargs: Any) -> Any:
        path = store or load_config().record.store
        if "files" not in kwargs and not Path(path).exists():
            if named := kwargs.get("run") or kwargs.get("runs"):
                raise StoreError(
                    f"There is no run store at {path}, and so no run {named!r}.",
                    next_step="Import runs with: knitbone runs import FILE",
                )
            path = ":memory:"
        made = SqliteStore(path)
        try:
            return function(made, *args, **kwargs)
        finally:
            made.close()

    return click.option("--store", metavar="FILE", help="The run store; default: the configured.")(
        opened
    )


# ``knitbone runs list``: which runs there are, and which of them fit.

_AGO = re.compile(r"(\d{1,6})\s*([mhdw])")
_NS = {"m": 60 * 10**9, "h": 3_600 * 10**9, "d": 86_400 * 10**9, "w": 7 * 86_400 * 10**9}


def _since(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """A time, or how long ago, as nanoseconds."""
    if value is None:
        return None
    if ago := _AGO.fullmatch(value.strip()):
        return now_ns() - int(ago[1]) * _NS[ago[2]]
    try:
        when = datetime.fromisoformat(value.strip())
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return int(when.timestamp()) * 10**9
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{value!r} is no time: give 30m, 2h, 3d or 1w ago, or 2026-11-23T08:00 (UTC).",
            ctx=ctx, param=param,
        ) from None  # fmt: skip


@click.command("list")
@click.option(
    "--search", metavar="TEXT",
    help="Runs whose task, name, tools, errors or verdict hold TEXT, whatever the case.",
)  # fmt: skip
@click.option(
    "--outcome", type=click.Choice(["failed", "succeeded", "unknown"]),
    help="Runs with this verdict; unknown: none, or one that decides nothing.",
)  # fmt: skip
@click.option("--failed", "outcome", flag_value="failed", help="The same as --outcome failed.")
@click.option(
    "--since", callback=_since, metavar="TIME",
    help="Runs that began since then: 30m, 2h, 3d or 1w ago, or 2026-11-23T08:00 (UTC).",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@json_option
@with_store
def list_runs(
    store: SqliteStore,
    search: str | None,
    outcome: str | None,
    since: int | None,
    limit: int,
    *,
    as_json: bool,
) -> None:
    """List the stored runs, newest first, by their task.

    With --json one object a run; how many are left out is said on standard error.
    """
    chosen = search is not None or outcome is not None or since is not None
    rows = store.list(limit=None if chosen else limit)
    total = len(rows) if chosen else len(store.ids())
    left_out: Counter[str] = Counter()
    found = rows
    if since is not None:
        found = _kept(found, "--since", left_out, lambda row: row.started_ns >= since)
    if outcome is not None:
        found = _kept(found, "--outcome", left_out, lambda row: _outcome(row) == outcome)
    if search is not None:
        holding = store.search(search)
        found = _kept(found, "--search", left_out, lambda row: row.id in holding)
    shown = found[:limit]
    beyond = total - sum(left_out.values()) - len(shown)
    left_out |= Counter({"--limit": beyond} if beyond > 0 else {})
    for row in shown if as_json else ():
        print_json(msgspec.structs.asdict(row) | {"title": _title(store, row)})
    if shown and not as_json:
        console().print(_table(store, shown))
    elif not rows and not as_json:
        click.echo("No runs yet. Import some with: knitbone runs import FILE")
    if left_out or (chosen and rows):
        click.echo(_counted(len(shown), total, left_out), err=as_json)


def _kept(
    rows: Sequence[RunSummary],
    name: str,
    left_out: Counter[str],
    fits: Callable[[RunSummary], bool],
) -> list[RunSummary]:
    """Those that fit; how many do not is noted under the option's name."""
    kept = [row for row in rows if fits(row)]
    if len(kept) < len(rows):
        left_out[name] = len(rows) - len(kept)
    return kept


def _counted(shown: int, total: int, left_out: Counter[str]) -> str:
    parts = ", ".join(f"{number:,} by {name}" for name, number in left_out.items())
    text = f"{shown:,} of {total:,} run{'' if total == 1 else 's'} shown"
    return text + (f"; left out: {parts}" if parts else "")


def _table(store: SqliteStore, rows: Sequence[RunSummary]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("run", "started (UTC)", "events", "state", "outcome", "task or name"):
        table.add_column(title, justify="right" if title == "events" else "left")
    for row in rows:
        table.add_row(
            row.id,
            time_text(row.started_ns),
            str(row.events),
            _state(row),
            _verdict(row.outcome),
            printable(_title(store, row), limit=60),
        )
    return table


def _title(store: SqliteStore, row: RunSummary) -> str:
    """What was asked of the agent; where nobody said, the first words of a user, else the name."""
    return row.task or ("" if row.damage else store.asked(row.id)) or row.name


def _outcome(row: RunSummary) -> str:
    """The verdict in one word, as a diagnosis has it."""
    if row.outcome is None or row.outcome.success is None:
        return "unknown"
    return "succeeded" if row.outcome.success else "failed"


def _state(row: RunSummary) -> str:
    if row.damage:
        return f"damaged: {printable(row.damage)}"
    state = "finished" if row.ended_ns is not None else "open"
    return f"{state}, {row.lost:,} events lost" if row.lost else state


def _verdict(outcome: Outcome | None) -> str:
    """One word, and who gave it later."""
    if outcome is None:
        return ""
    if outcome.success is None:
        return "unknown"
    return ("succeeded" if outcome.success else "failed") + given_by(outcome)


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
@format_option
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
        else _counted_lines(found)
    )
    for line in written:
        sys.stdout.write(line.decode("utf-8"))


def _counted_lines(runs: Iterator[Run]) -> Iterator[bytes]:
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
