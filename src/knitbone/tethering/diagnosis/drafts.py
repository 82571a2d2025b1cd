"""Which events of a run belong to which transition unit.

An imported conversation says who asked for a tool call, and carries what people said as messages
of their own. A recorded run often does not: the application runs its tools itself, and what they
answered, like what the user said, is seen only in the *input* of the model call after it. Both are
grouped alike here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from knitbone.record.events import (
    Adaptation,
    ChatMessage,
    Event,
    Intervention,
    Message,
    ModelCall,
    Outcome,
    Retrieval,
    Run,
    ToolCall,
    ToolCallRequest,
    encode_json,
)
from knitbone.tethering.diagnosis.context import ContextNode, context_of
from knitbone.tethering.diagnosis.error_reports import error_in, plain_words
from knitbone.tethering.diagnosis.vocabulary import did_not_run, is_no_result

__all__ = ["UnitCall", "UnitDraft", "draft_units", "new_messages", "unanswered"]


class UnitCall(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call of a unit."""

    tool: str
    arguments: Any = None
    result: str = ""
    error: str | None = None
    """What the result, or the recorded error, says went wrong."""
    ran: bool = True
    """Whether the call was made: something answered it, and did not say that it was left out."""

    @property
    def signature(self) -> str:
        """Tool and arguments: two equal ones are the same call."""
        return f"{self.tool} {encode_json(self.arguments).decode('utf-8')[:2_000]}"


class OpenRequests:
    """Calls that a model asked for and nothing has answered yet, in the order of asking.

    A turn may ask for thousands at once, so none is searched for.
    """

    def __init__(self, requests: Iterable[ToolCallRequest]) -> None:
        self._requests = dict(enumerate(requests))
        self._by_id: dict[str, deque[int]] = {}
        self._by_name: dict[str, deque[int]] = {}
        for place, request in self._requests.items():
            self._by_name.setdefault(request.name, deque()).append(place)
            if request.call_id is not None:
                self._by_id.setdefault(request.call_id, deque()).append(place)

    def __iter__(self) -> Iterator[ToolCallRequest]:
        return iter(self._requests.values())

    def waits_for(self, name: str) -> bool:
        """Whether a call of this tool is open."""
        return self._first(self._by_name.get(name)) is not None

    def take(self, call_id: str | None, name: str | None) -> ToolCallRequest | None:
        """The open request that an answer belongs to: by identifier, else the first by name."""
        place = None if call_id is None else self._first(self._by_id.get(call_id))
        if place is None and name is not None:
            place = self._first(self._by_name.get(name))
        return None if place is None else self._requests.pop(place)

    def _first(self, places: deque[int] | None) -> int | None:
        """The first of these that is still open; those that are not are forgotten."""
        while places and places[0] not in self._requests:
            places.popleft()
        return places[0] if places else None


class UnitDraft:
    """A unit while the events that belong to it are still coming."""

    def __init__(
        self, index: int, event: ModelCall | ToolCall | Retrieval, seen: list[str]
    ) -> None:
        self.index = index
        self.event = event
        self.seen = seen
        self.calls: list[UnitCall] = []
        asked = event.output.tool_calls if isinstance(event, ModelCall) and event.output else ()
        self.open = OpenRequests(asked)
        self.heard: list[str] = []
        """What people said afterwards."""
        self.ran: list[str] = []
        """What the environment reported afterwards, such as a code executor."""
        self.context: list[ContextNode] = list(context_of(event))


def draft_units(run: Run) -> list[UnitDraft]:
    """The drafts of a run's units, in order; time and memory linear in the run's length.

    Every model call begins a unit; so does a tool call or a retrieval that no model call asked
    for.
    """
    grouping = _Grouping(run)
    for number, event in enumerate(run.events):
        grouping.add(number, event)
    return grouping.drafts


def new_messages(call: ModelCall) -> tuple[ChatMessage, ...]:
    """What a model call is told that its conversation did not hold before: all that follows the
    model's own last words."""
    start = len(call.input)
    while start and call.input[start - 1].role != "assistant":
        start -= 1
    return tuple(message for message in call.input[start:] if message.role != "system")


