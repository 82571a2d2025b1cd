"""A bound on the time of one expression on a text, in four ways from cheap to exact.

``Expression.quick_bound`` asks for the text's length, ``rough_bound`` for the lengths of its lines
and words, ``measured_bound`` for the characters that it holds, ``counted_bound`` for the paths of
the automaton over it; each is asked only where the one before says too much. None is below what
Python's ``re`` takes, as far as its steps take no longer than ``automaton.py`` assumes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal, NamedTuple, Protocol

from knitbone._forks import lazy
from knitbone.common.expressions.automaton import (
    RUN_NS,
    WORK,
    Automaton,
    TooLarge,
    build,
)
from knitbone.common.expressions.characters import (
    ASCII,
    characters_in,
    index_of,
    is_few,
    single_class,
)
from knitbone.common.expressions.parsing import sre, sre_parser
from knitbone.common.expressions.text_features import MeasuredText, RoughText, Traits

__all__ = ["Expression", "Features", "Method", "Structure", "count_paths", "expression_of"]


# The count of an automaton's paths over one text: what a backtracking matcher tries at most.
#
# One pass over the text keeps the number of paths at each position, for all starts at once. Unlike
# the matcher it takes time in proportion to the text.

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


# A bound on the number of paths of an automaton, from its loops alone.
#
# The loops (strongly connected components) stand in an order. Within a loop whose branches differ
# in the next character, each way in goes on in one way only; what multiplies paths is a loop that
# may be left in several places. So two numbers are enough for each component: how many *runs* enter
# it, and of how many *families* they are, a family having at most one path at any place of the
# text.
#
# Source: the criteria for polynomial and exponential ambiguity of A. Weber and H. Seidl, "On the
# degree of ambiguity of finite automata", 1991, in a coarser form that needs no product automaton:
# a loop that does not differ in the next character counts as exponential.


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


Method = Literal["match", "search", "fullmatch", "findall", "finditer", "split", "sub", "anywhere"]
"""A method of ``re``; ``anywhere``: one call on each of any pieces of the text."""
_ONE_START = frozenset({"match", "fullmatch"})
_ONE_RESULT = frozenset({"match", "fullmatch", "search"})
_MATCH_NS = 200.0
"""Nanoseconds to make a result, measured 100 to 150."""
_CALL_NS = 1_000.0
"""Nanoseconds of a call that finds nothing, measured 200 to 500."""
_UNKNOWN = float("inf")
_MAX_KNOWN = 2_000
"""Bounds that are kept of one expression (ours)."""
_MAX_MARKS = 6
"""Characters that are counted in each text (ours)."""


class _Plan(NamedTuple):
    """How a matcher goes over a text with one method: where it starts, and what it tries there."""

    start: Literal["one", "line", "any"]
    prefix: str
    """A text with which each match begins; the matcher looks for it first."""
    overlaps: bool
    """Whether the prefix may begin again within itself."""
    begins: str
    """The only ASCII characters that can follow a start; empty where there are many."""
    marks: int
    """Marks that it takes one by one, as a set: few texts hold many of them."""
    marked: str
    head: Automaton
    tails: tuple[Automaton, ...]
    """The parts at the end that cannot fail, so that nothing before them is tried again; each is
    entered once."""
    consumed: int
    """How many more of these only take what is there."""
    structures: tuple[Structure, ...]
    twice: bool
    """Whether a place is tried again where it gave an empty match."""


class Expression:
    """A compiled pattern, analysed when it is first asked for.

    Args:
        pattern: of texts, not of bytes.
    """

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self._plans: dict[str, _Plan | None] = {}
        self._known: dict[tuple[str, RoughText], float] = {}

    def quick_bound(self, method: Method, texts: Sequence[str]) -> float:
        """Return a bound in nanoseconds for all texts, from their lengths and how often a match
        may begin."""
        if (plan := self._plan(method)) is None:
            return _UNKNOWN
        longest = texts[0] if len(texts) == 1 else max(texts, key=len, default="")
        if len(texts) == 1:
            return self._rough(plan, method, longest, None)
        text = RoughText.of(len(longest), len(longest), (0, 0), None)
        return len(texts) * self._looked_up(plan, method, text)

    def rough_bound(self, method: Method, text: str, traits: Traits) -> float:
        """Return a bound in nanoseconds for a text, from the lengths of its lines, blanks and
        words."""
        if (plan := self._plan(method)) is None:
            return _UNKNOWN
        return self._rough(plan, method, text, traits)

    def _rough(self, plan: _Plan, method: Method, text: str, traits: Traits | None) -> float:
        counted = (plan.marks, sum(map(text.count, plan.marked))) if text.isascii() else (0, 0)
        rough = RoughText.of(len(text), _count_starts(plan, text), counted, traits)
        return self._looked_up(plan, method, rough)

    def _looked_up(self, plan: _Plan, method: Method, text: RoughText) -> float:
        key = (method, text)
        if (known := self._known.get(key)) is None:
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            known = self._known[key] = _bound(plan, method, text, text.length, text.starts)
        return known

    def measured_bound(self, method: Method, text: str) -> float:
        """Return a bound in nanoseconds for a text, from the characters that it holds."""
        if (plan := self._plan(method)) is None:
            return _UNKNOWN
        return _bound(plan, method, MeasuredText(text), len(text), _count_starts(plan, text))

    def counted_bound(
        self, method: Method, text: str, limit: float, check: Callable[[], None]
    ) -> float:
        """Return a bound in nanoseconds for a text, from the paths over it; any number above
        ``limit`` means more.

        Args:
            check: called now and then while they are counted; what it raises passes through.
        """
        if (plan := self._plan(method)) is None:
            return _UNKNOWN
        spent = _scan_cost(plan, method, len(text), len(text) + 1)
        # Where a tail begins is not known: anywhere.
        starts = [_start_positions(plan, text), *([None] * len(plan.tails))]
        for automaton, places in zip((plan.head, *plan.tails), starts, strict=True):
            if spent > limit:
                break
            spent += count_paths(automaton, text, places, limit - spent, check)
        return spent * 2 if plan.twice else spent

    def _plan(self, method: Method) -> _Plan | None:
        """Return the plan for a method; ``None`` where the pattern is not understood."""
        if method not in self._plans:
            try:
                self._plans[method] = _make_plan(self.pattern, method)
            except (TooLarge, RecursionError, re.error, OverflowError):
                self._plans[method] = None
        return self._plans[method]


@lru_cache(maxsize=1024)
def expression_of(pattern: re.Pattern[str]) -> Expression:
    """Return the analysed expression of a pattern, from the cache where it is known."""
    return Expression(pattern)


def _make_plan(pattern: re.Pattern[str], method: Method) -> _Plan:
    """Analyse a pattern for one method: its prefix, its start, and the end that cannot fail."""
    flags = pattern.flags
    tokens: list[tuple[Any, Any]] = list(sre_parser.parse(pattern.pattern, flags))
    nullable = build(tokens, flags).nullable
    again = method not in _ONE_RESULT
    tails: list[tuple[Any, Any]] = []
    consumed = 0
    if method not in ("fullmatch", "anywhere") and not (again and nullable):
        while tokens and _cannot_fail(tokens[-1]):
            token = tokens.pop()
            if (taking := _only_takes(token, flags)) is not None:
                consumed += taking
            else:
                tails.append(token)
    start, prefix = _start(tokens, method, flags)
    head = build(tokens, flags)
    built = tuple(build([token], flags) for token in tails)
    marked = _marks((head, *built))
    return _Plan(
        marks=sum(1 << ord(mark) for mark in marked),
        marked=marked,
        start=start,
        prefix=prefix,
        overlaps=any(prefix.startswith(prefix[index:]) for index in range(1, len(prefix))),
        begins="" if prefix else _beginning(head),
        head=head,
        tails=built,
        consumed=consumed,
        structures=tuple(map(Structure, (head, *built))),
        twice=again and nullable,
    )


def _start(
    tokens: list[tuple[Any, Any]], method: Method, flags: int
) -> tuple[Literal["one", "line", "any"], str]:
    """Return where the matcher begins and the prefix that it looks for, which is taken off the
    tokens."""
    if method in _ONE_START:
        return "one", ""
    anchored = bool(tokens) and tokens[0][0] is sre.AT and "BEGINNING" in str(tokens[0][1])
    if anchored and method != "anywhere":
        lines = flags & re.MULTILINE and tokens[0][1] is sre.AT_BEGINNING
        return ("line" if lines else "one"), ""
    prefix = ""
    while not flags & re.IGNORECASE and tokens and tokens[0][0] is sre.LITERAL:
        prefix += chr(tokens.pop(0)[1])
    return "any", prefix


def _marks(automata: Sequence[Automaton]) -> str:
    """Return the first few punctuation marks that the automata take one by one."""
    found: dict[str, None] = {}
    for automaton in automata:
        for taken in automaton.classes:
            if taken.bit_count() == 1:
                found.update(dict.fromkeys(characters_in(taken)))
    return "".join([c for c in found if not c.isalnum() and not c.isspace()][:_MAX_MARKS])


def _beginning(head: Automaton) -> str:
    """Return the ASCII characters that a match can begin with, where they are few."""
    taken = 0
    for position in head.first:
        taken |= head.classes[position] if position != WORK else 0
    return characters_in(taken) if is_few(taken & ASCII) else ""


def _cannot_fail(token: tuple[Any, Any]) -> bool:
    """Return whether the matcher always gets past a token."""
    operation, argument = token
    if operation is sre.SUBPATTERN:
        return all(map(_cannot_fail, argument[3]))
    return "REPEAT" in str(operation) and argument[0] == 0


def _only_takes(token: tuple[Any, Any], flags: int) -> int | None:
    """Return the number of repetitions of one character that cannot fail; ``None`` where a token
    is more."""
    operation, argument = token
    if operation is sre.SUBPATTERN:
        counts = [_only_takes(inner, flags) for inner in argument[3]]
        return None if None in counts else 1 + sum(count or 0 for count in counts)
    return 1 if single_class(list(argument[2]), flags) is not None else None


def _bound(plan: _Plan, method: Method, features: Features, length: int, starts: int) -> float:
    """Return the nanoseconds of a plan on a text of which some features are known.

    Args:
        starts: places at which the matcher begins or can go on; without a prefix, all but one.
    """
    begun = starts if plan.prefix else 1 if plan.start == "one" else starts + 1
    tried = begun if plan.prefix or plan.start != "any" else length + 1
    head, *tails = plan.structures
    spent = _scan_cost(plan, method, length, tried) + head.bound(tried, begun, features)
    entered = 1 if method in _ONE_RESULT else tried
    spent += sum(tail.bound(entered, entered, features) for tail in tails)
    return spent * 2 if plan.twice else spent


def _scan_cost(plan: _Plan, method: Method, length: int, starts: int) -> float:
    """Return the nanoseconds to find the starts, to make the results, and to pass over what cannot
    fail."""
    spent = _CALL_NS + plan.consumed * (length + starts) * RUN_NS
    if method not in _ONE_START:
        spent += length * RUN_NS
    return spent + (0.0 if method in _ONE_RESULT else starts * _MATCH_NS)


def _count_starts(plan: _Plan, text: str) -> int:
    """Count the places at which a match may begin or go on, at most; without a prefix, all but
    one."""
    if plan.start != "any":
        return text.count("\n")
    if plan.begins and text.isascii():
        return sum(map(text.count, plan.begins))
    if not plan.prefix:
        return len(text)
    found = text.count(plan.prefix)
    if not plan.overlaps:
        return found
    # Occurrences that overlap are not counted: each begins within one that is.
    return (
        sum(1 for _ in _positions_of(text, plan.prefix)) if found < 32 else found * len(plan.prefix)
    )


def _start_positions(plan: _Plan, text: str) -> set[int] | None:
    """Return the places at which the matcher begins; ``None`` where it begins at each."""
    if plan.start == "one":
        return {0}
    if plan.start == "line":
        return {0, *(found + 1 for found in _positions_of(text, "\n"))}
    if not plan.prefix:
        return None
    return {found + len(plan.prefix) for found in _positions_of(text, plan.prefix)}


def _positions_of(text: str, part: str) -> Iterator[int]:
    position = text.find(part)
    while position >= 0:
        yield position
        position = text.find(part, position + 1)
