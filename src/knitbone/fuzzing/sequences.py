"""Earlier calls that a failure needs, where a tool keeps something from one call to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from knitbone.core.events import Json

__all__ = ["LONGEST", "find_earlier"]

LONGEST = 200
"""Earlier calls that are looked at; those further back are forgotten."""
_SINGLE = 12
"""The last calls, each of which is tried alone."""

Arguments = dict[str, Json]
Fails = Callable[[Sequence[Arguments]], bool]
"""Whether these calls in a fresh process, the failing one last, end in the failure."""


def find_earlier(
    history: Sequence[Arguments], failing: Arguments, *, fails: Fails, budget: int
) -> tuple[Arguments, ...] | None:
    """The fewest calls found that must go before the failing one; ``None`` if none help.

    Args:
        history: the calls before it, in their order.
        budget: sequences that may be run.
    """
    left = budget

    def works(earlier: Sequence[Arguments]) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and fails([*earlier, failing])

    alone = [failing, *reversed(history[-_SINGLE:])]
    for index, call in enumerate(alone):
        if call not in alone[:index] and works([call]):
            return (call,)
    needed = list(history[-LONGEST:])
    if not works(needed):
        return None
    return _fewest(needed, works)


def _fewest(
    needed: list[Arguments], works: Callable[[Sequence[Arguments]], bool]
) -> tuple[Arguments, ...]:
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
