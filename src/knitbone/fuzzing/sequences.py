"""Earlier calls that a failure needs, where a tool keeps something from one call to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from knitbone.fuzzing.records import CallBefore
from knitbone.record.events import Json

__all__ = ["CallHistory", "find_earlier", "joined", "split_call"]

LONGEST = 200
"""Earlier calls that are looked at; those further back are forgotten."""
_SINGLE = 12
"""The last calls, each of which is tried alone."""

_Call = TypeVar("_Call")


class CallHistory:
    """The calls of a search in their order, each with the calls before it in its process."""

    def __init__(self) -> None:
        self._calls: list[CallBefore] = []
        self._begins: list[tuple[int, int]] = []
        """For each call, the numbers of those that its process and its sequence began with."""
        self._begun = (1, 1)

    def __len__(self) -> int:
        return len(self._calls)

    def begin(self, number: int, *, fresh: bool) -> None:
        """Note that a sequence begins with the call ``number``, in a process of its own or not."""
        self._begun = (number if fresh else self._begun[0], number)

    def add(self, call: CallBefore) -> None:
        """Note the next call."""
        self._calls.append(call)
        self._begins.append(self._begun)

    def before(self, number: int) -> tuple[list[CallBefore], int]:
        """The calls that the process of a call had made before it, and how many of the last of
        them belong to its sequence."""
        begun, sequence = self._begins[number - 1]
        return self._calls[begun - 1 : number - 1], number - sequence


def split_call(call: CallBefore | list[Json]) -> tuple[str, dict[str, Json]]:
    """Name of the other tool (``""``: the tool itself) and arguments of a call."""
    return ("", call) if isinstance(call, dict) else (call[0], call[1])


def joined(tool: str, arguments: dict[str, Json]) -> CallBefore:
    """What ``split_call`` takes apart."""
    return (tool, arguments) if tool else arguments


def find_earlier(
    history: Sequence[_Call],
    failing: _Call,
    *,
    fails: Callable[[Sequence[_Call]], bool],
    budget: int,
    near: int = 0,
) -> tuple[_Call, ...] | None:
    """The fewest calls found that must go before the failing one; ``None`` if none help.

    Args:
        history: the calls before it, in their order.
        fails: whether these calls in a fresh process, the failing one last, end in the failure.
        budget: sequences that may be run.
        near: how many of the last calls are likely to be all that is needed.
    """
    left = budget

    def works(earlier: Sequence[_Call]) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and fails([*earlier, failing])

    if near and works(history[-near:]):
        return _fewest(list(history[-near:]), works)
    alone = [failing, *reversed(history[-_SINGLE:])]
    for index, call in enumerate(alone):
        if call not in alone[:index] and works([call]):
            return (call,)
    needed = list(history[-LONGEST:])
    if not works(needed):
        return None
    return _fewest(needed, works)


def _fewest(needed: list[_Call], works: Callable[[Sequence[_Call]], bool]) -> tuple[_Call, ...]:
    """Leave out ever smaller parts, as delta debugging does, while the failure stays."""
    size = (len(needed) + 1) // 2
    while size:
        start = 0
        while start < len(needed):
            rest = needed[:start] + needed[start + size :]
            if works(rest):
                needed = rest
            else:
                start += size
        size //= 2
    return tuple(needed)
