"""Whether something that a check noticed is said: the guards (AgentTether §III.D.2).

*Minimal*: silent once all that was expected is done; after an expected change of state only loops
are said. *Evidence-grounded*: a check alone is not enough, guidance or memory must want something.
*Cooldown*: steps between two interventions, a cap on texts sent back, nothing twice in a row. A
check that spoke twice around one required action is only observed from then on.
"""

from __future__ import annotations

from collections import Counter

from knitbone.config import SupervisionSettings
from knitbone.tethering.supervision.expected_calls import ExpectedCalls
from knitbone.tethering.supervision.intent import ActiveIntent
from knitbone.tethering.supervision.records import (
    Action,
    CheckSignal,
    SupervisionDecision,
    Trigger,
)
from knitbone.tethering.supervision.wording import appended_text, rerouting_text

__all__ = ["InterventionGuards"]

COOLDOWN_STEPS = 3
"""Steps from one intervention to the next (ours)."""
REROUTES = 2
"""Texts of one run that are sent back (ours)."""
AROUND_ONE_ACTION = 2
"""Interventions of one check around one required action; from then on it is only observed.
Ours, after AgentTether §IV.D: in the runs that intervention hurt, a guard fired again and again
around a required action, and the agent planned anew in place of doing it."""

_ORDER = ("loop", "expectation", "drift", "structural")
"""Direct evidence first (AgentTether §III.D.2)."""


class InterventionGuards:
    """Decides over one run; it remembers what was said."""

    def __init__(
        self, intent: ActiveIntent, expected: ExpectedCalls, settings: SupervisionSettings
    ) -> None:
        self._intent = intent
        self._expected = expected
        self._settings = settings
        self._last: int | None = None
        self._asked: int | None = None
        self._reroutes = 0
        self._around: Counter[tuple[str, str]] = Counter()

    def may_reroute(self, step: int) -> bool:
        """Whether an answer at this step may be sent back, whatever the checks notice in it."""
        anything = CheckSignal(check="loop", kind="", text="")
        return self._held_back("text_response", step, anything) is None

    def to_confirm(
        self, trigger: Trigger, step: int, signals: tuple[CheckSignal, ...]
    ) -> tuple[CheckSignal, ...]:
        """Signals that would be said if a verifier confirmed them, where no other is said.

        A verifier is asked no more often than something may be said.
        """
        if self._asked is not None and step - self._asked < COOLDOWN_STEPS:
            return ()
        free = [signal for signal in signals if self._held_back(trigger, step, signal) is None]
        if not all(_needs_a_yes(signal) for signal in free):
            return ()
        self._asked = step if free else self._asked
        return tuple(free)

    def decide(
        self,
        trigger: Trigger,
        step: int,
        signals: tuple[CheckSignal, ...],
        *,
        confirmed: bool = False,
    ) -> SupervisionDecision:
        """One decision; an intervention is counted as made.

        Args:
            confirmed: whether a verifier said yes.
        """
        held = ""
        for signal in sorted(signals, key=lambda signal: _ORDER.index(signal.check)):
            why = self._held_back(trigger, step, signal)
            if why is None and not confirmed and _needs_a_yes(signal):
                why = "no verifier confirmed it"
            if why is None:
                return self._intervene(trigger, step, signal, signals)
            held = held or why
        return SupervisionDecision(
            trigger=trigger, step=step, action="silence", signals=signals, reason=held
        )

    def _held_back(self, trigger: Trigger, step: int, signal: CheckSignal) -> str | None:
        """The guard that keeps a signal back, or ``None``."""
        settings, loop = self._settings, signal.check == "loop"
        if not self._intent.grounded and not (loop and settings.loops_without_guidance):
            return "no guidance and no memory to act on"
        if self._expected.all_done:
            return "all expected actions are done"
        if self._expected.state_changed and not loop:
            return "an expected change of state is done; only loops are said"
        if self._last is not None and step - self._last < COOLDOWN_STEPS:
            return "cooldown"
        if trigger == "text_response" and self._reroutes >= REROUTES:
            return "texts were sent back often enough"
        if self._around[_around(signal)] >= AROUND_ONE_ACTION:
            return "spoke twice around this action; only observed"
        return None

    def _intervene(
        self, trigger: Trigger, step: int, signal: CheckSignal, signals: tuple[CheckSignal, ...]
    ) -> SupervisionDecision:
        self._last = step
        self._around[_around(signal)] += 1
        action: Action = "append"
        text = appended_text(signal)
        if trigger == "text_response":
            self._reroutes += 1
            action, text = "reroute", rerouting_text(signal)
        others = tuple(other for other in signals if other is not signal)
        return SupervisionDecision(
            trigger=trigger, step=step, action=action, signals=(signal, *others), text=text
        )


def _around(signal: CheckSignal) -> tuple[str, str]:
    """What a signal is about: a check and a required action, else the tool, else the kind."""
    return signal.check, signal.directive or signal.tool or signal.kind


def _needs_a_yes(signal: CheckSignal) -> bool:
    """Drift. *Departure:* AgentTether has it confirmed in the destructive tier; an embedder alone
    calls 24 of 32 successful retail runs adrift (``evals/results/supervision_recorded.md``),
    and answers are sent back by it, so that each drift needs a yes."""
    return signal.check == "drift"
