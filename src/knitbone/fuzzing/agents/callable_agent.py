"""Any callable that uses tools as an agent under test, recorded while it works.

What it does with the tools is seen by the tools themselves; its model calls are seen by whatever
records the block: a recorder of our own, or ``knitbone.trace``, whose hooks know the libraries.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol, cast

import msgspec

from knitbone.errors import ConfigError, ModelError
from knitbone.fuzzing.agents.dialogue import STYLES
from knitbone.fuzzing.agents.records import AgentResult, AgentTool, AgentUnderTest, ToolReply
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.loading.object_names import named_object
from knitbone.models.chat import ToolSpec
from knitbone.record.events import Event, Message, ModelCall, Outcome, Run, ToolCall
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.plain import message_of
from knitbone.record.recorder import recording_into, start_recording
from knitbone.record.redaction import Redactor

__all__ = ["CallableAgent", "OfferedTool", "OpenTrace", "StepsUsedUpError", "load_agent"]


class RecordedTrace(Protocol):
    """What a trace gives its block: ``knitbone.trace`` does."""

    def recorded(self) -> Run:
        """The run as it was recorded."""
        ...


class OpenTrace(Protocol):
    """Opens a trace of one run: ``knitbone.trace``, or a partial of it with a store."""

    def __call__(self, *, name: str, task: str) -> AbstractContextManager[RecordedTrace]: ...


class StepsUsedUpError(Exception):
    """What a callable raises where it gave up after its number of steps."""


class OfferedTool:
    """A tool as the callable is given it: a function of keyword arguments that returns text."""

    def __init__(self, tool: AgentTool, watch: Callable[[ToolCall], None]) -> None:
        self._tool = tool
        self._watch = watch
        self.__name__ = tool.spec.name
        self.__doc__ = tool.spec.description

    @property
    def spec(self) -> ToolSpec:
        """Name, documentation and schema of the arguments."""
        return self._tool.spec

    def __call__(self, **arguments: Any) -> str:
        """Use the tool; a failure is told as text, never raised."""
        began = now_ns()
        reply: ToolReply = self._tool.call(arguments)
        self._watch(
            ToolCall(
                id=new_identifier(), started_ns=began, ended_ns=now_ns(), name=self.__name__,
                arguments=arguments, result=reply.text, error=reply.error,
            )
        )  # fmt: skip
        return reply.text


class CallableAgent:
    """A callable as an ``AgentUnderTest``.

    Args:
        function: from a query and the tools to the answer. Each tool is a function of keyword
            arguments with the tool's name and documentation, and with ``spec``.
        name: the agent and its model, as reports show them.
        trace: opens the recording of one run, such as ``knitbone.trace``; by default only what
            knitbone's own models do is recorded beside the tool calls.
    """

    def __init__(
        self,
        function: Callable[[str, Sequence[OfferedTool]], str | None],
        *,
        name: str,
        trace: OpenTrace | None = None,
    ) -> None:
        self._function = function
        self._name = name
        self._trace = trace

    @property
    def name(self) -> str:
        return self._name

    def work(
        self, query: str, tools: Sequence[AgentTool], *, budget: CampaignBudget | None = None
    ) -> AgentResult:
        """Answer one query with the tools; see ``AgentUnderTest.work``.

        A callable that raises anything but a ``ModelError`` has ``failed``. The budget is asked
        before the run and charged after it.
        """
        began = now_ns()
        if budget is not None and (reason := budget.refusal()) is not None:
            return _finished(
                Run(id=new_identifier(), started_ns=began), query, [], "budget", reason
            )
        calls: list[ToolCall] = []
        guard = threading.Lock()

        def watch(call: ToolCall) -> None:
            with guard:
                calls.append(call)

        offered = [OfferedTool(tool, watch) for tool in tools]
        with _Recording(self._trace, self._name, query) as recording:
            answer, stopped, reason = self._answered(query, offered)
        run = recording.run()
        if budget is not None:
            for event in run.events:
                if isinstance(event, ModelCall) and event.usage is not None:
                    budget.charge(event.usage)
        return _finished(run, query, calls, stopped, reason, answer)

    def _answered(
        self, query: str, tools: Sequence[OfferedTool]
    ) -> tuple[str | None, Literal["answered", "steps", "failed"], str]:
        try:
            answer = self._function(query, tools)
        except ModelError:
            raise
        except StepsUsedUpError as error:
            return None, "steps", str(error)
        except Exception as error:  # noqa: BLE001 - the agent is under test: its failure is a result
            return None, "failed", f"{type(error).__name__}: {message_of(error)}"
        return (None if answer is None else str(answer)), "answered", ""


class _Recording:
    """One run, recorded by the caller's trace or into memory."""

    def __init__(self, trace: OpenTrace | None, name: str, query: str) -> None:
        self._sink = _Memory()
        self._traced: RecordedTrace | None = None
        self._block: AbstractContextManager[Any]
        if trace is None:
            recorder = start_recording(self._sink, name=name, task=query, redactor=Redactor())
            self._block = recording_into(recorder)
        else:
            self._block = trace(name=name, task=query)

    def __enter__(self) -> _Recording:
        self._traced = self._block.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._block.__exit__(*error)

    def run(self) -> Run:
        """What was recorded."""
        return self._sink.run if self._traced is None else self._traced.recorded()


