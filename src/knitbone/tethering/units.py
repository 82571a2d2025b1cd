"""Transition units: a run as an ordered sequence of decisions (AgentTether §III.B.2).

``TU_k = (o_k, b_k, a_k, f_k)``: what the agent saw, what it thought, what it did, what came
back. One unit is one decision of an agent: an utterance with all the tool calls it asks for, and
the answers to them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from knitbone.core.events import (
    Adaptation,
    Event,
    Intervention,
    Message,
    ModelCall,
    Outcome,
    Retrieval,
    Run,
    ToolCall,
    encode_json,
)
from knitbone.tethering.artifacts import MAX_TEXT, artifacts_of_text, artifacts_of_value
from knitbone.tethering.vocabulary import (
    Intent,
    Status,
    error_signature,
    error_text,
    intent_of_text,
    intent_of_tool,
    is_no_result,
    is_state_changing,
)

__all__ = ["Call", "TransitionUnit", "build_units", "system_texts"]

Phase = Literal["opening", "gathering", "acting", "closing"]

_CODE_FENCE = "```"
_WORD = re.compile(r"\b[^\W\d_]{3,40}\b")


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call of a unit."""

    tool: str
    arguments: Any = None
    result: str = ""
    error: str | None = None
    """What the result, or the recorded error, says went wrong."""

    @property
    def signature(self) -> str:
        """Tool and arguments: two equal ones are the same call."""
        return f"{self.tool} {encode_json(self.arguments).decode('utf-8')[:2_000]}"


class TransitionUnit(msgspec.Struct, frozen=True, kw_only=True):
    """One decision, execution and feedback cycle, and what follows from it."""

    ordinal: int
    """Position among the run's units."""
    index: int
    """0-based position of the action in the source's message list, or among the run's events
    where the run was recorded and not imported."""
    event: str
    """Identifier of the event that is the action."""
    observation: str
    belief: str
    action: str
    feedback: str
    agent: str
    mode: str | None = None
    calls: tuple[Call, ...] = ()
    tool: str | None = None
    """The tool of the first call."""
    intent: Intent = "communicate"
    status: Status = "unknown"
    error: str | None = None
    """The error as reported, one line."""
    error_signature: str | None = None
    used: frozenset[str] = frozenset()
    """Artifacts that the action mentions."""
    produced: frozenset[str] = frozenset()
    """Artifacts in the feedback."""
    observed: frozenset[str] = frozenset()
    """Artifacts and words of messages that came from outside since the unit before."""
    phase: Phase = "gathering"
    side_effect: bool = False

    @property
    def kind(self) -> str:
        """Who did what sort of thing; rare kinds are worth a look."""
        return f"{self.agent}/{self.tool or self.mode or 'text'}/{self.intent}"


class _Draft:
    """A unit while the events that belong to it are still coming."""

    def __init__(
        self, index: int, event: ModelCall | ToolCall | Retrieval, seen: list[str]
    ) -> None:
        self.index = index
        self.event = event
        self.seen = seen
        self.calls: list[Call] = []
        self.heard: list[str] = []
        """What people said afterwards."""
        self.ran: list[str] = []
        """What the environment reported afterwards, such as a code executor."""


def build_units(run: Run) -> tuple[TransitionUnit, ...]:
    """The transition units of a run, in order.

    Every model call is a unit; so is a tool call or a retrieval that no model call asked for. A
    tool's answer belongs to the unit whose model call asked for it. What user and environment
    say belongs to the unit before it as feedback, and is the observation of the one after.
    """
    drafts: list[_Draft] = []
    by_event: dict[str, _Draft] = {}
    outside: list[str] = []
    for number, event in enumerate(run.events):
        if isinstance(event, (Outcome, Adaptation, Intervention)):
            continue
        if isinstance(event, Message):
            if event.role == "system":
                continue  # policies and prompts are no step; see ``system_texts``
            outside.append(event.content)
            if drafts:
                ran = event.role == "environment" and not is_no_result(event.content)
                (drafts[-1].ran if ran else drafts[-1].heard).append(event.content)
            continue
        owner = by_event.get(event.parent or "")
        if owner is None and isinstance(event, ToolCall) and event.arguments is None and drafts:
            owner = drafts[-1]  # an answer whose request is not in the source
        if owner is not None and isinstance(event, ToolCall):
            owner.calls.append(_call(event))
            continue
        draft = _Draft(event.position.index if event.position else number, event, outside)
        outside = []
        if isinstance(event, ToolCall):
            draft.calls.append(_call(event))
        drafts.append(draft)
        by_event[event.id] = draft
    return _finish(drafts)


def system_texts(run: Run) -> tuple[str, ...]:
    """Policies and prompts that stand in the run."""
    return tuple(e.content for e in run.events if isinstance(e, Message) and e.role == "system")


