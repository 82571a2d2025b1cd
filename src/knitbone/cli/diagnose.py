"""``knitbone diagnose``: where a recorded run left the path, and why."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import msgspec

from knitbone.cli.output import console, fail, json_option, print_json, progress, wrote
from knitbone.cli.run_options import format_option
from knitbone.cli.streams import is_unread
from knitbone.common.printable import printable
from knitbone.config import Config, load_config
from knitbone.errors import KnitboneError, StoreError
from knitbone.models.chat import ChatModel
from knitbone.models.factory import SelfJudgingWarning, create_chat_model, warn_if_self_judging
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store import RunSummary
from knitbone.report.diagnosis import diagnosis_record, show_diagnosis, show_failures
from knitbone.report.wording import count
from knitbone.tethering.diagnosis.engine import (
    DiagnoseEvent,
    Examined,
    FileFailed,
    FileImported,
    FileSkipped,
    RunDiagnosed,
    diagnose_paths,
    diagnose_stored,
)
from knitbone.tethering.diagnosis.failures import FailureGroups
from knitbone.tethering.diagnosis.graph_exports import WRITERS, view_of, write

__all__ = ["command"]

MAX_PAGE_RUNS = 200
"""Runs in one HTML page: a browser opens it at once. ``--record`` chooses others."""


class _DiagnoseOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked to see."""

    limit: int | None
    show_all: bool
    groups: bool
    as_json: bool
    packet: bool
    graph: Path | None
    html: Path | None
    store: str | None
    exit_code: bool


@click.command("diagnose")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(allow_dash=True))
@format_option
@click.option(
    "--store",
    metavar="FILE",
    help="Take PATH... as run identifiers in this run store; without any, all of its runs.",
)
@click.option(
    "--record", "records", type=click.IntRange(min=0), multiple=True, metavar="N",
    help="Only this record of each file, counted from 0; may be given several times.",
)  # fmt: skip
@click.option(
    "--limit", type=click.IntRange(min=1), help="Show no more than this many runs (or groups)."
)
@click.option("--all", "show_all", is_flag=True, help="Show runs that succeeded, too.")
@click.option(
    "--groups", is_flag=True,
    help="Show one line for all runs that failed alike (kind, tool and error), the most first.",
)  # fmt: skip
@click.option(
    "--claim", is_flag=True,
    help="Claim a turning point also in runs whose outcome is unknown or good, where a fact"
    " proves it.",
)  # fmt: skip
@click.option("--no-model", is_flag=True, help="Use no analyst, whatever is configured.")
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write a page with every shown run, its graph and its steps.",
)  # fmt: skip
@click.option(
    "--graph", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help=f"Write the graph of the shown run; FILE ends in {', '.join(WRITERS)}. Of several runs"
    " each gets a file of its own, numbered before the suffix.",
)  # fmt: skip
@click.option("--packet", is_flag=True, help="With --json: add the evidence packet.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 when a run is known to have failed.")
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    paths: tuple[str, ...],
    source_format: str,
    store: str | None,
    records: tuple[int, ...],
    *,
    claim: bool,
    no_model: bool,
    limit: int | None,
    show_all: bool,
    groups: bool,
    html: Path | None,
    graph: Path | None,
    packet: bool,
    exit_code: bool,
    as_json: bool,
) -> None:
    """Find the step where recorded agent runs left the path.

    PATH is a file, a folder, a run store, the identifier of a recorded run, or - for standard
    input; without any, the newest recorded run, with --groups all of them. Steps are counted from
    0 in the file's own message list, or in the recorded run's events. With --json every run gives
    one object, a failed one or not.

    The steps are always ranked. A turning point is claimed where a fact on record proves it,
    and of runs known to have failed; --claim asks for one in the others, too.

    No model is needed. With one configured for the role analyst, it reads the evidence and its
    answer is checked against the run; otherwise the graph algorithm alone decides.

    Exit codes: 0 done; 1 a run failed, with --exit-code; 2 a file, an argument or the
    configuration cannot be used.
    """
    options = _DiagnoseOptions(
        limit=limit, show_all=show_all, groups=groups, as_json=as_json, packet=packet,
        graph=graph, html=html, store=store, exit_code=exit_code,
    )  # fmt: skip
    _refuse(options, of_files=bool(records) or source_format != "auto")
    config = load_config()
    if not paths and store is None:
        store, newest = config.record.store, _newest(config.record.store)
        paths = () if groups else (newest,)
        options = msgspec.structs.replace(options, store=store, show_all=True)
    report = _Report(options)
    failures: list[FileFailed] = []
    with _analyst(config, no_model=no_model) as analyst:
        events = _events(paths, store, source_format, records, config, analyst, claim=claim)
        for event in _watched(events, always=groups):
            if isinstance(event, FileFailed):
                failures.append(event)  # said at the end, where it is not overlooked
            else:
                report.take(event)
            if is_unread() and html is None and graph is None:
                break
    report.close()
    for failure in failures[:-1]:
        _report_failure(failure, as_json=as_json)
    if failures:
        fail(failures[-1].error, as_json=as_json)
    if exit_code and report.any_failed:
        sys.exit(1)


