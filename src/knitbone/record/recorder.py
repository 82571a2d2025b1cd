"""Recording a run: redact, then store, event by event.

Durability: when ``record`` returns, the event is committed to the store; ``kill -9`` of the process
loses none that was recorded. While the store refuses (a full disk, another process that holds the
file), events wait in memory, and a thread stores them, in order, as soon as it takes them again
(:mod:`knitbone.record.backlog`): the code that is being recorded waits for none of it.

A failure to record is logged and counted, and never reaches the code that is being recorded.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from typing import Any, NamedTuple, Protocol, TypeVar

from knitbone._forks import new_rlock
from knitbone._logging import get_logger, log
from knitbone.common.printable import printable
from knitbone.config import RecordConfig
from knitbone.errors import RunFinishedError, StoreBusyError, StoreError
from knitbone.record.backlog import GRACE_S, retry_later
from knitbone.record.events import Event, Json, Run, encode_json
from knitbone.record.identifiers import Clock, new_identifier, now_ns
from knitbone.record.plain import message_of
from knitbone.record.redaction import EventRedactor, Redactor
from knitbone.record.secrets import secrets_of

__all__ = [
    "Recorder",
    "RunSink",
    "carry",
    "current_recorder",
    "recording_into",
    "redactor_of",
    "set_process_recorder",
    "start_recording",
    "unrecorded",
]

_State = TypeVar("_State")
_logger = get_logger(__name__)

MAX_WAITING = 10_000
"""Events that wait in memory for a store that refuses; further ones are lost and counted (ours)."""
MAX_WAITING_BYTES = 64_000_000
"""The same in bytes of JSON (ours)."""


class RunSink(Protocol):
    """What a recorder needs of a run store; see :class:`knitbone.record.store.RunStore`."""

    def begin(self, run: Run) -> None: ...
    def append(self, run_id: str, event: Event) -> None: ...
    def finish(self, run_id: str, *, ended_ns: int) -> None: ...


class _End(NamedTuple):
    """How a run ends whose store refuses at its end."""

    ended_ns: int
    deadline: float
    done: Callable[[Exception | None], None]


class Recorder:
    """Writes the events of one run, in the process that opened it: a database connection does not
    survive a fork.

    Args:
        store: where to; the run is begun there, or with ``begin``.
    """

    def __init__(self, store: RunSink, run_id: str, redactor: Redactor) -> None:
        self.run_id = run_id
        self.lost = 0
        """Events that are not in the store and will not be."""
        self._noted = 0
        """Of these, how many the store says itself are missing."""
        self.last_error: Exception | None = None
        self._store = store
        self._redacted = EventRedactor(redactor)
        self._clean = redactor.text
        self._process = os.getpid()
        self._lock = new_rlock()
        """For the fields; held for moments."""
        self._writing = new_rlock()
        """For the store; held by whoever writes to it."""
        self._storing = False
        self._unbegun: Run | None = None
        self._waiting: deque[Event] = deque()
        self._waiting_bytes = 0
        self._behind = False
        """Whether the store has refused, so that what comes waits behind what it refused."""
        self._forked = False
        """Whether it was said that nothing is recorded in this fork."""
        self._finished = False
        self._end: _End | None = None
        self._states: dict[type[Any], Any] = {}

    @property
    def inherited(self) -> bool:
        """Whether this process is a fork of the one that opened the recorder."""
        return self._process != os.getpid()

    @property
    def waiting(self) -> int:
        """Events that wait for the store."""
        return len(self._waiting)

    @property
    def stored(self) -> bool:
        """Whether the store has at least the beginning of the run."""
        return self._unbegun is None

    def begin(self, run: Run) -> None:
        """Store the run's header; where another process holds the store, as soon as it is free.

        Raises:
            StoreError: the store cannot be used.
        """
        try:
            self._store.begin(run)
        except StoreBusyError as error:
            self._unbegun = run
            self._fall_behind(error)

    def record(self, event: Event) -> None:
        """Store one event, redacted; never raises. Events of one run keep their order."""
        try:
            if self.inherited:
                self._lose_in_fork(event)
                return
            event = self._redacted.event(event)
        except Exception as error:  # noqa: BLE001 - recording must not break what it records
            self._lose(event, error)
            return
        with self._lock:
            if self._finished:  # a task that outlived the run; its store may be closed
                self._lose(event, _finished_error(self.run_id))
                return
            if self._behind:
                self._keep_waiting(event)
                return
            self._waiting.append(event)
        with self._writing:
            if not self._behind:
                self._store_waiting()

    def _keep_waiting(self, event: Event) -> None:
        size = self._waiting_bytes + len(encode_json(event))
        if size > MAX_WAITING_BYTES or len(self._waiting) >= MAX_WAITING:
            self._lose(event, self.last_error)
        else:
            self._waiting.append(event)
            self._waiting_bytes = size

    def retry(self) -> bool:
        """What the backlog's thread does: store what waits, and end the run if it has ended;
        whether nothing is left to do."""
        with self._writing:
            self._store_waiting()
        end = self._end
        if end is None:
            return not self._behind
        late = time.monotonic() > end.deadline
        if self._behind and not late:
            return False
        try:
            self._close(end.ended_ns)
        except StoreError as error:
            if not late:
                return False
            end.done(error)
        else:
            end.done(None)
        return True

    def flush(self) -> None:
        """Store what waits, as far as the store takes it; never raises. Nothing in a fork."""
        if self.inherited:
            return
        with self._writing:
            self._store_waiting()

    def finish(
        self, *, ended_ns: int, done: Callable[[Exception | None], None] | None = None
    ) -> None:
        """Store what waits, and make the run immutable. In a fork nothing happens: the run goes on
        in the process that opened it.

        Args:
            done: called once the run is finished, or with the reason why it is not: at once, or
                from another thread when the store has been waited for. Without it what the store
                does not take now is lost.

        Raises:
            StoreError: the store refuses, and there is no ``done``.
        """
        if self.inherited:
            return
        if done is None or not self._behind:
            self.flush()
        with self._lock:
            self._finished = True
        if done is not None and self._behind:
            self._end = _End(ended_ns, time.monotonic() + GRACE_S, done)
            retry_later(self)
            return
        try:
            self._close(ended_ns)
        except StoreBusyError as error:
            if done is None:
                raise
            self._end = _End(ended_ns, time.monotonic() + GRACE_S, done)
            self._fall_behind(error)
        except StoreError as error:
            if done is None:
                raise
            done(error)
        else:
            if done is not None:
                done(None)

    def _close(self, ended_ns: int) -> None:
        with self._lock:
            while self._waiting:
                self._lose(self._waiting.popleft(), self.last_error)
            self._finished = True
        # A run that does not say what it lacks stays open: it must not look whole.
        self._note_lost()
        self._store.finish(self.run_id, ended_ns=ended_ns)

    def give_up(self) -> None:
        """Lose what waits, and say so in the store as far as it takes that; never raises. Nothing
        in a fork."""
        if self.inherited:
            return
        with self._lock:
            while self._waiting:
                self._lose(self._waiting.popleft(), self.last_error)
        with self._writing:
            self._say_lost()

    def _note_lost(self) -> None:
        """Say in the store how many events of the run are not in it.

        Raises:
            StoreError: the store refuses.
        """
        note = getattr(self._store, "note_lost", None)  # a store of somebody's own may lack it
        missing = self.lost - self._noted
        if note is None or not missing or not self.stored:
            return
        try:
            note(self.run_id, events=missing, reason=self._why())
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - it is not the store's, and the run ends
            log(_logger, logging.ERROR, "lost events not noted", error=repr(error))
        self._noted += missing

    def state(self, kind: Callable[[], _State]) -> _State:
        """What a part of knitbone keeps for this run: the one object of its class, made by the
        first call."""
        with self._lock:
            found = self._states.get(kind)  # pyright: ignore[reportArgumentType]
            if found is None:
                found = self._states[kind] = kind()  # pyright: ignore[reportArgumentType]
            return found

    def _store_waiting(self) -> None:
        """Store all that waits, until the store refuses; whoever calls holds ``_writing``."""
        if self._storing:
            return  # a finalizer records in the middle of this: what it brings is stored below
        self._storing = True
        try:
            self._store_in_order()
        finally:
            self._storing = False

    def _store_in_order(self) -> None:
        if self._unbegun is not None:
            try:
                self._store.begin(self._unbegun)
            except Exception as error:  # noqa: BLE001 - without its header a run takes no event
                self._fall_behind(error)
                return
            self._unbegun = None
        waiting = self._waiting
        while waiting:
            event = waiting[0]
            try:
                self._store.append(self.run_id, event)
            except RunFinishedError as error:
                self._lose(event, error)
            except StoreError as error:
                self._fall_behind(error)
                return
            except Exception as error:  # noqa: BLE001 - it is the event: those behind it go on
                self._lose(event, error)
            waiting.popleft()
        if self.lost != self._noted:
            self._say_lost()
        if self._behind:
            with self._lock:
                # What came since the last look stays behind, and comes with the next try.
                self._behind = bool(waiting)
                self._waiting_bytes = 0

    def _why(self) -> str:
        """Why events were lost, in a line for whoever reads the run, without secrets: an error may
        quote what it could not take."""
        error = self.last_error
        said = "" if error is None else getattr(error, "message", None) or message_of(error)
        words = str(said) or type(error).__name__
        return printable(self._clean(words), limit=_LONGEST_REASON)

    def _say_lost(self) -> None:
        """Also of a run that will never end: its process may be killed."""
        try:
            self._note_lost()
        except StoreError as error:  # it is said again when the run ends
            log(_logger, logging.ERROR, "lost events not noted", error=repr(error))

    def _fall_behind(self, error: Exception) -> None:
        with self._lock:
            self.last_error = error
            first, self._behind = not self._behind, True
        if first:
            log(_logger, logging.ERROR, "run store refuses", run=self.run_id, error=repr(error))
            retry_later(self)

    def _lose_in_fork(self, event: Event) -> None:
        if not self._forked:
            self._forked = True
            with suppress(OSError, ValueError, AttributeError):  # there may be no standard error
                sys.stderr.write(
                    f"knitbone: calls of this child process (a fork) are not in run {self.run_id},"
                    " which its parent records. Record the child by knitbone.trace in it, or all"
                    " processes by: knitbone run --record\n"
                )
        self._lose(event, _FORKED)

    def _lose(self, event: Event, error: Exception | None) -> None:
        self.lost += 1
        self.last_error = error or self.last_error
        log(
            _logger,
            logging.ERROR,
            "event not recorded",
            run=self.run_id,
            event_kind=type(event).__name__,
            error=repr(error),
        )


_LONGEST_REASON = 300
_FORKED = StoreError("The process is a fork of the one that records.")


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
    """The redactor that a configuration asks for. It knows the keys and passwords that stand in
    this process's environment, wherever they turn up.

    Raises:
        ConfigError: a pattern is not a regular expression.
    """
    return Redactor(config.redact, secrets=secrets_of(os.environ), max_text=config.max_text)


def start_recording(
    store: RunSink,
    *,
    name: str = "",
    task: str = "",
    attributes: dict[str, Json] | None = None,
    redactor: Redactor,
    clock: Clock = now_ns,
) -> Recorder:
    """Begin a run in the store; its recorder. Where another process holds the store, the run
    waits for it in memory.

    Raises:
        StoreError: the store cannot be used.
    """
    run = Run(id=new_identifier(), started_ns=clock(), name=name, task=task,
              attributes=attributes or {})  # fmt: skip
    recorder = Recorder(store, run.id, redactor)
    recorder.begin(redactor.record(run))
    return recorder
