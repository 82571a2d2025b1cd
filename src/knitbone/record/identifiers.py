"""Identifiers and the clock: the two effects that every record needs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from knitbone._forks import new_lock

__all__ = ["Clock", "IdentifierSource", "new_identifier", "now_ns"]

Clock = Callable[[], int]
IdentifierSource = Callable[[], str]

_lock = new_lock()
_last_ms = 0
_counter = 0


def now_ns() -> int:
    """UTC nanoseconds since the epoch."""
    return time.time_ns()


def new_identifier() -> str:
    """A UUID version 7 (RFC 9562 §5.7) as 32 hexadecimal digits.

    Identifiers made in one process sort in the order of their making, so a store lists runs by
    age without a second index.
    """
    global _last_ms, _counter  # noqa: PLW0603 - one monotonic sequence per process
    with _lock:
        ms = time.time_ns() // 1_000_000
        if ms > _last_ms:
            _last_ms, _counter = ms, int.from_bytes(os.urandom(2), "big") & 0x3FF
        else:
            _counter += 1
            if _counter > 0xFFF:
                _last_ms, _counter = _last_ms + 1, 0
        stamp, sequence = _last_ms, _counter
    tail = int.from_bytes(os.urandom(8), "big") & 0x3FFF_FFFF_FFFF_FFFF
    value = (stamp << 80) | (0x7 << 76) | (sequence << 64) | (0b10 << 62) | tail
    return f"{value:032x}"
