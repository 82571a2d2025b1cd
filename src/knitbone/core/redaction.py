"""Redaction, at the moment an event is recorded: what is removed here never reaches the disk.

Two rules: a value under a name that announces a secret is replaced whole (a mapping is not, for a
tool's schema describes an argument of that name so; it is searched); text that looks like a
credential is replaced where it stands. The user's own patterns come on top. The same walk
makes untrusted values fit to store: lone surrogates, over-long text, absurd nesting and objects
that JSON does not know. It runs in the agent's call, so what it looks at is bounded: of a record
that is too large a beginning and an end are kept (:mod:`knitbone.core.bounding`).
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Iterable
from typing import Any, TypeVar, cast

import msgspec

from knitbone.core.bounding import MARGIN, VALUE, Cut, is_record, trim
from knitbone.core.events import ChatMessage
from knitbone.core.plain import plain
from knitbone.errors import ConfigError

__all__ = ["MAX_DEPTH", "MAX_TEXT", "REDACTED", "TEXTS_OF_A_RECORD", "Redactor"]

REDACTED = "[redacted]"
MAX_TEXT = 1_000_000
"""Characters kept of one text, half of them from its end; between them stands a note of how much
was left out."""
TEXTS_OF_A_RECORD = 8
"""Times ``max_text``: what one record may hold in all. The default, 8 million characters, is what
fits into the longest context windows (2 million tokens); to redact it takes 50 ms (ours)."""
MAX_HASHED = 10_000_000
"""Characters of long texts of one record whose hash is noted, at 2 ns each (ours)."""
MAX_DEPTH = 64
"""Containers nested deeper than this are stored as text."""

_SECRET_NAME = re.compile(
    r"(?:^|[-_.])(?:api[-_]?key|apikey|authorization|proxy-authorization|password|passwd|passphrase"
    r"|secret|secret[-_]?key|client[-_]?secret|(?:access|refresh|auth|session|bearer|id)[-_]?token"
    r"|private[-_]?key|set-cookie|cookie|credentials?)$",
    re.IGNORECASE,
)

# Each pattern runs in linear time: no nested repetition, bounded look-behind.
_SECRET_TEXT = (
    r"sk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_-]{16,}",  # OpenAI, Anthropic, OpenRouter
    r"\bgh[pousr]_[A-Za-z0-9]{20,}",  # GitHub
    r"\bgithub_pat_[A-Za-z0-9_]{20,}",
    r"\bglpat-[A-Za-z0-9_-]{16,}",  # GitLab
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",  # AWS
    r"\bAIza[A-Za-z0-9_-]{30,}",  # Google
    r"\bhf_[A-Za-z0-9]{20,}",  # Hugging Face
    r"\bxox[abprs]-[A-Za-z0-9-]{10,}",  # Slack
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",  # JSON Web Token
    r"-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[A-Za-z0-9+/=\s]*(?:-----END [A-Z ]{0,32}KEY-----)?",
)
# Only the captured secret is replaced, so that the text still says what stood there.
_SECRET_AFTER = (
    r"\b(?:[Bb]earer|[Bb]asic) +([A-Za-z0-9._~+/=-]{8,})",
    r"(?i:\b(?:api[-_]?key|password|passwd|secret|access[-_]?token)\b[\"']?\s{0,4}[:=]\s{0,4}[\"']?)"
    r"([^\s\"',;&]{6,})",
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,128}:([^\s/@]{1,256})@",  # password in a URL
)
# Most texts hold no secret, and looking for a fixed text is a hundred times faster than trying
# every pattern at every place: a pattern runs where one of the texts stands without which it cannot
# match. Those of patterns that ignore case are looked for in the case-folded text.
_WHOLE_HINTS = (
    ("-", ("sk-", "glpat-", "xox", "PRIVATE KEY-")),
    ("_", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "hf_")),
    ("A", ("AKIA", "ASIA", "AIza")),
    (".", ("eyJ",)),
)
"""By a character that stands in each secret of the group: one character is found fastest."""
_AFTER_HINTS = (("earer ", "asic "), ("key", "passw", "secret", "token"), ("://",))
_SHORTEST_SECRET = 8
"""Characters of the shortest text that one of our patterns matches: ``ab://:p@``."""
_MAX_KEY = 128
"""Characters of a name that may announce a secret, or is remembered."""
_MAX_KEYS = 4_096
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
        exact = [secret for secret in secrets if len(secret) >= _SHORTEST_SECRET]
        self._whole = re.compile("|".join([*map(re.escape, exact), *_SECRET_TEXT]))
        self._exact = tuple(exact)
        self._own = [re.compile(pattern) for pattern in own]
        self._after = [
            (re.compile(pattern), hints)
            for pattern, hints in zip(_SECRET_AFTER, _AFTER_HINTS, strict=True)
        ]
        self.max_text = max_text
        self.keys: dict[str, tuple[str, bool]] = {}
        """Names of fields, which are few and come again: without secrets, and whether they announce
        one."""

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
        ascii_only = text.isascii()
        long = len(text) >= _SHORTEST_SECRET
        if ascii_only and not long and not self._own:
            return text
        if not ascii_only:
            text = _SURROGATE.sub("\ufffd", text)
        if long and self._may_hold_secret(text):
            text = self._whole.sub(REDACTED, text)
        for pattern in self._own:
            text = pattern.sub(REDACTED, text)
        if long:
            folded = text.casefold()
            for pattern, hints in self._after:
                if _holds(folded, hints):
                    text = pattern.sub(_keep_around, text)
        return text

    def _may_hold_secret(self, text: str) -> bool:
        for character, hints in _WHOLE_HINTS:
            if character in text and _holds(text, hints):
                return True
        return _holds(text, self._exact)

    def value(self, value: object) -> Any:
        """A value without secrets, made of what JSON knows; the input is left as it is."""
        limit = TEXTS_OF_A_RECORD * self.max_text
        try:
            return _Walk(self, limit).value(value)
        except _TooLargeError:
            # What is kept needs a second walk, whose limit leaves room for the notes.
            return _Walk(self, 2 * limit).value(trim(value, limit))

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


