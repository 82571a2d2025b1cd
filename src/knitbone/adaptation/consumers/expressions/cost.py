"""A bound on the time of one expression on a text, in four ways from cheap to exact.

``Expression.quick_bound`` asks for the text's length, ``rough_bound`` for the lengths of its lines
and words, ``measured_bound`` for the characters that it holds, ``counted_bound`` for the paths of
the automaton over it; each is asked only where the one before says too much. None is below what
Python's ``re`` takes, as far as its steps take no longer than ``automaton.py`` assumes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from knitbone.adaptation.consumers.expressions.automaton import (
    RUN_NS,
    WORK,
    Automaton,
    TooLarge,
    build,
)
from knitbone.adaptation.consumers.expressions.characters import (
    ASCII,
    characters_in,
    is_few,
    single_class,
)
from knitbone.adaptation.consumers.expressions.parsing import sre, sre_parser
from knitbone.adaptation.consumers.expressions.paths import count_paths
from knitbone.adaptation.consumers.expressions.structure import Features, Structure
from knitbone.adaptation.consumers.expressions.text_features import MeasuredText, RoughText, Traits

__all__ = ["Expression", "Method", "expression_of"]

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
