"""All secrets of a text: by their look, by the name beside them, and behind encodings.

Only what bears a mark of a secret is read.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from html import escape, unescape
from urllib.parse import quote, unquote_to_bytes

from knitbone.record.secrets.assignments import secrets_by_name
from knitbone.record.secrets.candidates import has_digit
from knitbone.record.secrets.commands import secrets_in_commands
from knitbone.record.secrets.cues import Announcement
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

__all__ = ["REDACTED", "SHORTEST_SECRET", "SecretFinder", "has_escapes", "views_of"]


# What a text says behind an encoding, and where that stands in it: percent signs, HTML's entities,
# escapes of JSON and Python, base64 and hexadecimal digits.

_LONGEST_DECODED = 1_000_000
"""Characters of one encoded run that is decoded."""
_LOOK = 24
"""Characters that are decoded to see whether it is a text."""

_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ASCII = {f"%{code:{digits}}": chr(code) for code in range(128) for digits in ("02X", "02x")}
"""What one escape says, which most are."""
_FORM = re.compile(r"(?:%[0-9A-Fa-f]{2}|\+)+")
_DOUBLED = re.compile(r'""')
_CELL = re.compile(r'[=:({,\[ ]""[^"\s]')
"""A quotation inside a quoted cell of a table."""
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|quot|apos|amp|lt|gt|equals|colon|nbsp);")
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrt\"'/]))")
"""Escapes of JSON and of Python, of whatever depth: a text within texts is read at once."""
_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}
_QUOTED_LINE = re.compile(
    r"(?m)^(?:[+>-](?=[ \t]*[^\s+>-])|[ \t]*\d{1,5}[:|]?(?:\t|[ ]{1,8})(?=\S))"
)
"""What differences, quotations of mails, histories and listings put before a line."""
_COLOUR = re.compile(r"(?:\x1b|\\+(?:x1b|u001b|033|e))\[[0-9;]{0,16}[mK]")
"""What colours the output of a terminal."""
_RUN = re.compile(r"[A-Za-z0-9+/_-]*(?:(?:\r?\n|\\n|\\r\\n)[A-Za-z0-9+/_-]{4,})*={0,2}")
_BREAK = re.compile(r"\r?\n|\\n|\\r\\n")
_ONE_LINE = 60
"""Characters of a line of base64 that goes on in the next one; MIME breaks at 76, PEM at 64."""
_HEXADECIMAL = re.compile(r"(?:[0-9a-f]{2})+\Z|(?:[0-9A-F]{2})+\Z")
_TEXT = re.compile(rb"[\t\n\r\x20-\x7e]*\Z")


class DecodedText:
    """A text decoded, and where each part of it stands in the encoded one."""

    def __init__(self, text: str, pattern: re.Pattern[str], meaning: object) -> None:
        parts: list[str] = []
        self._decoded: list[int] = [0]
        self._encoded: list[int] = [0]
        self._stretched: list[bool] = [False]
        length = done = 0
        for match in pattern.finditer(text):
            start, end = match.span()
            said = _meaning(match, meaning)
            parts += (text[done:start], said)
            length += start - done
            self._note(length, start, True)
            length += len(said)
            self._note(length, end, False)
            done = end
        parts.append(text[done:])
        self.text = "".join(parts)

    def _note(self, decoded: int, encoded: int, stretched: bool) -> None:
        self._decoded.append(decoded)
        self._encoded.append(encoded)
        self._stretched.append(stretched)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the decoded text stands in the encoded one."""
        return self._place(start, False), self._place(end, True)

    def _place(self, place: int, end: bool) -> int:
        # At the border of an escape, a span ends before it and begins with it.
        index = bisect_right(self._decoded, place) - 1
        if end and self._decoded[index] == place and index and self._stretched[index]:
            return self._encoded[index]
        if self._stretched[index]:
            if not end:
                return self._encoded[index]
            return (
                self._encoded[index + 1] if place > self._decoded[index] else self._encoded[index]
            )
        return self._encoded[index] + place - self._decoded[index]


