"""What root may do beyond files, given up: a tool that runs as root sets no clock, loads no module
and looks into no process (``capabilities(7)``)."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from pathlib import Path

__all__ = ["drop_privileges"]

_BOUNDING_DROP, _AMBIENT, _AMBIENT_CLEAR = 24, 47, 4
_VERSION = 0x20080522
_MOST = 63
_KEPT = frozenset(range(8)) - {5}
"""Owners, permissions and identities (``CAP_CHOWN`` to ``CAP_SETUID``): a tool that root runs reads
and writes in its folder as root does. ``CAP_KILL`` is not among them."""


def drop_privileges() -> bool:
    """Keep of the capabilities those over files alone, as root; none otherwise."""
    if not sys.platform.startswith("linux"):
        return False
    kept = _KEPT if os.geteuid() == 0 else frozenset[int]()
    libc = ctypes.CDLL(None, use_errno=True)
    for number in range(_MOST + 1):
        if number not in kept:
            libc.prctl(_BOUNDING_DROP, number, 0, 0, 0)
    libc.prctl(_AMBIENT, _AMBIENT_CLEAR, 0, 0, 0)
    mask = sum(1 << number for number in kept)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    has = _permitted()
    low, high = low & has & 0xFFFFFFFF, high & (has >> 32)
    header = struct.pack("=Ii", _VERSION, 0)
    data = struct.pack("=6I", low, low, 0, high, high, 0)
    return int(libc.capset(header, data)) == 0


def _permitted() -> int:
    with Path("/proc/self/status").open(encoding="ascii", errors="replace") as status:
        for line in status:
            if line.startswith("CapPrm:"):
                return int(line.split()[1], 16)
    return 0
