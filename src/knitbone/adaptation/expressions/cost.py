"""How long one expression may take on a text: a bound that holds for every text.

Three ways, each asked only where the one before says too much: from the length alone (looked up),
from what characters the text holds, and by counting the paths over this text. None is below what
Python's ``re`` takes, as far as its steps take no longer than is said in ``automaton``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from knitbone.adaptation.expressions.automaton import (
    RUN_NS,
    Automaton,
    TooLarge,
    build,
)
from knitbone.adaptation.expressions.characters import (
    characters_in,
    is_few,
    runs_of,
    single_class,
)
from knitbone.adaptation.expressions.parsing import sre, sre_parser
from knitbone.adaptation.expressions.paths import count_paths
from knitbone.adaptation.expressions.structure import Structure

__all__ = ["Expression", "Method", "expression_of"]

Method = Literal["match", "search", "fullmatch", "findall", "finditer", "split", "sub"]
_ONE_START = frozenset({"match", "fullmatch"})
_ONE_RESULT = frozenset({"match", "fullmatch", "search"})
_MATCH_NS = 200.0
"""Nanoseconds to make a result, measured 100 to 150."""
_CALL_NS = 1_000.0
_UNKNOWN = float("inf")


class _Lengths:
    """A text of which only the length is known."""

    def __init__(self, length: float) -> None:
        self.length = length

    def count(self, characters: int) -> float:  # noqa: ARG002 - any of them
        return self.length

    def runs(self, characters: int) -> tuple[float, float]:  # noqa: ARG002
        return self.length, self.length * (self.length + 1) / 2


class _Measured:
    """A text that is looked at."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.length = float(len(text))
        self._runs: dict[int, tuple[float, float]] = {}

    def count(self, characters: int) -> float:
        if not is_few(characters):
            return self.length
        return float(sum(self._text.count(each) for each in characters_in(characters)))

    def runs(self, characters: int) -> tuple[float, float]:
        if characters not in self._runs:
            lengths = list(map(len, runs_of(characters).findall(self._text)))
            pairs = sum(length * (length + 1) for length in lengths) / 2
            self._runs[characters] = float(max(lengths, default=0)), pairs
        return self._runs[characters]


class _Plan(NamedTuple):
    """How a matcher goes over a text with one method."""

    start: Literal["one", "line", "any"]
    prefix: str
    """A text with which each match begins; the matcher looks for it first."""
    head: Automaton
    tails: tuple[Automaton, ...]
    """What cannot fail, so that nothing before it is tried again; each is entered once."""
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
        self._known: dict[tuple[str, int, int], float] = {}

    def quick(self, method: Method, texts: Sequence[str]) -> float:
        """Nanoseconds for all the texts at most, from their lengths and what they begin with."""
        if (plan := self._plan(method)) is None or not texts:
            return _UNKNOWN if texts else 0.0
        longest = texts[0] if len(texts) == 1 else max(texts, key=len)
        length = len(longest).bit_length()
        starts = length
        if plan.prefix and len(texts) == 1:
            starts = _occurrences(longest, plan.prefix).bit_length()
        key = (method, length, starts)
        if (known := self._known.get(key)) is None:
            features = _Lengths(float((1 << length) - 1))
            known = _bound(plan, method, features, float((1 << starts) - 1))
            self._known[key] = known
        return known * len(texts)

    def measured(self, method: Method, text: str) -> float:
        """Nanoseconds for the text at most, from the characters that it holds."""
        if (plan := self._plan(method)) is None:
            return _UNKNOWN
        if plan.prefix:
            starts = _occurrences(text, plan.prefix)
        else:
            starts = len(text) if plan.start == "any" else text.count("\n")
        return _bound(plan, method, _Measured(text), float(starts))

    def counted(self, method: Method, text: str, limit: float, check: Callable[[], None]) -> float:
        """Nanoseconds for the text at most, from the paths over it; anything above ``limit``
        where they are more.

        Args:
            check: called now and then while they are counted; what it raises passes through.
        """
        if (plan := self._plan(method)) is None:
            return _UNKNOWN
        spent = _scan(plan, method, float(len(text)), float(len(text) + 1))
        starts = _places(plan, text)
        for automaton in (plan.head, *plan.tails):
            if spent > limit:
                break
            spent += count_paths(automaton, text, starts, limit - spent, check)
            if starts is not None or plan.start != "any":
                starts = None  # where a tail begins is not known
        return spent * 2 if plan.twice else spent

    def _plan(self, method: Method) -> _Plan | None:
        """``None`` where the pattern is not understood."""
        if method not in self._plans:
            try:
                self._plans[method] = _planned(self.pattern, method)
            except (TooLarge, RecursionError, re.error, OverflowError):
                self._plans[method] = None
        return self._plans[method]


