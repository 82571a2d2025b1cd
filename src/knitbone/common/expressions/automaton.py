"""A regular expression as an automaton whose paths are what a backtracking matcher may try.

Each character of the expression is a position (Glushkov); ``follow`` counts in how many ways one
position comes behind another, because a matcher that backtracks tries each of them. Wherever the
matcher does less than the automaton (possessive repetition, a failed assertion, a bounded count too
long to write out, what a back reference holds), the automaton has the paths all the same: there
are never fewer paths than the matcher tries.

Source: V. M. Glushkov, 1961; for paths as a measure of backtracking M. Berglund, F. Drewes, B. van
der Merwe, "Analyzing catastrophic backtracking behavior in practical regular expression matching",
2014.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from knitbone.common.expressions.characters import ALL, class_of, single_class
from knitbone.common.expressions.parsing import sre

__all__ = ["RUN_NS", "STEP_NS", "WORK", "Automaton", "TooLarge", "build"]

WORK = -1
"""Stands for a position: a step of the matcher that takes no character and ends there."""
STEP_NS = 60.0
"""Nanoseconds of one step of the matcher: measured 17 to 40 on CPython 3.10 to 3.13 for loops over
groups and alternatives on a busy machine, ours with room."""
RUN_NS = 20.0
"""Nanoseconds of one step within the repetition of one character, which has a loop of its own:
measured 2 to 15."""
_MAX_POSITIONS = 400
"""Positions of an expression; a larger one is not judged (ours: its analysis takes 10 ms)."""
_MAX_COPIES = 32
"""Positions that a counted repetition is written out to; beyond, it counts as unbounded."""


class TooLarge(Exception):  # noqa: N818 - says what it is; never leaves the package
    """The expression is not judged; the message says why."""


class Automaton(NamedTuple):
    """Positions of an expression as numbers: what each takes, and what may follow it."""

    classes: tuple[int, ...]
    first: dict[int, int]
    """For each position, in how many ways it may come first; ``WORK`` among them."""
    follow: tuple[dict[int, int], ...]
    costs: tuple[float, ...]
    """Nanoseconds that the matcher takes behind each position, once for each path to it."""
    nullable: bool
    """Whether it matches the empty text."""

    @property
    def first_cost(self) -> float:
        """Nanoseconds of one attempt before its first character."""
        return sum(self.first.values()) * STEP_NS


class _Fragment(NamedTuple):
    """The automaton of a part of an expression while it is built."""

    first: dict[int, int]
    last: dict[int, int]
    empty: int
    """The number of ways in which it takes nothing."""


_NOTHING = _Fragment({}, {}, 1)
_MARK = _Fragment({WORK: 1}, {}, 1)
_END = _Fragment({WORK: 1}, {}, 0)
_LAZY_OR_GREEDY = tuple(
    getattr(sre, name)
    for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
    if hasattr(sre, name)
)
_ATOMIC: Any = getattr(sre, "ATOMIC_GROUP", None)


def build(tokens: Iterable[tuple[Any, Any]], flags: int) -> Automaton:
    """Build the automaton of a parsed expression.

    Raises:
        TooLarge: it has too many positions, or holds something that is not understood.
    """
    made = _Builder()
    whole = made.sequence(tokens, flags)
    empty = whole.empty > 0
    whole = made.concatenate(whole, _END)
    costs = tuple(
        (sum(follow.values()) + 1) * (RUN_NS if simple else STEP_NS)
        for follow, simple in zip(made.follow, made.simple, strict=True)
    )
    return Automaton(tuple(made.classes), whole.first, tuple(made.follow), costs, empty)


class _Builder:
    """The positions so far, and one method for each kind of token."""

    def __init__(self) -> None:
        self.classes: list[int] = []
        self.follow: list[dict[int, int]] = []
        self.simple: list[bool] = []
        """Whether the position is the repetition of one character."""

    def sequence(self, tokens: Iterable[tuple[Any, Any]], flags: int) -> _Fragment:
        made = _NOTHING
        for operation, argument in tokens:
            made = self.concatenate(made, self._token(operation, argument, flags))
        return made

    def concatenate(self, before: _Fragment, behind: _Fragment) -> _Fragment:
        for position, ways in before.last.items():
            _add(self.follow[position], behind.first, ways)
        first, last = dict(before.first), dict(behind.last)
        _add(first, behind.first, before.empty)
        _add(last, before.last, behind.empty)
        return _Fragment(first, last, before.empty * behind.empty)

    def _token(self, operation: Any, argument: Any, flags: int) -> _Fragment:
        """Build the fragment of one token of the parsed expression."""
        taken = class_of(operation, argument, flags)
        if taken is not None:
            return self._position(taken)
        if operation in _LAZY_OR_GREEDY:
            low, high, inner = argument
            return self._repeat(low, high, inner, flags)
        if operation is sre.SUBPATTERN:
            group, added, removed, inner = argument
            body = self.sequence(inner, (flags | added) & ~removed)
            return body if group is None else self._with_mark(body)
        if operation is sre.BRANCH:
            return self._alternatives([self.sequence(each, flags) for each in argument[1]])
        if operation is sre.AT:
            return _MARK
        if operation is sre.ASSERT or operation is sre.ASSERT_NOT:
            direction, inner = argument
            return self._assertion(direction, inner, flags)
        if operation is sre.GROUPREF:
            # One way to go on; how far it reaches is not known: as far as any text may.
            return self._star(self._position(ALL, simple=True))
        if operation is sre.GROUPREF_EXISTS:
            yes, no = (self.sequence(each or (), flags) for each in argument[1:])
            return self._alternatives([yes, no])
        if _ATOMIC is not None and operation is _ATOMIC:
            return self._with_mark(self.sequence(argument, flags))
        if operation is sre.FAILURE:
            return _END
        raise TooLarge(f"{str(operation).lower()} is not understood")

    def _position(self, taken: int, *, simple: bool = False) -> _Fragment:
        position = len(self.classes)
        if position >= _MAX_POSITIONS:
            raise TooLarge(f"it has more than {_MAX_POSITIONS} positions")
        self.classes.append(taken)
        self.follow.append({})
        self.simple.append(simple)
        return _Fragment({position: 1}, {position: 1}, 0)

    def _with_mark(self, body: _Fragment) -> _Fragment:
        return self.concatenate(self.concatenate(_MARK, body), _MARK)

    def _alternatives(self, parts: Sequence[_Fragment]) -> _Fragment:
        first: dict[int, int] = {WORK: len(parts)}
        last: dict[int, int] = {}
        for part in parts:
            _add(first, part.first, 1)
            _add(last, part.last, 1)
        return _Fragment(first, last, sum(part.empty for part in parts))

    def _repeat(self, low: Any, high: Any, inner: Any, flags: int) -> _Fragment:
        """Build a repetition: a star, a bounded number of copies, or both."""
        tokens: list[tuple[Any, Any]] = list(inner)
        taken = single_class(tokens, flags)
        most = None if high is sre.MAXREPEAT else int(high)

        def copy() -> _Fragment:
            if taken is not None:
                return self._position(taken, simple=True)
            return self.concatenate(self.sequence(tokens, flags), _MARK)

        before = len(self.classes)
        made = copy()
        size = len(self.classes) - before
        copies = int(low) if most is None else most
        if copies > 1 and copies * max(size, 1) > _MAX_COPIES:
            if made.empty and low > 1:
                raise TooLarge("what may be empty is repeated too often")
            copies, low, most = min(int(low), 1), min(int(low), 1), None
        return self._repeat_counted(made, copy, int(low), most)

    def _repeat_counted(
        self, made: _Fragment, copy: Callable[[], _Fragment], low: int, most: int | None
    ) -> _Fragment:
        """Repeat a fragment: ``low`` copies, then a loop, or as many optional copies as there may
        be more, each behind the one before."""
        spare: _Fragment | None = made
        parts: list[_Fragment] = []
        for _ in range(low):
            parts.append(spare or copy())
            spare = None
        if most is None:
            parts.append(self._star(spare or copy()))
        else:
            optional = _NOTHING
            for _ in range(most - low):
                body = self.concatenate(spare or copy(), optional)
                optional = self._alternatives([body, _NOTHING])
                spare = None
            parts.append(optional)
        whole = _NOTHING
        for part in parts:
            whole = self.concatenate(whole, part)
        return whole

    def _star(self, body: _Fragment) -> _Fragment:
        """Repeat a fragment any number of times; an empty pass ends it, as in ``re``."""
        for position, ways in list(body.last.items()):
            _add(self.follow[position], body.first, ways)
        first = dict(body.first)
        _add(first, {WORK: 1}, 1)
        last = {position: ways * (1 + body.empty) for position, ways in body.last.items()}
        return _Fragment(first, last, 1 + body.empty)

    def _assertion(self, direction: int, inner: Any, flags: int) -> _Fragment:
        """Add an assertion, which is tried at every place that the matcher reaches, and does not
        multiply paths."""
        body = self.concatenate(self.sequence(inner, flags), _END)
        first = dict(body.first) if direction > 0 else {WORK: self._paths(body.first, frozenset())}
        _add(first, {WORK: 1}, 1)
        return _Fragment(first, {}, 1)

    def _paths(self, first: dict[int, int], above: frozenset[int]) -> int:
        """Count the paths of a fragment without loops: what is looked back at has a fixed width."""
        count = 0
        for position, ways in first.items():
            if position in above:
                raise TooLarge("a loop is looked back at")
            inner = 0
            if position != WORK:
                inner = self._paths(self.follow[position], above | {position})
            count += ways * (1 + inner)
            if count > 1_000:
                raise TooLarge("too much is looked back at")
        return count


def _add(ways_to: dict[int, int], added: dict[int, int], ways: int) -> None:
    if ways:
        for position, count in added.items():
            ways_to[position] = ways_to.get(position, 0) + count * ways
