"""The records on the pages of an SQLite file, found without its trees.

SQLite reaches a row through pages above it; where one of those is damaged, all rows below it are
out of reach, though they are there. Here every page is read by itself, as the file format says
(https://sqlite.org/fileformat2.html), with what the write-ahead log holds in its place. Pages on
the free list are left out: they hold what was removed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["PageFile", "RecordPlace", "Value"]

Value = str | bytes | int | float | None

_HEADER = 100
"""Bytes of the file's own header on its first page."""
_SIZES = {2**power for power in range(9, 16)} | {1}
_USUAL_SIZE = 4_096
_WAL_HEADER, _FRAME_HEADER = 32, 24
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER = 13, 10, 2
_MAX_PAYLOAD = 1 << 30
"""Bytes of a row, SQLite's own limit; a longer one is a damaged length."""
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Serial type -> bytes of an integer."""


class RecordPlace(NamedTuple):
    """Where a record stands."""

    page: int
    cell: int


class PageFile:
    """The pages of a file, the newest committed version of each.

    Raises:
        OSError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        try:
            self._log = path.with_name(path.name + "-wal").read_bytes()
        except OSError:
            self._log = b""
        self.size = _page_size(self._data, self._log)
        self._in_log = _frames(self._log, self.size)
        self.broken_frame = _first_broken(self._log, self.size)
        """Which frame of the write-ahead log is damaged, counted from 1, so that SQLite reads none
        from there on; 0 where none is."""
        on_disk = -(-len(self._data) // self.size)
        self.pages = max([on_disk, *self._in_log])
        self._usable = self.size - self._reserved()
        self._free = self._free_pages()

    def records(self) -> Iterator[tuple[RecordPlace, tuple[Value, ...]]]:
        """Every record that can be decoded; the first value of a table's is its row number."""
        for number in range(1, self.pages + 1):
            if number not in self._free:
                yield from self._records_of(number)

    def record(self, place: RecordPlace) -> tuple[Value, ...]:
        """The record at a place that ``records`` gave."""
        return self._decode(self.page(place.page), place.cell)

    def page(self, number: int) -> bytes:
        """One page; what the file no longer holds of it is zeros."""
        at = self._in_log.get(number)
        if at is not None:
            return self._log[at : at + self.size]
        start = (number - 1) * self.size
        return self._data[start : start + self.size].ljust(self.size, b"\0")

    def _records_of(self, number: int) -> Iterator[tuple[RecordPlace, tuple[Value, ...]]]:
        page = self.page(number)
        start = _HEADER if number == 1 else 0
        kind = page[start]
        if kind not in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INNER):
            return
        cells = int.from_bytes(page[start + 3 : start + 5], "big")
        pointers = start + (12 if kind == _INDEX_INNER else 8)
        for position in range(pointers, min(pointers + 2 * cells, len(page) - 1), 2):
            cell = int.from_bytes(page[position : position + 2], "big")
            try:
                yield RecordPlace(number, cell), self._decode(page, cell, kind)
            except (ValueError, IndexError):
                continue  # whoever misses the row says so

    def _decode(self, page: bytes, cell: int, kind: int | None = None) -> tuple[Value, ...]:
        # The first page holds the schema, which nobody asks for by its place.
        kind = page[0] if kind is None else kind
        if kind == _INDEX_INNER:
            cell += 4
        length, cell = _varint(page, cell)
        row: tuple[Value, ...] = ()
        if kind == _TABLE_LEAF:
            number, cell = _varint(page, cell)
            row = (number,)
        return row + _values(self._payload(page, cell, length, table=kind == _TABLE_LEAF))

    def _payload(self, page: bytes, start: int, length: int, *, table: bool) -> bytes:
        """The bytes of a row, those on overflow pages included."""
        if not 0 <= length <= _MAX_PAYLOAD:
            raise ValueError("length")
        usable = self._usable
        most = usable - 35 if table else (usable - 12) * 64 // 255 - 23
        if length <= most:
            return page[start : start + length]
        least = (usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (usable - 4)
        local = local if local <= most else least
        parts = [page[start : start + local]]
        left, following = (
            length - local,
            int.from_bytes(page[start + local : start + local + 4], "big"),
        )
        while left > 0:
            if not 1 < following <= self.pages:
                raise ValueError("overflow page")
            content = self.page(following)
            part = content[4 : min(usable, left + 4)]
            parts.append(part)
            left -= len(part)  # at least some hundred bytes a round, so that a circle ends
            following = int.from_bytes(content[:4], "big")
        return b"".join(parts)

    def _reserved(self) -> int:
        reserved = self.page(1)[20]
        return reserved if reserved <= self.size - 480 else 0

    def _free_pages(self) -> frozenset[int]:
        free: set[int] = set()
        trunk = int.from_bytes(self.page(1)[32:36], "big")
        while 1 < trunk <= self.pages and trunk not in free:
            free.add(trunk)
            page = self.page(trunk)
            count = min(int.from_bytes(page[4:8], "big"), self.size // 4 - 2)
            free.update(int.from_bytes(page[8 + 4 * n : 12 + 4 * n], "big") for n in range(count))
            trunk = int.from_bytes(page[:4], "big")
        return frozenset(free - {1})


def _page_size(data: bytes, log: bytes) -> int:
    found = int.from_bytes(data[16:18], "big")
    if not data.startswith(b"SQLite format 3\0") or found not in _SIZES:
        found = int.from_bytes(log[8:12], "big")
    if found not in _SIZES | {65_536}:
        return _USUAL_SIZE
    return 65_536 if found == 1 else found


def _frames(log: bytes, size: int) -> dict[int, int]:
    """Page -> where its newest committed version stands in the write-ahead log."""
    committed: dict[int, int] = {}
    pending: dict[int, int] = {}
    salts = log[16:24]
    for start in range(_WAL_HEADER, len(log) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        if log[start + 8 : start + 16] != salts:
            break  # left over from before the log was begun anew
        pending[int.from_bytes(log[start : start + 4], "big")] = start + _FRAME_HEADER
        if log[start + 4 : start + 8] != b"\0\0\0\0":
            committed |= pending
            pending = {}
    return {page: at for page, at in committed.items() if page > 0}


def _first_broken(log: bytes, size: int) -> int:
    """The first frame of this log whose checksum is wrong, where a commit follows it. Without one
    it is what an interrupted or refused transaction left, of which nobody was told it was done."""
    if len(log) <= _WAL_HEADER:
        return 0
    order = "<" if log[:4] == b"\x37\x7f\x06\x82" else ">"
    length = _FRAME_HEADER + size
    sums = _mixed(log[:24], order, (0, 0))
    broken = 0 if struct.pack(">II", *sums) == log[24:32] else 1
    stored = log[24:32]
    for number, start in enumerate(range(_WAL_HEADER, len(log) - length + 1, length), start=1):
        if log[start + 8 : start + 16] != log[16:24]:
            break  # left over from before the log was begun anew
        page = start + _FRAME_HEADER
        before: tuple[int, int] = struct.unpack(">II", stored)
        sums = _mixed(log[start : start + 8] + log[page : page + size], order, before)
        stored = log[start + 16 : page]
        whole = struct.pack(">II", *sums) == stored
        if broken and whole and log[start + 4 : start + 8] != b"\0\0\0\0":
            return broken
        if not whole:
            broken = broken or number
    return 0


def _mixed(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    """The checksums of a write-ahead log, going on from those before."""
    first, second = sums
    for one, other in struct.iter_unpack(order + "II", data):
        first = first + one + second & 0xFFFFFFFF
        second = second + other + first & 0xFFFFFFFF
    return first, second


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """A number of SQLite's own width, and where it ends."""
    value = 0
    for width in range(8):
        byte = page[at + width]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + width + 1
    value = value << 8 | page[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9


def _values(payload: bytes) -> tuple[Value, ...]:
    end, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values: list[Value] = []
    for kind in kinds:
        width = _width(kind)
        part = payload[at : at + width]
        if len(part) < width:
            raise ValueError("end of the row")
        values.append(_value(kind, part))
        at += width
    if at != len(payload):
        raise ValueError("length of the row")
    return tuple(values)


def _width(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    if kind in (10, 11) or kind < 0:
        raise ValueError("kind of value")
    return 8 if kind == 7 else _INTEGERS.get(kind, 0)


def _value(kind: int, part: bytes) -> Value:
    if kind in _INTEGERS:
        return int.from_bytes(part, "big", signed=True)
    if kind in (8, 9):
        return kind - 8
    if kind == 7:
        raise ValueError("no store of ours holds a float")
    if kind == 0:
        return None
    return part.decode("utf-8") if kind % 2 else part
