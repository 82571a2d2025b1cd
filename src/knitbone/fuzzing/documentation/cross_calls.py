"""Calls of other tools than the one that a prompt was written for (ToolFuzz, App. H.3).

With several tools in the agent's hands, a documentation that is too broad, or one too narrow, shows
in which tool a request reaches.
"""

from __future__ import annotations

from collections.abc import Iterable

from knitbone.fuzzing.documentation.records import OtherToolUse, PromptRun

__all__ = ["cross_calls"]

_QUERIES = 3
"""Prompts that are kept as examples of one tool."""


def cross_calls(runs: Iterable[PromptRun], name: str) -> tuple[OtherToolUse, ...]:
    """The other tools that were called, those in most prompts first.

    Args:
        runs: on prompts that were written for one tool.
        name: of that tool, as the agent knows it.
    """
    prompts: dict[str, list[PromptRun]] = {}
    for run in runs:
        if run.stopped not in ("failed", "budget"):
            for tool in dict.fromkeys(call.tool for call in run.calls):
                prompts.setdefault(tool, []).append(run)
    own = {id(run) for run in prompts.pop(name, [])}
    found = [
        OtherToolUse(
            tool=tool,
            prompts=len(called),
            instead=sum(id(run) not in own for run in called),
            worked=sum(_works(run, tool) for run in called),
            queries=tuple(dict.fromkeys(run.query for run in called))[:_QUERIES],
        )
        for tool, called in prompts.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.prompts, -each.instead, each.tool)))


def _works(run: PromptRun, tool: str) -> bool:
    return any(call.tool == tool and not call.failure for call in run.calls)
