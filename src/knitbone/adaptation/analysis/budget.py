"""The time budget of an analysis, for which the application waits when it is imported."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Budget", "OverBudget"]

_STRIDE = 64
"""Expressions between two looks at the clock, which cost as much as the simplest of them (ours)."""
_WALL_FACTOR = 6
"""How many times its budget an analysis may take by the clock on the wall, on a busy machine: a
minute at the default (ours)."""


class OverBudget(Exception):  # noqa: N818 - reads as it is raised; never leaves the analysis
    """The analysis was broken off; the message says where it stood."""

    def __init__(self, message: str, *, busy: bool) -> None:
        super().__init__(message)
        self.busy = busy
        """True if the machine left it no processor: another time it may well be done."""


class Budget:
    """Counts what an analysis looks at, and ends it when its time is spent.

    Args:
        seconds: of CPU time of the thread that begins it; ``None``: it may take any time.
        clock: CPU time of the thread, in seconds.
        wall: the time that passes, in seconds.
    """

    def __init__(
        self,
        seconds: float | None = None,
        *,
        clock: Callable[[], float] = time.thread_time,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        self.looked_at = 0
        """Expressions and statements that were evaluated, each as often as it was."""
        self._seconds = seconds
        self._clock = clock
        self._wall = wall
        self._end = 0.0 if seconds is None else clock() + seconds
        self._last = 0.0 if seconds is None else wall() + seconds * _WALL_FACTOR

    def spend(self) -> None:
        """Count one expression or statement more; look at the clock now and then.

        Raises:
            OverBudget: the time is spent.
        """
        self.looked_at += 1
        if not self.looked_at % _STRIDE:
            self.check()

    def check(self) -> None:
        """Look at the clock.

        Raises:
            OverBudget: the time is spent.
        """
        if self._seconds is None:
            return
        if self._clock() > self._end:
            self._break_off(f"{self._seconds:g} s of CPU time", busy=False)
        if self._wall() > self._last:
            self._break_off(f"{self._seconds * _WALL_FACTOR:g} s on a busy machine", busy=True)

    def _break_off(self, after: str, *, busy: bool) -> None:
        """End the analysis."""
        seen = f"{self.looked_at:,} expressions"
        raise OverBudget(f"its analysis is not done after {after} ({seen})", busy=busy)
