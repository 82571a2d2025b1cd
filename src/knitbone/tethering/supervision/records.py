"""What supervision sees, notices and decides; the contract of its checks."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from knitbone.record.events import Json

__all__ = [
    "Action",
    "CheckName",
    "CheckSignal",
    "ReturnedCall",
    "Risk",
    "SupervisionCheck",
    "SupervisionDecision",
    "SupervisionMode",
    "Trigger",
]

SupervisionMode = Literal["off", "observe", "on"]
"""``observe`` decides and records all the same, and says nothing to the agent."""

Trigger = Literal["tool_return", "text_response"]
CheckName = Literal["loop", "drift", "expectation", "structural"]

Risk = Literal["destructive", "write", "read"]
"""The harm that a wrong call may do; of a tool that nothing is known of: ``write``."""

Action = Literal["silence", "append", "reroute"]
"""``append``: words behind the tool's result; ``reroute``: a user message, and it goes on."""


class ReturnedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call of the supervised run that has returned, before the agent sees the result."""

    tool: str
    arguments: Json = None
    result: Json = None
    error: str | None = None
    call_id: str | None = None


class CheckSignal(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a check noticed."""

    check: CheckName
    kind: str
    """Of the check's kinds, such as ``same call and result``."""
    text: str
    """For the agent: one or two sentences without a value of run or environment."""
    tool: str | None = None
    directive: str | None = None
    """Identifier of the directive that it rests on."""
    risk: Risk = "read"
    score: float | None = None
    """How far, where the check measures (drift: 1 - cosine)."""


class SupervisionDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided at one hook; silence is a decision, too."""

    trigger: Trigger
    step: int
    """Which decision of the supervised run it was, from 0: tool returns and texts together."""
    action: Action
    signals: tuple[CheckSignal, ...] = ()
    reason: str = ""
    """Why nothing was said although something was noticed: the guard that held it back."""
    text: str = ""
    """What the agent was told, or in mode ``observe`` would have been."""


class SupervisionCheck(Protocol):
    """One way to notice that a run leaves the path. It keeps its own state over one run."""

    name: CheckName

    def tool_returned(self, call: ReturnedCall, step: int) -> CheckSignal | None:
        """Look at a call that returned."""
        ...

    def text_answered(self, text: str, step: int) -> CheckSignal | None:
        """Look at an answer without a tool call."""
        ...
