"""The delivery of an output of a model, retriever or splitter to the application."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast
from weakref import WeakKeyDictionary

from knitbone.adaptation.runtime.active_site import ActiveSite
from knitbone.adaptation.runtime.exchange import note_request
from knitbone.adaptation.runtime.hook import adapt_stream
from knitbone.adaptation.runtime.preload import resume_loading
from knitbone.adaptation.runtime.registry import active_site
from knitbone.adaptation.runtime.values.streams import is_stream
from knitbone.common.hooks import deliver, is_observed

__all__ = ["deliver_answer", "deliver_chain_output", "pulse", "set_pulse"]


# Context managers that open a stream: ``with client.messages.stream(...) as stream``.
#
# Anthropic's manager gives a stream with an iterator of texts (``text_stream``), and that iterator
# is adapted. The manager stays the same object, its class a subclass of its own.

_NAMES = frozenset(
    {"MessageStreamManager", "AsyncMessageStreamManager"}
    | {"BetaMessageStreamManager", "BetaAsyncMessageStreamManager"}
)
_TEXTS = "text_stream"
_WRAP = "_knitbone_wrap"
_classes: WeakKeyDictionary[type[Any], type[Any]] = WeakKeyDictionary()


def wrap_manager(value: Any, wrap: Callable[[Any], Any]) -> bool:
    """Let the texts of a manager's stream pass through ``wrap``; return whether the value is such
    a manager."""
    kind = cast("type[Any]", type(value))
    if kind.__name__ not in _NAMES or not kind.__module__.startswith("anthropic."):
        return False
    if kind not in _classes:
        namespace = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
        methods = {"__enter__": _Opening.__enter__, "__aenter__": _Opening.__aenter__}
        own = {name: method for name, method in methods.items() if hasattr(kind, name)}
        _classes[kind] = type(kind.__name__, (kind,), {**namespace, **own})
    setattr(value, _WRAP, wrap)
    value.__class__ = _classes[kind]
    return True


class _Opening:
    """The methods that open a stream; put into a subclass of the manager's own class."""

    def __enter__(self) -> Any:
        return _wrap_texts(self, super(type(self), self).__enter__())  # type: ignore[misc]

    async def __aenter__(self) -> Any:
        return _wrap_texts(self, await super(type(self), self).__aenter__())  # type: ignore[misc]


def _wrap_texts(manager: Any, stream: Any) -> Any:
    """Return a stream whose iterator of texts passes through the manager's wrap."""
    texts = getattr(stream, _TEXTS, None)
    if texts is not None:
        setattr(stream, _TEXTS, vars(manager)[_WRAP](texts))
    return stream


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
