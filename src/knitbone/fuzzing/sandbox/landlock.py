"""Landlock: the kernel refuses what a tool may not do, whatever language it does it in.

Linux 5.13 and newer, no privileges needed; see ``Documentation/userspace-api/landlock.rst`` of
the kernel. Reading stays allowed everywhere (the tool must import its libraries); writing is
allowed below the private directories. Landlock does not cover changes of mode, owner, times and
extended attributes, nor UDP; the audit hook covers those for Python code.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys
from collections.abc import Iterable

__all__ = ["restrict"]

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_WRITE_FILE = 1 << 1
_TRUNCATE = 1 << 14
_WRITING = (
    _WRITE_FILE
    | 1 << 4  # remove a directory
    | 1 << 5  # remove a file
    | 1 << 6  # make a character device
    | 1 << 7  # make a directory
    | 1 << 8  # make a regular file
    | 1 << 9  # make a socket
    | 1 << 10  # make a FIFO
    | 1 << 11  # make a block device
    | 1 << 12  # make a symbolic link
)
_REFER = 1 << 13
_IOCTL_DEVICE = 1 << 15
_BIND_TCP, _CONNECT_TCP = 1 << 0, 1 << 1
_SCOPE_ABSTRACT_SOCKET, _SCOPE_SIGNAL = 1 << 0, 1 << 1

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")


def restrict(directories: Iterable[str], *, network: bool) -> int | None:
    """Confine this process and all its future children; cannot be undone.

    Args:
        directories: the only ones below which anything may be written.
        network: whether TCP connections stay possible.

    Returns:
        The version of Landlock in force, or ``None`` where the kernel has none.
    """
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    version = int(libc.syscall(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION))
    if version < 1:
        return None
    files = _WRITING
    files |= _REFER if version >= 2 else 0
    files |= _TRUNCATE if version >= 3 else 0
    files |= _IOCTL_DEVICE if version >= 5 else 0
    sockets = _BIND_TCP | _CONNECT_TCP if version >= 4 and not network else 0
    # Signals stay within the domain: a tool cannot kill the keeper, nor the user's processes.
    scopes = _SCOPE_ABSTRACT_SOCKET | _SCOPE_SIGNAL if version >= 6 else 0
    attribute = struct.pack("=QQQ", files, sockets, scopes)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = int(libc.syscall(_CREATE_RULESET, attribute, size, 0))
    if ruleset < 0:
        return None
    try:
        for directory in directories:
            _allow(libc, ruleset, directory, files)
        for device in _DEVICES:
            with contextlib.suppress(OSError):
                _allow(libc, ruleset, device, files & (_WRITE_FILE | _TRUNCATE))
        if int(libc.syscall(_RESTRICT_SELF, ruleset, 0)) != 0:
            return None
    finally:
        os.close(ruleset)
    return version


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    descriptor = os.open(path, getattr(os, "O_PATH", 0) | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", rights, descriptor)
        if int(libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0)) != 0:
            raise OSError(ctypes.get_errno(), f"Landlock refused a rule for {path}")
    finally:
        os.close(descriptor)
