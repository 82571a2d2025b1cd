"""A middleware for LangChain's ``create_agent``: guidance and answers around the model, corrections
where tools return, so that they are in the agent's state."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Awaitable, Callable
from typing import Any

from knitbone.errors import MissingExtraError
from knitbone.tethering.capture.langchain_messages import LANGCHAIN
from knitbone.tethering.capture.protocol import text_of
from knitbone.tethering.supervision.active import Supervised, current, unsupervised
from knitbone.tethering.supervision.hooks.asking import accepted, accepted_async, judged_aside
from knitbone.tethering.supervision.hooks.guarding import guarded
from knitbone.tethering.supervision.hooks.langchain_messages import (
    LANGCHAIN_MESSAGES,
    guided_langchain,
)
from knitbone.tethering.supervision.hooks.turn import ModelTurn, judged_once
from knitbone.tethering.supervision.records import ReturnedCall
from knitbone.wire.fields import elements, field, word

__all__ = ["SupervisionMiddleware"]


class SupervisionMiddleware:
    """A middleware that supervises the agent it is given to; an ``AgentMiddleware`` of LangChain.

    Args:
        run: as ``supervised()`` gives it; by default each call belongs to the run that it is part
            of.

    Raises:
        MissingExtraError: ``langchain`` is not installed.
    """

    def __new__(cls, run: Supervised | None = None) -> SupervisionMiddleware:
        """An object that has LangChain's base class, too, which is loaded with the first one."""
        del run
        return object.__new__(_with_base(cls))

    def __init__(self, run: Supervised | None = None) -> None:
        super().__init__()
        self._run = run

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Guidance and corrections in; an answer that is sent back is not the agent's."""
        run = self._run or current()
        call = None if run is None else _begin(run, request)
        if call is None:
            return handler(request)

        def send() -> Any:
            with unsupervised():
                return handler(call.sent())

        return accepted(call, send(), send)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same of an asynchronous call."""
        run = self._run or current()
        call = None if run is None else await judged_aside(run, lambda: _begin(run, request))
        if call is None:
            return await handler(request)

        async def send() -> Any:
            with unsupervised():
                return await handler(call.sent())

        return await accepted_async(call, await send(), send)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """A correction behind what the tool gave."""
        result = handler(request)
        run = self._run or current()
        corrected = None if run is None else _corrected(run, request, result)
        return result if corrected is None else corrected

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same of an asynchronous call."""
        result = await handler(request)
        run = self._run or current()
        if run is None:
            return result
        corrected = await judged_aside(run, lambda: _corrected(run, request, result))
        return result if corrected is None else corrected


@functools.cache
def _with_base(middleware: type[SupervisionMiddleware]) -> type[SupervisionMiddleware]:
    try:
        library: Any = importlib.import_module("langchain.agents.middleware")
    except ImportError as error:
        raise MissingExtraError(
            "The middleware needs the package langchain, which is not installed.",
            next_step="pip install langchain",
        ) from error
    if issubclass(middleware, library.AgentMiddleware):
        return middleware
    bases = (middleware, library.AgentMiddleware)
    return type(middleware.__name__, bases, {"__module__": middleware.__module__})


@guarded
def _begin(run: Supervised, request: Any) -> _MiddlewareCall:
    return _MiddlewareCall(run, request)


class _MiddlewareCall:
    """One request of the agent to its model, with the further ones that it becomes."""

    def __init__(self, run: Supervised, request: Any) -> None:
        self._request = request
        choice = request.tool_choice
        offered = bool(request.tools) and choice != "none" and field(choice, "type") != "none"
        self.turn = ModelTurn(run, LANGCHAIN_MESSAGES, request.messages, offered=offered)

    def sent(self) -> Any:
        """The request with what is changed."""
        run, changes = self.turn.run, dict[str, Any]()
        messages = [*self.turn.messages, *self.turn.added]
        if run.guidance is not None and run.guidance.plan.place == "system text":
            system = self._request.system_message  # it stands apart from the messages
            held = "" if system is None else system.content
            made: Any = importlib.import_module("langchain_core.messages").SystemMessage
            changes["system_message"] = made(content=run.guided_system(held))
        else:
            messages = guided_langchain(run, messages)
        return self._request.override(messages=messages, **changes)

    @guarded
    def is_sent_back(self, response: Any) -> bool:
        """Whether to ask again in place of this answer."""
        result = field(response, "result")
        message = next((m for m in elements(result) if field(m, "type") == "ai"), response)
        return self.turn.answered(LANGCHAIN.answer(message).output)


@guarded
def _corrected(run: Supervised, request: Any, result: Any) -> Any:
    """The tool's message with a correction behind it; nothing where there is none. What else a tool
    may give, a command to the graph, is judged where the model is asked next."""
    if run.supervisor is None or field(result, "type") != "tool":
        return None
    asked, text = request.tool_call, text_of(result.content)
    call = ReturnedCall(
        tool=word(field(asked, "name")) or "unknown",
        arguments=field(asked, "args"),
        result=text,
        error=text if field(result, "status") == "error" else None,
        call_id=word(field(asked, "id")),
    )
    correction = judged_once(run, call, text)
    run.ledger.executed(call, correction, text=text)
    return None if correction is None else LANGCHAIN_MESSAGES.corrected(result, {0: correction})
