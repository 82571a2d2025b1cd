"""Repairs, told to the application: ``@knitbone.adapt(on_repair=f)``.

A repair is noted when it is decided, and told when its value is about to be delivered, in the same
thread. What a listener does stays apart from the application: its errors are logged, and a repair
that is made while it runs is told to nobody.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, TypeAlias

import msgspec

from knitbone._logging import get_logger, log
from knitbone.config import AdaptConfig
from knitbone.errors import ConfigError
from knitbone.record.events import Adaptation

__all__ = [
    "Listener",
    "Repair",
    "drop_repairs",
    "listening",
    "note_repair",
    "tell_repairs",
]

_logger = get_logger(__name__)


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """One repair of an answer, without secrets: they are replaced as in every record."""

    site: str
    """``file:line`` where the answer came."""
    rules: tuple[str, ...]
    """The changes that it consists of."""
    before: str
    """The answer; at most 20,000 characters of it."""
    after: str
    """What the repair makes of it; at most as much."""
    requirement: str
    """What the code expects."""
    evidence: str
    """``file:line  expression`` of the consumer."""
    delivered: bool
    """Whether the application gets it; in ``observe`` mode it does not."""

    @property
    def rule(self) -> str:
        """The changes in one line."""
        return ", ".join(self.rules)


Listener: TypeAlias = Callable[[Repair], object]
"""Called with each repair; a coroutine function is run, and what it returns is ignored."""


class _ListeningConfig(AdaptConfig, frozen=True, kw_only=True):
    """Settings with a listener, which no file can hold."""

    on_repair: Any
    """A ``Listener``."""


class _Noted(threading.local):
    """The repairs of a thread that are decided and not told yet."""

    def __init__(self) -> None:
        self.repairs: list[tuple[Listener, Repair]] = []


_noted = _Noted()
_telling: ContextVar[bool] = ContextVar("knitbone_telling", default=False)
_tasks: set[asyncio.Task[None]] = set()
"""Listeners at work; a loop keeps no task alive by itself."""


def listening(config: AdaptConfig, listener: Listener | None) -> AdaptConfig:
    """Return the settings under which repairs are told to a listener.

    Raises:
        ConfigError: the listener cannot be called.
    """
    if listener is None:
        return config
    if not callable(listener):
        raise ConfigError(
            f"on_repair is {listener!r:.60}, which cannot be called.",
            next_step="Give a function that takes one knitbone.Repair.",
        )
    return _ListeningConfig(**msgspec.structs.asdict(config), on_repair=listener)


def note_repair(event: Adaptation, config: AdaptConfig) -> None:
    """Note a record for the listener of its site, if there is one and the record is a repair."""
    if not isinstance(config, _ListeningConfig) or event.after is None or _telling.get():
        return
    repair = Repair(
        site=event.site,
        rules=event.rules,
        before=event.before,
        after=event.after,
        requirement=event.requirement,
        evidence=event.evidence,
        delivered=event.action == "repaired",
    )
    _noted.repairs.append((config.on_repair, repair))


def drop_repairs() -> None:
    """Forget what was noted in this thread: the value is not delivered."""
    if _noted.repairs:
        _noted.repairs = []


def tell_repairs() -> None:
    """Tell what was noted in this thread; never raises but ``KeyboardInterrupt``."""
    if not _noted.repairs:
        return
    noted, _noted.repairs = _noted.repairs, []
    for listener, repair in noted:
        token = _telling.set(True)
        try:
            told = listener(repair)
            if inspect.isawaitable(told):
                _run(told, repair.site)
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - also what only a listener would end: the program
            _log_failure(repair.site)
        finally:
            _telling.reset(token)


def _run(told: Awaitable[object], site: str) -> None:
    """Run what an asynchronous listener returned: as a task where a loop runs in this thread, else
    to its end."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        # Not ``asyncio.run``, which would take the application's own loop away.
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(_guarded(told, site))
        finally:
            loop.close()
        return
    task = loop.create_task(_guarded(told, site))
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def _guarded(told: Awaitable[object], site: str) -> None:
    try:
        await told
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise
    except BaseException:  # noqa: BLE001 - see ``tell_repairs``
        _log_failure(site)


def _log_failure(site: str) -> None:
    log(_logger, logging.ERROR, f"on_repair failed at {site}", exc_info=True, site=site)
