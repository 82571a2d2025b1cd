"""A JSON document on its way: how far it is read, and the edits made so far.

The edits are kept by place, so that the result is the text as it was with pieces replaced, and a
later edit can take an earlier one back.
"""

from __future__ import annotations

import re
from collections import Counter

from knitbone.common.structured.json_tokens import CLOSING, SKIP

__all__ = ["LEFT_OUT", "JsonDraft", "Stop"]

LEFT_OUT = "dots stand for what was left out"
"""Why a document is not read."""

_BLANK = " \t\n\r"
_SKIPPED = frozenset("/#\ufeff")
"""What begins a comment, and a mark that no function takes for white space."""
_DOTS_IN_COMMENT = re.compile(r"(?://|/\*|#)[ \t]*(?:\.{3}|…)")


class Stop(Exception):  # noqa: N818 - control flow from a token to the reader's end
    """The document cannot be read."""

    def __init__(self, reason: str, *, cut_off: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.cut_off = cut_off


class JsonDraft:
    """The text of one document from ``start`` on."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = self.position = start
        self.pieces: dict[tuple[int, int], str] = {}
        """Edits: (from, to) -> what is there instead."""
        self.account: Counter[str] = Counter()

    def mended(self) -> str:
        """The document with all edits."""
        parts: list[str] = []
        done = self.start
        for place in sorted(self.pieces):
            parts += (self.text[done : place[0]], self.pieces[place])
            done = place[1]
        parts.append(self.text[done : self.position])
        return "".join(parts)

    def edit(self, start: int, end: int, new: str, rule: str) -> None:
        """Replace a piece of the text."""
        self.pieces[start, end] = new
        self.account[rule] += 1

    def insert(self, place: int, closers: str, *, first: bool = False) -> None:
        """Insert closing brackets that are missing.

        Args:
            first: before what is inserted there already.
        """
        for closer in closers:
            self.account[f'missing "{closer}" added'] += 1
        there = self.pieces.get((place, place), "")
        self.pieces[place, place] = closers + there if first else there + closers

    def skip(self) -> str:
        """Pass over white space and comments; the character behind them.

        Raises:
            Stop: there is none.
        """
        text, start = self.text, self.position
        character = text[start : start + 1]
        if character and not (character.isspace() or character in _SKIPPED):
            return character
        match = SKIP.match(text, start)
        end = match.end() if match else start
        self.pass_over(end)
        if end >= len(text):
            raise Stop("the text ends where a key or value is expected", cut_off=True)
        return text[end]

    def pass_over(self, end: int) -> None:
        """Go on at ``end``, behind white space and comments."""
        start, self.position = self.position, end
        skipped = self.text[start:end]
        if skipped.strip(_BLANK):
            if _DOTS_IN_COMMENT.search(skipped):
                raise Stop(LEFT_OUT)
            comment = "/" in skipped or "#" in skipped
            blank = "\n" if "\n" in skipped else " "
            self.edit(start, end, blank, "comment removed" if comment else "odd white space")

    def narrow_blank(self, start: int, end: int) -> None:
        """White space as JSON has it."""
        if end > start and self.text[start:end].strip(_BLANK):
            self.edit(start, end, " ", "odd white space")

    def narrow(self, character: str) -> str:
        """The closing bracket here, as JSON has it."""
        plain = CLOSING[character]
        if plain != character:
            self.edit(self.position, self.position + 1, plain, "full-width bracket replaced")
        return plain
