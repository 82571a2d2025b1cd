"""The recorder: redacted, in order, and never in the way."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
import tracemalloc
from contextlib import closing

import pytest
from recorded_block import record_run

from knitbone.config import RecordConfig
from knitbone.errors import RunFinishedError, StoreError
from knitbone.record import recorder as recorder_module
from knitbone.record.events import ChatMessage, ModelCall, Outcome, Run, ToolCall, ToolCallRequest
from knitbone.record.recorder import (
    Recorder,
    carry,
    current_recorder,
    recording_into,
    redactor_of,
    set_process_recorder,
    start_recording,
    unrecorded,
)
from knitbone.record.redaction import Redactor
from knitbone.record.sqlite_store import SqliteStore

SECRET = "sk-proj-abcDEF0123456789abcDEF0123456789"


@pytest.fixture
def store():
    made = SqliteStore(":memory:")
    yield made
    made.close()


class Refusing:
    """A store that refuses while it is told to."""

    def __init__(self, store):
        self._store = store
        self.refuses = True

    def append(self, run_id, event):
        if self.refuses:
            raise StoreError("The disk is full.")
        self._store.append(run_id, event)

    def __getattr__(self, name):
        return getattr(self._store, name)


def test_messages_of_a_model_call_are_redacted_each_time_they_are_sent(store):
    said = ChatMessage(role="user", content=f"my key is {SECRET}")
    asked = ChatMessage(
        role="assistant",
        tool_calls=(ToolCallRequest(name="t", arguments={"password": "xyz12345"}),),
    )
    with record_run(store) as recorder:
        for _ in range(2):
            recorder.record(ModelCall(id="1", input=(said, asked), output=said))
    for event in store.get(recorder.run_id).events:
        assert event.input[0].content == event.output.content == "my key is [redacted]"
        assert event.input[1].tool_calls[0].arguments == {"password": "[redacted]"}


def until(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


def numbered(store, recorder):
    return [event.id for event in store.get(recorder.run_id).events]


def test_events_wait_for_a_store_that_refuses_and_keep_their_order(store):
    refusing = Refusing(store)
    with record_run(refusing) as recorder:
        recorder.record(Outcome(id="1"))
        recorder.record(Outcome(id="2"))
        assert numbered(store, recorder) == []
        refusing.refuses = False
        until(lambda: not recorder.waiting)  # nobody records, yet they are stored
        recorder.record(Outcome(id="3"))
        assert numbered(store, recorder) == ["1", "2", "3"]
    assert recorder.lost == 0


def test_what_the_store_never_took_is_counted_and_memory_is_bounded(store, monkeypatch):
    monkeypatch.setattr(recorder_module, "MAX_WAITING", 50)
    refusing = Refusing(store)
    with record_run(refusing) as recorder:
        for number in range(55):
            recorder.record(Outcome(id=str(number)))
        assert recorder.lost == 5
    assert recorder.lost == 55
    assert isinstance(recorder.last_error, StoreError)


def test_what_was_lost_stands_in_the_store_and_quotes_no_secret(store):
    refusing = Refusing(store)
    recorder = start_recording(refusing, redactor=redactor_of(RecordConfig()))
    recorder.record(Outcome(id="1"))
    recorder.last_error = StoreError(f"The disk is full of {SECRET}.")
    recorder.give_up()
    assert recorder.lost == 1
    found = store.get(recorder.run_id).attributes
    assert found["knitbone.lost_events"] == 1
    assert found["knitbone.lost_reason"] == "The disk is full of [redacted]."
    refusing.refuses = False
    recorder.finish(ended_ns=5)
    assert store.get(recorder.run_id).attributes["knitbone.lost_events"] == 1


def test_a_run_whose_losses_no_store_notes_stays_open(store, monkeypatch):
    refusing = Refusing(store)
    recorder = start_recording(refusing, redactor=redactor_of(RecordConfig()))
    recorder.record(Outcome(id="1"))

    def refuse(*_, **__):
        raise StoreError("The disk is full.")

    monkeypatch.setattr(refusing, "note_lost", refuse, raising=False)
    with pytest.raises(StoreError, match="full"):
        recorder.finish(ended_ns=5)
    assert store.list()[0].ended_ns is None


def test_what_waits_is_bounded_in_bytes_too(store, monkeypatch):
    monkeypatch.setattr(recorder_module, "MAX_WAITING_BYTES", 10_000)
    refusing = Refusing(store)
    with record_run(refusing) as recorder:
        recorder.record(Outcome(id="0"))
        for number in range(1, 5):
            recorder.record(Outcome(id=str(number), reason="x" * 4_000))
        recorder.record(Outcome(id="5"))
        assert recorder.lost == 2
        refusing.refuses = False
    assert numbered(store, recorder) == ["0", "1", "2", "5"]


class Slow(Refusing):
    """Refuses after a while, which a lock of SQLite's does; says which threads have waited."""

    def __init__(self, store):
        super().__init__(store)
        self.waited = []

    def append(self, run_id, event):
        if self.refuses:
            self.waited.append(threading.current_thread())
            time.sleep(0.02)
        super().append(run_id, event)


