"""The tables of a run store."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from knitbone.errors import StoreError

__all__ = ["SCHEMA_VERSION", "event_checksum", "make_tables", "require_store", "row_checksum"]


# Checksums of what a store keeps, so that a row which a disk or a hand changed is known for it.
#
# CRC-32: it finds every change of up to 32 neighbouring bits, and of other damage all but one in
# four thousand million. A keyed or cryptographic digest would find no more of what a disk does, and
# costs four times as much of a small row and eight bytes more (``benchmarks.records``): nobody is
# kept from forging a row by it. Messages have their BLAKE2b digest, by which they are found
# (:mod:`knitbone.record.event_rows`); an event's checksum covers the digests of its messages.

_NONE = b"\0"
_encode = msgspec.msgpack.encode


def event_checksum(
    run_id: str, body: bytes, given: Iterable[bytes] | None, said: bytes | None
) -> int:
    """The checksum of an event, to which the store adds its place in the run.

    Args:
        given: the digests of the messages that a model was given; ``None`` where there are none.
        said: the digest of what it answered.
    """
    mixed = zlib.crc32(body, zlib.crc32(run_id.encode("utf-8", "surrogatepass")))
    if given is None:
        return mixed
    return zlib.crc32(said or _NONE, zlib.crc32(b"".join(given), mixed))


def row_checksum(*values: str | bytes | int | None) -> int:
    """The checksum of a row's columns in their order."""
    return zlib.crc32(_encode(values))


SCHEMA_VERSION = 5
"""Raised with every change of the tables: a store of another version is refused."""

_TABLES = """
    CREATE TABLE run (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        task TEXT NOT NULL,
        started_ns INTEGER NOT NULL,
        ended_ns INTEGER,
        header BLOB NOT NULL,
        events INTEGER NOT NULL,
        annotations INTEGER NOT NULL,
        lost INTEGER NOT NULL,
        lost_why TEXT,
        checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX run_started ON run (started_ns);
    CREATE TABLE event (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        sequence INTEGER NOT NULL,
        body BLOB NOT NULL,
        input BLOB,
        output INTEGER,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (run, sequence)
    ) STRICT;
    CREATE TABLE annotation (
        id TEXT PRIMARY KEY,
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        created_ns INTEGER NOT NULL,
        body BLOB NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX annotation_run ON annotation (run, created_ns);
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
    CREATE TABLE run_copy (
        run TEXT PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
        row BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE message_copy (
        id INTEGER PRIMARY KEY,
        hash BLOB NOT NULL,
        body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE memory (
        task TEXT NOT NULL,
        name TEXT NOT NULL,
        checksum INTEGER NOT NULL,
        updated_ns INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (task, name)
    ) STRICT, WITHOUT ROWID;
"""
"""Events have a table with row numbers, so that those of one run stand on no page above those of
others. What several runs share (a page of their rows, a message) has a copy on another page. No row
of ``memory`` belongs to a run (memory_rows.py)."""


class _Transaction(Protocol):
    """All or nothing, on the store's connection."""

    def __call__(self, *, reading: bool = False) -> AbstractContextManager[sqlite3.Connection]: ...


def make_tables(path: str, transaction: _Transaction) -> None:
    """Make the tables in an empty file; leave a store as it is.

    Raises:
        StoreError: it is another program's file, or a store of another schema version.
    """
    # One transaction sees one state: another process may be making the store at this moment.
    with transaction(reading=True) as connection:
        if _is_store(path, connection):
            return
    with transaction() as connection:
        # Another process may have done it since.
        if _is_store(path, connection):
            return
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _is_store(path: str, connection: sqlite3.Connection) -> bool:
    """Whether the file has the tables already; ``False`` where it is empty."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 0 and tables:
        raise StoreError(
            f"{path} is an SQLite file of another program.",
            next_step="Name another file with --store or KNITBONE_RECORD_STORE.",
        )
    if version not in (0, SCHEMA_VERSION):
        raise StoreError(
            f"{path} has schema version {version}; this knitbone reads version {SCHEMA_VERSION}.",
            next_step="Use the knitbone that wrote it, or name another file with --store or "
            "KNITBONE_RECORD_STORE.",
        )
    return version == SCHEMA_VERSION


def require_store(path: str, connection: sqlite3.Connection) -> None:
    """See that a file is a store.

    Raises:
        StoreError: it is empty, another program's file, or a store of another schema version.
    """
    if not _is_store(path, connection):
        raise StoreError(
            f"{path} is no run store: it is empty.",
            next_step="Name the store: knitbone runs check FILE",
        )