class _Memory:
    """A sink of one run."""

    def __init__(self) -> None:
        self.run = Run(id="", started_ns=0)

    def begin(self, run: Run) -> None:
        self.run = run

    def append(self, run_id: str, event: Event) -> None:  # noqa: ARG002 - of a sink
        self.run = msgspec.structs.replace(self.run, events=(*self.run.events, event))

    def finish(self, run_id: str, *, ended_ns: int) -> None:  # noqa: ARG002 - of a sink
        self.run = msgspec.structs.replace(self.run, ended_ns=ended_ns)


def _finished(
    run: Run,
    query: str,
    calls: Sequence[ToolCall],
    stopped: Literal["answered", "steps", "budget", "failed"],
    reason: str,
    answer: str | None = None,
) -> AgentResult:
    """The result; a tool call that the trace saw as well is there once, as the tool saw it."""
    ours = {call.name for call in calls}
    others = [e for e in run.events if not (isinstance(e, ToolCall) and e.name in ours)]
    events: list[Event] = sorted([*others, *calls], key=lambda event: event.started_ns)
    if not any(isinstance(event, Message) for event in events):
        events.insert(
            0, Message(id=new_identifier(), started_ns=run.started_ns, role="user", content=query)
        )
    if not any(isinstance(event, Outcome) for event in events):
        events.append(Outcome(id=new_identifier(), started_ns=now_ns(), reason=reason))
    whole = msgspec.structs.replace(run, task=query, ended_ns=now_ns(), events=tuple(events))
    return AgentResult(run=whole, answer=answer, stopped=stopped)


_CALLED_WITH = 2
"""What an agent that is a function is called with: query and tools."""


def load_agent(name: str) -> AgentUnderTest:
    """The agent under test that ``module:name`` names: an object with ``name`` and ``work``, a
    function without parameters that makes one, or a function of query and tools that answers
    (``CallableAgent``).

    Raises:
        ConfigError: there is none.
    """
    known = f"Known: {', '.join(STYLES)}, or module:name of an agent of your own."
    if ":" not in name.strip(":"):
        raise ConfigError(f"There is no agent {name!r}.", next_step=known)
    try:
        found = named_object(name)
        if inspect.isfunction(found) and found.__code__.co_argcount == _CALLED_WITH:
            return CallableAgent(found, name=name)
        made: Any = found() if inspect.isfunction(found) or inspect.isclass(found) else found
    except Exception as error:
        raise ConfigError(
            f"The agent {name!r} cannot be loaded: {type(error).__name__}: {error}.",
            next_step=known,
        ) from error
    if not callable(getattr(made, "work", None)) or not isinstance(
        getattr(made, "name", None), str
    ):
        raise ConfigError(
            f"The agent {name!r} has no method 'work' and name: it is a {type(made).__name__}.",
            next_step="See knitbone.fuzzing.agents.AgentUnderTest.",
        )
    return cast("AgentUnderTest", made)
