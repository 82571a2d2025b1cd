"""The rows of a run store as they lie on its pages, whatever became of its trees."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from knitbone.record.event_rows import HASH_BYTES, is_whole
from knitbone.record.memory_rows import MemoryRow, note_of
from knitbone.record.sqlite_pages import PageFile, RecordPlace, Value
from knitbone.record.stored_run import StoredRun, fits, row_of, whole_row

__all__ = ["PagedRows"]


class PagedRows:
    """Everything that can be found in the file of a store.

    Rows are told apart by the kinds of their values, since a page does not say of which table it
    is; where a row turns up twice, all are kept, and the reader takes the one that is right.

    Raises:
        OSError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._pages = PageFile(path)
        self._runs: dict[str, list[RecordPlace]] = defaultdict(list)
        self._events: dict[str, dict[int, list[RecordPlace]]] = defaultdict(dict)
        self._annotations: dict[str, list[RecordPlace]] = defaultdict(list)
        self._messages: dict[int, list[RecordPlace]] = defaultdict(list)
        self._copies: dict[str, list[RecordPlace]] = defaultdict(list)
        self._witnesses: set[str] = set()
        self._notes: list[RecordPlace] = []
        for place, values in self._pages.records():
            self._sort(place, values)
        self.messages = _Messages(self._pages, self._messages)
        """Number of a message -> its digest and its JSON."""

    @property
    def broken_frame(self) -> int:
        """See :attr:`PageFile.broken_frame`."""
        return self._pages.broken_frame

    @property
    def ids(self) -> list[str]:
        """The runs of which anything is left."""
        return sorted(
            {*self._runs, *self._events, *self._annotations, *self._copies, *self._witnesses}
        )

    def notes(self) -> list[MemoryRow]:
        """What is remembered of tasks; of a note that turns up twice the one that is as it was
        written."""
        rows: list[Any] = [self._pages.record(place) for place in self._notes]
        found = sorted(
            map(note_of, rows), key=lambda note: (note.task, note.name, not note.damaged)
        )
        return list({(note.task, note.name): note for note in found}.values())

    def stored_run(self, run_id: str) -> StoredRun:
        """The rows of one run."""
        events = self._events.get(run_id, {})
        rows = (self._pages.record(place) for place in self._runs.get(run_id, ()))
        return StoredRun(
            id=run_id,
            row=_best(list(rows)),
            copy=self._copy(run_id),
            events=[self._event(run_id, events[sequence]) for sequence in sorted(events)],
            annotations=sorted(
                (self._pages.record(place) for place in self._annotations.get(run_id, ())),
                key=lambda row: (row[2], row[0]),
            ),
        )  # fmt: skip

    def _copy(self, run_id: str) -> bytes | None:
        """The copy of a run's row: of several the one that is as it was written."""
        copies = [self._pages.record(place)[1] for place in self._copies.get(run_id, ())]
        held = [copy for copy in copies if isinstance(copy, bytes)]
        whole = [copy for copy in held if whole_row(None, copy)[0] is not None]
        return (whole or held or [None])[-1]

    def _event(self, run_id: str, places: list[RecordPlace]) -> tuple[Value, ...]:
        """The row of an event: of several the one that is as it was written."""
        records = [self._pages.record(place) for place in places]
        found = {row[2:] for row in records}  # without the number of the row and the run
        rows = sorted(found, key=repr)
        for row in rows if len(rows) > 1 else ():
            if fits(run_id, row, self.messages):
                return row
        return rows[0]

    def _sort(self, place: RecordPlace, values: tuple[Value, ...]) -> None:
        # Tables and their versions: sqlite_schema.py. The order of the cases decides.
        match values:
            case (
                str() as run,
                str(),
                str(),
                int(),
                int() | None,
                bytes(),
                int(),
                int(),
                int(),
                str() | None,
                int(),
            ):
                self._runs[run].append(place)
            # notes of the memory: task, name, checksum, time, body
            case (str(), str(), int(), int(), bytes()):
                self._notes.append(place)
            # events: number of the row, run, sequence, body, messages, checksum
            case (int(), str() as run, int() as sequence, bytes(), bytes() | None, int() | None, _):
                self._events[run].setdefault(sequence, []).append(place)
            # tables that only tell that the run was there
            case (str() as run, int(), int()):
                self._witnesses.add(run)
            # annotations: id, run, time, body
            case (str(), str() as run, int(), bytes(), int()):
                self._annotations[run].append(place)
            # messages: number, then digest and JSON
            case (int() as number, None, bytes() as digest, bytes()) if len(digest) == HASH_BYTES:
                self._messages[number].append(place)
            # the copy of a run's row, beside it
            case (str() as run, bytes()):
                self._copies[run].append(place)
            case (int(), str() as run) | (str() as run, int()):
                self._witnesses.add(run)  # an index of runs, or the list of a run's messages
            case _:
                pass


class _Messages(Mapping[int, tuple[bytes, bytes]]):
    """The messages, read when they are asked for."""

    def __init__(self, pages: PageFile, places: Mapping[int, list[RecordPlace]]) -> None:
        self._pages = pages
        self._places = places
        self.spoiled: set[int] = set()
        """Messages of which one copy is not what was written."""

    def __getitem__(self, number: int) -> tuple[bytes, bytes]:
        if number not in self._places:
            raise KeyError(number)
        rows: list[Any] = [self._pages.record(place) for place in self._places[number]]
        whole = [row for row in rows if is_whole(row[2], row[3])]
        if len(whole) < len(rows):
            self.spoiled.add(number)
        chosen = (whole or rows)[-1]
        return chosen[2], chosen[3]

    def __contains__(self, number: object) -> bool:
        return number in self._places

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _best(rows: list[tuple[Value, ...]]) -> tuple[Any, ...] | None:
    """Of several rows of one run the one that is as it was written, and the last of these."""
    right: list[tuple[Value, ...]] = []
    for row in rows:
        try:
            if not row_of(row).problem:
                right.append(row)
        except ValueError:
            continue
    return (right or rows or [None])[-1]
