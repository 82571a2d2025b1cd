"""Streams that the application drops: freed in any thread, under any lock, yet recorded."""

from __future__ import annotations

import threading
import time

from knitbone.record.events import Outcome
from knitbone.record.recorder import start_recording
from knitbone.record.redaction import Redactor
from knitbone.tethering.capture.streams import follow, settle_freed


class Stream:
    def __init__(self, chunks=()):
        self._iterator = iter(chunks)


class Heard:
    """Says when it is left; does more then, if asked to."""

    def __init__(self, then=lambda: None):
        self.left_at = []
        self.then = then

    def left(self, ended_ns=None):
        self.left_at.append(ended_ns)
        self.then()


class Locked:
    """A store in which one run writes at a time, and does something while it does."""

    def __init__(self):
        self.lock = threading.Lock()
        self.while_writing = {}
        self.stored = []

    def begin(self, run):
        pass

    def append(self, run_id, event):
        self.while_writing.get((run_id, event.id, "before"), lambda: None)()
        with self.lock:
            self.while_writing.get((run_id, event.id, "under the lock"), lambda: None)()
            self.stored.append(event.id)


def test_a_stream_that_is_freed_while_another_run_is_stored_holds_nothing_up():
    store = Locked()
    one, other = (start_recording(store, redactor=Redactor()) for _ in range(2))
    held = [follow(Stream(), Heard(lambda: one.record(Outcome(id="left"))))]
    writing, waiting = threading.Event(), threading.Event()

    def free():  # the garbage collector runs in the thread of the other run, under the store's lock
        writing.set()
        assert waiting.wait(10)
        time.sleep(0.05)
        held.clear()

    store.while_writing = {
        (other.run_id, "b", "under the lock"): free,
        (one.run_id, "a", "before"): waiting.set,
    }
    threads = [
        threading.Thread(target=lambda: other.record(Outcome(id="b")), daemon=True),
        threading.Thread(
            target=lambda: writing.wait(10) and one.record(Outcome(id="a")), daemon=True
        ),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)
    settle_freed()
    assert store.stored == ["b", "a", "left"]


def test_a_freed_stream_ended_when_it_was_freed():
    heard = Heard()
    stream = follow(Stream("ab"), heard)
    before = time.time_ns()
    del stream
    freed = time.time_ns()
    assert heard.left_at == []
    settle_freed()
    (ended,) = heard.left_at
    assert before <= ended <= freed


def test_many_are_settled_by_one_also_while_that_goes_on():
    heard = [Heard(settle_freed) for _ in range(5_000)]
    streams = [follow(Stream(), each) for each in heard]
    del streams
    settle_freed()
    assert all(len(each.left_at) == 1 for each in heard)
