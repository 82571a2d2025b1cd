"""What happens around one hooked call: where it stands, what is recorded of it.

A call that another hook already stands around is recorded once: a model call inside a model call
is the same call seen by a second library (LangChain calls OpenAI's SDK), and so is a tool call of
the same name seen by a second library (LangChain calls an MCP session). The outer one is kept,
since it has the form that the agent uses.

What is recorded of an inference is in :mod:`.model_calls`, of tools and retrievers in
:mod:`.tool_calls`. Nothing here raises into the application.
"""

from __future__ import annotations

import functools
import logging
from abc import abstractmethod
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any, Literal, TypeVar

from knitbone._logging import get_logger, log
from knitbone.config import is_disabled
from knitbone.record.events import ErrorInfo, Event, Json
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.plain import message_of
from knitbone.record.plain_records import class_of
from knitbone.record.recorder import Recorder, current_recorder
from knitbone.tethering.capture.streams import settle_freed

__all__ = [
    "Execution",
    "Kind",
    "WatchedCall",
    "carry_cause",
    "current_agent",
    "current_cause",
    "error_info",
    "guarded",
    "made_call",
    "previous_call",
    "recorder_for",
]

_logger = get_logger(__name__)
_Result = TypeVar("_Result")
Kind = Literal["model", "tool", "retrieval"]

current_agent: ContextVar[str | None] = ContextVar("knitbone_agent", default=None)
"""Who acts, in a run of several agents."""


class WatchedCall:
    """A call that is being watched, and the cause of what happens inside it: as a context manager
    it stands around the application's code."""

    kind: Kind

    def __init__(self, recorder: Recorder, layer: str, name: str) -> None:
        cause = _cause.get()
        self.id = new_identifier()
        self.layer = layer
        self.name = name
        self.active = True
        self.started_ns = now_ns()
        self.agent = current_agent.get()
        self.parent = cause.id if cause is not None and cause.active else None
        self.recorder = recorder
        self._token: Token[WatchedCall | None] | None = None
        self._before_inside: Token[str | None]

    def __enter__(self) -> WatchedCall:
        self._token = _cause.set(self)
        self._before_inside = _previous.set(_previous.get())
        return self

    def __exit__(self, *_: object) -> None:
        token, self._token = self._token, None
        try:
            if token is not None:
                _cause.reset(token)
                # Calls of an agent inside a tool come before nothing outside of it.
                _previous.reset(self._before_inside)
        except ValueError:  # a generator's step ended in another context than it began in
            _cause.set(None)

    def record(self, event: Event) -> None:
        """The call has ended: what it causes from now on is not its own."""
        self.active = False
        settle_freed()  # those ended before
        self.recorder.record(event)


_cause: ContextVar[WatchedCall | None] = ContextVar("knitbone_cause", default=None)


_previous: ContextVar[str | None] = ContextVar("knitbone_previous_call", default=None)
"""The model call that was made last in this task or thread, or before it was started."""


def made_call(event: str) -> None:
    """A model call begins in this task or thread."""
    _previous.set(event)


def previous_call() -> dict[str, Json]:
    """The attribute that names it; none where there is none."""
    event = _previous.get()
    return {} if event is None else {"knitbone.previous_call": event}


def carry_cause(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, to be called in another thread as caused by what causes this code."""
    cause, previous = _cause.get(), _previous.get()
    if cause is None and previous is None:
        return function

    def carried(*args: Any, **kwargs: Any) -> Any:
        token, before = _cause.set(cause), _previous.set(previous)
        try:
            return function(*args, **kwargs)
        finally:
            _cause.reset(token)
            _previous.reset(before)

    return carried


def guarded(function: Callable[..., _Result]) -> Callable[..., _Result | None]:
    """A function of ours that is called by the application's code: it never raises."""

    @functools.wraps(function)
    def safe(*args: Any, **kwargs: Any) -> _Result | None:
        try:
            return function(*args, **kwargs)
        except Exception:  # noqa: BLE001 - recording must not break what it records
            log(
                _logger, logging.ERROR, "call not recorded", exc_info=True, by=function.__qualname__
            )
            return None

    return safe


def error_info(error: BaseException) -> ErrorInfo:
    """An exception as data; one that cannot be printed is named."""
    return ErrorInfo(type=class_of(error), message=message_of(error))


class Execution(WatchedCall):
    """A call that is recorded when it returns or raises."""

    def returned(self, value: Any) -> Any:
        """Record what the call gave; the same value."""
        self._ended(value, None)
        return value

    def raised(self, error: BaseException) -> None:
        """Record the failure."""
        self._ended(None, error)

    @guarded
    def _ended(self, value: Any, raised: BaseException | None) -> None:
        self.record(self.event(value, None if raised is None else error_info(raised)))

    @abstractmethod
    def event(self, value: Any, error: ErrorInfo | None) -> Event:
        """What is recorded: of the value, or of the error where there is none."""


def recorder_for(kind: Kind) -> Recorder | None:
    """Where a call is recorded that begins now; ``None`` where it is not."""
    recorder = current_recorder()
    if recorder is None or is_disabled():
        return None
    cause = current_cause()
    if kind == "tool" or cause is None or cause.kind != kind:
        return recorder
    return None


def current_cause() -> WatchedCall | None:
    """The call that this code runs in, while it lasts."""
    cause = _cause.get()
    return cause if cause is not None and cause.active else None
