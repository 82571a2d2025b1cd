"""Gold plans, and their replay against a simulator as runs.

A plan says what a task's reference solution calls, turn by turn. Replaying it against the real
simulator gives a run of an agent that succeeded, with the simulator's own answers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from knitbone.record.events import (
    ChatMessage,
    ErrorInfo,
    Event,
    Message,
    ModelCall,
    Origin,
    Outcome,
    Run,
    ToolCall,
    ToolCallRequest,
)
from knitbone.tethering.diagnosis.artifacts import artifacts_of_text, artifacts_of_value

__all__ = [
    "PlannedCall",
    "ReplayedPlan",
    "SimulatedReply",
    "SolvedTask",
    "TaskEnvironment",
    "Turn",
    "replay",
]


class PlannedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a plan."""

    key: str
    """Stays with the call through variation and corruption, unique in its plan."""
    tool: str
    arguments: dict[str, Any]
    joined: bool = False
    """Asked for in the same message as the call before it."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """What a person says, and what the agent does about it."""

    message: str
    calls: tuple[PlannedCall, ...]
    reply: str | None = None
    """The agent's closing words; ``None``: made from what came back."""


class SimulatedReply(msgspec.Struct, frozen=True, kw_only=True):
    """What a simulator says to a call."""

    text: str
    error: str | None = None


class TaskEnvironment(Protocol):
    """A simulator in its initial state."""

    def call(self, tool: str, arguments: dict[str, Any]) -> SimulatedReply:
        """Execute a call; a failure is an answer."""
        ...

    def state(self) -> str:
        """Everything that calls can change, as one comparable text."""
        ...

    def reads(self) -> Sequence[str]:
        """Tools that only read and need no argument."""
        ...


class SolvedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task with its reference solution."""

    id: str
    """Equal for variants that share a reference solution: tasks are what a split divides."""
    source: str
    domains: tuple[str, ...]
    turns: tuple[Turn, ...]
    start: Callable[[], TaskEnvironment]
    """A fresh simulator; deterministic."""


class ReplayedPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A replayed plan."""

    run: Run
    answers: dict[str, SimulatedReply]
    """By the call's key."""
    events: dict[str, str]
    """The event that is the unit of each call, by the call's key."""
    replies: tuple[str, ...]
    """The events of the closing words, one a turn."""
    state: str
    """The simulator's state at the end."""


def replay(task: SolvedTask, turns: Sequence[Turn], *, identity: str, seed: int) -> ReplayedPlan:
    """Run a plan in a fresh simulator.

    Args:
        identity: the run's identifier.
        seed: decides what the closing words mention.
    """
    environment = task.start()
    choose = random.Random(seed)
    events: list[Event] = []
    answers: dict[str, SimulatedReply] = {}
    units: dict[str, str] = {}
    replies: list[str] = []

    def name() -> str:
        return f"e{len(events)}"

    for turn in turns:
        events.append(Message(id=name(), role="user", content=turn.message))
        texts: list[str] = []
        for group in _groups(turn.calls):
            asking = name()
            requests = tuple(
                ToolCallRequest(name=c.tool, arguments=c.arguments, call_id=c.key) for c in group
            )
            output = ChatMessage(role="assistant", tool_calls=requests)
            events.append(ModelCall(id=asking, agent="agent", output=output))
            for call in group:
                answer = environment.call(call.tool, call.arguments)
                answers[call.key], units[call.key] = answer, asking
                texts.append(answer.text)
                events.append(_executed(name(), asking, call, answer))
        replies.append(name())
        said = turn.reply
        if said is None:
            said = f"{_CLOSING[len(replies) % len(_CLOSING)]} {_named(turn, texts, choose)}"
        output = ChatMessage(role="assistant", content=said)
        events.append(ModelCall(id=name(), agent="agent", output=output))
    events.append(Outcome(id=name(), success=True))
    run = Run(
        id=identity, task=turns[0].message, events=tuple(events),
        origin=Origin(format=task.source, identity={"task_id": task.id}),
    )  # fmt: skip
    return ReplayedPlan(
        run=run, answers=answers, events=units, replies=tuple(replies), state=environment.state()
    )


def _groups(calls: Sequence[PlannedCall]) -> list[list[PlannedCall]]:
    groups: list[list[PlannedCall]] = []
    for call in calls:
        if call.joined and groups:
            groups[-1].append(call)
        else:
            groups.append([call])
    return groups


def _executed(identity: str, asking: str, call: PlannedCall, answer: SimulatedReply) -> ToolCall:
    error = ErrorInfo(type="ToolError", message=answer.error) if answer.error else None
    return ToolCall(
        id=identity, parent=asking, agent="agent", name=call.tool, call_id=call.key,
        arguments=call.arguments, result=answer.text, error=error,
    )  # fmt: skip


_CLOSING = (
    "Done.", "That is done now.", "I have taken care of it.", "This is what came out:",
    "It went through.", "All set.", "Here it is.", "Finished with this one.", "I did as you asked.",
)  # fmt: skip
"""One after the other, so that no two turns of a run end in the same words."""


def _named(turn: Turn, texts: Sequence[str], choose: random.Random) -> str:
    """Often values of the answers, as agents report what they found; at times the person's own."""
    if not turn.calls:
        return "What is missing for the next step?"
    told = sorted(artifacts_of_text(turn.message))
    found = sorted(frozenset[str]().union(*map(artifacts_of_value, texts)))
    pool = found if found and choose.random() < 0.7 else told
    named = choose.sample(pool, min(len(pool), choose.randint(0, 3)))
    return " ".join(f"'{value}'" for value in named)
