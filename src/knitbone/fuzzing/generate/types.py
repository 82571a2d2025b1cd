"""The interface of a generator, and what it may draw on."""

from __future__ import annotations

from typing import Protocol

import msgspec

from knitbone.fuzzing.records import CallOutcome
from knitbone.record.events import Json

__all__ = ["ArgumentProposal", "Generator"]


class ArgumentProposal(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments to try."""

    arguments: dict[str, Json]
    conforming: bool
    """Whether they are meant to satisfy the schema; otherwise they just miss it."""


class Generator(Protocol):
    """Proposes the arguments of call number ``call`` (from 1), and learns from what came of them.

    The same seed and tool, and the same outcomes so far, always give the same proposal.
    """

    def propose(self, call: int) -> ArgumentProposal:
        """The arguments of one call."""
        ...

    def observe(
        self, arguments: dict[str, Json], outcome: CallOutcome, failure: str | None
    ) -> None:
        """What came of the last proposal; ``failure`` names the group that it failed like."""
        ...

    def behaviours(self) -> tuple[str, ...]:
        """What was learned of the tool, for people: ``split on ";" into 3``, a line each."""
        ...
