"""Supervision of a run that goes on: check → decide → inject (AgentTether §III.D).

Fail open: an error of ours, a verifier without an answer, a call that nobody can read are silence.
Nothing is executed on the agent's behalf.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping

from knitbone._forks import new_lock
from knitbone._logging import get_logger, log
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.supervision.checks.expectation import ExpectationCheck
from knitbone.tethering.supervision.checks.loop import LoopCheck
from knitbone.tethering.supervision.checks.structural import StructuralCheck
from knitbone.tethering.supervision.deciding import InterventionGuards
from knitbone.tethering.supervision.expected_calls import ExpectedCalls
from knitbone.tethering.supervision.intent import RememberedDirective, active_intent
from knitbone.tethering.supervision.records import (
    CheckSignal,
    ReturnedCall,
    Risk,
    SupervisionCheck,
    SupervisionDecision,
    SupervisionMode,
    Trigger,
)
from knitbone.tethering.supervision.risk import ToolRisks
from knitbone.tethering.supervision.settings import SupervisionSettings

__all__ = ["Supervisor"]

_logger = get_logger(__name__)
_KEPT = 10_000
"""Decisions of one run that are kept, the newest (ours)."""


class Supervisor:
    """Supervises one run of an agent; safe for threads.

    Never raises and never executes anything. Each hook is one step of the run.

    Args:
        task: what was asked of the agent, in words.
        guidance: what this attempt was told.
        mode: ``off`` does nothing at all; ``observe`` decides and records, and says nothing.
        memory: entries of the repair memory for this task.
        risks: what is known of the tools' risks: tool → risk, or a ``ToolRisks`` that the caller
            goes on to tell of tools.
        record: is given each decision, silence too.
    """

    def __init__(
        self,
        task: str,
        guidance: Guidance | None = None,
        *,
        mode: SupervisionMode = "on",
        memory: Iterable[RememberedDirective] = (),
        risks: ToolRisks | Mapping[str, Risk] | None = None,
        settings: SupervisionSettings | None = None,
        record: Callable[[SupervisionDecision], object] | None = None,
    ) -> None:
        settings = settings or SupervisionSettings()
        self.mode: SupervisionMode = mode
        self.risks = risks if isinstance(risks, ToolRisks) else ToolRisks(risks)
        intent = active_intent(task, guidance, memory)
        self._expected = ExpectedCalls(intent.directives, task=intent.key)
        self._loop = LoopCheck(settings, self.risks)
        self._structural = StructuralCheck(intent, self._expected, settings)
        # The expectation check goes before the structural one, which reads what it noted.
        self._checks: tuple[SupervisionCheck, ...] = (
            self._loop,
            ExpectationCheck(intent, self._expected, self.risks),
            self._structural,
        )
        self._guards = InterventionGuards(intent, self._expected, settings)
        self._record = record
        self._decisions: deque[SupervisionDecision] = deque(maxlen=_KEPT)
        self._step = 0
        self._lock = new_lock()

    @property
    def decisions(self) -> tuple[SupervisionDecision, ...]:
        """What was decided, oldest first."""
        with self._lock:
            return tuple(self._decisions)

    def followed(self) -> dict[str, bool]:
        """By directive with an expectation, whether the run has satisfied it."""
        with self._lock:
            return self._expected.followed()

    def tool_returned(self, call: ReturnedCall) -> str | None:
        """A tool has returned, and the agent has not seen it yet.

        Returns:
            Text to append behind the result.
        """
        if self.mode == "off":
            return None
        return self._supervise("tool_return", lambda check, step: check.tool_returned(call, step))

    def text_answered(self, text: str) -> str | None:
        """The agent answered without a tool call, and nobody has taken the answer yet.

        Returns:
            A user message to go on with; ``None`` accepts the answer.
        """
        if self.mode == "off":
            return None
        return self._supervise("text_response", lambda check, step: check.text_answered(text, step))

    def _supervise(
        self,
        trigger: Trigger,
        look: Callable[[SupervisionCheck, int], CheckSignal | None],
    ) -> str | None:
        try:
            with self._lock:
                step = self._step
                self._step += 1
                signals = self._look(look, step)
                decision = self._guards.decide(trigger, step, signals)
                self._decisions.append(decision)
                self._note(decision)
            if self._record is not None:
                self._record(decision)
        except Exception:  # noqa: BLE001 - no error of ours may reach the agent
            log(_logger, logging.ERROR, "supervision failed; nothing is said", exc_info=True)
            return None
        said = self.mode == "on" and decision.action != "silence"
        return decision.text if said else None

    def _look(
        self, look: Callable[[SupervisionCheck, int], CheckSignal | None], step: int
    ) -> tuple[CheckSignal, ...]:
        """What the checks notice; one that fails does not keep the others from looking."""
        signals: list[CheckSignal] = []
        for check in self._checks:
            try:
                signal = look(check, step)
            except Exception:  # noqa: BLE001 - see above
                log(_logger, logging.ERROR, "a check failed", exc_info=True, check=check.name)
                continue
            if signal is not None:
                signals.append(signal)
        return tuple(signals)

    def _note(self, decision: SupervisionDecision) -> None:
        """Tell the checks of an intervention."""
        if decision.action == "silence":
            return
        self._loop.nudged()
        signal = decision.signals[0]
        if signal.check == "structural" and signal.directive is not None:
            self._structural.reminded(signal.directive)
