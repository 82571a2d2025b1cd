"""What goes into an agent's run, and what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from knitbone.fuzzing.budget import CampaignBudget
from knitbone.models.chat import ToolSpec
from knitbone.record.events import ErrorInfo, Json, Run, ToolCallRequest

__all__ = ["AgentResult", "AgentTool", "AgentTurn", "AgentUnderTest", "ToolReply"]


class ToolReply(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool answered, as the model is shown it."""

    text: str
    error: ErrorInfo | None = None
    """Where the call failed; ``text`` then says so in words."""


class AgentTool(Protocol):
    """A tool that an agent may use. Errors of the tool are replies, never exceptions."""

    @property
    def spec(self) -> ToolSpec:
        """Name, documentation and schema, as the model is told them."""
        ...

    def call(self, arguments: dict[str, Json]) -> ToolReply:
        """Use the tool; may block."""
        ...


class AgentTurn(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent's model wants next: an answer, tool calls, or it was not understood."""

    answer: str | None = None
    calls: tuple[ToolCallRequest, ...] = ()
    complaint: str = ""
    """What the model is told where its words could not be read."""


class AgentResult(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent's run ended."""

    run: Run
    """Every step in order: the query, model calls, tool calls and the outcome."""
    answer: str | None = None
    stopped: Literal["answered", "steps", "budget", "failed"]
    """``steps``: the step limit was reached; ``budget``: a hard budget is used up; ``failed``: the
    agent's own code raised, as the run's outcome says."""


class AgentUnderTest(Protocol):
    """An agent whose use of a tool is looked at: one of ours, a framework's, or any callable."""

    @property
    def name(self) -> str:
        """The agent and its model, as reports show them."""
        ...

    def work(
        self, query: str, tools: Sequence[AgentTool], *, budget: CampaignBudget | None = None
    ) -> AgentResult:
        """Answer one query with the tools, from a fresh start.

        The calls it made are the ``ToolCall`` events of the result's run.

        Raises:
            ModelError: the agent's model could not be asked.
        """
        ...
