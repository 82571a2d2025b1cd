"""What ``fuzz`` and ``fuzz-docs`` do with findings besides showing them: baselines, reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from knitbone.cli.output import console, wrote
from knitbone.common.printable import printable
from knitbone.errors import InputFormatError
from knitbone.fuzzing import baseline as baselines
from knitbone.fuzzing.records import Campaign, json_text
from knitbone.report.fuzz_junit import junit_xml
from knitbone.report.fuzz_sarif import fuzz_sarif_log

__all__ = ["BaselineFile", "FinishedCampaign", "ReportFiles", "report_options"]

_FILE = click.Path(dir_okay=False, path_type=Path)
_OPTIONS = (
    click.option(
        "--baseline",
        type=_FILE,
        metavar="FILE",
        help="Accepted findings; a finding that is not among them ends with exit code 1.",
    ),
    click.option(
        "--update-baseline", is_flag=True, help="Accept what is found: write it to --baseline."
    ),
    click.option("--sarif", type=_FILE, metavar="FILE", help="Write SARIF 2.1.0."),
    click.option("--junit", type=_FILE, metavar="FILE", help="Write JUnit XML."),
    click.option("--html", type=_FILE, metavar="FILE", help="Write a report of one HTML file."),
)


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options ``baseline``, ``update_baseline``, ``sarif``, ``junit``, ``html``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class FinishedCampaign(msgspec.Struct, frozen=True, kw_only=True):
    """One campaign, with what a baseline knows of it marked."""

    campaign: Campaign
    seconds: float


class ReportFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The files that were asked for."""

    command: str
    """Whose reports these are: ``knitbone fuzz``."""
    sarif: Path | None
    junit: Path | None
    html: Path | None

    def write(self, done: Sequence[FinishedCampaign], *, page: Callable[[], str]) -> None:
        """Write them.

        Args:
            page: makes the HTML report.

        Raises:
            InputFormatError: one cannot be written.
        """
        campaigns = [each.campaign for each in done]
        made: list[tuple[Path | None, Callable[[], str]]] = [
            (self.sarif, lambda: json_text(self._sarif(campaigns)) + "\n"),
            (self.junit, lambda: self._junit(done)),
            (self.html, page),
        ]
        for path, make in made:
            if path is None:
                continue
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(make(), encoding="utf-8", errors="replace")
            except OSError as error:
                raise InputFormatError(
                    f"{path} cannot be written: {error}.", next_step="Name another file."
                ) from error
            wrote(path)

    def _sarif(self, campaigns: Sequence[Campaign]) -> dict[str, Any]:
        return fuzz_sarif_log(campaigns, root=Path.cwd(), command=self.command)

    def _junit(self, done: Sequence[FinishedCampaign]) -> str:
        timed = [(each.campaign, each.seconds) for each in done]
        return junit_xml(timed, command=self.command)


class BaselineFile:
    """The findings that a team has accepted, before and after a command.

    Args:
        path: ``None``: no baseline is used.
        search: what the command searches: entries of the other one stay as they are.

    Raises:
        InputFormatError: the file cannot be read.
    """

    def __init__(self, path: Path | None, search: baselines.Search) -> None:
        self._path = path
        self._search: baselines.Search = search
        is_there = path is not None and path.exists()
        self._accepted = baselines.load_baseline(path) if path is not None and is_there else ()
        self._is_there = is_there

    def marked(self, campaign: Campaign) -> Campaign:
        """The campaign with its accepted findings marked."""
        return baselines.mark_known(campaign, self._accepted)

    def settle(self, campaigns: Sequence[Campaign], *, update: bool, as_json: bool) -> None:
        """Write the baseline where asked to; else say what it names that did not occur.

        Raises:
            InputFormatError: it cannot be written.
        """
        if self._path is None:
            return
        screen = console(stderr=as_json)
        if update:
            entries = baselines.updated(campaigns, self._accepted, search=self._search)
            baselines.save_baseline(self._path, entries)
            shown = printable(str(self._path))
            screen.print(f"Wrote {shown}: {len(entries)} accepted findings")
            return
        for line in self._notes(campaigns):
            screen.print(line, style="dim")

    def _notes(self, campaigns: Sequence[Campaign]) -> list[str]:
        if not self._is_there:
            shown = printable(str(self._path))
            return [
                f"{shown} does not exist yet, so every finding is new; accept these: "
                "--update-baseline"
            ]
        notes: list[str] = []
        if moved := baselines.reclassified(campaigns, self._accepted):
            notes.append(
                f"{len(moved)} of the baseline's findings do not count any more: refused on "
                "purpose, announced, ignored or not run; --update-baseline leaves them out"
            )
        if gone := baselines.stale(campaigns, self._accepted, search=self._search):
            notes.append(
                f"{len(gone)} findings of the baseline did not occur; where they are mended: "
                "--update-baseline"
            )
        return notes
