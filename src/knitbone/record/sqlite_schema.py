"""The tables of a run store, version by version."""

from __future__ import annotations

__all__ = ["MIGRATIONS", "NEW_STORE"]

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
)
"""One script for each schema version; a store is brought up to the newest when opened."""
NEW_STORE = """
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
