"""System calls that no tool needs, refused by the kernel (``seccomp(2)``), by way of libseccomp.

The library is part of every Linux with systemd or apt; without it nothing is filtered, and the
campaign says so. Refused are sockets that are no network ones (local sockets to the user's other
programs, netlink, vsock, raw packets), what reaches into other processes or the kernel, and what
changes the machine: mounts, clock, modules. Which socket is connected to cannot be told here, since
a filter sees no addresses: a pair of connected sockets is what stays possible.
"""

from __future__ import annotations

import ctypes
import errno
import socket
import sys

__all__ = ["filter_calls"]

_LIBRARY = "libseccomp.so.2"
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NOT_EQUAL, _GREATER_EQUAL, _MASKED_EQUAL = 1, 5, 7
_BAD_ARCHITECTURE, _OPTIMIZE = 2, 8
_WHOLE = 0xFFFFFFFF
"""The kernel looks at 32 bits of these arguments, whatever the others hold."""
_TYPE = 0xF
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_NEW_NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000,
                   0x40000000)  # fmt: skip
_FAMILIES = frozenset({int(socket.AF_INET), int(socket.AF_INET6)})

_REFUSED = (  # noqa: SIM905 - a list of words
    # into other processes, and the keys that the kernel keeps for the user
    "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise "
    "add_key request_key keyctl perf_event_open bpf userfaultfd lookup_dcookie "
    # the file systems as they are laid out
    "mount umount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick "
    "mount_setattr open_by_handle_at quotactl quotactl_fd setns unshare "
    # the machine
    "reboot swapon swapoff init_module finit_module delete_module kexec_load kexec_file_load "
    "settimeofday stime clock_settime clock_settime64 sethostname setdomainname acct syslog iopl "
    "ioperm vhangup nfsservctl"
).split()
_MISSING = ("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3")
"""Answered as if the kernel had none: libraries go on with the older calls, which are filtered."""


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("a", ctypes.c_uint64),
        ("b", ctypes.c_uint64),
    )


def filter_calls() -> bool:
    """Refuse these calls to this process and its children, for good.

    Returns:
        Whether that was possible.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        library = ctypes.CDLL(_LIBRARY, use_errno=True)
    except OSError:
        return False
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_ALLOW)))
    if not context:
        return False
    try:
        # Calls by the rules of another processor (32 bits) would pass by the numbers of this one.
        library.seccomp_attr_set(context, _BAD_ARCHITECTURE, ctypes.c_uint32(_ERRNO | errno.EPERM))
        library.seccomp_attr_set(context, _OPTIMIZE, ctypes.c_uint32(2))
        rules = _Rules(library, context)
        for name in _REFUSED:
            rules.refuse(name, errno.EPERM)
        for name in _MISSING:
            rules.refuse(name, errno.ENOSYS)
        _refuse_sockets(rules)
        for request in (_TIOCSTI, _TIOCLINUX):  # typing into the user's terminal
            rules.refuse("ioctl", errno.EPERM, (1, _MASKED_EQUAL, _WHOLE, request))
        # Limits of the processes above; those of its own a process sets without its number.
        rules.refuse("prlimit64", errno.EPERM, (0, _NOT_EQUAL, 0, 0))
        for kind in _NEW_NAMESPACES:
            rules.refuse("clone", errno.EPERM, (0, _MASKED_EQUAL, kind, kind))
        return rules.complete and library.seccomp_load(context) == 0
    finally:
        library.seccomp_release(context)


class _Rules:
    def __init__(self, library: ctypes.CDLL, context: ctypes.c_void_p) -> None:
        self._library, self._context = library, context
        self.complete = True
        """Whether every rule was taken."""

    def refuse(self, name: str, number: int, *conditions: tuple[int, int, int, int]) -> None:
        """Answer the call ``name`` with the error ``number``, where all conditions hold."""
        call = int(self._library.seccomp_syscall_resolve_name(name.encode("ascii")))
        if call < 0:  # not a call of this processor, or newer than the library
            return
        compared = (_Comparison * len(conditions))(*(_Comparison(*each) for each in conditions))
        action = ctypes.c_uint32(_ERRNO | number)
        taken = self._library.seccomp_rule_add_array(
            self._context, action, call, len(conditions), compared
        )
        self.complete = self.complete and taken == 0


def _refuse_sockets(rules: _Rules) -> None:
    last = max(_FAMILIES)
    for family in set(range(last)) - _FAMILIES:
        rules.refuse("socket", errno.EACCES, (0, _MASKED_EQUAL, _WHOLE, family))
    rules.refuse("socket", errno.EACCES, (0, _GREATER_EQUAL, last + 1, 0))
    # A pair without connections can be sent from to any other local socket.
    rules.refuse("socketpair", errno.EACCES, (1, _MASKED_EQUAL, _TYPE, int(socket.SOCK_DGRAM)))
    for kind in (socket.SOCK_RAW, getattr(socket, "SOCK_PACKET", 10)):
        rules.refuse("socket", errno.EACCES, (1, _MASKED_EQUAL, _TYPE, int(kind)))
