"""What a fork leaves of knitbone in the child.

A forked child has one thread, the one that forked. What the others held stays held for ever, what
they had begun is never finished. Three rules, kept here for all of knitbone:

- a lock is made by ``new_lock`` or ``new_rlock``, which a child gets back unlocked. What it
  guards must be of use at every line of its block, for a child may find it half changed: counters
  and bounded tables are;
- what cannot go on in a child (a library with threads of its own, counts of the parent) is
  forgotten there by a function given to ``renew_in_child``;
- code of libraries that hold locks of their own, which nobody can renew, runs in ``with
  unforked``: a fork waits for it. It waits as well for modules that knitbone is importing in other
  threads, for a child that imports half of a module waits for ever.

A fork waits at most ``PATIENCE_S``; then ``interrupted`` says so in the child, in which knitbone
should do nothing that may need what was being loaded.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from functools import cached_property
from types import FrameType, MethodType
from typing import Any, TypeVar

__all__ = [
    "PATIENCE_S",
    "interrupted",
    "lazy",
    "new_lock",
    "new_rlock",
    "renew_in_child",
    "unforked",
]

_T = TypeVar("_T")
_Renewal = TypeVar("_Renewal", bound=Callable[[], object])

PATIENCE_S = 30.0
"""Seconds for which a fork waits for what other threads load: all that knitbone ever loads takes
3 s of the processor's time, which sixteen busy processes on two cores make eight times as long
(measured)."""
_STEP_S = 0.001
"""Seconds between two looks."""
_COURTESY_S = 1.0
"""Seconds for which a thread that is about to load something lets a fork go first."""
_IMPORTERS = frozenset({"importlib._bootstrap", "importlib._bootstrap_external"})
_OURS = ("knitbone.adaptation.", "knitbone.common.", "knitbone.record.", "knitbone.models.")
_NOT_OURS = frozenset(
    {
        "knitbone.adaptation.runtime.instrument.importer",
        "knitbone.adaptation.learning.taint.watched_imports",
    }
)
"""What executes the application's own modules; their imports are the application's."""

_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_renewals: list[Callable[[], Callable[[], object] | None]] = []
_inside: dict[int, int] = {}
"""By thread: how many blocks ``with unforked`` it is in. Single operations on a dictionary need no
lock, which a fork could find held."""
_forking: dict[int, bool] = {}
"""By thread that is about to fork: whether it lost its patience."""
_interrupted = False


def new_lock() -> threading.Lock:
    """A lock that is free in a forked child."""
    lock = threading.Lock()
    _locks.add(lock)
    return lock


def new_rlock() -> threading.RLock:
    """The same, for threads that may ask for it again while they hold it."""
    lock = threading.RLock()
    _locks.add(lock)
    return lock


def renew_in_child(renew: _Renewal) -> _Renewal:
    """Call this in every forked child, once the locks are renewed; also as a decorator. Methods are
    kept weakly."""
    method = isinstance(renew, MethodType)
    _renewals.append(weakref.WeakMethod(renew) if method else lambda: renew)
    return renew


class lazy(cached_property[_T]):  # noqa: N801 - a decorator, as the one that it replaces
    """``functools.cached_property`` without the lock that it has up to Python 3.11: one for all
    objects of a class, which a fork may leave held. Two threads may both compute the value."""

    def __init__(self, compute: Callable[[Any], _T]) -> None:
        super().__init__(compute)
        self.lock = nullcontext()


class _Unforked:
    """``with unforked:`` around what a fork must not interrupt: milliseconds at most, but for what
    is done once a process. Waits at most ``_COURTESY_S``; may be nested."""

    def __enter__(self) -> None:
        thread = threading.get_ident()
        depth = _inside.get(thread, 0)
        # First in, then the look: whoever forks does it the other way round, so one sees the other.
        _inside[thread] = depth + 1
        if _forking and not depth and thread not in _forking:
            del _inside[thread]
            end = time.monotonic() + _COURTESY_S
            while _forking and time.monotonic() < end:
                time.sleep(_STEP_S)
            _inside[thread] = 1

    def __exit__(self, *_: object) -> None:
        thread = threading.get_ident()
        depth = _inside[thread] - 1
        if depth:
            _inside[thread] = depth
        else:
            del _inside[thread]


unforked = _Unforked()


def interrupted() -> bool:
    """Whether this process was forked from one in which knitbone was loading something."""
    return _interrupted


def _wait_for_others() -> None:
    """Before a fork, in the thread that forks."""
    thread = threading.get_ident()
    _forking[thread] = False
    end = time.monotonic() + PATIENCE_S
    pause = 0.0
    while len(sys._current_frames()) > 1:  # pyright: ignore[reportPrivateUsage]
        # Whoever has just slept is not asked for the interpreter's lock in the next milliseconds:
        # nobody comes in between the last look and the fork.
        time.sleep(pause)
        if not _others_inside(thread):
            return
        if time.monotonic() > end:
            _forking[thread] = True
            return
        pause = _STEP_S


def _others_inside(thread: int) -> bool:
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage] - there is no other way
    others = {other: frame for other, frame in frames.items() if other != thread}
    return any(other in _inside or _imports_for_us(frame) for other, frame in others.items())


def _imports_for_us(frame: FrameType | None) -> bool:
    """Whether a thread is in the middle of an import that knitbone began."""
    imports = False
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name in _IMPORTERS:
            imports = True
        elif imports and name.startswith(_OURS) and name not in _NOT_OURS:
            return True
        frame = frame.f_back
    return False


def _go_on() -> None:
    """After a fork, in the process that forked."""
    _forking.pop(threading.get_ident(), None)


def _renew() -> None:
    """After a fork, in the child."""
    global _interrupted  # noqa: PLW0603 - said once, at the birth of this process
    thread = threading.get_ident()
    _interrupted = _forking.get(thread, False)
    _forking.clear()
    for other in [other for other in _inside if other != thread]:
        del _inside[other]
    for lock in list(_locks):
        # A lock of several entries may be this thread's own, which goes on holding it.
        if not getattr(lock, "_is_owned", bool)():
            lock._at_fork_reinit()
    failed: Exception | None = None
    for kept in list(_renewals):
        renew = kept()
        try:
            if renew is not None:
                renew()
        except Exception as error:  # noqa: BLE001 - the others still need theirs
            failed = error
    if failed is not None:
        raise failed  # Python says so on stderr, and goes on


if hasattr(os, "register_at_fork"):  # not on Windows, which never forks
    os.register_at_fork(before=_wait_for_others, after_in_parent=_go_on, after_in_child=_renew)
