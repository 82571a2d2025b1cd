"""User queries that carry a failing argument, kept where they reproduce the failure (§4.1)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from knitbone.common.printable import printable
from knitbone.fuzzing.agents.dialogue import AgentStyle
from knitbone.fuzzing.agents.engine import run_agent_sync
from knitbone.fuzzing.agents.records import AgentResult
from knitbone.fuzzing.agents.sandboxed import SandboxedTool
from knitbone.fuzzing.asking import ask, call_material
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.records import Finding, ToolUnderTest
from knitbone.fuzzing.sandbox.wire import to_text
from knitbone.models.chat import ChatModel
from knitbone.record.events import Event, Json, Message, ModelCall, ToolCall

__all__ = ["QueryRun", "is_sayable", "try_query", "write_queries"]

_TASK = (
    "You write what users ask an assistant that has one tool. Write natural, self-contained "
    "requests, as people type them, that the tool is made for and that lead the assistant to "
    "call it with exactly the failing arguments. Carry every value in the request, texts letter "
    "by letter. Do not mention the tool, its arguments' names, JSON, tests or failures. Write "
    "{count} requests that differ in their wording."
)
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
    "additionalProperties": False,
}
_SAYABLE = 2_000
"""Characters of arguments beyond which nobody would say them to an assistant."""
_LONGEST_QUERY = 2 * _SAYABLE
_STEP = 200


class _Queries(msgspec.Struct, frozen=True):
    queries: list[str]


class QueryRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the agent on a query."""

    result: AgentResult
    reproduced: bool
    """Whether a call that the agent made is the finding's failure."""
    steps: tuple[str, ...]
    """What the agent did, a line a step."""


def is_sayable(finding: Finding) -> bool:
    """Whether a user could say the failing arguments."""
    return len(to_text(finding.arguments)) <= _SAYABLE


def write_queries(
    tool: ToolUnderTest, finding: Finding, model: ChatModel, *, count: int, budget: CampaignBudget
) -> tuple[str, ...]:
    """Have the writer put the failing arguments into a user's words.

    Raises:
        BudgetUsedUp: a hard budget is used up.
        ModelError: the model could not be asked, or wrote no queries.
    """
    task = _TASK.format(count=count)
    said = ask(model, task, call_material(tool, finding), _Queries, _SCHEMA, budget=budget)
    kept = dict.fromkeys(text.strip()[:_LONGEST_QUERY] for text in said.queries)
    return tuple(text for text in kept if text)[:count]


def try_query(
    query: str,
    finding: Finding,
    tool: SandboxedTool,
    model: ChatModel,
    *,
    style: AgentStyle,
    budget: CampaignBudget,
) -> QueryRun:
    """Run the agent on a query and see whether the tool fails as in the finding.

    Raises:
        ModelError: the agent's model could not be asked.
        SandboxError: the sandbox cannot be kept.
    """
    tool.forget()
    result = run_agent_sync(model, [tool], query, style=style, budget=budget)
    verdicts = [judge(outcome, arguments, roots=tool.roots) for arguments, outcome in tool.calls]
    return QueryRun(
        result=result,
        reproduced=any(found is not None and found.id == finding.id for found in verdicts),
        steps=_steps(result.run.events),
    )


def _steps(events: Sequence[Event]) -> tuple[str, ...]:
    lines: list[str] = []
    for event in events:
        if isinstance(event, Message):
            lines.append(f"user: {event.content}")
        elif isinstance(event, ModelCall) and event.output is not None and event.output.content:
            lines.append(f"agent: {event.output.content}")
        elif isinstance(event, ToolCall):
            lines.append(f"call: {event.name} {to_text(event.arguments)}")
            lines.append(f"tool: {event.result}")
    return tuple(printable(line, limit=_STEP) for line in lines)
