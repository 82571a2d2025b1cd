"""The run store: durable, immutable when finished, purgeable, versioned."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading

import pytest

from knitbone.config import RecordConfig
from knitbone.core.events import Annotation, Message, Outcome, Run, ToolCall
from knitbone.core.recorder import current_recorder, record_run
from knitbone.core.store import SqliteStore
from knitbone.errors import RunFinishedError, StoreError


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


def test_annotations_do_not_touch_the_run(store):
    run = a_run(events=[Outcome(id="1")])
    store.put(run)
    store.annotate(Annotation(id="l", run="0a", kind="diagnosis", body={}, event="1"))
    assert store.get("0a") == run


def test_a_foreign_or_newer_file_is_refused(tmp_path):
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
    newer = tmp_path / "newer.sqlite"
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="schema version 99"):
        SqliteStore(newer)


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
from knitbone.core.events import ToolCall
from knitbone.core.recorder import record_run
from knitbone.core.store import SqliteStore
store = SqliteStore(sys.argv[1])
with record_run(store, name="killed") as recorder:
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
