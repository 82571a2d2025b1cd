"""The supervised run that this code is part of: guidance into what the model is asked, corrections
behind what tools return (AgentTether §III.D).

Which run code belongs to is a context variable, as with recordings: tasks and threads keep apart,
and thread pools carry it along. Fail open: an error in here is logged, and what was given goes on
as it was.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any, Protocol, cast

from knitbone._logging import get_logger, log
from knitbone.config import is_disabled
from knitbone.record.events import encode_json
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.supervision.records import ReturnedCall, SupervisionMode

__all__ = [
    "RunSupervisor",
    "Supervised",
    "carry_supervised",
    "current",
    "supervised",
    "unsupervised",
]

_logger = get_logger(__name__)


class RunSupervisor(Protocol):
    """Who judges the run: :class:`knitbone.tethering.supervision.engine.Supervisor`."""

    mode: SupervisionMode

    def tool_returned(self, call: ReturnedCall) -> str | None:
        """Text to append behind the result of a call."""
        ...

    def text_answered(self, text: str) -> str | None:
        """A user message to go on with; ``None`` accepts the answer."""
        ...


class Supervised:
    """One supervised run; what an agent with a loop of its own asks.

    Without guidance and supervisor everything passes as it is. No method raises. Thread-safe as
    far as the supervisor is.
    """

    def __init__(
        self, guidance: Guidance | None = None, supervisor: RunSupervisor | None = None
    ) -> None:
        self.guidance = guidance
        self.supervisor = supervisor

    @property
    def idle(self) -> bool:
        """Whether there is nothing to say and nobody to judge."""
        guided = self.guidance is not None and bool(self.guidance.text)
        return not guided and (self.supervisor is None or self.supervisor.mode == "off")

    def guided(self, messages: list[Any]) -> list[Any]:
        """Messages for the model (OpenAI's or Anthropic's shape) with the guidance in them.

        The list that was given is untouched; where there is nothing to add it is given back.
        """
        guidance = self.guidance
        if guidance is None or not guidance.text:
            return messages
        try:
            injection = importlib.import_module("knitbone.tethering.guidance.injection")
            return cast("list[Any]", injection.guided_messages(messages, guidance))
        except Exception:  # noqa: BLE001 - no error of ours may reach the agent
            log(_logger, logging.ERROR, "guidance not injected", exc_info=True)
            return messages

    def tool_returned(
        self,
        tool: str,
        arguments: Any,
        result: Any,
        error: str | None = None,
        call_id: str | None = None,
    ) -> Any:
        """A tool has returned, and the model has not seen it yet.

        Args:
            error: in words, where the call failed.
            call_id: by which the model names the call.

        Returns:
            What the model gets: the result itself, or with a correction behind it. Behind a text
            it is a text, behind a list of content blocks a further block; anything else becomes
            its JSON with the text behind it.
        """
        correction = self.judge(
            ReturnedCall(
                tool=tool, arguments=arguments, result=result, error=error, call_id=call_id
            )
        )
        return result if correction is None else _corrected(result, correction)

    def text_answered(self, text: str) -> str | None:
        """The model has answered without a tool call, and nobody has taken the answer yet.

        Returns:
            A user message to go on with; ``None`` accepts the answer.
        """
        supervisor = self.supervisor
        if supervisor is None:
            return None
        try:
            with unsupervised():
                return supervisor.text_answered(text)
        except Exception:  # noqa: BLE001 - see above
            log(_logger, logging.ERROR, "answer not supervised", exc_info=True)
            return None

    def judge(self, call: ReturnedCall) -> str | None:
        """What is to be said behind a call's result."""
        supervisor = self.supervisor
        if supervisor is None:
            return None
        try:
            with unsupervised():
                return supervisor.tool_returned(call)
        except Exception:  # noqa: BLE001 - see above
            log(_logger, logging.ERROR, "call not supervised", exc_info=True)
            return None


def _corrected(result: Any, correction: str) -> Any:
    if result is None:
        return correction
    if isinstance(result, str):
        return result + correction
    blocks = cast("list[Any]", result) if isinstance(result, list) else []
    if blocks and all(map(_is_block, blocks)):
        return [*blocks, {"type": "text", "text": correction}]
    try:
        return encode_json(result).decode("utf-8") + correction
    except Exception:  # noqa: BLE001 - a value of the application's own, of any kind
        log(_logger, logging.ERROR, "correction not appended", exc_info=True)
        return result


def _is_block(part: Any) -> bool:
    return isinstance(part, Mapping) and "type" in part


_current: ContextVar[Supervised | None] = ContextVar("knitbone_supervised", default=None)


def current() -> Supervised | None:
    """The supervised run that this code is part of; ``None`` where nothing is to be done."""
    return _current.get()


@contextmanager
def supervised(
    guidance: Guidance | None = None, supervisor: RunSupervisor | None = None
) -> Generator[Supervised]:
    """The block is one supervised run.

    While it lasts, the model clients of this task or thread, and of those started from it, inject
    the guidance and have tool results and answers judged. A block inside a block is a run of its
    own. With neither guidance nor supervisor, and while ``KNITBONE_DISABLED`` is set, nothing is
    hooked and everything passes as it is.
    """
    run = Supervised() if is_disabled() else Supervised(guidance, supervisor)
    with _within(None if run.idle else run):
        yield run


@contextmanager
def unsupervised() -> Generator[None]:
    """The block belongs to no supervised run: the supervisor's own model calls are not the
    agent's."""
    with _within(None):
        yield


@contextmanager
def _within(run: Supervised | None) -> Generator[None]:
    token = _current.set(run)
    try:
        yield
    finally:
        _leave(token, run)


def _leave(token: Token[Supervised | None], entered: Supervised | None) -> None:
    try:
        _current.reset(token)
    except ValueError:
        # Left in another context than entered, such as a fixture's that runs in two tasks.
        if _current.get() is entered:
            _current.set(None)


def carry_supervised(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, to be called in another thread as part of the run that this code is in."""
    run = _current.get()
    if run is None:
        return function

    def carried(*args: Any, **kwargs: Any) -> Any:
        with _within(run):
            return function(*args, **kwargs)

    return carried
