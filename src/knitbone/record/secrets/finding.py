"""All secrets of a text: by their look, by the name beside them, and behind encodings.

Only what bears a mark of a secret is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from urllib.parse import quote

from knitbone.record.secrets.assignments import secrets_by_name
from knitbone.record.secrets.candidates import has_digit
from knitbone.record.secrets.commands import secrets_in_commands
from knitbone.record.secrets.cues import Announcement
from knitbone.record.secrets.encodings import decoded_run, has_escapes, views_of
from knitbone.record.secrets.formats import (
    LONG_RUN,
    begins_as_credential,
    credentials_in_run,
    hashes_of_passwords,
    keys_in_blocks,
    parts_of_addresses,
)
from knitbone.record.secrets.marks import Marks, read_marks
from knitbone.record.secrets.nearness import secrets_near
from knitbone.record.secrets.values import is_placeholder

__all__ = ["REDACTED", "SHORTEST_SECRET", "SecretFinder"]

REDACTED = "[redacted]"
"""What stands in the place of a secret."""
SHORTEST_SECRET = 8
"""Characters of the shortest text that is looked at: ``ab://:p@``, ``pwd=1234``."""
_DECODED = 1
_LEAST_DECODED = 200_000
"""Characters that are read of a text in other ways: so many times its own, and at least so many."""
_DEEPEST = 3
"""Encodings within encodings that are opened."""

_IN_RUN = bytes(
    0x61 if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "_-") else 0x20
    for code in range(256)
)
_RUN = b"a" * LONG_RUN


class _DecodingBudget:
    """What was read of a text in how many ways: it may be encoded in many, one within the other,
    and is looked at in the agent's call."""

    def __init__(self, text: str) -> None:
        self._seen = {text}
        self._left = _DECODED * len(text) + _LEAST_DECODED

    @property
    def is_done(self) -> bool:
        return self._left <= 0

    def is_new(self, text: str) -> bool:
        """Whether to read it; percent signs, then escapes say the same as the other way round."""
        if text in self._seen or len(text) > self._left:
            return False
        self._seen.add(text)
        self._left -= len(text)
        return True


class SecretFinder:
    """Finds secrets in texts.

    Args:
        exact: texts that are secrets wherever they stand, written in whatever way.
    """

    def __init__(self, exact: Iterable[str] = ()) -> None:
        written: dict[str, None] = {}
        for secret in exact:
            for form in (secret, quote(secret, safe=""), quote(secret), escape(secret)):
                written[form] = None
            written[secret.replace("\\", "\\\\").replace('"', '\\"')] = None
        self._exact = tuple(sorted(written, key=len, reverse=True))

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where the secrets of a text stand, in order and apart."""
        if len(text) < SHORTEST_SECRET:
            return []
        return _merged(text, self._all(text, 0, _DecodingBudget(text)))

    def _known(self, text: str) -> list[tuple[int, int]]:
        return [span for secret in self._exact for span in _everywhere(text, secret)]

    def _all(self, text: str, depth: int, read: _DecodingBudget) -> list[tuple[int, int]]:
        spans = self._known(text) if self._exact else []
        raw = text.encode("latin-1", "replace")
        folded = raw.lower()
        runs = _long_runs(raw)
        for start, end in runs:
            spans += self._in_run(text, start, end, depth, read)
        marks = read_marks(text, folded)
        if marks is not None:
            # What is near what is seen when the escapes are undone.
            near = depth >= _DEEPEST or not has_escapes(text)
            spans += _at_marks(text, folded, marks, near=near)
        if (runs or (marks is not None and _is_worth_reading(text, marks))) and depth < _DEEPEST:
            for view in views_of(text):
                if read.is_new(view.text):
                    spans += [view.span(*span) for span in self._all(view.text, depth + 1, read)]
                if read.is_done:
                    break
        return spans

    def _in_run(
        self, text: str, start: int, end: int, depth: int, read: _DecodingBudget
    ) -> Iterator[tuple[int, int]]:
        """Credentials in a run of characters, and all of it where it says one when decoded."""
        if _plain_word(text, start, end) and not begins_as_credential(text, start):
            return
        yield from credentials_in_run(text, start, end)
        opened = decoded_run(text, start, end) if depth < _DEEPEST else None
        if opened and len(opened[0]) >= SHORTEST_SECRET and self._all(opened[0], depth + 1, read):
            yield opened[1:]


def _everywhere(text: str, part: str) -> list[tuple[int, int]]:
    places: list[tuple[int, int]] = []
    place = text.find(part)
    while place >= 0:
        places.append((place, place + len(part)))
        place = text.find(part, place + len(part))
    return places


def _is_worth_reading(text: str, marks: Marks) -> bool:
    """Whether a text may say something else in another way; words alone need a value near."""
    return bool(
        marks.names or marks.has_encoding or marks.is_foreign or marks.commands or has_digit(text)
    )


def _at_marks(text: str, folded: bytes, marks: Marks, *, near: bool) -> Iterator[tuple[int, int]]:
    if marks.has_block:
        yield from keys_in_blocks(text)
    if marks.has_address:
        for place, _ in _everywhere(text, "://"):
            yield from parts_of_addresses(text, place + 3)
    if marks.has_hash:
        yield from hashes_of_passwords(text)
    named: list[Announcement] = []
    if marks.names or marks.is_foreign:
        yield from secrets_by_name(text, marks.names, named, is_foreign=marks.is_foreign)
    if marks.commands:
        yield from secrets_in_commands(text, folded, marks.commands)
    if near and (named or marks.has_phrase or (marks.has_cues and has_digit(text))):
        yield from secrets_near(text, named, marks)


def _long_runs(raw: bytes) -> list[tuple[int, int]]:
    """Where letters, digits, ``_`` and ``-`` stand in a row."""
    mask = raw.translate(_IN_RUN)
    runs: list[tuple[int, int]] = []
    place = mask.find(_RUN)
    while place >= 0:
        end = mask.find(b" ", place + LONG_RUN)
        end = len(mask) if end < 0 else end
        runs.append((place, end))
        place = mask.find(_RUN, end)
    return runs


def _plain_word(text: str, start: int, end: int) -> bool:
    """Whether a run has neither digits nor capitals within, as most names of programs."""
    run = text[start:end]
    small = run.islower() or run.isupper()
    return small and not any(map(str.isdigit, run))


def _merged(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places in order, those that touch or overlap as one."""
    if not spans:
        return []
    spans = sorted(span for span in spans if span[0] < span[1])
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if REDACTED[:-1] in text[start:end] or is_placeholder(text[start:end]):
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
