"""``knitbone run``: start a program with every model output adapted, without touching its
source."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from knitbone._version import __version__
from knitbone.adaptation.requirements.file import find_requirements, load_requirements
from knitbone.adaptation.runtime.instrument.child_process import end_like, run_child
from knitbone.adaptation.runtime.instrument.launch import environment_of
from knitbone.adaptation.runtime.instrument.program_report import ProgramReport, read_program_report
from knitbone.cli.output import console, json_option, wrote
from knitbone.cli.program import check_interpreter, own_units
from knitbone.common.printable import printable
from knitbone.config import AdaptConfig, is_disabled, load_config
from knitbone.errors import KnitboneError
from knitbone.record.events import encode_json
from knitbone.report.adaptation import observation_lines, short_place, site_line, why_nothing
from knitbone.tethering.capture.command import LaunchedRun, RecordedRun

__all__ = ["command"]


@click.command(
    "run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option(
    "--mode",
    type=click.Choice(["repair", "observe", "strict"]),
    help="Repair (default), only report, or raise an error in the program.",
)
@click.option(
    "--package",
    "packages",
    multiple=True,
    metavar="NAME",
    help="Adapt this package too, also an installed one. May be given several times.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write what was done at every site as JSON.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write what did not fit, before and after, as one HTML page.",
)
@click.option(
    "--record", is_flag=True, help="Record what the program asks models and tools as one run."
)
@click.option("--store", metavar="FILE", help="Record into this run store; implies --record.")
@json_option
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    program: tuple[str, ...],
    mode: str | None,
    packages: tuple[str, ...],
    report: Path | None,
    html: Path | None,
    store: str | None,
    *,
    record: bool,
    as_json: bool,
) -> None:
    """Run PROGRAM and adapt what models, retrievers and splitters return in it.

    \b
      knitbone run -- python app.py --option
      knitbone run --mode observe -- pytest -x
      knitbone run --package mypkg -- python -m mypkg
      knitbone run --record -- python agent.py

    The user's own files are instrumented as they are imported: what lies below the script's
    folder, or the packages of the current folder. Child processes are included. The program's
    output, input, signals and exit code stay its own; what was adapted is printed to standard
    error when it has ended: a line a site, then every kind of repair and refusal with its first
    answer. With --mode observe nothing is changed, and what would be is printed.
    """
    whole = load_config(adapt={"mode": mode} if mode else {})
    config = whole.adapt
    _check(program, config, (report, html))
    if is_disabled():
        end_like(run_child(program, os.environ))
    recording = None
    if record or store is not None:
        recording = LaunchedRun(store or whole.record.store, program, named=store is not None)
    with tempfile.TemporaryDirectory(prefix="knitbone-run-") as parts:
        settings = _settings(program, packages, config, parts)
        if recording is not None:
            settings |= recording.settings
        environment = environment_of(settings, dict(os.environ))
        if mode:
            # For functions of the program that are decorated.
            environment["KNITBONE_ADAPT_MODE"] = mode
        try:
            code = run_child(program, environment)
        except OSError as error:
            if recording is not None:
                recording.finish()
            raise KnitboneError(f"{program[0]!r} cannot be started: {error}.") from error
        outcome = read_program_report(Path(parts))
    recorded = recording.finish(exit_code=code) if recording is not None else None
    body = {
        "version": __version__,
        "command": program,
        "exit_code": code,
        "mode": config.mode,
        **msgspec.structs.asdict(outcome),
    }
    if recorded is not None:
        body["run"] = {"id": recorded.id, "store": recorded.store, "events": recorded.events}
    if report is not None:
        report.write_bytes(msgspec.json.format(encode_json(body)) + b"\n")
    if html is not None:
        from knitbone.report.adaptation_html import adaptation_page  # noqa: PLC0415 - jinja2

        html.write_text(adaptation_page(outcome, program, config.mode), encoding="utf-8")
    if as_json:
        click.echo(encode_json(body).decode("utf-8"), err=True)
    else:
        _print(outcome, config.mode, [file for file in (report, html) if file is not None])
        if recorded is not None:
            _print_run(recorded)
    end_like(code)


def _check(program: Sequence[str], config: AdaptConfig, written: Sequence[Path | None]) -> None:
    """Say now what could not be done when the program has ended, or by each of its processes.

    Raises:
        KnitboneError: a setting, the program or the requirements file cannot be used.
        UsageError: there is no program, or no folder for a report.
    """
    if config.without:
        from knitbone.adaptation.repair.scenarios import check_names  # noqa: PLC0415 - loads them all

        check_names(config.without)
    if program[0].startswith("-"):
        raise click.UsageError(f"There is no option {program[0]!r}; the program follows after --.")
    for file in written:
        if file is not None and not file.parent.is_dir():
            raise click.UsageError(f"There is no folder {str(file.parent)!r} for the report.")
    check_interpreter(program)
    if reviewed := find_requirements(Path.cwd()):
        load_requirements(reviewed)


def _settings(
    program: Sequence[str], packages: Sequence[str], config: AdaptConfig, parts: str
) -> dict[str, Any]:
    return {
        "units": own_units(program, Path.cwd()),
        "packages": list(packages),
        "adapt": msgspec.to_builtins(config),
        "parts": parts,
    }


def _print(outcome: ProgramReport, mode: str, reports: Sequence[Path]) -> None:
    screen = console(stderr=True)
    for counts in outcome.sites:
        screen.print(printable(site_line(counts), limit=1_000))
    for line in observation_lines(outcome):
        screen.print(line, soft_wrap=True)
    for name, reason in outcome.untouched.items():
        screen.print(
            f"untouched: {printable(short_place(name))}: {printable(reason)}", style="yellow"
        )
    for reason in outcome.missing:
        screen.print(f"not checked: {printable(reason)}", style="yellow")
    if why := why_nothing(outcome):
        screen.print(f"knitbone: {why}", soft_wrap=True)
    elif mode == "observe" and not outcome.observations:
        screen.print("knitbone: every answer that was read fits what the code reads")
    for file in reports:
        wrote(file)
    if not outcome.processes:
        return
    seconds = max((unit.seconds for unit in outcome.analysed), default=0.0)
    cached = all(unit.origin == "cache" for unit in outcome.analysed)
    screen.print(
        f"knitbone: {len(outcome.executed)} of {len(outcome.known)} known sites executed"
        f"{f' in {outcome.processes} processes' if outcome.processes > 1 else ''}; analysis "
        f"{seconds:.2f} s{' (cached)' if cached else ''}"
    )


def _print_run(run: RecordedRun) -> None:
    screen = console(stderr=True)
    if run.events == run.lost == 0:
        screen.print(
            "knitbone: nothing was recorded: the program called no model through a library that "
            "knitbone knows (openai, anthropic, litellm, langchain, mcp)."
        )
        return
    events = f"{run.events} event{'' if run.events == 1 else 's'}"
    lost = f", {run.lost:,} lost" if run.lost else ""
    place = f" --store {shlex.quote(run.store)}" if run.named else ""
    screen.print(
        printable(
            f"knitbone: {events} recorded{lost}: knitbone runs show {run.id}{place}",
            limit=1_000,
        ),
        soft_wrap=True,
    )
