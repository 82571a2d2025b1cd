"""Messages between the processes of a sandbox: length-prefixed JSON.

JSON from the standard library, because it carries what arguments are made of and strict encoders
refuse: lone surrogates, infinities and integers of any size.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any, cast

__all__ = ["FrameReader", "Message", "encode", "receive", "send"]

Message = dict[str, Any]
"""One message. Untrusted when it comes from a worker: the receiver checks what it reads."""

_HEADER = struct.Struct(">I")
# A tool may replace what its own code calls, for a test double or by mistake; the worker that it
# shares a process with goes on with what was there before.
encode, _decode = json.JSONEncoder().encode, json.JSONDecoder().decode
_send_all, _recv = socket.socket.sendall, socket.socket.recv
_LONGEST = 32 * 1024 * 1024
"""Bytes of one message; a worker that announces more is not speaking our protocol."""


def send(channel: socket.socket, message: Message) -> None:
    """Write one message, blocking until it is out."""
    body = encode(message).encode("ascii")
    _send_all(channel, _HEADER.pack(len(body)) + body)


def receive(channel: socket.socket) -> Message | None:
    """Read one message, for as long as the channel's timeout allows at a time; ``None`` when the
    other side is gone, silent or speaks nonsense."""
    reader = FrameReader()
    while not reader.broken:
        try:
            data = _recv(channel, min(reader.missing, 1 << 20))
        except (ConnectionError, TimeoutError):
            return None
        if not data:
            return None
        if (message := reader.feed(data)) is not None:
            return message
    return None


class FrameReader:
    """Puts one message together from parts; never reads past its end."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.broken = False

    @property
    def missing(self) -> int:
        """Bytes to read next, at least 1."""
        if len(self._buffer) < _HEADER.size:
            return _HEADER.size - len(self._buffer)
        (length,) = _HEADER.unpack_from(self._buffer)
        return max(_HEADER.size + length - len(self._buffer), 1)

    def feed(self, data: bytes) -> Message | None:
        """Add ``data``; the message once it is complete."""
        self._buffer += data
        if len(self._buffer) < _HEADER.size:
            return None
        (length,) = _HEADER.unpack_from(self._buffer)
        if length > _LONGEST:
            self.broken = True
            return None
        if len(self._buffer) < _HEADER.size + length:
            return None
        try:
            value = _decode(self._buffer[_HEADER.size :].decode("utf-8"))
        except (ValueError, RecursionError):
            self.broken = True
            return None
        self._buffer.clear()
        if not isinstance(value, dict):
            self.broken = True
            return None
        return cast("Message", value)
