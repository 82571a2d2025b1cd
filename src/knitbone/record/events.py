"""The trace: one data model for everything that happened in a run (design: one record).

A ``Run`` is an ordered list of events and is immutable once finished. What people or
algorithms later say about it (labels, diagnoses, findings, guidance) is an ``Annotation``, a
separate record keyed by run and event.

Fields carry the meaning of the OpenTelemetry GenAI semantic conventions where those have a name
for the thing; the name stands in the field's comment. Times are UTC nanoseconds.

Records are ``msgspec.Struct``: ``benchmarks/records`` compares them with pydantic and slotted
dataclasses.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec

from knitbone.record.plain import plain

__all__ = [
    "DAMAGE",
    "LOST_EVENTS",
    "LOST_REASON",
    "MISSING_EVENTS",
    "SCHEMA_VERSION",
    "Adaptation",
    "Annotation",
    "ChatMessage",
    "Document",
    "ErrorInfo",
    "Event",
    "EventBase",
    "Intervention",
    "Json",
    "Message",
    "ModelCall",
    "Origin",
    "Outcome",
    "Position",
    "Retrieval",
    "Run",
    "ToolCall",
    "ToolCallRequest",
    "Usage",
    "decode_event",
    "encode_json",
    "success_of",
]

SCHEMA_VERSION = 1
"""Version of the record layout."""

LOST_EVENTS, LOST_REASON = "knitbone.lost_events", "knitbone.lost_reason"
"""Attributes of a run of which events are missing, because no store took them or the store was
damaged: how many, and why."""
MISSING_EVENTS = "knitbone.import.missing_events"
"""Attribute of an imported run: how many of its events were not in the file."""
DAMAGE = "knitbone.damage"
"""Attribute of an event, or of a run, of which a part was lost: which, and why."""

Json = Any
"""A JSON value. Untrusted: whoever reads into it parses it first."""


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Where an event stood in the file it was imported from."""

    index: int
    """0-based position in the source file's own message list."""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where an imported run came from."""

    format: str
    """Name of the importer, such as ``messages``."""
    path: str | None = None
    """File name as given by the user."""
    record: int | None = None
    """0-based position of the run among the file's runs."""
    identity: dict[str, Json] = {}
    """The file's own identifiers, such as ``{"task_id": 3, "trial": 0}``."""


class ErrorInfo(msgspec.Struct, frozen=True, kw_only=True):
    """An error as data."""

    type: str  # error.type
    message: str = ""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What a model call consumed; ``None`` where the provider did not say."""

    input_tokens: int | None = None  # gen_ai.usage.input_tokens
    output_tokens: int | None = None  # gen_ai.usage.output_tokens
    cost_usd: float | None = None
    """US dollars, from the configured price list; ``None`` when no price is known."""


class ToolCallRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call that a model asked for (it may never have run)."""

    name: str
    arguments: Json = None
    """The parsed arguments, or the raw text where they did not parse."""
    call_id: str | None = None


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message of a conversation, in the vocabulary shared by all providers."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCallRequest, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One retrieved entry."""

    text: str
    id: str | None = None
    score: float | None = None
    metadata: dict[str, Json] = {}


class EventBase(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=True, omit_defaults=True
):
    """What every event carries."""

    id: str
    started_ns: int = 0
    ended_ns: int | None = None
    parent: str | None = None
    """Identifier of the event that caused this one: a tool call names the model call that asked
    for it."""
    agent: str | None = None  # gen_ai.agent.name
    position: Position | None = None
    attributes: dict[str, Json] = {}
    """Further attributes under their OpenTelemetry names."""


class ModelCall(EventBase, frozen=True, kw_only=True, tag="model_call", omit_defaults=True):
    """One inference of a chat model."""

    model: str = ""  # gen_ai.request.model
    provider: str | None = None  # gen_ai.provider.name
    operation: str = "chat"  # gen_ai.operation.name
    input: tuple[ChatMessage, ...] = ()  # gen_ai.input.messages
    output: ChatMessage | None = None  # gen_ai.output.messages
    finish_reason: str | None = None  # gen_ai.response.finish_reasons
    usage: Usage | None = None
    error: ErrorInfo | None = None


