"""Redaction, at the moment an event is recorded: what is removed here never reaches the disk.

Two rules: a value under a name that announces a secret is replaced whole (a mapping is not, for a
tool's schema describes an argument of that name so; it is searched); text that looks like a
credential is replaced where it stands. The user's own patterns come on top. The same walk
makes untrusted values fit to store: lone surrogates, over-long text, absurd nesting and objects
that JSON does not know. It runs in the agent's call, so what it looks at is bounded: of a record
that is too large a beginning and an end are kept (:mod:`knitbone.record.bounding`).
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Hashable, Iterable
from typing import Any, TypeVar, cast

import msgspec

from knitbone.errors import ConfigError
from knitbone.record.bounding import MARGIN, VALUE, BoundedText, is_record, trim, trim_messages
from knitbone.record.events import ChatMessage, Event, ModelCall, encode_json
from knitbone.record.plain import plain
from knitbone.record.secrets import (
    LONGEST_NAME,
    REDACTED,
    SHORTEST_SECRET,
    FieldReader,
    SecretFinder,
    Strength,
    is_placeholder,
    is_secret_value,
    strength_of,
    tells_of_others,
)

__all__ = ["MAX_DEPTH", "MAX_TEXT", "REDACTED", "TEXTS_OF_A_RECORD", "EventRedactor", "Redactor"]


MAX_TEXT = 1_000_000
"""Characters kept of one text, half of them from its end; between them stands a note of how much
was left out."""
TEXTS_OF_A_RECORD = 8
"""Times ``max_text``: what one record may hold in all. The default, 8 million characters, is what
fits into the longest context windows (2 million tokens); to redact it takes 0.2 s where no text
bears a hint of a secret, on a busy machine (ours)."""
MAX_HASHED = 10_000_000
"""Characters of long texts of one record whose hash is noted, at 2 ns each (ours)."""
MAX_DEPTH = 64
"""Containers nested deeper than this are stored as text."""

_PRIVATE_PARTS = frozenset({"d", "p", "q", "dp", "dq", "qi", "k"})
"""Fields of a JSON Web Key that are secret (RFC 7518, section 6)."""
_FEWEST_PIECES = 3
_LONGEST_PIECE = 24
"""Characters of a piece on the average: models send a word or a few (ours)."""
_MAX_KEY = LONGEST_NAME
"""Characters of a name that is remembered."""
_MAX_KEYS = 4_096
_ROUNDS = 3
"""How often a text is read in which there was a secret: what stood beside it may be told now."""
_MOST_TOGETHER = 16
"""Texts of a list that are read together with the fields beside it (ours)."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_SECRET_VALUES = frozenset({str, int, float, list, tuple, set, frozenset})
"""What is replaced under a name that announces a secret; truth values say nothing."""

_CONTAINERS = frozenset({list, tuple, set, frozenset})
_PRINTED = frozenset({str, int, float, bool, type(None)})

_NUMBERS = frozenset({"cost_usd", "reward", "score"})
"""Fields of records that are numbers; what is no number of JSON's is null there, and a text in a
field that holds any value."""

_Record = TypeVar("_Record", bound=msgspec.Struct)


