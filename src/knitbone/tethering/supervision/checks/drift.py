"""Intent drift: how far the actions are from what the run is held to (AgentTether §III.D.1).

At tool returns a moving average of five steps is compared with the threshold of the action's risk,
so that a single exploring step is no drift. What an answer says is compared as it is. Either is
reported only where a verifier confirms it (``supervision/engine.py``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from knitbone.common.similarity import TextEmbedder, measure_drift
from knitbone.common.thresholds import RiskTier, Thresholds, thresholds_for
from knitbone.config import SupervisionSettings
from knitbone.tethering.supervision.expected_calls import ExpectedCalls
from knitbone.tethering.supervision.intent import ActiveIntent
from knitbone.tethering.supervision.intent_texts import (
    ACTION_CHARACTERS,
    action_text,
    intent_text,
)
from knitbone.tethering.supervision.records import CheckName, CheckSignal, ReturnedCall, Risk
from knitbone.tethering.supervision.risk import ToolRisks
from knitbone.tethering.supervision.wording import directive_words

__all__ = ["DriftCheck"]

WINDOW = 5
"""Tool returns that the moving average of drift goes over (AgentTether §IV.A: five steps)."""
ALPHA = 0.3
"""Weight of the newest one (AgentTether §IV.A)."""

_TIERS: dict[Risk, RiskTier] = {
    "destructive": "destructive",
    "write": "default",
    "read": "information_gathering",
}


class DriftCheck:
    """See ``SupervisionCheck``.

    Raises:
        ConfigError: no thresholds are known for the embedder.
    """

    name: CheckName = "drift"

    def __init__(
        self,
        intent: ActiveIntent,
        expected: ExpectedCalls,
        risks: ToolRisks,
        embedder: TextEmbedder,
        settings: SupervisionSettings,
    ) -> None:
        self._intent = intent
        self._expected = expected
        self._risks = risks
        self._embedder = _IntentRemembered(embedder)
        self._settings = settings
        self._thresholds: Thresholds = thresholds_for(embedder.name)
        self._scores: deque[float] = deque(maxlen=WINDOW)

    def tool_returned(
        self,
        call: ReturnedCall,
        step: int,  # noqa: ARG002 - the contract
    ) -> CheckSignal | None:
        """See ``SupervisionCheck``."""
        self._scores.append(self._distance(action_text(call.tool, call.arguments)))
        if len(self._scores) < WINDOW:
            return None
        risk = self._risks.of(call.tool)
        average = self._average()
        if average <= self._thresholds.drift(_TIERS[risk]):
            return None
        return self._signal("actions off the task", risk, average, call.tool)

    def text_answered(self, text: str, step: int) -> CheckSignal | None:  # noqa: ARG002 - contract
        """See ``SupervisionCheck``."""
        score = self._distance(text[:ACTION_CHARACTERS])
        if score <= self._thresholds.drift("default"):
            return None
        return self._signal("answer off the task", "write", score, None)

    def nudged(self) -> None:
        """The agent was told something: what it did before counts no longer."""
        self._scores.clear()

    def _distance(self, action: str) -> float:
        text = intent_text(self._intent, self._expected)
        (drift,) = measure_drift([(text, action)], self._embedder, thresholds=self._thresholds)
        return drift.score

    def _average(self) -> float:
        average, *later = self._scores
        for score in later:
            average = ALPHA * score + (1 - ALPHA) * average
        return average

    def _signal(self, kind: str, risk: Risk, score: float, tool: str | None) -> CheckSignal:
        wanted = next(iter(self._expected.open or self._intent.directives), None)
        words = "" if wanted is None else " " + directive_words(wanted, self._intent)
        return CheckSignal(
            check="drift", kind=kind, tool=tool, risk=risk, score=round(score, 4),
            directive=None if wanted is None else wanted.id,
            text=f"The last steps seem to lead away from the task. Go back to it.{words}",
        )  # fmt: skip


class _IntentRemembered:
    """An embedder that keeps the vector of the intent, the first of two texts, which seldom
    changes."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._intent: tuple[str, Any] | None = None

    def embed(self, texts: Sequence[str]) -> Any:
        """One row a text."""
        kept = self._intent
        if kept is None or kept[0] != texts[0]:
            rows = list(self._embedder.embed(texts))
            self._intent = (texts[0], rows[0])
            return rows
        return [kept[1], *(self._embedder.embed(texts[1:]) if len(texts) > 1 else ())]
