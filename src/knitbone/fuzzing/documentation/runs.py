"""One prompt, one run of the agent, and what it did with the tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import cast

from knitbone.common.printable import printable
from knitbone.errors import KnitboneError, ModelAuthenticationError, ModelError
from knitbone.fuzzing.agents.records import AgentResult, AgentUnderTest
from knitbone.fuzzing.agents.sandbox_tool import SandboxedTool
from knitbone.fuzzing.documentation.records import PromptRun, ToolUse
from knitbone.fuzzing.documentation.spending import Ledger
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.model_questions import BudgetUsedUp
from knitbone.fuzzing.records import CallOutcome, json_text
from knitbone.record.events import ErrorInfo, Json, ModelCall, Outcome, ToolCall, Usage

__all__ = ["failure_of", "run_prompt", "run_words"]

_SAID = 300
_KEPT = 20_000
"""Characters of an output or an answer that are kept."""
_NOT_CALLED = "NotCalled"
"""What the built-in agents record where nothing was called: no such tool, no JSON object."""
_REJECTED = "InvalidArguments"
"""The same where the arguments did not pass the tool's own validation."""


def run_prompt(
    agent: AgentUnderTest,
    prompt: int,
    query: str,
    tools: Sequence[SandboxedTool],
    *,
    ledger: Ledger,
) -> PromptRun:
    """Let the agent work on one prompt.

    An agent that fails does not end the campaign: it may be anybody's.

    Raises:
        BudgetUsedUp: a hard budget is used up, before or within the run.
        ModelAuthenticationError: its model refuses the key; it will for every prompt.
        SandboxError: the sandbox cannot be kept.
    """
    if (reason := ledger.refusal()) is not None:
        raise BudgetUsedUp(reason)
    for tool in tools:
        tool.forget()
    charged = len(ledger.charged)
    try:
        result = agent.work(query, tools, budget=ledger)
    except ModelAuthenticationError:
        raise
    except ModelError as error:
        return _failed(prompt, query, error.message)
    except KnitboneError:
        raise
    except Exception as error:  # noqa: BLE001 - the user's agent; its failure is a result
        return _failed(prompt, query, f"{type(error).__name__}: {error}")
    if len(ledger.charged) == charged:
        for usage in _usages(result):
            ledger.charge(usage)
    if result.stopped == "budget":
        raise BudgetUsedUp(ledger.refusal() or "the budget is used up")
    if result.stopped == "failed":
        told = [event.reason for event in result.run.events if isinstance(event, Outcome)]
        return _failed(prompt, query, told[-1] if told else "the agent failed")
    return _read(prompt, query, result, tools)


def _read(
    prompt: int, query: str, result: AgentResult, tools: Sequence[SandboxedTool]
) -> PromptRun:
    roots = {tool.spec.name: tool.roots for tool in tools}
    calls = [event for event in result.run.events if isinstance(event, ToolCall)]
    uses: list[ToolUse] = []
    invented = 0
    for call in calls:
        if call.name not in roots:
            invented += 1
        elif call.error is None or call.error.type != _NOT_CALLED:
            uses.append(_use(call, roots[call.name]))
    return PromptRun(
        prompt=prompt,
        query=query,
        calls=tuple(uses),
        answer=None if result.answer is None else result.answer[:_KEPT],
        stopped=result.stopped,
        invented=invented,
    )


def _use(call: ToolCall, roots: tuple[str, ...]) -> ToolUse:
    output = call.result if isinstance(call.result, str) else json_text(call.result)
    given = call.arguments
    arguments = cast("dict[str, Json]", given) if isinstance(given, dict) else {}
    return ToolUse(
        tool=call.name,
        arguments=cast("Json", given),
        output=output[:_KEPT],
        error=call.error,
        failure=failure_of(output, call.error, arguments, roots=roots),
    )


def failure_of(
    output: str, error: ErrorInfo | None, arguments: dict[str, Json], *, roots: tuple[str, ...]
) -> str:
    """How the tool said that it could not do it, raised or as text; empty where it could."""
    if error is not None:
        return printable(error.message or error.type, limit=_SAID)
    found = judge(CallOutcome(status="ok", text=output), arguments, roots=roots)
    if found is None or found.kind != "returned":
        return ""
    return printable(found.reason or found.message, limit=_SAID)


def _usages(result: AgentResult) -> list[Usage]:
    """What the models of an agent used that does not charge the budget itself."""
    return [
        event.usage
        for event in result.run.events
        if isinstance(event, ModelCall) and event.usage is not None
    ]


def _failed(prompt: int, query: str, why: str) -> PromptRun:
    return PromptRun(
        prompt=prompt, query=query, stopped="failed", error=printable(why, limit=_SAID)
    )


_ENDS = {"answered": "answered", "steps": "came to no end", "failed": "failed"}


def run_words(runs: Iterable[PromptRun], name: str) -> dict[str, int]:
    """How the runs ended, and what was odd in them, each with its number.

    Args:
        name: of the tool under test, as the agent knows it.
    """
    counts: Counter[str] = Counter()
    for run in runs:
        counts[_ENDS.get(run.stopped, run.stopped)] += 1
        if run.stopped == "failed":
            continue
        own = [call for call in run.calls if call.tool == name]
        counts["without a call"] += not own
        counts["with a call of another tool"] += len(own) < len(run.calls)
        counts["with an invented tool"] += run.invented > 0
        counts["with an empty answer"] += run.answer is not None and not run.answer.strip()
        repeated = len(run.calls) > len({json_text(call.arguments) for call in run.calls})
        counts["with the same call again"] += repeated
        rejected = any(c.error is not None and c.error.type == _REJECTED for c in run.calls)
        counts["with arguments that the schema refuses"] += rejected
    return {name: number for name, number in counts.items() if number}
