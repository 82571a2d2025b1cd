"""Ways out of the sandbox, to be tried inside it: ``knitbone fuzz --sandbox-report``.

Each goes for something that was made for it outside: a file, a socket, a process. Those "by native
code" pass Python by, through the C library; whether they came through is judged from outside where
that can be seen (``fuzzing/sandbox_report.py``), else by what they return.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["DONE", "ESCAPES", "attempt"]

DONE = "done"
"""What an escape returns that came through, as far as it can tell."""

_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform.startswith("linux") else None
_Victim = dict[str, Any]


def attempt(name: str, victim: _Victim) -> str:
    """Try one escape; what came of it, in words."""
    try:
        said = ESCAPES[name](victim)
        return said if isinstance(said, str) and said else DONE
    except Exception as error:  # noqa: BLE001 - a refusal may be of any type
        return f"{type(error).__name__}: {error}"


def _call(name: str, *arguments: Any) -> int:
    """A function of the C library, by name, past Python.

    Raises:
        OSError: it failed.
    """
    result = int(getattr(_LIBC, name)(*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def _path(victim: _Victim) -> bytes:
    return os.fsencode(victim["file"])


def _write(victim: _Victim) -> None:
    with open(victim["file"], "w", encoding="utf-8") as file:  # noqa: PTH123 - as tools do
        file.write("escaped")


def _write_native(victim: _Victim) -> None:
    descriptor = _call("open", _path(victim), os.O_WRONLY)
    _call("write", descriptor, b"escaped", 7)


def _write_by_program(victim: _Victim) -> str:
    done = subprocess.run(
        ["sh", "-c", 'echo escaped > "$0"', victim["file"]], capture_output=True, check=False
    )
    return done.stderr.decode("utf-8", "replace").strip()


def _write_by_link(victim: _Victim) -> None:
    _call("symlink", _path(victim), b"way-out")
    descriptor = _call("open", b"way-out", os.O_WRONLY | os.O_TRUNC)
    _call("write", descriptor, b"escaped", 7)


def _hard_link(victim: _Victim) -> None:
    _call("link", _path(victim), b"other-name")
    _call("chmod", b"other-name", 0o777)


def _set_times(victim: _Victim) -> None:
    times = struct.pack("=4q", 0, 0, 0, 0)
    _call("utimensat", -100, _path(victim), times, 0)


def _set_attribute(victim: _Victim) -> None:
    _call("setxattr", _path(victim), b"user.escaped", b"1", ctypes.c_size_t(1), 0)


def _address(port: int) -> bytes:
    return struct.pack("=H", socket.AF_INET) + struct.pack("!H4s8x", port, b"\x7f\0\0\1")


def _local(path: bytes) -> bytes:
    return struct.pack("=H", socket.AF_UNIX) + path


def _connect(family: int, kind: int, address: bytes) -> None:
    descriptor = _call("socket", family, kind, 0)
    _call("connect", descriptor, address, len(address))
    _call("send", descriptor, b"escaped", ctypes.c_size_t(7), 0)


def _tcp(victim: _Victim) -> None:
    with socket.create_connection(("127.0.0.1", victim["tcp"]), timeout=2) as channel:
        channel.sendall(b"escaped")


def _tcp_by_program(victim: _Victim) -> str:
    code = f"import socket; socket.create_connection(('127.0.0.1', {victim['tcp']}), 2)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    return done.stderr.decode("utf-8", "replace").strip()[-200:]


def _local_python(victim: _Victim) -> None:
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(victim["local"])


def _local_by_pair(victim: _Victim) -> None:
    pair = (ctypes.c_int * 2)()
    _call("socketpair", socket.AF_UNIX, socket.SOCK_DGRAM, 0, pair)
    address = _local(os.fsencode(victim["datagrams"]) + b"\0")
    _call("sendto", pair[0], b"escaped", ctypes.c_size_t(7), 0, address, len(address))


def _read_environment(victim: _Victim) -> str:
    text = Path(f"/proc/{victim['pid']}/environ").read_bytes()
    return DONE if victim["secret"].encode() in text else "it is empty"


def _find_environment(victim: _Victim) -> str:
    """Without knowing the number of the process."""
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and victim["secret"].encode() in (
                (entry / "environ").read_bytes()
            ):
                return DONE
        except OSError:
            continue
    return "no process has it"


def _read_memory(victim: _Victim) -> str:
    with open(f"/proc/{victim['pid']}/mem", "rb") as memory:  # noqa: PTH123 - as tools do
        memory.seek(victim["address"])
        return DONE if memory.read(1) else "nothing"


def _copy_memory(victim: _Victim) -> None:
    buffer = ctypes.create_string_buffer(8)
    mine = struct.pack("=QQ", ctypes.addressof(buffer), 8)
    theirs = struct.pack("=QQ", victim["address"], 8)
    _call("process_vm_readv", victim["pid"], mine, 1, theirs, 1, 0)


def _shared_memory(victim: _Victim) -> None:
    number = _call("shmget", victim["segment"], ctypes.c_size_t(0), 0)
    _LIBC.shmat.restype = ctypes.c_void_p  # pyright: ignore[reportOptionalMemberAccess] - Linux
    if _LIBC.shmat(number, None, 0) in (None, 2**64 - 1):  # pyright: ignore[reportOptionalMemberAccess] - as above
        raise OSError(ctypes.get_errno(), "not attached")


def _shared_file(victim: _Victim) -> None:
    descriptor = _call("open", os.fsencode(victim["shared"]), os.O_RDWR)
    _call("write", descriptor, b"escaped", 7)


ESCAPES: dict[str, Callable[[_Victim], object]] = {
    "write a file": _write,
    "write a file, by native code": _write_native,
    "write a file, by a program": _write_by_program,
    "write a file through a link": _write_by_link,
    "link a file into the folder and change it": _hard_link,
    "cut a file short, by native code": lambda v: _call("truncate", _path(v), 0),
    "delete a file": lambda v: os.remove(v["file"]),  # noqa: PTH107 - as tools do
    "delete a file, by native code": lambda v: _call("unlink", _path(v)),
    "rename a file, by native code": lambda v: _call("rename", _path(v), b"taken"),
    "make a folder, by native code": lambda v: _call("mkdir", _path(v) + b"-new", 0o777),
    "change a mode, by native code": lambda v: _call("chmod", _path(v), 0o777),
    "change an owner, by native code": lambda v: _call("chown", _path(v), os.getuid(), os.getgid()),
    "change times, by native code": _set_times,
    "change an extended attribute, by native code": _set_attribute,
    "connect by TCP": _tcp,
    "connect by TCP, by native code": lambda v: _connect(
        socket.AF_INET, socket.SOCK_STREAM, _address(v["tcp"])
    ),
    "connect by TCP, by a program": _tcp_by_program,
    "send by UDP, by native code": lambda v: _connect(
        socket.AF_INET, socket.SOCK_DGRAM, _address(v["udp"])
    ),
    "connect to a local socket": _local_python,
    "connect to a local socket, by native code": lambda v: _connect(
        socket.AF_UNIX, socket.SOCK_STREAM, _local(os.fsencode(v["local"]) + b"\0")
    ),
    "connect to an abstract socket, by native code": lambda v: _connect(
        socket.AF_UNIX, socket.SOCK_STREAM, _local(b"\0" + v["abstract"].encode("ascii"))
    ),
    "send to a local socket from a pair, by native code": _local_by_pair,
    "open a netlink socket, by native code": lambda _: _call("socket", 16, 3, 0),
    "open a packet socket, by native code": lambda _: _call("socket", 17, 3, 0),
    "open a socket to the hypervisor, by native code": lambda _: _call("socket", 40, 1, 0),
    "read another process's environment": _read_environment,
    "look for an environment in all processes": _find_environment,
    "read another process's memory": _read_memory,
    "copy another process's memory, by native code": _copy_memory,
    "trace another process, by native code": lambda v: _call("ptrace", 0x4206, v["pid"], 0, 0),
    "end another process, by native code": lambda v: _call("kill", v["pid"], 15),
    "attach shared memory of System V, by native code": _shared_memory,
    "write to the user's /dev/shm, by native code": _shared_file,
    "mount a file system, by native code": lambda _: _call(
        "mount", b"none", os.fsencode(Path.cwd()), b"tmpfs", 0, None
    ),
    "set the host's name, by native code": lambda _: _set_name(),
    "enter a user namespace, by native code": lambda _: _call("unshare", 0x10000000),
    "keep a key in the kernel, by native code": lambda _: _call(
        "syscall", _ADD_KEY, b"user", b"escaped", b"1", ctypes.c_size_t(1), -3
    ),
}
"""What is tried, by name."""

_ADD_KEY = 217 if os.uname().machine == "aarch64" else 248


def _set_name() -> None:
    name = os.fsencode(socket.gethostname())
    _call("sethostname", name, ctypes.c_size_t(len(name)))
