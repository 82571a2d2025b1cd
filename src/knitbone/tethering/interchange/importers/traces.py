"""From the spans of one trace, by any instrumentation, to the run of an agent.

Each span is read by its own convention. Spans that wrap the same call twice (a framework's around
an SDK's) count once. Who acts is the nearest agent above. As in a run that knitbone recorded, what
was said to a model, and what tools answered that no span shows, stands in the model calls' inputs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import takewhile

import msgspec

from knitbone.record.events import (
    ChatMessage,
    Event,
    Json,
    ModelCall,
    Origin,
    Outcome,
    Run,
    ToolCall,
)
from knitbone.tethering.interchange.importers import (
    ai_sdk,
    genai_spans,
    langfuse,
    langsmith,
    mlflow,
    openinference,
)
from knitbone.tethering.interchange.importers.messages import Requests
from knitbone.tethering.interchange.importers.span_values import DEFINITIONS, AgentSpan, error_of
from knitbone.tethering.interchange.spans.messages import one_turn
from knitbone.tethering.interchange.spans.span import Span

__all__ = ["run_from"]

_CONVERSATION = ("gen_ai.conversation.id", "session.id")

SAME_TOOLS = "knitbone.tools.event"
"""As in recorded runs: the event that holds the definitions of the tools offered to this one."""

_RESPONSE = "gen_ai.response.id"

_OPERATION = "gen_ai.operation.name"
_CONTENT = frozenset({
    "gen_ai.agent.name", "gen_ai.input.messages", "gen_ai.output.messages",
    "gen_ai.tool.call.arguments", "gen_ai.tool.call.result",
})  # fmt: skip

_MAX_BETWEEN = 32
"""Model calls of others among which a conversation is looked for (ours)."""
_MAX_LEVELS = 256
"""Spans above one that are looked at; instrumented programs nest a few dozen."""


def run_from(spans: Sequence[Span], *, source_format: str, path: str, record: int) -> Run | None:
    """The run that a trace shows; ``None`` where no span of it is a step of an agent.

    Spans may stand in any order, and their parents may be missing.
    """
    ordered = sorted(spans, key=lambda span: span.start_ns)  # stable: then as in the file
    tree = _Tree(ordered)
    kept = [span for span in ordered if span.span_id in tree.events]
    if not kept:
        return None
    linker = _Linker()
    events = [linker.link(event) for event in _answered([tree.placed(span) for span in kept])]
    top = tree.root(kept[0])
    for root in map(tree.root, kept):
        if root.failed and (error := error_of(root)) is not None:
            reason = f"{error.type}: {error.message}"[:500]
            events.append(Outcome(id=f"{top.span_id}.outcome", success=False, reason=reason))
            break
    identity: dict[str, Json] = {"trace_id": top.trace_id}
    for span in ordered:
        for name in _CONVERSATION:
            if isinstance(value := span.attributes.get(name), str):
                identity.setdefault(name, value)
    return Run(
        id=top.trace_id, name=top.name[:200], task=_task(tree, events),
        started_ns=ordered[0].start_ns, ended_ns=max(span.end_ns or 0 for span in ordered),
        origin=Origin(format=source_format, path=path, record=record, identity=identity),
        events=tuple(events),
    )  # fmt: skip


def _answered(events: Sequence[Event]) -> list[Event]:
    """The events; what a model said that its own span does not tell (OpenLLMetry's, of the Agents
    SDK's chat completions), from the next call that continues its conversation."""
    found = list(events)
    calls = [(n, event) for n, event in enumerate(events) if isinstance(event, ModelCall)]
    for at, (number, call) in enumerate(calls):
        if call.output is not None or call.error is not None or not call.input:
            continue
        length = len(call.input)
        for _, later in calls[at + 1 : at + 1 + _MAX_BETWEEN]:
            told = takewhile(lambda message: message.role == "assistant", later.input[length:])
            if later.input[:length] == call.input and (said := tuple(told)):
                found[number] = msgspec.structs.replace(call, output=one_turn(said))
                break
    return found


def _task(tree: _Tree, events: Sequence[Event]) -> str:
    """The first thing that a user said to a model, else what the first agent was given."""
    for event in events:
        for message in event.input if isinstance(event, ModelCall) else ():
            if message.role == "user" and message.content:
                return message.content
    return next((agent.task for agent in tree.agents.values() if agent.task), "")


class _Tree:
    """What each span is, and what stands above it."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = {span.span_id: span for span in spans}
        self.agents: dict[str, AgentSpan] = {}
        self.events: dict[str, Event] = {}
        for span in spans:
            read = _read(span)
            if isinstance(read, AgentSpan):
                self.agents[span.span_id] = read
            elif read is not None:
                self.events[span.span_id] = read
        self._drop_doubles()
        self._drop_reported_twice()

    def above(self, span_id: str) -> list[Span]:
        """The spans above one, nearest first; a missing parent or a circle ends the list."""
        found: list[Span] = []
        seen = {span_id}
        parent = self._spans[span_id].parent_id or ""
        while parent in self._spans and parent not in seen and len(found) < _MAX_LEVELS:
            seen.add(parent)
            found.append(self._spans[parent])
            parent = self._spans[parent].parent_id or ""
        return found

    def root(self, span: Span) -> Span:
        """The topmost span that is there."""
        return next(reversed(self.above(span.span_id)), span)

    def _drop_doubles(self) -> None:
        """Keep the innermost of model calls inside one another, the outermost of the same tool."""
        for span_id in list(self.events):
            event = self.events.get(span_id)
            for span in self.above(span_id) if event is not None else ():
                outer = self.events.get(span.span_id)
                if isinstance(event, ModelCall) and isinstance(outer, ModelCall):
                    self.events[span_id] = _filled(event, outer)
                    del self.events[span.span_id]
                elif isinstance(event, ToolCall) and isinstance(outer, ToolCall):
                    if event.name == outer.name:
                        del self.events[span_id]
                    break
                if span.span_id in self.agents or isinstance(outer, ToolCall):
                    break

    def _drop_reported_twice(self) -> None:
        """Of spans side by side for one answer of a model, keep the one that says more.

        An SDK that reports itself (Anthropic's) and an instrumentation of it both name the
        answer's identifier, and one lies within the other in time.
        """
        spoken: dict[str, list[str]] = {}
        for span_id, event in self.events.items():
            answer = event.attributes.get(_RESPONSE)
            if isinstance(event, ModelCall) and isinstance(answer, str) and answer:
                spoken.setdefault(answer, []).append(span_id)
        for first, *others in spoken.values():
            kept = first
            for other in others:
                if not _overlap(self._spans[kept], self._spans[other]):
                    kept = other
                    continue
                less, more = sorted((kept, other), key=lambda s: _says(self.events[s]))
                del self.events[less]
                kept = more

    def placed(self, span: Span) -> Event:
        """The event of a span, with its agent, and the step that it is part of as its parent."""
        event = self.events[span.span_id]
        above = self.above(span.span_id)
        agent = event.agent
        for outer in above if agent is None else ():
            named = self.agents.get(outer.span_id)
            if named is not None and named.name is not None:
                agent = named.name
                break
        parent = next((outer.span_id for outer in above if outer.span_id in self.events), None)
        return msgspec.structs.replace(event, agent=agent, parent=parent)


def _read(span: Span) -> Event | AgentSpan | None:
    """What the span says by the convention that it follows.

    OpenInference and Langfuse also annotate spans that follow the GenAI conventions themselves;
    these lose nothing where they are read as they were written.
    """
    if _OPERATION in span.attributes and not _CONTENT.isdisjoint(span.attributes):
        return genai_spans.read_span(span)
    for convention in (openinference, ai_sdk, mlflow, langsmith):
        if convention.KIND in span.attributes:
            return convention.read_span(span)
    if langfuse.KIND in span.attributes and (read := langfuse.read_span(span)) is not None:
        return read
    return genai_spans.read_span(span)


def _overlap(one: Span, other: Span) -> bool:
    """Whether one of two spans lies within the other in time."""
    outer, inner = sorted((one, other), key=lambda s: (s.start_ns, -(s.end_ns or 0)))
    return (inner.end_ns or inner.start_ns) <= (outer.end_ns or outer.start_ns)


def _says(event: Event) -> int:
    """How much of the call an event tells."""
    call = event if isinstance(event, ModelCall) else None
    return 0 if call is None else len(call.input) + (call.output is not None)


def _filled(inner: ModelCall, outer: ModelCall) -> ModelCall:
    """The inner call; its content from the outer one where it was not captured."""
    if inner.output is None and not inner.input and inner.error is None:
        return msgspec.structs.replace(inner, input=outer.input, output=outer.output)
    return inner


class _Linker:
    """Ties each tool to the model call that asked for it."""

    def __init__(self) -> None:
        self._requests = Requests()
        self._agents: dict[str, str | None] = {}
        self._asked: set[str | None] = set()
        """Identifiers of calls that models asked for."""
        self._tools: tuple[str, Json] | None = None
        """The call that was offered tools last, and which."""

    def link(self, event: Event) -> Event:
        """The event; a tool's with the call that asked for it, and what that call says of it."""
        if isinstance(event, ModelCall):
            event = self._paired(event)
        if isinstance(event, ModelCall) and event.output is not None:
            self._asked.update(call.call_id for call in event.output.tool_calls)
            self._requests.add(event.id, event.output.tool_calls)
            self._agents[event.id] = event.agent
        if isinstance(event, ModelCall) and DEFINITIONS in event.attributes:
            return self._offered(event)
        if not isinstance(event, ToolCall):
            return event
        asked, request = self._requests.answer(event.call_id, event.name)
        arguments = event.arguments
        if request is not None and not isinstance(arguments, dict):
            arguments = request.arguments
        return msgspec.structs.replace(
            event,
            agent=event.agent or self._agents.get(asked or ""),
            parent=asked or event.parent,
            arguments=arguments,
            call_id=event.call_id or (request.call_id if request is not None else None),
        )

    def _paired(self, event: ModelCall) -> ModelCall:
        """The call; an answer that names no call asked for answers the first that is still open.

        OpenLLMetry names a call of the Responses API by the item's ``id``, its answer by
        ``call_id``.
        """
        answered = {message.tool_call_id for message in event.input if message.role == "tool"}
        if answered <= self._asked:
            return event
        waiting: deque[str | None] = deque()
        given: list[ChatMessage] = []
        for message in event.input:
            ids = [call.call_id for call in message.tool_calls]
            waiting.extend(k for k in ids if k in self._asked and k not in answered)
            if message.role == "tool" and message.tool_call_id not in self._asked and waiting:
                given.append(msgspec.structs.replace(message, tool_call_id=waiting.popleft()))
            else:
                given.append(message)
        return msgspec.structs.replace(event, input=tuple(given))

    def _offered(self, event: ModelCall) -> ModelCall:
        """The call; tools that were offered before are named by the event that has them."""
        offered = event.attributes[DEFINITIONS]
        if self._tools is None or self._tools[1] != offered:
            self._tools = (event.id, offered)
            return event
        others = {n: v for n, v in event.attributes.items() if n != DEFINITIONS}
        attributes = others | {SAME_TOOLS: self._tools[0]}
        return msgspec.structs.replace(event, attributes=attributes)
