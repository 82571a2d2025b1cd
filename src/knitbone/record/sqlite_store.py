"""The embedded run store, an SQLite file.

Every event is its own transaction in write-ahead-log mode: once ``append`` returns, the event
survives ``kill -9`` of the process. What a power failure loses is the newest events, never the
file (``synchronous = NORMAL``). A finished run is immutable; a run can be purged.

Each message is stored once (:mod:`knitbone.record.event_rows`). Every row has a checksum: a run
that is not as it was written is refused (:mod:`knitbone.record.stored_run`).
"""

from __future__ import annotations

import re
import sqlite3
import struct
import time
from collections import ChainMap
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import msgspec

from knitbone._forks import new_rlock, unforked
from knitbone.common.private_files import private_file
from knitbone.errors import DamagedStoreError, StoreError
from knitbone.record.event_rows import EventRow, MessageHashes, decode_message, message_columns
from knitbone.record.events import (
    Annotation,
    ChatMessage,
    ErrorInfo,
    Event,
    Message,
    ModelCall,
    Run,
    decode_event,
    encode_json,
)
from knitbone.record.memory_rows import MemoryRow, delete_notes, notes, write_notes
from knitbone.record.run_queries import (
    APPEND,
    insert_run,
    known_ids,
    messages_of,
    seal,
    stored_run,
    summary_of,
)
from knitbone.record.sqlite_schema import make_tables, row_checksum
from knitbone.record.store import RunSummary
from knitbone.record.store_errors import (
    damaged_run,
    failed_statement,
    is_damage,
    only_run,
    refused_event,
    unusable_store,
)
from knitbone.record.stored_run import RunReading, read_run, told
from knitbone.record.verdicts import judged, verdict_of

__all__ = ["SqliteStore"]


# Text in runs, as a list of runs is searched by: tools, errors, verdicts, names and tasks.
#
# The rows are passed over once, by SQLite itself; only those that hold the text anywhere are
# decoded. An index of all words would cost every recorded call, and a new table in every store.

_KINDS = (b'{"kind":"tool_call"', b'{"kind":"model_call"', b'{"kind":"outcome"')
"""How the JSON of the events begins that are searched; the tag of a record is written first."""
_FIRST = 20
"""Events among which the first words of a user are looked for (ours)."""


class _SearchedEvent(msgspec.Struct):
    """What of an event is searched; other fields are not even decoded."""

    kind: str = ""
    name: str = ""
    reason: str = ""
    error: ErrorInfo | None = None
    output: ChatMessage | None = None
    """Of calls that were stored before messages had a table of their own."""


_decode = msgspec.json.Decoder(_SearchedEvent).decode


def runs_mentioning(connection: sqlite3.Connection, text: str) -> set[str]:
    """The runs whose name, task, tools, errors or verdict hold ``text``, whatever the case."""
    wanted, pattern = text.casefold(), _pattern(text)
    rows = connection.execute("SELECT id, name, task FROM run")
    found = {run for run, *texts in rows if any(wanted in _folded(each) for each in texts)}
    kind = " OR ".join("substr(body, 1, ?) = ?" for _ in _KINDS)
    events = connection.execute(
        f"SELECT run, body FROM event WHERE ({kind}) "  # noqa: S608 - question marks alone
        "AND CAST(body AS TEXT) LIKE ? ESCAPE '\\'",
        (*(each for start in _KINDS for each in (len(start), start)), pattern),
    )
    for run, body in events:
        if run not in found and _holds(body, wanted):
            found.add(run)
    given = connection.execute(
        'SELECT run, body FROM annotation WHERE instr(body, CAST(\'"kind":"outcome"\' AS BLOB)) '
        "AND CAST(body AS TEXT) LIKE ? ESCAPE '\\'",
        (pattern,),
    )
    found.update(run for run, body in given if _gives(body, wanted))
    return found | _asking(connection, wanted, pattern)


def _asking(connection: sqlite3.Connection, wanted: str, pattern: str) -> set[str]:
    """Runs whose models asked for such a tool, whoever ran it."""
    rows = connection.execute(
        "SELECT id, body FROM message WHERE instr(body, CAST('\"tool_calls\"' AS BLOB)) "
        "AND CAST(body AS TEXT) LIKE ? ESCAPE '\\'",
        (pattern,),
    )
    messages = {number for number, body in rows if _asks(body, wanted)}
    if not messages:
        return set()
    mentions_of = connection.execute("SELECT run, message FROM mention")
    return {run for run, message in mentions_of if message in messages}


