"""Edits to a program, and proposals of several edits with a rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

__all__ = ["Edit", "RepairProposal", "apply_edits", "proposal"]


class Edit(msgspec.Struct, frozen=True, order=True):
    """``text[start:end]`` becomes ``new``; one edit changes one token."""

    start: int
    end: int
    new: str


class RepairProposal(msgspec.Struct, frozen=True, kw_only=True):
    """Edits that belong together, and the name of what they do."""

    edits: tuple[Edit, ...]
    rule: str
    """The change, for people: ``missing ")" added``."""
    at_end: bool = False
    """Whether it adds to the end of the text: right only where the text is not cut off."""

    @property
    def cost(self) -> int:
        """The token edit distance."""
        return len(self.edits)


def proposal(edits: Iterable[Edit], rule: str, *, at_end: bool = False) -> RepairProposal:
    """Make a proposal of edits, in the order of the text."""
    return RepairProposal(edits=tuple(sorted(edits)), rule=rule, at_end=at_end)


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Return the text with every edit made.

    Raises:
        ValueError: two edits overlap.
    """
    pieces: list[str] = []
    position = 0
    for edit in edits:
        if edit.start < position:
            raise ValueError(f"edits overlap at {edit.start}")
        pieces += (text[position : edit.start], edit.new)
        position = edit.end
    pieces.append(text[position:])
    return "".join(pieces)
