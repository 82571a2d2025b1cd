"""Transition units: a run as an ordered sequence of decisions (AgentTether §III.B.2).

``TU_k = (o_k, b_k, a_k, f_k)``: what the agent saw, what it thought, what it did, what came
back. One unit is one decision of an agent: an utterance with all the tool calls it asks for, and
the answers to them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from knitbone.record.events import Event, Message, ModelCall, Retrieval, Run, ToolCall
from knitbone.tethering.diagnosis.artifacts import MAX_TEXT, artifacts_of_text, artifacts_of_value
from knitbone.tethering.diagnosis.context import ContextNode
from knitbone.tethering.diagnosis.drafts import UnitCall, UnitDraft, draft_units, unanswered
from knitbone.tethering.diagnosis.error_reports import error_in, plain_words
from knitbone.tethering.diagnosis.vocabulary import (
    Intent,
    Status,
    error_signature,
    intent_of_text,
    intent_of_tool,
    is_state_changing,
)

__all__ = [
    "CUT_OFF",
    "Phase",
    "Role",
    "TransitionUnit",
    "UnitCall",
    "asked",
    "build_units",
    "last_successes",
    "system_texts",
]

Phase = Literal["opening", "gathering", "acting", "closing"]
Role = Literal["agent", "orchestrator", "worker", "tool", "retriever"]
"""Who acts: the only agent of a run, one that directs others, one of several that does not; a
tool or a retriever that ran without a model call which asked for it."""

CUT_OFF = {"length": "the answer was cut off at its greatest length", "max_tokens": "the answer "
            "was cut off at its greatest length", "content_filter": "the answer was withheld by a "
            "content filter"}  # fmt: skip

_CODE_FENCE = "```"
_WORD = re.compile(r"\b[^\W\d_]{3,40}\b")


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
    calls: tuple[UnitCall, ...] = ()
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
    role: Role = "agent"
    conversation: int = 0
    """Which of the run's conversations it belongs to (``conversations.py``)."""
    family: int = 0
    """The outermost conversation that it was begun in."""
    context: tuple[ContextNode, ...] = ()
    """Spans, metrics, logs and verification records of the events inside the unit."""

    @property
    def kind(self) -> str:
        """Who did what sort of thing; rare kinds are worth a look."""
        return f"{self.agent}/{self.tool or self.mode or 'text'}/{self.intent}"

    @property
    def failed_tool(self) -> str | None:
        """The tool whose call brought the unit's error; ``None`` where no call did."""
        return next((call.tool for call in self.calls if call.error), None)

    @property
    def wrote(self) -> str | None:
        """The tool of the first call that changes state, was made and did not fail; ``None`` where
        there is none."""
        if self.error and self.failed_tool is None:
            return None
        done = (call.tool for call in self.calls if call.ran and not call.error)
        return next((tool for tool in done if is_state_changing(intent_of_tool(tool))), None)


def build_units(run: Run) -> tuple[TransitionUnit, ...]:
    """The transition units of a run, in order; time and memory linear in the run's length.

    Every model call is a unit; so is a tool call or a retrieval that no model call asked for. A
    tool's answer belongs to the unit whose model call asked for it. What user and environment
    say belongs to the unit before it as feedback, and is the observation of the one after.
    """
    return _finish(draft_units(run))


def system_texts(run: Run) -> tuple[str, ...]:
    """Policies and prompts that stand in the run, each once."""
    texts: dict[str, None] = {}
    for event in run.events:
        if isinstance(event, Message) and event.role == "system":
            texts[event.content] = None
        elif isinstance(event, ModelCall):
            for message in event.input:
                if message.role != "system":
                    break  # prompts stand first; a history of thousands is not searched for more
                texts[message.content] = None
    return tuple(texts)


def asked(run: Run) -> str:
    """What was asked of the agent: the run's task, else the first thing that anybody said."""
    if run.task:
        return run.task
    for event in run.events:
        if isinstance(event, Message) and event.role == "user":
            return event.content
        if isinstance(event, ModelCall):
            return next((m.content for m in event.input if m.role == "user"), "")
    return ""


def last_successes(units: Sequence[TransitionUnit]) -> dict[tuple[int, str | None], int]:
    """By family of conversations and tool the ordinal of the last step at which it worked; ``None``
    stands for what is executed without a tool."""
    last: dict[tuple[int, str | None], int] = {}
    for unit in units:
        if not unit.calls and unit.status == "ok":
            last[unit.family, None] = unit.ordinal
        for call in unit.calls:
            if call.result and call.ran and not call.error:
                last[unit.family, call.tool] = unit.ordinal
    return last