def _pattern(text: str) -> str:
    """What JSON text is LIKE that holds the text; LIKE knows the case of ASCII letters alone."""
    spelled = encode_json(text)[1:-1].decode("utf-8")
    safe = re.sub(r"([\\%_])", r"\\\1", spelled)
    return "%" + re.sub(r"[^\x00-\x7f]+", "%", safe) + "%"


def _folded(value: object) -> str:
    return value.casefold() if isinstance(value, str) else ""


def _holds(body: object, wanted: str) -> bool:
    try:
        event = _decode(body if isinstance(body, bytes) else b"")
    except (msgspec.MsgspecError, ValueError):
        return False  # whoever reads the run is told
    texts = [event.reason] if event.kind == "outcome" else []
    texts += [event.name] if event.kind == "tool_call" else []
    texts += [event.error.type, event.error.message] if event.error else []
    texts += [call.name for call in event.output.tool_calls] if event.output else []
    return any(wanted in _folded(each) for each in texts)


def _gives(body: object, wanted: str) -> bool:
    """Whether a verdict that was given later says it."""
    try:
        annotation = msgspec.json.decode(body if isinstance(body, bytes) else b"", type=Annotation)
        return wanted in verdict_of(annotation).reason.casefold()
    except (StoreError, msgspec.MsgspecError, ValueError):
        return False


def _asks(body: object, wanted: str) -> bool:
    try:
        message = decode_message(body if isinstance(body, bytes) else b"")
    except (msgspec.MsgspecError, ValueError):
        return False
    return any(wanted in call.name.casefold() for call in message.tool_calls)


def asked_in(connection: sqlite3.Connection, run_id: str) -> str:
    """The first thing that a user said in a run; empty where its first events do not show it."""
    rows = connection.execute(
        "SELECT body, input FROM event WHERE run = ? ORDER BY sequence LIMIT ?", (run_id, _FIRST)
    )
    for body, given in rows.fetchall():
        try:
            event = decode_event(body)
            if isinstance(event, Message) and event.role == "user":
                return event.content
            told = list(event.input) if isinstance(event, ModelCall) else []
            numbers = struct.unpack(f"<{len(given) // 8}q", given) if given else ()
            for number in numbers:
                row = connection.execute(
                    "SELECT body FROM message WHERE id = ?", (number,)
                ).fetchone()
                told += [decode_message(row[0])] if row else []
                if told and told[-1].role == "user":
                    break
        except (msgspec.MsgspecError, ValueError, struct.error, TypeError):
            continue  # of a damaged row; whoever reads the run is told
        said = next((message.content for message in told if message.role == "user"), "")
        if said:
            return said
    return ""


_BRIEF_S = 1.0
"""Seconds of patience up to which a fork waits for a statement (ours)."""
_PAUSE_S = 0.01
"""Seconds until a file that another process is switching is tried again (ours)."""
SHOW_EVERY_S = 1.0
"""Seconds after which the file itself is told again which runs have begun (ours)."""
CHECKPOINT_PAGES = 4_000
"""Pages of the write-ahead log (16 MB) after which it is copied into the file, which is the one
time that a commit waits for the disk; SQLite's own 1,000 makes that four times as often (ours)."""


def _write_ahead(connection: sqlite3.Connection, patience_s: float) -> None:
    """Switch a file to a write-ahead log. SQLite does not wait for another process that does the
    same to a new file, whatever the connection's timeout: it is tried again."""
    given_up = time.monotonic() + patience_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > given_up:
                raise
            time.sleep(_PAUSE_S)
        else:
            return


