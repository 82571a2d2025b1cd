"""Where runs rest: one interface, and the embedded default, an SQLite file.

Every event is its own transaction in write-ahead-log mode: once ``append`` returns, the event
survives ``kill -9`` of the process. What a power failure loses is the newest events, never the
file (``synchronous = NORMAL``). A finished run is immutable; a run can be purged.

An agent sends its whole history with every model call. Each message is stored once, under the
hash of its content; an event holds the hashes.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Iterable
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
    CREATE TABLE message (hash BLOB PRIMARY KEY, body BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE mention (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        message BLOB NOT NULL REFERENCES message (hash),
        PRIMARY KEY (run, message)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX mention_message ON mention (message);
    ALTER TABLE event ADD COLUMN input BLOB;
    ALTER TABLE event ADD COLUMN output BLOB;
    """,
)
"""One script for each schema version; a store is brought up to the newest when opened."""

_HASH_BYTES = 16
"""Of a message's BLAKE2b digest: two of 10^15 messages collide with a probability of 10^-9."""
_message_decoder = msgspec.json.Decoder(ChatMessage)


class _Row(msgspec.Struct):
    """An event as it is stored: its messages are hashes, those that are new are beside it."""

    body: bytes
    input: bytes | None = None
    """The hashes of the input's messages, one after the other."""
    output: bytes | None = None
    messages: dict[bytes, bytes] = {}


def _row(event: Event) -> _Row:
    if not isinstance(event, ModelCall) or not (event.input or event.output):
        return _Row(encode_json(event))
    messages: dict[bytes, bytes] = {}

    def hashed(message: ChatMessage) -> bytes:
        body = encode_json(message)
        digest = blake2b(body, digest_size=_HASH_BYTES).digest()
        messages[digest] = body
        return digest

    return _Row(
        encode_json(msgspec.structs.replace(event, input=(), output=None)),
        b"".join([hashed(message) for message in event.input]),
        hashed(event.output) if event.output else None,
        messages,
    )


def _event(
    row: tuple[bytes, bytes | None, bytes | None], messages: dict[bytes, ChatMessage]
) -> Event:
    body, given, said = row
    event = decode_event(body)
    if given is None or not isinstance(event, ModelCall):
        return event
    hashes = (given[n : n + _HASH_BYTES] for n in range(0, len(given), _HASH_BYTES))
    return msgspec.structs.replace(
        event,
        input=tuple(messages[digest] for digest in hashes),
        output=messages[said] if said else None,
    )


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
        self._mentioned: dict[str, set[bytes]] = {}
        """By unfinished run: the messages that are known to be stored for it."""
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
            mentioned: set[bytes] = set()
            for number, event in enumerate(run.events):
                row = _row(event)
                connection.execute(
                    "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
                    (run.id, number, row.body, row.input, row.output),
                )
                mentioned |= self._keep_messages(connection, run.id, row, mentioned)

    put = begin

    def append(self, run_id: str, event: Event) -> None:
        row = _row(event)
        with self._lock:
            mentioned = self._mentioned.get(run_id, set())
            with self._transaction() as connection:
                # One statement: the run must exist and be unfinished, and the place is the next.
                written = connection.execute(
                    "INSERT INTO event SELECT id, (SELECT coalesce(max(sequence), -1) + 1 "
                    "FROM event WHERE run = :run), :body, :input, :output FROM run "
                    "WHERE id = :run AND ended_ns IS NULL",
                    {"run": run_id, "body": row.body, "input": row.input, "output": row.output},
                )
                if written.rowcount == 0:
                    self._explain_refusal(connection, run_id)
                stored = self._keep_messages(connection, run_id, row, mentioned)
            # Only what is committed is known to be there.
            if stored:
                mentioned |= stored
                self._mentioned[run_id] = mentioned

    def _keep_messages(
        self, connection: sqlite3.Connection, run_id: str, row: _Row, mentioned: set[bytes]
    ) -> set[bytes]:
        """Store the messages of an event that the run has not mentioned; their hashes."""
        new = row.messages.keys() - mentioned
        for digest in new:
            connection.execute(
                "INSERT OR IGNORE INTO message VALUES (?, ?)", (digest, row.messages[digest])
            )
            connection.execute("INSERT OR IGNORE INTO mention VALUES (?, ?)", (run_id, digest))
        return new

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
                digest: _message_decoder.decode(body)
                for digest, body in connection.execute(
                    "SELECT hash, body FROM mention JOIN message ON hash = message WHERE run = ?",
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
            connection.executemany(
                "DELETE FROM message WHERE hash = :hash "
                "AND NOT EXISTS (SELECT 1 FROM mention WHERE message = :hash)",
                ({"hash": digest} for (digest,) in messages),
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
    def _transaction(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                except BaseException:
                    self._connection.execute("ROLLBACK")
                    raise
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise StoreError(
                    f"The run store {self._path} failed: {error}.",
                    next_step="Check the disk, and that no other program holds the file.",
                ) from error

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
