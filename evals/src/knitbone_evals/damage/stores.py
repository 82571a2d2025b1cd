"""Run stores, damaged: what is read of them, compared with what was written."""

from __future__ import annotations

import random
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from knitbone.errors import KnitboneError
from knitbone.record.events import (
    DAMAGE,
    LOST_EVENTS,
    LOST_REASON,
    Annotation,
    ChatMessage,
    Event,
    Message,
    ModelCall,
    Outcome,
    Run,
    ToolCall,
)
from knitbone.record.sqlite_store import SHOW_EVERY_S, SqliteStore
from knitbone.record.store_check import StoreReport, check_store, salvage_store
from knitbone_evals.damage.mutations import damaged_bytes

EDITS = (
    "UPDATE event SET body = CAST(replace(CAST(body AS TEXT), 'plain', 'other') AS BLOB)"
    " WHERE {event}",
    "UPDATE event SET sequence = sequence + 1000 WHERE {event}",
    "UPDATE event SET run = (SELECT max(id) FROM run) || 'f' WHERE {event}",
    "UPDATE event SET input = NULL WHERE {event}",
    "UPDATE event SET checksum = NULL WHERE {event}",
    "DELETE FROM event WHERE {event}",
    "DELETE FROM event WHERE run = {run} AND sequence > 3",
    "UPDATE run SET task = 'another' WHERE id = {run}",
    "UPDATE run SET started_ns = 'soon' WHERE id = {run}",
    "UPDATE run SET ended_ns = NULL WHERE id = {run}",
    "UPDATE run SET lost = 0, checksum = NULL WHERE id = {run}",
    "DELETE FROM run WHERE id = {run}",
    "UPDATE message SET body = x'7b22726f6c65223a2275736572227d' WHERE id = {number}",
    "UPDATE message SET id = id + 5000 WHERE id = {number}",
    "DELETE FROM message WHERE id = {number}",
    "DELETE FROM annotation",
    "UPDATE annotation SET body = x'00'",
    "DELETE FROM mention WHERE message = {number}",
)
"""What somebody does to rows with a tool of SQLite's."""


class Written(msgspec.Struct):
    """A store, and what is in it."""

    file: bytes
    log: bytes
    """Its write-ahead log as it was while the last run was recorded."""
    runs: dict[str, Run]
    annotations: dict[str, list[Annotation]]


def written(folder: Path, rng: random.Random, *, runs: int = 6, events: int = 14) -> Written:
    """A store that a recorder wrote: finished runs, one with events lost, one still open."""
    path = folder / "written.sqlite"
    made: dict[str, Run] = {}
    notes: dict[str, list[Annotation]] = {}
    with closing(SqliteStore(path)) as store:
        for number in range(runs):
            run = Run(id=f"{number:02x}{rng.randrange(16**6):06x}", name=f"run {number}",
                      task="plain words", started_ns=number)  # fmt: skip
            if number > runs // 2:  # what stands in the log, as runs that take their time
                time.sleep(SHOW_EVERY_S)
            store.begin(run)
            kept = [_event(number, place, rng) for place in range(events)]
            for event in kept:
                store.append(run.id, event)
            attributes = {}
            if number == 1:
                store.note_lost(run.id, events=7, reason="The disk is full.")
                attributes = {LOST_EVENTS: 7, LOST_REASON: "The disk is full."}
            ended = None if number == runs - 1 else 50 + number
            if ended is not None:
                store.finish(run.id, ended_ns=ended)
            if number % 2 == 0:
                note = Annotation(id=f"n{number}", run=run.id, kind="label", body={"step": number})
                store.annotate(note)
                notes[run.id] = [note]
            made[run.id] = msgspec.structs.replace(
                run, events=tuple(kept), ended_ns=ended, attributes=attributes
            )
            if number == runs // 2:
                store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # pyright: ignore[reportPrivateUsage]
        log = path.with_name(path.name + "-wal").read_bytes()
        return Written(path.read_bytes(), log, made, notes)


SYSTEM = ChatMessage(role="system", content="Plain rules that all runs share. " * 20)


def _event(run: int, place: int, rng: random.Random) -> Event:
    name = f"{run}-{place}"
    words = f"plain words of {name} " * rng.choice((1, 8, 60))
    match place % 4:
        case 0:
            said = ChatMessage(role="user", content=words)
            answer = ChatMessage(role="assistant", content=f"to {name}")
            return ModelCall(id=name, model="m", input=(SYSTEM, said), output=answer)
        case 1:
            return ToolCall(id=name, name="t", arguments={"n": place}, result=words * 4)
        case 2:
            return Message(id=name, role="user", content=words)
        case _:
            return Outcome(id=name, success=place % 8 == 3, reason=words[:40])


