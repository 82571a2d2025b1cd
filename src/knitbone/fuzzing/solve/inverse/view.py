"""What an operation sees of itself when it is to go back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from knitbone.fuzzing.solve.evaluate import Point
from knitbone.fuzzing.trace.terms import Term

__all__ = ["MOST", "Changes", "Step", "TermView", "in_order"]

MOST = 2_000
"""Items or characters that a value is made to have."""


class TermView:
    """A term and what its parts are worth now."""

    def __init__(self, term: Term, point: Point) -> None:
        self.term = term
        self._point = point

    def __getitem__(self, index: int) -> Any:
        return self._point.value(self.term.args[index])

    def __len__(self) -> int:
        return len(self.term.args)

    def is_term(self, index: int) -> bool:
        """Whether a part comes from the arguments, so that it can be changed."""
        return index < len(self.term.args) and type(self.term.args[index]) is Term

    @property
    def now(self) -> Any:
        """What the whole is worth."""
        return self._point.value(self.term)


Changes = Iterator[tuple[int, Any]]
"""Which part should be worth what."""
Step = Callable[[TermView, Any], Changes]
"""The changes for which the whole should have a wanted value."""


def in_order(values: Any) -> list[Any]:
    """The members of a collection; those of a set in an order that is the same in every run."""
    members: list[Any] = list(values)
    return sorted(members, key=repr) if isinstance(values, set | frozenset) else members
