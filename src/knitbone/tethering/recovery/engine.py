"""Recovery, top to bottom: an attempt -> its verdict -> may it be repeated -> reset -> guidance ->
the next attempt, until one succeeds or the repairs are spent (AgentTether §III.A, §IV.A).

The flow is a generator: it yields what happens, and calls of the caller's own code, which
``recover`` makes at once and ``recover_async`` awaits. Nothing is executed on the agent's behalf.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import ExitStack
from typing import Any

import msgspec

from knitbone.common.similarity import TextEmbedder
from knitbone.config import SupervisionSettings
from knitbone.errors import KnitboneError, StoreError
from knitbone.models.chat import ChatModel
from knitbone.record.events import Run
from knitbone.record.plain import message_of
from knitbone.record.redaction import Redactor
from knitbone.record.store import RunStore
from knitbone.tethering.capture.trace import TracedRun, trace
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.recovery.budget import (
    RecoveryBudget,
    SpentBudget,
    steps_of,
    tokens_of,
    usd_of,
)
from knitbone.tethering.recovery.host_calls import Answered, HostCall
from knitbone.tethering.recovery.journal import RecoveryJournal
from knitbone.tethering.recovery.judgements import (
    Judgement,
    SuccessCheck,
    asks_for_run,
    judgement_of,
    positional_arguments,
)
from knitbone.tethering.recovery.made_calls import state_changes
from knitbone.tethering.recovery.records import (
    AttemptBegan,
    AttemptEnded,
    Ending,
    Recovery,
    RecoveryAttempt,
    RecoveryEvent,
)
from knitbone.tethering.recovery.strategies import FailedAttempt, RecoveryStrategy
from knitbone.tethering.supervision.active import supervised
from knitbone.tethering.supervision.decision_events import record_decision
from knitbone.tethering.supervision.engine import Supervisor
from knitbone.tethering.supervision.records import SupervisionMode

__all__ = ["RecoveryFlow", "RecoverySettings", "recovery_flow"]

RecoveryFlow = Generator[HostCall | RecoveryEvent, Answered, Recovery]
"""Yields calls, and is sent what came of each; yields events, and is sent an empty answer."""


class RecoverySettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a recovery is of, and its bounds."""

    agent: Callable[..., Any]
    task: Any
    """Given to the agent as it is."""
    key: str
    words: str
    """The task in words; empty where it is no text."""
    succeeded: SuccessCheck | None
    reset: Callable[..., Any] | None
    repeatable: bool
    """Whether attempts may be repeated without a reset although state was changed."""
    max_repairs: int
    """Γ of AgentTether §IV.A."""
    supervise: SupervisionMode
    budget: RecoveryBudget
    store: RunStore
    journal: RecoveryJournal
    redactor: Redactor
    """Cleans the reasons of verdicts, which are shown, journaled and told to the next attempt."""
    verifier: ChatModel | None = None
    embedder: TextEmbedder | None = None
    supervision: SupervisionSettings = SupervisionSettings()
    clock: Callable[[], float] = time.monotonic


