"""Redaction of the events of one run, which remembers the messages that come again."""

from __future__ import annotations

from collections.abc import Hashable

import msgspec

from knitbone.record.bounding import trim_messages
from knitbone.record.events import ChatMessage, Event, ModelCall, encode_json
from knitbone.record.redaction import TEXTS_OF_A_RECORD, Redactor

__all__ = ["EventRedactor"]

_MAX_REMEMBERED = 2_048
"""Messages whose redacted form is remembered; an agent sends the same ones with each call."""
_MAX_REMEMBERED_IN_ALL = 16_000_000
"""Characters of all of them together."""
_LONG_TEXT = 100_000
"""Characters of a message that is remembered as it was before."""


class EventRedactor:
    """Redacts events; an agent sends its whole history with each model call, and each message of it
    is redacted once."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._remembered: dict[Hashable, ChatMessage] = {}
        self._remembered_text = 0

    def event(self, event: Event) -> Event:
        """The event without secrets, and bounded."""
        if not isinstance(event, ModelCall):
            return self._redactor.record(event)
        bare = self._redactor.record(msgspec.structs.replace(event, input=(), output=None))
        longest = self._redactor.max_text
        messages = trim_messages(event.input, TEXTS_OF_A_RECORD * longest, longest)
        return msgspec.structs.replace(
            bare,
            input=tuple([self._message(message) for message in messages]),
            output=self._message(event.output) if event.output else None,
        )

    def _message(self, message: ChatMessage) -> ChatMessage:
        # Python remembers the hash of a text, and the history holds the same text objects. A long
        # text is known by its length and its hash, so that it need not be kept for it.
        content = message.content
        known: Hashable = content if len(content) <= _LONG_TEXT else (len(content), hash(content))
        key: Hashable = (message.role, known, message.tool_call_id, message.name)
        if message.tool_calls:
            try:
                key = encode_json(message)
            except Exception:  # noqa: BLE001 - no JSON as it is; redacting it makes it such
                return self._redactor.message(message)
            if len(key) > _LONG_TEXT:
                return self._redactor.message(message)
        found = self._remembered.get(key)
        if found is None:
            found = self._redactor.message(message)
            size = len(key) if isinstance(key, bytes) else len(found.content)
            self._remembered_text += size
            full = self._remembered_text > _MAX_REMEMBERED_IN_ALL
            if full or len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
                self._remembered_text = size
            self._remembered[key] = found
        return found