def _refuse(options: _DiagnoseOptions, *, of_files: bool) -> None:
    """Say which options do not go together.

    Args:
        of_files: an option was given that is for files alone.
    """
    graph, store = options.graph, options.store
    if graph is not None and graph.suffix.lower() not in WRITERS:
        raise click.BadParameter(
            f"{graph.name!r} ends in no graph format; known: {', '.join(WRITERS)}.",
            param_hint="--graph",
        )
    if options.groups and (options.html or graph or options.packet or options.show_all):
        raise click.UsageError("--groups shows no single run: leave out --html, --graph, --packet"
                               " and --all.")  # fmt: skip
    if options.packet and not options.as_json:
        raise click.UsageError("--packet adds to the JSON object of each run: give --json, too.")
    if store is not None and of_files:
        raise click.UsageError("--record and --format are for files; --store names runs.")
    if store is not None and not Path(store).is_file():
        raise StoreError(
            f"There is no run store at {store}.",
            next_step="Check --store; runs are listed with: knitbone runs list --store FILE",
        )


@contextmanager
def _analyst(config: Config, *, no_model: bool) -> Generator[ChatModel | None]:
    """The configured analyst; whoever judges itself is said so once, and in each diagnosis."""
    if no_model or not config.analyst.name:
        yield None
        return
    model = create_chat_model(config.analyst, "analyst")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SelfJudgingWarning)
        itself = warn_if_self_judging(config.agent, config.analyst, "analyst")
        if itself:
            note = f"note: the analyst {model.name} judges runs of its own model (role agent)"
            console(stderr=True).print(printable(note, limit=300), style="yellow")
        yield model


def _events(
    paths: tuple[str, ...],
    store: str | None,
    source_format: str,
    records: tuple[int, ...],
    config: Config,
    analyst: ChatModel | None,
    *,
    claim: bool,
) -> Iterator[DiagnoseEvent]:
    if store is not None:
        yield from _stored_events(store, paths, config, analyst, claim=claim)
        return
    for path in paths:
        if _is_identifier(path) and Path(config.record.store).is_file():
            yield from _stored_events(config.record.store, (path,), config, analyst, claim=claim)
        else:
            yield from diagnose_paths(
                (path,), source_format=source_format, config=config.tether, analyst=analyst,
                claim=claim, records=records or None,
            )  # fmt: skip


def _stored_events(
    store: str, runs: tuple[str, ...], config: Config, analyst: ChatModel | None, *, claim: bool
) -> Iterator[DiagnoseEvent]:
    opened = SqliteStore(store)
    try:
        yield from diagnose_stored(opened, runs, config=config.tether, analyst=analyst, claim=claim)
    finally:
        opened.close()


def _newest(store: str) -> str:
    """The run that was recorded last."""
    summaries: list[RunSummary] = []
    if Path(store).is_file():
        opened = SqliteStore(store)
        try:
            summaries = opened.list(limit=1)
        finally:
            opened.close()
    if not summaries:
        raise KnitboneError(
            f"No run is recorded in {store}, and no file is named.",
            next_step="Record one: knitbone run --record -- python agent.py; or name a file or"
            " folder of recorded runs, or - for standard input.",
        )
    return summaries[0].id


def _is_identifier(path: str) -> bool:
    """Whether a path names no file and may be the beginning of a run's identifier."""
    return len(path) >= 4 and set(path) <= set("0123456789abcdef-") and not Path(path).exists()


def _watched(events: Iterable[DiagnoseEvent], *, always: bool) -> Iterator[DiagnoseEvent]:
    """The events, with their count on a terminal's standard error while they come."""
    if sys.stdout.isatty() and not always:
        yield from events  # standard output itself shows the progress, run by run
        return
    with progress("diagnosing") as say:
        for number, event in enumerate(events, start=1):
            say(f"diagnosing: {number} runs and files")
            yield event


def _report_failure(failure: FileFailed, *, as_json: bool) -> None:
    try:
        fail(failure.error, as_json=as_json)
    except SystemExit:
        return  # the exit code comes with the last one


