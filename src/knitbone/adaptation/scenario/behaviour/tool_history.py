"""The last tool calls: what was called, with what, and what came back.

Read by the bypass of repeated calls (Comfrey §4.5.1).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from knitbone._forks import new_lock

__all__ = ["MOST_REMEMBERED", "PastCall", "ToolHistory", "key_of"]

MOST_REMEMBERED = 10
"""Comfrey §4.5.1: tool calls remembered for each place."""

_MAX_KEY = 20_000
"""Characters of the arguments of one call; longer ones are not compared (ours)."""
_PLAIN = (str, int, float, bool, bytes, type(None))
_MAX_DEPTH = 20


class PastCall(NamedTuple):
    """One call that returned."""

    tool: str
    key: str
    """The arguments, written so that equal text means equal arguments."""
    output: Any
    stable: bool
    """Whether what other tools do meanwhile cannot change the output."""


class ToolHistory:
    """The last ``MOST_REMEMBERED`` calls of one place; safe for threads."""

    def __init__(self) -> None:
        self._lock = new_lock()
        self._calls: deque[PastCall] = deque(maxlen=MOST_REMEMBERED)

    def remember(self, call: PastCall) -> None:
        """A call returned."""
        with self._lock:
            self._calls.append(call)

    def find(self, tool: str, key: str) -> PastCall | None:
        """The latest call of the tool with these arguments."""
        with self._lock:
            found = (call for call in reversed(self._calls) if (call.tool, call.key) == (tool, key))
            return next(found, None)

    def state_changed(self) -> None:
        """Another tool may have changed what the remembered calls read."""
        with self._lock:
            kept = [call for call in self._calls if call.stable]
            self._calls.clear()
            self._calls.extend(kept)


def key_of(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> str | None:
    """The arguments of a call as a text to compare; ``None`` where equality cannot be told, which
    is so for everything but plain data."""
    if not _is_plain([*arguments, *keywords.values()], 0):
        return None
    written = repr((tuple(arguments), sorted(keywords.items())))
    return written if len(written) <= _MAX_KEY else None


def _is_plain(value: Any, depth: int) -> bool:
    if type(value) in _PLAIN:
        return not isinstance(value, str | bytes) or len(value) <= _MAX_KEY
    if depth > _MAX_DEPTH:
        return False
    if type(value) in (list, tuple):
        series = cast("Sequence[Any]", value)
        return len(series) <= _MAX_KEY and all(_is_plain(item, depth + 1) for item in series)
    if type(value) is dict:
        table = cast("dict[Any, Any]", value)
        return len(table) <= _MAX_KEY and all(
            type(key) in _PLAIN and _is_plain(item, depth + 1) for key, item in table.items()
        )
    return False