def _call(event: ToolCall) -> Call:
    result = _text(event.result)
    error = f"{event.error.type}: {event.error.message}" if event.error else error_text(result)
    return Call(tool=event.name, arguments=event.arguments, result=result, error=error)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else encode_json(value).decode("utf-8")


def _finish(drafts: Sequence[_Draft]) -> tuple[TransitionUnit, ...]:
    intents: list[Intent] = [_intent(draft) for draft in drafts]
    wrote = False
    units: list[TransitionUnit] = []
    for ordinal, (draft, intent) in enumerate(zip(drafts, intents, strict=True)):
        phase: Phase = "acting" if wrote else "gathering"
        if ordinal == 0:
            phase = "opening"
        elif ordinal == len(drafts) - 1 or intent == "finish":
            phase = "closing"
        wrote = wrote or is_state_changing(intent)
        units.append(_unit(ordinal, draft, intent, phase, units[-1] if units else None))
    return tuple(units)


def _intent(draft: _Draft) -> Intent:
    tools = _requested(draft.event) or [call.tool for call in draft.calls]
    if tools:
        intents: list[Intent] = [intent_of_tool(tool) for tool in tools]
        return "write" if "write" in intents else intents[0]
    if isinstance(draft.event, Retrieval):
        return "read"
    mode = draft.event.attributes.get("knitbone.message.mode")
    return intent_of_text(_said(draft.event), mode if isinstance(mode, str) else None)


def _requested(event: Event) -> list[str]:
    if isinstance(event, ModelCall) and event.output:
        return [call.name for call in event.output.tool_calls]
    return []


def _said(event: Event) -> str:
    if isinstance(event, ModelCall):
        return event.output.content if event.output else ""
    return event.query if isinstance(event, Retrieval) else ""


def _unit(
    ordinal: int, draft: _Draft, intent: Intent, phase: Phase, before: TransitionUnit | None
) -> TransitionUnit:
    event = draft.event
    said = _said(event)
    calls = tuple(draft.calls) or _unanswered(event)
    results = [call.result for call in calls] + draft.ran
    if isinstance(event, Retrieval):
        results += [document.text for document in event.documents]
    belief, action = _split_action(said, calls)
    error = next((call.error for call in calls if call.error), None)
    if isinstance(event, ModelCall) and event.error:
        error = f"{event.error.type}: {event.error.message}"
    if error is None:
        # A person's words are no execution result, however they begin; what an agent itself
        # reports is, where it starts with the error.
        error = next(filter(None, map(error_text, draft.ran)), None)
        if error is None and not calls:
            error = error_text(said[:400])
    used = frozenset[str]().union(*(artifacts_of_value(call.arguments) for call in calls))
    if not calls:
        used = artifacts_of_text(action)
    produced = frozenset[str]().union(*map(artifacts_of_value, results))
    mode = event.attributes.get("knitbone.message.mode")
    return TransitionUnit(
        ordinal=ordinal,
        index=draft.index,
        event=event.id,
        observation=("\n".join(draft.seen) or (before.feedback if before else ""))[-MAX_TEXT:],
        belief=belief[:MAX_TEXT],
        action=action[:MAX_TEXT],
        feedback="\n".join([*results, *draft.heard])[:MAX_TEXT],
        agent=event.agent or "agent",
        mode=mode if isinstance(mode, str) else None,
        calls=calls,
        tool=calls[0].tool if calls else None,
        intent=intent,
        status="error" if error else ("ok" if any(results) else "unknown"),
        error=error,
        error_signature=error_signature(error) if error else None,
        used=used,
        produced=produced,
        observed=_told(draft.seen),
        phase=phase,
        side_effect=is_state_changing(intent),
    )


def _told(texts: Sequence[str]) -> frozenset[str]:
    """What messages from outside made known: their artifacts, and their plain words (a name)."""
    text = "\n".join(texts)[:MAX_TEXT]
    return artifacts_of_text(text) | {word.lower() for word in _WORD.findall(text)}


def _unanswered(event: Event) -> tuple[Call, ...]:
    """The calls of a model call that no tool answered: the run ended, or the answer is missing."""
    if not isinstance(event, ModelCall) or not event.output:
        return ()
    return tuple(Call(tool=c.name, arguments=c.arguments) for c in event.output.tool_calls)


def _split_action(said: str, calls: Sequence[Call]) -> tuple[str, str]:
    """Belief and action: prose around a call or a code block is what the agent thought."""
    if calls:
        shown = "\n".join(call.signature for call in calls)
        return said, shown
    start = said.find(_CODE_FENCE)
    end = said.rfind(_CODE_FENCE)
    if 0 <= start < end:
        return said[:start].strip(), said[start:]
    return "", said
