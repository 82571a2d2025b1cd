"""Whether values come from the arguments, and as what term they are told."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any, cast

from knitbone.fuzzing.trace.terms import Term
from knitbone.fuzzing.trace.values import (
    LEAVES,
    TAINTED,
    TRACKED,
    deeply_plain,
    term_of,
    wrap,
)

__all__ = ["argument", "collection", "holds", "make_term", "shared", "wrapped"]


_LOOKED_AT = 8
"""Items of a container that are looked at, to see whether it holds something tainted."""


def holds(value: Any) -> bool:
    """Whether a container that the code has made holds something from the arguments."""
    kind: Any = cast("Any", type(value))
    if kind not in (list, tuple, set, dict) or not value:
        return False
    if kind is dict:
        parts = chain(islice(value, _LOOKED_AT), islice(value.values(), _LOOKED_AT))
    else:
        parts = islice(value, _LOOKED_AT)
    return any(type(part) in TAINTED or part in TRACKED for part in parts)


def collection(value: Any) -> Any:
    """What ``in`` looks into: of a dictionary the keys count."""
    if type(value) is dict and value not in TRACKED:
        return tuple(value)
    return value


def make_term(name: str, *values: Any) -> Term:
    """An operation on values as a term."""
    return Term(name, tuple(argument(value) for value in values))


def argument(value: Any) -> Any:
    """A value as a part of a term."""
    made = term_of(value)
    return deeply_plain(made) if type(made) is not Term else made


def wrapped(done: Any, term: Term) -> Any:
    """A result; truth values and ``None`` say nothing more."""
    if done is None or type(done) is bool or done is NotImplemented:
        return done
    return wrap(done, term)


def shared(done: Any, term: Term, holder: Any) -> Any:
    """A part of something: only leaves, and what is made anew, are known by their term; a list
    inside of a constant table is everybody's."""
    if type(done) in LEAVES:
        return wrap(done, term)
    if type(holder) in (list, tuple) and type(done) in (list, tuple) and holder in TRACKED:
        return wrap(done, term)
    return done
