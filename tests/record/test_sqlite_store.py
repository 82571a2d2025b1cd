"""The run store: durable, immutable when finished, purgeable, versioned."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest
from recorded_block import record_run

from knitbone.config import RecordConfig
from knitbone.errors import RunFinishedError, StoreBusyError, StoreError
from knitbone.record.events import (
    Annotation,
    ChatMessage,
    Message,
    ModelCall,
    Outcome,
    Run,
    ToolCall,
    ToolCallRequest,
)
from knitbone.record.recorder import current_recorder
from knitbone.record.sqlite_schema import SCHEMA_VERSION
from knitbone.record.sqlite_store import SqliteStore


@pytest.fixture
def store(tmp_path):
    made = SqliteStore(tmp_path / "sub" / "runs.sqlite")
    yield made
    made.close()


def a_run(run_id="0a", events=()):
    return Run(id=run_id, name="n", task="t", started_ns=5, events=tuple(events))


def test_a_run_comes_back_as_it_was_put(store):
    run = a_run(events=[Message(id="1", role="user", content="hé\u2028"), Outcome(id="2")])
    store.put(run)
    assert store.get("0a") == run


def test_events_are_kept_in_the_order_of_their_recording(store):
    store.begin(a_run())
    events = [ToolCall(id=str(n), name="t", arguments={"n": n}) for n in range(50)]
    for event in events:
        store.append("0a", event)
    store.finish("0a", ended_ns=9)
    assert store.get("0a").events == tuple(events)
    assert store.get("0a").ended_ns == 9


def test_a_finished_run_refuses_further_events(store):
    store.begin(a_run())
    store.finish("0a", ended_ns=9)
    with pytest.raises(RunFinishedError, match="finished and cannot change"):
        store.append("0a", Outcome(id="1"))
    with pytest.raises(RunFinishedError):
        store.finish("0a", ended_ns=10)
    assert store.get("0a").events == ()


def test_an_unknown_run_is_named_with_what_to_do(store):
    with pytest.raises(StoreError, match="no run zz"):
        store.append("zz", Outcome(id="1"))
    with pytest.raises(StoreError, match="knitbone runs list"):
        store.get("zz")


def test_a_run_is_found_by_the_start_of_its_identifier_unless_it_is_ambiguous(store):
    store.put(a_run("abc1"))
    store.put(a_run("abd2"))
    assert store.get("abc").id == "abc1"
    with pytest.raises(StoreError, match="Several runs start with 'ab'"):
        store.get("ab")


def test_the_same_run_twice_is_an_error_and_changes_nothing(store):
    store.put(a_run(events=[Outcome(id="1")]))
    with pytest.raises(StoreError, match="already in"):
        store.put(a_run())
    assert len(store.get("0a").events) == 1


def test_runs_are_listed_newest_first(store):
    for number in range(3):
        store.put(Run(id=f"{number}x", started_ns=number, events=(Outcome(id="1"),)))
    assert [(row.id, row.events) for row in store.list()] == [("2x", 1), ("1x", 1), ("0x", 1)]
    assert [row.id for row in store.list(limit=1)] == ["2x"]


def test_a_purged_run_is_gone_with_its_events_and_annotations(store):
    store.put(a_run(events=[Outcome(id="1")]))
    store.annotate(Annotation(id="l", run="0a", kind="label", body={"step": 3}))
    assert store.annotations("0a")[0].body == {"step": 3}
    store.purge("0a")
    assert store.list() == []
    with pytest.raises(StoreError):
        store.annotations("0a")
    store.put(a_run())
    assert store.annotations("0a") == []


SYSTEM = ChatMessage(role="system", content="Seat the guests of the restaurant. " * 20)
ASKS = ChatMessage(
    role="assistant", tool_calls=(ToolCallRequest(name="find", arguments={"n": 4}, call_id="c"),)
)
ANSWER = ChatMessage(role="tool", content="table 7", tool_call_id="c")


def a_conversation(run_id, words):
    user = ChatMessage(role="user", content=words)
    return a_run(
        run_id,
        [
            ModelCall(id="1", model="m", input=(SYSTEM, user), output=ASKS, attributes={"x": 1}),
            ToolCall(id="2", name="find", result="table 7"),
            ModelCall(id="3", input=(SYSTEM, user, ASKS, ANSWER, user)),
            ModelCall(id="4", output=ChatMessage(role="assistant")),
        ],
    )


def messages_in(store):
    rows = store._connection.execute("SELECT body FROM message").fetchall()
    return [body for (body,) in rows]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_message_is_stored_once_and_comes_back_everywhere(store, at_once):
    run = a_conversation("0a", "four guests")
    if at_once:
        store.put(run)
    else:
        store.begin(a_run("0a"))
        for event in run.events:
            store.append("0a", event)
    assert store.get("0a").events == run.events
    assert len(messages_in(store)) == len(set(messages_in(store))) == 5
    assert all(b"Seat the guests" not in body for (body,) in store._connection.execute(
        "SELECT body FROM event"))  # fmt: skip


def test_a_purged_run_takes_the_messages_that_no_other_run_holds(store):
    store.put(a_conversation("0a", "four guests"))
    store.put(a_conversation("0b", "five guests"))
    store.purge("0a")
    left = b"".join(messages_in(store))
    assert b"four guests" not in left
    assert store.get("0b") == a_conversation("0b", "five guests")
    store.purge("0b")
    assert messages_in(store) == []
    store.begin(a_run("0a"))
    store.append("0a", a_conversation("0a", "four guests").events[0])
    assert store.get("0a").events == a_conversation("0a", "four guests").events[:1]


def test_an_event_that_is_refused_leaves_no_message_behind(store):
    call = a_conversation("0a", "x").events[0]
    store.begin(a_run())
    store.finish("0a", ended_ns=1)
    with pytest.raises(RunFinishedError):
        store.append("0a", call)
    assert messages_in(store) == []


def test_several_processes_may_make_a_store_at_once(tmp_path):
    code = (
        "import sys, time\n"
        "from knitbone.record.sqlite_store import SqliteStore\n"
        "start = float(sys.argv[2])\n"
        "for number in range(60):\n"
        "    while time.time() < start + number / 50: pass\n"
        "    SqliteStore(f'{sys.argv[1]}{number}.sqlite').close()\n"
    )
    given = [str(tmp_path / "new"), str(time.time() + 1.5)]
    started = [subprocess.Popen([sys.executable, "-c", code, *given]) for _ in range(4)]
    assert [process.wait() for process in started] == [0] * 4


def test_a_store_that_another_process_makes_meanwhile_is_no_other_program_s(tmp_path, monkeypatch):
    path, connect = tmp_path / "new.sqlite", sqlite3.connect
    looks = []

    class Between(sqlite3.Connection):
        def execute(self, sql, *values):
            found = super().execute(sql, *values)
            if sql in ("PRAGMA user_version", "SELECT count(*) FROM sqlite_master"):
                looks.append(sql)
                if len(looks) == 1:
                    with monkeypatch.context() as undone:
                        undone.setattr(sqlite3, "connect", connect)
                        SqliteStore(path).close()
            return found

    def connected(*given, **settings):
        return connect(*given, factory=Between, **settings)

    monkeypatch.setattr(sqlite3, "connect", connected)
    SqliteStore(path).close()
    assert len(looks) > 1


def test_annotations_do_not_touch_the_run(store):
    run = a_run(events=[Outcome(id="1")])
    store.put(run)
    store.annotate(Annotation(id="l", run="0a", kind="diagnosis", body={}, event="1"))
    assert store.get("0a") == run


def test_a_file_of_another_program_or_schema_version_is_refused(tmp_path):
    foreign = tmp_path / "foreign.sqlite"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        SqliteStore(foreign)
    text = tmp_path / "text.sqlite"
    text.write_text("not a database, but long enough to be read as one" * 10)
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteStore(text)
    for version in (SCHEMA_VERSION - 1, SCHEMA_VERSION + 1):
        other = tmp_path / f"{version}.sqlite"
        with closing(sqlite3.connect(other)) as connection:
            connection.execute("CREATE TABLE run (id TEXT)")
            connection.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(StoreError, match=f"schema version {version}; .* {SCHEMA_VERSION}") as e:
            SqliteStore(other)
        assert e.value.next_step


def test_threads_write_to_one_store_without_loss(store):
    store.begin(a_run())

    def write(part: int) -> None:
        for number in range(25):
            store.append("0a", ToolCall(id=f"{part}-{number}", name="t"))

    threads = [threading.Thread(target=write, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({event.id for event in store.get("0a").events}) == 100


KILLED = """
import sys
from knitbone.record.events import ToolCall
from knitbone.record.recorder import start_recording
from knitbone.record.redaction import Redactor
from knitbone.record.sqlite_store import SqliteStore
recorder = start_recording(SqliteStore(sys.argv[1]), name="killed", redactor=Redactor())
number = 0
while True:
    recorder.record(ToolCall(id=str(number), name="t"))
    number += 1
    print(number, flush=True)
