"""A run as its rows tell it, and what is wrong with them.

Whoever shows a run as it was
recorded takes it whole or not at all; whoever saves what is left takes what could be read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from knitbone.common.printable import printable
from knitbone.record.event_rows import decode_message, is_whole
from knitbone.record.events import (
    DAMAGE,
    LOST_EVENTS,
    LOST_REASON,
    Annotation,
    ChatMessage,
    Event,
    Json,
    ModelCall,
    Run,
    decode_event,
)
from knitbone.record.sqlite_schema import event_checksum, row_checksum

__all__ = [
    "RUN_COLUMNS",
    "Damage",
    "MessageRows",
    "RunReading",
    "RunRow",
    "StoredRun",
    "copied",
    "fits",
    "messages_named",
    "read_run",
    "row_of",
    "run_checksum",
    "told",
    "whole_row",
]

RUN_COLUMNS = (
    "id", "name", "task", "started_ns", "ended_ns", "header", "events", "annotations", "lost",
    "lost_why", "checksum",
)  # fmt: skip
"""Of the table ``run``, in their order."""

MessageRows = Mapping[int, tuple[bytes, bytes]]
"""Number of a message -> its digest and its JSON."""


class Damage(msgspec.Struct, frozen=True, kw_only=True):
    """One thing of a run that is not as it was written."""

    run: str
    part: str
    """Such as ``event 5``."""
    why: str

    def __str__(self) -> str:
        return f"{self.part[:1].upper()}{self.part[1:]}: {self.why}"


class RunRow(msgspec.Struct, frozen=True):
    """A row of the table ``run``."""

    id: str
    name: str
    task: str
    started_ns: int
    ended_ns: int | None
    header: bytes
    events: int
    """Events at the end of the run; before it, with how many it began."""
    annotations: int
    lost: int
    """Events that could not be stored."""
    lost_why: str | None = None
    checksum: int | None = None
    """``None`` until it is known."""

    @property
    def problem(self) -> str:
        """What is wrong with the row, if anything."""
        return "" if run_checksum(self) == self.checksum else _ALTERED


_LONGEST = 500
"""Characters of all damage that a run tells of itself."""
_ALTERED = "it is not what was written (its checksum differs)"
EventRows = Sequence[tuple[Any, ...]]


class StoredRun(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one run, none of which has been looked at."""

    id: str
    row: tuple[Any, ...] | None
    """By ``RUN_COLUMNS``; ``None`` where it is not there."""
    copy: bytes | None = None
    """The same, as ``copied`` wrote it."""
    events: EventRows
    """``sequence``, ``body``, ``input``, ``output``, ``checksum`` of each."""
    annotations: EventRows = ()
    """``id``, ``run``, ``created_ns``, ``body``, ``checksum`` of each."""
    unread_events: str = ""
    """Why not all events were read, in SQLite's words."""
    unread_annotations: str = ""


class RunReading(msgspec.Struct, frozen=True, kw_only=True):
    """What could be read of a run, and what could not."""

    run: Run
    annotations: tuple[Annotation, ...] = ()
    damage: tuple[Damage, ...] = ()
    restored: tuple[Damage, ...] = ()
    """What was damaged and is known from a copy."""
    missing: int = 0
    """Events that were there and are not among those of the run, as far as is known."""


def messages_named(stored: StoredRun) -> Iterator[int]:
    """The numbers of the messages that its events name."""
    numbers: dict[int, None] = {}
    for _, _, given, said, _ in stored.events:
        with suppress(struct.error, TypeError):
            numbers |= dict.fromkeys(n for (n,) in struct.iter_unpack("<q", given or b""))
        if isinstance(said, int):
            numbers[said] = None
    yield from numbers


def run_checksum(row: RunRow) -> int:
    """The checksum of a run's row."""
    return row_checksum(*msgspec.structs.astuple(row)[:-1])


