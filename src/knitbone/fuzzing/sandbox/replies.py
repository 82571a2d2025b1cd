"""What a worker answers, before anything believes it.

The worker runs the tool's code, so its answer is the tool's word: a descriptor that the tool writes
to may be the channel, and a tool may replace whatever the worker calls. So each call carries a
number that only its own answer repeats, the answer must have the shape of one, and what only the
keeper can know (what was left running, that a hook failed) is never taken from it.
"""

from __future__ import annotations

import secrets
import select
import socket
from typing import Any, Literal

import msgspec

from knitbone.fuzzing.records import Attempt, ExceptionOrigin, StackFrame
from knitbone.fuzzing.sandbox.wire import Message

__all__ = ["checked_reply", "is_silent", "new_number"]

_TEXT = 64 * 1024
"""Characters kept of a result or message; the worker cuts them to the same."""
_PLACE = 4_096
"""Characters kept of a name."""


class _Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a ``CallOutcome`` that a worker may tell."""

    number: str
    status: Literal["ok", "raised", "rejected", "denied", "exit", "crash", "memory", "disk"]
    text: str = ""
    length: int = 0
    exception: str | None = None
    message: str = ""
    frame: StackFrame | None = None
    attempts: tuple[Attempt, ...] = ()
    violation: str | None = None
    tail: str = ""
    origin: ExceptionOrigin | None = None
    repeats: bool | None = None
    trace: dict[str, Any] | None = None
    """Not looked at here: whoever reads it takes nothing in it for granted."""


_FIELDS = frozenset(_Reply.__struct_fields__) - {"number"}
_CUT = {"text": _TEXT, "message": _TEXT, "tail": _TEXT, "violation": _TEXT, "exception": _PLACE}


def new_number() -> str:
    """What one call is told apart by; a tool cannot guess it."""
    return secrets.token_hex(8)


def checked_reply(message: Message, number: str) -> Message:
    """The answer to call ``number`` as fields of an outcome; a crash where it is none."""
    try:
        reply = msgspec.convert(message, _Reply)
    except (msgspec.ValidationError, RecursionError) as error:
        return _nonsense(str(error))
    if reply.number != number:
        return _nonsense("it answers another call")
    kept: Message = {name: value for name, value in message.items() if name in _FIELDS}
    for name, longest in _CUT.items():
        if isinstance(text := kept.get(name), str) and len(text) > longest:
            kept[name] = text[:longest]
    return kept


def is_silent(channel: socket.socket) -> bool:
    """Whether nothing waits in the channel that nobody asked for."""
    try:
        ready, _, _ = select.select([channel], [], [], 0)
        return not ready or not channel.recv(1, socket.MSG_PEEK)
    except OSError:
        return True  # it is gone: sending will tell


def _nonsense(reason: str) -> Message:
    return {"status": "crash", "message": f"wrote into the channel of its worker\n{reason}"[:500]}
