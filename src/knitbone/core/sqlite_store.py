"""The embedded run store, an SQLite file.

Every event is its own transaction in write-ahead-log mode: once ``append`` returns, the event
survives ``kill -9`` of the process. What a power failure loses is the newest events, never the
file (``synchronous = NORMAL``). A finished run is immutable; a run can be purged.

Each message is stored once (:mod:`knitbone.core.event_rows`).
"""

from __future__ import annotations

import sqlite3
import struct
from collections import ChainMap
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import msgspec

from knitbone._forks import new_rlock, unforked
from knitbone.core.event_rows import (
    EventRow,
    MessageHashes,
    decode_message,
    event_of,
    message_columns,
)
from knitbone.core.events import Annotation, ChatMessage, Event, Outcome, Run, encode_json
from knitbone.core.private_files import private_file
from knitbone.core.store import RunSummary
from knitbone.errors import RunFinishedError, StoreBusyError, StoreError

__all__ = ["SqliteStore"]


_MIGRATIONS = (
    """
    CREATE TABLE run (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        task TEXT NOT NULL,
        started_ns INTEGER NOT NULL,
        ended_ns INTEGER,
        header BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX run_started ON run (started_ns);
    CREATE TABLE event (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        sequence INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (run, sequence)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE annotation (
        id TEXT PRIMARY KEY,
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        created_ns INTEGER NOT NULL,
        body BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX annotation_run ON annotation (run, created_ns);
    """,
    # Model calls written before this version keep their messages in their body.
    """
    CREATE TABLE message (
        id INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE,
        body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE mention (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        message INTEGER NOT NULL,
        PRIMARY KEY (run, message)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE event ADD COLUMN input BLOB;
    ALTER TABLE event ADD COLUMN output INTEGER;
    """,
)
"""One script for each schema version; a store is brought up to the newest when opened."""

_OUTCOME_START = b'{"kind":"outcome"'
"""How the JSON of a verdict begins; the tag of a record is written first."""


def _outcome_of(body: bytes | None) -> Outcome | None:
    """The verdict in an event's JSON, where it can be read."""
    try:
        return None if body is None else msgspec.json.decode(body, type=Outcome)
    except msgspec.MsgspecError:
        return None


def _is_busy(error: Exception) -> bool:
    # Python names SQLite's error codes from version 3.11 on.
    return isinstance(error, sqlite3.OperationalError) and "lock" in str(error)


_BRIEF_S = 1.0
"""Seconds of patience up to which a fork waits for a statement (ours)."""
CHECKPOINT_PAGES = 4_000
"""Pages of the write-ahead log (16 MB) after which it is copied into the file, which is the one
time that a commit waits for the disk; SQLite's own 1,000 makes that four times as often (ours)."""


