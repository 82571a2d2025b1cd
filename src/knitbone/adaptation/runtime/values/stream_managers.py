"""Context managers that open a stream: ``with client.messages.stream(...) as stream``.

Anthropic's manager gives a stream with an iterator of texts (``text_stream``), and that iterator is
adapted. The manager stays the same object, its class a subclass of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast
from weakref import WeakKeyDictionary

__all__ = ["wrap_manager"]

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
