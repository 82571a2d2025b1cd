"""Which exceptions are raised while a tool works, handled or not.

An answer that reads like an interpreter's message may as well be what the tool is there to tell: a
search in error messages, a dictionary of known failures. It is a failure only if something failed.
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
    """The messages of what was raised, and the names of its types."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def saw(self, error: object) -> None:
        """Something was raised."""
        if len(self._told) < _MOST and isinstance(error, BaseException):
            told = text_of(error)[:_KEPT].strip() or type(error).__name__
            self._told.add(told.casefold())

    def is_told_in(self, text: str) -> bool:
        """Whether a text repeats one of the messages, in whatever case."""
        folded = text.casefold()
        return any(told in folded for told in self._told)


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