class _Grouping:
    """The drafts so far, and what of the run is still without a place."""

    def __init__(self, run: Run) -> None:
        self.drafts: list[UnitDraft] = []
        self._owners: dict[str, UnitDraft] = {}
        """By event: also the events inside a unit, so that what they caused follows them."""
        self._asked: dict[str, UnitDraft] = {}
        """By identifier of a requested call: the unit that asked for it last."""
        self._waiting: dict[str, list[UnitDraft]] = {}
        """By tool: units with an unanswered request for it."""
        self._outside: list[str] = []
        self._known: set[str] = set()
        """The same texts."""
        self._verdict = run.outcome
        self._recorded = any(isinstance(e, ModelCall) and e.input for e in run.events)

    def add(self, number: int, event: Event) -> None:
        match event:
            case Message():
                self._message(event)
            case Outcome() | Adaptation() | Intervention():
                self._note(event)
            case ToolCall():
                self._tool_call(number, event)
            case Retrieval():
                owner = self._owners.get(event.parent or "")
                if owner is None or isinstance(owner.event, Retrieval):
                    self._begin(number, event)
                else:
                    owner.ran.extend(document.text for document in event.documents)
                    self._join(owner, event)
            case ModelCall():
                self._told(event)
                draft = self._begin(number, event)
                for request in draft.open:
                    self._waiting.setdefault(request.name, []).append(draft)
                    if request.call_id is not None:
                        self._asked[request.call_id] = draft

    def _begin(self, number: int, event: ModelCall | ToolCall | Retrieval) -> UnitDraft:
        index = event.position.index if event.position else number
        draft = UnitDraft(index, event, self._outside)
        self._outside, self._known = [], set()
        self.drafts.append(draft)
        self._owners[event.id] = draft
        return draft

    def _join(self, owner: UnitDraft, event: Event) -> None:
        owner.context.extend(context_of(event))
        self._owners[event.id] = owner

    def _note(self, event: Outcome | Adaptation | Intervention) -> None:
        """A record about a unit. The run's own verdict is about no unit in particular."""
        if event is self._verdict or not self.drafts:
            return
        owner = self._owners.get(event.parent or "", self.drafts[-1])
        owner.context.extend(context_of(event))

    def _message(self, event: Message) -> None:
        if event.role == "system":
            return  # policies and prompts are no step; see ``units.system_texts``
        if self._recorded and event.content in self._known:
            return
        self._hear(event.content)
        if self.drafts:
            ran = event.role == "environment" and not is_no_result(event.content)
            last = self.drafts[-1]
            (last.ran if ran else last.heard).append(event.content)

    def _hear(self, text: str) -> None:
        self._outside.append(text)
        self._known.add(text)

    def _tool_call(self, number: int, event: ToolCall) -> None:
        owner = self._owners.get(event.parent or "") or self._asker(event)
        if owner is None and event.arguments is None and self.drafts:
            owner = self.drafts[-1]  # an answer whose request is not in the source
        if owner is None:
            draft = self._begin(number, event)
            draft.calls.append(_call(event))
            return
        owner.open.take(event.call_id, event.name)
        owner.calls.append(_call(event))
        self._join(owner, event)

    def _asker(self, event: ToolCall) -> UnitDraft | None:
        """The unit that asked for a call which does not name its parent."""
        if event.call_id is not None and event.call_id in self._asked:
            return self._asked[event.call_id]
        waiting = self._waiting.get(event.name, [])
        while waiting:
            draft = waiting[-1]
            if draft.open.waits_for(event.name):
                return draft
            waiting.pop()
        return None

    def _told(self, event: ModelCall) -> None:
        """Answers and words that only the input of a recorded model call shows."""
        for message in new_messages(event):
            if message.role == "tool":
                self._answer(message)
            elif message.role == "user" and message.content not in self._known:
                self._hear(message.content)
                # What another agent is told is no answer to this one.
                if self.drafts and self.drafts[-1].event.agent == event.agent:
                    self.drafts[-1].heard.append(message.content)

    def _answer(self, message: ChatMessage) -> None:
        owner = self._asked.get(message.tool_call_id or "")
        if owner is None:
            owner = next(iter(reversed(self._waiting.get(message.name or "", []))), None)
        # An identifier that is no longer open: recorded as a tool call, or answered before.
        name = message.name if message.tool_call_id is None else None
        request = owner.open.take(message.tool_call_id, name) if owner else None
        if owner is None or request is None:
            return
        error = error_in(message.content, tool=request.name)
        owner.calls.append(
            UnitCall(
                tool=request.name,
                arguments=request.arguments,
                result=message.content,
                error=error,
                ran=not did_not_run(message.content),
            )
        )


def _call(event: ToolCall) -> UnitCall:
    error = (
        f"{event.error.type}: {plain_words(event.error.message)}"
        if event.error
        else error_in(event.result, tool=event.name)
    )
    result = _text(event.result)
    return UnitCall(
        tool=event.name, arguments=event.arguments, result=result, error=error,
        ran=not did_not_run(result),
    )  # fmt: skip


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else encode_json(value).decode("utf-8")


def unanswered(requests: Iterable[ToolCallRequest]) -> tuple[UnitCall, ...]:
    """Calls that no tool answered: the run ended, or the answer is missing."""
    return tuple(UnitCall(tool=call.name, arguments=call.arguments, ran=False) for call in requests)
