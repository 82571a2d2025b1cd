"""From the spans of one trace, by any instrumentation, to the run of an agent.

Each span is read by its own convention. Spans that wrap the same call twice (a framework's around
an SDK's) count once. Who acts is the nearest agent above. As in a run that knitbone recorded, what
was said to a model, and what tools answered that no span shows, stands in the model calls' inputs.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from knitbone.core.events import (
    Event,
    Json,
    ModelCall,
    Origin,
    Outcome,
    Run,
    ToolCall,
)
from knitbone.tethering.importers import genai_spans, openinference
from knitbone.tethering.importers.messages import Requests
from knitbone.tethering.importers.span_values import DEFINITIONS, AgentSpan, error_of
from knitbone.tethering.otlp.span import Span

__all__ = ["run_from"]

_CONVERSATION = ("gen_ai.conversation.id", "session.id")

SAME_TOOLS = "knitbone.tools.event"
"""As in recorded runs: the event that holds the definitions of the tools offered to this one."""

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
    events = [linker.link(tree.placed(span)) for span in kept]
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
            known = openinference.KIND in span.attributes
            read = (openinference if known else genai_spans).read_span(span)
            if isinstance(read, AgentSpan):
                self.agents[span.span_id] = read
            elif read is not None:
                self.events[span.span_id] = read
        self._drop_doubles()

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
        self._tools: tuple[str, Json] | None = None
        """The call that was offered tools last, and which."""

    def link(self, event: Event) -> Event:
        """The event; a tool's with the call that asked for it, and what that call says of it."""
        if isinstance(event, ModelCall) and event.output is not None:
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

    def _offered(self, event: ModelCall) -> ModelCall:
        """The call; tools that were offered before are named by the event that has them."""
        offered = event.attributes[DEFINITIONS]
        if self._tools is None or self._tools[1] != offered:
            self._tools = (event.id, offered)
            return event
        others = {n: v for n, v in event.attributes.items() if n != DEFINITIONS}
        attributes = others | {SAME_TOOLS: self._tools[0]}
        return msgspec.structs.replace(event, attributes=attributes)