class _Report:
    """Consumes the engine's events: one block, or one JSON object, a run; and files beside."""

    def __init__(self, options: _DiagnoseOptions) -> None:
        self._options = options
        self._screen = console()
        self._counts: Counter[str] = Counter()
        self._shown = 0
        self._many = False
        self._page: list[Examined] = []
        self._graphs = 0
        self._groups = FailureGroups()

    @property
    def any_failed(self) -> bool:
        """Whether a run is known to have failed."""
        return self._counts["failed"] > 0

    def take(self, event: FileSkipped | FileImported | RunDiagnosed) -> None:
        match event:
            case FileSkipped():
                self._note(f"{event.path} passed over: {event.reason}")
            case FileImported():
                self._many = event.runs > 1
                if event.unsure:
                    self._note(f"{event.path}: {event.unsure}")
                options = self._options
                if event.runs > 1 and not (options.as_json or options.groups):
                    failed = f", {event.failed} failed" if event.failed is not None else ""
                    text = f"{event.path}: {event.format}, {event.runs} runs{failed}"
                    self._screen.print(printable(text, limit=500) + "\n", style="bold")
            case RunDiagnosed():
                self._run(event.examined)

    def _run(self, examined: Examined) -> None:
        options, diagnosis = self._options, examined.diagnosis
        self._counts[diagnosis.outcome] += 1
        if options.groups:
            self._groups.add(examined)
            return
        if options.limit is not None and self._shown >= options.limit:
            return
        if not (options.as_json or options.show_all or diagnosis.outcome != "succeeded"):
            return
        self._shown += 1
        if options.as_json:
            record = diagnosis_record(examined.case.run, diagnosis)
            print_json(record | ({"packet": examined.packet} if options.packet else {}))
        else:
            show_diagnosis(self._screen, examined, many=self._many)
        if options.html is not None and len(self._page) < MAX_PAGE_RUNS:
            self._page.append(examined)
        if options.graph is not None:
            self._graph(examined, options.graph)

    def _graph(self, examined: Examined, path: Path) -> None:
        """Write the graph; a second run moves on to numbered names, the first one's included."""
        self._graphs += 1
        if self._graphs == 1:
            _write_graph(examined, path)
            return
        if self._graphs == 2:
            path.rename(_numbered(path, 0))
        _write_graph(examined, _numbered(path, self._graphs - 1))

    def close(self) -> None:
        """The files, and the counts, once everything has been seen."""
        options = self._options
        if options.html is not None:
            self._write_page(options.html)
        if options.graph is not None and self._graphs:
            files = self._graphs
            first, last = _numbered(options.graph, 0), _numbered(options.graph, files - 1)
            named = str(options.graph) if files == 1 else f"{first} to {last.name}"
            wrote(Path(named))
        if options.groups and options.as_json:
            for group in self._groups.groups()[: options.limit]:
                print_json(group)
        if options.as_json or not self._counts:
            return
        kinds = ", ".join(f"{self._counts[k]} {k}" for k in ("failed", "succeeded", "unknown"))
        total = sum(self._counts.values())
        if options.groups:
            groups = self._groups
            show_failures(self._screen, groups.groups(), groups.runs, limit=options.limit)
            self._screen.print(f"{count(total, 'run')}: {kinds}", style="bold")
            return
        text = f"{count(total, 'run')}: {kinds}; {self._shown} shown"
        if options.limit is not None and self._shown == options.limit:
            text += f" (--limit {options.limit})"
        elif self._counts["succeeded"] and not options.show_all:
            text += " (--all shows the successful ones, too)"
        self._screen.print(text, style="bold")

    def _write_page(self, path: Path) -> None:
        # Loaded here: only a page needs the template engine.
        from knitbone.report.diagnosis_html import diagnosis_page  # noqa: PLC0415

        page = diagnosis_page(
            self._page, left_out=self._shown - len(self._page), store=self._options.store
        )
        try:
            path.write_text(page, encoding="utf-8", errors="replace")
        except OSError as error:
            raise KnitboneError(
                f"The page cannot be written to {path}: {error}.",
                next_step="Check the folder and its permissions.",
            ) from error
        wrote(path)

    def _note(self, text: str) -> None:
        console(stderr=True).print(printable(f"note: {text}", limit=500), style="dim")


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def _write_graph(examined: Examined, path: Path) -> None:
    case, diagnosis = examined.case, examined.diagnosis
    view = view_of(
        case.graph, run=case.run.id, task=case.run.task, turning_point=diagnosis.turning_point,
        region=diagnosis.region,
    )  # fmt: skip
    write(view, path)
