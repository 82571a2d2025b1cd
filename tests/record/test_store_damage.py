"""Damaged run stores: what is said, what is still read, and what a new store keeps."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import msgspec
import pytest

from knitbone.errors import StoreError
from knitbone.record.events import (
    DAMAGE,
    LOST_EVENTS,
    LOST_REASON,
    Annotation,
    ChatMessage,
    Message,
    ModelCall,
    Outcome,
    Run,
    ToolCall,
)
from knitbone.record.sqlite_pages import PageFile
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store_check import check_store, salvage_store

PAGE = 4096
RULES = ChatMessage(role="system", content="Rules that every run is given. " * 30)


def a_run(number, events=20):
    name = f"{number:02d}ab"
    made = [
        ModelCall(
            id=f"{name}-{n}", input=(RULES, ChatMessage(role="user", content=f"{name} {n} " * 90))
        )
        if n % 2
        else ToolCall(id=f"{name}-{n}", name="find", result=f"{name} table {n} " * 80)
        for n in range(events)
    ]
    return Run(id=name, name=f"run {number}", task="seat", started_ns=number, ended_ns=99,
               events=tuple(made))  # fmt: skip


@pytest.fixture
def written(tmp_path):
    """A store of eight runs, in one file."""
    path = tmp_path / "runs.sqlite"
    runs = {run.id: run for run in map(a_run, range(8))}
    with closing(SqliteStore(path)) as store:
        for run in runs.values():
            store.put(run)
        store.annotate(Annotation(id="n", run="03ab", kind="label", body={"step": 3}))
    return path, runs


def edited(path, statement):
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount


def unreadable(path, runs):
    """The runs that the store refuses to give; the others must be as they were written."""
    refused = []
    with closing(SqliteStore(path)) as store:
        assert {row.id for row in store.list()} == set(runs)
        for run_id, run in runs.items():
            try:
                assert store.get(run_id) == run
            except StoreError:
                refused.append(run_id)
    return refused


EDITS = {
    "an event's words": ("UPDATE event SET body = CAST(replace(CAST(body AS TEXT), 'table',"
                         " 'stool') AS BLOB)"
                         " WHERE run = '02ab' AND sequence = 4", "event 4"),
    "an event's place": ("UPDATE event SET sequence = 900 WHERE run = '02ab' AND sequence = 4",
                         "event 4"),
    "an event's run": ("UPDATE event SET run = '02ab', sequence = 20"
                       " WHERE run = '03ab' AND sequence = 19", "event 20"),
    "an event that is gone": ("DELETE FROM event WHERE run = '02ab' AND sequence = 4", "event 4"),
    "the last events gone": ("DELETE FROM event WHERE run = '02ab' AND sequence > 17",
                             "events 18 to 19"),
    "another message": ("UPDATE event SET input = (SELECT input FROM event WHERE run = '02ab'"
                        " AND sequence = 1) WHERE run = '02ab' AND sequence = 5", "event 5"),
}  # fmt: skip


@pytest.mark.parametrize(("statement", "part"), EDITS.values(), ids=EDITS)
def test_a_row_that_was_changed_is_named_and_never_shown_as_it_is(written, statement, part):
    path, runs = written
    edited(path, statement)
    refused = unreadable(path, runs)
    assert "02ab" in refused
    assert set(refused) <= {"02ab", "03ab"}
    report = check_store(path)
    assert report.damaged
    found = {run.id: run.damage for run in report.runs}
    assert part in [damage.part for damage in found["02ab"]]
    assert not any(damage for run, damage in found.items() if run not in refused)


def test_swapped_events_are_noticed_though_both_are_whole(written):
    path, runs = written
    move = "UPDATE event SET sequence = {} WHERE run = '02ab' AND sequence = {}"
    for new, old in ((900, 4), (4, 6), (6, 900)):
        edited(path, move.format(new, old))
    assert unreadable(path, runs) == ["02ab"]


def test_a_header_that_was_changed_is_read_from_its_copy(written):
    path, runs = written
    edited(path, "UPDATE run SET task = 'another', ended_ns = NULL WHERE id = '02ab'")
    assert unreadable(path, runs) == []
    (found,) = [run for run in check_store(path).runs if run.restored]
    assert (found.id, found.restored[0].part) == ("02ab", "its header")
    edited(path, "DELETE FROM run_copy WHERE run = '02ab'")
    assert unreadable(path, runs) == ["02ab"]


def test_a_lost_annotation_is_noticed(written):
    path, _ = written
    edited(path, "DELETE FROM annotation")
    with closing(SqliteStore(path)) as store, pytest.raises(StoreError, match="0 there, 1 written"):
        store.annotations("03ab")


def test_no_page_takes_more_than_its_neighbours_with_it(written):
    path, runs = written
    whole = path.read_bytes()
    for number in range(1, len(whole) // PAGE):
        path.write_bytes(whole[: number * PAGE] + bytes(PAGE) + whole[(number + 1) * PAGE :])
        refused = unreadable(path, runs)
        assert len(refused) <= 3, number
        report = check_store(path)
        assert report.damaged
        assert [run.id for run in report.runs if run.damage] == sorted(refused)


def test_without_its_first_page_a_store_is_named_and_salvaged_whole(written, tmp_path):
    path, runs = written
    path.write_bytes(bytes(PAGE) + path.read_bytes()[PAGE:])
    with pytest.raises(StoreError, match=r"knitbone runs check \S+runs.sqlite --salvage"):
        SqliteStore(path)
    assert salvage_store(path, tmp_path / "new.sqlite") == 8
    assert unreadable(tmp_path / "new.sqlite", runs) == []
    with closing(SqliteStore(tmp_path / "new.sqlite")) as store:
        assert store.annotations("03ab")[0].body == {"step": 3}


def test_a_salvaged_run_says_what_it_lacks(written, tmp_path):
    path, runs = written
    edited(path, "DELETE FROM event WHERE run = '02ab' AND sequence IN (4, 5)")
    salvage_store(path, tmp_path / "new.sqlite")
    with closing(SqliteStore(tmp_path / "new.sqlite")) as store:
        run = store.get("02ab")
        assert store.list(limit=8)[5].lost == 2
        assert store.get("03ab") == runs["03ab"]
    assert run.events == (*runs["02ab"].events[:4], *runs["02ab"].events[6:])
    assert run.attributes[LOST_EVENTS] == 2
    assert run.attributes[LOST_REASON] == "the store was damaged"
    assert "events 4 to 5: they are missing" in run.attributes[DAMAGE].lower()
    with pytest.raises(StoreError, match="already"):
        salvage_store(path, tmp_path / "new.sqlite")


def test_an_event_without_one_of_its_messages_is_salvaged_with_a_note(written, tmp_path):
    path, _ = written
    edited(path, "DELETE FROM message WHERE CAST(body AS TEXT) LIKE '%02ab 5%'")
    salvage_store(path, tmp_path / "new.sqlite")
    with closing(SqliteStore(tmp_path / "new.sqlite")) as store:
        event = store.get("02ab").events[5]
    assert event.input == (RULES,)
    assert "missing" in event.attributes[DAMAGE]


def test_what_all_runs_share_has_a_copy(written):
    path, runs = written
    edited(path, "UPDATE message SET body = x'7b7d' WHERE CAST(body AS TEXT) LIKE '%every run%'")
    assert unreadable(path, runs) == []
    assert any("message" in problem for problem in check_store(path).problems)


def test_what_was_purged_is_in_no_page(written, tmp_path):
    path, _ = written
    with closing(SqliteStore(path)) as store:
        store.purge("02ab")
    assert b"02ab table" not in path.read_bytes()
    assert "02ab" not in [run.id for run in check_store(path).runs]


def test_pages_on_the_free_list_are_passed_over(tmp_path):
    path = tmp_path / "free.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA secure_delete = OFF")  # which some builds have on
        connection.execute("CREATE TABLE t (body BLOB)")
        connection.executemany("INSERT INTO t VALUES (?)", [(b"gone" * 300,)] * 50)
        connection.commit()
        connection.execute("DELETE FROM t")
    assert b"gone" in path.read_bytes()
    assert not any("gone" in repr(values) for _, values in PageFile(path).records())


def test_a_run_without_its_log_is_still_known(tmp_path):
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path)) as store:
        store.begin(Run(id="0a", name="n", started_ns=1))
        store.append("0a", Outcome(id="1"))
        store.finish("0a", ended_ns=5)
        copied = path.read_bytes()  # as a copy of the one file takes it
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(copied)
    (run,) = check_store(copy).runs
    assert (run.id, run.events, run.finished) == ("0a", 0, False)
    with closing(SqliteStore(copy)) as store:
        assert [(row.id, row.ended_ns) for row in store.list()] == [("0a", None)]


def test_a_damaged_log_is_told_and_read_around(tmp_path):
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path)) as store:
        store.begin(Run(id="0a", name="n", started_ns=1))
        for number in range(20):
            store.append("0a", Message(id=str(number), role="user", content="words " * 300))
        store.finish("0a", ended_ns=5)
        log = bytearray((tmp_path / "runs.sqlite-wal").read_bytes())
        whole = path.read_bytes()
    log[32 + 3 * (24 + PAGE) + 2_000] ^= 1
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(whole)
    (tmp_path / "copy.sqlite-wal").write_bytes(log)
    report = check_store(copy)
    assert "frame 4 of its write-ahead log is damaged" in report.problems[0]
    assert salvage_store(copy, tmp_path / "new.sqlite") == 1
    with closing(SqliteStore(tmp_path / "new.sqlite")) as store:
        assert len(store.get("0a").events) >= 19


def test_what_is_no_store_is_said_to_be_none(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("notes")
    with pytest.raises(StoreError, match="no run store"):
        check_store(path)
    with pytest.raises(StoreError, match="cannot be read"):
        check_store(tmp_path / "none.sqlite")


def test_lost_events_stand_in_the_run_and_in_the_list(tmp_path):
    with closing(SqliteStore(tmp_path / "runs.sqlite")) as store:
        store.begin(Run(id="0a", started_ns=1))
        store.note_lost("0a", events=3, reason="The disk is full.")
        store.finish("0a", ended_ns=2)
        store.note_lost("0a", events=2, reason="The disk is full.")
        assert store.get("0a").attributes == {
            LOST_EVENTS: 5, LOST_REASON: "The disk is full.",
        }  # fmt: skip
        assert store.list()[0].lost == 5
        store.put(msgspec.structs.replace(store.get("0a"), id="0b"))  # as an import does
        assert store.list()[0].lost == 5
