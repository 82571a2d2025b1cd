"""``knitbone runs list``: which runs there are, and which of them fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import click
import msgspec
from rich.table import Table

from knitbone.cli.output import console, json_option, print_json
from knitbone.cli.runs_store import with_store
from knitbone.common.printable import printable
from knitbone.record.events import Outcome
from knitbone.record.identifiers import now_ns
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store import RunSummary
from knitbone.report.run_lines import given_by, time_text

__all__ = ["list_runs"]

_AGO = re.compile(r"(\d{1,6})\s*([mhdw])")
_NS = {"m": 60 * 10**9, "h": 3_600 * 10**9, "d": 86_400 * 10**9, "w": 7 * 86_400 * 10**9}


def _since(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """A time, or how long ago, as nanoseconds."""
    if value is None:
        return None
    if ago := _AGO.fullmatch(value.strip()):
        return now_ns() - int(ago[1]) * _NS[ago[2]]
    try:
        when = datetime.fromisoformat(value.strip())
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return int(when.timestamp()) * 10**9
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{value!r} is no time: give 30m, 2h, 3d or 1w ago, or 2026-11-23T08:00 (UTC).",
            ctx=ctx, param=param,
        ) from None  # fmt: skip


@click.command("list")
@click.option(
    "--search", metavar="TEXT",
    help="Runs whose task, name, tools, errors or verdict hold TEXT, whatever the case.",
)  # fmt: skip
@click.option(
    "--outcome", type=click.Choice(["failed", "succeeded", "unknown"]),
    help="Runs with this verdict; unknown: none, or one that decides nothing.",
)  # fmt: skip
@click.option("--failed", "outcome", flag_value="failed", help="The same as --outcome failed.")
@click.option(
    "--since", callback=_since, metavar="TIME",
    help="Runs that began since then: 30m, 2h, 3d or 1w ago, or 2026-11-23T08:00 (UTC).",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@json_option
@with_store
def list_runs(
    store: SqliteStore,
    search: str | None,
    outcome: str | None,
    since: int | None,
    limit: int,
    *,
    as_json: bool,
) -> None:
    """List the stored runs, newest first, by their task.

    With --json one object a run; how many are left out is said on standard error.
    """
    chosen = search is not None or outcome is not None or since is not None
    rows = store.list(limit=None if chosen else limit)
    total = len(rows) if chosen else len(store.ids())
    left_out: Counter[str] = Counter()
    found = rows
    if since is not None:
        found = _kept(found, "--since", left_out, lambda row: row.started_ns >= since)
    if outcome is not None:
        found = _kept(found, "--outcome", left_out, lambda row: _outcome(row) == outcome)
    if search is not None:
        holding = store.search(search)
        found = _kept(found, "--search", left_out, lambda row: row.id in holding)
    shown = found[:limit]
    beyond = total - sum(left_out.values()) - len(shown)
    left_out |= Counter({"--limit": beyond} if beyond > 0 else {})
    for row in shown if as_json else ():
        print_json(msgspec.structs.asdict(row) | {"title": _title(store, row)})
    if shown and not as_json:
        console().print(_table(store, shown))
    elif not rows and not as_json:
        click.echo("No runs yet. Import some with: knitbone runs import FILE")
    if left_out or (chosen and rows):
        click.echo(_counted(len(shown), total, left_out), err=as_json)


def _kept(
    rows: Sequence[RunSummary],
    name: str,
    left_out: Counter[str],
    fits: Callable[[RunSummary], bool],
) -> list[RunSummary]:
    """Those that fit; how many do not is noted under the option's name."""
    kept = [row for row in rows if fits(row)]
    if len(kept) < len(rows):
        left_out[name] = len(rows) - len(kept)
    return kept


def _counted(shown: int, total: int, left_out: Counter[str]) -> str:
    parts = ", ".join(f"{number:,} by {name}" for name, number in left_out.items())
    text = f"{shown:,} of {total:,} run{'' if total == 1 else 's'} shown"
    return text + (f"; left out: {parts}" if parts else "")


def _table(store: SqliteStore, rows: Sequence[RunSummary]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("run", "started (UTC)", "events", "state", "outcome", "task or name"):
        table.add_column(title, justify="right" if title == "events" else "left")
    for row in rows:
        table.add_row(
            row.id,
            time_text(row.started_ns),
            str(row.events),
            _state(row),
            _verdict(row.outcome),
            printable(_title(store, row), limit=60),
        )
    return table


def _title(store: SqliteStore, row: RunSummary) -> str:
    """What was asked of the agent; where nobody said, the first words of a user, else the name."""
    return row.task or ("" if row.damage else store.asked(row.id)) or row.name


def _outcome(row: RunSummary) -> str:
    """The verdict in one word, as a diagnosis has it."""
    if row.outcome is None or row.outcome.success is None:
        return "unknown"
    return "succeeded" if row.outcome.success else "failed"


def _state(row: RunSummary) -> str:
    if row.damage:
        return f"damaged: {printable(row.damage)}"
    state = "finished" if row.ended_ns is not None else "open"
    return f"{state}, {row.lost:,} events lost" if row.lost else state


def _verdict(outcome: Outcome | None) -> str:
    """One word, and who gave it later."""
    if outcome is None:
        return ""
    if outcome.success is None:
        return "unknown"
    return ("succeeded" if outcome.success else "failed") + given_by(outcome)
