"""What the calls in progress told their models: the messages, the tools, and the object that a tool
call's arguments came in.

Of a context, so that tasks and threads do not mix.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from knitbone.adaptation.said import Offer, offered_in

__all__ = ["HOLDER", "hear", "hear_tools", "heard_by", "offer_of"]

HOLDER: ContextVar[Any] = ContextVar("knitbone_holder", default=None)
"""The object whose field the arguments at hand are."""
_heard: ContextVar[dict[int, Any]] = ContextVar("knitbone_heard")
"""By number of the site."""
_offers: ContextVar[dict[int, Offer]] = ContextVar("knitbone_offers")
"""By number of the site; kept until its next call, for one answer may call several tools."""


def hear(value: Any, number: int) -> None:
    """An argument of a model's call, on its way there."""
    _heard.set({**_heard.get({}), number: value})


def heard_by(number: int) -> Any:
    """What this site's call was told; forgotten with that."""
    held = _heard.get(None)
    if not held or number not in held:
        return None
    _heard.set({key: value for key, value in held.items() if key != number})
    return held[number]


def hear_tools(value: Any, number: int, place: str) -> None:
    """The tools that the model may call, on their way there."""
    offers = {key: offer for key, offer in _offers.get({}).items() if key != number}
    offer = offered_in(value, place)
    _offers.set(offers if offer is None else {**offers, number: offer})


def offer_of(number: int) -> Offer | None:
    """The tools that this site's last call told its model."""
    return _offers.get({}).get(number)
