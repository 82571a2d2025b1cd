"""One process looked at after every call: its threads, children, descriptors, memory and time.

The files of /proc are opened once, since a worker is looked at a thousand times a second; opening
them each time took a third of a call. Knows nothing where there is no /proc.
"""

from __future__ import annotations

import contextlib
import os

from knitbone.fuzzing.sandbox.processes import children, is_alive

__all__ = ["Watched"]

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_ENOUGH = 4096
"""Bytes read of a status file; one line each."""


class Watched:
    """A living process. Every figure is 0 once it is gone."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._tasks, self._open = f"/proc/{pid}/task", f"/proc/{pid}/fd"
        self._status = _descriptor(f"/proc/{pid}/stat")
        self._memory = _descriptor(f"/proc/{pid}/statm")
        self._children = _descriptor(f"/proc/{pid}/task/{pid}/children")

    def close(self) -> None:
        for descriptor in (self._status, self._memory, self._children):
            if descriptor is not None:
                os.close(descriptor)
        self._status = self._memory = self._children = None

    def threads(self) -> int:
        try:
            # Two links besides one for each thread: "." and the entry in the folder above.
            return os.stat(self._tasks).st_nlink - 2  # noqa: PTH116 - the hot path
        except OSError:
            return 0

    def children(self, *, but: int = 0) -> list[int]:
        """Living children other than ``but``; one that ended and was never waited for is none."""
        text = _read(self._children)
        if self._children is None or len(text) == _ENOUGH or self.threads() != 1:
            return [child for child in children(self.pid) if child != but]
        return [child for word in text.split() if (child := int(word)) != but and is_alive(child)]

    def descriptors(self) -> int:
        try:
            # Linux 6.2 and newer tell the number as the size; older ones say 0.
            count = os.stat(self._open).st_size  # noqa: PTH116 - the hot path
            return count or len(os.listdir(self._open))  # noqa: PTH208 - the hot path
        except OSError:
            return 0

    def memory_bytes(self) -> int:
        """Resident memory."""
        fields = _read(self._memory).split()
        return int(fields[1]) * _PAGE if len(fields) > 1 else 0

    def processor_seconds(self) -> float:
        # The name in the middle may hold anything, parentheses included.
        fields = _read(self._status).rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS if len(fields) > 12 else 0.0


def _descriptor(path: str) -> int | None:
    with contextlib.suppress(OSError):
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    return None


def _read(descriptor: int | None) -> bytes:
    if descriptor is None:
        return b""
    try:
        return os.pread(descriptor, _ENOUGH, 0)
    except OSError:  # the process is gone
        return b""
