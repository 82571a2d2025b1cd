"""Redaction, at the moment an event is recorded: what is removed here never reaches the disk.

Two rules: a value under a name that announces a secret is replaced whole (a mapping is not, for a
tool's schema describes an argument of that name so; it is searched); text that looks like a
credential is replaced where it stands. The user's own patterns come on top. The same walk
makes untrusted values fit to store: lone surrogates, over-long text, absurd nesting and objects
that JSON does not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

import msgspec

from knitbone.core.events import ChatMessage
from knitbone.errors import ConfigError

__all__ = ["MAX_DEPTH", "MAX_TEXT", "REDACTED", "Redactor"]

REDACTED = "[redacted]"
MAX_TEXT = 1_000_000
"""Characters kept of one text; the rest is cut with a note of how much it was."""
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
_LOOK_AHEAD = 4_096
_MAX_KEY = 128
"""Characters of a name that may announce a secret, or is remembered."""
_MAX_KEYS = 4_096
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_SECRET_VALUES = (str, bytes, int, float, list, tuple, set, frozenset)
"""What is replaced under a name that announces a secret; truth values say nothing."""

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
        self._max_text = max_text
        self._keys: dict[str, tuple[str, bool]] = {}
        """Names of fields, which are few and come again: without secrets, and whether they announce
        one."""

    def text(self, text: str) -> str:
        """The text without secrets, at most ``max_text`` characters and a note."""
        length = len(text)
        # A secret that the cut would split is still seen whole.
        text = text[: self._max_text + _LOOK_AHEAD]
        if not text.isascii():
            text = _SURROGATE.sub("\ufffd", text)
        if length >= _SHORTEST_SECRET and self._may_hold_secret(text):
            text = self._whole.sub(REDACTED, text)
        for pattern in self._own:
            text = pattern.sub(REDACTED, text)
        if length >= _SHORTEST_SECRET:
            folded = text.casefold()
            for pattern, hints in self._after:
                if _holds(folded, hints):
                    text = pattern.sub(_keep_around, text)
        if length > self._max_text:
            return f"{text[: self._max_text]}… [{length - self._max_text} characters not recorded]"
        return text

    def _may_hold_secret(self, text: str) -> bool:
        for character, hints in _WHOLE_HINTS:
            if character in text and _holds(text, hints):
                return True
        return _holds(text, self._exact)

    def value(self, value: object, *, depth: int = 0) -> Any:
        """A value without secrets, made of what JSON knows; the input is left as it is."""
        kind = type(value)
        if kind is str or isinstance(value, str):
            return self.text(cast("str", value))
        if value is None or kind is bool:
            return value
        if isinstance(value, int):
            return value if -(2**63) <= value < 2**63 else f"[integer of {value.bit_length()} bits]"
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if depth >= MAX_DEPTH:
            return f"[nested deeper than {MAX_DEPTH}: {type(value).__name__}]"
        if isinstance(value, msgspec.Struct):
            fields = _tag(value)
            for name in value.__struct_fields__:
                item = getattr(value, name)
                if item is not None:
                    # A field that is declared as a number stays one.
                    number = type(item) is float
                    fields[name] = item if number else self.value(item, depth=depth + 1)
            return fields
        if kind is dict or isinstance(value, Mapping):
            return self._mapping(cast("Mapping[object, object]", value), depth)
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self.value(item, depth=depth + 1) for item in cast("list[object]", value)]
        return self.text(_safe_repr(value))

    def _mapping(self, value: Mapping[object, object], depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, item in value.items():
            known = self._keys.get(key) if type(key) is str else None
            if known is None:
                text = str(key)
                secret = isinstance(key, str) and _announces_secret(key)
                known = (self.text(text), secret)
                if type(key) is str and len(key) <= _MAX_KEY and len(self._keys) < _MAX_KEYS:
                    self._keys[key] = known
            name, secret = known
            if secret and isinstance(item, _SECRET_VALUES) and not isinstance(item, bool):
                made[name] = REDACTED
            else:
                made[name] = self.value(item, depth=depth + 1)
        return made

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


def _holds(text: str, hints: tuple[str, ...]) -> bool:
    for hint in hints:  # noqa: SIM110 - any() with a generator takes three times as long
        if hint in text:
            return True
    return False


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


def _safe_repr(value: object) -> str:
    try:
        return repr(value)
    except Exception as error:  # noqa: BLE001 - the object is untrusted; its failure is the value
        return f"[{type(value).__name__}, whose repr raised {type(error).__name__}]"
