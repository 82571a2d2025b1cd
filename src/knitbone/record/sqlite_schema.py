"""The tables of a run store, version by version."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager
from typing import Protocol

from knitbone.errors import StoreError

__all__ = ["MIGRATIONS", "migrate"]

MIGRATIONS = (
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
    # Rows written before this version have no checksum; a run of that time has no ``unchecked``.
    # What several runs share (a page of their rows, a message) has a copy on another page.
    """
    ALTER TABLE run ADD COLUMN events INTEGER;
    ALTER TABLE run ADD COLUMN annotations INTEGER;
    ALTER TABLE run ADD COLUMN lost INTEGER;
    ALTER TABLE run ADD COLUMN lost_why TEXT;
    ALTER TABLE run ADD COLUMN unchecked INTEGER;
    ALTER TABLE run ADD COLUMN checksum INTEGER;
    ALTER TABLE event ADD COLUMN checksum INTEGER;
    ALTER TABLE annotation ADD COLUMN checksum INTEGER;
    CREATE TABLE run_copy (
        run TEXT PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
        row BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE message_copy (
        id INTEGER PRIMARY KEY,
        hash BLOB NOT NULL,
        body BLOB NOT NULL
    ) STRICT;
    """,
    # What is remembered of tasks; no row of it belongs to a run (memory_rows.py).
    """
    CREATE TABLE memory (
        task TEXT NOT NULL,
        name TEXT NOT NULL,
        checksum INTEGER NOT NULL,
        updated_ns INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (task, name)
    ) STRICT, WITHOUT ROWID;
    """,
)
"""One script for each schema version; a store is brought up to the newest when opened."""
_NEW_STORE = """
    DROP TABLE event;
    CREATE TABLE event (
        run TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
        sequence INTEGER NOT NULL,
        body BLOB NOT NULL,
        input BLOB,
        output INTEGER,
        checksum INTEGER,
        PRIMARY KEY (run, sequence)
    ) STRICT;
    """
"""What a store that is made now has otherwise: in the older layout some events of every run stand
on the pages above the others, so that one such page damages all runs."""


class _Transaction(Protocol):
    """All or nothing, on the store's connection."""

    def __call__(self, *, reading: bool = False) -> AbstractContextManager[sqlite3.Connection]: ...


def migrate(path: str, transaction: _Transaction) -> None:
    """Bring the store at ``path`` to the newest schema; make one of an empty file.

    Raises:
        StoreError: it is another program's file, or was written by a newer knitbone.
    """
    # One transaction sees one state: another process may be making the store at this moment.
    with transaction(reading=True) as connection:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} has schema version {version}; this knitbone knows up to {len(MIGRATIONS)}.",
            next_step="Upgrade knitbone, or use another store.",
        )
    if version == 0 and tables:
        raise StoreError(
            f"{path} is an SQLite file of another program.",
            next_step="Name another file with --store or KNITBONE_RECORD_STORE.",
        )
    if version < len(MIGRATIONS):
        with transaction() as connection:
            # Another process may have done it since the version was read.
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            for script in (*MIGRATIONS[version:], *(() if version else (_NEW_STORE,))):
                for statement in script.split(";"):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
