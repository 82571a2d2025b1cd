"""The count of an automaton's paths over one text: what a backtracking matcher tries at most.

One pass over the text keeps the number of paths at each position, for all starts at once. Unlike
the matcher it takes time in proportion to the text.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from knitbone.adaptation.consumers.expressions.automaton import WORK, Automaton
from knitbone.adaptation.consumers.expressions.characters import index_of

__all__ = ["count_paths"]

_EVERY = 64
"""Characters between two looks at the clock."""


def count_paths(
    automaton: Automaton,
    text: str,
    starts: Container[int] | None,
    limit: float,
    check: Callable[[], None],
) -> float:
    """Return the nanoseconds that a matcher takes on the text at most; counting ends above
    ``limit``.

    Args:
        starts: the places at which it starts; ``None`` for each.
        check: called every few characters; what it raises passes through.
    """
    classes, follow, costs = automaton.classes, automaton.follow, automaton.costs
    first = [each for each in automaton.first.items() if each[0] != WORK]
    behind = [[each for each in ways.items() if each[0] != WORK] for ways in follow]
    spent = 0.0
    paths: dict[int, int] = {}
    for index in range(len(text) + 1):
        if index % _EVERY == 0:
            check()
        character = 1 << index_of(text[index]) if index < len(text) else 0
        reached: dict[int, int] = {}
        if starts is None or index in starts:
            spent += automaton.first_cost
            for position, ways in first:
                if classes[position] & character:
                    reached[position] = ways
        for position, count in paths.items():
            spent += count * costs[position]
            for q, ways in behind[position]:
                if classes[q] & character:
                    reached[q] = reached.get(q, 0) + count * ways
        if spent > limit:
            return spent
        paths = reached
    return spent
