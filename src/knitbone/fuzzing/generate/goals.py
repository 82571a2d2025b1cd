"""Goals that one call of a tool leaves to be reached by another one.

The other way at each decision that the call came to, and values at which a tool's code often goes
wrong though no decision shows them: the bound of a comparison, each member of a table, zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from knitbone.fuzzing.solve.inverse.view import in_order
from knitbone.fuzzing.trace.terms import UNKNOWN, Event, Term

__all__ = ["Goal", "goals_of"]

_MEMBERS = 24
_FIRST = 4
_SAMPLES = 3
_ORDER = frozenset({"operator.lt", "operator.le", "operator.gt", "operator.ge"})
_MISSING = frozenset({"text", "hostname", "port"})
"""Attributes that are ``None`` where a document says nothing."""
_MATCHING = frozenset({"re.match", "re.fullmatch", "re.search"})


class Goal(NamedTuple):
    """Something that a call has not done yet."""

    key: tuple[Any, ...]
    """Names it: the place in the code, then the kind."""
    wanted: Event
    """The event that would show it. Beside the kinds that are recorded (``branch``, ``call``):
    ``slow``, an expression on a text that it takes long for; ``sample``, one more text that
    matches."""
    rank: int
    """How soon it is worth trying: 0 first."""


def goals_of(event: Event) -> Iterator[Goal]:
    """The goals that one event of a call gives rise to."""
    site, kind, term, outcome = event
    # The other outcome of a failed operation is what a normal call does: it comes first.
    yield Goal((site, kind, not outcome), event._replace(outcome=not outcome), 0)
    if kind == "branch":
        yield from _of_branch(site, term, outcome)
    else:
        yield from _of_call(site, term, outcome)


def _of_branch(site: int, term: Term, outcome: bool) -> Iterator[Goal]:
    if term.op in _ORDER:
        equal = Term("operator.eq", term.args)
        yield Goal((site, "bound"), Event(site, "branch", equal, True), 1)
    elif term.op == "in":
        yield from _members(site, term.args[0], term.args[1])
    elif term.op == "operator.truth" and outcome and _is_match(term.args[0]):
        for number in range(_SAMPLES):
            yield Goal((site, "sample", number), Event(site, "sample", term, True), 2)


def _is_match(term: Any) -> bool:
    return type(term) is Term and term.op in _MATCHING


def _of_call(site: int, term: Term, outcome: bool) -> Iterator[Goal]:
    if not outcome:
        return
    if term.op.startswith("re."):
        yield Goal((site, "slow"), Event(site, "slow", term, True), 1)
    if term.op in ("int", "float", "len", "sum", "operator.sub", "decimal.Decimal", "round"):
        for value in (0, -1, 1) if term.op != "len" else (0, 1):
            wanted = Term("operator.eq", (term, value))
            yield Goal((site, "value", value), Event(site, "branch", wanted, True), 1)
        for odd in ("isnan", "isinf") if term.op == "float" else ():
            wanted = Term("operator.truth", (Term(f"math.{odd}", (term,)),))
            yield Goal((site, odd), Event(site, "branch", wanted, True), 1)
    elif (term.op == "operator.getitem" and type(term.args[0]) is not Term) or term.op == "member":
        yield from _members(site, term.args[1], term.args[0])
    elif term.op == ".Match.group" or (term.op == "getattr" and term.args[1] in _MISSING):
        missing = Term("operator.truth", (term,))
        yield Goal((site, "missing"), Event(site, "branch", missing, False), 1)


def _members(site: int, item: Any, held: Any) -> Iterator[Goal]:
    """Each member of a table of the code, or of a list from the arguments: what is the same there
    as here, a name that stands for itself among them."""
    if type(item) is not Term:
        return
    members: list[Any] = []
    if type(held) is Term:
        many = len(held.args) if held.op in ("list", "tuple") else _FIRST
        members = [Term("operator.getitem", (held, n)) for n in range(min(many, _FIRST))]
    elif isinstance(held, dict | list | tuple | set | frozenset):
        members = [member for member in in_order(held) if member is not UNKNOWN]
    for number, member in enumerate(members[:_MEMBERS]):
        wanted = Term("operator.eq", (item, member))
        yield Goal((site, "member", number), Event(site, "branch", wanted, True), 1)
