"""A bound on the number of paths of an automaton, from its loops alone.

The loops (strongly connected components) stand in an order. Within a loop whose branches differ in
the next character, each way in goes on in one way only; what multiplies paths is a loop that may
be left in several places. So two numbers are enough for each component: how many *runs* enter it,
and of how many *families* they are, a family having at most one path at any place of the text.

Source: the criteria for polynomial and exponential ambiguity of A. Weber and H. Seidl, "On the
degree of ambiguity of finite automata", 1991, in a coarser form that needs no product automaton: a
loop that does not differ in the next character counts as exponential.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple, Protocol

from knitbone._forks import lazy
from knitbone.adaptation.consumers.expressions.automaton import WORK, Automaton

__all__ = ["Features", "Structure"]


class Features(Protocol):
    """A text of which some counts of characters are known."""

    def most(self, characters: int) -> float:
        """Return how many characters of the set the text holds, at most."""
        ...

    def runs(self, characters: int) -> tuple[float, float]:
        """Return the longest run of such characters, and the sum of ``r * (r + 1) / 2`` over runs
        of length ``r``."""
        ...


class _Component(NamedTuple):
    """A loop of the automaton, or a position outside of loops."""

    positions: tuple[int, ...]
    loops: bool
    characters: int
    """All that its positions take."""
    cost: float
    """Nanoseconds behind any of its positions, at most."""
    leaves: tuple[tuple[int, int, bool], ...]
    """Ways to other components: position, ways, whether the run ends where it is taken."""


class Structure:
    """The components of an automaton, in the order in which paths reach them."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton

    @lazy
    def _components(self) -> tuple[_Component, ...] | None:
        """Return the components; ``None`` where a loop may multiply paths with each character."""
        made: list[_Component] = []
        for positions in reversed(_strong_components(self._automaton)):
            component = self._component(positions)
            if component is None:
                return None
            made.append(component)
        return tuple(made)

    def _component(self, positions: tuple[int, ...]) -> _Component | None:
        """Return a component; ``None`` where its paths may multiply with each character."""
        classes, follow = self._automaton.classes, self._automaton.follow
        inside = set(positions)
        characters, leaves, loops = 0, list[tuple[int, int, bool]](), len(positions) > 1
        for position in positions:
            characters |= classes[position]
            staying = [q for q in follow[position] if q in inside]
            loops = loops or bool(staying)
            if any(follow[position][q] > 1 for q in staying):
                return None
            if any(classes[a] & classes[b] for a, b in combinations(staying, 2)):
                return None
            stays = 0
            for q in staying:
                stays |= classes[q]
            leaves += [
                (q, ways, not classes[q] & stays)
                for q, ways in follow[position].items()
                if q not in inside and q != WORK
            ]
        cost = max(self._automaton.costs[position] for position in positions)
        return _Component(positions, loops, characters, cost, tuple(leaves))

    def bound(self, starts: float, begun: float, features: Features) -> float:
        """Return the nanoseconds that a matcher takes at most; infinite where that is not known.

        Args:
            starts: at how many places it begins, each at most once.
            begun: at how many of them there is a character with which it can go on.
        """
        if self._components is None:
            return float("inf")
        classes = self._automaton.classes
        runs = [0.0] * len(classes)
        families = [0.0] * len(classes)
        for position, ways in self._automaton.first.items():
            if position != WORK:
                runs[position] = ways * min(begun, features.most(classes[position]))
                families[position] = float(ways) if begun else 0.0
        total = starts * self._automaton.first_cost
        for positions, loops, characters, cost, leaves in self._components:
            entering = sum(runs[position] for position in positions)
            of = sum(families[position] for position in positions)
            if not entering:
                continue
            if loops:
                longest, pairs = features.runs(characters)
                visits = min(entering * longest, of * pairs)
                alike = min(entering, of * longest)
            else:
                visits = entering = min(entering, of * features.most(characters))
                alike = of
            total += visits * cost
            for position, ways, ends in leaves:
                most = (
                    entering if ends or not loops else entering * features.most(classes[position])
                )
                runs[position] += ways * min(most, visits)
                families[position] += ways * alike
        return total


def _strong_components(automaton: Automaton) -> list[tuple[int, ...]]:
    """Return the strongly connected components, the last ones first (R. Tarjan, 1972), without
    recursion."""
    follow = automaton.follow
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    open_: set[int] = set()
    found: list[tuple[int, ...]] = []
    for root in [position for position in automaton.first if position != WORK]:
        pending = [(root, iter(follow[root]))] if root not in number else []
        if pending:
            number[root] = lowest[root] = len(number)
            stack.append(root)
            open_.add(root)
        while pending:
            position, behind = pending[-1]
            for q in behind:
                if q == WORK:
                    continue
                if q not in number:
                    number[q] = lowest[q] = len(number)
                    stack.append(q)
                    open_.add(q)
                    pending.append((q, iter(follow[q])))
                    break
                if q in open_:
                    lowest[position] = min(lowest[position], number[q])
            else:
                pending.pop()
                if pending:
                    above = pending[-1][0]
                    lowest[above] = min(lowest[above], lowest[position])
                if lowest[position] == number[position]:
                    cut = stack.index(position)
                    found.append(tuple(stack[cut:]))
                    open_.difference_update(stack[cut:])
                    del stack[cut:]
    return found
