"""How an event rests in a table: its body, and its messages beside it.

An agent sends its whole history with every model call. Each message is stored once, found by the
hash of its content; an event holds the numbers of its messages.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from hashlib import blake2b

import msgspec

from knitbone.core.events import ChatMessage, Event, ModelCall, decode_event, encode_json

__all__ = ["EventRow", "MessageHashes", "decode_message", "event_of", "message_columns"]

_HASH_BYTES = 16
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
            digest = blake2b(body, digest_size=_HASH_BYTES).digest()
            self._known_text += len(body)
            if self._known_text > _MAX_KNOWN_TEXT or len(self._known) >= _MAX_KNOWN:
                self._known.clear()
                self._known_text = len(body)
            found = self._known[id(message)] = (message, digest)
        messages[found[1]] = message
        return found[1]


def event_of(
    row: tuple[bytes, bytes | None, int | None], messages: dict[int, ChatMessage]
) -> Event:
    """The event of a row's ``body``, ``input`` and ``output``, with its messages by number."""
    body, given, said = row
    event = decode_event(body)
    if given is None or not isinstance(event, ModelCall):
        return event
    return msgspec.structs.replace(
        event,
        input=tuple(messages[number] for (number,) in struct.iter_unpack("<q", given)),
        output=None if said is None else messages[said],
    )


def message_columns(row: EventRow, numbers: Mapping[bytes, int]) -> tuple[bytes | None, int | None]:
    """The columns for the messages of an event."""
    if row.input is None:
        return None, None
    given = [numbers[digest] for digest in row.input]
    return struct.pack(f"<{len(given)}q", *given), numbers[row.output] if row.output else None
