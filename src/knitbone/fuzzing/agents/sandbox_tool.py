"""A tool under test as an agent uses it: called in the sandbox, its failures told as text."""

from __future__ import annotations

import re

from knitbone.fuzzing.agents.records import ToolReply
from knitbone.fuzzing.records import CallOutcome
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.models.chat import ToolSpec, clean_json
from knitbone.record.events import ErrorInfo, Json

__all__ = ["SandboxedTool"]

_SHOWN = 8_000
"""Characters of a result that the model is shown."""
_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 64
"""OpenAI's and Anthropic's rule for names of tools: 1 to 64 of these characters."""


class SandboxedTool:
    """One tool of a sandbox; remembers every call and what came of it.

    Args:
        index: position of the tool in ``sandbox.tools``.
        timeout_s: wall clock allowed to one call.
    """

    def __init__(self, sandbox: Sandbox, index: int, *, timeout_s: float) -> None:
        self._sandbox = sandbox
        self._index = index
        self._timeout_s = timeout_s
        tool = sandbox.tools[index]
        name = _NOT_A_NAME.sub("_", tool.name)[:_LONGEST_NAME]
        self._spec = ToolSpec(
            name=name or "tool",
            description=str(clean_json(tool.documentation)),
            parameters=clean_json(tool.schema),
        )
        self.roots = tool.roots
        """The files and folders of the tool's own code."""
        self.calls: list[tuple[dict[str, Json], CallOutcome]] = []

    @property
    def spec(self) -> ToolSpec:
        return self._spec

    def call(self, arguments: dict[str, Json]) -> ToolReply:
        """Call the tool in the sandbox; the first call of a run in a process of its own, so that
        what the tool keeps between calls is the same for every query."""
        outcome = self._sandbox.call(
            self._index, arguments, timeout_s=self._timeout_s, fresh=not self.calls
        )
        self.calls.append((arguments, outcome))
        return _reply(outcome, self._timeout_s)

    def forget(self) -> None:
        """Begin the next run."""
        self.calls = []


def _reply(outcome: CallOutcome, timeout_s: float) -> ToolReply:
    if outcome.status == "ok":
        return ToolReply(text=_cut(outcome.text, outcome.length))
    said = _cut(outcome.message, len(outcome.message))
    if outcome.status == "raised":
        kind = outcome.exception or "Exception"
        text = f"Error: {kind}: {said}" if said else f"Error: {kind}"
    elif outcome.status == "rejected":
        # Without the reason: the recorded answers of the benchmarks are to this text.
        kind, text = "InvalidArguments", "Error: the arguments do not fit the schema."
    elif outcome.status == "hang":
        kind, text = "Timeout", f"Error: the tool did not answer within {timeout_s:g} s."
    else:
        kind, text = outcome.status, f"Error: the tool failed ({outcome.status}). {said}"
    return ToolReply(text=text.strip(), error=ErrorInfo(type=kind, message=said))


def _cut(text: str, length: int) -> str:
    if length <= _SHOWN:
        return text
    return f"{text[:_SHOWN]} … (cut; {length} characters in all)"
