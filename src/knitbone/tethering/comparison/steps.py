"""What a run did, step by step, as two runs are compared: calls, searches and utterances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from knitbone.record.events import Json, ModelCall, Retrieval, Run
from knitbone.tethering.comparison.canonical import argument_key
from knitbone.tethering.diagnosis.drafts import UnitCall, UnitDraft, draft_units, unanswered

__all__ = ["AgentStep", "steps_of"]

Key = tuple[str, str]


class AgentStep(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that the agent did."""

    index: int
    """The step's number, as a diagnosis counts."""
    kind: Literal["call", "search", "says"]
    tool: str = ""
    """The tool, or what was searched."""
    arguments: Json = None
    result: str = ""
    """What came back; of an utterance, what was said."""
    error: str | None = None

    @property
    def key(self) -> Key:
        """Equal for steps that do the same. Words are chosen anew each time: that the agent spoke
        is the step, not what it said."""
        if self.kind == "says":
            return ("says", "")
        return (f"{self.kind} {self.tool}", argument_key(self.arguments))

    @property
    def action(self) -> str:
        """The same without the arguments."""
        return "says" if self.kind == "says" else f"{self.kind} {self.tool}"


def steps_of(run: Run) -> list[AgentStep]:
    """The steps of a run, in order; linear in its length.

    Calls that a model asks for at once have no order of their own: they stand in that of their
    names and arguments.
    """
    return [step for draft in draft_units(run) for step in _steps(draft)]


def _steps(draft: UnitDraft) -> Iterator[AgentStep]:
    event = draft.event
    calls = [*draft.calls, *unanswered(draft.open)]
    if calls:
        # Sorting one call would cost its arguments for nothing.
        for call in sorted(calls, key=_order) if len(calls) > 1 else calls:
            yield AgentStep(
                index=draft.index,
                kind="call",
                tool=call.tool,
                arguments=call.arguments,
                result=call.result,
                error=call.error,
            )
    elif isinstance(event, Retrieval):
        found = "\n".join(document.text for document in event.documents)
        arguments = {"query": event.query}
        tool = event.source or ""
        yield AgentStep(
            index=draft.index, kind="search", tool=tool, arguments=arguments, result=found
        )
    elif isinstance(event, ModelCall):
        error = f"{event.error.type}: {event.error.message}" if event.error else None
        said = event.output.content if event.output else ""
        yield AgentStep(index=draft.index, kind="says", result=said, error=error)


def _order(call: UnitCall) -> Key:
    return (call.tool, argument_key(call.arguments))
