"""Namespaces of the kernel: what a tool cannot see, it cannot touch (``namespaces(7)``).

The keeper goes on in a process namespace of its own, with a ``/proc`` that shows nothing else: no
process of the user's can be looked into or signalled, as root neither, and when the keeper ends,
the kernel ends all below it. The template then gets a network without any other machine on it, and
a file system that is read-only but for its private folder, metadata included. Root has the
privileges for that; anybody else gets them in a user namespace, where the system allows it.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import struct
import sys
from pathlib import Path
from types import FrameType

from knitbone.fuzzing.sandbox.limits import die_with_parent

__all__ = ["NEW_MOUNTS", "bind_read_only", "own_network", "own_processes", "unshare"]

NEW_MOUNTS, NEW_IPC, NEW_USER = 0x00020000, 0x08000000, 0x10000000
NEW_PROCESSES, NEW_NETWORK = 0x20000000, 0x40000000
_NOSUID, _NODEV, _NOEXEC, _BIND = 2, 4, 8, 4096
_REC, _PRIVATE = 16384, 1 << 18
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _ATTR_RDONLY = 442, -100, 0x8000, 1
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_IMPOSSIBLE = 71
"""Exit status of a process that could not be set apart."""


def own_processes() -> bool:
    """Go on in a process namespace of its own, as its first process.

    To be called in a process of one thread. Where it is possible, the calling process waits for
    the new one to end, and ends with it: only the new one returns.

    Returns:
        Whether it was possible.
    """
    if not sys.platform.startswith("linux"):
        return False
    first = os.fork()
    if first:
        status = _wait(first)
        if status != _IMPOSSIBLE:
            os._exit(status)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        return False
    die_with_parent()
    if not unshare(NEW_PROCESSES | NEW_IPC | NEW_MOUNTS):
        os._exit(_IMPOSSIBLE)
    second = os.fork()  # the namespace is that of the children
    if second:
        os._exit(_wait(second))
    die_with_parent()
    libc = ctypes.CDLL(None, use_errno=True)
    flags = _NOSUID | _NODEV | _NOEXEC
    if (
        libc.mount(b"none", b"/", None, _REC | _PRIVATE, None) != 0
        or libc.mount(b"proc", b"/proc", b"proc", flags, None) != 0
    ):
        os._exit(_IMPOSSIBLE)
    return True


def unshare(kinds: int) -> bool:
    """Leave the namespaces of these kinds for new ones, in a user namespace where need be."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(kinds) == 0:
        return True
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(NEW_USER | kinds) != 0:
        return False
    own = Path("/proc/self")
    try:
        own.joinpath("setgroups").write_text("deny")
        # User and group stay what they are.
        own.joinpath("uid_map").write_text(f"{user} {user} 1")
        own.joinpath("gid_map").write_text(f"{group} {group} 1")
    except OSError:
        return False
    return True


def own_network() -> bool:
    """A network namespace with nothing but its own loopback; whether that was possible."""
    if not sys.platform.startswith("linux"):
        return False
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_NETWORK) != 0:
        return False
    with contextlib.suppress(OSError), socket.socket() as any_socket:
        request = struct.pack("16sH14x", b"lo", 0)
        flags: int = struct.unpack_from("H", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request), 16)[0]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _IFF_UP))
    return True


def bind_read_only(writable: list[str]) -> bool:
    """Make every file system read-only but for the folders ``writable``.

    To be called in a mount namespace of one's own. The current directory must be entered anew
    where it lies within one of the folders.

    Returns:
        Whether that was possible: Linux 5.12 and newer, with the privileges.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def set_attributes(path: str, flags: int, *, on: int = 0, off: int = 0) -> bool:
        attributes = struct.pack("=QQQQ", on, off, 0, 0)
        size = len(attributes)
        path_bytes = os.fsencode(path)
        code = libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, path_bytes, flags, attributes, size)
        return int(code) == 0

    names = [os.fsencode(folder) for folder in writable]
    if any(libc.mount(name, name, None, _BIND, None) != 0 for name in names):
        return False
    if not set_attributes("/", _AT_RECURSIVE, on=_ATTR_RDONLY):
        return False
    for folder in writable:
        if not set_attributes(folder, 0, off=_ATTR_RDONLY):
            raise OSError(ctypes.get_errno(), f"{folder} stays read-only")
    return True


def _wait(pid: int) -> int:
    """Exit status of a child; a request to end is passed on to it."""

    def pass_on(number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1
