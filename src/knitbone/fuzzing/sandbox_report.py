"""What the sandbox holds back on this machine: each escape tried in a real one, judged outside.

For each attempt something is made that it goes for (a file, sockets that listen, a process with a
secret), so that nothing of the user's is touched where a wall is missing.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import msgspec

from knitbone.errors import SandboxError
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.sandbox.escapes import DONE, ESCAPES
from knitbone.fuzzing.sandbox.walls import missing_walls
from knitbone.record.events import Json

__all__ = ["SandboxReport", "report_sandbox"]

_TARGET = "knitbone.fuzzing.sandbox.escapes:attempt"
_PATIENCE_S = 10.0
_ENDING_S = 0.1
"""How long a process takes to end that was told to."""
_IPC_CREATE, _IPC_REMOVE = 0o1000, 0


class EscapeAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One escape, and what came of it."""

    name: str
    came_through: bool
    answer: str
    """What the attempt was told, or how its call ended."""


class SandboxReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was tried, and what enforces the sandbox here."""

    user: int
    """Number of the user; 0 is root."""
    confinement: tuple[str, ...]
    missing: tuple[str, ...]
    """What is not enforced here, and what that leaves open."""
    attempts: tuple[EscapeAttempt, ...]


def report_sandbox() -> SandboxReport:
    """Try every escape once.

    Raises:
        SandboxError: there is no sandbox on this system, or it cannot be started.
    """
    if not sys.platform.startswith("linux"):
        raise SandboxError(
            "Escapes are tried on Linux only; elsewhere the audit hook stands alone."
        )
    with Sandbox(_TARGET) as sandbox:
        attempts = tuple(_tried(sandbox, name) for name in ESCAPES)
        return SandboxReport(
            user=os.getuid(),
            confinement=sandbox.confinement,
            missing=missing_walls(sandbox.confinement, network=False),
            attempts=attempts,
        )


def _tried(sandbox: Sandbox, name: str) -> EscapeAttempt:
    with _victim() as victim:
        outcome = sandbox.call(
            0, {"name": name, "victim": victim.told}, timeout_s=_PATIENCE_S, fresh=True
        )
        answer = outcome.text if outcome.status == "ok" else outcome.message or outcome.status
        told_so = outcome.status == "ok" and outcome.text.strip('"') == DONE
        harmed = victim.is_harmed()
        # What cannot be seen from outside is believed.
        seen = told_so if name not in _SEEN_OUTSIDE else harmed
        return EscapeAttempt(name=name, came_through=seen or harmed, answer=answer[:200])


_SEEN_OUTSIDE = frozenset(
    name
    for name in ESCAPES
    if name.startswith(("write", "link", "cut", "delete", "rename", "make", "change", "connect",
                        "send", "end"))
)  # fmt: skip


class _Victim:
    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self._file = folder / "file.txt"
        self._file.write_text("untouched")
        self._listening = [
            stack.enter_context(each)
            for each in (
                socket.create_server(("127.0.0.1", 0)),
                _bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
                _bound(socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "local")),
                _bound(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + folder.name),
                _bound(socket.AF_UNIX, socket.SOCK_DGRAM, str(folder / "datagrams")),
            )
        ]
        secret = secrets.token_hex(16)
        self._process = stack.enter_context(_sleeping(secret))
        self._shared = Path("/dev/shm", folder.name)  # noqa: S108 - what is to be kept from
        with contextlib.suppress(OSError):
            self._shared.write_text("untouched")
            stack.callback(self._shared.unlink)
        self.told: dict[str, Json] = {
            "file": str(self._file),
            "tcp": self._listening[0].getsockname()[1],
            "udp": self._listening[1].getsockname()[1],
            "local": str(folder / "local"),
            "abstract": folder.name,
            "datagrams": str(folder / "datagrams"),
            "pid": self._process.pid,
            "secret": secret,
            "address": _readable(self._process.pid),
            "segment": stack.enter_context(_segment()),
            "shared": str(self._shared),
        }
        self._before = self._look()

    def _look(self) -> tuple[Any, ...]:
        names = sorted(path.name for path in self._file.parent.iterdir())
        shared = self._shared.read_text() if self._shared.exists() else None
        if not self._file.exists():
            return names, shared
        status = self._file.stat()
        # Reading changes no change time; everything else does.
        return names, shared, self._file.read_text(), status.st_mode, status.st_ctime_ns

    def is_harmed(self) -> bool:
        """Whether anything of it was changed, or reached."""
        reached, _, _ = select.select(self._listening, [], [], 0)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING_S)
        return bool(reached) or self._process.poll() is not None or self._look() != self._before


@contextlib.contextmanager
def _victim() -> Generator[_Victim]:
    # The name of a local socket has 108 bytes at most (unix(7)).
    above = "/tmp" if len(tempfile.gettempdir()) > _LONGEST_FOLDER else None  # noqa: S108
    with contextlib.ExitStack() as stack:
        made = tempfile.TemporaryDirectory(prefix="knitbone-victim-", dir=above)
        folder = Path(stack.enter_context(made))
        yield _Victim(folder, stack)


_LONGEST_FOLDER = 60
"""Characters of the folder of temporary files, below which those of a victim lie."""


def _bound(family: int, kind: int, address: Any) -> socket.socket:
    made = socket.socket(family, kind)
    made.bind(address)
    if kind == socket.SOCK_STREAM:
        made.listen()
    return made


@contextlib.contextmanager
def _sleeping(secret: str) -> Generator[subprocess.Popen[bytes]]:
    environment = {"KNITBONE_SECRET": secret, "PATH": os.environ.get("PATH", os.defpath)}
    with subprocess.Popen(["sleep", "60"], env=environment) as process:
        try:
            yield process
        finally:
            process.kill()


def _readable(pid: int) -> int:
    """An address that the process has something at."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        line = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").splitlines()[0]
        return int(line.partition("-")[0], 16)
    return 0


@contextlib.contextmanager
def _segment() -> Generator[int]:
    """The key of a shared memory segment of System V."""
    libc = ctypes.CDLL(None, use_errno=True)
    key = secrets.randbelow(1 << 30) + 1
    number = int(libc.shmget(key, ctypes.c_size_t(4096), _IPC_CREATE | 0o600))
    try:
        yield key
    finally:
        if number >= 0:
            libc.shmctl(number, _IPC_REMOVE, cast("Any", None))
