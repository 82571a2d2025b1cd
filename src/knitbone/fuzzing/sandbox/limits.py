"""What a worker may use, and how the operating system is told so."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys

import msgspec

__all__ = ["Limits", "become_subreaper", "confine_process", "die_with_parent", "tasks_of_user"]

_SET_PDEATHSIG, _SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 36, 38
_ADDRESS_SPACE_EXTRA_MB = 4096
"""Libraries reserve address space that they never touch; data is limited tightly instead."""
_PROCESSES_BACKSTOP = 256
"""Processes the user may have beyond those of now; the keeper acts long before."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of one sandbox."""

    call_timeout_s: float = 5.0
    load_timeout_s: float = 60.0
    """Wall clock allowed to importing the tool."""
    cpu_s: int = 60
    memory_mb: int = 1024
    file_size_mb: int = 16
    output_mb: int = 8
    """What one call may print or return."""
    processes: int = 32
    """Processes that one call may have at a time."""


def confine_process(limits: Limits, *, running: int, address_space: bool = True) -> None:
    """Apply the limits to this process and its future children; cannot be undone.

    Args:
        running: processes and threads that the user has already; 0 where that is not known.
        address_space: also limit what is reserved. Not for programs on V8 (Node.js), which reserves
            tens of gigabytes that it never touches.
    """
    megabyte = 1024 * 1024
    _prctl(_SET_NO_NEW_PRIVS, 1)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, limits.file_size_mb * megabyte)
    _lower(resource.RLIMIT_CPU, limits.cpu_s)
    _lower(resource.RLIMIT_DATA, limits.memory_mb * megabyte)
    if address_space:
        _lower(resource.RLIMIT_AS, (limits.memory_mb + _ADDRESS_SPACE_EXTRA_MB) * megabyte)
    if hasattr(resource, "RLIMIT_NPROC") and running:
        _lower(resource.RLIMIT_NPROC, running + _PROCESSES_BACKSTOP)


def die_with_parent() -> None:
    """This process is killed when the one that started it ends (Linux)."""
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)


def become_subreaper() -> None:
    """Orphans below this process become its children (Linux), so that it can end them."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (value, value))


def tasks_of_user() -> int:
    """Processes and threads of this user; 0 where /proc does not tell."""
    user, total = os.getuid(), 0
    with contextlib.suppress(OSError):
        for entry in os.scandir("/proc"):
            if not entry.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                if entry.stat().st_uid == user:
                    total += sum(1 for _ in os.scandir(f"/proc/{entry.name}/task"))
    return total
