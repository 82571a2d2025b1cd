"""An agent's run: ask the model -> read what it wants -> use the tools -> ask again.

Every step is an event of a ``Run``, so that whatever reads runs can read this one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from knitbone.errors import KnitboneError, ModelError
from knitbone.fuzzing.agents.dialogue import AgentStyle, Dialogue, open_dialogue
from knitbone.fuzzing.agents.records import AgentResult, AgentTool, AgentTurn, ToolReply
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.models.chat import ChatModel
from knitbone.record.events import (
    ErrorInfo,
    Event,
    Json,
    Message,
    ModelCall,
    Outcome,
    Run,
    ToolCall,
    ToolCallRequest,
)
from knitbone.record.identifiers import Clock, IdentifierSource, new_identifier, now_ns
from knitbone.record.recorder import current_recorder

__all__ = ["ModelAgent", "run_agent", "run_agent_sync"]

_CALLS_A_STEP = 8
"""Tool calls that one answer of the model may ask for."""


async def run_agent(
    model: ChatModel,
    tools: Sequence[AgentTool],
    query: str,
    *,
    style: AgentStyle = "react",
    max_steps: int = 6,
    budget: CampaignBudget | None = None,
    clock: Clock = now_ns,
    identifiers: IdentifierSource = new_identifier,
) -> AgentResult:
    """Let an agent work on a user's query.

    Args:
        max_steps: model calls that it may make.
        budget: asked before each model call, and charged with it.

    Raises:
        ModelError: the model could not be asked; the events until then go to the recorder, if
            one is active.
    """
    agent = _Agent(model, tools, style, clock, identifiers)
    return await agent.work(query, max_steps, budget)


def run_agent_sync(
    model: ChatModel,
    tools: Sequence[AgentTool],
    query: str,
    *,
    style: AgentStyle = "react",
    max_steps: int = 6,
    budget: CampaignBudget | None = None,
) -> AgentResult:
    """``run_agent`` for code that is not asynchronous.

    Raises:
        KnitboneError: an event loop is running in this thread.
        ModelError: as ``run_agent``.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(
            run_agent(model, tools, query, style=style, max_steps=max_steps, budget=budget)
        )
    raise KnitboneError(
        "run_agent_sync was called inside a running event loop.",
        next_step="Use: await run_agent(...)",
    )


class ModelAgent:
    """One of the built-in agents, with its model: an ``AgentUnderTest``."""

    def __init__(
        self, model: ChatModel, *, style: AgentStyle = "react", max_steps: int = 6
    ) -> None:
        self._model = model
        self._style: AgentStyle = style
        self._max_steps = max_steps

    @property
    def name(self) -> str:
        return f"{self._style} / {self._model.name}"

    def work(
        self, query: str, tools: Sequence[AgentTool], *, budget: CampaignBudget | None = None
    ) -> AgentResult:
        """Answer one query with the tools.

        Raises:
            KnitboneError, ModelError: as ``run_agent_sync``.
        """
        return run_agent_sync(
            self._model,
            tools,
            query,
            style=self._style,
            max_steps=self._max_steps,
            budget=budget,
        )


class _Agent:
    """One run of an agent."""

    def __init__(
        self,
        model: ChatModel,
        tools: Sequence[AgentTool],
        style: AgentStyle,
        clock: Clock,
        identifiers: IdentifierSource,
    ) -> None:
        self._model = model
        self._tools: Mapping[str, AgentTool] = {tool.spec.name: tool for tool in tools}
        self._style: AgentStyle = style
        self._clock = clock
        self._new = identifiers
        self._events: list[Event] = []

    async def work(self, query: str, max_steps: int, budget: CampaignBudget | None) -> AgentResult:
        started = self._clock()
        self._add(Message(id=self._new(), started_ns=started, role="user", content=query))
        dialogue = open_dialogue(self._style, query, [t.spec for t in self._tools.values()])
        for _ in range(max_steps):
            if budget is not None and (reason := budget.refusal()) is not None:
                return self._finish(query, started, "budget", reason)
            asked, turn = await self._ask(dialogue, budget)
            if turn.answer is not None:
                return self._finish(query, started, "answered", "", answer=turn.answer)
            if turn.complaint:
                dialogue.complain(turn.complaint)
            for number, call in enumerate(turn.calls):
                dialogue.observe(call, await self._use(call, asked, number))
        return self._finish(query, started, "steps", f"no answer after {max_steps} steps")

    async def _ask(
        self, dialogue: Dialogue, budget: CampaignBudget | None
    ) -> tuple[str, AgentTurn]:
        """One model call; its event's identifier, and what the model wants."""
        identifier, began = self._new(), self._clock()
        asked = tuple(dialogue.messages)
        try:
            completion = await self._model.complete(asked, tools=dialogue.tools)
        except ModelError as error:
            told = ErrorInfo(type=type(error).__name__, message=error.message)
            self._add(
                ModelCall(
                    id=identifier,
                    started_ns=began,
                    ended_ns=self._clock(),
                    agent=self._style,
                    model=self._model.name,
                    input=asked,
                    error=told,
                )
            )
            raise
        if budget is not None:
            budget.charge(completion.usage)
        self._add(
            ModelCall(
                id=identifier,
                started_ns=began,
                ended_ns=self._clock(),
                agent=self._style,
                model=completion.model or self._model.name,
                input=asked,
                output=completion.message,
                finish_reason=completion.finish_reason,
                usage=completion.usage,
            )
        )
        return identifier, dialogue.read(completion)

    async def _use(self, call: ToolCallRequest, asked: str, number: int) -> str:
        identifier, began = self._new(), self._clock()
        reply = await self._reply(call, number)
        self._add(
            ToolCall(
                id=identifier,
                started_ns=began,
                ended_ns=self._clock(),
                parent=asked,
                agent=self._style,
                name=call.name,
                call_id=call.call_id,
                arguments=call.arguments,
                result=reply.text,
                error=reply.error,
            )
        )
        return reply.text

    async def _reply(self, call: ToolCallRequest, number: int) -> ToolReply:
        if number >= _CALLS_A_STEP:
            return _refused(f"only {_CALLS_A_STEP} tool calls are allowed at a time")
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(self._tools)
            return _refused(f"there is no tool {call.name[:100]!r}; the tools are: {known}")
        arguments: Any = call.arguments
        if not isinstance(arguments, dict):
            return _refused("the arguments are not one JSON object")
        return await asyncio.to_thread(tool.call, cast("dict[str, Json]", arguments))

    def _finish(
        self,
        query: str,
        started: int,
        stopped: Literal["answered", "steps", "budget"],
        reason: str,
        *,
        answer: str | None = None,
    ) -> AgentResult:
        ended = self._clock()
        self._add(Outcome(id=self._new(), started_ns=ended, reason=reason))
        attributes: dict[str, Json] = {"knitbone.agent.style": self._style}
        run = Run(
            id=self._new(),
            name=f"{self._style} agent",
            task=query,
            started_ns=started,
            ended_ns=ended,
            attributes=attributes,
            events=tuple(self._events),
        )
        return AgentResult(run=run, answer=answer, stopped=stopped)

    def _add(self, event: Event) -> None:
        self._events.append(event)
        if (recorder := current_recorder()) is not None:
            recorder.record(event)


def _refused(reason: str) -> ToolReply:
    return ToolReply(text=f"Error: {reason}.", error=ErrorInfo(type="NotCalled", message=reason))
