"""From one run of a tool to arguments that run the same way up to a point, and differ there.

First each operation is asked to go back (``satisfy``); where that breaks a condition on the way,
the condition is mended in turn. Where nothing can go back (checksums, sums, relations), arguments
are varied and kept when they come nearer. No call of the tool is made.
"""

from __future__ import annotations

import bisect
import copy
import heapq
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, cast

from knitbone.fuzzing.solve.evaluate import FailedError, Point
from knitbone.fuzzing.solve.inversion import put
from knitbone.fuzzing.solve.limits import UndefinedError
from knitbone.fuzzing.solve.satisfy import satisfy
from knitbone.fuzzing.solve.texts import draw_slow, pattern_and_flags
from knitbone.fuzzing.trace.terms import Event, Path, Term
from knitbone.record.events import Json

__all__ = ["slow", "solve", "vary"]

Inputs = dict[str, Json]
_ROUNDS = 24
"""Arguments that are taken up and mended."""
_WIDTH = 24
"""Proposals looked at for each."""
_LOTS = 8
"""Variations among the proposals for each."""
_VARIED = 240
"""Variations tried where nothing can go back."""
_PREFIX = 80
"""Conditions on the way that are kept; of a longer way, the last ones."""


def solve(
    way: Sequence[Event],
    goal: Event,
    inputs: Inputs,
    rng: random.Random,
    *,
    allowed: Callable[[Inputs], bool] = lambda _: True,
) -> Inputs | None:
    """Arguments for which ``goal`` comes out as it says, and what came before as it did.

    Args:
        way: the events before the goal, of a call with ``inputs``.
        allowed: whether the tool's schema accepts arguments.
    """
    start = Point(inputs)
    kept = [event for event in _distinct(way) if start.holds(event)][-_PREFIX:]
    found = _mend([*kept, goal], inputs, rng, allowed)
    return found or _climb([*kept, goal], inputs, rng, allowed)


def slow(
    way: Sequence[Event],
    term: Term,
    inputs: Inputs,
    rng: random.Random,
    *,
    allowed: Callable[[Inputs], bool] = lambda _: True,
) -> Inputs | None:
    """Arguments on which a regular expression may take for ever, if it is of that kind.

    Args:
        term: the call of a function of ``re``; it is not computed for what is proposed.
    """
    pattern, flags = pattern_and_flags(term)
    text = draw_slow(pattern, rng, flags)
    if text is None:
        return None
    start = Point(inputs)
    kept = [event for event in _distinct(way) if start.holds(event)]
    best: Inputs | None = None
    for subject in term.args[1:]:
        for made in islice(put(subject, text, start), _WIDTH):
            point = Point(made)
            if allowed(made) and (best is None or all(map(point.holds, kept))):
                best = made
    return best


def _distinct(events: Sequence[Event]) -> Iterator[Event]:
    seen: set[tuple[int, bool]] = set()
    for event in events:
        key = (id(event.term), event.outcome)
        if key not in seen:
            seen.add(key)
            yield event


def _mend(
    demands: Sequence[Event], inputs: Inputs, rng: random.Random, allowed: Callable[[Inputs], bool]
) -> Inputs | None:
    """Best-first: of the proposals so far, mend the one that breaks least."""
    waiting: list[tuple[float, int, Inputs, Event]] = [(0.0, 0, inputs, demands[-1])]
    # The costs of those waiting, ascending. Only so many will have a turn: of a proposal that costs
    # more than those it is not worth knowing how much more.
    costs = [0.0]
    seen = {repr(inputs)}
    number = 0
    for turns_left in range(_ROUNDS - 1, -1, -1):
        if not waiting:
            return None
        _, _, base, broken = heapq.heappop(waiting)
        costs.pop(0)
        proposals = satisfy(broken.kind, broken.term, broken.outcome, Point(base), rng)
        varied = _some_varied(broken.term, base, rng)
        for made in chain(islice(proposals, _WIDTH), varied):
            key = repr(made)
            if key in seen:
                continue
            seen.add(key)
            limit = 0.0 if not turns_left else math.inf
            if 0 < turns_left <= len(costs):
                limit = costs[turns_left - 1]
            wrong, cost = _first_broken(demands, Point(made), len(key) / 10_000, limit)
            if wrong is None:
                if allowed(made):
                    return made
            elif cost <= limit:
                number += 1
                heapq.heappush(waiting, (cost, number, made, wrong))
                bisect.insort(costs, cost)
    return None


def _first_broken(
    demands: Sequence[Event], point: Point, length: float, limit: float
) -> tuple[Event | None, float]:
    """The first demand that is broken, and the cost of all; above ``limit`` the count ends. What
    mends the goal is worth more than what keeps the way."""
    goal = demands[-1]
    misses = not point.holds(goal)
    extra = 2.0 if misses else 0.0
    first, broken = None, int(misses)
    for event in demands[:-1]:
        if broken and broken + extra + length > limit:
            break
        if not point.holds(event):
            first = first or event
            broken += 1
    return first or (goal if misses else None), broken + extra + length


def _some_varied(term: Term, base: Inputs, rng: random.Random) -> Iterator[Inputs]:
    """What a condition looks at, changed at random: mends a checksum, which cannot go back."""
    paths = sorted(_paths(term, 0), key=repr)
    for _ in range(_LOTS if paths else 0):
        yield vary(base, rng.choice(paths), rng)


# -- variation --------------------------------------------------------------------------------


