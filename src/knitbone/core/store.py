"""Where runs rest: one interface, and the embedded default, an SQLite file.

Every event is its own transaction in write-ahead-log mode: once ``append`` returns, the event
survives ``kill -9`` of the process. What a power failure loses is the newest events, never the
file (``synchronous = NORMAL``). A finished run is immutable; a run can be purged.

An agent sends its whole history with every model call. Each message is stored once, found by the
hash of its content; an event holds the numbers of its messages.
"""

from __future__ import annotations

import sqlite3
import struct
import threading
from collections import ChainMap
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

import msgspec

from knitbone.core.events import (
    Annotation,
    ChatMessage,
    Event,
    ModelCall,
    Run,
    decode_event,
    encode_json,
)
from knitbone.errors import RunFinishedError, StoreError

__all__ = ["RunStore", "RunSummary", "SqliteStore"]


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of runs shows of each."""

    id: str
    name: str
    task: str
    started_ns: int
    ended_ns: int | None
    events: int


class RunStore(Protocol):
    """A store of runs. Implementations pass the same tests."""

    def begin(self, run: Run) -> None:
        """Store the header of a run, and the events it has so far."""
        ...

    def append(self, run_id: str, event: Event) -> None:
        """Store one more event; durable when this returns.

        Raises:
            RunFinishedError: the run is finished.
            StoreError: there is no such run.
        """
        ...

    def finish(self, run_id: str, *, ended_ns: int) -> None:
        """Make the run immutable."""
        ...

    def put(self, run: Run) -> None:
        """Store a whole run, such as an imported one; the same identifier twice is an error."""
        ...

    def get(self, run_id: str) -> Run:
        """The run whose identifier starts with ``run_id``.

        Raises:
            StoreError: none or several start with it.
        """
        ...

    def list(self, *, limit: int | None = None) -> list[RunSummary]:
        """The stored runs, newest first."""
        ...

    def purge(self, run_id: str) -> None:
        """Remove a run, its events, its annotations, and the messages that no other run holds,
        for good."""
        ...

    def annotate(self, annotation: Annotation) -> None:
        """Store something said about a run."""
        ...

    def annotations(self, run_id: str) -> list[Annotation]:
        """What has been said about a run, oldest first."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...


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

CHECKPOINT_PAGES = 4_000
"""Pages of the write-ahead log (16 MB) after which it is copied into the file, which is the one
time that a commit waits for the disk; SQLite's own 1,000 makes that four times as often (ours)."""
_HASH_BYTES = 16
"""Of a message's BLAKE2b digest: two of 10^15 messages collide with a probability of 10^-9."""
_MAX_KNOWN = 4_096
"""Messages whose hash is remembered with them."""
_MAX_KNOWN_TEXT = 32_000_000
"""Characters of JSON of all of them together; an agent's history is far shorter."""
_message_decoder = msgspec.json.Decoder(ChatMessage)


class _Row(msgspec.Struct):
    """An event as it is stored: without its messages, which are beside it."""

    body: bytes
    input: list[bytes] | None = None
    """The hashes of the input's messages; ``None`` where the event has no messages."""
    output: bytes | None = None
    messages: dict[bytes, ChatMessage] = {}
    """By hash."""