class SqliteStore:
    """Runs in one SQLite file; safe for threads, and for several processes at once.

    Args:
        path: the file; its folder is made when missing. ``":memory:"`` keeps it in memory.
        patience_s: seconds to wait while another process writes.

    Raises:
        StoreError: the file is not a store of ours, or has another schema version.
    """

    def __init__(self, path: str | Path, *, patience_s: float = 30.0) -> None:
        self._path = str(path)
        self._lock = new_rlock()
        # SQLite has locks of its own; but no fork shall wait as long as a patient store does.
        self._native = unforked if patience_s <= _BRIEF_S else nullcontext()
        self._hashes = MessageHashes()
        self._shown_begun = -SHOW_EVERY_S
        """When the file was told last which runs have begun, by the monotonic clock."""
        self._mentioned: dict[str, dict[bytes, int]] = {}
        """By unfinished run: the messages that are known to be stored for it, by hash."""
        try:
            if self._path != ":memory:":
                private_file(Path(path))  # the files beside it take its mode
            self._connection = sqlite3.connect(
                self._path, isolation_level=None, check_same_thread=False, timeout=patience_s
            )
        except (sqlite3.Error, OSError) as error:
            raise unusable_store(self._path, error) from error
        try:
            _write_ahead(self._connection, patience_s)
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.execute("PRAGMA cell_size_check = ON")
            # What is purged is gone from the file, too.
            self._connection.execute("PRAGMA secure_delete = ON")
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
            make_tables(self._path, self._transaction)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            self._connection.close()
            raise unusable_store(self._path, error) from error
        except BaseException:
            self._connection.close()
            raise
        self._absolute = Path(path).absolute()  # the application may go to another folder
        self._file = self._file_now()

    def begin(self, run: Run) -> None:
        header = encode_json(msgspec.structs.replace(run, events=()))
        with self._transaction() as connection:
            try:
                insert_run(connection, run, header)
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
                    "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)",
                    (run.id, number, row.body, *message_columns(row, mentioned),
                     row.checksum(run.id) + number),
                )  # fmt: skip
        if run.ended_ns is None and not run.events:
            self._show_begun()

    def _show_begun(self) -> None:
        """Write what has begun into the file itself, so that a run of which a lost write-ahead log
        held everything is known to be missing. Whoever writes meanwhile is not waited for."""
        now = time.monotonic()
        if now - self._shown_begun < SHOW_EVERY_S:
            return  # the disk takes some milliseconds, which many short runs do not have
        self._shown_begun = now
        with suppress(StoreError), self._explained() as connection:  # the run has begun anyhow
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

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
        written = connection.execute(
            APPEND,
            {"run": run_id, "body": row.body, "input": given, "output": said,
             "checksum": row.checksum(run_id)},
        )  # fmt: skip
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
            body = encode_json(message)
            made = connection.execute(
                "INSERT OR IGNORE INTO message (hash, body) VALUES (?, ?)", (digest, body)
            )
            if made.rowcount:
                number = made.lastrowid or 0
            else:
                (number,) = connection.execute(
                    "SELECT id FROM message WHERE hash = ?", (digest,)
                ).fetchone()
                # What many runs share is not on one page only.
                connection.execute(
                    "INSERT OR IGNORE INTO message_copy VALUES (?, ?, ?)", (number, digest, body)
                )
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
            seal(connection, run_id)
            self._mentioned.pop(run_id, None)

    def note_lost(self, run_id: str, *, events: int, reason: str) -> None:
        with self._transaction() as connection:
            connection.execute(
                "UPDATE run SET lost = lost + ?, lost_why = ? WHERE id = ?",
                (events, reason, run_id),
            )
            seal(connection, run_id)

    def find(self, run_id: str) -> str:
        with self._transaction(reading=True) as connection:
            return self._full_id(connection, run_id)

    def get(self, run_id: str) -> Run:
        found = self._whole(run_id)
        return judged(found.run, found.annotations)

    def left_of(self, run_id: str) -> RunReading:
        """What can be read of the run whose identifier starts with ``run_id``, damaged or not, and
        what cannot; a damaged one says so itself in its attributes.

        Raises:
            StoreError: none or several start with it.
        """
        found = self._reading(run_id)
        return msgspec.structs.replace(found, run=judged(told(found), found.annotations))

    def _whole(self, run_id: str) -> RunReading:
        """A run that is as it was written.

        Raises:
            StoreError: there is none; or it is damaged.
        """
        found = self._reading(run_id)
        if found.damage:
            raise damaged_run(self._path, found.run.id, found.damage)
        return found

    def _reading(self, run_id: str) -> RunReading:
        """What SQLite can read of a run."""
        with self._transaction(reading=True) as connection:
            full_id = self._full_id(connection, run_id)
            stored = stored_run(connection, full_id)
            return read_run(stored, messages_of(connection, stored))

    def list(self, *, limit: int | None = None) -> list[RunSummary]:
        with self._transaction(reading=True) as connection:
            return [summary_of(connection, each) for each in known_ids(connection)[:limit]]

    def ids(self) -> list[str]:  # type: ignore[valid-type]
        with self._transaction(reading=True) as connection:
            return known_ids(connection)

    def search(self, text: str) -> set[str]:
        with self._transaction(reading=True) as connection:
            return runs_mentioning(connection, text)

    def asked(self, run_id: str) -> str:
        try:
            with self._transaction(reading=True) as connection:
                return asked_in(connection, run_id)
        except DamagedStoreError:
            return ""

    def purge(self, run_id: str) -> None:
        with self._transaction() as connection:
            full_id = self._full_id(connection, run_id)
            messages = connection.execute(
                "SELECT message FROM mention WHERE run = ?", (full_id,)
            ).fetchall()
            connection.execute("DELETE FROM run WHERE id = ?", (full_id,))
            # Of a run whose header was lost nothing went with it.
            for table in ("event", "annotation", "mention", "run_copy"):
                connection.execute(f"DELETE FROM {table} WHERE run = ?", (full_id,))  # noqa: S608
            # One pass over all mentions: an index by message would cost every recorded call.
            held = {number for (number,) in connection.execute("SELECT message FROM mention")}
            gone = [row for row in messages if row[0] not in held]
            connection.executemany("DELETE FROM message WHERE id = ?", gone)
            connection.executemany("DELETE FROM message_copy WHERE id = ?", gone)
            self._mentioned.pop(full_id, None)

    def annotate(self, annotation: Annotation) -> None:
        if annotation.kind == "outcome":
            verdict_of(annotation)  # whoever reads the run relies on it
        body = encode_json(annotation)
        row = (annotation.id, annotation.run, annotation.created_ns, body)
        with self._transaction() as connection:
            self._full_id(connection, annotation.run)
            connection.execute(
                "INSERT INTO annotation VALUES (?, ?, ?, ?, ?)", (*row, row_checksum(*row))
            )
            connection.execute(
                "UPDATE run SET annotations = annotations + 1 WHERE id = ?", (annotation.run,)
            )
            seal(connection, annotation.run)

    def annotations(self, run_id: str) -> list[Annotation]:  # type: ignore[valid-type]
        return list(self._whole(run_id).annotations)

    def notes(self, task: str | None = None) -> list[MemoryRow]:  # type: ignore[valid-type]
        """What is remembered of a task, or of all tasks.

        Raises:
            StoreError: it cannot be read.
        """
        with self._transaction(reading=True) as connection:
            return notes(connection, task)

    def change_notes(
        self,
        task: str,
        change: Callable[[Sequence[MemoryRow]], Mapping[str, bytes]],
        *,
        updated_ns: int,
    ) -> None:
        """Write what ``change`` makes of the notes on a task, by name; nobody writes in between.

        Raises:
            StoreError: they cannot be read or written; nothing has changed.
        """
        with self._transaction() as connection:
            write_notes(connection, task, change(notes(connection, task)), updated_ns)

    def forget(self, task: str, name: str | None = None) -> int:
        """Remove a note on a task, or all of them, for good; how many there were."""
        with self._transaction() as connection:
            return delete_notes(connection, task, name)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def _explained(self) -> Generator[sqlite3.Connection]:
        with self._lock, self._native:
            try:
                yield self._connection
            except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
                raise failed_statement(self._path, error) from error

    @contextmanager
    def _transaction(self, *, reading: bool = False) -> Generator[sqlite3.Connection]:
        """All or nothing; one that only reads waits for no writer, and makes none wait."""
        with self._explained() as connection:
            connection.execute("BEGIN" if reading else "BEGIN IMMEDIATE")
            try:
                yield connection
                # After a page that cannot be read SQLite commits nothing, not even what only read.
                connection.execute("ROLLBACK" if reading else "COMMIT")
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

    def _full_id(self, connection: sqlite3.Connection, run_id: str) -> str:
        try:
            found = connection.execute(
                "SELECT id FROM run WHERE id >= ? AND id < ? LIMIT 2",
                (run_id, run_id + "\U0010ffff"),
            ).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if not is_damage(error):
                raise
            found = []
        ids = [each for (each,) in found if isinstance(each, str)]
        # A run whose header was lost is found by its copy or its events.
        return only_run(self._path, run_id, ids or known_ids(connection))

    def _explain_refusal(self, connection: sqlite3.Connection, run_id: str) -> None:
        known = connection.execute("SELECT 1 FROM run WHERE id = ?", (run_id,)).fetchone()
        raise refused_event(self._path, run_id, finished=known is not None)
