"""The delivery of an output of a model, retriever or splitter to the application."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from knitbone.adaptation.runtime.active_site import ActiveSite
from knitbone.adaptation.runtime.exchange import note_request
from knitbone.adaptation.runtime.hook import adapt_stream
from knitbone.adaptation.runtime.preload import resume_loading
from knitbone.adaptation.runtime.registry import active_site
from knitbone.adaptation.runtime.values.stream_managers import wrap_manager
from knitbone.adaptation.runtime.values.streams import is_stream
from knitbone.common.hooks import deliver, is_observed

__all__ = ["deliver_answer", "deliver_chain_output", "pulse", "set_pulse"]

_PLAIN = frozenset({str, list, dict, tuple, type(None), int, float, bool, bytes})
_follower: Callable[[], None] | None = None


def set_pulse(follow: Callable[[], None]) -> None:
    """Call ``follow`` after every value: a process may end without a chance to report what it
    did."""
    global _follower  # noqa: PLW0603 - set once, at the start of a launched process
    _follower = follow


def pulse() -> None:
    """Call the follower, if there is one: a value was delivered."""
    if _follower is not None:
        _follower()


def deliver_answer(value: Any, number: int) -> Any:
    """Deliver what a model, retriever or splitter returned at a site."""
    active = active_site(number)
    if active is None:
        return value
    active.executed += 1
    if not active.idle or is_observed():
        if type(value) not in _PLAIN and is_stream(value, expected=active.site.streamed):
            value = adapt_stream(value, active)
        elif not (active.site.streamed and _opens_stream(value, active)):
            value = deliver(value, active)
    if _follower is not None:
        _follower()
    return value


def _opens_stream(value: Any, active: ActiveSite) -> bool:
    """Return whether a value is a context manager whose stream is adapted when it opens."""
    return wrap_manager(value, lambda opened: adapt_stream(opened, active))


def deliver_chain_output(value: Any, number: int, request: Any = None) -> Any:
    """Deliver an output of a model that stands inside a chain.

    Args:
        request: the input of the model; ``None`` where it is not known.
    """
    active = active_site(number)
    if active is None:
        return value
    if request is not None:
        resume_loading()
        if not active.idle:
            note_request(request, number)
    active.executed += 1
    if not active.idle or is_observed():
        stream = is_stream(value, expected=True)
        value = adapt_stream(value, active) if stream else deliver(value, active)
    if _follower is not None:
        _follower()
    return value