def damage(source: Written, path: Path, rng: random.Random) -> str:
    """Write a damaged copy of a store; how it was damaged."""
    for left in path.parent.glob(path.name + "*"):
        left.unlink()
    log = path.with_name(path.name + "-wal")
    how = rng.random()
    if how < 0.12:
        path.write_bytes(source.file)  # copied without what had not reached it
        return "log lost"
    if how < 0.3:
        path.write_bytes(source.file)
        made, words = damaged_bytes(source.log, rng)
        log.write_bytes(made)
        return f"log {words}"
    path.write_bytes(source.file)
    log.write_bytes(source.log)
    with closing(sqlite3.connect(path)) as connection:  # the whole store in one file
        if how < 0.5:
            _edit(connection, source, rng)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if how < 0.5:
        return "edited"
    made, words = damaged_bytes(path.read_bytes(), rng)
    path.write_bytes(made)
    return words


def _edit(connection: sqlite3.Connection, source: Written, rng: random.Random) -> None:
    run = repr(rng.choice(list(source.runs)))
    place = f"run = {run} AND sequence = {rng.randrange(14)}"
    statement = rng.choice(EDITS).format(event=place, run=run, number=rng.randrange(1, 30))
    with suppress(sqlite3.IntegrityError), connection:
        connection.execute(statement)


def judge(source: Written, path: Path) -> list[str]:
    """What went wrong with a damaged store beyond what knitbone said of it."""
    report = _report(path)
    salvaged = _salvaged(source, path)
    wrong, told = _read(source, path)
    wrong += salvaged
    if report is not None and not report.damaged and told:
        wrong.append(f"check finds nothing where reading says: {told[:200]}")
    return wrong


def _report(path: Path) -> StoreReport | None:
    """The report, or nothing where the file is no store any more, which is said."""
    try:
        return check_store(path)
    except KnitboneError:
        return None


def _read(source: Written, path: Path) -> tuple[list[str], str]:
    """What is altered or missing without a word, and what was said."""
    wrong: list[str] = []
    try:
        store = SqliteStore(path, patience_s=0.1)
    except KnitboneError as error:
        return [], str(error)
    told = ""
    with closing(store):
        try:
            listed = {row.id: row for row in store.list()}
        except KnitboneError as error:
            return [], str(error)
        for run_id, row in listed.items():
            known = source.runs.get(run_id)
            if known is None and not row.damage:
                wrong.append(f"list: a run {run_id} that was never written")
            elif known is not None and not row.damage and (row.name, row.task, row.started_ns) != (
                known.name, known.task, known.started_ns
            ):  # fmt: skip
                wrong.append(f"list: run {run_id} altered")
        for run_id, known in source.runs.items():
            try:
                run = store.get(run_id)
                notes = store.annotations(run_id)
            except KnitboneError as error:
                told = told or str(error)
                if run_id not in listed:
                    wrong.append(f"missing: {run_id} is in no list ({error})"[:200])
                continue
            wrong += _differences(run, known, notes, source.annotations.get(run_id, []))
    return wrong, told


def _differences(run: Run, known: Run, notes: object, known_notes: object) -> list[str]:
    if run == known and notes == known_notes:
        return []
    # A run whose log was lost is shown as open: what came last is known not to be there.
    cut = known.events[: len(run.events)]
    shorter = msgspec.structs.replace(known, events=cut, ended_ns=None, attributes=run.attributes)
    if run.ended_ns is None and run == shorter:
        return []
    return [f"altered: {run.id} differs from what was written"]


def _salvaged(source: Written, path: Path) -> list[str]:
    into = path.with_name("salvaged.sqlite")
    for left in path.parent.glob("salvaged.sqlite*"):
        left.unlink()
    try:
        salvage_store(path, into)
    except KnitboneError:
        return []
    wrong: list[str] = []
    with closing(SqliteStore(into)) as store:
        for row in store.list():
            run, known = store.get(row.id), source.runs.get(row.id)
            events = set() if known is None else {repr(event) for event in known.events}
            for event in run.events:
                if DAMAGE not in event.attributes and repr(event) not in events:
                    wrong.append(f"salvaged: an event of {row.id} that was never written")
            if DAMAGE not in run.attributes and known is not None:
                wrong += [
                    f"salvaged: {each}"
                    for each in _differences(run, known, [], [])
                ]  # fmt: skip
    return wrong
