"""What became of a text that was repaired."""

from __future__ import annotations

from typing import Generic, TypeVar, cast

import msgspec

from knitbone.errors import RepairRefused

__all__ = ["RepairEdit", "RepairResult"]

_T = TypeVar("_T")


class RepairEdit(msgspec.Struct, frozen=True, kw_only=True):
    """One change."""

    place: str
    """Where: ``line 3, column 7`` of the text, or the path to a value such as ``items[2].qty``."""
    before: str
    after: str
    rule: str
    """What was done, in plain words."""


class RepairResult(msgspec.Struct, Generic[_T], frozen=True, kw_only=True):
    """What became of a text."""

    ok: bool
    value: _T | None = None
    """In the type of the target; ``None`` where ``ok`` is false."""
    text: str = ""
    """The document in its notation, repaired; the text itself where ``ok`` is false."""
    edits: tuple[RepairEdit, ...] = ()
    """Empty: the text was well formed, and the target accepts it."""
    refusal: str = ""
    """Why there is no value."""
    complete: bool = True
    """Of a part of a text (``partial=True``): whether the document has ended."""

    def unwrap(self) -> _T:
        """Return the value.

        Raises:
            RepairRefused: there is none.
        """
        if not self.ok:
            raise RepairRefused(f"The text was not read: {self.refusal}.", self)
        return cast("_T", self.value)
