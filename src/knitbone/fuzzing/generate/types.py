"""The interface of a generator, and what it may draw on."""

from __future__ import annotations

from typing import Protocol

import msgspec

from knitbone.core.events import Json

__all__ = ["Generator", "Proposal"]


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments to try."""

    arguments: dict[str, Json]
    conforming: bool
    """Whether they are meant to satisfy the schema; otherwise they just miss it."""


class Generator(Protocol):
    """Proposes the arguments of call number ``call`` (from 1), whatever was proposed before.

    The same seed, tool and number always give the same proposal.
    """

    def propose(self, call: int) -> Proposal:
        """The arguments of one call."""
        ...
