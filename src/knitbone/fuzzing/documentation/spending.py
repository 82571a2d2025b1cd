"""What a campaign consumed, stage by stage, and when it must stop.

Time is counted as the sum of the campaign's steps, each as long as it took when it was made: a
resumed campaign goes by the same clock as the one that was interrupted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

import msgspec

from knitbone.config import FuzzConfig
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.records import StageCost
from knitbone.record.events import Usage

__all__ = ["REPEATED", "Ledger"]

REPEATED = Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)
"""The usage of an answer that was given before and not asked for again."""


class Ledger(CampaignBudget):
    """The budget of one tool's campaign, which knows its stages.

    Args:
        clock: seconds, for the length of a step.
    """

    def __init__(self, config: FuzzConfig, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(config, elapsed=self._now)
        self._clock = clock
        self._stages: dict[str, StageCost] = {}
        self._stage = ""
        self._charged: list[Usage] = []
        self._done = 0.0
        self.took = 0.0
        """Seconds that the last step took."""
        self._began: float | None = None

    @property
    def elapsed(self) -> float:
        """Seconds of all steps so far."""
        return self._now()

    @property
    def charged(self) -> tuple[Usage, ...]:
        """What the step that is running, or the last one, has charged."""
        return tuple(self._charged)

    @contextmanager
    def step(self, stage: str, *, took: float | None = None) -> Generator[None]:
        """One step of a stage, which is charged with what happens in it.

        Args:
            took: seconds that it took when it was made; measured where not given.
        """
        self._stage, self._charged, self._began = stage, [], self._clock()
        try:
            yield
        finally:
            seconds = self._clock() - self._began if took is None else took
            self._began = None
            self.took = seconds
            self._done += seconds
            self._book(seconds=seconds)

    def charge(self, usage: Usage) -> None:
        """Book one model call; one that was not made again costs nothing."""
        self._charged.append(usage)
        if usage == REPEATED:
            self._book(repeated=1)
            return
        super().charge(usage)
        self._book(
            model_calls=1,
            tokens=(usage.input_tokens or 0) + (usage.output_tokens or 0),
            usd=usage.cost_usd or 0.0,
            unpriced=int(usage.cost_usd is None),
        )

    def stages(self) -> tuple[StageCost, ...]:
        """The stages in the order of their first step."""
        return tuple(
            msgspec.structs.replace(each, seconds=round(each.seconds, 3), usd=round(each.usd, 6))
            for each in self._stages.values()
        )

    def _book(self, **more: float) -> None:
        cost = self._stages.get(self._stage) or StageCost(stage=self._stage)
        changed = {name: getattr(cost, name) + value for name, value in more.items()}
        self._stages[self._stage] = msgspec.structs.replace(cost, **changed)

    def _now(self) -> float:
        running = 0.0 if self._began is None else self._clock() - self._began
        return self._done + running
