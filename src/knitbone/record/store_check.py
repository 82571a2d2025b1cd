"""What of a run store is as it was written, and a new store of what can still be read.

Nothing is written into the store that is looked at. Its rows are read from its pages, one by one,
so that a page which cannot be read costs only what stands on it; SQLite is asked what is wrong with
the trees above them.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import msgspec

from knitbone.common.printable import printable
from knitbone.errors import StoreError
from knitbone.record.events import LOST_EVENTS, LOST_REASON
from knitbone.record.paged_rows import PagedRows
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.stored_run import Damage, RunReading, read_run, told

__all__ = ["CheckedRun", "StoreReport", "check_store", "salvage_store"]

_SHOWN = 10
"""Problems of the file itself that are told; there may be one for each page."""


class CheckedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a store that was checked."""

    id: str
    name: str
    task: str
    events: int
    """Events that can be read."""
    finished: bool
    """Whether its end was recorded; where it was not, more events may be missing than anyone can
    tell."""
    lost: int = 0
    """Events that could not be stored when they happened."""
    lost_reason: str = ""
    damage: tuple[Damage, ...] = ()
    restored: tuple[Damage, ...] = ()
    """What is damaged and was read from a copy."""


class StoreReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in a store."""

    store: str
    problems: tuple[str, ...] = ()
    """Of the file itself: pages and trees, as SQLite words them."""
    runs: tuple[CheckedRun, ...] = ()

    @property
    def damaged(self) -> bool:
        """Whether anything is not as it was written."""
        return bool(self.problems) or any(run.damage or run.restored for run in self.runs)


def check_store(path: Path) -> StoreReport:
    """Look at every row of a store.

    Raises:
        StoreError: there is no such file, it cannot be read, or it is no run store.
    """
    rows = _rows(path)
    problems = _problems(path)
    if rows.broken_frame:
        text = (
            f"frame {rows.broken_frame} of its write-ahead log is damaged: SQLite takes nothing"
            " from there on"
        )
        problems.insert(0, text)
    runs = tuple(_checked(each) for each in _readings(rows))
    problems += [
        f"message {number}, which runs share, is not what was written in one of its two places"
        for number in sorted(rows.messages.spoiled)
    ]
    problems += [
        f"what is remembered of {printable(note.task)} ({printable(note.name)}) is not what was"
        " written"
        for note in rows.notes()
        if note.damaged
    ]
    return StoreReport(store=str(path), problems=tuple(problems[:_SHOWN]), runs=runs)


def salvage_store(path: Path, into: Path) -> int:
    """Write everything of a store that can be read into a new one; the number of its runs.

    A run of which something is missing says so in its attributes (``DAMAGE``, ``LOST_EVENTS``).

    Raises:
        StoreError: the store cannot be read, or the new one cannot be written or is there already.
    """
    if into.exists():
        raise StoreError(
            f"There is a file {into} already; nothing was written.",
            next_step="Name a new file after --salvage.",
        )
    rows = _rows(path)
    count = 0
    store = SqliteStore(into)
    try:
        for reading in _readings(rows):
            store.put(told(reading))
            for annotation in reading.annotations:
                store.annotate(annotation)
            count += 1
        for note in rows.notes():
            if not note.damaged:
                body = {note.name: note.body}
                store.change_notes(note.task, lambda _, body=body: body, updated_ns=note.updated_ns)
    finally:
        store.close()
    return count


def _rows(path: Path) -> PagedRows:
    try:
        rows = PagedRows(path)
    except OSError as error:
        raise StoreError(
            f"The run store {path} cannot be read: {error.strerror or error}.",
            next_step="Check the path and its permissions.",
        ) from error
    if not rows.ids and not _is_sqlite(path):
        raise StoreError(
            f"{path} is no run store: it is no SQLite file, and no row of one stands in it.",
            next_step="Name the store: knitbone runs check FILE",
        )
    return rows


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(16)
    return not head or head == b"SQLite format 3\0"


def _readings(rows: PagedRows) -> Iterator[RunReading]:
    for run_id in rows.ids:
        yield read_run(rows.stored_run(run_id), rows.messages)


def _checked(reading: RunReading) -> CheckedRun:
    run = reading.run
    lost = run.attributes.get(LOST_EVENTS)
    return CheckedRun(
        id=run.id, name=run.name, task=run.task, events=len(run.events),
        finished=run.ended_ns is not None, lost=lost if isinstance(lost, int) else 0,
        lost_reason=str(run.attributes.get(LOST_REASON, "")),
        damage=reading.damage, restored=reading.restored,
    )  # fmt: skip


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _problems(path: Path) -> list[str]:
    """What SQLite finds wrong with the file, which it reads and does not write."""
    name = f"file:{quote(os.path.abspath(path))}?mode=ro"  # noqa: PTH100 - a link stays one
    try:
        with closing(sqlite3.connect(name, uri=True, timeout=1)) as connection:
            connection.text_factory = _text
            found = connection.execute(f"PRAGMA integrity_check({_SHOWN})").fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:  # its own words may hold what it read
        return [f"SQLite cannot read it: {error}"]
    lines = [line for (text,) in found for line in str(text).split("\n")]
    return [printable(line) for line in lines if line != "ok" and "***" not in line]