class SqliteStore:
    """Runs in one SQLite file; safe for threads, and for several processes at once.

    Args:
        path: the file; its folder is made when missing. ``":memory:"`` keeps it in memory.
        patience_s: seconds to wait while another process writes.

    Raises:
        StoreError: the file is not a store of ours, or was written by a newer knitbone.
    """

    def __init__(self, path: str | Path, *, patience_s: float = 30.0) -> None:
        self._path = str(path)
        self._lock = new_rlock()
        # SQLite has locks of its own; but no fork shall wait as long as a patient store does.
        self._native = unforked if patience_s <= _BRIEF_S else nullcontext()
        self._hashes = MessageHashes()
        self._mentioned: dict[str, dict[bytes, int]] = {}
        """By unfinished run: the messages that are known to be stored for it, by hash."""
        try:
            if self._path != ":memory:":
                private_file(Path(path))  # the files beside it take its mode
            self._connection = sqlite3.connect(
                self._path, isolation_level=None, check_same_thread=False, timeout=patience_s
            )
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
            self._migrate()
        except sqlite3.Error as error:
            self._connection.close()
            raise self._unusable(error) from error
        except BaseException:
            self._connection.close()
            raise
        self._absolute = Path(path).absolute()  # the application may go to another folder
        self._file = self._file_now()

    def begin(self, run: Run) -> None:
        header = encode_json(msgspec.structs.replace(run, events=()))
        with self._transaction() as connection:
            try:
                connection.execute(
                    "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?)",
                    (run.id, run.name, run.task, run.started_ns, run.ended_ns, header),
                )
            except sqlite3.IntegrityError as error:
                raise StoreError(
                    f"The run {run.id} is already in {self._path}.",
                    next_step="Purge it first if it should be stored anew.",
                ) from error
            mentioned: dict[bytes, int] = {}
            hashes = MessageHashes()
            for number, event in enumerate(run.events):
                row = hashes.row(event)
                mentioned |= self._keep_messages(connection, run.id, row, mentioned)
                connection.execute(
                    "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
                    (run.id, number, row.body, *message_columns(row, mentioned)),
                )

    put = begin

    def append(self, run_id: str, event: Event) -> None:
        with self._lock:
            row = self._hashes.row(event)
            known = self._mentioned.get(run_id, {})
            if row.messages.keys() <= known.keys():
                # One statement is a transaction of its own: half the cost of one with a frame.
                with self._explained() as connection:
                    self._append_row(connection, run_id, row, known)
                return
            with self._transaction() as connection:
                stored = self._keep_messages(connection, run_id, row, known)
                self._append_row(connection, run_id, row, ChainMap(stored, known))
            # Only what is committed is known to be there.
            self._mentioned.setdefault(run_id, known).update(stored)

    def _append_row(
        self,
        connection: sqlite3.Connection,
        run_id: str,
        row: EventRow,
        numbers: Mapping[bytes, int],
    ) -> None:
        given, said = message_columns(row, numbers)
        # One statement: the run must exist and be unfinished, and the place is the next.
        written = connection.execute(
            "INSERT INTO event SELECT id, (SELECT coalesce(max(sequence), -1) + 1 FROM event "
            "WHERE run = :run), :body, :input, :output FROM run "
            "WHERE id = :run AND ended_ns IS NULL",
            {"run": run_id, "body": row.body, "input": given, "output": said},
        )
        if written.rowcount == 0:
            self._explain_refusal(connection, run_id)

    def _keep_messages(
        self, connection: sqlite3.Connection, run_id: str, row: EventRow, known: Mapping[bytes, int]
    ) -> dict[bytes, int]:
        """Store the messages of an event that the run has not mentioned; their numbers."""
        stored: dict[bytes, int] = {}
        for digest, message in row.messages.items():
            if digest in known:
                continue
            made = connection.execute(
                "INSERT OR IGNORE INTO message (hash, body) VALUES (?, ?)",
                (digest, encode_json(message)),
            )
            if made.rowcount:
                number = made.lastrowid or 0
            else:
                (number,) = connection.execute(
                    "SELECT id FROM message WHERE hash = ?", (digest,)
                ).fetchone()
            stored[digest] = number
            # A run that does not exist mentions nothing; the event is refused after this.
            connection.execute(
                "INSERT OR IGNORE INTO mention SELECT id, ? FROM run WHERE id = ?",
                (number, run_id),
            )
        return stored

    def finish(self, run_id: str, *, ended_ns: int) -> None:
        if self._file_now() != self._file:  # SQLite goes on writing into a file without a name
            raise StoreError(
                f"The run store {self._path} was removed or replaced while the run was recorded,"
                " and the run with it.",
                next_step="Record it again, and leave the file in its place until the run ends.",
            )
        with self._transaction() as connection:
            done = connection.execute(
                "UPDATE run SET ended_ns = ? WHERE id = ? AND ended_ns IS NULL", (ended_ns, run_id)
            )
            if done.rowcount == 0:
                self._explain_refusal(connection, run_id)
            self._mentioned.pop(run_id, None)

    def find(self, run_id: str) -> str:
        with self._transaction(reading=True) as connection:
            return self._full_id(connection, run_id)

    def get(self, run_id: str) -> Run:
        with self._transaction(reading=True) as connection:
            full_id = self._full_id(connection, run_id)
            header, ended_ns = connection.execute(
                "SELECT header, ended_ns FROM run WHERE id = ?", (full_id,)
            ).fetchone()
            bodies = connection.execute(
                "SELECT id, body FROM mention JOIN message ON id = message WHERE run = ?",
                (full_id,),
            ).fetchall()
            rows = connection.execute(
                "SELECT body, input, output FROM event WHERE run = ? ORDER BY sequence",
                (full_id,),
            ).fetchall()
        with self._readable(full_id, "Its header"):
            run = msgspec.json.decode(header, type=Run)
        messages: dict[int, ChatMessage] = {}
        for number, body in bodies:
            with self._readable(full_id, f"Message {number}"):
                messages[number] = decode_message(body)
        events: list[Event] = []
        for number, row in enumerate(rows):
            with self._readable(full_id, f"Event {number}"):
                events.append(event_of(row, messages))
        return msgspec.structs.replace(run, events=tuple(events), ended_ns=ended_ns)

    @contextmanager
    def _readable(self, run_id: str, what: str) -> Generator[None]:
        """Around what is decoded: rows that were damaged, or written by a later version."""
        try:
            yield
        except (msgspec.MsgspecError, ValueError, KeyError, struct.error) as error:
            reason = f"it refers to {error}" if isinstance(error, KeyError) else str(error)
            raise StoreError(
                f"The run {run_id} in {self._path} cannot be read. {what}: {reason}.",
                next_step="If a later knitbone wrote it, use that one; to remove it: knitbone runs "
                f"purge {run_id}",
            ) from error

    def list(self, *, limit: int | None = None) -> list[RunSummary]:
        with self._transaction(reading=True) as connection:
            rows: Iterable[tuple[Any, ...]] = connection.execute(
                "SELECT id, name, task, started_ns, ended_ns, "
                "(SELECT count(*) FROM event WHERE run = run.id), "
                "(SELECT body FROM event WHERE run = run.id AND substr(body, 1, ?) = ? "
                "ORDER BY sequence DESC LIMIT 1) FROM run "
                "ORDER BY started_ns DESC, id DESC LIMIT ?",
                (len(_OUTCOME_START), _OUTCOME_START, -1 if limit is None else limit),
            ).fetchall()
        return [
            RunSummary(
                id=run_id, name=name, task=task, started_ns=start, ended_ns=end, events=count,
                outcome=_outcome_of(verdict),
            )
            for run_id, name, task, start, end, count, verdict in rows
        ]  # fmt: skip

    def purge(self, run_id: str) -> None:
        with self._transaction() as connection:
            full_id = self._full_id(connection, run_id)
            messages = connection.execute(
                "SELECT message FROM mention WHERE run = ?", (full_id,)
            ).fetchall()
            connection.execute("DELETE FROM run WHERE id = ?", (full_id,))
            # One pass over all mentions: an index by message would cost every recorded call.
            held = {number for (number,) in connection.execute("SELECT message FROM mention")}
            connection.executemany(
                "DELETE FROM message WHERE id = ?", (row for row in messages if row[0] not in held)
            )
            self._mentioned.pop(full_id, None)

    def annotate(self, annotation: Annotation) -> None:
        with self._transaction() as connection:
            self._full_id(connection, annotation.run)
            connection.execute(
                "INSERT INTO annotation VALUES (?, ?, ?, ?)",
                (annotation.id, annotation.run, annotation.created_ns, encode_json(annotation)),
            )

    def annotations(self, run_id: str) -> list[Annotation]:  # type: ignore[valid-type]
        with self._transaction(reading=True) as connection:
            rows = connection.execute(
                "SELECT body FROM annotation WHERE run = ? ORDER BY created_ns, id",
                (self._full_id(connection, run_id),),
            )
            return [msgspec.json.decode(body, type=Annotation) for (body,) in rows]

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def _explained(self) -> Generator[sqlite3.Connection]:
        with self._lock, self._native:
            try:
                yield self._connection
            except sqlite3.Error as error:
                if _is_busy(error):
                    raise self._held(error) from error
                raise StoreError(
                    f"The run store {self._path} failed: {error}.",
                    next_step="Check the disk and the file.",
                ) from error

    @contextmanager
    def _transaction(self, *, reading: bool = False) -> Generator[sqlite3.Connection]:
        """All or nothing; one that only reads waits for no writer, and makes none wait."""
        with self._explained() as connection:
            connection.execute("BEGIN" if reading else "BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _file_now(self) -> tuple[int, int] | None:
        """Which file the path names now; ``None`` where it names none."""
        try:
            found = self._absolute.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _held(self, error: Exception) -> StoreBusyError:
        return StoreBusyError(
            f"The run store {self._path} is held by another process ({error}).",
            next_step="Find out which one (lsof names it), or name another file with --store or "
            "KNITBONE_RECORD_STORE.",
        )

    def _unusable(self, error: Exception) -> StoreError:
        if _is_busy(error):
            return self._held(error)
        return StoreError(
            f"The run store {self._path} cannot be opened: {error}.",
            next_step="Check the path and its permissions, or name another file with "
            "--store or KNITBONE_RECORD_STORE.",
        )

    def _migrate(self) -> None:
        # One transaction sees one state: another process may be making the store at this moment.
        with self._transaction(reading=True) as connection:
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(_MIGRATIONS):
            raise StoreError(
                f"{self._path} has schema version {version}; this knitbone knows up to "
                f"{len(_MIGRATIONS)}.",
                next_step="Upgrade knitbone, or use another store.",
            )
        if version == 0 and tables:
            raise StoreError(
                f"{self._path} is an SQLite file of another program.",
                next_step="Name another file with --store or KNITBONE_RECORD_STORE.",
            )
        if version < len(_MIGRATIONS):
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        with self._transaction() as connection:
            # Another process may have done it since the version was read.
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            for script in _MIGRATIONS[version:]:
                for statement in script.split(";"):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")

    def _full_id(self, connection: sqlite3.Connection, run_id: str) -> str:
        rows = connection.execute(
            "SELECT id FROM run WHERE id >= ? AND id < ? LIMIT 2", (run_id, run_id + "\U0010ffff")
        ).fetchall()
        if len(rows) == 1 or (rows and rows[0][0] == run_id):
            return str(rows[0][0])
        raise StoreError(
            f"{'Several runs start' if rows else 'No run starts'} with {run_id!r} in {self._path}.",
            next_step="List the runs with: knitbone runs list",
        )

    def _explain_refusal(self, connection: sqlite3.Connection, run_id: str) -> None:
        known = connection.execute("SELECT 1 FROM run WHERE id = ?", (run_id,)).fetchone()
        if known:
            raise RunFinishedError(
                f"The run {run_id} is finished and cannot change.",
                next_step="Record into a new run, or annotate this one.",
            )
        raise StoreError(
            f"There is no run {run_id} in {self._path}.", next_step="Begin the run first."
        )
