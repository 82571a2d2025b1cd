"""``knitbone runs``: the run store from the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime, timezone
from functools import wraps
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.table import Table

from knitbone.cli.output import console, json_option, print_json
from knitbone.config import load_config
from knitbone.core.events import (
    Adaptation,
    Event,
    Intervention,
    Message,
    ModelCall,
    Outcome,
    Retrieval,
    Run,
    ToolCall,
    encode_json,
)
from knitbone.core.store import SqliteStore
from knitbone.errors import InputFormatError, StoreError
from knitbone.report.terminal import printable

__all__ = ["command"]


@click.group("runs")
def command() -> None:
    """List, show, import, export and purge recorded runs."""


def _with_store(function: Callable[..., Any]) -> Callable[..., Any]:
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


@command.command("list")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@json_option
@_with_store
def list_runs(store: SqliteStore, limit: int, *, as_json: bool) -> None:
    """List the stored runs, newest first."""
    rows = store.list(limit=limit)
    if as_json:
        for row in rows:
            print_json(row)
        return
    if not rows:
        click.echo("No runs yet. Import some with: knitbone runs import FILE")
        return
    table = Table(box=None, pad_edge=False)
    for title in ("run", "started (UTC)", "events", "state", "name"):
        table.add_column(title, justify="right" if title == "events" else "left")
    for row in rows:
        table.add_row(
            row.id,
            _time(row.started_ns),
            str(row.events),
            "finished" if row.ended_ns is not None else "open",
            printable(row.name or row.task, limit=60),
        )
    console().print(table)


@command.command("show")
@click.argument("run")
@json_option
@_with_store
def show_run(store: SqliteStore, run: str, *, as_json: bool) -> None:
    """Show the run whose identifier starts with RUN."""
    found = store.get(run)
    annotations = store.annotations(found.id)
    if as_json:
        print_json({"run": found, "annotations": annotations})
        return
    screen = console()
    screen.print(f"run {found.id}   {_time(found.started_ns)}   {printable(found.name)}")
    if found.task:
        screen.print(f"asked   {printable(found.task, limit=300)}")
    for number, event in enumerate(found.events):
        screen.print(f"{number:>5}  {describe(event)}")
    for annotation in annotations:
        screen.print(f"{annotation.kind}   {printable(encode_json(annotation.body).decode())}")


@command.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@json_option
@_with_store
def import_runs(store: SqliteStore, files: tuple[Path, ...], *, as_json: bool) -> None:
    """Import runs that `knitbone runs export` wrote, one JSON object a line.

    All runs of a file are stored, or none and an error says which line is wrong.
    """
    for path in files:
        runs = list(_read_exported(path))
        for run in runs:
            store.put(run)
            if as_json:
                print_json({"run": run.id, "file": str(path)})
        if not as_json:
            click.echo(f"{printable(str(path))}: {len(runs)} runs imported")


@command.command("export")
@click.argument("runs", nargs=-1)
@json_option
@_with_store
def export_runs(store: SqliteStore, runs: tuple[str, ...], *, as_json: bool) -> None:
    """Write RUNS (default: all) to standard output, one JSON object a line."""
    del as_json  # the export is JSON by nature
    for run in runs or tuple(row.id for row in store.list()):
        sys.stdout.write(encode_json(store.get(run)).decode("utf-8") + "\n")


@command.command("purge")
@click.argument("runs", nargs=-1, required=True)
@json_option
@_with_store
def purge_runs(store: SqliteStore, runs: tuple[str, ...], *, as_json: bool) -> None:
    """Remove RUNS with their events and annotations, for good."""
    full = [store.get(run).id for run in runs]
    for run in full:
        store.purge(run)
        if as_json:
            print_json({"purged": run})
    if not as_json:
        click.echo(f"{len(full)} runs purged")


def describe(event: Event) -> str:
    """One line about an event, safe to print."""
    match event:
        case ModelCall():
            said = event.output.content if event.output else ""
            calls = ", ".join(call.name for call in event.output.tool_calls) if event.output else ""
            text = f"model   {event.model}  {said}" + (f"  -> {calls}" if calls else "")
        case ToolCall():
            outcome = (
                f"! {event.error.type}: {event.error.message}" if event.error else event.result
            )
            text = f"tool    {event.name}({_short(event.arguments)})  {_short(outcome)}"
        case Retrieval():
            text = f"search  {event.query}  {len(event.documents)} documents"
        case Message():
            text = f"{event.role:<7} {event.content}"
        case Adaptation():
            text = (
                f"adapt   {event.action} at {event.site}: {', '.join(event.rules) or event.reason}"
            )
        case Intervention():
            text = f"inject  {event.signal}: {event.content}"
        case Outcome():
            text = f"verdict success={event.success} reward={event.reward} {event.reason}"
    return printable(text, limit=160)


def _short(value: object) -> str:
    return value if isinstance(value, str) else encode_json(value).decode("utf-8")


def _time(ns: int) -> str:
    return datetime.fromtimestamp(ns / 1e9, tz=timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def _read_exported(path: Path) -> list[Run]:
    runs: list[Run] = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            runs.append(msgspec.json.decode(line, type=Run))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputFormatError(
                f"{path}, line {number} is not an exported run: {error}.",
                next_step="Nothing of this file was imported. For runs of other tools, see: "
                "knitbone diagnose --help",
            ) from error
    if not runs:
        raise InputFormatError(f"{path} holds no runs.", next_step="Was the export complete?")
    return runs
