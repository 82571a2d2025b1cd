"""Which model calls of a run are one conversation, and which conversation began which.

One recording may hold several agents: side by side in tasks or threads, one after another, one
that another called as its tool. They are told apart by what the calls carry, whatever the library:

1. A call whose input holds an earlier call's answer, after the very messages that were that call's
   input, goes on with its conversation. So does one that names the response it follows.
2. Where several conversations read alike (six workers, one prompt), the call that was made last in
   the same task or thread decides; the recorder notes it (``PREVIOUS``).
3. A call that begins anew while a tool call runs, or while the last call in its task waits for its
   tools, begins a conversation below that one.
4. A call that begins anew with words that an earlier answer brought goes on with it (a chain of
   prompts), and so does the same request made again after a failure.
5. Any other call that begins anew is a conversation of its own.

A run whose model calls carry no input (most imported message lists) is one conversation.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator, Sequence

import msgspec

from knitbone.record.events import (
    ChatMessage,
    Event,
    Message,
    ModelCall,
    Outcome,
    Position,
    Retrieval,
    Run,
    ToolCall,
)

__all__ = ["Conversation", "conversations_of", "families_of", "part_of"]

PREVIOUS = "knitbone.previous_call"
"""Attribute of a recorded call: the model call made before it in the same task or thread."""

_RESPONSE, _FOLLOWS = "gen_ai.response.id", "knitbone.request.previous_response_id"
_NAMED = "gen_ai.conversation.id"

_CLIP = 4_000
"""Characters of a message by which it is recognised (ours)."""
_PIECE = 16
"""Characters of the shortest line or sentence of an answer whose return in a later request shows
that it was taken up (ours): shorter ones are words that anybody uses."""
_PIECES, _ANSWERS = 20, 50
"""Pieces of an answer, and answers back, that are looked for (ours)."""

_Key = tuple[str, str, tuple[str, ...]]


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """One of a run's conversations."""

    number: int
    """Counted from 0, in the order in which they begin."""
    parent: int | None
    """The conversation in which it was begun, as a tool or from within one."""
    events: tuple[int, ...]
    """Positions of its events in the run."""


def conversations_of(run: Run) -> tuple[Conversation, ...]:
    """The conversations of a run; every event but its verdict is in exactly one."""
    splitting = _Splitting(run)
    for event in run.events:
        if isinstance(event, ModelCall):
            splitting.call(event)
    places = splitting.places()
    events: dict[int, list[int]] = {number: [] for number in range(splitting.count)}
    for number, place in enumerate(places):
        if place is not None:
            events.setdefault(place, []).append(number)
    return tuple(
        Conversation(number=k, parent=splitting.parent_of(k), events=tuple(events[k]))
        for k in sorted(events)
    )


def families_of(conversations: Sequence[Conversation]) -> list[list[Conversation]]:
    """Those that hang together: each root with all that was begun below it."""
    roots: dict[int, int] = {}
    families: dict[int, list[Conversation]] = {}
    for conversation in conversations:
        parent = conversation.parent
        roots[conversation.number] = (
            conversation.number if parent is None else roots.get(parent, parent)
        )
        families.setdefault(roots[conversation.number], []).append(conversation)
    return list(families.values())


def part_of(run: Run, numbers: Sequence[int]) -> Run:
    """The run with these of its events alone, each still at its own position, and its verdict."""
    chosen = {*numbers}
    events: list[Event] = []
    for number, event in enumerate(run.events):
        if number in chosen:
            position = event.position or Position(index=number)
            events.append(msgspec.structs.replace(event, position=position))
        elif isinstance(event, Outcome):
            events.append(event)
    return msgspec.structs.replace(run, events=tuple(events))


