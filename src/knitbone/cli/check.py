"""``knitbone check``: what an application expects of its models' answers, read from its code."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from knitbone.adaptation.analysis import Analysis, analyse_files
from knitbone.adaptation.reading import ALL_SCENARIOS
from knitbone.adaptation.repair.plan import why_unenforced
from knitbone.adaptation.requirements import findings as baselines
from knitbone.adaptation.requirements.file import (
    FILE_NAME,
    RequirementsFile,
    find_requirements,
    load_requirements,
    save_requirements,
)
from knitbone.adaptation.requirements.findings import SEVERITIES, Review, accept, review
from knitbone.adaptation.requirements.merge import (
    RequirementChange,
    diff_requirements,
    merge_requirements,
)
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.instrument.reasons import why_untouched
from knitbone.cli.output import console, json_option, print_json, wrote
from knitbone.common.ownership import python_files
from knitbone.common.printable import printable
from knitbone.config import AdaptConfig, load_config
from knitbone.errors import InputFormatError, TargetError
from knitbone.record.events import encode_json
from knitbone.report.check_rules import RULES
from knitbone.report.requirements import (
    Line,
    change_lines,
    first_lines,
    note_lines,
    short,
    site_lines,
    summary,
)
from knitbone.report.requirements_json import change_record, note_record, relative, site_records
from knitbone.report.sarif import sarif_log
from knitbone.report.wording import count

__all__ = ["command", "files_of"]


# Which source files a command is asked to read, and the project that they belong to.


def project_root(start: Path) -> Path:
    """The nearest folder with a pyproject.toml or .git, from ``start`` upwards; without one the
    current folder where it holds ``start``, else ``start``."""
    for folder in (start, *start.parents):
        if (folder / "pyproject.toml").is_file() or (folder / ".git").exists():
            return folder
    here = Path.cwd().resolve()
    return here if start.is_relative_to(here) else start


def files_of(target: str) -> list[Path]:
    """The Python files of a file, folder or dotted module name.

    Raises:
        TargetError: there are none.
    """
    path = Path(target)
    if path.is_file():
        return [path]
    if path.is_dir():
        found = sorted(python_files(path))
        if not found:
            raise TargetError(f"There is no Python file in {target!r}.")
        return found
    dotted = target.replace(".", "").isidentifier()
    for root in (Path(), Path("src")) if dotted else ():
        module = root.joinpath(*target.split("."))
        if module.with_suffix(".py").is_file():
            return [module.with_suffix(".py")]
        if (module / "__init__.py").is_file():
            return files_of(str(module))
    raise TargetError(
        f"{target!r} is no file, folder or module below the current folder.",
        next_step="Name a .py file, a folder, or a module such as package.module.",
    )


class _Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of the command looks at."""

    targets: tuple[str, ...]
    root: Path
    path: Path
    """Where the requirements file is, or would be."""
    file: RequirementsFile | None
    analysis: Analysis
    sites: tuple[Site, ...]
    asked: frozenset[str]
    as_json: bool
    settings: AdaptConfig

    @property
    def read(self) -> frozenset[str]:
        """The files that were asked for and could be read."""
        return self.asked - {file for file, _ in self.analysis.errors}


