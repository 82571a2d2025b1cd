"""One attempt at a task: the real model's agent, the task's tools with the words of one arm."""

from __future__ import annotations

import contextlib
import fcntl
import json
import shutil
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

import msgspec

from knitbone.errors import ModelError
from knitbone.fuzzing.agents import AgentResult, ModelAgent
from knitbone.fuzzing.agents.written_calls import read_written_calls
from knitbone.fuzzing.returned_errors import reads_as_error
from knitbone.models.chat import ChatModel, Completion, ToolSpec
from knitbone.record.events import ChatMessage, Json, ToolCall
from knitbone_evals.agent_tasks import open_environment, succeeded
from knitbone_evals.agent_tasks.tools.tool import Tool
from knitbone_evals.fix.tasks.study import Case

__all__ = ["MAX_STEPS", "Attempt", "Words", "attempt", "documented", "judged_calls", "locked"]

REPEATED = "(the same calls again)"
MAX_STEPS = 4
"""Model calls that an attempt may take; one answer may hold several tool calls."""
_WORK = Path("/tmp/fmb")
"""Tools tell paths, and models use them: the same path in every run, so that answers fit."""


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool says of itself; arguments that are not named keep their descriptions."""

    description: str
    arguments: dict[str, str] = {}


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one task in one arm."""

    task: str
    kit: str
    arm: str
    passed: bool
    reason: str
    """What differs from the state that was asked for."""
    accepted: int
    """Different calls that the tool took."""
    calls: int
    """Different calls."""
    ended: str

    @property
    def share(self) -> float:
        """Accepted calls of all; 0 where none was made."""
        return self.accepted / self.calls if self.calls else 0.0

    @property
    def clean(self) -> bool:
        """Whether calls were made, and all of them taken."""
        return 0 < self.calls == self.accepted


class _Impatient:
    """A model whose answer ends the attempt where it holds only calls that were made before.

    Small models repeat themselves until the steps are used up: the rest would tell nothing new.
    """

    def __init__(self, model: ChatModel) -> None:
        self.name, self._model = model.name, model
        self._made: set[str] = set()

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Json] | None = None,
    ) -> Completion:
        completion = await self._model.complete(messages, tools=tools, schema=schema)
        calls = completion.message.tool_calls
        if not calls and (written := read_written_calls(completion.text, tools or ())):
            calls = written.calls
        wanted = {json.dumps([call.name, call.arguments]) for call in calls}
        if wanted and wanted <= self._made:
            said = ChatMessage(role="assistant", content=REPEATED)
            return msgspec.structs.replace(completion, message=said)
        self._made |= wanted
        return completion


def documented(tools: Sequence[Tool], words: Mapping[str, Words]) -> tuple[Tool, ...]:
    """The tools with other words; those that are not named keep theirs. Of another tool's words
    what is said of arguments that this one has not is left out: a schema has no place for it."""
    return tuple(_documented(tool, words.get(tool.name)) for tool in tools)


def _documented(tool: Tool, words: Words | None) -> Tool:
    if words is None:
        return tool
    known = tool.spec.parameters["properties"]
    arguments = {name: text for name, text in words.arguments.items() if name in known}
    return tool.documented(words.description, arguments)


def attempt(
    case: Case, arm: str, words: Mapping[str, Words], model: ChatModel
) -> tuple[Attempt, AgentResult | None]:
    """Let the agent work on the task; a model that fails in between has not solved it."""
    parent = _WORK / model.name.replace(" ", "_")
    parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        stack.enter_context(locked(parent / f"{case.task.name}.lock"))
        shutil.rmtree(parent / case.task.name, ignore_errors=True)  # of a run that was killed
        environment = stack.enter_context(open_environment(case.task, case.kit, parent=parent))
        tools = documented(environment.tools, words)
        agent = ModelAgent(_Impatient(model), style="tool-calling", max_steps=MAX_STEPS)
        try:
            result = agent.work(case.task.request, tools)
        except ModelError as error:
            result, ended = None, error.message[:100]
        else:
            ended = "repeated itself" if result.answer == REPEATED else result.stopped
        verdict = succeeded(case.task, environment)
    calls = judged_calls(result) if result is not None else []
    made = Attempt(
        task=case.task.name, kit=case.kit, arm=arm, passed=bool(verdict) and result is not None,
        reason=verdict.reason[:200], accepted=sum(taken for _, taken in calls),
        calls=len(calls), ended=ended,
    )  # fmt: skip
    return made, result


def judged_calls(result: AgentResult) -> list[tuple[ToolCall, bool]]:
    """The different calls of a run, each with whether the tool took the arguments: nothing was
    raised, and what it told is no error. What was said first counts."""
    found: dict[str, tuple[ToolCall, bool]] = {}
    for event in result.run.events:
        if isinstance(event, ToolCall) and (event.error is None or event.error.type != "NotCalled"):
            taken = event.error is None and not reads_as_error(str(event.result))
            found.setdefault(json.dumps([event.name, event.arguments]), (event, taken))
    return list(found.values())


@contextlib.contextmanager
def locked(path: Path) -> Generator[None]:
    """Others who lock the same file wait."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
