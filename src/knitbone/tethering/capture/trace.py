"""``knitbone.trace``: record an agent as one run.

Opening a run puts the hooks into the libraries, closing the last one takes them out; which run a
call belongs to is a context variable, so runs that go on side by side in tasks and threads stay
apart. A run that cannot be recorded never disturbs the agent: it is said once on standard error.
"""

from __future__ import annotations

import logging
import math
import os
import sys
import traceback
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar, overload

from knitbone._logging import get_logger, log
from knitbone.common.function_watch import watch
from knitbone.common.ownership import is_library, is_ours
from knitbone.config import Config, RecordConfig, is_disabled, load_config
from knitbone.errors import KnitboneError, StoreError
from knitbone.record.events import Json, Message, Outcome, Run
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.plain import message_of
from knitbone.record.plain_records import class_of
from knitbone.record.recorder import (
    Recorder,
    current_recorder,
    recording_into,
    redactor_of,
    start_recording,
)
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store import RunStore
from knitbone.record.verdicts import LaterOutcome, judge
from knitbone.tethering.capture.calls import current_agent
from knitbone.tethering.capture.patching import install, missing_hooks, uninstall
from knitbone.tethering.capture.state import RunState
from knitbone.tethering.capture.stores import OpenStore, close_store, open_store

__all__ = ["Trace", "TracedRun", "set_outcome", "trace"]


# An exception that ended a run, as attributes of the verdict: what it is and where it was raised.
#
# ``exception.type`` and ``exception.message`` are OpenTelemetry's names; ``exception.place`` is
# ``file:line in function`` of the innermost line of the application's own code, which is where a
# person looks first: an error of ``json`` or of an SDK stands in a file that nobody wrote.

_LAST = 50
"""Innermost frames that are looked at: a recursion has a thousand alike."""


def exception_attributes(error: BaseException) -> dict[str, Json]:
    """The attributes; without a place where the traceback holds none."""
    found: dict[str, Json] = {"exception.type": class_of(error)}
    if words := message_of(error):
        found["exception.message"] = words
    if place := _place(error):
        found["exception.place"] = place
    return found


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__, limit=-_LAST)
    own = [frame for frame in frames if _is_application(frame.filename)]
    chosen = (own or list(frames))[-1:]
    return "".join(f"{_shown(f.filename)}:{f.lineno} in {f.name}" for f in chosen)


def _is_application(filename: str) -> bool:
    file = os.path.realpath(filename)
    return not (filename.startswith("<") or is_ours(file) or is_library(file))


def _shown(filename: str) -> str:
    """Relative to a folder of ``sys.path`` where it is below one: no machine's path."""
    for folder in sorted(filter(None, sys.path), key=len, reverse=True):
        if filename.startswith(folder.rstrip("/\\") + "/"):
            return filename[len(folder.rstrip("/\\")) + 1 :]
    return Path(filename).name


_Function = TypeVar("_Function", bound=Callable[..., Any])
_logger = get_logger(__name__)


