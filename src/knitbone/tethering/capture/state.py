"""What capture remembers of one run while it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any, cast

from knitbone._forks import new_rlock
from knitbone.config import ModelPrice
from knitbone.record.events import ChatMessage, Json, ToolCallRequest, encode_json
from knitbone.record.plain import is_plain, plain
from knitbone.tethering.capture.streams import settle_freed

__all__ = ["RunState"]

_MAX_OPEN = 1_000
"""Requested tool calls that are remembered until they run; the oldest are forgotten. Those of tools
that are not recorded never leave, and each recorded call looks through all of them (ours)."""


class RunState:
    """Which model call asked for which tool, and which streams are still open; thread-safe."""

    def __init__(self) -> None:
        self.prices: Mapping[str, ModelPrice] = {}
        self._lock = new_rlock()
        self._open: dict[int, tuple[str, ToolCallRequest]] = {}
        self._asked = 0
        self._tools: tuple[bytes, str] | None = None
        self._closers: dict[int, Callable[[], None]] = {}

    def asked(self, event: str, output: ChatMessage | None) -> None:
        """Remember the tool calls that a model asked for."""
        if output is None:
            return
        with self._lock:
            for request in output.tool_calls:
                self._open[self._asked] = (event, request)
                self._asked += 1
            while len(self._open) > _MAX_OPEN:
                del self._open[next(iter(self._open))]

    def claim(
        self, name: str, arguments: Json, call_id: str | None, *, previous: str | None = None
    ) -> tuple[str | None, str | None]:
        """The model call that asked for a tool call which runs now, and its call's identifier.

        What the call before in the same task (``previous``) asked for goes first: agents side by
        side may ask for the same.
        By identifier; else, for tools that are not told theirs, the oldest request for the same
        tool with equal arguments, for the same tool, or alone in having equal arguments. A request
        for the tool by its name goes before one under another name.
        """
        with self._lock:
            own = {n: item for n, item in self._open.items() if item[0] == previous}
            named = call_id is not None or any(r.name == name for _, r in own.values())
            known = named or not any(r.name == name for _, r in self._open.values())
            number = _find(own, name, arguments, call_id) if own and known else None
            if number is None:
                number = _find(self._open, name, arguments, call_id)
            if number is None:
                return None, call_id
            event, request = self._open.pop(number)
            return event, call_id or request.call_id

    def tools_note(self, tools: Any, event: str) -> dict[str, Json]:
        """The attribute for the tools that a model was offered: the definitions themselves, or
        the event that carries the same ones."""
        digest = blake2b(encode_json(tools), digest_size=16).digest()
        with self._lock:
            if self._tools is not None and self._tools[0] == digest:
                return {"knitbone.tools.event": self._tools[1]}
            self._tools = (digest, event)
        return {"gen_ai.tool.definitions": tools}

    def opened(self, close: Callable[[], None]) -> int:
        """Remember a stream that is still open, by what ends its recording; a number for it."""
        with self._lock:
            self._asked += 1
            self._closers[self._asked] = close
            return self._asked

    def closed(self, number: int) -> None:
        """The stream has been recorded."""
        with self._lock:
            self._closers.pop(number, None)

    def close_streams(self) -> None:
        """Record what came of every stream that is still open."""
        settle_freed()
        with self._lock:
            closers = list(self._closers.values())
        for close in closers:
            close()


def _find(
    open_: Mapping[int, tuple[str, ToolCallRequest]],
    name: str,
    arguments: Json,
    call_id: str | None,
) -> int | None:
    if call_id is not None:
        return next((n for n, (_, r) in open_.items() if r.call_id == call_id), None)
    named = [n for n, (_, r) in open_.items() if r.name == name]
    if len(named) == 1 or not open_:
        return named[0] if named else None
    among = named or list(open_)
    same = _equals(arguments)
    equal = [n for n in among if same(open_[n][1].arguments)]
    if named:
        return (equal or named)[0]
    return equal[0] if len(equal) == 1 and arguments else None


def _equals(given: Json) -> Callable[[Json], bool]:
    """Tells whether a model asked for what a tool was given. Values of the application's own are
    compared as they are recorded: its comparisons could take any time, and a lock is held."""
    if is_plain(given):
        return lambda requested: requested == given

    def equal(requested: Json) -> bool:
        try:
            return _same(requested, given)
        except (RecursionError, RuntimeError):  # nested without end, or written to meanwhile
            return False

    return equal


def _same(requested: Any, given: object) -> bool:
    found: Any = plain(given)
    kinds = cast("tuple[type[Any], type[Any]]", (type(requested), type(found)))
    if kinds in ((list, list), (list, tuple)):
        return len(requested) == len(found) and all(map(_same, requested, found))
    if kinds == (dict, dict):
        return len(requested) == len(found) and all(
            type(key) is str and key in requested and _same(requested[key], found[key])
            for key in found
        )
    return kinds[1] in (str, int, float, bool, type(None)) and requested == found