class _Splitting:
    """The conversations so far."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._by_id = {event.id: event for event in run.events}
        self._carried = any(isinstance(e, ModelCall) and e.input for e in run.events)
        self._place: dict[str, int] = {}
        """By model call."""
        self._parents: list[str | None] = []
        """By conversation: the event that it was begun below."""
        self._prefixes: dict[tuple[_Key, ...], list[ModelCall]] = {}
        self._answers: dict[_Key, list[ModelCall]] = {}
        self._responses: dict[str, ModelCall] = {}
        self._named: dict[str, ModelCall] = {}
        self._first_words: dict[tuple[str | None, str], ModelCall] = {}
        self._continued: set[str] = set()
        self._recent: deque[tuple[ModelCall, list[str]]] = deque(maxlen=_ANSWERS)
        self._last: ModelCall | None = None

    @property
    def count(self) -> int:
        return max(1, len(self._parents))

    def call(self, call: ModelCall) -> None:
        """Find the place of a model call; they come in the order in which they ended."""
        keys = _keys(call.input)
        before = self._goes_on_with(call, keys) if self._carried else self._last
        if before is not None:
            self._continued.add(before.id)
            self._place[call.id] = self._place[before.id]
        else:
            self._place[call.id] = len(self._parents)
            self._parents.append(self._began_below(call))
        self._remember(call, keys)

    def _remember(self, call: ModelCall, keys: tuple[_Key, ...]) -> None:
        self._last = call
        words = next((text for role, text, _ in keys if role == "user"), "")
        self._first_words[call.agent, words] = call
        for name, table in ((_RESPONSE, self._responses), (_NAMED, self._named)):
            value = call.attributes.get(name)
            if isinstance(value, str):
                table[value] = call
        if call.output is None:
            return
        said = _key(call.output)
        self._prefixes.setdefault((*keys, said), []).append(call)
        self._answers.setdefault(said, []).append(call)
        self._recent.append((call, _pieces(call.output.content)))

    def _goes_on_with(self, call: ModelCall, keys: tuple[_Key, ...]) -> ModelCall | None:
        """The earlier call of its conversation; ``None`` where it begins one."""
        previous = self._previous(call)
        named = self._responses.get(str(call.attributes.get(_FOLLOWS)))
        if named is not None:
            return named
        spoke = [k for k, key in enumerate(keys) if key[0] == "assistant"]
        if spoke:
            exact = self._prefixes.get(keys[: spoke[-1] + 1], [])
            alike = [c for k in reversed(spoke) for c in self._answers.get(keys[k], [])]
            words = next((text for role, text, _ in keys if role == "user"), "")
            same_begin = self._first_words.get((call.agent, words))
            found = self._choose(exact, previous) or self._choose(alike, previous) or same_begin
            if found is not None:
                return found
        named = self._named.get(str(call.attributes.get(_NAMED)))
        if named is not None or self._began_below(call) is not None:
            return named
        return self._takes_up(call, previous, keys)

    def _choose(self, found: Sequence[ModelCall], previous: ModelCall | None) -> ModelCall | None:
        """Of calls that read alike: the one of the same task, else the first that nobody has gone
        on with, else the last."""
        if previous is not None and any(call.id == previous.id for call in found):
            return previous
        waiting = (call for call in found if call.id not in self._continued)
        return next(waiting, found[-1] if found else None)

    def _previous(self, call: ModelCall) -> ModelCall | None:
        """The model call before it in its task or thread, if the recorder noted one."""
        event = self._by_id.get(str(call.attributes.get(PREVIOUS)))
        return event if isinstance(event, ModelCall) and event.id in self._place else None

    def _began_below(self, call: ModelCall) -> str | None:
        """The event that a conversation was begun in: a tool's execution, or a call that waits for
        its tools in the same task."""
        if call.parent is not None:
            return call.parent
        above = self._previous(call)
        while above is not None:
            waits = above.output is not None and bool(above.output.tool_calls)
            if waits and above.id not in self._continued:
                return above.id
            # It has ended; what it was begun in may go on with the next of its tools.
            begun_in = self._by_id.get(self._parents[self._place[above.id]] or "")
            above = begun_in if isinstance(begun_in, ModelCall) else None
        return None

    def _takes_up(
        self, call: ModelCall, previous: ModelCall | None, keys: tuple[_Key, ...]
    ) -> ModelCall | None:
        before = previous or (None if PREVIOUS in call.attributes else self._last)
        if before is not None and before.error is not None and _keys(before.input) == keys:
            return before
        told = "\n".join(text for role, text, _ in keys if role != "assistant")
        for earlier, pieces in reversed(self._recent):
            if any(piece in told for piece in pieces):
                return earlier
        return None

    def places(self) -> list[int | None]:
        """By position the conversation of each event; ``None`` for the verdict."""
        found: list[int | None] = []
        asked: dict[str, int] = {}
        last = 0
        for event in self._run.events:
            place: int | None = last
            match event:
                case ModelCall():
                    place = last = self._place[event.id]
                    for request in event.output.tool_calls if event.output else ():
                        if request.call_id is not None:
                            asked[request.call_id] = place
                case Outcome() if event is self._run.outcome:
                    place = None
                case ToolCall() | Retrieval():
                    of_call = (
                        asked.get(event.call_id or "") if isinstance(event, ToolCall) else None
                    )
                    place = self._place_of(event, last if of_call is None else of_call)
                case Message():
                    pass
                case _:
                    place = self._place_of(event, last)
            found.append(place)
        return found

    def _place_of(self, event: Event, otherwise: int) -> int:
        """The conversation of an event that another one caused."""
        for cause in self._causes(event):
            if cause in self._place:
                return self._place[cause]
        previous = event.attributes.get(PREVIOUS)
        return self._place.get(str(previous), otherwise)

    def _causes(self, event: Event) -> Iterator[str]:
        seen: set[str] = set()
        parent = event.parent
        while parent is not None and parent not in seen:
            seen.add(parent)
            yield parent
            above = self._by_id.get(parent)
            parent = above.parent if above is not None else None

    def parent_of(self, conversation: int) -> int | None:
        """The conversation that one was begun in."""
        below = self._parents[conversation] if conversation < len(self._parents) else None
        event = self._by_id.get(below or "")
        if event is None:
            return None
        place = self._place.get(event.id)
        place = self._place_of(event, -1) if place is None else place
        return place if 0 <= place < conversation else None


def _keys(messages: Sequence[ChatMessage]) -> tuple[_Key, ...]:
    return tuple(_key(message) for message in messages if message.role != "system")


def _key(message: ChatMessage) -> _Key:
    """What a message is recognised by, however a library writes it down again."""
    calls = tuple(call.call_id or call.name for call in message.tool_calls)
    return message.role, _spaced(message.content[:_CLIP]), calls


@functools.lru_cache(maxsize=512)
def _spaced(text: str) -> str:
    """A text with single spaces; remembered, since each call carries the messages before it."""
    return " ".join(text.split())


def _pieces(answer: str) -> list[str]:
    """Lines of an answer that are its own, as they may stand in a later request."""
    lines = (" ".join(line.split()) for line in answer[:_CLIP].splitlines())
    return [line for line in lines if len(line) >= _PIECE][:_PIECES]
