"""What one tool's campaign may use: time is hard, tokens and price are reported (ToolFuzz App. A).

``max_tokens`` and ``max_usd`` make the other two hard: a model stage asks ``refusal`` before each
model call, and charges what the call used afterwards. A call that is running is not cut off, so a
hard limit can be passed by one call.
"""

from __future__ import annotations

from collections.abc import Callable

from knitbone.config import FuzzConfig
from knitbone.fuzzing.records import Spent
from knitbone.record.events import Usage

__all__ = ["CampaignBudget"]

_SOFT_TOKENS = 25_000
"""ToolFuzz App. A: tokens of the model stages for one tool; passing it is reported only."""
_SOFT_USD = 0.10
"""ToolFuzz App. A: price of the model stages for one tool; passing it is reported only."""


class CampaignBudget:
    """The account of one tool's campaign."""

    def __init__(self, config: FuzzConfig, *, elapsed: Callable[[], float]) -> None:
        """Args:
        elapsed: seconds that the campaign of this tool has run.
        """
        self._config = config
        self._elapsed = elapsed
        self._tokens = self._calls = self._unpriced = 0
        self._usd = 0.0

    @property
    def left_s(self) -> float:
        """Seconds left of the wall clock; negative once it has run out."""
        return self._config.time_s - self._elapsed()

    def charge(self, usage: Usage) -> None:
        """Book one model call."""
        self._calls += 1
        self._tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        if usage.cost_usd is None:
            self._unpriced += 1
        else:
            self._usd += usage.cost_usd

    def refusal(self) -> str | None:
        """Why no further model call may be made; ``None`` when one may."""
        config = self._config
        if self.left_s <= 0:
            return f"{config.time_s:g} s are over"
        if config.max_tokens is not None and self._tokens >= config.max_tokens:
            return f"{self._tokens:,} of {config.max_tokens:,} tokens are used"
        if config.max_usd is not None and self._usd >= config.max_usd:
            return f"{self._usd:.2f} of {config.max_usd:.2f} USD are spent"
        return None

    def spent(self) -> Spent:
        """What was used, and which soft budgets were passed."""
        over: list[str] = []
        if self._tokens > _SOFT_TOKENS:
            over.append(f"{self._tokens:,} of {_SOFT_TOKENS:,} tokens")
        if self._usd > _SOFT_USD:
            over.append(f"{self._usd:.2f} of {_SOFT_USD:.2f} USD")
        return Spent(
            tokens=self._tokens,
            usd=round(self._usd, 6),
            model_calls=self._calls,
            unpriced=self._unpriced,
            over=tuple(over),
        )
