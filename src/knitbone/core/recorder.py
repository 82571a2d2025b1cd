"""Recording a run: redact, then store, event by event.

Durability: when ``record`` returns, the event is committed to the store; ``kill -9`` of the process
loses none that was recorded. While the store refuses (a full disk, another process that holds the
file), events wait in memory and are stored, in order, as soon as it takes them again.

A failure to record is logged and counted, and never reaches the code that is being recorded.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any, TypeVar

import msgspec

from knitbone._logging import get_logger, log
from knitbone.config import RecordConfig
from knitbone.core.events import ChatMessage, Event, Json, ModelCall, Run, encode_json
from knitbone.core.identifiers import Clock, new_identifier, now_ns
from knitbone.core.redaction import Redactor
from knitbone.core.store import RunStore
from knitbone.errors import RunFinishedError, StoreError

__all__ = [
    "Recorder",
    "carry",
    "current_recorder",
    "record_run",
    "recording_into",
    "redactor_of",
    "set_process_recorder",
    "start_recording",
    "unrecorded",
]

_State = TypeVar("_State")
_logger = get_logger(__name__)

MAX_WAITING = 1_000
"""Events that wait in memory for a store that refuses; further ones are lost and counted (ours)."""
RETRY_S = 1.0
"""Seconds between two attempts while the store refuses: each may cost its patience (ours)."""
_MAX_REMEMBERED = 2_048
"""Messages whose redacted form is remembered; an agent sends the same ones with each call."""
_MAX_REMEMBERED_IN_ALL = 16_000_000
"""Characters of all of them together."""
_MAX_REMEMBERED_TEXT = 100_000
"""Characters of a message that is remembered."""


class Recorder:
    """Writes the events of one run, in the process that opened it: a database connection does not
    survive a fork.

    Args:
        store: where to; the run is begun there.
    """

    def __init__(self, store: RunStore, run_id: str, redactor: Redactor) -> None:
        self.run_id = run_id
        self.lost = 0
        """Events that are not in the store and will not be."""
        self.last_error: Exception | None = None
        self._store = store
        self._redactor = redactor
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._waiting: deque[Event] = deque()
        self._retry_at = 0.0
        self._finished = False
        self._remembered: dict[Hashable, ChatMessage] = {}
        self._remembered_text = 0
        self._states: dict[type[Any], Any] = {}

    @property
    def inherited(self) -> bool:
        """Whether this process is a fork of the one that opened the recorder."""
        return self._process != os.getpid()

    def record(self, event: Event) -> None:
        """Store one event, redacted; never raises. Events of one run keep their order."""
        try:
            if self.inherited:
                self._lose(event, None)
                return
            event = self._redacted(event)
        except Exception as error:  # noqa: BLE001 - recording must not break what it records
            self._lose(event, error)
            return
        with self._lock:
            if self._finished:  # a task that outlived the run; its store may be closed
                self._lose(event, _finished_error(self.run_id))
                return
            self._waiting.append(event)
            if self._retry_at <= time.monotonic():
                self._store_waiting()
            if len(self._waiting) > MAX_WAITING:
                self._lose(self._waiting.pop(), self.last_error)

    def flush(self) -> None:
        """Store what waits, as far as the store takes it; never raises. Nothing in a fork."""
        if self.inherited:
            return
        with self._lock:
            self._store_waiting()

    def finish(self, *, ended_ns: int) -> None:
        """Store what waits, and make the run immutable. In a fork nothing happens: the run goes on
        in the process that opened it.

        Raises:
            StoreError: the store refuses.
        """
        if self.inherited:
            return
        with self._lock:
            self._store_waiting()
            while self._waiting:
                self._lose(self._waiting.popleft(), self.last_error)
            self._finished = True
        self._store.finish(self.run_id, ended_ns=ended_ns)

    def state(self, kind: Callable[[], _State]) -> _State:
        """What a part of knitbone keeps for this run: the one object of its class, made by the
        first call."""
        with self._lock:
            found = self._states.get(kind)  # pyright: ignore[reportArgumentType]
            if found is None:
                found = self._states[kind] = kind()  # pyright: ignore[reportArgumentType]
            return found

    def _store_waiting(self) -> None:
        while self._waiting:
            try:
                self._store.append(self.run_id, self._waiting[0])
            except StoreError as error:
                if isinstance(error, RunFinishedError):
                    self._lose(self._waiting.popleft(), error)
                    continue
                self.last_error = error
                self._retry_at = time.monotonic() + RETRY_S
                log(_logger, logging.ERROR, "run store refuses", exc_info=True, run=self.run_id)
                return
            except Exception as error:  # noqa: BLE001 - it is the event: those behind it go on
                self._lose(self._waiting.popleft(), error)
            else:
                self._waiting.popleft()

    def _lose(self, event: Event, error: Exception | None) -> None:
        self.lost += 1
        self.last_error = error or self.last_error
        log(
            _logger,
            logging.ERROR,
            "event not recorded",
            run=self.run_id,
            event_kind=type(event).__name__,
            error=repr(error) if error else "the process is a fork of the one that records",
        )

    def _redacted(self, event: Event) -> Event:
        if not isinstance(event, ModelCall):
            return self._redactor.record(event)
        bare = self._redactor.record(msgspec.structs.replace(event, input=(), output=None))
        return msgspec.structs.replace(
            bare,
            input=tuple([self._redacted_message(message) for message in event.input]),
            output=self._redacted_message(event.output) if event.output else None,
        )

    def _redacted_message(self, message: ChatMessage) -> ChatMessage:
        if len(message.content) > _MAX_REMEMBERED_TEXT:
            return self._redactor.message(message)
        # Python remembers the hash of a text, and the history holds the same text objects.
        key: Hashable = (message.role, message.content, message.tool_call_id, message.name)
        if message.tool_calls:
            try:
                key = encode_json(message)
            except Exception:  # noqa: BLE001 - no JSON as it is; redacting it makes it such
                return self._redactor.message(message)
            if len(key) > _MAX_REMEMBERED_TEXT:
                return self._redactor.message(message)
        found = self._remembered.get(key)
        if found is None:
            found = self._redactor.message(message)
            size = len(key) if isinstance(key, bytes) else len(message.content)
            self._remembered_text += size
            full = self._remembered_text > _MAX_REMEMBERED_IN_ALL
            if full or len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
                self._remembered_text = size
            self._remembered[key] = found
        return found


def _finished_error(run_id: str) -> RunFinishedError:
    return RunFinishedError(
        f"The run {run_id} is finished and cannot change.", next_step="Record into a new run."
    )


class _Nobody(Recorder):
    """Stands where nothing is recorded, whatever records around it."""

    def __init__(self) -> None:
        pass


_NOBODY = _Nobody()
_current: ContextVar[Recorder | None] = ContextVar("knitbone_recorder", default=None)
_process_recorder: Recorder | None = None


def current_recorder() -> Recorder | None:
    """The recorder of the run that this code runs in, kept apart between threads and tasks."""
    found = _current.get()
    if found is None:
        return _process_recorder
    return None if found is _NOBODY else found


def set_process_recorder(recorder: Recorder | None) -> None:
    """Record what belongs to no run of its own, in whatever thread or task of this process."""
    global _process_recorder  # noqa: PLW0603 - one for the process
    _process_recorder = recorder


@contextmanager
def recording_into(recorder: Recorder) -> Generator[None]:
    """Events of the block belong to this recorder's run."""
    token = _current.set(recorder)
    try:
        yield
    finally:
        _leave(token, recorder)


