"""The rows of a store's memory: small notes that stay when runs are purged, by task and name.

A store does not read them; whoever keeps notes there (``tethering/guidance/memory.py``) knows what
they say.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

import msgspec

from knitbone.record.sqlite_schema import row_checksum

__all__ = ["MemoryRow", "delete_notes", "notes", "write_notes"]


class MemoryRow(msgspec.Struct, frozen=True, kw_only=True):
    """One note."""

    task: str
    name: str
    updated_ns: int
    """UTC nanoseconds."""
    body: bytes
    damaged: bool = False
    """It is not what was written."""


def notes(connection: sqlite3.Connection, task: str | None = None) -> list[MemoryRow]:
    """The notes on a task, or on all, in the order of their names."""
    rows: list[tuple[Any, ...]] = connection.execute(
        "SELECT task, name, checksum, updated_ns, body FROM memory"
        " WHERE :task IS NULL OR task = :task ORDER BY task, name",
        {"task": task},
    ).fetchall()
    return list(map(_note_of, rows))


def _note_of(row: tuple[Any, ...]) -> MemoryRow:
    """A row of the table as a note, which says itself when it is not what was written."""
    task, name, checksum, updated, body = row
    return MemoryRow(
        task=task, name=name, updated_ns=updated, body=body,
        damaged=checksum != row_checksum(task, name, updated, body),
    )  # fmt: skip


def write_notes(
    connection: sqlite3.Connection, task: str, bodies: Mapping[str, bytes], updated_ns: int
) -> None:
    """Write notes on a task, in place of those of the same names."""
    connection.executemany(
        "INSERT OR REPLACE INTO memory VALUES (?, ?, ?, ?, ?)",
        [(task, name, row_checksum(task, name, updated_ns, body), updated_ns, body)
         for name, body in bodies.items()],
    )  # fmt: skip


def delete_notes(connection: sqlite3.Connection, task: str, name: str | None = None) -> int:
    """Remove a note on a task, or all of them; how many there were."""
    gone = connection.execute(
        "DELETE FROM memory WHERE task = :task AND (:name IS NULL OR name = :name)",
        {"task": task, "name": name},
    )
    return gone.rowcount
