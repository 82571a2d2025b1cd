"""Changes to a text, as data: what is replaced, by what, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

__all__ = ["Edit", "RepairProposal", "apply", "proposal"]


class Edit(msgspec.Struct, frozen=True, order=True):
    """``text[start:end]`` becomes ``new``; one edit changes one token."""

    start: int
    end: int
    new: str


class RepairProposal(msgspec.Struct, frozen=True, kw_only=True):
    """Edits that belong together."""

    edits: tuple[Edit, ...]
    rule: str
    """For people: ``missing ")" added``."""
    at_end: bool = False
    """Whether it adds to the end of the text: right only where the text is not cut off."""

    @property
    def cost(self) -> int:
        """The token edit distance."""
        return len(self.edits)


def proposal(edits: Iterable[Edit], rule: str, *, at_end: bool = False) -> RepairProposal:
    """Return the edits in the order of the text."""
    return RepairProposal(edits=tuple(sorted(edits)), rule=rule, at_end=at_end)


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Return the text with every edit made.

    Raises:
        ValueError: two edits overlap.
    """
    pieces: list[str] = []
    place = 0
    for edit in edits:
        if edit.start < place:
            raise ValueError(f"edits overlap at {edit.start}")
        pieces += (text[place : edit.start], edit.new)
        place = edit.end
    pieces.append(text[place:])
    return "".join(pieces)