def _climb(
    demands: Sequence[Event], inputs: Inputs, rng: random.Random, allowed: Callable[[Inputs], bool]
) -> Inputs | None:
    paths = sorted(_paths(demands[-1].term, 0), key=repr)
    if not paths:
        return None
    distances = _Distances(demands)
    best, score = inputs, distances.of(inputs, math.inf)
    for _ in range(_VARIED):
        made = vary(best, rng.choice(paths), rng)
        found = distances.of(made, score)
        if found <= score:
            if found == 0:
                if allowed(made):
                    return made
                continue
            best, score = made, found
    return None


def _paths(term: Term, depth: int) -> set[Path]:
    """The places in the arguments that a term looks at."""
    if term.op == "input":
        return {term.args[0]}
    if depth > 40:
        return set()
    return {p for part in term.args if type(part) is Term for p in _paths(part, depth + 1)}


class _Distances:
    """How far arguments are from what is demanded; 0 where all holds.

    Small values are varied into the same ones again and again: what was computed is kept.
    """

    def __init__(self, demands: Sequence[Event]) -> None:
        # What keeps the way weighs more than the goal.
        self._weighted = [*((event, 3.0) for event in demands[:-1]), (demands[-1], 1.0)]
        self._known: dict[str, float] = {}

    def of(self, inputs: Inputs, limit: float) -> float:
        """The distance, or some number above ``limit`` where it is larger than that."""
        key = repr(inputs)
        known = self._known.get(key)
        if known is not None:
            return known
        point = Point(inputs)
        total = 0.0
        for event, weight in self._weighted:
            if not point.holds(event):
                total += weight * (1.0 + _gap(event, point))
                if total > limit:
                    break
        # A limit only falls: what was above it once is above it from then on.
        self._known[key] = total
        return total


def _gap(event: Event, point: Point) -> float:
    """Between 0 and 1: how far the two sides of a comparison are apart."""
    term = event.term
    if event.kind != "branch" or len(term.args) != 2 or not term.op.startswith("operator."):
        return 1.0
    try:
        left, right = point.value(term.args[0]), point.value(term.args[1])
    except (UndefinedError, FailedError):
        return 2.0
    if isinstance(left, int | float) and isinstance(right, int | float):
        apart = abs(left - right)
        return 1.0 if math.isnan(apart) else apart / (apart + 10.0)
    if isinstance(left, str) and isinstance(right, str):
        same = sum(a == b for a, b in zip(left, right, strict=False))
        longest = max(len(left), len(right), 1)
        return 1.0 - same / longest
    return 1.0


def vary(inputs: Inputs, path: Path, rng: random.Random, words: Sequence[str] = ()) -> Inputs:
    """The arguments with a small change at one place.

    Args:
        words: may stand there in place of a text.
    """
    made = copy.deepcopy(inputs)
    holder: Any = made
    try:
        for step in path[:-1]:
            holder = holder[step]
        now = holder[path[-1]]
        if isinstance(now, str) and words and rng.randrange(3) == 0:
            holder[path[-1]] = rng.choice(words)
        else:
            holder[path[-1]] = _varied(now, rng)
    except (LookupError, TypeError):
        return made
    return made


def _varied(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, -2, 2, -10, 10, -100, 100, -value, value))
    if isinstance(value, float):
        return value + rng.choice((-1.0, 1.0, -0.5, 0.5, -10.0, 10.0, 0.01, -value))
    if isinstance(value, str):
        return _varied_text(value, rng)
    if isinstance(value, list):
        return _varied_list(cast("list[Any]", value), rng)
    if isinstance(value, dict) and value:
        held = cast("dict[str, Any]", value)
        key = rng.choice(list(held))
        return {**held, key: _varied(held[key], rng)}
    return cast("Any", value)


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATES = (
    "2020-12-31", "2024-02-29", "2023-02-28", "2021-01-01", "2024-12-30", "1999-12-31",
    "2000-01-01", "2026-12-31", "0001-01-01", "9999-12-31", "2023-03-26", "2024-06-30",
)  # fmt: skip
_NUMBER = re.compile(r"\d{1,12}")
_NUMBERS = ("0", "1", "9", "10", "99", "100", "999", "1000", "2147483648", "00")


def _varied_text(value: str, rng: random.Random) -> str:
    if not value:
        return rng.choice(("a", "1", " ", "A"))
    if rng.randrange(4) == 0:
        expression, others = (_DATE, _DATES) if _DATE.search(value) else (_NUMBER, _NUMBERS)
        found = list(expression.finditer(value))
        if found:
            chosen = rng.choice(found)
            return value[: chosen.start()] + rng.choice(others) + value[chosen.end() :]
    at = rng.randrange(len(value))
    old = value[at]
    kinds = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    alike = next((kind for kind in kinds if old in kind), "-,.:;/ a1")
    match rng.randrange(6):
        case 0:
            return value[:at] + value[at + 1 :]
        case 1:
            return value[:at] + old + value[at:]
        case 2:
            other = rng.randrange(len(value))
            low, high = sorted((at, other))
            if low == high:
                return value
            return (
                value[:low] + value[high] + value[low + 1 : high] + value[low] + value[high + 1 :]
            )
        case _:
            return value[:at] + rng.choice(alike) + value[at + 1 :]


def _varied_list(value: list[Any], rng: random.Random) -> list[Any]:
    if not value:
        return value
    at = rng.randrange(len(value))
    match rng.randrange(4):
        case 0:
            return value[:at] + value[at + 1 :]
        case 1:
            return [*value[:at], copy.deepcopy(value[at]), *value[at:]]
        case _:
            return [*value[:at], _varied(value[at], rng), *value[at + 1 :]]
