"""What ``knitbone fuzz`` says of its sandbox: before a campaign, and with ``--sandbox-report``."""

from __future__ import annotations

import sys

from knitbone.cli.output import console
from knitbone.fuzzing.records import CampaignStarted
from knitbone.fuzzing.sandbox.wire import to_text
from knitbone.fuzzing.sandbox_report import report_sandbox
from knitbone.report.fuzz_sandbox import report_lines, report_record, sandbox_line, unmade_lines

__all__ = ["say_start", "show_sandbox_report"]


def say_start(event: CampaignStarted, *, is_first: bool) -> None:
    """What is known before the first call: the sandbox, once, and what cannot be generated."""
    screen = console()
    if is_first:
        screen.print(sandbox_line(event), style="dim", soft_wrap=True, markup=False)
    for line in unmade_lines(event):
        screen.print(line, style="yellow", soft_wrap=True, markup=False)


def show_sandbox_report(*, as_json: bool) -> None:
    """Try every escape, and show what held."""
    report = report_sandbox()
    if as_json:
        sys.stdout.write(to_text(report_record(report)) + "\n")
        return
    screen = console()
    for line, style in report_lines(report):
        screen.print(line, style=style or None, soft_wrap=True, markup=False)
