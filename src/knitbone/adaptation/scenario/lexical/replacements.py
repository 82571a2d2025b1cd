"""Replacements in a text, and the proof that nothing else changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

__all__ = ["Replacement", "apply_replacements", "only_edits"]


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