def _meaning(match: re.Match[str], meaning: object) -> str:
    if meaning == "percent":
        return _percent(match.group())
    if meaning in ("colour", "line"):
        return ""
    if meaning == "doubled":
        return '"'
    if meaning == "form":
        return _percent(match.group().replace("+", "%20"))
    if meaning == "entity":
        return unescape(match.group())
    digits = match.group(1) or match.group(2)
    return chr(int(digits, 16)) if digits else _CONTROL.get(match.group(3), match.group(3))


def _percent(text: str) -> str:
    if (said := _ASCII.get(text)) is not None:
        return said
    raw = unquote_to_bytes(text)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def has_escapes(text: str) -> bool:
    """Whether a text is, or holds, one that is written with escapes."""
    return "\\" in text and _ESCAPE.search(text) is not None


def views_of(text: str) -> Iterator[DecodedText]:
    """The text decoded in each way of which it bears the marks, escapes first."""
    if has_escapes(text):
        yield DecodedText(text, _ESCAPE, "escape")
    if "%" in text and _PERCENT.search(text):
        yield DecodedText(text, _PERCENT, "percent")
    if "+" in text and ("%" in text or "&" in text):
        yield DecodedText(text, _FORM, "form")
    if ("\x1b[" in text or "\\" in text) and _COLOUR.search(text):
        yield DecodedText(text, _COLOUR, "colour")
    if '""' in text and _CELL.search(text):
        yield DecodedText(text, _DOUBLED, "doubled")
    if "&" in text and _ENTITY.search(text):
        yield DecodedText(text, _ENTITY, "entity")
    if "\n" in text and _QUOTED_LINE.search(text):
        yield DecodedText(text, _QUOTED_LINE, "line")


def decoded_run(text: str, start: int, end: int) -> tuple[str, int, int] | None:
    """The text that is encoded in the run of characters at this place, in base64 or hexadecimal
    digits, and where all of it stands; ``None`` where it is no text."""
    while start and text[start - 1] in "+/":
        start -= 1
        while start and (
            (text[start - 1].isalnum() and text[start - 1].isascii()) or text[start - 1] in "+/_-"
        ):
            start -= 1
    if end - start >= _ONE_LINE:
        found = _RUN.match(text, start, start + _LONGEST_DECODED)
        end = found.end() if found else end
    else:
        while end < len(text) and text[end] in "+/=":
            end += 1
            while end < len(text) and (
                (text[end].isalnum() and text[end].isascii()) or text[end] in "+/="
            ):
                end += 1
    run = text[start:end]
    if _HEXADECIMAL.match(run):
        raw = bytes.fromhex(run)
        return (raw.decode(), start, end) if _TEXT.match(raw) else None
    for skipped in (0, 1) if run[:1] in "nrt" and start and text[start - 1] == "\\" else (0,):
        said = _base64(run[skipped:])
        if said is not None:
            return said, start + skipped, end
    return None


def _base64(run: str) -> str | None:
    if not _is_text(_bytes(run[:_LOOK]) or b"\0"):
        return None
    raw = _bytes(_BREAK.sub("", run).rstrip("="))
    if raw is None or not raw:
        return None
    try:
        said = raw.decode("utf-8")
    except UnicodeDecodeError:
        # The end may have been cut, or another run follows.
        said = raw[:-2].decode("utf-8", "replace")
    return said


def _is_text(raw: bytes) -> bool:
    if _TEXT.match(raw):
        return True
    try:
        said = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character may have been cut at the end.
        if error.start < len(raw) - 3 or not error.start:
            return False
        said = raw[: error.start].decode("utf-8")
    return said.replace("\n", "").isprintable()


def _bytes(run: str) -> bytes | None:
    try:
        return b64decode(run.translate(_STANDARD) + "=" * (-len(run) % 4), validate=True)
    except (Error, ValueError):
        return None


_STANDARD = str.maketrans("-_", "+/")


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
_LONG_RUN_MASK = b"a" * LONG_RUN


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
    place = mask.find(_LONG_RUN_MASK)
    while place >= 0:
        end = mask.find(b" ", place + LONG_RUN)
        end = len(mask) if end < 0 else end
        runs.append((place, end))
        place = mask.find(_LONG_RUN_MASK, end)
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
