"""A ``/dev/shm`` of the tool's own: locks, queues and pools of ``multiprocessing`` live there, and
what the other processes of the machine keep there is not the tool's to touch.

A mount namespace with a small file system of its own in memory (``user_namespaces(7)``,
``mount_namespaces(7)``). Where the kernel or a container does not allow it, ``/dev/shm`` stays
closed, and a tool that needs it fails there.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path

from knitbone.fuzzing.sandbox.namespaces import NEW_MOUNTS, unshare

__all__ = ["SHARED_MEMORY", "clear_shared_memory", "give_shared_memory"]

SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the system's own name for it

_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 2, 4, 8, 16384, 1 << 18


def give_shared_memory(megabytes: int) -> bool:
    """Mount a file system in memory over ``/dev/shm``, for this process and its children alone.

    To be called in a process of one thread, before it is confined.

    Returns:
        Whether that was possible.
    """
    if not sys.platform.startswith("linux") or not Path(SHARED_MEMORY).is_dir():
        return False
    if not unshare(NEW_MOUNTS):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    # Nothing that is mounted here is seen outside.
    if libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None) != 0:
        return False
    options = f"size={megabytes}m,mode=1777".encode()
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    return bool(libc.mount(b"tmpfs", SHARED_MEMORY.encode(), b"tmpfs", flags, options) == 0)


def clear_shared_memory() -> None:
    """Leave nothing of a call for the next one; for processes that were given their own only."""
    with contextlib.suppress(OSError), os.scandir(SHARED_MEMORY) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                Path(entry.path).unlink()
