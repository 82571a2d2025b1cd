"""What of a run store is as it was written, and a new store of what can still be read.

Nothing is written into the store that is looked at. SQLite says what is wrong with its pages
(``PRAGMA integrity_check``); checksums say what is wrong with its rows.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import msgspec

from knitbone.common.printable import printable
from knitbone.errors import StoreError
from knitbone.record.events import LOST_EVENTS, LOST_REASON
from knitbone.record.memory_rows import MemoryRow, notes
from knitbone.record.run_queries import known_ids, messages_of, spoiled_messages, stored_run
from knitbone.record.sqlite_schema import require_store
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store_errors import is_damage, unusable_store
from knitbone.record.stored_run import Damage, RunReading, read_run, told

__all__ = ["StoreReport", "check_store", "salvage_store"]

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
        StoreError: there is no such file, SQLite cannot read it, or it is no run store.
    """
    with _opened(path) as connection:
        problems = _problems(connection)
        runs = tuple(_checked(each) for each in _readings(connection))
        problems += [
            f"message {number}, which runs share, is not what was written in one of its two places"
            for number in spoiled_messages(connection)
        ]
        kept, unread = _notes(connection)
        problems += [
            f"what is remembered of {printable(note.task)} ({printable(note.name)}) is not what was"
            " written"
            for note in kept
            if note.damaged
        ]
        problems += [unread] if unread else []
    return StoreReport(store=str(path), problems=tuple(problems[:_SHOWN]), runs=runs)


def salvage_store(path: Path, into: Path) -> int:
    """Write everything that SQLite can read of a store into a new one; the number of its runs.

    A run of which something is missing says so in its attributes (``DAMAGE``, ``LOST_EVENTS``).

    Raises:
        StoreError: the store cannot be read, or the new one cannot be written or is there already.
    """
    if into.exists():
        raise StoreError(
            f"There is a file {into} already; nothing was written.",
            next_step="Name a new file after --salvage.",
        )
    count = 0
    with _opened(path) as connection, closing(SqliteStore(into)) as store:
        for reading in _readings(connection):
            store.put(told(reading))
            for annotation in reading.annotations:
                store.annotate(annotation)
            count += 1
        for note in _notes(connection)[0]:
            if not note.damaged:
                body = {note.name: note.body}
                store.change_notes(note.task, lambda _, body=body: body, updated_ns=note.updated_ns)
    return count


@contextmanager
def _opened(path: Path) -> Generator[sqlite3.Connection]:
    """A store that is only read."""
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError as error:
        raise StoreError(
            f"The run store {path} cannot be read: {error.strerror or error}.",
            next_step="Check the path and its permissions.",
        ) from error
    name = f"file:{quote(os.path.abspath(path))}?mode=ro"  # noqa: PTH100 - a link stays one
    try:
        with closing(sqlite3.connect(name, uri=True, timeout=1)) as connection:
            require_store(str(path), connection)
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if not is_damage(error):
            raise unusable_store(str(path), error) from error
        known = head == b"SQLite format 3\0"
        raise StoreError(
            f"Nothing of {path} can be read: {printable(str(error))}."
            + ("" if known else " It does not begin as an SQLite file does."),
            next_step="Name the store (knitbone runs check FILE), or take it from a copy."
            " SQLite's own shell may find rows: sqlite3 FILE .recover",
        ) from error


def _readings(connection: sqlite3.Connection) -> Iterator[RunReading]:
    for run_id in sorted(known_ids(connection)):
        stored = stored_run(connection, run_id)
        yield read_run(stored, messages_of(connection, stored))


def _notes(connection: sqlite3.Connection) -> tuple[list[MemoryRow], str]:
    """What is remembered of tasks, and why it cannot be read."""
    try:
        return notes(connection), ""
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [], f"what is remembered of tasks cannot be read: {printable(str(error))}"


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


def _problems(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with the file."""
    try:
        connection.text_factory = _text  # its own words may hold what it read
        found = connection.execute(f"PRAGMA integrity_check({_SHOWN})").fetchall()
    except sqlite3.Error as error:
        return [f"SQLite cannot check it: {printable(str(error))}"]
    finally:
        connection.text_factory = str
    lines = [line for (text,) in found for line in str(text).split("\n")]
    return [printable(line) for line in lines if line != "ok" and "***" not in line]
