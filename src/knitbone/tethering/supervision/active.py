"""The supervised run that this code is part of: guidance into what the model is asked, corrections
behind what tools return (AgentTether §III.D).

Which run code belongs to is a context variable, as with recordings: tasks and threads keep apart,
and thread pools carry it along. Fail open: an error in here is logged, and what was given goes on
as it was.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import Any, Protocol

from knitbone._logging import get_logger, log
from knitbone.config import is_disabled
from knitbone.record.events import encode_json
from knitbone.tethering.guidance.injection import guided_messages, guided_system
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.supervision.hooks.call_history import RunLedger
from knitbone.tethering.supervision.hooks.table import install, uninstall
from knitbone.tethering.supervision.records import ReturnedCall, SupervisionMode
from knitbone.wire.fields import elements

__all__ = ["Supervised", "carry_supervised", "current", "supervised", "unsupervised"]

_logger = get_logger(__name__)


class RunSupervisor(Protocol):
    """Who judges the run: :class:`knitbone.tethering.supervision.engine.Supervisor`."""

    mode: SupervisionMode

    def tool_returned(self, call: ReturnedCall) -> str | None:
        """Text to append behind the result of a call."""
        ...

    def text_answered(self, text: str, *, alone: bool = False) -> str | None:
        """A user message to go on with; ``None`` accepts the answer. ``alone`` is given where
        nothing was said since the answer before."""
        ...


class Supervised:
    """One supervised run; what an agent with a loop of its own asks.

    Without guidance and supervisor everything passes as it is. No method raises. Thread-safe as
    far as the supervisor is. It goes together with the hooks: what a loop has judged here is not
    judged again by the client that it calls.
    """

    def __init__(
        self, guidance: Guidance | None = None, supervisor: RunSupervisor | None = None
    ) -> None:
        self.guidance = guidance
        self.supervisor = supervisor
        self.ledger = RunLedger()

    @property
    def idle(self) -> bool:
        """Whether there is nothing to say and nobody to judge."""
        guided = self.guidance is not None and bool(self.guidance.text)
        return not guided and (self.supervisor is None or self.supervisor.mode == "off")

    def guided(self, messages: list[Any]) -> list[Any]:
        """Messages for the model (OpenAI's or Anthropic's shape) with the guidance in them.

        The list that was given is untouched; where there is nothing to add it is given back.
        """
        return self._with_guidance(messages, guided_messages)

    def guided_system(self, system: Any) -> Any:
        """Anthropic's ``system`` with the guidance behind it, where its plan wants it there."""
        return self._with_guidance(system, guided_system)

    def _with_guidance(self, given: Any, inject: Callable[[Any, Guidance], Any]) -> Any:
        guidance = self.guidance
        if guidance is None or not guidance.text:
            return given
        try:
            return inject(given, guidance)
        except Exception:  # noqa: BLE001 - no error of ours may reach the agent
            log(_logger, logging.ERROR, "guidance not injected", exc_info=True)
            return given

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
            it is a text, behind a list of content blocks a further block; any other value becomes
            its JSON with the text behind it, and stays as it is where JSON cannot hold it.
        """
        if self.supervisor is None or self.supervisor.mode == "off":
            return result
        call = ReturnedCall(
            tool=tool, arguments=arguments, result=result, error=error, call_id=call_id
        )
        correction = self.judge(call)
        # The text is what such a result is found by where nobody knows the call's identifier.
        text = "" if call_id is not None else result if isinstance(result, str) else _json(result)
        self.ledger.executed(call, correction, text=text or "")
        return result if correction is None else _corrected(result, correction)

    def text_answered(self, text: str, *, alone: bool = False) -> str | None:
        """The model has answered without a tool call, and nobody has taken the answer yet.

        Args:
            alone: nobody has spoken to the model since its last answer, which it was sent itself.

        Returns:
            A user message to go on with; ``None`` accepts the answer.
        """
        if self.ledger.is_judged_text(text):
            return None
        return self.judge_text(text, alone=alone)

    def judge_text(self, text: str, *, alone: bool = False) -> str | None:
        """The same, whoever asked before."""
        supervisor = self.supervisor
        if supervisor is None:
            return None
        try:
            with unsupervised():
                # Supervisors of others need not know the argument before it matters.
                known = {"alone": True} if alone else {}
                return supervisor.text_answered(text, **known)
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
    blocks = list(elements(result))
    if blocks and all(map(_is_block, blocks)):
        return [*blocks, {"type": "text", "text": correction}]
    written = _json(result)
    return result if written is None else written + correction


def _json(value: Any) -> str | None:
    try:
        return encode_json(value).decode("utf-8")
    except Exception:  # noqa: BLE001 - a value of the application's own, of any kind
        return None


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
    if run.idle:
        with _within(None):
            yield run
        return
    install()
    try:
        with _within(run):
            yield run
    finally:
        uninstall()


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
