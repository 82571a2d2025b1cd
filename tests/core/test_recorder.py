"""The recorder: redacted, in order, and never in the way."""

from __future__ import annotations

import os
import threading
import time
import tracemalloc

import pytest

from knitbone.config import RecordConfig
from knitbone.core import recorder as recorder_module
from knitbone.core.events import ChatMessage, ModelCall, Outcome, Run, ToolCall, ToolCallRequest
from knitbone.core.recorder import (
    MAX_WAITING,
    Recorder,
    carry,
    current_recorder,
    record_run,
    recording_into,
    redactor_of,
    set_process_recorder,
    unrecorded,
)
from knitbone.core.store import SqliteStore
from knitbone.errors import RunFinishedError, StoreError

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


def test_events_wait_for_a_store_that_refuses_and_keep_their_order(store, monkeypatch):
    monkeypatch.setattr(recorder_module, "RETRY_S", 0.0)
    refusing = Refusing(store)
    with record_run(refusing) as recorder:
        recorder.record(Outcome(id="1"))
        recorder.record(Outcome(id="2"))
        assert store.get(recorder.run_id).events == ()
        refusing.refuses = False
        recorder.record(Outcome(id="3"))
    assert [event.id for event in store.get(recorder.run_id).events] == ["1", "2", "3"]
    assert recorder.lost == 0


def test_what_the_store_never_took_is_counted_and_memory_is_bounded(store):
    refusing = Refusing(store)
    with record_run(refusing) as recorder:
        for number in range(MAX_WAITING + 5):
            recorder.record(Outcome(id=str(number)))
        assert recorder.lost == 5
    assert recorder.lost == MAX_WAITING + 5
    assert isinstance(recorder.last_error, StoreError)


def test_a_store_that_refuses_slowly_is_not_asked_for_every_event(store):
    class Slow(Refusing):
        asked = 0

        def append(self, run_id, event):
            self.asked += 1
            time.sleep(0.02)
            super().append(run_id, event)

    slow = Slow(store)
    with record_run(slow) as recorder:
        for number in range(50):
            recorder.record(Outcome(id=str(number)))
        assert slow.asked == 1


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
        monkeypatch.setattr(recorder._redactor, "record", lambda _: 1 / 0)
        recorder.record(Outcome(id="1"))
        monkeypatch.undo()
        recorder.record(Outcome(id="2"))
    assert [event.id for event in store.get(recorder.run_id).events] == ["2"]
    assert (recorder.lost, type(recorder.last_error)) == (1, ZeroDivisionError)


def test_a_fork_does_not_write_into_its_parents_run(store):
    with record_run(store) as recorder:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            recorder.record(Outcome(id="1"))
            recorder.flush()
            recorder.finish(ended_ns=1)
            os.write(write, str(recorder.lost).encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(read, 10) == b"1"
        os.close(read)
        os.close(write)
        recorder.record(Outcome(id="2"))
    assert [event.id for event in store.get(recorder.run_id).events] == ["2"]


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
