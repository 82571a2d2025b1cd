"""The statements by which a run store writes and reads the rows of a run, checksums included."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from knitbone.common.printable import printable
from knitbone.errors import StoreError
from knitbone.record.event_rows import is_whole
from knitbone.record.events import LOST_EVENTS, LOST_REASON, Annotation, Outcome, Run
from knitbone.record.sqlite_schema import row_checksum
from knitbone.record.store import RunSummary
from knitbone.record.store_errors import is_damage
from knitbone.record.stored_run import (
    RUN_COLUMNS,
    MessageRows,
    RunRow,
    StoredRun,
    copied,
    fits,
    messages_named,
    row_of,
    run_checksum,
    whole_row,
)
from knitbone.record.verdicts import latest

__all__ = [
    "APPEND",
    "insert_run",
    "known_ids",
    "messages_of",
    "seal",
    "spoiled_messages",
    "stored_run",
    "summary_of",
]

_COLUMNS = ", ".join(RUN_COLUMNS)
_EVENT = "sequence, body, input, output, checksum"
_ANNOTATION = "id, run, created_ns, body, checksum"
_GIVEN_LATER = b'"kind":"outcome"'
"""In the JSON of a verdict that was given later, as the encoder writes it."""
_OUTCOME_START = b'{"kind":"outcome"'
"""How the JSON of a verdict begins; the tag of a record is written first."""

# One statement: the run must exist and be unfinished, and the place is the next.
APPEND = (
    "INSERT INTO event SELECT id, next, :body, :input, :output, :checksum + next FROM "
    "(SELECT id, (SELECT coalesce(max(sequence), -1) + 1 FROM event WHERE run = :run) AS next "
    "FROM run WHERE id = :run AND ended_ns IS NULL)"
)
"""Stores one more event at the end of an unfinished run; no row where there is no such run."""


def insert_run(connection: sqlite3.Connection, run: Run, header: bytes) -> None:
    """Store the row of a run with its events so far."""
    lost: Any = run.attributes.get(LOST_EVENTS)
    why: Any = run.attributes.get(LOST_REASON)
    known = isinstance(lost, int) and 0 < lost < 2**63
    row = RunRow(
        run.id, run.name, run.task, run.started_ns, run.ended_ns, header, events=len(run.events),
        annotations=0, lost=lost if known else 0,
        lost_why=why if known and isinstance(why, str) else None,
    )  # fmt: skip
    row = msgspec.structs.replace(row, checksum=run_checksum(row))
    connection.execute(
        f"INSERT INTO run ({_COLUMNS}) VALUES ({', '.join('?' * len(RUN_COLUMNS))})",  # noqa: S608
        msgspec.structs.astuple(row),
    )
    connection.execute("INSERT OR REPLACE INTO run_copy VALUES (?, ?)", (run.id, copied(row)))


def seal(connection: sqlite3.Connection, run_id: str) -> None:
    """Give the row of a run the checksum of what it holds now; of one that has ended, with the
    number of its events."""
    connection.execute(
        "UPDATE run SET events = (SELECT coalesce(max(sequence), -1) + 1 FROM event "
        "WHERE run = id) WHERE id = ? AND ended_ns IS NOT NULL",
        (run_id,),
    )
    values = _run_row(connection, run_id)
    if values is None:
        return
    row = row_of(values)
    row = msgspec.structs.replace(row, checksum=run_checksum(row))
    connection.execute("UPDATE run SET checksum = ? WHERE id = ?", (row.checksum, run_id))
    connection.execute("INSERT OR REPLACE INTO run_copy VALUES (?, ?)", (run_id, copied(row)))


def _reached(
    connection: sqlite3.Connection, statement: str, values: Sequence[Any], order: str
) -> tuple[list[tuple[Any, ...]], str]:
    """The rows that SQLite can reach, and its words where these are not all: from the first up to a
    page that it cannot read, and from the last back to one."""
    first: list[tuple[Any, ...]] = []
    last: list[tuple[Any, ...]] = []
    why = ""
    for rows, way in ((first, "ASC"), (last, "DESC")):
        try:
            columns = ", ".join(f"{column} {way}" for column in order.split(", "))
            for row in connection.execute(f"{statement} ORDER BY {columns}", values):
                rows.append(row)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if not is_damage(error):
                raise
            why = f"SQLite cannot read all of them: {printable(str(error))}"
        else:
            return (rows if way == "ASC" else rows[::-1]), ""
    return list(dict.fromkeys((*first, *reversed(last)))), why


def _run_row(connection: sqlite3.Connection, run_id: str) -> tuple[Any, ...] | None:
    statement = f"SELECT {_COLUMNS} FROM run WHERE id = ?"  # noqa: S608 - names of ours
    rows, _ = _reached(connection, statement, (run_id,), "id")
    return rows[0] if rows else None


def _copy(connection: sqlite3.Connection, run_id: str) -> bytes | None:
    rows, _ = _reached(connection, "SELECT row FROM run_copy WHERE run = ?", (run_id,), "run")
    return rows[0][0] if rows and isinstance(rows[0][0], bytes) else None


def stored_run(connection: sqlite3.Connection, run_id: str) -> StoredRun:
    """The rows of a run that can be reached."""
    events, unread = _reached(
        connection,
        f"SELECT {_EVENT} FROM event WHERE run = ?",  # noqa: S608 - names of ours
        (run_id,),
        "sequence",
    )
    annotations, lost = _reached(
        connection,
        f"SELECT {_ANNOTATION} FROM annotation WHERE run = ?",  # noqa: S608 - names of ours
        (run_id,),
        "created_ns, id",
    )
    return StoredRun(
        id=run_id,
        row=_run_row(connection, run_id),
        copy=_copy(connection, run_id),
        events=events,
        annotations=annotations,
        unread_events=unread,
        unread_annotations=lost,
    )


def messages_of(connection: sqlite3.Connection, stored: StoredRun) -> MessageRows:
    """The messages that a run mentions; where one is not what was written, its copy."""
    rows, _ = _reached(
        connection,
        "SELECT id, hash, body FROM mention JOIN message ON id = message WHERE run = ?",
        (stored.id,),
        "message",
    )
    found = {
        number: (digest, body)
        for number, digest, body in rows
        if isinstance(digest, bytes) and isinstance(body, bytes)
    }
    for number in messages_named(stored):
        if number in found and is_whole(*found[number]):
            continue
        for table in ("message", "message_copy"):
            statement = f"SELECT hash, body FROM {table} WHERE id = ?"  # noqa: S608 - ours
            for digest, body in _reached(connection, statement, (number,), "id")[0]:
                if isinstance(digest, bytes) and isinstance(body, bytes) and is_whole(digest, body):
                    found[number] = digest, body
    return found


def spoiled_messages(connection: sqlite3.Connection) -> list[int]:
    """Messages that have a copy which says something else."""
    rows, _ = _reached(
        connection,
        "SELECT id FROM message_copy AS c WHERE NOT EXISTS"
        " (SELECT 1 FROM message AS m WHERE m.id = c.id AND m.hash = c.hash AND m.body = c.body)",
        (),
        "id",
    )
    return [number for (number,) in rows]


def known_ids(connection: sqlite3.Connection) -> list[str]:
    """The runs, newest first; then those of which only events or a row outside the index are
    left, as in a damaged file.

    Raises:
        sqlite3.Error: SQLite can read neither all runs nor all their copies.
    """
    listed, _ = _reached(
        connection, "SELECT id FROM run INDEXED BY run_started", (), "started_ns, id"
    )
    held, unread = _reached(connection, "SELECT id FROM run NOT INDEXED", (), "id")
    copies, lost = _reached(connection, "SELECT run FROM run_copy", (), "run")
    # From run to run, without a look at the events between; no repetition, for a damaged tree may
    # lead back.
    named, _ = _reached(
        connection,
        "WITH RECURSIVE named(run) AS (SELECT min(run) FROM event UNION "
        "SELECT (SELECT min(run) FROM event WHERE event.run > named.run) FROM named "
        "WHERE named.run IS NOT NULL) SELECT run FROM named WHERE run IS NOT NULL",
        (),
        "run",
    )
    if unread and lost:
        raise sqlite3.DatabaseError(f"the list of its runs is damaged ({unread})")
    found = dict.fromkeys(run for (run,) in (*listed[::-1], *held, *copies, *named))
    return [run for run in found if isinstance(run, str)]


def summary_of(connection: sqlite3.Connection, run_id: str) -> RunSummary:
    """What a list shows of a run."""
    row = whole_row(_run_row(connection, run_id), _copy(connection, run_id))
    try:
        count, following = connection.execute(
            "SELECT count(*), coalesce(max(sequence), -1) + 1 FROM event WHERE run = ?", (run_id,)
        ).fetchone()
        verdict = connection.execute(
            f"SELECT {_EVENT} FROM event WHERE run = ? AND substr(body, 1, ?) = ? "  # noqa: S608
            "ORDER BY sequence DESC LIMIT 1",
            (run_id, len(_OUTCOME_START), _OUTCOME_START),
        ).fetchone()
        given = connection.execute(
            f"SELECT {_ANNOTATION} FROM annotation WHERE run = ? AND instr(body, ?)",  # noqa: S608
            (run_id, _GIVEN_LATER),
        ).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if not is_damage(error):
            raise
        known = _summary(run_id, row, 0, 0, None, ())
        why = f"SQLite cannot read all of it: {printable(str(error))}"
        return msgspec.structs.replace(known, damage=why)
    return _summary(run_id, row, count, following, verdict, given)


def _summary(
    run_id: str,
    header: tuple[RunRow | None, str],
    count: int,
    following: int,
    verdict: tuple[Any, ...] | None,
    given: Sequence[tuple[Any, ...]],
) -> RunSummary:
    row, problem = header
    if row is None:
        return RunSummary(
            id=run_id,
            name="",
            task="",
            started_ns=0,
            ended_ns=None,
            events=count,
            damage=f"its header: {problem}",
        )
    expected = max(row.events, following)
    problem = ""  # a header that is known from its copy is whole
    if count != expected:
        problem = f"{count} of its {expected} events are there"
    outcome = None
    if verdict is not None:
        if not fits(run_id, verdict, {}):
            problem = problem or "its verdict is not what was written"
        else:
            outcome = _outcome_of(verdict[1])
    try:
        outcome = latest(outcome, [_annotation_of(each) for each in given])
    except (StoreError, msgspec.MsgspecError, ValueError, TypeError):
        problem = problem or "its outcome is not what was written"
    return RunSummary(
        id=run_id, name=row.name, task=row.task, started_ns=row.started_ns, ended_ns=row.ended_ns,
        events=count, outcome=outcome, lost=row.lost or 0, damage=problem,
    )  # fmt: skip


def _annotation_of(row: Sequence[Any]) -> Annotation:
    """An annotation that is as it was written.

    Raises:
        ValueError: it is not.
    """
    if row_checksum(*row[:4]) != row[4]:
        raise ValueError(row[0])
    return msgspec.json.decode(row[3], type=Annotation)


def _outcome_of(body: bytes) -> Outcome | None:
    """The verdict in an event's JSON, where it can be read."""
    try:
        return msgspec.json.decode(body, type=Outcome)
    except (msgspec.MsgspecError, ValueError):
        return None
