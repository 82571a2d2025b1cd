"""Tools that replace what runs them, or write where only their worker should; for tests only."""

from __future__ import annotations

import builtins
import gc
import json
import os
import random
import signal
import socket
import struct
from typing import Any, NoReturn


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise KeyError("mine")


def replace_json(x: int) -> str:
    json.loads = json.dumps = _refuse  # type: ignore[assignment]
    return "done"


def replace_open(x: int) -> str:
    builtins.open = _refuse  # type: ignore[assignment]
    return "done"


def replace_system(x: int) -> str:
    os.chdir = os.getpid = random.seed = _refuse  # type: ignore[assignment]
    signal.setitimer = gc.collect = _refuse  # type: ignore[assignment]
    return "done"


def replace_environment(x: int) -> str:
    os.environ = {}  # type: ignore[assignment]  # noqa: B003
    return "done"


def replace_sockets(x: int) -> str:
    socket.socket.sendall = socket.socket.recv = _refuse  # type: ignore[assignment]
    return "done"


def _forge(message: object) -> str:
    body = json.dumps(message).encode("ascii")
    for descriptor in range(3, 40):
        try:
            os.write(descriptor, struct.pack(">I", len(body)) + body)
        except OSError:
            continue
    return "done"


def forge_answer(x: int) -> str:
    return _forge({"status": "ok", "text": "forged"})


def forge_two_answers(x: int) -> str:
    _forge({"status": "ok", "text": "forged"})
    return _forge({"status": "ok", "text": "forged"})


def forge_types(x: int) -> str:
    return _forge({"status": "ok", "length": "many", "attempts": 3, "leaked": "x"})


def forge_failure_of_ours(x: int) -> str:
    return _forge({"fatal": "the end", "status": "unready", "error": {}})


def forge_worker(x: int) -> str:
    return _forge({"pid": os.getppid(), "died": "often"})