def read_run(stored: StoredRun, messages: MessageRows) -> RunReading:
    """The run that the rows tell, and everything that is wrong with them; never raises."""
    reader = _RowReader(stored, messages)
    row, run = reader.header()
    events = tuple(reader.events(row))
    annotations = tuple(reader.annotations(row))
    attributes = dict(run.attributes)
    if row is not None and row.lost:
        attributes |= {LOST_EVENTS: row.lost, LOST_REASON: row.lost_why or "unknown"}
    ended_ns = row.ended_ns if row is not None else None
    return RunReading(
        run=msgspec.structs.replace(run, events=events, ended_ns=ended_ns, attributes=attributes),
        annotations=annotations,
        damage=tuple(reader.damage),
        restored=tuple(reader.restored),
        missing=max(reader.expected - len(events), 0),
    )


def fits(run_id: str, row: Sequence[Any], messages: MessageRows) -> bool:
    """Whether an event's row is as its checksum says, whatever stands in it."""
    sequence, body, given, said, checksum = row
    try:
        digests = None
        if given is not None:
            digests = [messages[number][0] for (number,) in struct.iter_unpack("<q", given)]
        answer = None if said is None else messages[said][0]
        return event_checksum(run_id, body, digests, answer) + sequence == checksum
    except (KeyError, ValueError, TypeError, struct.error):
        return False  # values of other kinds, as a page of another table holds


def told(reading: RunReading) -> Run:
    """The run, which says itself what it lacks."""
    run = reading.run
    if not reading.damage:
        return run
    said = printable("; ".join(str(each) for each in reading.damage), limit=_LONGEST)
    told: dict[str, Json] = {DAMAGE: said}
    if reading.missing:
        lost = run.attributes.get(LOST_EVENTS)
        told[LOST_EVENTS] = reading.missing + (lost if isinstance(lost, int) else 0)
        told[LOST_REASON] = "the store was damaged"
    return msgspec.structs.replace(run, attributes=run.attributes | told)


