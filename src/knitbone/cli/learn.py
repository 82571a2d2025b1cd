"""``knitbone learn``: start a program and learn what its code does with its models' outputs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from knitbone._version import __version__
from knitbone.adaptation.analysis import Analysis, analyse_files
from knitbone.adaptation.learning.comparison import LearnedRequirement, LearnedSite, compare, count
from knitbone.adaptation.learning.conditions import SOMETIMES
from knitbone.adaptation.learning.file_merge import merge_learned
from knitbone.adaptation.learning.observations import read_parts
from knitbone.adaptation.learning.observed_trees import merge_parts
from knitbone.adaptation.requirements.descriptions import describe
from knitbone.adaptation.requirements.file import (
    FILE_NAME,
    find_requirements,
    kind_of,
    load_requirements,
    save_requirements,
)
from knitbone.adaptation.requirements.records import Requirement
from knitbone.adaptation.runtime.instrument.child_process import end_like, run_child
from knitbone.adaptation.runtime.instrument.launch import environment_of
from knitbone.adaptation.runtime.instrument.program_report import read_program_report
from knitbone.cli.output import console, json_option
from knitbone.cli.program import check_interpreter, own_units
from knitbone.common.ownership import python_files
from knitbone.common.printable import printable
from knitbone.config import is_disabled
from knitbone.errors import KnitboneError
from knitbone.record.events import encode_json

__all__ = ["command"]


@click.command(
    "learn", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)
@click.option(
    "--write/--no-write",
    default=True,
    help=f"Merge what was learned into {FILE_NAME} (default), or only show it.",
)
@click.option(
    "--package",
    "packages",
    multiple=True,
    metavar="NAME",
    help="Learn in this package too, also an installed one. May be given several times.",
)
@json_option
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    program: tuple[str, ...], packages: tuple[str, ...], *, write: bool, as_json: bool
) -> None:
    """Run PROGRAM and learn what its code does with what models return.

    \b
      knitbone learn -- python app.py --option
      knitbone learn -- pytest -x
      knitbone learn --no-write -- python -m mypkg

    Outputs travel as texts that record what is done with them, and in which state of the program.
    What the analysis of the code cannot see is added to the requirements file; nothing is
    repaired. The program's output, input, signals and exit code stay its own; what was learned is
    printed to standard error when it has ended.
    """
    check_interpreter(program)
    if is_disabled():
        end_like(run_child(program, os.environ))
    units = own_units(program, Path.cwd())
    with tempfile.TemporaryDirectory(prefix="knitbone-learn-") as folder:
        code, packaged = _run(program, packages, units, Path(folder))
        observed = merge_parts(read_parts(Path(folder, "learned")))
    files = [file for unit in units for path in unit for file in _files_of(Path(path))]
    analysis = analyse_files([*files, *packaged])
    learned = compare(analysis.sites, observed)
    path = _write(analysis, learned) if write and learned else None
    if as_json:
        body = _record(program, code, learned, path)
        click.echo(encode_json(body).decode("utf-8"), err=True)
    else:
        _print(learned, path)
    end_like(code)


def _run(
    program: Sequence[str], packages: Sequence[str], units: list[list[str]], folder: Path
) -> tuple[int, list[Path]]:
    """Run the program; its exit code, and the files of the packages that were named."""
    Path(folder, "learned").mkdir()
    settings: dict[str, Any] = {
        "units": units,
        "packages": list(packages),
        # Observed, not repaired: what the code does with the outputs as they are.
        "adapt": {"mode": "observe"},
        "parts": str(folder),
        "learn": str(folder / "learned"),
    }
    environment = environment_of(settings, dict(os.environ))
    environment["KNITBONE_ADAPT_MODE"] = "observe"
    try:
        code = run_child(program, environment)
    except OSError as error:
        raise KnitboneError(f"{program[0]!r} cannot be started: {error}.") from error
    outcome = read_program_report(folder)
    analysed = {unit.unit for unit in outcome.analysed}
    named = [Path(u) for u in sorted(analysed) if packages and Path(u).name in packages]
    return code, [file for path in named for file in _files_of(path)]


def _files_of(path: Path) -> list[Path]:
    return list(python_files(path)) if path.is_dir() else [path]


def _write(analysis: Analysis, learned: Sequence[LearnedSite]) -> Path:
    """Merge into the project's file, or a new one in the current folder."""
    path = find_requirements(Path.cwd()) or Path.cwd() / FILE_NAME
    file = load_requirements(path) if path.exists() else None
    read = {site.file for site in analysis.sites}
    made = merge_learned(analysis.sites, learned, file, path, read=read)
    if made != file:
        save_requirements(made)
    return path


