"""What all attempts together may take."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from knitbone.errors import KnitboneError
from knitbone.record.events import ModelCall, Run

__all__ = ["RecoveryBudget", "SpentBudget", "steps_of", "tokens_of", "usd_of"]


class RecoveryBudget(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of a recovery; ``None`` is no bound."""

    seconds: float | None = None
    """Wall clock of all attempts. Hard: an attempt under way is left when it is spent."""
    attempt_seconds: float | None = None
    """Wall clock of one attempt. Hard as well."""
    tokens: int | None = None
    """Of the recorded model calls; looked at between attempts."""
    usd: float | None = None
    """The same for the price, where the model's price is known."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise KnitboneError(
                    f"The budget {name}={value!r} is not above zero.",
                    next_step="Give a positive number, or None for no bound.",
                )


class SpentBudget:
    """Counts what attempts took.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, budget: RecoveryBudget, clock: Callable[[], float]) -> None:
        self._budget = budget
        self._clock = clock
        self._began = clock()
        self._tokens = 0
        self._usd = 0.0

    def add(self, *, tokens: int, usd: float, seconds: float = 0.0) -> None:
        """An attempt has ended. ``seconds``: of one that an earlier process made."""
        self._tokens += tokens
        self._usd += usd
        self._began -= seconds

    def refusal(self) -> str | None:
        """Why there may be no further attempt; ``None`` where there may."""
        bounds = self._budget
        taken = self._clock() - self._began
        if bounds.seconds is not None and taken >= bounds.seconds:
            return f"{bounds.seconds:g} seconds are spent"
        if bounds.tokens is not None and self._tokens >= bounds.tokens:
            return f"{self._tokens} of {bounds.tokens} tokens are spent"
        if bounds.usd is not None and self._usd >= bounds.usd:
            return f"{self._usd:.4f} of {bounds.usd:g} US dollars are spent"
        return None

    def seconds_left(self) -> float | None:
        """Longest time that the next attempt may take."""
        bounds = self._budget
        if bounds.seconds is None:
            return bounds.attempt_seconds
        left = max(bounds.seconds - (self._clock() - self._began), 0.001)
        return left if bounds.attempt_seconds is None else min(left, bounds.attempt_seconds)


def steps_of(run: Run | None) -> int:
    """Count the model calls of a run."""
    return sum(isinstance(event, ModelCall) for event in run.events) if run else 0


def tokens_of(run: Run | None) -> int:
    """Add up the tokens, in and out, of a run's model calls."""
    calls = [event for event in run.events if isinstance(event, ModelCall)] if run else []
    usages = [call.usage for call in calls if call.usage is not None]
    return sum((usage.input_tokens or 0) + (usage.output_tokens or 0) for usage in usages)


def usd_of(run: Run | None) -> float:
    """Add up the known prices of a run's model calls."""
    calls = [event for event in run.events if isinstance(event, ModelCall)] if run else []
    return sum(call.usage.cost_usd or 0.0 for call in calls if call.usage is not None)
