"""``knitbone check``: what an application expects of its models' answers, read from its code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from knitbone.adaptation.analysis import Analysis, analyse_files
from knitbone.adaptation.findings import findings_of, why_not_adapted
from knitbone.adaptation.requirements import PositionalTemplate, Requirement, Unknown, describe
from knitbone.adaptation.sites import Site
from knitbone.cli.output import console, json_option, print_json
from knitbone.errors import TargetError
from knitbone.report.terminal import printable

__all__ = ["command"]

_SKIPPED = {"__pycache__", "node_modules", "site-packages", "build", "dist", "venv"}


@click.command("check")
@click.argument("targets", nargs=-1, required=True, metavar="PATH...")
@json_option
def command(targets: Sequence[str], *, as_json: bool) -> None:
    """Show what an application expects of its models' outputs.

    PATH is a file, a folder or a dotted module name. The code is read, never run. Every place
    where a model's answer reaches code that reads it is shown with the requirement, the line it
    was read from, and what happens when an answer does not fit.
    """
    files = [file for target in targets for file in _files_of(target)]
    asked = {str(file.resolve()) for file in files}
    analysis = analyse_files(files)
    sites = [site for site in analysis.sites if site.file in asked]
    if as_json:
        _print_records(sites, analysis, asked)
        return
    _print_report(sites, analysis, asked)


def _files_of(target: str) -> list[Path]:
    path = Path(target)
    if path.is_file():
        return [path]
    if path.is_dir():
        found = sorted(
            file
            for file in path.rglob("*.py")
            if not any(
                part in _SKIPPED or part.startswith(".")
                for part in file.relative_to(path).parts[:-1]
            )
        )
        if not found:
            raise TargetError(f"There is no Python file in {target!r}.")
        return found
    dotted = target.replace(".", "").isidentifier()
    for root in (Path(), Path("src")) if dotted else ():
        module = root.joinpath(*target.split("."))
        if module.with_suffix(".py").is_file():
            return [module.with_suffix(".py")]
        if (module / "__init__.py").is_file():
            return _files_of(str(module))
    raise TargetError(
        f"{target!r} is no file, folder or module below the current folder.",
        next_step="Name a .py file, a folder, or a module such as package.module.",
    )


def _print_records(sites: Sequence[Site], analysis: Analysis, asked: set[str]) -> None:
    for site in sites:
        print_json(
            {
                "kind": "site",
                "file": site.file,
                "line": site.line,
                "column": site.column + 1,
                "function": site.function,
                "expression": site.expression,
                "origin": site.origin,
                "confidence": site.confidence,
                "requirements": [_requirement_record(r) for r in site.requirements],
                "findings": [finding.text for finding in findings_of(site)],
                "not_adapted": why_not_adapted(site),
            }
        )
    for unread in analysis.unread:
        if unread.file in asked:
            print_json({"kind": "unread", **msgspec.structs.asdict(unread)})
    for entry in analysis.entries:
        if entry.file in asked:
            print_json({"kind": "entry", **msgspec.structs.asdict(entry)})
    for file, why in analysis.errors:
        print_json({"kind": "error", "file": file, "message": why})


def _requirement_record(requirement: Requirement) -> dict[str, Any]:
    record: dict[str, Any] = {
        "expects": describe(requirement),
        "evidence": requirement.evidence,
        "kind": "unknown" if isinstance(requirement, Unknown) else "positional",
    }
    if isinstance(requirement, PositionalTemplate):
        record |= {
            "confidence": requirement.confidence,
            "on_violation": requirement.on_violation,
            "template": requirement,
        }
    return record


def _print_report(sites: Sequence[Site], analysis: Analysis, asked: set[str]) -> None:
    screen = console()
    for site in sites:
        _print_site(screen, site)
    notes = [
        f"{_short(unread.file)}:{unread.line}  {printable(unread.origin, limit=80)}: "
        "no code that reads its answer was found"
        for unread in analysis.unread
        if unread.file in asked
    ]
    notes += [
        f"{_short(entry.file)}:{entry.line}  @knitbone.adapt on {entry.function}: "
        "reaches no answer with a known requirement"
        for entry in analysis.entries
        if entry.file in asked and not entry.sites
    ]
    for note in notes:
        screen.print(note, style="yellow")
    if notes:
        screen.print()
    for file, why in analysis.errors:
        screen.print(f"{_short(file)}  cannot be read: {printable(why)}", style="yellow")
    if analysis.errors:
        screen.print()
    requirements = [r for site in sites for r in site.requirements]
    known = sum(isinstance(r, PositionalTemplate) for r in requirements)
    findings = sum(len(findings_of(site)) for site in sites)
    screen.print(
        f"{_count(len(sites), 'site')}, {_count(known, 'requirement')}, "
        f"{len(requirements) - known} unknown, {_count(findings, 'finding')} "
        f"in {_count(len(asked), 'file')}.",
        style="bold",
    )
    if not analysis.complete:
        screen.print("The call graph is larger than the analysis follows; sites may be missing.")
    if not sites:
        screen.print(
            "No answer of a model reaches code that reads it. A function of your own that returns "
            "one is marked with @knitbone.source."
        )
    elif known and not any(entry.sites for entry in analysis.entries):
        screen.print("Next: put @knitbone.adapt on the function that starts the work.")


def _print_site(screen: Console, site: Site) -> None:
    screen.print(
        f"{_short(site.file)}:{site.line}  {printable(site.expression, limit=80)}"
        f" -> {printable(site.origin, limit=80)}",
        style="bold",
    )
    for requirement in site.requirements:
        evidence = requirement.evidence
        where = f"{_short(evidence.file)}:{evidence.line}"
        screen.print(f"  consumed at {where}  {printable(evidence.expression, limit=120)}")
        if isinstance(requirement, Unknown):
            screen.print(f"  expects     unknown: {printable(requirement.reason)}", style="yellow")
            continue
        confidence = f"[positional, {requirement.confidence}]"
        screen.print(f"  expects     {printable(describe(requirement)):<50}  {confidence}")
    for finding in findings_of(site):
        screen.print(f"  {finding.text:<66}  ! {finding.name}", style="red")
    if reason := why_not_adapted(site):
        screen.print(f"  not adapted at run time: {reason}", style="yellow")
    screen.print()


def _short(file: str) -> str:
    relative = os.path.relpath(file)
    return printable(file if relative.startswith("..") else relative, limit=200)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