def test_the_agent_waits_once_for_a_store_that_refuses(store):
    slow = Slow(store)
    with record_run(slow) as recorder:
        for number in range(50):
            recorder.record(Outcome(id=str(number)))
            time.sleep(0.005)
        assert slow.waited.count(threading.current_thread()) == 1
        assert len(slow.waited) > 1
        slow.refuses = False
    assert len(numbered(store, recorder)) == 50


def test_a_run_whose_store_is_busy_begins_when_it_is_free(tmp_path):
    path = tmp_path / "runs.sqlite"
    with closing(SqliteStore(path)), closing(sqlite3.connect(path)) as other:
        store = SqliteStore(path, patience_s=0.01)
        other.execute("BEGIN IMMEDIATE")
        with record_run(store, name="late") as recorder:
            recorder.record(Outcome(id="1"))
            assert not recorder.stored
            assert store.list() == []  # who only reads waits for nobody
            other.rollback()
            until(lambda: recorder.stored)
            recorder.record(Outcome(id="2"))
        assert numbered(store, recorder) == ["1", "2"]
        store.close()


def ends(recorder):
    """Finish without waiting; what became of it, by thread."""
    told = []
    recorder.finish(ended_ns=9, done=lambda error: told.append((error, threading.current_thread())))
    return told


def test_the_end_of_a_run_waits_for_the_store_without_the_agent(store):
    refusing = Refusing(store)
    recorder = start_recording(refusing, redactor=Redactor())
    recorder.record(Outcome(id="1"))
    told = ends(recorder)
    assert told == []
    recorder.record(Outcome(id="too late"))
    refusing.refuses = False
    until(lambda: told)
    ((error, thread),) = told
    assert (error, thread is threading.current_thread()) == (None, False)
    assert (numbered(store, recorder), recorder.lost) == (["1"], 1)
    assert store.get(recorder.run_id).ended_ns == 9


def test_past_the_grace_what_waits_is_lost_and_told(store, monkeypatch):
    monkeypatch.setattr(recorder_module, "GRACE_S", 0.2)
    recorder = start_recording(Refusing(store), redactor=Redactor())
    recorder.record(Outcome(id="1"))
    told = ends(recorder)
    until(lambda: told)
    assert recorder.lost == 1
    assert isinstance(recorder.last_error, StoreError)


def test_an_event_that_is_recorded_while_one_is_stored_comes_behind_it(store):
    """As when a stream is freed, wherever the garbage collector runs."""

    class Nested(Refusing):
        refuses = False

        def append(self, run_id, event):
            if event.id == "1":
                recorder.record(Outcome(id="2"))
            super().append(run_id, event)

    nested = Nested(store)
    nested.refuses = False
    with record_run(nested) as recorder:
        recorder.record(Outcome(id="1"))
        recorder.record(Outcome(id="3"))
    assert numbered(store, recorder) == ["1", "2", "3"]


class Explodes:
    def __repr__(self):
        raise RuntimeError("no repr")


