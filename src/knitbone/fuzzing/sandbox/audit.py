"""The audit hook: what Python code in a worker may not do, and a message that says so.

It is the net where the kernel has no Landlock, it tells a refusal of ours apart from a fault of
the tool, and it remembers what was attempted, also where the tool goes on as if nothing had
happened. It is no security boundary: native code and a determined tool get past it.
"""

from __future__ import annotations

import inspect
import os
import socket
import sys
from collections.abc import Callable, Collection, Iterable
from types import FrameType
from typing import Any, NamedTuple, NoReturn, cast

__all__ = ["MARK", "RefusedAction", "SandboxDenied", "install"]

MARK = "refused by the fuzzing sandbox"
"""Part of every refusal's message, so that a tool that returns it as text is recognised."""

_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DEVICES = frozenset({"/dev/null", "/dev/zero", "/dev/full"})

# Event -> the arguments that are paths written to, as (path, its dir_fd or None).
_WRITES: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.chflags": ((0, None),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.link": ((1, 3),),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.removexattr": ((0, None),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.setxattr": ((0, None),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.utime": ((0, 3),),
    "sqlite3.connect": ((0, None),),
}
_DELETES = frozenset({"os.remove", "os.rmdir"})
_MOST_REFUSALS = 20
"""Distinct refusals remembered of one call: deleting a tree fails once for each file."""
_MOST_FRAMES = 60
_STARTS = frozenset(
    {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"}
)


class SandboxDenied(PermissionError):  # noqa: N818 - reads as what happened
    """The tool tried what the sandbox does not allow."""


class RefusedAction(NamedTuple):
    """Something that was attempted and not allowed."""

    action: str
    """``write``, ``delete``, ``connect``, ``signal`` or ``program``."""
    object: str
    """The path, host or process."""
    stack: tuple[tuple[str, int, str], ...]
    """File, line and function of each Python frame, innermost first."""


def install(
    directories: Collection[str],
    *,
    allow_hosts: Iterable[str],
    kernel_confined: bool,
    protected: Iterable[int],
) -> list[RefusedAction]:
    """Refuse writes outside ``directories``, network use, and signals to ``protected`` processes.

    Args:
        allow_hosts: names or addresses that may be connected to.
        kernel_confined: whether Landlock is in force; without it new programs are refused too,
            because nothing would confine them.
        protected: process ids that may not be signalled.

    Returns:
        What is refused from now on, as it happens; the caller empties it between calls.
    """
    roots = [os.path.realpath(directory) for directory in directories]
    guard = _Guard(roots, _addresses(allow_hosts), frozenset(protected))
    special: dict[str, Callable[[tuple[Any, ...]], None]] = {
        "open": guard.check_open,
        "socket.connect": guard.check_connect,
        "socket.sendto": guard.check_connect,
        "socket.sendmsg": guard.check_connect,
        "socket.getaddrinfo": guard.check_name,
        "socket.gethostbyname": guard.check_name,
        "os.kill": guard.check_signal,
        "os.killpg": guard.check_signal,
    }

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if (check := special.get(event)) is not None:
            check(args)
        elif (places := _WRITES.get(event)) is not None:
            for index, fd_index in places:
                folder = args[fd_index] if fd_index is not None and fd_index < len(args) else None
                guard.check_write(args[index], folder, deletes=event in _DELETES)
        elif not kernel_confined and event in _STARTS:
            guard.refuse("program", event, "starting another program without Landlock is")

    sys.addaudithook(hook)
    return guard.refused


class _Guard:
    """The decisions; their arguments are those of Python's audit events, which are untyped."""

    def __init__(
        self, roots: Collection[str], hosts: frozenset[str], protected: frozenset[int]
    ) -> None:
        self.refused: list[RefusedAction] = []
        self._roots = frozenset(roots)
        self._inside = tuple(root + os.sep for root in roots)
        self._hosts = hosts
        self._protected = protected

    def check_open(self, args: tuple[Any, ...]) -> None:
        if args[2] & _WRITE_FLAGS:
            self.check_write(args[0])

    def check_write(self, path: Any, folder: Any = None, *, deletes: bool = False) -> None:
        if isinstance(path, int) or path is None:
            return
        text = os.fsdecode(path)
        if text in (":memory:", "") or text in _DEVICES or "\0" in text:
            return
        if isinstance(folder, int) and folder >= 0 and not text.startswith("/"):
            text = f"/proc/self/fd/{folder}/{text}"
        resolved = os.path.realpath(text)
        if resolved not in self._roots and not resolved.startswith(self._inside):
            shown = resolved if text.startswith("/proc/self/fd/") else text
            verb = "deleting" if deletes else "writing to"
            self.refuse("delete" if deletes else "write", shown, f"{verb} {shown!r} is")

    def check_connect(self, args: tuple[Any, ...]) -> None:
        address: Any = args[1]
        if isinstance(address, tuple):  # not the path of a local socket
            host = str(cast("tuple[Any, ...]", address)[0])
            if host not in self._hosts:
                self.refuse("connect", host, f"a connection to {host!r} is")

    def check_name(self, args: tuple[Any, ...]) -> None:
        name: Any = args[0]
        host = name.decode("ascii", "replace") if isinstance(name, bytes) else str(name)
        if name is not None and host not in self._hosts:
            self.refuse("connect", host, f"looking up {host!r} is")

    def check_signal(self, args: tuple[Any, ...]) -> None:
        if args[0] in self._protected or args[0] == -1:
            self.refuse("signal", "another process", "a signal to another process is")

    def refuse(self, action: str, what: str, text: str) -> NoReturn:
        """Remember the attempt and end it."""
        if len(self.refused) < _MOST_REFUSALS:
            self.refused.append(RefusedAction(action, what, _stack(inspect.currentframe())))
        raise SandboxDenied(13, f"{text} {MARK}")


def _stack(frame: FrameType | None) -> tuple[tuple[str, int, str], ...]:
    places: list[tuple[str, int, str]] = []
    while frame is not None and len(places) < _MOST_FRAMES:
        places.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return tuple(places)


def _addresses(hosts: Iterable[str]) -> frozenset[str]:
    known: set[str] = set()
    for host in hosts:
        known.add(host)
        try:
            known.update(str(found[4][0]) for found in socket.getaddrinfo(host, None))
        except OSError:
            continue
    return frozenset(known)