class _Hashes:
    """The hashes of messages. A recorder sends the same objects with each call, whose hashes are
    remembered."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[ChatMessage, bytes]] = {}
        self._known_text = 0

    def row(self, event: Event) -> _Row:
        """The event as it is stored."""
        if not isinstance(event, ModelCall) or not (event.input or event.output):
            return _Row(encode_json(event))
        messages: dict[bytes, ChatMessage] = {}
        given = [self._hash(message, messages) for message in event.input]
        said = self._hash(event.output, messages) if event.output else None
        bare = msgspec.structs.replace(event, input=(), output=None)
        return _Row(encode_json(bare), given, said, messages)

    def _hash(self, message: ChatMessage, messages: dict[bytes, ChatMessage]) -> bytes:
        # The object is kept with its hash, so that no other one gets its identity.
        found = self._known.get(id(message))
        if found is None:
            body = encode_json(message)
            digest = blake2b(body, digest_size=_HASH_BYTES).digest()
            self._known_text += len(body)
            if self._known_text > _MAX_KNOWN_TEXT or len(self._known) >= _MAX_KNOWN:
                self._known.clear()
                self._known_text = len(body)
            found = self._known[id(message)] = (message, digest)
        messages[found[1]] = message
        return found[1]


def _event(row: tuple[bytes, bytes | None, int | None], messages: dict[int, ChatMessage]) -> Event:
    body, given, said = row
    event = decode_event(body)
    if given is None or not isinstance(event, ModelCall):
        return event
    return msgspec.structs.replace(
        event,
        input=tuple(messages[number] for (number,) in struct.iter_unpack("<q", given)),
        output=None if said is None else messages[said],
    )


def _numbers(row: _Row, numbers: Mapping[bytes, int]) -> tuple[bytes | None, int | None]:
    """The columns for the messages of an event."""
    if row.input is None:
        return None, None
    given = [numbers[digest] for digest in row.input]
    return struct.pack(f"<{len(given)}q", *given), numbers[row.output] if row.output else None


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
        self._lock = threading.RLock()
        self._hashes = _Hashes()
        self._mentioned: dict[str, dict[bytes, int]] = {}
        """By unfinished run: the messages that are known to be stored for it, by hash."""
        try:
            if self._path != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
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
            hashes = _Hashes()
            for number, event in enumerate(run.events):
                row = hashes.row(event)
                mentioned |= self._keep_messages(connection, run.id, row, mentioned)
                connection.execute(
                    "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
                    (run.id, number, row.body, *_numbers(row, mentioned)),
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
        row: _Row,
        numbers: Mapping[bytes, int],
    ) -> None:
        given, said = _numbers(row, numbers)
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
        self, connection: sqlite3.Connection, run_id: str, row: _Row, known: Mapping[bytes, int]
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
        with self._transaction() as connection:
            done = connection.execute(
                "UPDATE run SET ended_ns = ? WHERE id = ? AND ended_ns IS NULL", (ended_ns, run_id)
            )
            if done.rowcount == 0:
                self._explain_refusal(connection, run_id)
            self._mentioned.pop(run_id, None)

    def get(self, run_id: str) -> Run:
        with self._transaction() as connection:
            full_id = self._full_id(connection, run_id)
            header, ended_ns = connection.execute(
                "SELECT header, ended_ns FROM run WHERE id = ?", (full_id,)
            ).fetchone()
            messages = {
                number: _message_decoder.decode(body)
                for number, body in connection.execute(
                    "SELECT id, body FROM mention JOIN message ON id = message WHERE run = ?",
                    (full_id,),
                )
            }
            events = tuple(
                _event(row, messages)
                for row in connection.execute(
                    "SELECT body, input, output FROM event WHERE run = ? ORDER BY sequence",
                    (full_id,),
                )
            )
        run = msgspec.json.decode(header, type=Run)
        return msgspec.structs.replace(run, events=events, ended_ns=ended_ns)

    def list(self, *, limit: int | None = None) -> list[RunSummary]:
        with self._transaction() as connection:
            rows: Iterable[tuple[Any, ...]] = connection.execute(
                "SELECT id, name, task, started_ns, ended_ns, "
                "(SELECT count(*) FROM event WHERE run = run.id) FROM run "
                "ORDER BY started_ns DESC, id DESC LIMIT ?",
                (-1 if limit is None else limit,),
            )
            return [
                RunSummary(
                    id=run_id, name=name, task=task, started_ns=start, ended_ns=end, events=count
                )
                for run_id, name, task, start, end, count in rows
            ]

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
        with self._transaction() as connection:
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
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise StoreError(
                    f"The run store {self._path} failed: {error}.",
                    next_step="Check the disk, and that no other program holds the file.",
                ) from error

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        with self._explained() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _unusable(self, error: Exception) -> StoreError:
        return StoreError(
            f"The run store {self._path} cannot be opened: {error}.",
            next_step="Check the path and its permissions, or name another file with "
            "--store or KNITBONE_RECORD_STORE.",
        )

    def _migrate(self) -> None:
        with self._lock:
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version > len(_MIGRATIONS):
                raise StoreError(
                    f"{self._path} has schema version {version}; this knitbone knows up to "
                    f"{len(_MIGRATIONS)}.",
                    next_step="Upgrade knitbone, or use another store.",
                )
            tables = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
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
