"""What a finished call left behind in its worker: processes, threads, open files, wear.

A thread or an open file is not a leak yet: libraries keep pools and connections from their first
use on. A leak is what grows when the very same call is made again.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from knitbone.fuzzing.sandbox.family import Family
from knitbone.fuzzing.sandbox.limits import Limits
from knitbone.fuzzing.sandbox.processes import is_alive
from knitbone.fuzzing.sandbox.watch import Watched
from knitbone.fuzzing.sandbox.wire import Message

__all__ = ["Residue"]

_GRACE_S, _SHORT_GRACE_S = 0.5, 0.05
"""How long children and threads of a finished call may take to end: the first time, and once the
tool is known to leave some behind."""
_POLL_S = 0.01


class Residue:
    """Looks at a worker after each call, and replaces it when it carries something over."""

    def __init__(self, family: Family, limits: Limits) -> None:
        self._family = family
        self._limits = limits
        self._grace_s = _GRACE_S
        self._first_descriptors = self._first_threads = 0
        self._residents: list[Watched] = []
        """Processes that loading the target started, such as an MCP server: part of the tool."""
        self._kept_threads = self._kept_descriptors = 0
        """What the tool's libraries keep after its calls, as a repeated call has shown."""

    def begin(self) -> None:
        """A new worker has started."""
        assert self._family.worker is not None  # noqa: S101 - the caller started one
        self._first_descriptors = self._family.worker.descriptors()
        self._first_threads = self._family.worker.threads()
        for resident in self._residents:
            resident.close()
        self._residents = [Watched(pid) for pid in self._family.worker.children()]

    def left_by(self, again: Callable[[], bool]) -> Message:
        """What the last call left: fields of its outcome.

        Args:
            again: makes the same call again in the same worker; whether it ended well.
        """
        assert self._family.worker is not None  # noqa: S101 - the call was answered
        processes = self._lingering(lambda: len(self._children()) + len(self._family.orphans()))
        if processes:
            self._family.stop_worker()
            return {"leaked": processes}
        found: Message = {}
        if self._has_more():
            found = self._growth(again)
        if found or self._is_worn():
            self._family.stop_worker()
        return found

    def _growth(self, again: Callable[[], bool]) -> Message:
        """Whether threads or descriptors grow with each call: a leak, not a pool."""
        self._lingering(self._more_threads)
        # The second call collects what waits for the garbage collector, the third shows growth.
        if not self._has_more() or not again():
            return {}
        self._lingering(self._more_threads)
        threads, descriptors = self._more_threads(), self._more_descriptors()
        if not again():
            return {}
        more_threads = self._lingering(lambda: self._more_threads() - threads)
        more_descriptors = self._more_descriptors() - descriptors
        if more_threads > 0:
            return {"leaked_threads": more_threads}
        if more_descriptors > 0:
            return {"leaked_files": more_descriptors}
        self._kept_threads += max(threads, 0)
        self._kept_descriptors += max(descriptors, 0)
        return {}

    def _has_more(self) -> bool:
        return self._more_threads() > 0 or self._more_descriptors() > 0

    def _children(self) -> list[int]:
        """Children of the worker that a call started."""
        worker = self._family.worker
        if worker is None:
            return []
        known = {resident.pid for resident in self._residents}
        return [child for child in worker.children() if child not in known]

    def _more_threads(self) -> int:
        """Threads beyond those of the start and those known to be kept."""
        worker = self._family.worker
        known = self._first_threads + self._kept_threads
        return 0 if worker is None else worker.threads() - known

    def _more_descriptors(self) -> int:
        worker = self._family.worker
        known = self._first_descriptors + self._kept_descriptors
        return 0 if worker is None else worker.descriptors() - known

    def _lingering(self, count: Callable[[], int]) -> int:
        """``count`` after a moment to come down to nothing."""
        end = time.monotonic() + self._grace_s
        while (left := count()) > 0:
            if time.monotonic() > end:
                self._grace_s = _SHORT_GRACE_S
                return left
            time.sleep(_POLL_S)
        return 0

    def _is_worn(self) -> bool:
        """Whether the worker carries over what no later call should meet."""
        worker = self._family.worker
        if worker is None:
            return False
        if any(self._is_spent(resident) for resident in self._residents):
            return True
        if not self._family.is_forked:
            return False  # replacing means importing anew; only death is worth that
        return (
            worker.threads() > self._first_threads
            or self._more_descriptors() > 0
            or worker.memory_bytes() > self._limits.memory_mb << 19
            or worker.processor_seconds() > self._limits.cpu_s / 2
        )

    def _is_spent(self, resident: Watched) -> bool:
        """Whether a resident has ended, or would soon meet a limit for what earlier calls used."""
        return (
            not is_alive(resident.pid)
            or resident.memory_bytes() > self._limits.memory_mb << 19
            or resident.processor_seconds() > self._limits.cpu_s / 2
        )
