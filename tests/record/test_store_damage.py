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


def spoiled(whole, number):
    """The file with a page of zeros, and with one that says what no page says."""
    for page in (bytes(PAGE), b"\xff" * PAGE):
        yield whole[: number * PAGE] + page + whole[(number + 1) * PAGE :]


def test_whatever_page_is_lost_is_told_and_nothing_is_shown_altered(written, tmp_path):
    path, runs = written
    whole = path.read_bytes()
    read = kept = 0
    for number in range(1, len(whole) // PAGE):
        for data in spoiled(whole, number):
            path.write_bytes(data)
            try:
                refused = unreadable(path, runs)
            except StoreError:
                refused = list(runs)
            read += len(runs) - len(refused)
            try:
                report = check_store(path)
            except StoreError:
                continue
            assert report.damaged
            assert {run.id for run in report.runs if run.damage} <= set(refused)
            (tmp_path / "new.sqlite").unlink(missing_ok=True)
            salvage_store(path, tmp_path / "new.sqlite")
            kept += events_kept(tmp_path / "new.sqlite", runs)
    pages = 2 * (len(whole) // PAGE - 1)
    assert read > 0.75 * len(runs) * pages  # all are refused for a damaged root of a table alone
    assert kept > 0.9 * sum(len(run.events) for run in runs.values()) * pages


def events_kept(path, runs):
    """How many events a salvaged store holds, each of them as it was written."""
    with closing(SqliteStore(path)) as store:
        found = [(store.get(row.id), runs[row.id]) for row in store.list()]
    for run, known in found:
        whole = [event for event in run.events if DAMAGE not in event.attributes]
        assert [event for event in known.events if event in whole] == whole
        assert DAMAGE in run.attributes or run == known
    return sum(len(run.events) for run, _ in found)


@pytest.mark.parametrize("first", [bytes(PAGE), b"SQLite format 3\0" + bytes(PAGE - 16)])
def test_without_its_first_page_a_store_is_named_and_where_to_look(written, tmp_path, first):
    path, _ = written
    path.write_bytes(first + path.read_bytes()[PAGE:])
    with pytest.raises(StoreError, match=r"knitbone runs check \S+runs.sqlite --salvage"):
        SqliteStore(path)
    for look in (check_store, lambda path: salvage_store(path, tmp_path / "new.sqlite")):
        with pytest.raises(StoreError, match=r"runs\.sqlite can be read: .*\.recover"):
            look(path)
    assert not (tmp_path / "new.sqlite").exists()


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


def test_a_run_whose_log_is_damaged_is_shown_as_open(tmp_path):
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
    (checked,) = check_store(copy).runs
    assert (checked.finished, checked.damage) == (False, ())  # SQLite takes nothing from there on
    with closing(SqliteStore(copy)) as store:
        run = store.get("0a")
    assert run.ended_ns is None
    assert [event.id for event in run.events] == [str(n) for n in range(len(run.events))]


def test_what_is_no_store_is_said_to_be_none(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("notes")
    with pytest.raises(StoreError, match="does not begin as an SQLite file does"):
        check_store(path)
    with closing(sqlite3.connect(tmp_path / "theirs.sqlite")) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StoreError, match="another program"):
        check_store(tmp_path / "theirs.sqlite")
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(StoreError, match="is no run store: it is empty"):
        check_store(tmp_path / "empty.sqlite")
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
