"""Which exceptions are raised while a tool works, handled or not.

An answer that reads like an interpreter's message may as well be what the tool is there to tell: a
search in error messages, a dictionary of known failures. It is a failure only if something failed
that its author did not foresee: neither raised on purpose nor caught by its own type.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Generator
from types import FrameType
from typing import Any

from knitbone.fuzzing.sandbox.lacking import text_of

__all__ = ["Exceptions", "noted"]

_MOST = 1_000
_KEPT = 2_000
"""Characters of a message."""


class Exceptions:
    """What was raised, by what it says: its message, or the name of its type."""

    def __init__(self) -> None:
        self._told: dict[str, BaseException] = {}

    def saw(self, error: object) -> None:
        """Something was raised."""
        if len(self._told) < _MOST and isinstance(error, BaseException):
            told = text_of(error)[:_KEPT].strip() or type(error).__name__
            self._told[told.casefold()] = error

    def told_in(self, text: str) -> list[BaseException]:
        """Those whose message a text repeats, in whatever case."""
        folded = text.casefold()
        return [error for told, error in self._told.items() if told in folded]


@contextlib.contextmanager
def noted() -> Generator[Exceptions]:
    """Look at every exception until the end of the block, in this thread and in those begun."""
    seen = Exceptions()

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        frame.f_trace_lines = False
        if event == "exception":
            seen.saw(argument[1])
        return enter

    sys.settrace(enter)
    threading.settrace(enter)
    try:
        yield seen
    finally:
        sys.settrace(None)
        threading.settrace(None)  # pyright: ignore[reportArgumentType] - it takes None