class _RowReader:
    def __init__(self, stored: StoredRun, messages: MessageRows) -> None:
        self._stored = stored
        self._messages = messages
        self._known: dict[int, ChatMessage] = {}
        self.damage: list[Damage] = []
        self.restored: list[Damage] = []
        self.expected = 0
        """Events that there were, as far as the rows tell."""

    def _wrong(self, part: str, why: str) -> None:
        self.damage.append(Damage(run=self._stored.id, part=part, why=why))

    def header(self) -> tuple[RunRow | None, Run]:
        row, problem = whole_row(self._stored.row, self._stored.copy)
        if row is None:
            self._wrong("its header", problem)
            return None, Run(id=self._stored.id)
        if problem:
            self.restored.append(Damage(run=self._stored.id, part="its header", why=problem))
        return row, _header_of(row)

    def events(self, row: RunRow | None) -> Iterator[Event]:
        """The events that are as they were written; gaps are told."""
        if self._stored.unread_events:
            self._wrong("its events", self._stored.unread_events)
        expected = 0
        for sequence, *columns in self._stored.events:
            if not isinstance(sequence, int) or sequence < expected:
                self._wrong(f"event {sequence}", "it is out of its place")
                continue
            self._missing(expected, sequence)
            expected = self.expected = sequence + 1
            event = self._event(sequence, columns)
            if event is not None:
                yield event
        if row is not None:
            self._missing(expected, row.events)
            self.expected = max(expected, row.events)
            if row.ended_ns is not None and expected > row.events:
                self._wrong("its events", f"{expected} are there, and it ended with {row.events}")

    def _missing(self, first: int, following: int) -> None:
        if first + 1 == following:
            self._wrong(f"event {first}", "it is missing")
        elif first < following:
            self._wrong(f"events {first} to {following - 1}", "they are missing")

    def _event(self, sequence: int, columns: Sequence[Any]) -> Event | None:
        body, given, said, _ = columns
        part = f"event {sequence}"
        try:
            numbers = None if given is None else [n for (n,) in struct.iter_unpack("<q", given)]
            event = decode_event(body)
        except (msgspec.MsgspecError, ValueError, TypeError, struct.error) as error:
            self._wrong(part, str(error))
            return None
        named = [*(numbers or ()), *(() if said is None else (said,))]
        lost = [number for number in named if number not in self._messages]
        if not lost and not fits(self._stored.id, (sequence, *columns), self._messages):
            self._wrong(part, _ALTERED)
            return None
        if numbers is None or not isinstance(event, ModelCall):
            return event
        return self._with_messages(event, part, numbers, said)

    def _with_messages(
        self, event: ModelCall, part: str, numbers: Sequence[int], said: int | None
    ) -> Event:
        before = len(self.damage)
        heard = [self._message(number, part) for number in numbers]
        answer = None if said is None else self._message(said, part)
        attributes = event.attributes
        if found := self.damage[before:]:
            attributes = attributes | {DAMAGE: "; ".join(item.why for item in found)}
        return msgspec.structs.replace(
            event, output=answer, attributes=attributes,
            input=tuple(message for message in heard if message is not None),
        )  # fmt: skip

    def _message(self, number: int, part: str) -> ChatMessage | None:
        found = self._known.get(number)
        if found is not None:
            return found
        if number not in self._messages:
            self._wrong(part, f"it refers to message {number}, which is missing")
            return None
        digest, body = self._messages[number]
        try:
            if not is_whole(digest, body):
                raise ValueError(_ALTERED)
            found = self._known[number] = decode_message(body)
        except (msgspec.MsgspecError, ValueError, TypeError) as error:
            self._wrong(part, f"message {number}: {error}")
            return None
        return found

    def annotations(self, row: RunRow | None) -> Iterator[Annotation]:
        """What was said about the run, as it was written."""
        if self._stored.unread_annotations:
            self._wrong("its annotations", self._stored.unread_annotations)
        read = 0
        for name, run, created_ns, body, checksum in self._stored.annotations:
            read += 1
            try:
                if row_checksum(name, run, created_ns, body) != checksum:
                    raise ValueError(_ALTERED)
                annotation = msgspec.json.decode(body, type=Annotation)
            except (msgspec.MsgspecError, ValueError, TypeError) as error:
                self._wrong(f"annotation {name}", str(error))
                continue
            yield annotation
        expected = None if row is None else row.annotations
        if expected is not None and read != expected:
            self._wrong("its annotations", f"{read} there, {expected} written")


def whole_row(values: Sequence[Any] | None, copy: bytes | None) -> tuple[RunRow | None, str]:
    """The row of a run, or its copy where the row is not as it was written; and what is wrong with
    the row. Without either there is none."""
    problem = "it is missing"
    if values is not None:
        row, problem = _checked_row(values)
        if row is not None:
            return row, ""
    if copy is not None:
        with suppress(msgspec.MsgspecError, ValueError):
            return _checked_row(msgspec.msgpack.decode(copy, type=tuple[Any, ...]))[0], problem
    return None, problem


def copied(row: RunRow) -> bytes:
    """A row with its checksum, to stand elsewhere in the file."""
    return msgspec.msgpack.encode(msgspec.structs.astuple(row))


def _checked_row(values: Sequence[Any]) -> tuple[RunRow | None, str]:
    try:
        row = row_of(values)
        run = _header_of(row)
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        return None, str(error)
    told = (run.id, run.name, run.task, run.started_ns)
    if row.problem or told == (row.id, row.name, row.task, row.started_ns):
        return (None, row.problem) if row.problem else (row, "")
    return None, "it contradicts the columns beside it"


def _header_of(row: RunRow) -> Run:
    return msgspec.json.decode(row.header, type=Run)


def row_of(values: Sequence[Any]) -> RunRow:
    """The row, every column of its type.

    Raises:
        msgspec.ValidationError: one is not.
    """
    named = dict(zip(RUN_COLUMNS, values, strict=True))
    header = named["header"]
    if not isinstance(header, bytes):
        raise ValueError(f"its JSON is {type(header).__name__}")
    row = msgspec.convert({**named, "header": b""}, RunRow)
    return msgspec.structs.replace(row, header=header)
