"""What an adapter makes of a tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["ArgumentsRejectedError", "OutputTypeError", "ProcessEndedError", "Tool", "Wrap"]

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Puts something around a function, synchronous or not, and keeps its signature
(``functools.wraps``): frameworks look at it before each call."""


class ArgumentsRejectedError(Exception):
    """Validation refuses the arguments before the tool's code runs; the message says why."""


class OutputTypeError(Exception):
    """The result is not what the tool's output schema declares; the message says how."""


class ProcessEndedError(Exception):
    """The process that the tool lives in ended during the call. ``tail``: its last words."""

    def __init__(self, message: str, *, tail: str = "") -> None:
        super().__init__(message)
        self.tail = tail


class Tool(Protocol):
    """One tool under test, inside the worker."""

    def describe(self) -> dict[str, Any]:
        """The fields of a ``ToolUnderTest`` but its target."""
        ...

    def prepare(self, arguments: dict[str, Any]) -> Any:
        """The arguments as ``call`` wants them.

        Raises:
            ArgumentsRejectedError: validation refuses them.
        """
        ...

    def call(self, prepared: Any) -> Any:
        """Run the tool once, to its end (also where it is asynchronous)."""
        ...

    def rejects(self, error: BaseException) -> bool:
        """Whether what ``call`` raised is the framework's validation refusing the arguments."""
        ...

    def owns(self, file: str) -> bool:
        """Whether ``file`` (a real path) is the tool's own code."""
        ...

    def attach(self, wrap: Wrap) -> None:
        """Put ``wrap`` around the innermost callable that gets the validated arguments.

        Each attachment goes around the earlier ones. Nothing happens where that callable is out
        of reach, in a process of its own.
        """
        ...
