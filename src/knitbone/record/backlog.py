"""What is left to do for stores that refuse: one thread of this process tries again, so that the
agent waits for none of it.

At the end of the process it is given some seconds more.
"""

from __future__ import annotations

import atexit
import logging
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any, Protocol

from knitbone._forks import new_rlock
from knitbone._logging import get_logger, log

__all__ = ["GRACE_S", "retry_later", "wait_for_backlog"]

_logger = get_logger(__name__)

RETRY_S = 0.1
"""Seconds between two attempts (ours)."""
GRACE_S = 10.0
"""Seconds that a store which refuses is given after the end of a run, and of the process (ours)."""
_TO_SAY_S = 1.0
"""Seconds for those whose grace ends with the process's to say what is lost."""


class Late(Protocol):
    """Something that waits for a store."""

    def retry(self) -> bool:
        """Try again; whether nothing is left to do."""
        ...


class _Backlog:
    """Everything of this process that waits; its thread lives while there is something."""

    def __init__(self) -> None:
        self._lock = new_rlock()
        self._waiting: dict[int, Late] = {}
        self._thread: threading.Thread | None = None
        self._deadline: float | None = None

    def add(self, late: Late) -> None:
        """Try this one again until nothing is left to do."""
        with self._lock:
            self._waiting[id(late)] = late
            if self._thread is None:
                thread = threading.Thread(target=self._work, name="knitbone-backlog", daemon=True)
                with suppress(RuntimeError):  # the interpreter ends: who flushes then tries himself
                    thread.start()
                    self._thread = thread

    def _work(self) -> None:
        if hasattr(signal, "pthread_sigmask"):  # whoever waits for a signal shall get it
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while True:
            time.sleep(RETRY_S)
            with self._lock:
                due, self._waiting = self._waiting, {}
                if not due:
                    self._thread = None
                    return
            for late in due.values():
                try:
                    done = late.retry()
                except Exception:  # noqa: BLE001 - the others go on
                    log(_logger, logging.ERROR, "not tried again", exc_info=True)
                    done = True
                if not done:
                    with self._lock:
                        self._waiting[id(late)] = late

    def wait(self) -> None:
        """Until nothing is left to do, at most for what is left of the process's grace."""
        started = time.monotonic()
        self._deadline = self._deadline or started + GRACE_S + _TO_SAY_S
        said = False
        while self._thread is not None and time.monotonic() < self._deadline:
            if not said and time.monotonic() - started > 1:
                said = True
                sys.stderr.write(
                    f"knitbone: the run store refuses; trying for {GRACE_S:.0f} s before what"
                    " waits for it is lost\n"
                )
            time.sleep(0.01)


_backlog: _Backlog | None = None
_process: int | None = None


def _of_this_process() -> _Backlog:
    """A fork has no thread of the process that it comes from, nor anything to do for it."""
    global _backlog, _process
    if _backlog is None or _process != os.getpid():
        _backlog, _process = _Backlog(), os.getpid()
        at_process_end(wait_for_backlog)
    return _backlog


def retry_later(late: Late) -> None:
    """Have this tried again until nothing is left to do; without waiting for it."""
    _of_this_process().add(late)


def wait_for_backlog() -> None:
    """Wait until nothing is left to do, for up to ``GRACE_S`` seconds in all of this process."""
    if _backlog is not None and _process == os.getpid():
        try:
            _backlog.wait()
        except KeyboardInterrupt:
            sys.stderr.write("knitbone: no longer waiting for the run store\n")


def at_process_end(function: Any) -> None:
    """Call a function when this process ends; also where it is a child of ``multiprocessing``,
    which ends without ``atexit``."""
    atexit.register(function)
    util: Any = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, function, exitpriority=0)
