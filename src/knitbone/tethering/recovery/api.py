"""``knitbone.recover``: run an agent until its task is done, told what went wrong before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from knitbone.config import Config, load_config
from knitbone.errors import KnitboneError
from knitbone.models.chat import ChatModel
from knitbone.models.embedders import create_embedder
from knitbone.models.factory import create_chat_model
from knitbone.record.recorder import redactor_of
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store import RunStore
from knitbone.tethering.guidance.hashing import task_key
from knitbone.tethering.guidance.memory import RepairMemory
from knitbone.tethering.guidance.records import Disclosure
from knitbone.tethering.recovery.budget import RecoveryBudget
from knitbone.tethering.recovery.engine import RecoveryFlow, RecoverySettings, recovery_flow
from knitbone.tethering.recovery.host_calls import Answered, HostCall, call_awaited, call_now
from knitbone.tethering.recovery.journal import RecoveryJournal, journal_path
from knitbone.tethering.recovery.judgements import SuccessCheck
from knitbone.tethering.recovery.records import Recovery, RecoveryEvent
from knitbone.tethering.recovery.strategies import RecoveryStrategy, StrategyParts, strategy_named
from knitbone.tethering.supervision.records import SupervisionMode

__all__ = ["recover", "recover_async"]

JOURNALS = Path(".knitbone/recover")
"""Where journals lie, seen from the working directory."""

Listener = Callable[[RecoveryEvent], None]


def recover(
    agent: Callable[..., Any],
    task: Any,
    succeeded: SuccessCheck | None = None,
    *,
    max_repairs: int = 3,
    strategy: str | RecoveryStrategy = "full",
    reset: Callable[..., Any] | None = None,
    **settings: Any,
) -> Recovery:
    """Run an agent on a task; where it fails, diagnose the run and try again, told what to change.

    The first run is only observed. Each further one gets guidance made from the run before, and
    with the strategy ``full`` a supervisor keeps it in force. The agent is not changed: guidance
    and corrections enter the traffic of the client libraries that knitbone knows. An agent with a
    loop of its own takes a second argument, a ``Supervised``, and asks it.

    Source: AgentTether §III.A and §IV.A.

    Args:
        agent: called with the task (and, where it takes two arguments, with what supervises it);
            a coroutine function is run to its end.
        task: what the agent is given; a text, or anything.
        succeeded: given what the agent returned (and the recorded run, where it takes two
            arguments), gives ``True``, ``False``, ``None`` or a ``Judgement``. Without one nobody
            knows whether the first run failed, and there is no second.
        max_repairs: attempts after the first one.
        strategy: ``blind``, ``outcome``, ``reflexion``, ``post-run``, ``full``, that of an
            installed package, or an object.
        reset: brings the environment back to where the attempt began. Without one an attempt that
            may have changed state is not repeated, unless ``repeatable=True``.
        settings: ``key`` (of the task in the repair memory; by default made from its text),
            ``repeatable``, ``supervise`` (``on``, ``observe``, ``off``), ``disclosure``
            (``constraint``, ``family``, ``values``), ``budget`` (a ``RecoveryBudget``),
            ``remember`` (whether the repair memory is read and written; true), ``store``,
            ``resume``, ``config``, ``listener`` (called with each event).

    Raises:
        KnitboneError: an argument cannot be used, or a strategy lacks what it needs.
    """
    session = _RecoverySession(
        agent, task, succeeded, max_repairs=max_repairs, strategy=strategy, reset=reset, **settings
    )
    try:
        return _driven(session.flow(), session.listener)
    finally:
        session.close()


async def recover_async(
    agent: Callable[..., Any],
    task: Any,
    succeeded: SuccessCheck | None = None,
    *,
    max_repairs: int = 3,
    strategy: str | RecoveryStrategy = "full",
    reset: Callable[..., Any] | None = None,
    **settings: Any,
) -> Recovery:
    """Do the same where an event loop runs: agent, check and reset may be coroutine functions."""
    session = _RecoverySession(
        agent, task, succeeded, max_repairs=max_repairs, strategy=strategy, reset=reset, **settings
    )
    try:
        return await _driven_async(session.flow(), session.listener)
    finally:
        session.close()


def _driven(flow: RecoveryFlow, listener: Listener | None) -> Recovery:
    """Make the calls of a flow at once."""
    sent, begun = Answered(), False
    while True:
        try:
            item = flow.send(sent) if begun else next(flow)
            begun = True
        except StopIteration as done:
            return done.value
        try:
            sent = call_now(item) if isinstance(item, HostCall) else _tell(listener, item)
        except BaseException as error:
            _leave(flow, error)
            raise


async def _driven_async(flow: RecoveryFlow, listener: Listener | None) -> Recovery:
    """Await them."""
    sent, begun = Answered(), False
    while True:
        try:
            item = flow.send(sent) if begun else next(flow)
            begun = True
        except StopIteration as done:
            return done.value
        try:
            if isinstance(item, HostCall):
                sent = await call_awaited(item)
            else:
                sent = _tell(listener, item)
        except BaseException as error:
            _leave(flow, error)
            raise


def _tell(listener: Listener | None, event: RecoveryEvent) -> Answered:
    if listener is not None:
        listener(event)
    return Answered()


def _leave(flow: RecoveryFlow, error: BaseException) -> None:
    """Close what the flow has open, such as the recording, with the error that ends it."""
    try:
        flow.throw(error)
    except BaseException as raised:
        if raised is not error and not isinstance(raised, StopIteration):
            raise


class _RecoverySession:
    """Arguments, checked and made into what the flow needs; and what is to be closed."""

    def __init__(  # noqa: PLR0913 - one parameter a setting of ``recover``
        self,
        agent: Callable[..., Any],
        task: Any,
        succeeded: SuccessCheck | None,
        *,
        max_repairs: int,
        strategy: str | RecoveryStrategy,
        reset: Callable[..., Any] | None,
        key: str | None = None,
        repeatable: bool = False,
        supervise: SupervisionMode = "on",
        disclosure: Disclosure = "constraint",
        budget: RecoveryBudget | None = None,
        remember: bool = True,
        store: RunStore | str | Path | None = None,
        resume: bool = False,
        journals: Path = JOURNALS,
        config: Config | None = None,
        listener: Listener | None = None,
    ) -> None:
        _check(agent, succeeded, reset, max_repairs, supervise)
        self.listener = listener
        config = config or load_config()
        place = config.record.store if store is None else store
        opened = SqliteStore(place) if isinstance(place, (str, Path)) else None
        self._opened = opened
        kept: RunStore = opened if opened is not None else cast("RunStore", place)
        words = task if isinstance(task, str) else ""
        key = key or task_key(task)
        parts = StrategyParts(
            config=config.tether,
            disclosure=disclosure,
            memory=_memory(kept) if remember else None,
            analyst=_model(config, "analyst"),
            agent=_model(config, "agent"),
        )
        self._strategy = strategy_named(strategy, parts) if isinstance(strategy, str) else strategy
        self._settings = RecoverySettings(
            agent=agent,
            task=task,
            key=key,
            words=words,
            succeeded=succeeded,
            reset=reset,
            repeatable=repeatable,
            max_repairs=max_repairs,
            supervise=supervise,
            budget=budget or RecoveryBudget(),
            store=kept,
            redactor=redactor_of(config.record),
            verifier=_model(config, "verifier"),
            # Drift is said with a verifier's yes only: without one nothing need be embedded.
            embedder=create_embedder(config.embedder) if config.verifier.name else None,
            supervision=config.tether,
            # The last of them: the file stays open until ``close``.
            journal=RecoveryJournal(
                journal_path(journals, key, self._strategy.name),
                task=key,
                strategy=self._strategy.name,
                resume=resume,
            ),
        )

    def flow(self) -> RecoveryFlow:
        """The flow, not yet begun."""
        return recovery_flow(self._settings, self._strategy)

    def close(self) -> None:
        """Release what was opened here."""
        self._settings.journal.release()
        if self._opened is not None:
            self._opened.close()


def _memory(store: RunStore) -> RepairMemory | None:
    """The memory in a store; a store of another kind keeps runs alone."""
    return RepairMemory(store) if isinstance(store, SqliteStore) else None


def _model(config: Config, role: str) -> ChatModel | None:
    settings = getattr(config, role)
    return create_chat_model(settings, role) if settings.name else None


def _check(
    agent: object, succeeded: object, reset: object, max_repairs: object, supervise: object
) -> None:
    """Whoever mistypes an argument learns it before the agent runs."""
    for name, value in (("agent", agent), ("succeeded", succeeded), ("reset", reset)):
        if not callable(value) and (value is not None or name == "agent"):
            raise KnitboneError(
                f"knitbone.recover was given {name}={value!r:.100} ({type(value).__name__}).",
                next_step="Give a function.",
            )
    if isinstance(max_repairs, bool) or not isinstance(max_repairs, int) or max_repairs < 0:
        raise KnitboneError(
            f"knitbone.recover was given max_repairs={max_repairs!r}.",
            next_step="Give a whole number, 0 or more.",
        )
    if supervise not in ("off", "observe", "on"):
        raise KnitboneError(
            f"knitbone.recover was given supervise={supervise!r:.100}.",
            next_step="Give one of off, observe, on.",
        )
