"""What the calls in progress told their models: the messages, the tools, and the object that a tool
call's arguments came in.

Of a context, so that tasks and threads do not mix.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from knitbone.adaptation.runtime.said import Offer, offered_in

__all__ = ["HOLDER", "SYSTEM", "hear", "hear_system", "hear_tools", "heard_by", "offer_of"]

SYSTEM = "system"
"""In the place of a location: the argument is what the application itself tells the model."""

HOLDER: ContextVar[Any] = ContextVar("knitbone_holder", default=None)
"""The object whose field the arguments at hand are."""
_heard: ContextVar[dict[int, Any]] = ContextVar("knitbone_heard")
"""By number of the site."""
_systems: ContextVar[dict[int, Any]] = ContextVar("knitbone_systems")
"""By number of the site: system prompts that are arguments of their own."""
_offers: ContextVar[dict[int, Offer]] = ContextVar("knitbone_offers")
"""By number of the site; kept until its next call, for one answer may call several tools."""


def hear(value: Any, number: int) -> None:
    """An argument of a model's call, on its way there."""
    _heard.set({**_heard.get({}), number: value})


def hear_system(value: Any, number: int) -> None:
    """A system prompt beside the question, on its way to the model."""
    _systems.set({**_systems.get({}), number: value})


def heard_by(number: int) -> Any:
    """What this site's call was told, its system prompt first; forgotten with that."""
    asked, system = _taken(_heard, number), _taken(_systems, number)
    if system is None:
        return asked
    told = {"role": "system", "content": system}
    return [told] if asked is None else [told, asked]


def _taken(held: ContextVar[dict[int, Any]], number: int) -> Any:
    values = held.get(None)
    if not values or number not in values:
        return None
    held.set({key: value for key, value in values.items() if key != number})
    return values[number]


def hear_tools(value: Any, number: int, place: str) -> None:
    """The tools that the model may call, on their way there."""
    offers = {key: offer for key, offer in _offers.get({}).items() if key != number}
    offer = offered_in(value, place)
    _offers.set(offers if offer is None else {**offers, number: offer})


def offer_of(number: int) -> Offer | None:
    """The tools that this site's last call told its model."""
    return _offers.get({}).get(number)
