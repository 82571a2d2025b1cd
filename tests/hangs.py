"""A guard against what hangs. It measures nothing: speed is measured in ``benchmarks/``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

HANG_S = 30.0
"""Far more than a busy machine needs for what is guarded (at most a few seconds), and less than the
broken code took: quadratic and exponential steps on these inputs, sleeps of a minute."""


@contextmanager
def no_hang() -> Iterator[None]:
    """Fail where the block takes longer than ``HANG_S``. What never ends is ended by pytest's
    ``faulthandler_timeout``."""
    started = time.monotonic()
    yield
    seconds = time.monotonic() - started
    assert seconds < HANG_S, f"it took {seconds:.0f} s: a hang"