class Redactor:
    """Removes secrets from records.

    Args:
        patterns: further regular expressions; all of a match is replaced.
        secrets: exact texts to remove, such as the keys that this process was configured with.
        max_text: characters kept of one text.

    Raises:
        ConfigError: a pattern is not a regular expression.
    """

    def __init__(
        self,
        patterns: Iterable[str] = (),
        *,
        secrets: Iterable[str] = (),
        max_text: int = MAX_TEXT,
    ) -> None:
        own: list[str] = []
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ConfigError(
                    f"record.redact: {pattern!r} is not a regular expression ({error}).",
                    next_step="Correct it; patterns use the syntax of Python's re module.",
                ) from error
            own.append(f"(?:{pattern})")
        exact = [secret for secret in secrets if len(secret) >= SHORTEST_SECRET]
        self._places = SecretFinder(exact).places
        self._own = [re.compile(pattern) for pattern in own]
        self.max_text = max_text
        self.keys: dict[str, tuple[str, Strength, bool]] = {}
        """Names of fields, which are few and come again: without secrets, how sure they announce
        one, and whether they say something about other fields."""

    def text(self, text: str) -> str:
        """The text without secrets; of one over ``max_text`` characters a beginning, a note and an
        end."""
        if len(text) <= self.max_text:
            return self.clean(text)
        return self.ends_of(text, self.max_text, hashed=len(text) <= MAX_HASHED)

    def ends_of(self, text: str, limit: int, *, hashed: bool) -> str:
        """``limit`` characters of a longer text, and a note of its true length and, if asked for,
        its hash."""
        length, half = len(text), limit // 2
        if not limit:
            head = tail = ""
        elif length <= limit + 2 * MARGIN:
            clean = self.clean(text)
            if len(clean) <= limit:
                return clean
            head, tail = clean[:half], clean[len(clean) - half :]
        else:
            # What is cut off in the middle of a secret stands in the margin, and goes with it.
            clean = self.clean(text[: half + MARGIN])
            head = clean[: min(half, len(clean) - MARGIN)]
            clean = self.clean(text[length - half - MARGIN :])
            tail = clean[max(MARGIN, len(clean) - half) :]
        digest = f"; SHA-256 of all: {_sha256(text)}" if hashed else ""
        missing = f"{length - 2 * half:,} of {length:,} characters not recorded{digest}"
        return f"{head}… [{missing}] …{tail}"

    def clean(self, text: str) -> str:
        """The text, however long, without secrets and without what no encoding takes."""
        if not text.isascii():
            text = _SURROGATE.sub("\ufffd", text)
        for _ in range(_ROUNDS):
            places = self._places(text)
            if not places:
                break
            text = _without(text, places)
        for pattern in self._own:
            text = pattern.sub(REDACTED, text)
        return text

    def together(self, fields: FieldReader) -> None:
        """Remove from the fields of a record what they announce of each other."""
        fields.clean(self._places, _without)

    def stream(self, pieces: list[str]) -> list[str]:
        """The pieces of one text without the secrets that are split over them: the first piece of a
        secret says so, the others lose their part."""
        places = self._places("".join(pieces))
        if not places:
            return pieces
        kept: list[str] = []
        begin = 0
        for piece in pieces:
            end = begin + len(piece)
            text = piece
            for start, stop in reversed(places):
                if start < end and stop > begin:
                    shown = REDACTED if start >= begin else ""
                    text = text[: max(0, start - begin)] + shown + text[stop - begin :]
            kept.append(text)
            begin = end
        return kept

    def value(self, value: object) -> Any:
        """A value without secrets, made of what JSON knows; the input is left as it is."""
        limit = TEXTS_OF_A_RECORD * self.max_text
        try:
            return _RedactionWalk(self, limit).value(value)
        except _TooLargeError:
            # What is kept needs a second walk, whose limit leaves room for the notes.
            return _RedactionWalk(self, 2 * limit).value(trim(value, limit))

    def message(self, message: ChatMessage) -> ChatMessage:
        """A message without secrets; ``record`` for the type of which there are the most."""
        if message.tool_calls:
            return self.record(message)
        return ChatMessage(
            role=message.role,
            content=self.text(message.content),
            tool_call_id=None if message.tool_call_id is None else self.text(message.tool_call_id),
            name=None if message.name is None else self.text(message.name),
        )

    def record(self, record: _Record) -> _Record:
        """A record of the same type without secrets."""
        return msgspec.convert(self.value(record), type(record))


def _is_stream(items: list[Any]) -> bool:
    """Whether texts are the pieces of one, as models send their answers."""
    if len(items) < _FEWEST_PIECES or type(items[0]) is not str:
        return False
    if not all(type(item) is str for item in items):
        return False
    return sum(map(len, items)) <= _LONGEST_PIECE * len(items)


class _TooLargeError(Exception):
    """A record counts as more than it may."""