def _finish(drafts: Sequence[UnitDraft]) -> tuple[TransitionUnit, ...]:
    intents: list[Intent] = [_intent(draft) for draft in drafts]
    roles = _roles(drafts, intents)
    wrote = False
    units: list[TransitionUnit] = []
    for ordinal, (draft, intent) in enumerate(zip(drafts, intents, strict=True)):
        phase: Phase = "acting" if wrote else "gathering"
        if ordinal == 0:
            phase = "opening"
        elif ordinal == len(drafts) - 1 or intent == "finish":
            phase = "closing"
        wrote = wrote or is_state_changing(intent)
        unit = _unit(ordinal, draft, intent, phase, roles[ordinal], units[-1] if units else None)
        units.append(unit)
    return tuple(units)


def _roles(drafts: Sequence[UnitDraft], intents: Sequence[Intent]) -> list[Role]:
    speaking = {draft.event.agent for draft in drafts if isinstance(draft.event, ModelCall)}
    directing = {
        draft.event.agent
        for draft, intent in zip(drafts, intents, strict=True)
        if intent in ("delegate", "plan")
    }
    roles: list[Role] = []
    for draft in drafts:
        if isinstance(draft.event, ToolCall):
            roles.append("tool")
        elif isinstance(draft.event, Retrieval):
            roles.append("retriever")
        elif len(speaking) < 2:
            roles.append("agent")
        else:
            roles.append("orchestrator" if draft.event.agent in directing else "worker")
    return roles


def _intent(draft: UnitDraft) -> Intent:
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
    ordinal: int,
    draft: UnitDraft,
    intent: Intent,
    phase: Phase,
    role: Role,
    before: TransitionUnit | None,
) -> TransitionUnit:
    event = draft.event
    said = _said(event)
    calls = (*draft.calls, *unanswered(draft.open))
    results = [call.result for call in calls] + draft.ran
    if isinstance(event, Retrieval):
        results += [document.text for document in event.documents]
    belief, action = _split_action(said, calls)
    error = _error(draft, calls, said, alone=role == "agent")
    used = frozenset[str]().union(*(artifacts_of_value(call.arguments) for call in calls))
    if not calls:
        used = artifacts_of_text(action)
    produced = frozenset[str]().union(*map(artifacts_of_value, results))
    mode = event.attributes.get("knitbone.message.mode")
    seen = "\n".join(text[-MAX_TEXT:] for text in draft.seen)[-MAX_TEXT:]
    return TransitionUnit(
        ordinal=ordinal,
        index=draft.index,
        event=event.id,
        observation=seen or (before.feedback if before else ""),
        belief=belief[:MAX_TEXT],
        action=action[:MAX_TEXT],
        feedback=_joined([*results, *draft.heard]),
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
        role=role,
        side_effect=any(call.ran and is_state_changing(intent_of_tool(call.tool)) for call in calls)
        if calls
        else is_state_changing(intent),
        context=tuple(draft.context),
    )


def _error(draft: UnitDraft, calls: Sequence[UnitCall], said: str, *, alone: bool) -> str | None:
    """Find the error of a unit: that of the model call, else of a tool, else what an execution or
    one of several agents reports, else an answer that was cut off."""
    event = draft.event
    if isinstance(event, ModelCall) and event.error:
        return f"{event.error.type}: {plain_words(event.error.message)}"
    error = next((call.error for call in calls if call.error), None)
    if error is None:
        # Words of a person, or of an agent to a person, are no execution result, however they
        # begin; what one agent reports to others is, where it starts with the error.
        error = next(filter(None, map(error_in, draft.ran)), None)
        if error is None and not calls and not alone:
            error = error_in(said[:400])
    if error is None and isinstance(event, ModelCall):
        error = CUT_OFF.get(event.finish_reason or "")
    return error


def _joined(texts: Sequence[str]) -> str:
    """The texts on lines of their own, clipped; a text of 100 MB is not copied to find out."""
    return "\n".join(text[:MAX_TEXT] for text in texts)[:MAX_TEXT]


def _told(texts: Sequence[str]) -> frozenset[str]:
    """What messages from outside made known: their artifacts, and their plain words (a name)."""
    text = _joined(texts)
    return artifacts_of_text(text) | {word.lower() for word in _WORD.findall(text)}


def _split_action(said: str, calls: Sequence[UnitCall]) -> tuple[str, str]:
    """Belief and action: prose around a call or a code block is what the agent thought."""
    if calls:
        shown = "\n".join(call.signature for call in calls)
        return said, shown
    start = said.find(_CODE_FENCE)
    end = said.rfind(_CODE_FENCE)
    if 0 <= start < end:
        return said[:start].strip(), said[start:]
    return "", said