@pytest.mark.parametrize(
    "arguments",
    [
        {"x": Explodes()},
        {"deep": None},
        {"\ud800": "\ud800"},
        {"n": 10**400},
        {"nan": float("nan")},
    ],
)
def test_hostile_values_are_recorded_somehow(store, arguments):
    if "deep" in arguments:
        for _ in range(100_000):
            arguments = {"deep": arguments}
    with record_run(store) as recorder:
        recorder.record(ToolCall(id="1", name="t", arguments=arguments))
        message = ChatMessage(
            role="assistant", tool_calls=(ToolCallRequest(name="t", arguments=arguments),)
        )
        recorder.record(ModelCall(id="2", input=(message,)))
    assert recorder.lost == 0
    assert [event.id for event in store.get(recorder.run_id).events] == ["1", "2"]


def test_a_redactor_that_raises_loses_the_event_and_nothing_else(store, monkeypatch):
    with record_run(store) as recorder:
        monkeypatch.setattr(recorder._redacted, "event", lambda _: 1 / 0)
        recorder.record(Outcome(id="1"))
        monkeypatch.undo()
        recorder.record(Outcome(id="2"))
    assert [event.id for event in store.get(recorder.run_id).events] == ["2"]
    assert (recorder.lost, type(recorder.last_error)) == (1, ZeroDivisionError)


FORKED = """
import os, sys
from knitbone.record.events import Outcome
from knitbone.record.recorder import start_recording
from knitbone.record.redaction import Redactor
from knitbone.record.sqlite_store import SqliteStore
recorder = start_recording(SqliteStore(sys.argv[1]), redactor=Redactor())
child = os.fork()
recorder.record(Outcome(id="1" if child == 0 else "2"))
if child == 0:
    recorder.flush()
    recorder.finish(ended_ns=1)
    os._exit(recorder.lost)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
recorder.finish(ended_ns=2)
"""


def test_a_fork_does_not_write_into_its_parents_run(tmp_path):
    path = tmp_path / "runs.sqlite"
    subprocess.run([sys.executable, "-c", FORKED, path], check=True, timeout=60)
    with closing(SqliteStore(path)) as store:
        (summary,) = store.list()
        run = store.get(summary.id)
    assert ([event.id for event in run.events], run.ended_ns) == (["2"], 2)


def test_what_comes_after_the_end_is_lost_and_does_not_wait(store):
    with record_run(store) as recorder:
        pass
    store.close()
    recorder.record(Outcome(id="1"))
    assert (recorder.lost, type(recorder.last_error)) == (1, RunFinishedError)


def test_long_messages_are_not_kept_in_memory(tmp_path):
    kept = SqliteStore(tmp_path / "runs.sqlite")
    tracemalloc.start()
    with record_run(kept) as recorder:
        for size in (90_000, 400_000):
            for number in range(36_000_000 // size):
                said = ChatMessage(role="user", content=str(number).ljust(size))
                recorder.record(ModelCall(id=f"{size}-{number}", input=(said,)))
                del said
        held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    kept.close()
    assert held < 60_000_000


def test_a_run_is_carried_to_a_thread_and_silence_goes_before_all(store):
    seen = {}

    def look(name):
        seen[name] = current_recorder()

    redactor = redactor_of(RecordConfig())
    store.put(Run(id="0b"))
    fallback = Recorder(store, "0b", redactor)
    with record_run(store) as recorder:
        threads = [
            threading.Thread(target=carry(look), args=("carried",)),
            threading.Thread(target=look, args=("left alone",)),
        ]
        set_process_recorder(fallback)
        try:
            for thread in threads:
                thread.start()
                thread.join()
            with unrecorded():
                look("silenced")
                with recording_into(recorder):
                    look("again")
        finally:
            set_process_recorder(None)
    assert seen == {
        "carried": recorder,
        "left alone": fallback,
        "silenced": None,
        "again": recorder,
    }


def test_each_part_has_one_state_for_a_run(store):
    with record_run(store) as one, record_run(store) as other:
        assert one.state(dict) is one.state(dict)
        assert one.state(dict) is not other.state(dict)