class _TooLargeError(Exception):
    """A record counts as more than it may."""


class _Walk:
    """One walk through a value, as far as its limit reaches."""

    __slots__ = ("_clean", "_hashed", "_keys", "_left", "_longest", "_redactor")

    def __init__(self, redactor: Redactor, limit: int) -> None:
        self._redactor = redactor
        self._clean = redactor.clean
        self._keys = redactor.keys
        self._longest = redactor.max_text
        self._left = limit
        self._hashed = MAX_HASHED

    def value(self, value: object, depth: int = 0) -> Any:
        """The value as it is recorded."""
        kind = type(value)
        if kind is str:
            return self._text(cast("str", value))
        if value is None or kind is bool:
            return value
        if kind is int:
            number = cast("int", value)
            big = not -(2**63) <= number < 2**63
            return f"[integer of {number.bit_length()} bits]" if big else number
        if kind is float:
            return value if math.isfinite(cast("float", value)) else str(value)
        if kind is Cut:
            return self._cut(cast("Cut", value))
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
        return [self.value(item, depth + 1) for item in list(items)]

    def _count(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise _TooLargeError

    def _text(self, text: str) -> str:
        length = len(text)
        if length > self._longest:
            return self._cut(Cut(text, self._longest))
        self._left -= length
        if self._left < 0:
            raise _TooLargeError
        return self._clean(text)

    def _cut(self, cut: Cut) -> str:
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
        for key, item in list(value.items()):
            known = self._keys.get(key) if type(key) is str else None
            if known is None:
                known = self._unknown_key(key)
            name, secret = known
            if secret and type(plain(item)) in _SECRET_VALUES:
                made[name] = REDACTED
            elif type(item) is str:
                made[name] = self._text(item)
            else:
                made[name] = self.value(item, depth + 1)
        return made

    def _unknown_key(self, key: object) -> tuple[str, bool]:
        if type(key) is Cut:
            return self._cut(key), False
        text = _text_of_key(key)
        if len(text) > _MAX_KEY:
            self._count(min(len(text), self._longest))
        known = (self._redactor.text(text), _announces_secret(text))
        if type(key) is str and len(key) <= _MAX_KEY and len(self._keys) < _MAX_KEYS:
            self._keys[key] = known
        return known


def _holds(text: str, hints: tuple[str, ...]) -> bool:
    for hint in hints:  # noqa: SIM110 - any() with a generator takes three times as long
        if hint in text:
            return True
    return False


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


def _announces_secret(key: str) -> bool:
    return len(key) <= _MAX_KEY and _SECRET_NAME.search(key) is not None


def _keep_around(match: re.Match[str]) -> str:
    start, end = match.span(1)
    offset = match.start()
    whole = match.group()
    return whole[: start - offset] + REDACTED + whole[end - offset :]


def _sha256(text: str) -> str:
    made = hashlib.sha256()
    for start in range(0, len(text), MAX_TEXT):  # piecewise: no second copy of a large text
        made.update(text[start : start + MAX_TEXT].encode("utf-8", "surrogatepass"))
    return made.hexdigest()