class TracedRun:
    """The run that is being recorded; what ``with knitbone.trace() as run`` gives.

    Nothing of it raises or waits on account of the recording.
    """

    def __init__(self, recorder: Recorder | None, place: RunStore | str | Path) -> None:
        self._recorder = recorder
        self._place = place
        self._given: tuple[bool | None, float | None, str] | None = None
        """What ``outcome`` was told last."""
        self.ended = False
        """Whether the run is finished: what is told of it then is not recorded, which is said."""

    @property
    def id(self) -> str | None:
        """The run's identifier; ``None`` where nothing is recorded."""
        return self._recorder.run_id if self._recorder else None

    @property
    def lost(self) -> int:
        """Events that could not be stored so far."""
        return self._recorder.lost if self._recorder else 0

    def recorded(self) -> Run:
        """The run as its store has it; before the block ends, what happened so far.

        Raises:
            KnitboneError: nothing is recorded.
            StoreError: the store cannot be read, or the run did not get into it.
        """
        if self.id is None:
            raise KnitboneError(
                "There is no run: nothing was recorded.",
                next_step="Unset KNITBONE_DISABLED; why else is said on standard error.",
            )
        if not isinstance(self._place, (str, Path)):
            return self._place.get(self.id)
        store = SqliteStore(self._place)
        try:
            return store.get(self.id)
        finally:
            store.close()

    def outcome(
        self, success: bool | None = None, *, reward: float | None = None, reason: str = ""
    ) -> None:
        """Record the verdict on the run; the last one counts. Of a run that has ended it is stored
        beside the run.

        Args:
            success: ``None`` withdraws what was said before, unless a reward is given.
            reward: where ``success`` is ``None``, a full reward of 1 is a success, less a failure.
            reason: why, in words.
        """
        try:
            _check_verdict("run.outcome", success, reward, reason)
            self._given = success, reward, reason
            if not self.ended or self.id is None:
                self._judge(success, reward, reason, {})
            else:
                set_outcome(self.id, success, reward=reward, reason=reason, store=self._place)
        except Exception as error:  # noqa: BLE001 - the agent goes on
            _say(f"the outcome of run {self.id} not recorded", error)

    def ended_by(self, error: BaseException) -> None:
        """Record that an exception ended the run, and where it was raised. It is the verdict,
        unless one was given."""
        as_asked = _ends_as_asked(error)
        if as_asked and self._given is not None:
            return
        success, reward, reason = self._given or (None, None, "")
        if success is None and reward is None:
            success = _verdict(error)
        attributes = {} if as_asked else exception_attributes(error)
        self._judge(success, reward, reason or _reason(error), attributes)

    def _judge(
        self, success: bool | None, reward: float | None, reason: str, attributes: dict[str, Json]
    ) -> None:
        if self._recorder is not None:
            now = now_ns()
            self._recorder.record(
                Outcome(
                    id=new_identifier(), started_ns=now, ended_ns=now, success=success,
                    reward=reward, reason=reason, attributes=attributes,
                )
            )  # fmt: skip

    def message(
        self, content: str, *, role: Literal["system", "user", "environment"] = "user"
    ) -> None:
        """Record something said that no model call carries, such as an alarm of the environment."""
        if self._recorder is not None and self._goes_on("a message"):
            now = now_ns()
            self._recorder.record(
                Message(
                    id=new_identifier(), started_ns=now, ended_ns=now, role=role, content=content
                )
            )

    def _goes_on(self, what: str) -> bool:
        if self.ended:
            _say(f"{what} not recorded", f"the run {self.id} has ended; say it inside the block")
        return not self.ended

    @contextmanager
    def agent(self, name: str) -> Generator[None]:
        """In a run of several agents: what happens in the block is done by this one."""
        token = current_agent.set(name)
        try:
            yield
        finally:
            try:
                current_agent.reset(token)
            except ValueError:  # left in another context than entered, as a fixture's may be
                if current_agent.get() == name:
                    current_agent.set(None)


def set_outcome(
    run: str,
    success: bool | None,
    *,
    reward: float | None = None,
    reason: str = "",
    store: RunStore | str | Path | None = None,
) -> None:
    """Say of a stored run whether it succeeded. The run stays as it is; the latest verdict counts.

    Args:
        run: the run's identifier, or how it begins.
        success: ``None`` withdraws what was said before, unless a reward is given.
        reward: where ``success`` is ``None``, a full reward of 1 is a success, less a failure.
        reason: why, in words.
        store: an SQLite file or a store; by default ``record.store`` of the configuration.

    Raises:
        KnitboneError: an argument is of another type.
        StoreError: there is no such run, or several begin so.
    """
    _check_verdict("set_outcome", success, reward, reason)
    config = load_config().record
    place = config.store if store is None else store
    verdict = LaterOutcome(success=success, reward=reward, reason=reason, by="code")
    if not isinstance(place, (str, Path)):
        judge(place, run, verdict, redactor=redactor_of(config))
        return
    if not Path(place).exists():
        raise StoreError(
            f"There is no run store at {place}, and so no run {run!r}.",
            next_step="Name the store that the run was recorded in.",
        )
    with closing(SqliteStore(place)) as opened:
        judge(opened, run, verdict, redactor=redactor_of(config))


def _check_verdict(function: str, *given: object) -> None:
    """Refuse what is no success, reward and reason."""
    success, reward, reason = given
    fits = (bool, type(None)), (int, float, type(None)), str
    is_number = not isinstance(reward, (int, float)) or math.isfinite(reward)
    if isinstance(reward, bool) or not is_number or not all(map(isinstance, given, fits)):
        raise KnitboneError(
            f"{function} was given success={success!r:.40}, reward={reward!r:.40},"
            f" reason={reason!r:.40}.",
            next_step="Give True, False or None; a finite number or None; a text.",
        )