@click.command("check")
@click.argument("targets", nargs=-1, required=True, metavar="PATH...")
@click.option("--write", is_flag=True, help="Write the requirements file, or bring it up to date.")
@click.option("--diff", is_flag=True, help="Compare code and requirements file; drift exits 1.")
@click.option(
    "--requirements",
    "requirements_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=f"The requirements file; default: {FILE_NAME} in the project's root.",
)
@click.option(
    "--baseline",
    "baseline_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=f"Accepted findings; default: {baselines.FILE_NAME} in the root, where it exists.",
)
@click.option("--write-baseline", is_flag=True, help="Accept all findings that there are now.")
@click.option(
    "--strict-suppressions",
    is_flag=True,
    help="Exit 1 if a comment or a baseline entry silences nothing.",
)
@click.option(
    "--fail-on",
    type=click.Choice(SEVERITIES),
    help="Exit 1 if a finding of this severity or above is left.",
)
@click.option(
    "--sarif",
    "sarif_path",
    is_flag=False,
    flag_value="-",
    metavar="[FILE]",
    help="Write SARIF 2.1.0, to standard output where no FILE is given.",
)
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Write a page with every place, what it expects and what looks wrong.",
)  # fmt: skip
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    targets: tuple[str, ...],
    *,
    write: bool,
    diff: bool,
    requirements_path: Path | None,
    baseline_path: Path | None,
    write_baseline: bool,
    strict_suppressions: bool,
    fail_on: str | None,
    sarif_path: str | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Show what an application expects of its models' outputs.

    PATH is a file, a folder or a dotted module name. The code is read, never run. Every place
    where a model's answer becomes available is shown with what the code behind it expects, the
    line it was read from, and what looks wrong.

    Exit codes: 0, whatever was found; 1 with --diff on drift, with --fail-on if such findings
    are left, with --strict-suppressions if something silences nothing; 2 on errors,
    and where no file could be read.
    """
    tasks = sum([write, diff, write_baseline])
    _refuse_mixed(tasks, [html, sarif_path, fail_on], both=as_json and sarif_path == "-")
    checked = _check(targets, requirements_path, as_json=as_json)
    if tasks and not checked.read:
        _refuse_unread(checked)
    if diff or write:
        changes = _drift(checked) if checked.file or diff else None
        _print_changes(checked, changes)
        if write:
            _write(checked)
        if diff and changes:
            sys.exit(1)
        return
    if write_baseline:
        _write_baseline(checked, baseline_path)
        return
    reviewed = _review(checked, baseline_path)
    if sarif_path is not None:
        _write_sarif(sarif_path, reviewed)
    if html is not None:
        _write_page(html, checked, reviewed)
    if as_json:
        _print_records(checked, reviewed)
    elif sarif_path != "-":
        _print_report(checked, reviewed)
    if not checked.read:
        sys.exit(2)
    if _fails(reviewed, fail_on) or (
        strict_suppressions and any(note.kind != "stale-site" for note in reviewed.notes)
    ):
        sys.exit(1)


def _refuse_mixed(tasks: int, reports: Sequence[object], *, both: bool) -> None:
    """Refuse options that exclude each other.

    Args:
        tasks: how many of those that write or compare are given.
        reports: those that tell of findings; ``None`` where they are not given.
        both: whether JSON and SARIF go to standard output.
    """
    if tasks > 1:
        raise click.UsageError("--write, --diff and --write-baseline exclude each other.")
    if tasks and any(report is not None for report in reports):
        raise click.UsageError(
            "--html, --sarif and --fail-on tell of findings: give them without --write, --diff and "
            "--write-baseline."
        )
    if both:
        raise click.UsageError("--json and --sarif both go to standard output: --sarif=FILE.")


def _refuse_unread(checked: _Checked) -> None:
    """End where no file could be read: what would be written would be empty."""
    if checked.as_json:
        _print_errors_as_records(checked)
    else:
        _print_lines(_error_lines(checked))
    sys.exit(2)


def _review(checked: _Checked, baseline_path: Path | None, *, anew: bool = False) -> Review:
    """Review the findings: the file that was named, else the root's, where it exists,
    says which are accepted; with ``anew`` none is."""
    path = baseline_path or checked.root / baselines.FILE_NAME
    use = not anew and (baseline_path is not None or path.is_file())
    return review(
        checked.sites,
        root=checked.root,
        read=checked.read,
        known=RULES,
        file=checked.file,
        baseline=baselines.load_baseline(path) if use else (),
        config=checked.settings,
    )


def _write_baseline(checked: _Checked, baseline_path: Path | None) -> None:
    path = baseline_path or checked.root / baselines.FILE_NAME
    accepted = accept(_review(checked, path, anew=True))
    baselines.save_baseline(path, accepted)
    console().print(f"Wrote {short(str(path))}: {count(len(accepted), 'finding')}.")


def _fails(reviewed: Review, fail_on: str | None) -> bool:
    """Whether a finding of this severity or above is left."""
    levels = SEVERITIES[SEVERITIES.index(fail_on) :] if fail_on is not None else ()
    return any(judged.finding.severity in levels for judged in reviewed.remaining)


def _check(targets: tuple[str, ...], requirements: Path | None, *, as_json: bool) -> _Checked:
    files = [file for target in targets for file in files_of(target)]
    asked = frozenset(str(file.resolve()) for file in files)
    start = Path(os.path.commonpath([str(Path(file).parent) for file in asked]))
    root = project_root(start)
    path = requirements or find_requirements(start) or root / FILE_NAME
    settings = load_config(directory=root).adapt
    # What is only declared site by site is read everywhere, so that the file can say it.
    named = ALL_SCENARIOS & frozenset(settings.scenario)
    scenario = ALL_SCENARIOS if "declared" in settings.scenario else named
    analysis = analyse_files(files, scenario=scenario)
    return _Checked(
        targets=targets,
        root=root,
        path=path,
        file=load_requirements(path) if path.is_file() else None,
        analysis=analysis,
        sites=tuple(site for site in analysis.sites if site.file in asked),
        asked=asked,
        as_json=as_json,
        settings=settings,
    )


def _drift(checked: _Checked) -> list[RequirementChange]:
    if checked.file is None:
        raise InputFormatError(
            f"There is no requirements file to compare with: {checked.path}.",
            next_step=f"Write it: knitbone check {shlex.join(checked.targets)} --write",
        )
    return diff_requirements(checked.sites, checked.file, read=checked.read)


def _print_changes(checked: _Checked, changes: Sequence[RequirementChange] | None) -> None:
    if checked.as_json:
        for change in changes or ():
            print_json(change_record(change, checked.root))
        _print_errors_as_records(checked)
        return
    _print_lines(change_lines(changes or ()))
    _print_lines(_error_lines(checked))
    if changes is not None:
        text = f"{count(len(changes), 'difference')} between {short(str(checked.path))} and code."
        console().print(text, style="bold")
        if changes:
            console().print(
                "+ only in the code   - only in the file   ! edited, and the code changed"
            )


def _write(checked: _Checked) -> None:
    merged = merge_requirements(checked.sites, checked.file, checked.path, read=checked.read)
    save_requirements(merged)
    entries = [entry for site in merged.sites for entry in site.entries]
    kept = sum(entry.is_kept for entry in entries)
    stale = sum(site.stale for site in merged.sites)
    if checked.as_json:
        print_json(
            {
                "kind": "written",
                "file": str(checked.path),
                "sites": len(merged.sites),
                "entries": len(entries),
                "kept": kept,
                "stale": stale,
            }
        )
        return
    console().print(
        f"Wrote {short(str(checked.path))}: {count(len(merged.sites), 'site')}, "
        f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
        + (f", {kept} kept as a person left them" if kept else "")
        + (f", {stale} stale" if stale else "")
        + ".",
        style="bold",
    )
    console().print(
        "Next: review and commit it; in CI: "
        f"knitbone check {printable(shlex.join(checked.targets))} --diff"
    )


def _write_sarif(path: str, reviewed: Review) -> None:
    data = encode_json(sarif_log(reviewed))
    if path == "-":
        sys.stdout.write(data.decode("utf-8") + "\n")
        return
    if Path(path).is_dir() or path.endswith(".py"):
        raise click.UsageError(f"--sarif would write to {path!r}. Name a file: --sarif=FILE.")
    _write_file(Path(path), data + b"\n")


def _write_page(path: Path, checked: _Checked, reviewed: Review) -> None:
    # Loaded here: only a page needs the template engine.
    from knitbone.report.requirements_html import check_page  # noqa: PLC0415

    says, todo = _next_step(checked, reviewed)
    page = check_page(
        reviewed,
        _not_adapted(reviewed),
        _unenforced(checked, reviewed),
        files=len(checked.asked),
        notes=_note_lines(checked, reviewed),
        next_step=says,
        command=todo,
    )
    _write_file(path, page.encode("utf-8", "replace"))


def _write_file(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputFormatError(
            f"{path} cannot be written: {error}.", next_step="Name another file."
        ) from error
    wrote(path)


def _not_adapted(reviewed: Review) -> dict[str, str]:
    """Why sites cannot be instrumented, as far as their source tells."""
    sources: dict[str, str] = {}
    found: dict[str, str] = {}
    for each in reviewed.sites:
        file = each.site.file
        if file not in sources:
            sources[file] = Path(file).read_text(encoding="utf-8", errors="replace")
        if reason := why_untouched(each.site, sources[file]):
            found[each.id] = reason
    return found


def _unenforced(checked: _Checked, reviewed: Review) -> dict[str, tuple[str, ...]]:
    """By site, why nothing enforces its requirements."""
    return {each.id: why_unenforced(each.site, checked.settings) for each in reviewed.sites}


def _print_records(checked: _Checked, reviewed: Review) -> None:
    unenforced = _unenforced(checked, reviewed)
    for record in site_records(reviewed, _not_adapted(reviewed), unenforced):
        print_json(record)
    for entry in checked.analysis.entries:
        if entry.file in checked.asked:
            place = relative(entry.file, checked.root)
            print_json({"kind": "entry", **msgspec.structs.asdict(entry), "file": place})
    for note in reviewed.notes:
        print_json(note_record(note, checked.root))
    _print_errors_as_records(checked)
    totals: dict[str, Any] = {
        "kind": "summary",
        "root": str(checked.root),
        "requirements_file": str(checked.path) if checked.file else None,
        "sites": len(reviewed.sites),
        "findings": len(reviewed.remaining),
        "complete": checked.analysis.complete,
    }
    print_json(totals)


def _print_errors_as_records(checked: _Checked) -> None:
    for file, why in checked.analysis.errors:
        place = relative(file, checked.root)
        print_json({"kind": "error", "file": place, "message": why})


def _print_report(checked: _Checked, reviewed: Review) -> None:
    unenforced = _unenforced(checked, reviewed)
    _print_lines(site_lines(reviewed, _not_adapted(reviewed), unenforced))
    _print_lines(first_lines(reviewed))
    notes = _note_lines(checked, reviewed)
    _print_lines([*notes, ("", "")] if notes else [])
    screen = console()
    screen.print(summary(reviewed, len(checked.asked), unenforced), style="bold")
    if not checked.analysis.complete:
        screen.print("The call graph is larger than the analysis follows; sites may be missing.")
    says, todo = _next_step(checked, reviewed)
    screen.print(f"{says}: {todo}" if todo else says)


def _note_lines(checked: _Checked, reviewed: Review) -> list[Line]:
    entries = [entry for entry in checked.analysis.entries if entry.file in checked.asked]
    notes: list[Line] = [
        (
            f"{short(entry.file)}:{entry.line}  @knitbone.adapt on "
            f"{printable(entry.function)}: reaches no answer with a known requirement",
            "yellow",
        )
        for entry in entries
        if not entry.sites
    ]
    return [*notes, *note_lines(reviewed.notes), *_error_lines(checked)]


def _next_step(checked: _Checked, reviewed: Review) -> tuple[str, str]:
    """What to do now, and the command that does it, if one does."""
    if not reviewed.sites:
        return (
            "No call of a model, retriever or splitter was found. A function of your own that "
            "returns an answer is marked with @knitbone.source."
        ), ""
    if checked.file is None:
        targets = printable(shlex.join(checked.targets), limit=2_000)
        return "Write the requirements for review", f"knitbone check {targets} --write"
    if not any(entry.sites for entry in checked.analysis.entries):
        return (
            "Next: put @knitbone.adapt on the function that starts the work, or: knitbone run",
            "",
        )
    return f"Requirements as reviewed in {short(str(checked.path))}.", ""


def _error_lines(checked: _Checked) -> list[Line]:
    return [
        (f"{short(file)}  cannot be read: {printable(why)}", "yellow")
        for file, why in checked.analysis.errors
    ]


def _print_lines(lines: Iterable[Line]) -> None:
    screen = console()
    for text, style in lines:
        screen.print(text, style=style or None)
