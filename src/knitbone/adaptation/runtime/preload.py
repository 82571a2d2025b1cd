"""Loading ahead of the first answer, in a background thread.

Checks are compiled, and libraries imported, for the sites that are switched on; a model takes
longer to answer than that takes. An answer that comes earlier does not wait for all of it: it
loads what it needs in its own thread.

The background thread works only while no other thread imports or parses anything: two threads that
import parts of one package at the same time may find it half done, Python 3.11 may lose count when
two parse (``common/source.py``), and an application that is starting needs the processor. The
thread exists only while there is something to load. It ends before a fork (a child goes on with
its first question) and before the interpreter does, and its errors stay inside it.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from types import FrameType

from knitbone._forks import PATIENCE_S, renew_in_child, unforked
from knitbone._logging import get_logger, log
from knitbone.errors import MissingExtraError

__all__ = ["load_ahead", "resume_loading"]

_logger = get_logger(__name__)
_STEP_S = 0.01
"""Seconds between two looks whether others import or parse, and between two parts of the work."""
_GIVE_UP_S = 60.0
"""Seconds of others' imports after which nothing is loaded ahead: a program that runs within an
import, as of a module without ``if __name__ == "__main__"``, never ends it (ours)."""
_BUSY = frozenset({"importlib._bootstrap", "importlib._bootstrap_external", "ast"})


class _Ahead:
    """The queue of work to do ahead in this process, and its thread."""

    def __init__(self) -> None:
        self._parts: deque[Callable[[], object]] = deque()
        self._renewed: dict[Callable[[], object], None] = {}
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def add(self, part: Callable[[], object], *, each_process: bool) -> None:
        if each_process:
            if part in self._renewed:
                return
            self._renewed[part] = None
        self._parts.append(part)
        self.start()

    def start(self) -> None:
        """Start the thread, if there is something to do and no thread does it yet."""
        if not self._parts or self._thread is not None:
            return
        self._stop = threading.Event()
        thread = threading.Thread(
            target=self._work, args=(self._stop,), name="knitbone-ahead", daemon=True
        )
        self._thread = thread
        try:
            thread.start()
        except RuntimeError:  # no more threads, or the interpreter ends: loaded when it is needed
            self._thread = None
            self._parts.clear()

    def end(self) -> None:
        """End the thread after the work that it is doing."""
        thread = self._thread
        if thread is None or thread is threading.current_thread():
            return
        self._stop.set()
        thread.join(PATIENCE_S)
        self._thread = None

    def after_fork(self) -> None:
        """Queue once more what each process needs: a child has no thread."""
        self._thread = None
        self._parts.extend(part for part in self._renewed if part not in self._parts)

    @property
    def waits(self) -> bool:
        return bool(self._parts) and self._thread is None

    def _work(self, stop: threading.Event) -> None:
        """Work in the thread: one part after the other, while no other thread is busy."""
        waited = 0.0
        while self._parts and not stop.is_set():
            if _others_are_busy():
                stop.wait(_STEP_S)
                waited += _STEP_S
                if waited > _GIVE_UP_S:
                    self._parts.clear()
                continue
            part = self._parts.popleft()
            try:
                with unforked:
                    part()
            except MissingExtraError:
                pass  # said where it is missed
            except Exception:  # noqa: BLE001 - fail open: it is loaded again when it is needed
                log(_logger, logging.DEBUG, "not loaded ahead", exc_info=True)
            stop.wait(_STEP_S)
        if self._thread is threading.current_thread():
            self._thread = None
            if not stop.is_set():
                self.start()  # something came while this thread was about to end


def _others_are_busy() -> bool:
    """Return whether another thread is in the middle of an import, or of reading source."""
    own = threading.get_ident()
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage] - there is no other way
    return any(_is_busy(frame) for thread, frame in frames.items() if thread != own)


def _is_busy(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__") in _BUSY:
            return True
        frame = frame.f_back
    return False


_ahead = _Ahead()


def load_ahead(part: Callable[[], object], *, each_process: bool = False) -> None:
    """Queue work for the background thread. An answer that needs its result earlier does it itself.

    Args:
        part: takes a moment, for a fork and the end of the process wait for it.
        each_process: a forked child has to load it again; given twice, it is loaded once.
    """
    _ahead.add(part, each_process=each_process)


def resume_loading() -> None:
    """Load what the parent of a forked child had not loaded yet.

    Called with every question, so that it is there when the model answers.
    """
    if _ahead.waits:
        _ahead.start()


atexit.register(_ahead.end)
renew_in_child(_ahead.after_fork)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_ahead.end, after_in_parent=_ahead.start)
