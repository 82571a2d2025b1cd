"""What happens around one hooked call: where it stands, what is recorded of it.

A call that another hook already stands around is recorded once: a model call inside a model call
is the same call seen by a second library (LangChain calls OpenAI's SDK), and so is a tool call of
the same name seen by a second library (LangChain calls an MCP session). The outer one is kept,
since it has the form that the agent uses.

Nothing here raises into the application.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any, Literal, TypeVar

from knitbone._logging import get_logger, log
from knitbone.config import is_disabled
from knitbone.core.events import (
    Document,
    ErrorInfo,
    Event,
    Json,
    ModelCall,
    Retrieval,
    ToolCall,
    Usage,
)
from knitbone.core.identifiers import new_identifier, now_ns
from knitbone.core.recorder import Recorder, current_recorder
from knitbone.tethering.capture.prices import cost_usd
from knitbone.tethering.capture.reading import Accumulator, Answer, Dialect, Request
from knitbone.tethering.capture.state import RunState
from knitbone.tethering.capture.streams import follow

__all__ = [
    "ModelWatch",
    "RetrievalWatch",
    "ToolWatch",
    "carry_cause",
    "current_agent",
    "guarded",
    "model_watch",
    "retrieval_watch",
    "tool_watch",
]

_logger = get_logger(__name__)
_Result = TypeVar("_Result")
Kind = Literal["model", "tool", "retrieval"]

current_agent: ContextVar[str | None] = ContextVar("knitbone_agent", default=None)
"""Who acts, in a run of several agents."""


class _Call:
    """A call that is being watched, and the cause of what happens inside it."""

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
        self._token: Token[_Call | None] | None = None

    def __enter__(self) -> _Call:
        self._token = _cause.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        token, self._token = self._token, None
        try:
            if token is not None:
                _cause.reset(token)
        except ValueError:  # a generator's step ended in another context than it began in
            _cause.set(None)

    def record(self, event: Event) -> None:
        """The call has ended: what it causes from now on is not its own."""
        self.active = False
        self.recorder.record(event)


_cause: ContextVar[_Call | None] = ContextVar("knitbone_cause", default=None)


def carry_cause(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, to be called in another thread as caused by what causes this code."""
    cause = _cause.get()
    if cause is None:
        return function

    def carried(*args: Any, **kwargs: Any) -> Any:
        token = _cause.set(cause)
        try:
            return function(*args, **kwargs)
        finally:
            _cause.reset(token)

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
    kind = type(error)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    try:
        message = str(error)
    except Exception as failure:  # noqa: BLE001 - untrusted
        message = f"[its text cannot be made: {type(failure).__name__}]"
    return ErrorInfo(type=name, message=message)


class ModelWatch(_Call):
    """One inference, from the request to the end of the answer."""

    kind: Kind = "model"

    def __init__(
        self, recorder: Recorder, layer: str, dialect: Dialect, request: Request, provider: str
    ) -> None:
        super().__init__(recorder, layer, request.model)
        self._dialect = dialect
        self._request = request
        self._provider = provider

    def returned(self, value: Any) -> Any:
        """Record the answer."""
        self.returned_answer(value)
        return value

    @guarded
    def returned_answer(self, value: Any) -> None:
        """Record the answer that the SDK's object, or the JSON of the body, holds."""
        self.answered(self._dialect.answer(value))

    def streamed(self, stream: Any) -> Any:
        """Record the answer as the application consumes it; the stream to give to it."""
        self.active = False  # what the application does between two chunks is not in the call
        followed = self._follow(stream)
        return stream if followed is None else followed

    @guarded
    def _follow(self, stream: Any) -> Any:
        return self.listener().follow(stream)

    def listener(self) -> StreamRecording:
        """Hears the chunks of a stream."""
        return StreamRecording(self, self._dialect.accumulator())

    @guarded
    def raised(self, error: BaseException) -> None:
        """Record the failure."""
        self.answered(Answer(None), error_info(error))

    def answered(
        self, answer: Answer, error: ErrorInfo | None = None, *, unfinished: bool = False
    ) -> None:
        """Record the call with what came of it."""
        request = self._request
        state = self.recorder.state(RunState)
        attributes: dict[str, Json] = {**request.attributes, **answer.attributes}
        if request.tools:
            attributes |= state.tools_note(request.tools, self.id)
        if unfinished:
            attributes["knitbone.stream.unfinished"] = True
        state.asked(self.id, answer.output)
        if error is None and answer.error is not None:
            error = ErrorInfo(type="error in the answer", message=answer.error)
        model = str(attributes.get("gen_ai.response.model") or request.model)
        usage = None
        if answer.input_tokens is not None or answer.output_tokens is not None:
            usage = Usage(
                input_tokens=answer.input_tokens,
                output_tokens=answer.output_tokens,
                cost_usd=cost_usd(
                    state.prices,
                    (model, request.model),
                    answer.input_tokens,
                    answer.output_tokens,
                ),
            )
        self.record(
            ModelCall(
                id=self.id,
                started_ns=self.started_ns,
                ended_ns=now_ns(),
                parent=self.parent,
                agent=self.agent,
                attributes=attributes,
                model=request.model,
                provider=self._provider,
                operation=self._dialect.operation,
                input=request.messages,
                output=answer.output,
                finish_reason=answer.finish_reason,
                usage=usage,
                error=error,
            )
        )