class _Made(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt, and what its record does not hold."""

    attempt: RecoveryAttempt
    run: Run | None
    running: bool = False
    """The agent did not return and may still be at work."""


class _Ended(msgspec.Struct, frozen=True):
    """Why there is no further attempt."""

    ending: Ending
    reason: str = ""


def recovery_flow(settings: RecoverySettings, strategy: RecoveryStrategy) -> RecoveryFlow:
    """Make attempts until one succeeds, or there may be no further one.

    Raises:
        KnitboneError: a success check gives no verdict that can be read.
    """
    spent = SpentBudget(settings.budget, settings.clock)
    attempts = [*settings.journal.attempts]
    last = _resumed(settings)
    for attempt in attempts:
        spent.add(tokens=attempt.tokens, usd=attempt.usd, seconds=attempt.seconds)
    if settings.journal.interrupted is not None:
        attempts.append(settings.journal.interrupted)
        settings.journal.ended(settings.journal.interrupted)
    while True:
        end = _end(settings, last, spent) if last is not None else None
        guidance = None
        if last is not None and end is None:
            guidance, end = _guidance(settings, strategy, last)
        if last is not None and end is None:
            end = yield from _reset(settings, last)
        if end is not None:
            settings.journal.close()
            return Recovery(
                task=settings.key, strategy=strategy.name, ending=end.ending, reason=end.reason,
                attempts=tuple(attempts),
            )  # fmt: skip
        last = yield from _attempt(settings, strategy, len(attempts), guidance, spent)
        attempts.append(last.attempt)
        settings.journal.ended(last.attempt)
        yield AttemptEnded(attempt=last.attempt)


def _resumed(settings: RecoverySettings) -> _Made | None:
    """The last attempt of the process before, where there was one."""
    journal = settings.journal
    attempt = journal.interrupted or (journal.attempts[-1] if journal.attempts else None)
    if attempt is None:
        return None
    return _Made(attempt=attempt, run=_stored(settings.store, attempt.run))


def _stored(store: RunStore, run: str | None) -> Run | None:
    """A run of before; ``None`` where it did not get into the store, or was purged since."""
    if run is None:
        return None
    try:
        return store.get(run)
    except StoreError:
        return None


def _end(settings: RecoverySettings, last: _Made, spent: SpentBudget) -> _Ended | None:
    """Why the attempt before was the last one; ``None`` where it may be repeated."""
    attempt = last.attempt
    if attempt.success:
        return _Ended("succeeded")
    if last.running:
        return _Ended("still running", f"attempt {attempt.number} did not return and may still act")
    if attempt.success is None:
        return _Ended("no verdict", attempt.reason or "nobody has judged the attempt yet")
    if attempt.number >= settings.max_repairs:
        number = attempt.number + 1
        failed = "the attempt failed" if number == 1 else f"all {number} attempts failed"
        return _Ended("repairs spent", failed)
    if (reason := spent.refusal()) is not None:
        return _Ended("budget spent", reason)
    if settings.reset is None and not settings.repeatable:
        changed = state_changes(last.run)
        if changed:
            return _Ended(
                "state changed",
                f"attempt {attempt.number} called {', '.join(changed)}, which may have changed "
                "state; give a reset, or say that it may be repeated",
            )
    return None


def _reset(settings: RecoverySettings, last: _Made) -> Generator[HostCall, Answered, _Ended | None]:
    """Bring the environment back to where the attempt before began."""
    if settings.reset is None:
        return None
    number = (last.attempt.number + 1,) if positional_arguments(settings.reset) else ()
    answered = yield HostCall(settings.reset, number, settings.budget.attempt_seconds)
    if answered.error is not None:
        return _Ended("reset failed", f"the reset raised {_error(answered.error)}")
    if answered.late:
        return _Ended("reset failed", "the reset did not return in time")
    return None


def _guidance(
    settings: RecoverySettings, strategy: RecoveryStrategy, last: _Made
) -> tuple[Guidance | None, _Ended | None]:
    """What the next attempt is told, or why it cannot be said."""
    failed = FailedAttempt(
        task=settings.words, key=settings.key, number=last.attempt.number, run=last.run,
        reason=last.attempt.reason,
    )  # fmt: skip
    try:
        return strategy.guidance(failed), None
    except KnitboneError as error:
        return None, _Ended("no guidance", " ".join(str(error).split()).rstrip("."))


def _attempt(
    settings: RecoverySettings,
    strategy: RecoveryStrategy,
    number: int,
    guidance: Guidance | None,
    spent: SpentBudget,
) -> Generator[HostCall | RecoveryEvent, Answered, _Made]:
    """One run of the agent, recorded, told what the guidance says, and judged."""
    yield AttemptBegan(number=number, guidance=guidance)
    supervisor = _supervisor(settings, strategy, guidance) if number else None
    began = settings.clock()
    with ExitStack() as blocks:
        traced = blocks.enter_context(
            trace(
                name=f"attempt {number}", task=settings.words, store=settings.store,
                attributes={"knitbone.recovery.task": settings.key,
                            "knitbone.recovery.attempt": number,
                            "knitbone.recovery.strategy": strategy.name},
            )
        )  # fmt: skip
        settings.journal.began(number, traced.id)
        if guidance is not None and traced.id is not None:
            strategy.shown(guidance, traced.id)
        active = blocks.enter_context(supervised(guidance, supervisor))
        given = (settings.task, active)[: max(positional_arguments(settings.agent), 1)]
        answered = yield HostCall(settings.agent, given, spent.seconds_left())
        verdict = yield from _judged(settings, traced, answered)
        reason = settings.redactor.text(verdict.reason)
        traced.outcome(verdict.success, reason=reason)
    run = _recorded(traced)
    if guidance is not None and run is not None and verdict.success is not None:
        strategy.judged(guidance, run, success=verdict.success)
    taken = settings.clock() - began
    spent.add(tokens=tokens_of(run), usd=usd_of(run))
    attempt = RecoveryAttempt(
        number=number, run=run.id if run else None, success=verdict.success,
        reason=reason, guidance=guidance, steps=steps_of(run), tokens=tokens_of(run),
        usd=usd_of(run), seconds=round(taken, 3),
        interventions=sum(d.action != "silence" for d in supervisor.decisions) if supervisor else 0,
    )  # fmt: skip
    return _Made(attempt=attempt, run=run, running=answered.running)


def _supervisor(
    settings: RecoverySettings, strategy: RecoveryStrategy, guidance: Guidance | None
) -> Supervisor | None:
    if not strategy.supervises or settings.supervise == "off":
        return None
    return Supervisor(
        settings.words, guidance, mode=settings.supervise, embedder=settings.embedder,
        verifier=settings.verifier, settings=settings.supervision, record=record_decision,
    )  # fmt: skip


def _judged(
    settings: RecoverySettings, traced: TracedRun, answered: Answered
) -> Generator[HostCall, Answered, Judgement]:
    """The verdict: an agent that raised or did not return has failed, whatever a check says."""
    if answered.error is not None:
        return Judgement(success=False, reason=f"the agent raised {_error(answered.error)}")
    if answered.late:
        return Judgement(success=False, reason="the agent did not return in time")
    check = settings.succeeded
    if check is None:
        return Judgement(success=None)
    given = (answered.value, _recorded(traced)) if asks_for_run(check) else (answered.value,)
    judged = yield HostCall(check, given)
    if judged.error is not None:
        return Judgement(success=None, reason=f"the success check raised {_error(judged.error)}")
    return judgement_of(judged.value)


def _recorded(traced: TracedRun) -> Run | None:
    """The run as far as it was recorded; ``None`` where recording is off."""
    try:
        return traced.recorded()
    except KnitboneError:
        return None


def _error(error: Exception) -> str:
    return f"{type(error).__name__}: {message_of(error)}"
