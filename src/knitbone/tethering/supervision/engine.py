"""Supervision of a run that goes on: check → decide → inject (AgentTether §III.D).

Fail open: an error of ours, a verifier without an answer, a call that nobody can read are silence.
Nothing is executed on the agent's behalf.
"""

from __future__ import annotations

import importlib
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from knitbone._forks import new_lock
from knitbone._logging import get_logger, log
from knitbone.config import SupervisionSettings
from knitbone.models.chat import ChatModel
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.supervision.checks.expectation import ExpectationCheck
from knitbone.tethering.supervision.checks.loop import LoopCheck
from knitbone.tethering.supervision.checks.structural import StructuralCheck
from knitbone.tethering.supervision.deciding import InterventionGuards
from knitbone.tethering.supervision.expected_calls import ExpectedCalls
from knitbone.tethering.supervision.intent import RememberedDirective, active_intent
from knitbone.tethering.supervision.intent_texts import action_text, intent_text
from knitbone.tethering.supervision.recording import record_decision
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
from knitbone.tethering.supervision.verifier import DriftVerifier, ModelVerifier

if TYPE_CHECKING:  # they bring numpy, which only drift needs
    from knitbone.common.similarity import TextEmbedder
    from knitbone.tethering.supervision.checks.drift import DriftCheck

__all__ = ["Supervisor"]

_logger = get_logger(__name__)
_Look = Callable[[SupervisionCheck, int], CheckSignal | None]
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
        embedder: without one, or where its thresholds are not known, drift is not looked for.
        settings: figures; a whole ``TetherConfig`` is one.
        verifier: a model, or whoever confirms drift; waited for at most ``verifier_s``.
        record: is given each decision, silence too; by default it becomes an event of the run that
            is being recorded.
    """

    def __init__(  # noqa: PLR0913 - a run has so many sides
        self,
        task: str,
        guidance: Guidance | None = None,
        *,
        mode: SupervisionMode = "on",
        memory: Iterable[RememberedDirective] = (),
        risks: ToolRisks | Mapping[str, Risk] | None = None,
        embedder: TextEmbedder | None = None,
        verifier: DriftVerifier | ChatModel | None = None,
        settings: SupervisionSettings | None = None,
        record: Callable[[SupervisionDecision], object] | None = record_decision,
    ) -> None:
        settings = settings or SupervisionSettings()
        self.mode: SupervisionMode = mode
        self.risks = (
            risks
            if isinstance(risks, ToolRisks)
            else ToolRisks({**settings.tool_risks, **(risks or {})})
        )
        intent = active_intent(task, guidance, memory)
        self._expected = ExpectedCalls(intent.directives, task=intent.key)
        self._settings = settings
        self._intent = intent
        self._verifier = _as_verifier(verifier)
        self._loop = LoopCheck(settings, self.risks, task)
        self._drift = self._drift_check(embedder)
        self._structural = StructuralCheck(intent, self._expected, settings)
        # The expectation check goes before the structural one, which reads what it noted.
        self._checks: tuple[SupervisionCheck, ...] = (
            self._loop,
            ExpectationCheck(intent, self._expected, self.risks),
            *([self._drift] if self._drift is not None else []),
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

    @property
    def may_reroute(self) -> bool:
        """Whether the next answer without a tool call may be sent back; where it may not, nobody
        needs to hold it back."""
        with self._lock:
            return self.mode == "on" and self._guards.may_reroute(self._step)

    @property
    def waits(self) -> bool:
        """Whether a decision may take longer than computing does: somebody else is asked."""
        return self._verifier is not None or self._drift is not None

    def tool_returned(self, call: ReturnedCall) -> str | None:
        """A tool has returned, and the agent has not seen it yet.

        Returns:
            Text to append behind the result.
        """
        if self.mode == "off":
            return None
        return self._supervise(
            "tool_return",
            lambda check, step: check.tool_returned(call, step),
            lambda: action_text(call.tool, call.arguments),
        )

    def text_answered(self, text: str, *, alone: bool = False) -> str | None:
        """The agent answered without a tool call, and nobody has taken the answer yet.

        Args:
            alone: nobody has spoken to the agent since its last answer or call, so that saying the
                same once more is talking to itself. To somebody who insists it is an answer.

        Returns:
            A user message to go on with; ``None`` accepts the answer.
        """
        if self.mode == "off":
            return None

        def look(check: SupervisionCheck, step: int) -> CheckSignal | None:
            if check is self._loop and not alone:
                self._loop.heard()
            return check.text_answered(text, step)

        return self._supervise("text_response", look, lambda: text)

    def _supervise(self, trigger: Trigger, look: _Look, action: Callable[[], str]) -> str | None:
        try:
            with self._lock:
                step = self._step
                self._step += 1
                signals = self._look(look, step)
                asked = self._guards.to_confirm(trigger, step, signals)
                intent = intent_text(self._intent, self._expected) if asked else ""
                decision = None if asked else self._decide(trigger, step, signals)
            if decision is None:
                # Outside of the lock: other calls of the run do not wait for this verifier.
                confirmed = self._confirmed(intent, action())
                with self._lock:
                    decision = self._decide(trigger, step, signals, confirmed=confirmed)
            if self._record is not None:
                self._record(decision)
        except Exception:  # noqa: BLE001 - no error of ours may reach the agent
            log(_logger, logging.ERROR, "supervision failed; nothing is said", exc_info=True)
            return None
        said = self.mode == "on" and decision.action != "silence"
        return decision.text if said else None

    def _decide(
        self,
        trigger: Trigger,
        step: int,
        signals: tuple[CheckSignal, ...],
        *,
        confirmed: bool = False,
    ) -> SupervisionDecision:
        decision = self._guards.decide(trigger, step, signals, confirmed=confirmed)
        self._decisions.append(decision)
        self._note(decision)
        return decision

    def _confirmed(self, intent: str, action: str) -> bool:
        if self._verifier is None:
            return False
        try:
            seconds = self._settings.verifier_s
            return self._verifier.confirms(intent, action, seconds=seconds) is True
        except Exception:  # noqa: BLE001 - see above
            log(_logger, logging.ERROR, "the verifier failed", exc_info=True)
            return False

    def _drift_check(self, embedder: TextEmbedder | None) -> DriftCheck | None:
        """The check, if it can be made; there is nothing to embed where nobody would act on it."""
        if embedder is None or self.mode == "off" or not self._intent.grounded:
            return None
        try:
            drift: Any = importlib.import_module("knitbone.tethering.supervision.checks.drift")
            return drift.DriftCheck(
                self._intent, self._expected, self.risks, embedder, self._settings
            )
        except Exception:  # noqa: BLE001 - see above
            log(_logger, logging.WARNING, "drift is not looked for", exc_info=True)
            return None

    def _look(self, look: _Look, step: int) -> tuple[CheckSignal, ...]:
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
        if self._drift is not None:
            self._drift.nudged()
        signal = decision.signals[0]
        if signal.check == "structural" and signal.directive is not None:
            self._structural.reminded(signal.directive)


def _as_verifier(verifier: DriftVerifier | ChatModel | None) -> DriftVerifier | None:
    return ModelVerifier(verifier) if isinstance(verifier, ChatModel) else verifier
