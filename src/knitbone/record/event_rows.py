"""How an event rests in a table: its body, and its messages beside it.

An agent sends its whole history with every model call. Each message is stored once, found by the
hash of its content; an event holds the numbers of its messages.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from hashlib import blake2b

import msgspec

from knitbone.record.events import ChatMessage, Event, ModelCall, encode_json
from knitbone.record.sqlite_schema import event_checksum

__all__ = ["EventRow", "MessageHashes", "decode_message", "is_whole", "message_columns"]

HASH_BYTES = 16
"""Of a message's BLAKE2b digest: two of 10^15 messages collide with a probability of 10^-9."""
_MAX_KNOWN = 4_096
"""Messages whose hash is remembered with them."""
_MAX_KNOWN_TEXT = 32_000_000
"""Characters of JSON of all of them together; an agent's history is far shorter."""
decode_message = msgspec.json.Decoder(ChatMessage).decode


class EventRow(msgspec.Struct):
    """An event as it is stored: without its messages, which are beside it."""

    body: bytes
    input: list[bytes] | None = None
    """The hashes of the input's messages; ``None`` where the event has no messages."""
    output: bytes | None = None
    messages: dict[bytes, ChatMessage] = {}
    """By hash."""

    def checksum(self, run_id: str) -> int:
        """The checksum of the event in this run, without its place."""
        return event_checksum(run_id, self.body, self.input, self.output)


class MessageHashes:
    """The hashes of messages. A recorder sends the same objects with each call, whose hashes are
    remembered."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[ChatMessage, bytes]] = {}
        self._known_text = 0

    def row(self, event: Event) -> EventRow:
        """The event as it is stored."""
        if not isinstance(event, ModelCall) or not (event.input or event.output):
            return EventRow(encode_json(event))
        messages: dict[bytes, ChatMessage] = {}
        given = [self._hash(message, messages) for message in event.input]
        said = self._hash(event.output, messages) if event.output else None
        bare = msgspec.structs.replace(event, input=(), output=None)
        return EventRow(encode_json(bare), given, said, messages)

    def _hash(self, message: ChatMessage, messages: dict[bytes, ChatMessage]) -> bytes:
        # The object is kept with its hash, so that no other one gets its identity.
        found = self._known.get(id(message))
        if found is None:
            body = encode_json(message)
            digest = _digest(body)
            self._known_text += len(body)
            if self._known_text > _MAX_KNOWN_TEXT or len(self._known) >= _MAX_KNOWN:
                self._known.clear()
                self._known_text = len(body)
            found = self._known[id(message)] = (message, digest)
        messages[found[1]] = message
        return found[1]


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=HASH_BYTES).digest()


def is_whole(digest: bytes, body: bytes) -> bool:
    """Whether a message's JSON is what its digest says."""
    return _digest(body) == digest


def message_columns(row: EventRow, numbers: Mapping[bytes, int]) -> tuple[bytes | None, int | None]:
    """The columns for the messages of an event."""
    if row.input is None:
        return None, None
    given = [numbers[digest] for digest in row.input]
    return struct.pack(f"<{len(given)}q", *given), numbers[row.output] if row.output else None
