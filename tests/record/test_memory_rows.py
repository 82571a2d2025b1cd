"""Notes on tasks in a run store: they stay when runs go, and are no rows of runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from knitbone.record.events import Annotation, Run
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store_check import check_store, salvage_store


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path)) as store:
        store.put(Run(id="0a", task="seat four"))
        store.annotate(Annotation(id="l", run="0a", kind="guidance", body={}))
        store.change_notes("t", lambda _: {"one": b"1", "two": b"2"}, updated_ns=5)
    return path


def bodies(path, task="t"):
    with closing(SqliteStore(path)) as store:
        return {note.name: note.body for note in store.notes(task) if not note.damaged}


def test_a_change_sees_what_is_there_and_replaces_by_name(path):
    with closing(SqliteStore(path)) as store:
        store.change_notes("t", lambda rows: {"one": rows[0].body + b"+"}, updated_ns=6)
    assert bodies(path) == {"one": b"1+", "two": b"2"}


def test_a_change_that_raises_changes_nothing(path):
    def change(rows):
        raise RuntimeError(rows)

    with closing(SqliteStore(path)) as store:
        with pytest.raises(RuntimeError):
            store.change_notes("t", change, updated_ns=6)
        store.change_notes("u", lambda _: {"three": b"3"}, updated_ns=6)
    assert bodies(path) == {"one": b"1", "two": b"2"}


def test_notes_stay_when_the_run_is_purged_and_go_when_forgotten(path):
    with closing(SqliteStore(path)) as store:
        store.purge("0a")
        assert len(store.notes("t")) == 2
        assert store.forget("t", "one") == 1
        assert store.forget("t") == 1
        assert store.forget("t") == 0


def test_a_damaged_note_is_found_and_the_others_are_salvaged(path, tmp_path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE memory SET body = x'33' WHERE name = 'one'")
        connection.commit()
    report = check_store(path)
    assert report.damaged
    assert "what is remembered of t (one)" in report.problems[0]
    salvage_store(path, tmp_path / "new.sqlite")
    assert bodies(tmp_path / "new.sqlite") == {"two": b"2"}
