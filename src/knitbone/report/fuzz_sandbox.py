"""The sandbox in words: what enforces it here, and which escapes it holds back."""

from __future__ import annotations

from collections.abc import Iterator

from knitbone.common.printable import printable
from knitbone.fuzzing.records import CampaignStarted
from knitbone.fuzzing.sandbox_report import SandboxReport
from knitbone.record.events import Json

__all__ = ["report_lines", "report_record", "sandbox_line", "unmade_lines"]


def sandbox_line(event: CampaignStarted) -> str:
    """What enforces the sandbox of a campaign, and what is not enforced."""
    line = f"sandbox   {', '.join(event.confinement)}"
    return f"{line}; not here: {'; '.join(event.missing)}" if event.missing else line


def unmade_lines(event: CampaignStarted) -> Iterator[str]:
    """What the tool's schema asks for and no argument is generated of."""
    for note in event.tool.unmade:
        yield f"  not generated  {printable(note, limit=200)}"


def report_lines(report: SandboxReport) -> Iterator[tuple[str, str]]:
    """The table of escapes, a line and its style each."""
    who = "root" if report.user == 0 else f"user {report.user}"
    yield f"As {who}, enforced by {', '.join(report.confinement)}", "bold"
    for missing in report.missing:
        yield f"  {missing}", "yellow"
    width = max(len(attempt.name) for attempt in report.attempts)
    for attempt in report.attempts:
        word, style = ("came through", "red") if attempt.came_through else ("held back", "")
        answer = printable(attempt.answer, limit=70)
        yield f"  {attempt.name:<{width}}  {word:<12}  {answer}", style
    through = sum(attempt.came_through for attempt in report.attempts)
    yield f"{len(report.attempts) - through} of {len(report.attempts)} held back", "bold"


def report_record(report: SandboxReport) -> dict[str, Json]:
    """The same for machines."""
    return {
        "user": report.user,
        "confinement": list(report.confinement),
        "missing": list(report.missing),
        "escapes": [
            {"name": each.name, "came_through": each.came_through, "answer": each.answer}
            for each in report.attempts
        ],
    }
