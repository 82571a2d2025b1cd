"""Arguments for which two values stand in a relation, or one is held by the other."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
from collections.abc import Iterator
from typing import Any, cast

from knitbone.fuzzing.solve.evaluate import FailedError, Point
from knitbone.fuzzing.solve.inverse.view import in_order
from knitbone.fuzzing.solve.inversion import put
from knitbone.fuzzing.solve.limits import UndefinedError
from knitbone.fuzzing.trace.terms import UNKNOWN, Term
from knitbone.record.events import Json

__all__ = ["ORDER", "compare", "hold", "now"]

Inputs = dict[str, Json]
_MEMBERS = 12

ORDER = frozenset(f"operator.{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge"))
_OPPOSITE = {
    "operator.eq": "operator.ne", "operator.ne": "operator.eq", "operator.lt": "operator.ge",
    "operator.ge": "operator.lt", "operator.gt": "operator.le", "operator.le": "operator.gt",
}  # fmt: skip
_MIRRORED = {
    "operator.lt": "operator.gt", "operator.gt": "operator.lt", "operator.le": "operator.ge",
    "operator.ge": "operator.le",
}  # fmt: skip


def compare(term: Term, wanted: bool, point: Point) -> Iterator[Inputs]:
    """Arguments for which a comparison comes out as wanted."""
    op = term.op if wanted else _OPPOSITE[term.op]
    for mine, other in ((0, 1), (1, 0)):
        if type(term.args[mine]) is not Term:
            continue
        relation = op if mine == 0 else _MIRRORED.get(op, op)
        for value in _related(point.value(term.args[other]), relation, point, term.args[mine]):
            yield from put(term.args[mine], value, point)


def _related(value: Any, op: str, point: Point, mine: Term) -> Iterator[Any]:
    """Values that stand in a relation to one: the nearest first."""
    step = _step(value)
    if op in ("operator.eq", "operator.le", "operator.ge"):
        yield value
    if op == "operator.ne":
        yield from _different(value)
        return
    if step is None:
        if isinstance(value, str) and op in ("operator.lt", "operator.gt"):
            yield "" if op == "operator.lt" else value + "z"
        elif isinstance(value, set | frozenset):
            held = set(cast("set[Any]", value))
            yield held | {"zz"} if op == "operator.gt" else held
        return
    sign = {"operator.lt": -1, "operator.le": -1, "operator.gt": 1, "operator.ge": 1}.get(op)
    if sign is not None:
        for times in (1, 10, 1000):
            yield value + step * (sign * times)
        if isinstance(value, float) or isinstance(now(point, mine), float):
            yield value + 0.5 * sign


def now(point: Point, term: Term) -> Any:
    """What a term is worth, ``None`` where that cannot be told."""
    try:
        return point.value(term)
    except (UndefinedError, FailedError):
        return None


def _step(value: Any) -> Any:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | decimal.Decimal | fractions.Fraction):
        return 1
    if isinstance(value, dt.datetime | dt.date):
        return dt.timedelta(days=1)
    return value if isinstance(value, dt.timedelta) and value else None


def _different(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield value + "x"
        # What is often made alike before it is used.
        yield from (value.upper(), value.title(), value.lower(), value + " ", " " + value)
        yield "x"
        yield ""
    elif isinstance(value, list | tuple):
        yield list(cast("Any", value)[:-1])
        yield [*value, *(value[-1:] or ["x"])]
    elif (step := _step(value)) is not None:
        yield value + step
        yield value - step


def hold(term: Term, wanted: bool, point: Point) -> Iterator[Inputs]:
    """Arguments for which ``in`` comes out as wanted."""
    item, holder = term.args
    return _put_in(item, holder, point) if wanted else _take_out(item, holder, point)


def _put_in(item: Any, holder: Any, point: Point) -> Iterator[Inputs]:
    held = point.value(holder)
    if type(item) is Term:
        members = [m for m in in_order(held) if m is not UNKNOWN]
        for member in members[:_MEMBERS]:
            yield from put(item, member, point)
    if type(holder) is not Term:
        return
    value = point.value(item)
    if isinstance(held, str):
        for made in (value, held + value, value + held, f"{held} {value}"):
            yield from put(holder, made, point)
    elif isinstance(held, dict):
        filler = next(iter(cast("Any", held).values()), "1")
        yield from put(holder, {**cast("Any", held), value: filler}, point)
    else:
        yield from put(holder, [value, *list(held)[1:]], point)
        yield from put(holder, [*held, value], point)


def _take_out(item: Any, holder: Any, point: Point) -> Iterator[Inputs]:
    held = point.value(holder)
    if type(item) is Term:
        for other in _different(point.value(item)):
            yield from put(item, other, point)
    if type(holder) is not Term:
        return
    value = point.value(item)
    if isinstance(held, str):
        yield from put(holder, held.replace(value, "") if value else "", point)
    elif isinstance(held, dict):
        rest = {k: v for k, v in cast("Any", held).items() if k != value}
        yield from put(holder, rest, point)
    else:
        yield from put(holder, [other for other in held if other != value], point)
