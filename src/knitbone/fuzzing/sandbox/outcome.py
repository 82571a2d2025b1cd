"""What came of one call, as seen from inside the worker."""

from __future__ import annotations

import contextlib
import json
import linecache
import os
import sys
import threading
from collections.abc import Generator, Iterable
from types import FrameType, TracebackType
from typing import Any

from knitbone.common.ownership import is_ours, is_standard
from knitbone.fuzzing.sandbox.audit import RefusedAction
from knitbone.fuzzing.sandbox.exception_origins import describe_origin
from knitbone.fuzzing.sandbox.missing_resources import text_of
from knitbone.fuzzing.sandbox.wire import Message
from knitbone.fuzzing.tools.types import Tool

__all__ = ["describe_failure", "describe_refusals", "describe_result", "noted"]


# Which exceptions are raised while a tool works, handled or not.
#
# An answer that reads like an interpreter's message may as well be what the tool is there to tell:
# a search in error messages, a dictionary of known failures. It is a failure only if something
# failed that its author did not foresee: neither raised on purpose nor caught by its own type.

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


_KEPT_FRAMES = 64 * 1024
"""Characters of a result or message that travel to the judge; the length travels in full."""
_NAME = 4_096
"""Characters kept of a path or host."""


def describe_result(value: Any) -> Message:
    """What an agent would be shown of a returned value."""
    if isinstance(value, str):
        text = value
    else:
        try:
            text = json.dumps(value, default=str, ensure_ascii=False)
        except (ValueError, TypeError, RecursionError):
            text = str(value)
    return {"status": "ok", "text": text[:_KEPT_FRAMES], "length": len(text)}


def describe_failure(
    tool: Tool,
    error: BaseException,
    arguments: dict[str, Any] | None = None,
    *,
    by_function: bool = False,
) -> Message:
    """An exception as data: type, message, innermost frame in the tool's own code, and origin.

    Args:
        arguments: of the call.
        by_function: name the line where the frame's function begins; which line of a loop runs
            out of memory depends on more than the arguments.
    """
    try:
        message = str(error)
    except Exception as other:  # noqa: BLE001 - a hostile __str__
        message = f"<no message: {type(other).__name__} in __str__>"
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    return {
        "status": "raised",
        "exception": name,
        "message": message[:_KEPT_FRAMES],
        "frame": _own_frame(tool, error.__traceback__, by_function=by_function),
        "origin": describe_origin(tool, error, arguments),
    }


def describe_refusals(tool: Tool, refusals: Iterable[RefusedAction]) -> list[Message]:
    """What the sandbox refused during a call, each once, with the tool's own line."""
    found: dict[tuple[str, str], Message] = {}
    for refusal in refusals:
        place = next((p for p in refusal.stack if tool.owns(os.path.realpath(p[0]))), None)
        found.setdefault(
            refusal[:2],
            {
                "action": refusal.action,
                "object": refusal.object[:_NAME],
                "frame": None if place is None else _frame(place),
            },
        )
    return list(found.values())


def _own_frame(tool: Tool, traceback: TracebackType | None, *, by_function: bool) -> Message | None:
    """The innermost frame in the tool's own code; failing that, outside libraries and us."""
    own: tuple[str, int, str] | None = None
    other: tuple[str, int, str] | None = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        file = os.path.realpath(code.co_filename)
        line = code.co_firstlineno if by_function else traceback.tb_lineno
        place = (file, line, code.co_name)
        if tool.owns(file) and not is_ours(file):
            own = place
        elif not (is_ours(file) or is_standard(file)):
            other = place
        traceback = traceback.tb_next
    chosen = own or other
    if chosen is None or is_ours(chosen[0]):
        return None
    return _frame(chosen)


def _frame(place: tuple[str, int, str]) -> Message:
    file, line, function = place
    return {
        "file": file,
        "line": line,
        "function": function,
        "source": linecache.getline(file, line).strip()[:500],
    }
