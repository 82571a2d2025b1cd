"""Failures of many runs in lines, one a group."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from knitbone.common.printable import printable
from knitbone.tethering.diagnosis.failures import FailureGroup

__all__ = ["show_failures"]


def show_failures(
    screen: Console, groups: Sequence[FailureGroup], runs: int, *, limit: int | None
) -> None:
    """Print the groups, the largest first.

    Args:
        runs: that were grouped.
        limit: groups shown at most.
    """
    shown = groups[:limit]
    if not shown:
        screen.print("No run is known to have failed, and nothing is claimed of one.")
        return
    ways = "one way" if len(groups) == 1 else f"{len(groups):,} ways"
    said = "1 run" if runs == 1 else f"{runs:,} runs"
    screen.print(Text(f"{said} failed, in {ways}", "bold"))
    table = Table(box=None, pad_edge=False)
    for title in ("runs", "share", "what", "tool", "error", "example"):
        right = title in ("runs", "share")
        table.add_column(title, justify="right" if right else "left", overflow="fold")
    for group in shown:
        table.add_row(
            f"{group.count:,}",
            f"{group.share:.0%}",
            printable(group.kind, limit=60),
            printable(group.tool or "", limit=40),
            printable(group.error, limit=90),
            _example(group),
        )
    screen.print(table)
    if len(groups) > len(shown):
        left = sum(group.count for group in groups[len(shown) :])
        screen.print(f"… and {len(groups) - len(shown):,} more groups with {left:,} runs")


def _example(group: FailureGroup) -> str:
    """What to give to ``knitbone diagnose`` to see it."""
    step = "" if group.step is None else f" step {group.step}"
    if group.path is None:
        return group.run + step
    name = printable(Path(group.path).name, limit=60)
    record = "" if group.record is None else f" --record {group.record}"
    return f"{name}{record}{step}"