@lru_cache(maxsize=1024)
def expression_of(pattern: re.Pattern[str]) -> Expression:
    """The expression of a pattern."""
    return Expression(pattern)


def _planned(pattern: re.Pattern[str], method: Method) -> _Plan:
    flags = pattern.flags
    tokens: list[tuple[Any, Any]] = list(sre_parser.parse(pattern.pattern, flags))
    whole = build(tokens, flags)
    again = method not in _ONE_RESULT
    tails: list[tuple[Any, Any]] = []
    consumed = 0
    if method != "fullmatch" and not (again and whole.nullable):
        while tokens and _cannot_fail(tokens[-1]):
            token = tokens.pop()
            if (taking := _only_takes(token, flags)) is not None:
                consumed += taking
            else:
                tails.append(token)
    start: Literal["one", "line", "any"] = "any"
    prefix = ""
    if method in _ONE_START:
        start = "one"
    elif tokens and tokens[0][0] is sre.AT and "BEGINNING" in str(tokens[0][1]):
        lines = flags & re.MULTILINE and tokens[0][1] is sre.AT_BEGINNING
        start = "line" if lines else "one"
    elif not flags & re.IGNORECASE:
        while tokens and tokens[0][0] is sre.LITERAL:
            prefix += chr(tokens.pop(0)[1])
    head = build(tokens, flags)
    built = tuple(build([token], flags) for token in tails)
    structures = tuple(map(Structure, (head, *built)))
    twice = again and whole.nullable
    return _Plan(start, prefix, head, built, consumed, structures, twice)


def _cannot_fail(token: tuple[Any, Any]) -> bool:
    """Whether the matcher always goes on behind it."""
    operation, argument = token
    if operation is sre.SUBPATTERN:
        return all(map(_cannot_fail, argument[3]))
    return "REPEAT" in str(operation) and argument[0] == 0


def _only_takes(token: tuple[Any, Any], flags: int) -> int | None:
    """How many repetitions of one character it is that cannot fail; ``None`` where it is more."""
    operation, argument = token
    if operation is sre.SUBPATTERN:
        counts = [_only_takes(inner, flags) for inner in argument[3]]
        return None if None in counts else 1 + sum(count or 0 for count in counts)
    return 1 if single_class(list(argument[2]), flags) is not None else None


def _bound(plan: _Plan, method: Method, features: Any, starts: float) -> float:
    """``starts``: places but one at which the matcher begins, as far as they are told by what
    stands there."""
    starts = 1.0 if plan.start == "one" else starts + 1
    spent = _scan(plan, method, features.length, starts)
    head, *tails = plan.structures
    spent += head.bound(starts, features)
    entered = 1.0 if method in _ONE_RESULT else starts
    spent += sum(tail.bound(entered, features) for tail in tails)
    return spent * 2 if plan.twice else spent


def _scan(plan: _Plan, method: Method, length: float, starts: float) -> float:
    """Nanoseconds to find the starts, to make the results, and to take what is only taken."""
    spent = _CALL_NS + plan.consumed * (length + starts) * RUN_NS
    if method not in _ONE_START:
        spent += length * RUN_NS
    return spent + (0.0 if method in _ONE_RESULT else starts * _MATCH_NS)


def _occurrences(text: str, prefix: str) -> int:
    """How often the prefix stands in the text at most, overlapping ones too."""
    found = text.count(prefix)
    return found if len(prefix) == 1 else found * len(prefix)


def _places(plan: _Plan, text: str) -> set[int] | None:
    """The places at which the matcher begins; ``None``: at each."""
    if plan.start == "one":
        return {0}
    if plan.start == "line":
        return {0, *(found + 1 for found in _found(text, "\n"))}
    if not plan.prefix:
        return None
    return {found + len(plan.prefix) for found in _found(text, plan.prefix)}


def _found(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)
