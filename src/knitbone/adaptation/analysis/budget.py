"""What an analysis may cost: the application waits for it when it is imported."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Budget", "OverBudget"]

_STRIDE = 64
"""Expressions between two looks at the clock, which cost as much as the simplest of them (ours)."""


class OverBudget(Exception):  # noqa: N818 - reads as it is raised; never leaves the analysis
    """The analysis was broken off; the message says where it stood."""


class Budget:
    """Counts what an analysis looks at, and ends it when its time is spent.

    Args:
        seconds: of CPU time of the thread that begins it; ``None``: it may take any time.
        clock: CPU time of the thread, in seconds.
    """

    def __init__(
        self, seconds: float | None = None, clock: Callable[[], float] = time.thread_time
    ) -> None:
        self.looked_at = 0
        """Expressions and statements that were evaluated, each as often as it was."""
        self._seconds = seconds
        self._clock = clock
        self._end = 0.0 if seconds is None else clock() + seconds

    def spend(self) -> None:
        """One expression or statement more is looked at.

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
        if self._seconds is not None and self._clock() > self._end:
            raise OverBudget(
                f"its analysis is not done after {self._seconds:g} s of CPU time "
                f"({self.looked_at:,} expressions)"
            )
