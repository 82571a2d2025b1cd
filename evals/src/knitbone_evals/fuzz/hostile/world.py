"""What the escapes look for outside of the sandbox, and what really became of it.

with World(folder) as world: ... attempt(world.outside) inside the sandbox ...; world.changes()
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import zlib
from pathlib import Path

# Its name is made of the path. It counts the signals that reach it, and holds a secret.
_BYSTANDER = """
import ctypes, signal, sys, time
count = 0
def hit(number, frame):
    global count
    count += 1
    open(sys.argv[2], "w").write(str(count))
signal.signal(signal.SIGURG, hit)
ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)
print("ready", flush=True)
time.sleep(600)
"""
_COMPANIONS = (".a", ".b", ".d/x")


class World:
    """Throw-away folder, listeners, shared memory and a bystander; `changes()` after an attempt."""

    def __init__(self, folder: str | None = None) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="kb-world-", dir=folder)).resolve()
        self.file = self.base / "place" / "id_key"
        self.outside = str(self.file)
        self.mark = zlib.crc32(os.fsencode(self.outside))
        self.port = 20000 + self.mark % 10000
        # Give the calling process (not the tool) these variables.
        self.environment = {"KB_BLIND_TOKEN": f"blindsecret-{secrets.token_hex(8)}"}
        self.heard: list[str] = []
        self.silent: list[str] = []  # what could not be prepared on this system
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> World:
        self._stack.callback(shutil.rmtree, self.base, ignore_errors=True)
        self.file.parent.mkdir()
        self.file.write_text(f"-----BEGIN KEY-----\nblindfile-{secrets.token_hex(8)}\n" * 20)
        self.file.chmod(0o600)
        for ending in _COMPANIONS:
            path = Path(self.outside + ending)
            path.parent.mkdir(exist_ok=True)
            path.write_text("companion\n")
        tcp, udp, unix = socket.AF_INET, socket.SOCK_DGRAM, socket.AF_UNIX
        local = ("127.0.0.1", self.port)
        abstract = f"\0kb-{self.mark:08x}"
        for name, family, kind, address in (
            ("TCP", tcp, socket.SOCK_STREAM, local),
            ("UDP", tcp, udp, local),
            ("path socket", unix, socket.SOCK_STREAM, self.outside + ".sock"),
            ("path datagram", unix, udp, self.outside + ".dgram"),
            ("abstract socket", unix, socket.SOCK_STREAM, abstract),
            ("abstract datagram", unix, udp, abstract + "d"),
        ):
            self._try(name, lambda n=name, f=family, k=kind, a=address: self._listen(n, f, k, a))
        self._try("shared memory", self._shared)
        self._try("System V", self._system_v)
        self._try("queue", self._queue)
        self._try("bystander", self._bystander)
        self.before = self._state()
        return self

    def __exit__(self, *_: object) -> None:
        for path in Path("/dev/shm").glob(f"kb-{self.mark:08x}.*"):
            path.unlink()
        self._stack.close()

    def changes(self) -> list[str]:
        """What is other than at the start; the attempt must have ended."""
        after = self._state()
        keys = sorted(self.before.keys() | after.keys())
        found = [key for key in keys if self.before.get(key) != after.get(key)]
        return found + [f"heard {name}" for name in sorted(set(self.heard))]

    def _try(self, name: str, prepare) -> None:
        try:
            prepare()
        except (OSError, AttributeError) as error:
            self.silent.append(f"{name}: {error}")

    def _state(self) -> dict[str, object]:
        state: dict[str, object] = {}
        for root, folders, files in os.walk(self.base):
            for name in [".", *folders, *files]:
                path = os.path.join(root, name)
                info = os.lstat(path)
                found = [info.st_mode, info.st_uid, info.st_gid, info.st_nlink]
                if name in files:
                    found += [info.st_ino, info.st_size, info.st_mtime_ns]
                    if os.path.isfile(path) and not os.path.islink(path):
                        found.append(os.listxattr(path))
                        found.append(Path(path).read_bytes())
                state[os.path.relpath(path, self.base)] = found
        for path in Path("/dev/shm").glob(f"kb-{self.mark:08x}.*"):
            state[str(path)] = path.read_bytes()
        if hasattr(self, "_place"):
            state["System V"] = ctypes.string_at(self._place, 2)
        if hasattr(self, "_messages"):
            state["queue"] = os.pread(self._messages, 100, 0)
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
                if (entry / "comm").read_text() == "kb-left\n" or words == b"sleep 20.25 ":
                    state[f"process {entry.name} lives on"] = True
        return state

    def _listen(self, name: str, family: int, kind: int, address) -> None:
        one = self._stack.enter_context(socket.socket(family, kind))
        one.bind(address)
        if kind == socket.SOCK_STREAM:
            one.listen(64)

        def loop() -> None:
            with contextlib.suppress(OSError):
                while True:
                    if kind == socket.SOCK_DGRAM:
                        one.recv(1000)
                    else:
                        other, _ = one.accept()
                        with other, contextlib.suppress(OSError):
                            other.settimeout(0.2)
                            other.send(b"HTTP/1.0 204 kb\r\n\r\n")
                    self.heard.append(name)

        threading.Thread(target=loop, daemon=True).start()

    def _shared(self) -> None:
        Path(f"/dev/shm/kb-{self.mark:08x}.shm").write_bytes(bytes(4096))

    def _system_v(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        number = libc.shmget(self.mark & 0x7FFFFFFF, 4096, 0o1600)
        if number == -1:
            raise OSError(ctypes.get_errno(), "shmget")
        libc.shmat.restype = ctypes.c_void_p
        self._place = libc.shmat(number, None, 0)
        self._stack.callback(libc.shmctl, number, 0, None)

    def _queue(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        name = f"/kb-{self.mark:08x}".encode()
        self._messages = libc.mq_open(name, os.O_RDWR | os.O_CREAT, 0o600, None)
        if self._messages == -1:
            del self._messages
            raise OSError(ctypes.get_errno(), "mq_open")
        self._stack.callback(os.close, self._messages)
        self._stack.callback(libc.mq_unlink, name)

    def _bystander(self) -> None:
        name, count = f"kb-{self.mark:08x}", str(self.base / "signals")
        words = [sys.executable, "-c", _BYSTANDER, name, count]
        environment = {**os.environ, **self.environment}
        one = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True)
        self._stack.callback(one.wait)
        self._stack.callback(one.send_signal, signal.SIGKILL)
        assert one.stdout is not None
        one.stdout.readline()
        one.stdout.close()