@contextmanager
def unrecorded() -> Generator[None]:
    """What happens in the block belongs to no run: knitbone's own model calls are not the
    agent's."""
    token = _current.set(_NOBODY)
    try:
        yield
    finally:
        _leave(token, _NOBODY)


def _leave(token: Token[Recorder | None], entered: Recorder) -> None:
    try:
        _current.reset(token)
    except ValueError:
        # Left in another context than entered, such as a fixture's that runs in two tasks. This
        # one may be a copy of that one.
        if _current.get() is entered:
            _current.set(None)


def carry(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, to be called in another thread as part of the run that this code runs in."""
    recorder = _current.get()
    if recorder is None:
        return function

    def carried(*args: Any, **kwargs: Any) -> Any:
        with recording_into(recorder):
            return function(*args, **kwargs)

    return carried


def redactor_of(config: RecordConfig) -> Redactor:
    """The redactor that a configuration asks for.

    Raises:
        ConfigError: a pattern is not a regular expression.
    """
    return Redactor(config.redact, max_text=config.max_text)


def start_recording(
    store: RunStore,
    *,
    name: str = "",
    task: str = "",
    attributes: dict[str, Json] | None = None,
    redactor: Redactor,
    clock: Clock = now_ns,
) -> Recorder:
    """Begin a run in the store; its recorder.

    Raises:
        StoreError: the store refuses.
    """
    run = Run(id=new_identifier(), started_ns=clock(), name=name, task=task,
              attributes=attributes or {})  # fmt: skip
    store.begin(redactor.record(run))
    return Recorder(store, run.id, redactor)


@contextmanager
def record_run(
    store: RunStore,
    *,
    name: str = "",
    task: str = "",
    config: RecordConfig | None = None,
    clock: Clock = now_ns,
) -> Generator[Recorder]:
    """Record what happens inside the ``with`` block as one run.

    The run is finished when the block ends, also by an exception, which goes on unchanged.
    """
    redactor = redactor_of(config or RecordConfig())
    recorder = start_recording(store, name=name, task=task, redactor=redactor, clock=clock)
    try:
        with recording_into(recorder):
            yield recorder
    finally:
        recorder.finish(ended_ns=clock())
