"""Running an application's own expression on a text of ours, within the time that is left.

``re`` cannot be interrupted and holds the interpreter's lock, and an expression that fails at once
on the answer can take minutes on the mended text. So none runs unless its time is bounded: what
``expressions`` says it takes at most has to fit in the time that is left of the budget
(``Allowance``). The rehearsal, which runs one where the application does, asks here first
(``is_affordable``).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar, Token
from functools import lru_cache
from typing import Any

from knitbone.adaptation.consumers.expressions import Expression, Method, expression_of
from knitbone.adaptation.consumers.expressions.parsing import sre, sre_parser
from knitbone.adaptation.consumers.expressions.texts import MAX_LOOK, Traits, traits_of

__all__ = [
    "Allowance",
    "TooCostlyError",
    "compiled",
    "find_all",
    "find_one",
    "fits",
    "is_affordable",
    "may_match",
    "spend",
    "unspend",
]

_SECONDS = 0.05
"""Where no value is being adapted: the default budget of one (``adapt.budget_ms``)."""
_FREE = 1 / 16
"""Share of the budget below which the time that is left is not asked for (ours): a question costs
more than most expressions."""
_SHARE = 1 / 2
"""Share of the time left that one run may take: what is found has to be verified, too."""


_UNKNOWN = float("inf")


class TooCostlyError(TimeoutError):
    """An expression is not run; the message says which one."""


class Allowance:
    """The time that expressions may take on one value.

    Args:
        seconds: of this thread's own work, from the first time that it is asked for.
        clock: the thread's own work in seconds.
    """

    __slots__ = ("_clock", "_end", "_seconds", "free", "measured", "traits")

    def __init__(self, seconds: float, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self._seconds = seconds
        self._end: float | None = None
        self.free = seconds * _FREE * 1e9
        """Nanoseconds that need no look at the clock."""
        self.traits: dict[str, Traits] = {}
        """Of texts that were looked at."""
        self.measured: dict[tuple[Expression, str, str], float] = {}
        """What an expression takes with a method on a text that was read."""

    @property
    def left(self) -> float:
        """Nanoseconds."""
        now = self._clock()
        if self._end is None:
            self._end = now + self._seconds
        return (self._end - now) * 1e9

    def check(self) -> None:
        """Raise where it is spent.

        Raises:
            TooCostlyError: it is.
        """
        if self.left <= 0:
            raise TooCostlyError("the time for the consumer's expressions is spent")


_current: ContextVar[Allowance | None] = ContextVar("knitbone_allowance", default=None)


def spend(seconds: float) -> Token[Allowance | None]:
    """Expressions have so much time from now, in this context; ``unspend`` ends it."""
    return _current.set(Allowance(seconds))


def unspend(token: Token[Allowance | None]) -> None:
    """Restore what held before ``spend``."""
    _current.reset(token)


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: int) -> re.Pattern[str]:
    """Return the expression, compiled.

    Raises:
        re.error: it is none.
    """
    return re.compile(pattern, flags)


def find_all(pattern: re.Pattern[str], texts: Sequence[str]) -> Iterator[re.Match[str]]:
    """Yield what ``pattern.finditer`` gives, text by text.

    Raises:
        TooCostlyError: it may take longer than there is time.
    """
    for text in _allowed(pattern, "finditer", texts):
        for match in pattern.finditer(text):
            yield match
            if not may_match(pattern, text, match.end()):
                break


def find_one(
    pattern: re.Pattern[str], method: Method, texts: Sequence[str]
) -> Iterator[re.Match[str]]:
    """Yield what the pattern's ``search``, ``match`` or ``fullmatch`` gives on those texts on
    which it matches.

    Raises:
        TooCostlyError: it may take longer than there is time.
    """
    for text in _allowed(pattern, method, texts):
        if (match := getattr(pattern, method)(text)) is not None:
            yield match


def fits(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether the pattern takes the whole text.

    Raises:
        TooCostlyError: it may take longer than there is time.
    """
    return next(find_one(pattern, "fullmatch", (text,)), None) is not None


def _allowed(pattern: re.Pattern[str], method: Method, texts: Sequence[str]) -> Iterable[str]:
    """Return the texts that may match, if the pattern is in time on all of them."""
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
    quick = expression.quick(method, texts)
    if quick <= allowance.free:
        return True
    allowed = allowance.left * share
    if quick <= allowed:
        return True
    for text in texts:
        needed = _needed(expression, method, text, allowed, allowance)
        allowed -= needed
        if allowed < 0:
            return False
    return True


def _needed(
    expression: Expression, method: Method, text: str, allowed: float, allowance: Allowance
) -> float:
    """Return nanoseconds at most, in the first way that says that it is allowed."""
    if len(text) <= MAX_LOOK:
        traits = allowance.traits.get(text)
        if traits is None:
            traits = allowance.traits[text] = traits_of(text)
        needed = expression.looked(method, text, traits)
        if needed > allowed and traits.word == len(text):
            traits = allowance.traits[text] = traits.with_words(text)
            needed = expression.looked(method, text, traits)
        if needed <= allowed:
            return needed
    key = (expression, method, text)
    if (needed := allowance.measured.get(key)) is None:
        needed = expression.measured(method, text)
        if needed > allowed:
            try:
                needed = expression.counted(method, text, allowed, allowance.check)
            except TooCostlyError:
                needed = _UNKNOWN
            # Above what is allowed it was not counted to its end.
            needed = needed if needed <= allowed else _UNKNOWN
        allowance.measured[key] = needed
    return needed


def may_match(pattern: re.Pattern[str], text: str, place: int = 0) -> bool:
    """Return whether everything that a match behind ``place`` has to hold is there, in its
    order."""
    for literal in _literals(pattern):
        found = text.find(literal, place)
        if found < 0:
            return False
        place = found + len(literal)
    return True


@lru_cache(maxsize=256)
def _literals(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Return the texts that each match holds, one behind the other."""
    if pattern.flags & re.IGNORECASE:
        return ()
    found: list[list[str]] = [[]]
    _collect(sre_parser.parse(pattern.pattern, pattern.flags), found)
    return tuple("".join(run) for run in found if run)


def _collect(items: Any, found: list[list[str]]) -> None:
    """Add what the items hold in every case; a new run begins where anything else may stand
    between. What is only looked at, not taken, is passed over."""
    for operator, argument in items:
        if operator is sre.LITERAL:
            found[-1].append(chr(argument))
        elif operator is sre.SUBPATTERN and not argument[1] and not argument[2]:
            _collect(argument[3], found)
        elif operator is not sre.AT:
            found.append([])