class StreamRecording:
    """Hears one stream and records its call once, at the first of: its end, its failure, that the
    application leaves it, the end of the run."""

    def __init__(self, call: ModelWatch, accumulator: Accumulator) -> None:
        self._call: ModelWatch | None = call
        self._accumulator = accumulator
        self._state = call.recorder.state(RunState)
        self._number = self._state.opened(self.left)

    def follow(self, stream: Any) -> Any:
        """The stream to give to the application."""
        return follow(stream, self)

    @guarded
    def answered(self, value: Any) -> None:
        """It was no stream after all, or was read whole."""
        call, self._call = self._call, None
        if call is not None:
            self._state.closed(self._number)
            call.returned_answer(value)

    @guarded
    def add(self, chunk: Any) -> None:
        """One chunk."""
        if self._call is not None:
            self._accumulator.add(chunk)

    def finished(self) -> None:
        """The stream ended."""
        self._record(None, unfinished=False)

    def failed(self, error: BaseException) -> None:
        """The stream raised."""
        self._record(error, unfinished=True)

    def left(self) -> None:
        """Nobody reads on."""
        self._record(None, unfinished=True)

    @guarded
    def _record(self, error: BaseException | None, *, unfinished: bool) -> None:
        call, self._call = self._call, None
        if call is None:
            return
        self._state.closed(self._number)
        info = error_info(error) if error is not None else None
        call.answered(self._accumulator.answer(), info, unfinished=unfinished)


class ToolWatch(_Call):
    """One execution of a tool.

    Args:
        read: from what the tool gave, the result and what it says went wrong.
    """

    kind: Kind = "tool"

    def __init__(
        self,
        recorder: Recorder,
        layer: str,
        name: str,
        arguments: Json,
        call_id: str | None,
        read: Callable[[Any], tuple[Json, ErrorInfo | None]],
    ) -> None:
        super().__init__(recorder, layer, name)
        self._arguments = arguments
        self._read = read
        asker, self._call_id = recorder.state(RunState).claim(name, arguments, call_id)
        self.parent = asker or self.parent

    def returned(self, value: Any) -> Any:
        """Record the result."""
        self._ended(value, None)
        return value

    def raised(self, error: BaseException) -> None:
        """Record the failure."""
        self._ended(None, error)

    @guarded
    def _ended(self, value: Any, raised: BaseException | None) -> None:
        result, error = self._read(value) if raised is None else (None, error_info(raised))
        self.record(
            ToolCall(
                id=self.id,
                started_ns=self.started_ns,
                ended_ns=now_ns(),
                parent=self.parent,
                agent=self.agent,
                name=self.name,
                call_id=self._call_id,
                arguments=self._arguments,
                result=result,
                error=error,
            )
        )


class RetrievalWatch(_Call):
    """One query to a retriever."""

    kind: Kind = "retrieval"

    def __init__(
        self,
        recorder: Recorder,
        source: str,
        query: str,
        read: Callable[[Any], tuple[Document, ...]],
    ) -> None:
        super().__init__(recorder, "retriever", source)
        self._query = query
        self._read = read

    def returned(self, value: Any) -> Any:
        """Record what was found."""
        self._ended(value, None)
        return value

    def raised(self, error: BaseException) -> None:
        """Record the failure."""
        self._ended(None, error)

    @guarded
    def _ended(self, value: Any, raised: BaseException | None) -> None:
        attributes: dict[str, Json] = {}
        if raised is not None:
            info = error_info(raised)
            attributes = {"error.type": info.type, "error.message": info.message}
        self.record(
            Retrieval(
                id=self.id,
                started_ns=self.started_ns,
                ended_ns=now_ns(),
                parent=self.parent,
                agent=self.agent,
                attributes=attributes,
                query=self._query,
                source=self.name,
                documents=self._read(value) if raised is None else (),
            )
        )


def _recorder_for(kind: Kind) -> Recorder | None:
    """Where a call is recorded that begins now; ``None`` where it is not."""
    recorder = current_recorder()
    if recorder is None or is_disabled():
        return None
    cause = _cause.get()
    if kind == "tool" or cause is None or not cause.active or cause.kind != kind:
        return recorder
    return None


@guarded
def model_watch(
    layer: str,
    provider: str,
    dialect: Dialect,
    request: Callable[[], Request],
    *,
    made: type[ModelWatch] = ModelWatch,
) -> ModelWatch | None:
    """Watch a model call that begins now, unless a library above has it already."""
    recorder = _recorder_for("model")
    if recorder is None:
        return None
    return made(recorder, layer, dialect, request(), provider)


@guarded
def tool_watch(
    layer: str,
    name: str,
    arguments: Callable[[], Json],
    *,
    call_id: str | None = None,
    read: Callable[[Any], tuple[Json, ErrorInfo | None]] = lambda value: (value, None),
) -> ToolWatch | None:
    """Watch a tool call that begins now, unless a library above has it already."""
    recorder = _recorder_for("tool")
    if recorder is None:
        return None
    cause = _cause.get()
    if (
        cause is not None
        and cause.active
        and cause.kind == "tool"
        and cause.layer != layer
        and _same_tool(cause.name, name)
    ):
        return None
    return ToolWatch(recorder, layer, name, arguments(), call_id, read)


def _same_tool(outer: str, inner: str) -> bool:
    """Whether two names are one tool's: the outer one may carry its server's name in front."""
    return outer == inner or (outer.endswith(inner) and outer[-len(inner) - 1] in "_-./:")


@guarded
def retrieval_watch(
    source: str, query: str, read: Callable[[Any], tuple[Document, ...]]
) -> RetrievalWatch | None:
    """Watch a query to a retriever, unless a retriever above passes it on."""
    recorder = _recorder_for("retrieval")
    return None if recorder is None else RetrievalWatch(recorder, source, query, read)