class Trace:
    """One run to be recorded, as a context manager; as a decorator, one run for each call.

    Raises:
        ConfigError: the configuration cannot be used; when it is made, never later.
        KnitboneError: an argument is of another type.
    """

    def __init__(
        self,
        *,
        name: str = "",
        task: str = "",
        store: RunStore | str | Path | None = None,
        attributes: Mapping[str, Json] | None = None,
        config: Config | None = None,
    ) -> None:
        self._settings: dict[str, Any] = {
            "name": name, "task": task, "store": store, "attributes": attributes,
            "config": config,
        }  # fmt: skip
        _check(self._settings)
        if config is None:
            self._settings["config"] = Config() if is_disabled() else load_config()
        self._config: RecordConfig = self._settings["config"].record
        self._redactor = redactor_of(self._config)
        self._open: _Session | None = None
        self._into: Any = None

    def __call__(self, function: _Function) -> _Function:
        """The function, each call of it recorded as one run."""
        name = self._settings["name"] or getattr(function, "__qualname__", "")

        def begin(_args: tuple[Any, ...], _kwargs: dict[str, Any]) -> _DecoratedCall | None:
            return None if is_disabled() else _DecoratedCall(self._session(name))

        return watch(function, begin)

    def _session(self, name: str) -> _Session:
        return _Session(
            self._config, self._redactor, self._settings["store"], name=name,
            task=self._settings["task"], attributes=dict(self._settings["attributes"] or {}),
        )  # fmt: skip

    def __enter__(self) -> TracedRun:
        if self._open is not None:
            raise KnitboneError(
                "This trace is already open; one object stands for one run at a time.",
                next_step="Write: with knitbone.trace() as run:",
            )
        self._open = self._session(self._settings["name"])
        if self._open.recorder is not None:
            self._into = recording_into(self._open.recorder)
            self._into.__enter__()
        return self._open.run

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        session, self._open = self._open, None
        into, self._into = self._into, None
        if into is not None:
            into.__exit__(None, None, None)
        if session is not None:
            session.close(error)

    async def __aenter__(self) -> TracedRun:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, traceback)


@overload
def trace(function: _Function, /) -> _Function: ...
@overload
def trace(
    *,
    name: str = "",
    task: str = "",
    store: RunStore | str | Path | None = None,
    attributes: Mapping[str, Json] | None = None,
    config: Config | None = None,
) -> Trace: ...
def trace(function: Any = None, /, **settings: Any) -> Any:
    """Record every model call, tool call and retrieval as one run.

    As a context manager (``with`` and ``async with``) the block is the run; as a decorator of a
    function, coroutine function, generator or asynchronous generator each call is one. The traffic
    to the models, the values and the exceptions stay as they are. A trace inside a trace is a run
    of its own, which names the outer one.

    Args:
        name: how lists call the run; by default the decorated function's name.
        task: what the agent was asked, in words; by default it is read from the first model call.
        store: an SQLite file or a store; by default ``record.store`` of the configuration.
        attributes: of the run, under OpenTelemetry's names where there is one.
        config: in place of the configuration files and environment variables.

    Raises:
        ConfigError: the configuration cannot be used.
        KnitboneError: an argument is of another type.
    """
    if function is None:
        return Trace(**settings)
    if not callable(function):
        raise KnitboneError(
            f"knitbone.trace was given {function!r}, which is no function.",
            next_step="Write @knitbone.trace, or knitbone.trace(name=...).",
        )
    return Trace(**settings)(function)


_KINDS: dict[str, tuple[type[Any] | tuple[type[Any], ...], str]] = {
    "name": (str, "a text"),
    "task": (str, "a text"),
    "attributes": (Mapping, "a mapping"),
    "config": (Config, "what knitbone.load_config() gives"),
}


def _check(settings: Mapping[str, object]) -> None:
    """Whoever mistypes an argument learns it here, not by an event that is lost."""
    for name, value in settings.items():
        kind, wanted = _KINDS.get(name, ((str, Path), "a file or a run store"))
        fits = isinstance(value, kind) or (name == "store" and hasattr(value, "begin"))
        if not fits and (value is not None or kind is str):
            raise KnitboneError(
                f"knitbone.trace was given {name}={value!r:.100} ({type(value).__name__}).",
                next_step=f"Give {wanted}.",
            )


class _DecoratedCall:
    """One call of a decorated function."""

    def __init__(self, session: _Session) -> None:
        self._session = session
        self._into: list[Any] = []

    def __enter__(self) -> None:
        if self._session.recorder is not None:
            into = recording_into(self._session.recorder)
            into.__enter__()
            self._into.append(into)

    def __exit__(self, *_: object) -> None:
        if self._into:
            self._into.pop().__exit__(None, None, None)

    def returned(self, value: Any) -> Any:
        """The function is done."""
        self._session.close(None)
        return value

    def raised(self, error: BaseException) -> None:
        """The function has failed."""
        self._session.close(error)


