"""Runs of an application's own regular expressions, within the time that is left.

``re`` cannot be interrupted and holds the interpreter's lock, and an expression that fails at once
on the answer can take minutes on the repaired text. So an expression runs on a text of ours only
where a bound on its time (``expressions/``) fits into what is left of the budget, an
``Allowance``. Readers and steps run expressions with ``find_all`` and ``find_one``; the rehearsal,
which follows the application's own calls, asks ``is_affordable`` before each.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar, Token
from functools import lru_cache
from typing import Any

from knitbone.common.expressions import Expression, Method, expression_of
from knitbone.common.expressions.parsing import sre, sre_parser
from knitbone.common.expressions.text_features import MAX_LOOK, Traits, traits_of

__all__ = [
    "TooCostlyError",
    "compiled",
    "end_allowance",
    "find_all",
    "find_one",
    "is_affordable",
    "matches_whole",
    "may_match",
    "start_allowance",
]

_SECONDS = 0.05
"""The allowance where no value is being adapted: the default of ``adapt.budget_ms``."""
_FREE = 1 / 16
"""Share of the budget below which the time that is left is not asked for (ours): a question costs
more than most expressions."""
_SHARE = 1 / 2
"""Share of the time left that one run may take: what is found has to be verified, too."""


_UNKNOWN = float("inf")


class TooCostlyError(TimeoutError):
    """An expression may take too long and is not run; the message says which one."""


class Allowance:
    """The time that the application's expressions may take on one value.

    Args:
        seconds: processor time of this thread, from the first time that it is asked for.
        clock: gives the processor time of this thread in seconds.
    """

    __slots__ = ("_clock", "_end", "_seconds", "free", "measured", "traits")

    def __init__(self, seconds: float, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self._seconds = seconds
        self._end: float | None = None
        self.free = seconds * _FREE * 1e9
        """Nanoseconds that need no look at the clock."""
        self.traits: dict[str, Traits] = {}
        """The traits of texts that were looked at."""
        self.measured: dict[tuple[Expression, str, str], float] = {}
        """The time of an expression with a method on a text that was read."""

    @property
    def left(self) -> float:
        """Nanoseconds that are left."""
        now = self._clock()
        if self._end is None:
            self._end = now + self._seconds
        return (self._end - now) * 1e9

    def check(self) -> None:
        """Raise where no time is left.

        Raises:
            TooCostlyError: none is.
        """
        if self.left <= 0:
            raise TooCostlyError("the time for the consumer's expressions is spent")


_current: ContextVar[Allowance | None] = ContextVar("knitbone_allowance", default=None)


def start_allowance(seconds: float) -> Token[Allowance | None]:
    """Give expressions so much time from now on, in this context, until ``end_allowance``."""
    return _current.set(Allowance(seconds))


def end_allowance(token: Token[Allowance | None]) -> None:
    """Restore the allowance that held before ``start_allowance``."""
    _current.reset(token)


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: int) -> re.Pattern[str]:
    """Compile an expression, or take it from the cache.

    Raises:
        re.error: it is none.
    """
    return re.compile(pattern, flags)


def find_all(pattern: re.Pattern[str], texts: Sequence[str]) -> Iterator[re.Match[str]]:
    """Yield the matches of ``pattern.finditer``, text by text.

    Raises:
        TooCostlyError: it may take longer than there is time.
    """
    for text in _affordable_texts(pattern, "finditer", texts):
        for match in pattern.finditer(text):
            yield match
            if not may_match(pattern, text, match.end()):
                break


def find_one(
    pattern: re.Pattern[str], method: Method, texts: Sequence[str]
) -> Iterator[re.Match[str]]:
    """Yield the match that the method (``search``, ``match`` or ``fullmatch``) finds in each text,
    where it finds one.

    Raises:
        TooCostlyError: it may take longer than there is time.
    """
    for text in _affordable_texts(pattern, method, texts):
        if (match := getattr(pattern, method)(text)) is not None:
            yield match


def matches_whole(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether the pattern matches the whole text.

    Raises:
        TooCostlyError: it may take longer than there is time.
    """
    return next(find_one(pattern, "fullmatch", (text,)), None) is not None


def _affordable_texts(
    pattern: re.Pattern[str], method: Method, texts: Sequence[str]
) -> Iterable[str]:
    """Return the texts that may match, if the pattern fits into the time on all of them.

    Raises:
        TooCostlyError: it does not.
    """
    left = [text for text in texts if may_match(pattern, text)]
    if left and not is_affordable(pattern, method, left):
        shown = pattern.pattern if len(pattern.pattern) <= 80 else f"{pattern.pattern[:77]}..."
        raise TooCostlyError(
            f"the consumer's expression {shown!r} may take longer on it than the time budget"
        )
    return left


def is_affordable(
    pattern: re.Pattern[str], method: Method, texts: Sequence[str], *, share: float = _SHARE
) -> bool:
    """Return whether the pattern takes no more on the texts than this share of the time that is
    left."""
    allowance = _current.get() or Allowance(_SECONDS)
    expression = expression_of(pattern)
    quick = expression.quick_bound(method, texts)
    if quick <= allowance.free:
        return True
    allowed = allowance.left * share
    if quick <= allowed:
        return True
    for text in texts:
        needed = _time_needed(expression, method, text, allowed, allowance)
        allowed -= needed
        if allowed < 0:
            return False
    return True


def _time_needed(
    expression: Expression, method: Method, text: str, allowed: float, allowance: Allowance
) -> float:
    """Return a bound on the nanoseconds for one text: the first, from cheap to exact, that is
    allowed."""
    if len(text) <= MAX_LOOK:
        traits = allowance.traits.get(text)
        if traits is None:
            traits = allowance.traits[text] = traits_of(text)
        needed = expression.rough_bound(method, text, traits)
        if needed > allowed and traits.word == len(text):
            traits = allowance.traits[text] = traits.with_words(text)
            needed = expression.rough_bound(method, text, traits)
        if needed <= allowed:
            return needed
    key = (expression, method, text)
    if (needed := allowance.measured.get(key)) is None:
        needed = expression.measured_bound(method, text)
        if needed > allowed:
            try:
                needed = expression.counted_bound(method, text, allowed, allowance.check)
            except TooCostlyError:
                needed = _UNKNOWN
            # Above what is allowed it was not counted to its end.
            needed = needed if needed <= allowed else _UNKNOWN
        allowance.measured[key] = needed
    return needed


def may_match(pattern: re.Pattern[str], text: str, position: int = 0) -> bool:
    """Return whether the literal texts of each match stand in the text behind a position, in their
    order."""
    for literal in _literals(pattern):
        start = text.find(literal, position)
        if start < 0:
            return False
        position = start + len(literal)
    return True


@lru_cache(maxsize=256)
def _literals(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Return the literal texts that each match holds, in order."""
    if pattern.flags & re.IGNORECASE:
        return ()
    literals: list[list[str]] = [[]]
    _collect_literals(sre_parser.parse(pattern.pattern, pattern.flags), literals)
    return tuple("".join(literal) for literal in literals if literal)


def _collect_literals(items: Any, literals: list[list[str]]) -> None:
    """Add the literal texts of parsed items to ``literals``; where anything else may stand
    between, a new one begins.

    Assertions are passed over: they look at characters without taking them.
    """
    for operator, argument in items:
        if operator is sre.LITERAL:
            literals[-1].append(chr(argument))
        elif operator is sre.SUBPATTERN and not argument[1] and not argument[2]:
            _collect_literals(argument[3], literals)
        elif operator is not sre.AT:
            literals.append([])
