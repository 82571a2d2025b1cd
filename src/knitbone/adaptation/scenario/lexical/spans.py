"""Protected spans of a text, which are not its author's prose: code, quotations, links, formulas,
tables.

Every scan is linear: an opening mark without its closing one is looked for once, not once for each
further mark.

Here too: replacements in a text, and the proof that nothing else changed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

import msgspec

__all__ = ["Replacement", "Spans", "apply_replacements", "only_edits", "protected_spans"]


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a text to replace."""

    start: int
    end: int
    new: str
    rule: str
    """The change, for people; edits with the same rule are counted together."""


def apply_replacements(text: str, edits: Sequence[Replacement]) -> str:
    """Return the text with the replacements made; they do not overlap."""
    parts: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts.append(text[position : edit.start])
        parts.append(edit.new)
        position = edit.end
    parts.append(text[position:])
    return "".join(parts)


def only_edits(text: str, repaired: str, edits: Iterable[Replacement]) -> bool:
    """Return whether ``repaired`` is ``text`` with these replacements, and no other character
    changed."""
    position = new_position = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        kept = edit.start - position
        if kept < 0 or text[position : edit.start] != repaired[new_position : new_position + kept]:
            return False
        new_position += kept
        if repaired[new_position : new_position + len(edit.new)] != edit.new:
            return False
        new_position += len(edit.new)
        position = edit.end
    return text[position:] == repaired[new_position:]


_FENCE = re.compile(r"^[ \t]{0,12}(?:[-*>][ \t]+)?(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
"""A line that is a fence, with its mark and what stands behind it."""
_MARK = re.compile(r"[`\"'$]")
"""The marks that may open an inline span."""
_BY_MARK = {
    "`": re.compile(r"`[^`\n]*`"),
    # A quotation that does not close reaches to the end of its line.
    '"': re.compile(r'"[^"\n]*(?:"|$)', re.MULTILINE),
    # An apostrophe inside or behind a word opens nothing.
    "'": re.compile(r"(?<![^\W_])'(?=\S)[^'\n]{1,200}'(?![^\W_])"),
    "$": re.compile(r"\$[^$\n]{1,200}\$"),
}
_ADDRESS = re.compile(r"(?:https?://|ftp://|www\.)\S+")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w.-]{1,190}")
_OPENERS = {"\u201c": "\u201d", "\u201e": "\u201c", "\u00ab": "\u00bb", "\u300c": "\u300d"}
_OPENER = re.compile("[" + "".join(_OPENERS) + "]")
"""The typographic marks that open a quotation."""


class Spans:
    """Spans of a text, merged and sorted, for look-ups by position."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterator[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def covers(self, position: int) -> bool:
        """Return whether a position lies in a span."""
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self._ends[index]

    def touches(self, start: int, end: int) -> bool:
        """Return whether a span has a character in common with ``start`` to ``end``."""
        index = bisect_right(self._starts, end - 1) - 1
        return index >= 0 and start < self._ends[index]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(zip(self._starts, self._ends, strict=True))


def protected_spans(text: str) -> Spans:
    """Return code, quotations, addresses, formulas, tables and block quotations of a text."""
    return Spans(_find(text))


def _find(text: str) -> Iterator[tuple[int, int]]:
    yield from _fenced_code(text)
    yield from _inline_spans(text)
    if "://" in text or "www." in text:
        yield from (match.span() for match in _ADDRESS.finditer(text))
    if "@" in text:
        yield from (match.span() for match in _MAIL.finditer(text))
    if "|" in text or ">" in text:
        yield from _table_lines(text)
    yield from _typographic_quotations(text)


def _inline_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield inline code, quotations in straight marks, and formulas: the mark that opens first
    holds."""
    position = 0
    while mark := _MARK.search(text, position):
        found = _BY_MARK[mark.group()].match(text, mark.start())
        position = found.end() if found is not None else mark.end()
        if found is not None:
            yield found.span()


def _fenced_code(text: str) -> Iterator[tuple[int, int]]:
    """Yield fenced code; one that never closes reaches to the end."""
    if "```" not in text and "~~~" not in text:
        return
    start, mark = -1, ""
    for match in _FENCE.finditer(text):
        if start < 0:
            start, mark = match.start(), match.group(1)
        elif match.group(1).startswith(mark) and not match.group(2).strip():
            yield start, match.end()
            start = -1
    if start >= 0:
        yield start, len(text)


def _table_lines(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    for line in text.split("\n"):
        bare = line.lstrip()
        if bare.startswith((">", "|")) or "|" in bare.strip("|"):
            yield position, position + len(line)
        position += len(line) + 1


def _typographic_quotations(text: str) -> Iterator[tuple[int, int]]:
    """Yield quotations in typographic marks; one that does not close ends with its paragraph."""
    if text.isascii():
        return
    position = 0
    while opening := _OPENER.search(text, position):
        start = opening.start()
        paragraph = text.find("\n\n", start)
        paragraph = len(text) if paragraph < 0 else paragraph
        closing = text.find(_OPENERS[opening.group()], start + 1, paragraph)
        position = paragraph if closing < 0 else closing + 1
        yield start, position
