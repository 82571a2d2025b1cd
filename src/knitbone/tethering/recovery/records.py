"""What recovery is given and gives: an attempt, its verdict, the whole."""

from __future__ import annotations

from typing import Literal

import msgspec

from knitbone.tethering.guidance.records import Guidance

__all__ = [
    "AttemptBegan",
    "AttemptEnded",
    "Ending",
    "Recovery",
    "RecoveryAttempt",
    "RecoveryEvent",
]

Ending = Literal[
    "succeeded",
    "repairs spent",
    "budget spent",
    "state changed",
    "no verdict",
    "reset failed",
    "still running",
    "no guidance",
]
"""Why no further attempt was made."""


class RecoveryAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the agent."""

    number: int
    """0 is the first run, which is only observed."""
    run: str | None
    """Identifier of the recorded run; ``None`` where nothing could be recorded."""
    success: bool | None
    reason: str = ""
    """Of the verdict, or the exception that ended the run."""
    guidance: Guidance | None = None
    """What the attempt was told."""
    interventions: int = 0
    steps: int = 0
    """Model calls."""
    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """A task, all attempts at it, and how that ended."""

    task: str
    """Key of the task, as the repair memory has it."""
    strategy: str
    ending: Ending
    reason: str = ""
    """The ending in a sentence; empty for a success."""
    attempts: tuple[RecoveryAttempt, ...] = ()

    @property
    def success(self) -> bool:
        """Whether the last attempt was judged a success."""
        return self.ending == "succeeded"

    @property
    def repaired(self) -> bool:
        """Whether it succeeded after it had failed."""
        return self.success and len(self.attempts) > 1


class AttemptBegan(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt is about to be made."""

    number: int
    guidance: Guidance | None = None


class AttemptEnded(msgspec.Struct, frozen=True, kw_only=True):
    """It was made and judged."""

    attempt: RecoveryAttempt


RecoveryEvent = AttemptBegan | AttemptEnded
