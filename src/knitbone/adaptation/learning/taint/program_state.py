"""The program's state beside an answer: simple values of names that code can branch on.

Read without running anything of the application: locals of its frames, and the instance
dictionaries of ``self`` and ``cls``. No property, no ``__getattr__`` and no ``repr`` of an
application's class is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from types import FrameType
from typing import Any, cast

__all__ = ["frame_state", "simple_value"]

_MAX_TEXT = 40
"""Characters of a text that code can branch on; longer ones are data (ours)."""
_MAX_NUMBER = 10_000
"""Numbers up to this are states, larger ones data (ours)."""
_MAX_NAMES = 64
"""Names of one frame that are kept (ours)."""


def frame_state(frame: FrameType) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the state of one frame: (function, name) with the value as an expression."""
    code = frame.f_code
    function = code.co_qualname
    place = f"{code.co_filename}:{code.co_firstlineno}:{function}"
    for name, value in _names(frame):
        yield (place, name), value


def _names(frame: FrameType) -> Iterator[tuple[str, str]]:
    """Yield the names of a frame, and the attributes of ``self`` and ``cls``, with
    simple values."""
    scope = dict(frame.f_locals)
    left = _MAX_NAMES
    for name, value in scope.items():
        if name.startswith("__") or left <= 0:
            continue
        shown = simple_value(value)
        if shown is not None:
            left -= 1
            yield name, shown
    for holder in ("self", "cls"):
        for name, value in _attributes(scope.get(holder)):
            shown = None if name.startswith("__") or left <= 0 else simple_value(value)
            if shown is not None:
                left -= 1
                yield f"{holder}.{name}", shown


def _attributes(value: Any) -> list[tuple[str, Any]]:
    """Return the instance dictionary of an object."""
    if value is None:
        return []
    try:
        held = object.__getattribute__(value, "__dict__")
    except (AttributeError, TypeError):
        return []
    return list(cast("Mapping[str, Any]", held).items()) if isinstance(held, Mapping) else []


def simple_value(value: Any) -> str | None:
    """Return a value as an expression, where it is a truth value, a small integer, a short text,
    ``None`` or a member of an enumeration."""
    kind: Any = cast("Any", type(value))
    if value is None or kind is bool:
        return repr(value)
    if kind is int:
        return repr(value) if abs(value) <= _MAX_NUMBER else None
    # Exactly ``str``: what comes from the answer itself is no state of the program.
    if kind is str:
        return repr(value) if len(value) <= _MAX_TEXT else None
    if Enum in kind.__mro__:
        return f"{kind.__name__}.{value._name_}"
    return None