"""


def test_a_run_survives_kill_9_up_to_its_last_event(tmp_path):
    path = tmp_path / "runs.sqlite"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
    )
    for _ in range(40):
        confirmed = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    rest = process.stdout.read().split()
    process.stdout.close()
    process.wait()
    confirmed = int(rest[-1]) if rest and rest[-1].isdigit() else confirmed
    store = SqliteStore(path)
    (summary,) = store.list()
    run = store.get(summary.id)
    store.close()
    assert run.ended_ns is None
    assert len(run.events) >= confirmed >= 40
    assert [event.id for event in run.events] == [str(n) for n in range(len(run.events))]


def test_recording_redacts_before_it_stores_and_ends_the_run(store, tmp_path):
    secret = "sk-proj-abcDEF0123456789abcDEF0123456789"
    with record_run(store, name=f"run {secret}", task="buy tea") as recorder:
        assert current_recorder() is recorder
        recorder.record(ToolCall(id="1", name="t", arguments={"key": secret}))
    assert current_recorder() is None
    run = store.get(recorder.run_id)
    assert run.ended_ns is not None
    store.close()
    on_disk = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert secret.encode() not in on_disk
    assert b"buy tea" in on_disk


def test_a_failing_store_never_reaches_the_recorded_code(store):
    with record_run(store) as recorder:
        store.finish(recorder.run_id, ended_ns=1)
        recorder.record(Outcome(id="1"))  # refused by the store: logged, not raised
        store._connection.execute("UPDATE run SET ended_ns = NULL")
    assert store.get(recorder.run_id).events == ()


def test_an_exception_in_a_recorded_block_goes_on_and_the_run_is_finished(store):
    with pytest.raises(ZeroDivisionError), record_run(store, config=RecordConfig()):
        _ = 1 / 0
    assert store.list()[0].ended_ns is not None


def test_a_list_shows_the_last_verdict(store):
    said = '{"kind":"outcome","id":"2","success":true}'
    store.put(a_run("0a", [Outcome(id="1", success=True), Outcome(id="2", success=False)]))
    store.put(a_run("0b", [Outcome(id="1", reward=0.5), ToolCall(id="2", name="t", result=said)]))
    store.put(a_run("0c", [ToolCall(id="1", name="t", result=said)]))
    listed = {row.id: row.outcome for row in store.list()}
    assert listed == {"0a": Outcome(id="2", success=False), "0b": Outcome(id="1", reward=0.5),
                      "0c": None}  # fmt: skip


BROKEN = {
    "event": 'UPDATE event SET body = CAST(\'{"kind":"later"}\' AS BLOB)',
    "header": "UPDATE run SET header = x'00'",
    "message": "UPDATE message SET body = x'7b7d'",
    "utf-8": "UPDATE message SET body = x'7bff'",
    "reference": "DELETE FROM message",
    "column": "UPDATE event SET input = x'00'",
}


@pytest.mark.parametrize("damage", BROKEN.values(), ids=BROKEN)
def test_a_run_that_cannot_be_read_is_named_and_the_others_are_readable(store, damage):
    store.put(a_conversation("0a", "four guests"))
    if "run" not in damage:
        damage += " WHERE id = 1" if "message" in damage else " WHERE run = '0a' AND sequence = 2"
    store._connection.execute(damage)
    store._connection.execute("DELETE FROM run_copy")
    store.put(a_run("0b", [Outcome(id="1")]))
    with pytest.raises(StoreError, match=r"The run 0a in .*runs\.sqlite cannot be read") as caught:
        store.get("0a")
    assert "knitbone runs purge 0a" in str(caught.value)
    if "event" in damage:
        assert "Event 2: " in str(caught.value)
    assert store.get("0b").events == (Outcome(id="1"),)
    assert [row.id for row in store.list()] == ["0b", "0a"]
    assert store.find("0a") == "0a"
    store.purge("0a")
    assert [row.id for row in store.list()] == ["0b"]


def test_a_store_that_another_process_writes_is_busy_for_writers_only(tmp_path):
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path, patience_s=0.01)) as store:
        store.put(a_run())
        with closing(sqlite3.connect(path)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreBusyError, match="held by another process"):
                store.append("0a", Outcome(id="1"))
            with closing(SqliteStore(path, patience_s=0.01)) as reader:
                assert reader.get("0a") == a_run()
                assert len(reader.list()) == 1
            other.rollback()
        store.append("0a", Outcome(id="1"))


def test_a_transaction_that_fails_leaves_none_open(store):
    store.put(a_run())
    with pytest.raises(ZeroDivisionError), store._transaction() as connection:
        _ = connection.execute("ROLLBACK"), 1 / 0  # as SQLite itself does on a full disk
    store.append("0a", Outcome(id="1"))
    assert len(store.get("0a").events) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows removes no file that is open")
@pytest.mark.parametrize("again", [False, True])
def test_a_store_that_is_removed_while_it_is_written_says_so_at_the_end(tmp_path, again):
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path)) as store:
        store.begin(a_run())
        for file in list(tmp_path.iterdir()):
            file.unlink()
        store.append("0a", Message(id="1", role="user", content="into the void"))
        if again:
            SqliteStore(path).close()
        with pytest.raises(StoreError, match=r"runs\.sqlite was removed or replaced"):
            store.finish("0a", ended_ns=2)


def test_a_program_that_changes_its_folder_finishes_its_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    with closing(SqliteStore("runs.sqlite")) as store:
        store.begin(a_run())
        monkeypatch.chdir(tmp_path / "other")
        store.finish("0a", ended_ns=2)
        assert store.get("0a").ended_ns == 2
