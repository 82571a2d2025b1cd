"""The exchange of a call with its model: question, system prompt, tools and session, as one record.

The arguments of a call are noted on their way to the model, and taken up when its value arrives.
They are kept in the context (``contextvars``), so that tasks and threads do not mix.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import msgspec

from knitbone.adaptation.repair.checks import PromptMessage
from knitbone.adaptation.runtime.messages import ToolOffer, messages_in, offer_in
from knitbone.adaptation.runtime.session import Session, current_session

__all__ = [
    "Exchange",
    "exchange_of",
    "exchanges_under_way",
    "note_holder",
    "note_request",
    "note_system",
    "note_tools",
    "take_exchange",
]


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One call and what it told its model, in the types of its SDK."""

    request: Any = None
    """The question, prompt or messages; ``None`` where they are not known."""
    system: Any = None
    """A system prompt that is an argument of its own."""
    tools: ToolOffer | None = None
    """The tools that the model may call."""
    holder: Any = None
    """The object whose field the arguments of a tool call are."""
    session: Session | None = None
    """The conversation that the call belongs to; known when its value arrives."""

    def messages(self) -> tuple[PromptMessage, ...]:
        """Return the messages that the model was sent, the system prompt first; none where their
        types are not known."""
        if self.system is None:
            return () if self.request is None else messages_in(self.request)
        system = {"role": "system", "content": self.system}
        return messages_in([system] if self.request is None else [system, self.request])


_exchanges: ContextVar[dict[int, Exchange]] = ContextVar("knitbone_exchanges")
"""The exchanges in progress, by number of the site."""
_NOTHING = Exchange()


def note_request(value: Any, number: int) -> None:
    """Keep the argument that asks the model."""
    known = _exchanges.get({})
    old = known.get(number, _NOTHING)
    new = Exchange(request=value, system=old.system, tools=old.tools)
    others = {other: exchange for other, exchange in known.items() if other != number}
    _exchanges.set({**others, number: new})


def note_system(value: Any, number: int) -> None:
    """Keep the argument that is the system prompt."""
    known = _exchanges.get({})
    old = known.get(number, _NOTHING)
    new = Exchange(request=old.request, system=value, tools=old.tools)
    _exchanges.set({**known, number: new})


def note_tools(value: Any, number: int, place: str) -> None:
    """Keep the tools that the model may call, or that there are none.

    Args:
        place: ``file:line`` of the argument.
    """
    known = _exchanges.get({})
    old = known.get(number, _NOTHING)
    new = Exchange(request=old.request, system=old.system, tools=offer_in(value, place))
    _exchanges.set({**known, number: new})


def note_holder(value: Any, number: int) -> None:
    """Keep the object whose field the arguments of a tool call are."""
    known = _exchanges.get({})
    _exchanges.set(
        {**known, number: msgspec.structs.replace(known.get(number, _NOTHING), holder=value)}
    )


def exchanges_under_way() -> tuple[int, ...]:
    """Return the sites whose calls have been asked and brought no value yet, the last one first."""
    known = _exchanges.get(None)
    return tuple(reversed(known)) if known else ()


def exchange_of(number: int) -> Exchange | None:
    """Return the exchange of a site that is under way, if there is one."""
    return _exchanges.get({}).get(number)


def take_exchange(number: int) -> Exchange:
    """Return the exchange whose value has arrived at a site, and forget the question.

    The tools stay until others are told, for one answer may call several.
    """
    known = _exchanges.get(None)
    old = known.get(number) if known else None
    if known is None or old is None:
        return Exchange(session=current_session())
    left = {key: value for key, value in known.items() if key != number}
    if old.tools is not None:
        left[number] = Exchange(tools=old.tools)
    _exchanges.set(left)
    return msgspec.structs.replace(old, session=current_session())