class _Session:
    """From the begin of a run to its end; never raises."""

    def __init__(
        self,
        config: RecordConfig,
        redactor: Any,
        store: RunStore | str | Path | None,
        *,
        name: str,
        task: str,
        attributes: dict[str, Json],
    ) -> None:
        self.recorder: Recorder | None = None
        self._store: OpenStore | None = None
        self._hooked = False
        if not is_disabled():
            try:
                outer = current_recorder()
                if outer is not None:
                    attributes["knitbone.parent_run"] = outer.run_id
                self._store = open_store(config.store if store is None else store)
                self.recorder = start_recording(
                    self._store.store, name=name, task=task, attributes=attributes,
                    redactor=redactor,
                )  # fmt: skip
                self.recorder.state(RunState).prices = config.prices
                install()
                self._hooked = True
            except Exception as error:  # noqa: BLE001 - the agent runs unrecorded
                _say("run not recorded", error)
                self.recorder = None
                self._unhook()
                if self._store is not None:
                    close_store(self._store)
        self.run = TracedRun(self.recorder, config.store if store is None else store)

    def close(self, error: BaseException | None) -> None:
        """End the run; an exception of the agent is recorded."""
        recorder, self.recorder = self.recorder, None
        if recorder is None:
            return
        if not recorder.inherited:  # a fork that leaves the block ends nobody's run
            self._complete(recorder, error)
        self._unhook()
        held, self._store = self._store, None
        ended = partial(_ended, recorder, held)
        if held is None or not held.ours or recorder.inherited:
            failure = None
            try:
                recorder.finish(ended_ns=now_ns())
            except Exception as refusal:  # noqa: BLE001 - the agent goes on
                failure = refusal
            ended(failure)
        else:
            recorder.finish(ended_ns=now_ns(), done=ended)
        self.run.ended = True

    def _complete(self, recorder: Recorder, error: BaseException | None) -> None:
        """The last events, and what is known to be missing."""
        try:
            recorder.state(RunState).close_streams()
            if error is not None:
                self.run.ended_by(error)
            for library, reason in missing_hooks().items():
                _say(f"calls of {library} not recorded", reason)
        except Exception as failure:  # noqa: BLE001 - the agent goes on
            _say(f"the end of run {recorder.run_id} not recorded", failure)

    def _unhook(self) -> None:
        if self._hooked:
            uninstall()
        self._hooked = False


def _ended(recorder: Recorder, held: OpenStore | None, failure: Exception | None) -> None:
    """The run is in the store, or will not be; in the agent's thread, or after a store that
    refused has been waited for."""
    if recorder.inherited:
        return  # what happens in a fork is said where it happens
    events = f"{recorder.lost} event{'' if recorder.lost == 1 else 's'}"
    if not recorder.stored:
        _say(f"run {recorder.run_id} not recorded, nor its {events}", failure)
    else:
        if failure is not None:
            _say(f"run {recorder.run_id} not finished", failure)
        if recorder.lost:
            _say(f"{events} of run {recorder.run_id} lost", recorder.last_error)
    if held is not None:
        close_store(held)


def _verdict(error: BaseException) -> bool | None:
    """Whether an agent that an exception ended has failed. What is no ``Exception`` is no error of
    its own: somebody stopped it, or it ended the program."""
    if isinstance(error, SystemExit):
        return False if error.code else None
    return False if isinstance(error, Exception) else None


def _ends_as_asked(error: BaseException) -> bool:
    """Whether the agent ended as whoever wrote or read it wanted: ``sys.exit(0)``, a generator that
    nobody reads on."""
    if isinstance(error, SystemExit):
        return not error.code
    return isinstance(error, GeneratorExit)


def _reason(error: BaseException) -> str:
    """How an exception ended the agent, in words."""
    kind = type(error).__name__
    words = message_of(error)
    said = f"{kind}: {words}" if words else kind
    return f"raised {said}" if isinstance(error, Exception) else f"ended by {said}"


def _say(what: str, why: object) -> None:
    """Tell whoever started the program; the log is silent until somebody asks for it."""
    log(_logger, logging.ERROR, what, reason=repr(why))
    with suppress(Exception):
        sys.stderr.write(f"knitbone: {what}: {why}\n")
