"""An output of a model, retriever or splitter on its way to the application."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from knitbone.adaptation.runtime.active_site import ActiveSite
from knitbone.adaptation.runtime.exchange import note_request
from knitbone.adaptation.runtime.hook import adapt_stream
from knitbone.adaptation.runtime.preload import resume_loading
from knitbone.adaptation.runtime.registry import active_site
from knitbone.adaptation.runtime.values.managers import wrap_manager
from knitbone.adaptation.runtime.values.streams import is_stream
from knitbone.common.hooks import deliver, is_observed

__all__ = ["deliver_answer", "deliver_chain_output", "pulse", "set_pulse"]

_PLAIN = frozenset({str, list, dict, tuple, type(None), int, float, bool, bytes})
_pulse: Callable[[], None] | None = None


def set_pulse(follow: Callable[[], None]) -> None:
    """Call ``follow`` after every value: a process may end without a chance to say what it did."""
    global _pulse  # noqa: PLW0603 - set once, at the start of a launched process
    _pulse = follow


def pulse() -> None:
    """Tell the follower, if there is one, that a value was delivered."""
    if _pulse is not None:
        _pulse()


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
    if _pulse is not None:
        _pulse()
    return value


def _opens_stream(value: Any, active: ActiveSite) -> bool:
    """Return whether the value is a context manager whose stream is adapted when it opens."""
    return wrap_manager(value, lambda opened: adapt_stream(opened, active))


def deliver_chain_output(value: Any, number: int, request: Any = None) -> Any:
    """Deliver an output of a model that stands inside a chain.

    Args:
        request: what it was run on; ``None`` where that is not known.
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
    if _pulse is not None:
        _pulse()
    return value