def _record(
    program: Sequence[str], code: int, learned: Sequence[LearnedSite], path: Path | None
) -> dict[str, Any]:
    def said(requirement: Requirement) -> dict[str, Any]:
        return {
            "kind": kind_of(requirement),
            "expects": describe(requirement),
            "evidence": requirement.evidence,
        }

    def one(found: LearnedRequirement) -> dict[str, Any]:
        return {
            **said(found.requirement),
            "when": found.when,
            "observed": msgspec.structs.asdict(found.seen),
        }

    return {
        "version": __version__,
        "command": program,
        "exit_code": code,
        "file": str(path) if path else None,
        "sites": [
            {
                "site": site.site.location,
                "function": site.site.function,
                "expression": site.site.expression,
                "answers": site.answers,
                "new": [one(found) for found in site.new],
                "agreed": [one(found) for found in site.agreed],
                "unseen": [said(requirement) for requirement in site.unseen],
                "unread": [{"reason": u.reason, "evidence": u.evidence} for u in site.unread],
            }
            for site in learned
        ],
        "counts": count(learned),
    }


def _print(learned: Sequence[LearnedSite], path: Path | None) -> None:
    screen = console(stderr=True)
    if not learned:
        screen.print(
            "knitbone: no site brought an answer; knitbone check shows the sites that are known"
        )
        return
    for site in learned:
        where = f"{_short(site.site.file)}:{site.site.line}"
        screen.print(
            f"{where}  {printable(site.site.expression, limit=80)}   "
            f"{site.answers} answer{'' if site.answers == 1 else 's'}",
            style="bold",
        )
        for found in site.new:
            _print_one("new", found.requirement, found)
        for found in site.agreed:
            _print_one("agrees", found.requirement, found)
        for requirement in site.unseen:
            _print_one("not seen", requirement, None)
        for unread in site.unread:
            at = f"{_short(unread.evidence.file)}:{unread.evidence.line}"
            screen.print(f"  unread    {at}  {printable(unread.reason)}", style="dim")
        screen.print()
    numbers = count(learned)
    screen.print(
        f"knitbone: {numbers['new']} learned, {numbers['agreed']} agree with the analysis, "
        f"{numbers['unseen']} not seen; {numbers['conditional']} hold in some states only"
        f"{f'; written to {_short(str(path))}' if path else ''}"
    )


def _print_one(label: str, requirement: Requirement, found: LearnedRequirement | None) -> None:
    screen = console(stderr=True)
    evidence = requirement.evidence
    counted = f"   [{found.seen.answers} of {found.seen.of}]" if found else ""
    screen.print(
        f"  {label:<9} {printable(describe(requirement), limit=160)}{counted}",
        style={"new": "green", "not seen": "yellow"}.get(label),
    )
    screen.print(
        f"            {_short(evidence.file)}:{evidence.line}  "
        f"{printable(evidence.expression, limit=120)}"
    )
    if found and found.when:
        known = found.when != SOMETIMES
        when = f"when {found.when}" if known else "sometimes; no single condition tells when"
        screen.print(f"            {printable(when)}", style="cyan")


def _short(file: str) -> str:
    relative = os.path.relpath(file) if Path(file).is_absolute() else file
    return file if relative.startswith("..") else relative
