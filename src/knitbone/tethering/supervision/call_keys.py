"""What makes two calls of one run the same call, and two results the same result.

Inside one run an identifier is a thing that the agent chose (three files to attach have three), so
that, other than between two runs (``comparison/canonical.py``), it tells arguments apart; what
says only when or for which request a call is made does not, nor does white space. Of results,
clocks, fractions of seconds and reference numbers say nothing new; of errors, no number does, as
long as nothing was changed between them. Any other number or word of a result is news. Keys are
digests: they hold no value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, cast

from knitbone.record.events import Json
from knitbone.tethering.comparison.canonical import (
    canonical_text,
    parsed_result,
    says_when_or_which,
    without_drawn,
)

__all__ = ["ReturnedOutcome", "argument_text", "call_outcome", "digest"]

_NONCE_NAMES = re.compile(
    r"^(?:time_?stamp|ts|now|nonce|uuid|etag|salt|cache_?bust(?:er)?"
    r"|(?:client|server|current|request)_?time"
    r"|(?:x[_-])?(?:request|trace|span|correlation|idempotency|tool_?call|call|invocation)"
    r"[_-]?(?:id|key|token))$",
    re.IGNORECASE,
)
"""Names of arguments that say when or for which request, and nothing of what is asked."""
_HEADERS = re.compile(r"^(?:http_?)?headers$", re.IGNORECASE)
_CACHE_BUSTER = re.compile(
    r"(?<=[?&])(?:_|ts?|cb|nocache|rnd|rand(?:om)?|nonce|timestamp)=[\w.-]+&?"
)
"""Parameters of an address that only keep it from being answered from a cache."""
_LOOSE_SPACE = re.compile(r"(?<!\w)\s+|\s+(?!\w)")
_SPACE = re.compile(r"\s+")

_CLOCK_FIELDS = re.compile(
    r"^(?:\w+_(?:at|ts)|last_(?:changed|updated|seen|modified|checked|used)"
    r"|(?:took|elapsed|duration|latency)(?:_\w+)?|\w+_(?:took|elapsed|duration|latency|time)_ms)$"
)
_LOCK_FIELDS = re.compile(r"^(?:revision|rev|version|lock_?version|resource_?version|generation)$")
"""Names of fields that count the changes of a thing."""
_CLOCK = re.compile(
    r"(?:\b\d{4}-\d\d-\d\d[T ])?\b\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|\s?(?:UTC|GMT)|[+-]\d\d:?\d\d)?"
    r"|\b\d{4}-\d\d-\d\d[T_ -]\d\d[_-]\d\d[_-]\d\d(?:[_.,]\d+)?Z?"
    r"|\b\d+\.\d+ ?s\b"
)
"""A time with seconds, as it is written or as names of files hold it; a duration in fractions."""
_REFERENCE = re.compile(
    r"\b(?:ref(?:erence)?|trace|ray|request|req|correlation|incident|span)"
    r"(?:[ _-]?(?:id|no|number|code))?[\s:=#\"']{1,4}(?=[\w-]*\d)[\w-]{4,}",
    re.IGNORECASE,
)
_WITH_DIGIT = re.compile(r"[\w.:+-]*\d[\w.:+-]*")
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST = 20_000
"""Characters of a text in which is looked for what says nothing; a longer one is taken whole
(ours)."""
_DEEPEST = 40
"""Levels of a value that are looked at (ours)."""


def argument_text(arguments: Json) -> str:
    """Equal for arguments that ask the same."""
    return canonical_text(_asked(arguments, 0))


class ReturnedOutcome(NamedTuple):
    """What came of a call, bounded."""

    text: str
    kind: Literal["value", "text", "clock", "error"]

    def quiet(self, *, numbers: bool = False) -> str:
        """Equal for results, or errors, that bring nothing new.

        Args:
            numbers: whether the numbers of an error are news, as those of a result are.
        """
        if self.kind == "error":
            text = self.text if numbers else _WITH_DIGIT.sub("<n>", self.text)
            return "error " + _REFERENCE.sub("<id>", _CLOCK.sub("<time>", text))
        if self.kind == "clock":  # it is what was asked for
            return self.text
        quiet = _REFERENCE.sub("<id>", _CLOCK.sub("<time>", without_drawn(self.text)))
        return quiet if self.kind == "value" or _says_more(quiet) else self.text


def call_outcome(result: Json, error: str | None, *, changes: bool) -> ReturnedOutcome:
    """What came of a call, without fields that say nothing new.

    Args:
        changes: whether the tool changes something: then the count of changes is no news.
    """
    if error is not None:
        # A shell's error is its exit status: what it printed stands beside it.
        printed = result if isinstance(result, str) else canonical_text(result) if result else ""
        return ReturnedOutcome(f"{error[:_LONGEST]}\n{printed[:_LONGEST]}".strip(), "error")
    value = parsed_result(result) if isinstance(result, str) else result
    told: Json = _told(value, 0, changes=changes)
    if not any(_leaves(told, 0)):
        return ReturnedOutcome(_bounded(canonical_text(value)), "clock")
    return ReturnedOutcome(
        _bounded(canonical_text(told)), "text" if isinstance(told, str) else "value"
    )


def _bounded(text: str) -> str:
    """A text, or of a longer one that it is the same."""
    return text if len(text) <= _LONGEST else digest(text).hex()


def digest(text: str) -> bytes:
    """A key of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _says_more(quiet: str) -> bool:
    """Whether a text says something beside its clocks."""
    return _LETTER.search(quiet.replace("<time>", "").replace("<id>", "")) is not None


def _asked(value: Json, level: int, *, headers: bool = False) -> Json:
    if isinstance(value, str):
        text = _CACHE_BUSTER.sub("", value) if "?" in value else value
        return _LOOSE_SPACE.sub("", _SPACE.sub(" ", text.strip()))
    if level >= _DEEPEST:
        return value
    if isinstance(value, dict):
        return {
            str(name): _asked(item, level + 1, headers=_HEADERS.match(str(name)) is not None)
            for name, item in cast("dict[Any, Any]", value).items()
            if not (_NONCE_NAMES.match(str(name)) or (headers and str(name).lower() == "date"))
        }
    if isinstance(value, (list, tuple)):
        return [_asked(item, level + 1) for item in cast("list[Any]", value)]
    return value


def _told(value: Json, level: int, *, changes: bool) -> Json:
    """A result without fields that say when, or how often a thing was changed."""
    if level >= _DEEPEST:
        return value
    if isinstance(value, dict):
        return {
            str(name): _told(item, level + 1, changes=changes)
            for name, item in cast("dict[Any, Any]", value).items()
            if not _is_noise(str(name), changes=changes)
        }
    if isinstance(value, (list, tuple)):
        return [_told(item, level + 1, changes=changes) for item in cast("list[Any]", value)]
    return value


@lru_cache(maxsize=4_096)
def _is_noise(name: str, *, changes: bool) -> bool:
    """Whether a field says when, which, or how often a thing was changed."""
    if _CLOCK_FIELDS.match(name) or says_when_or_which(name):
        return True
    return changes and _LOCK_FIELDS.match(name) is not None


def _leaves(value: Json, level: int) -> Iterator[bool]:
    """For each value inside, whether it is more than a clock."""
    if isinstance(value, dict) and level < _DEEPEST:
        for item in cast("dict[Any, Any]", value).values():
            yield from _leaves(item, level + 1)
    elif isinstance(value, str):
        yield _CLOCK.fullmatch(value) is None
    else:
        yield value is not None
