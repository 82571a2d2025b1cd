"""What the tool prints: counted, its end kept, the rest dropped."""

from __future__ import annotations

import os

__all__ = ["Output"]

_TAIL = 8 * 1024
"""Bytes kept of what a call printed, to find the frame of a crash."""

_MOST_AT_ONCE = 1 << 22
"""Bytes taken at a time, so that a tool that prints without end does not hold up its watcher."""


class Output:
    """The pipe that stands behind the worker's standard output and error."""

    def __init__(self) -> None:
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.count, self.tail = 0, b""

    def drain(self) -> None:
        """Take what is there, up to ``_MOST_AT_ONCE``, without waiting for more."""
        taken = 0
        while taken < _MOST_AT_ONCE:
            try:
                data = os.read(self.read_end, 1 << 16)
            except BlockingIOError:
                return
            taken += len(data)
            self.count += len(data)
            self.tail = (self.tail + data)[-_TAIL:]

    def clear(self) -> None:
        """Begin a new call."""
        self.drain()
        self.count, self.tail = 0, b""
