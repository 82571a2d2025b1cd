"""Supervision of a recorded run: the decisions that would have been made.

The recorded agent heard nothing, so what comes after an intervention is what it did without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, cast

import msgspec

from knitbone.config import SupervisionSettings
from knitbone.record.events import ChatMessage, Event, Json, Message, ModelCall, Run, ToolCall
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.supervision.engine import DriftVerifier, Supervisor
from knitbone.tethering.supervision.intent import RememberedDirective
from knitbone.tethering.supervision.records import ReturnedCall, Risk, SupervisionDecision
from knitbone.tethering.supervision.risk import ToolRisks

if TYPE_CHECKING:  # it brings numpy, which only drift needs
    from knitbone.common.similarity import TextEmbedder

__all__ = ["SupervisedMoment", "dry_run", "moments_of"]


_AGENT = "agent"
"""The one agent of a run that names none."""


_MODE, _THOUGHT = "knitbone.message.mode", "thought"
"""Whom an utterance of an imported conversation is meant for, and what it holds for nobody."""


class SupervisedMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A moment of a recorded run at which supervision would have been asked."""

    event: Event
    call: ReturnedCall | None = None
    text: str = ""
    """The answer, where there was no call."""
    alone: bool = False
    """Whether nobody had spoken since the agent's last answer or call."""


def dry_run(
    run: Run,
    guidance: Guidance | None = None,
    *,
    task: str | None = None,
    memory: Iterable[RememberedDirective] = (),
    risks: ToolRisks | Mapping[str, Risk] | None = None,
    embedder: TextEmbedder | None = None,
    verifier: DriftVerifier | None = None,
    settings: SupervisionSettings | None = None,
) -> tuple[SupervisionDecision, ...]:
    """One decision for each of ``moments_of(run)``, in their order.

    Args:
        task: what was asked; by default as the run says it.
    """
    supervisor = Supervisor(
        run.task if task is None else task, guidance, mode="observe", memory=memory, risks=risks,
        embedder=embedder, verifier=verifier, settings=settings, record=None,
    )  # fmt: skip
    for moment in moments_of(run):
        if moment.call is not None:
            supervisor.tool_returned(moment.call)
        else:
            supervisor.text_answered(moment.text, alone=moment.alone)
    return supervisor.decisions


def moments_of(run: Run) -> Iterator[SupervisedMoment]:
    """Tool returns, and answers of a model without a call, in the order of the run.

    Thoughts are neither. Where one agent asks another to do something, that is a call, and what the
    other answers is its result; anything else that another agent says is said to this one.
    """
    speaker: str | None = None
    asked: tuple[str, str] | None = None
    for event in run.events:
        if isinstance(event, ToolCall):
            speaker = event.agent or speaker or _AGENT
            yield SupervisedMoment(event=event, call=_returned(event))
        elif isinstance(event, Message):
            speaker = None
        elif isinstance(event, ModelCall) and _is_text(event.output):
            text, name = cast("ChatMessage", event.output).content, event.agent or _AGENT
            mode = event.attributes.get(_MODE)
            if asked is not None and asked[0] == name:
                call = ReturnedCall(tool=name, arguments={"request": asked[1]}, result=text)
                asked = None
                yield SupervisedMoment(event=event, call=call)
            elif isinstance(mode, str) and mode:
                asked = (mode, text) if mode != _THOUGHT else asked
            else:
                yield SupervisedMoment(event=event, text=text, alone=name == speaker)
            speaker = name


def _is_text(output: ChatMessage | None) -> bool:
    return output is not None and not output.tool_calls and bool(output.content.strip())


def _returned(event: ToolCall) -> ReturnedCall:
    return ReturnedCall(
        tool=event.name,
        arguments=_parsed(event.arguments),
        result=event.result,
        error=f"{event.error.type}: {event.error.message}" if event.error else None,
        call_id=event.call_id,
    )


def _parsed(arguments: Json) -> Json:
    """Arguments that were recorded as JSON text, as their value."""
    if isinstance(arguments, str) and arguments.lstrip()[:1] == "{":
        try:
            return json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
    return arguments
