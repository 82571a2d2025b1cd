"""Replacements in a text, and the proof that nothing else changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

__all__ = ["Replacement", "apply", "only_edits"]


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """One replacement."""

    start: int
    end: int
    new: str
    rule: str
    """What it does, for people; edits with the same rule are counted together."""


def apply(text: str, edits: Sequence[Replacement]) -> str:
    """Return the text with the edits made; they do not overlap."""
    pieces: list[str] = []
    place = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces.append(text[place : edit.start])
        pieces.append(edit.new)
        place = edit.end
    pieces.append(text[place:])
    return "".join(pieces)


def only_edits(text: str, repaired: str, edits: Iterable[Replacement]) -> bool:
    """Return whether ``repaired`` is ``text`` with these edits and not one other character
    changed."""
    place = moved = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        kept = edit.start - place
        if kept < 0 or text[place : edit.start] != repaired[moved : moved + kept]:
            return False
        moved += kept
        if repaired[moved : moved + len(edit.new)] != edit.new:
            return False
        moved += len(edit.new)
        place = edit.end
    return text[place:] == repaired[moved:]