class _RedactionWalk:
    """One walk through a value, as far as its limit reaches."""

    __slots__ = ("_clean", "_fields_read", "_hashed", "_keys", "_left", "_longest", "_redactor")

    def __init__(self, redactor: Redactor, limit: int) -> None:
        self._redactor = redactor
        self._clean = redactor.clean
        self._keys = redactor.keys
        self._longest = redactor.max_text
        self._left = limit
        self._hashed = MAX_HASHED
        self._fields_read: FieldReader | None = None

    def value(self, value: object, depth: int = 0) -> Any:
        """The value as it is recorded."""
        kind = type(value)
        if kind is str:
            return self._text(cast("str", value))
        if value is None or kind is bool:
            return value
        if kind is int:
            number = cast("int", value)
            big = not -(2**63) <= number < 2**64
            return f"[integer of {number.bit_length()} bits]" if big else number
        if kind is float:
            return value if math.isfinite(cast("float", value)) else str(value)
        if kind is BoundedText:
            return self._cut(cast("BoundedText", value))
        if depth >= MAX_DEPTH:
            return f"[nested deeper than {MAX_DEPTH}: {kind.__name__}]"
        if kind is dict:
            return self._mapping(cast("dict[object, object]", value), depth)
        if kind in _CONTAINERS:
            return self._items(cast("Collection[object]", value), depth)
        if is_record(value):
            return self._fields(cast("msgspec.Struct", value), depth)
        return self.value(plain(value), depth + 1)

    def _items(self, items: Collection[object], depth: int) -> list[Any]:
        self._count(len(items) * VALUE)
        # A copy, since another thread may write to it.
        copied = list(items)
        if _is_stream(copied):
            copied = self._redactor.stream(cast("list[str]", copied))
        return [self.value(item, depth + 1) for item in copied]

    def _count(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise _TooLargeError

    def _text(self, text: str) -> str:
        length = len(text)
        if length > self._longest:
            return self._cut(BoundedText(text, self._longest))
        self._left -= length
        if self._left < 0:
            raise _TooLargeError
        return self._clean(text)

    def _cut(self, cut: BoundedText) -> str:
        text, limit = cut
        limit = min(limit, self._longest)
        self._count(limit)
        self._hashed -= len(text)
        return self._redactor.ends_of(text, limit, hashed=self._hashed >= 0)

    def _fields(self, record: msgspec.Struct, depth: int) -> dict[str, Any]:
        fields = _tag(record)
        for name in record.__struct_fields__:
            item = getattr(record, name)
            if type(item) is str:
                fields[name] = self._text(item)
            elif item is not None:
                # A field that is declared as a number stays one.
                number = type(item) is float and (math.isfinite(item) or name in _NUMBERS)
                fields[name] = item if number else self.value(item, depth + 1)
        return fields

    def _mapping(self, value: dict[object, object], depth: int) -> dict[str, Any]:
        self._count(len(value) * VALUE)
        made: dict[str, Any] = {}
        private = _PRIVATE_PARTS if "kty" in value else ()
        outermost = self._fields_read is None
        reader = self._fields_read = self._fields_read or FieldReader()
        for key, item in list(value.items()):
            known = self._keys.get(key) if type(key) is str else None
            if known is None:
                known = self._unknown_key(key)
            name, strength, tells = known
            if tells:
                reader.is_telling = True
            if (strength and _is_secret(plain(item), strength)) or name in private:
                made[name] = REDACTED
            elif type(item) is str:
                made[name] = self._text(item)
                reader.text(name, made, name)
            else:
                made[name] = self._inside(name, item, depth, reader)
        if outermost:
            self._fields_read = None
            self._redactor.together(reader)
        return made

    def _inside(self, name: str, item: object, depth: int, reader: FieldReader) -> Any:
        """What a field holds that is no text."""
        if type(item) is dict:
            reader.open(name, "{")
            inside = self.value(cast("object", item), depth + 1)
            reader.close("}")
            return inside
        made: Any = self.value(item, depth + 1)
        if type(made) is list and len(cast("list[Any]", made)) <= _MOST_TOGETHER:
            reader.open(name, "[")
            for index, one in enumerate(cast("list[Any]", made)):
                if type(one) is str:
                    reader.text("", made, index)
            reader.close("]")
        return cast("Any", made)

    def _unknown_key(self, key: object) -> tuple[str, Strength, bool]:
        if type(key) is BoundedText:
            return self._cut(key), Strength.NONE, False
        text = _text_of_key(key)
        if len(text) > _MAX_KEY:
            self._count(min(len(text), self._longest))
        strength = strength_of(text)
        tells = strength > 0 or tells_of_others(text)
        known = (self._redactor.text(text), strength, tells)
        if type(key) is str and len(key) <= _MAX_KEY and len(self._keys) < _MAX_KEYS:
            self._keys[key] = known
        return known


def _without(text: str, places: list[tuple[int, int]]) -> str:
    for start, end in reversed(places):
        text = f"{text[:start]}{REDACTED}{text[end:]}"
    return text


def _text_of_key(key: object) -> str:
    known: Any = plain(key)
    kind = cast("type[Any]", type(known))
    if kind is tuple:
        return ", ".join(map(_text_of_key, known))
    try:
        return str(known) if kind in _PRINTED else f"[{kind.__name__}]"
    except ValueError:  # a number of more digits than Python prints
        return "[int]"


def _tag(record: msgspec.Struct) -> dict[str, Any]:
    config = record.__struct_config__
    return {config.tag_field: str(config.tag)} if config.tag_field else {}


def _is_secret(value: object, strength: Strength) -> bool:
    """Whether a value under a name that announces a secret is one."""
    if type(value) is str:
        if strength >= Strength.CERTAIN:
            return bool(value) and not is_placeholder(value)
        return is_secret_value(value, strength)
    if type(value) in _CONTAINERS and not value:
        return False
    return strength >= Strength.CERTAIN and type(value) in _SECRET_VALUES


def _sha256(text: str) -> str:
    made = hashlib.sha256()
    for start in range(0, len(text), MAX_TEXT):  # piecewise: no second copy of a large text
        made.update(text[start : start + MAX_TEXT].encode("utf-8", "surrogatepass"))
    return made.hexdigest()


# Redaction of the events of one run, which remembers the messages that come again.

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