class ToolCall(EventBase, frozen=True, kw_only=True, tag="tool_call", omit_defaults=True):
    """One execution of a tool."""

    name: str  # gen_ai.tool.name
    call_id: str | None = None  # gen_ai.tool.call.id
    arguments: Json = None  # gen_ai.tool.call.arguments
    result: Json = None  # gen_ai.tool.call.result
    error: ErrorInfo | None = None


class Retrieval(EventBase, frozen=True, kw_only=True, tag="retrieval", omit_defaults=True):
    """One query to a retriever and what came back."""

    query: str
    source: str | None = None  # gen_ai.data_source.id
    documents: tuple[Document, ...] = ()


class Message(EventBase, frozen=True, kw_only=True, tag="message", omit_defaults=True):
    """Something said by the user or by the environment."""

    role: Literal["system", "user", "environment"]
    content: str


class Adaptation(EventBase, frozen=True, kw_only=True, tag="adaptation", omit_defaults=True):
    """What adapt did, or refused to do, to one output, and why."""

    site: str
    """``file:line`` of the place that produced the value."""
    requirement: str
    """The requirement as a person reads it."""
    evidence: str = ""
    """``file:line  expression`` of the consumer that the requirement was read from."""
    defect: str = ""
    """Which of the seven defects, such as ``template discrepancy``."""
    action: Literal["repaired", "refused", "unread", "observed", "raised", "failed"]
    """``refused``: no verified repair exists; ``unread``: too long, or not read in time, so nothing
    is known of it; ``observed``: mode is observe; ``failed``: our own error. All but ``repaired``
    pass the original on."""
    rules: tuple[str, ...] = ()
    before: str = ""
    after: str | None = None
    reason: str = ""


class Intervention(EventBase, frozen=True, kw_only=True, tag="intervention", omit_defaults=True):
    """What tether injected into a supervised run, and why."""

    trigger: Literal["tool_return", "text_response"]
    signal: str
    content: str
    reason: str = ""


def success_of(success: bool | None, reward: float | None) -> bool | None:
    """Whether a run succeeded; where nobody said so, a full reward of 1 is a success.

    τ-bench §3: the reward is 1 when the database and the answers are as they should be, else 0.
    """
    if success is not None or reward is None or math.isnan(reward):
        return success
    return reward >= 1.0 - 1e-6


class Outcome(EventBase, frozen=True, kw_only=True, tag="outcome", omit_defaults=True):
    """The verdict on the run; a reward alone is one, too (``success_of``)."""

    success: bool | None = None
    reward: float | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "success", success_of(self.success, self.reward))


Event = ModelCall | ToolCall | Retrieval | Message | Adaptation | Intervention | Outcome


class Run(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An ordered list of events; immutable.

    ``ended_ns`` is ``None`` while the run is being recorded, or when its process died.
    """

    id: str
    name: str = ""
    task: str = ""
    """What was asked of the agent, in words."""
    started_ns: int = 0
    ended_ns: int | None = None
    origin: Origin | None = None
    attributes: dict[str, Json] = {}
    events: tuple[Event, ...] = ()
    schema_version: int = SCHEMA_VERSION

    @property
    def outcome(self) -> Outcome | None:
        """The last verdict recorded in the run, if any."""
        return next((e for e in reversed(self.events) if isinstance(e, Outcome)), None)


class Annotation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something said about a run, or about one event of it, after the fact."""

    id: str
    run: str
    kind: Literal["label", "diagnosis", "finding", "guidance", "outcome"]
    body: Json
    event: str | None = None
    created_ns: int = 0


_encoder = msgspec.json.Encoder(enc_hook=plain)
_event_decoder = msgspec.json.Decoder(Event)


def encode_json(record: Any) -> bytes:
    """A record as UTF-8 JSON; of a value that JSON does not know travels what ``plain`` gives."""
    return _encoder.encode(record)


def decode_event(data: bytes | str) -> Event:
    """The inverse of ``encode_json`` for one event."""
    return _event_decoder.decode(data)
