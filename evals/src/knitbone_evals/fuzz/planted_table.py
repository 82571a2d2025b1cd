"""What is found in planted and sound tools, by category and by depth."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

from knitbone_evals.fuzz.scoring import Scored

__all__ = ["groups", "listing", "summary", "table"]

Seeds = Sequence[Sequence[Scored]]
"""For each seed, the scores of all tools, in the same order."""


def groups(scores: Sequence[Scored]) -> Iterator[tuple[str, Callable[[Scored], bool]]]:
    """The rows of the table: all, deep, shallow, then each category in alphabetical order."""
    yield "all planted", lambda one: one.planted
    yield "deep", lambda one: one.planted and one.deep
    yield "shallow", lambda one: one.planted and not one.deep
    for category in sorted({one.category for one in scores if one.planted}):
        yield category, lambda one, category=category: one.category == category


def table(seeds: Seeds) -> list[dict[str, object]]:
    """One row a group: how many tools, how many faults were found with each seed, and when."""
    rows = list[dict[str, object]]()
    for name, belongs in groups(seeds[0]):
        members = [[one for one in scores if belongs(one)] for scores in seeds]
        if not members[0]:
            continue
        found = [sum(one.found_at is not None for one in scores) for scores in members]
        calls = [one.found_at for scores in members for one in scores if one.found_at is not None]
        waits = [one.seconds for scores in members for one in scores if one.seconds is not None]
        rows.append(
            {
                "group": name,
                "tools": len(members[0]),
                "found": found,
                "median found": statistics.median(found),
                "median call": statistics.median(calls) if calls else None,
                "median seconds": round(statistics.median(waits), 3) if waits else None,
            }
        )
    return rows


def summary(seeds: Seeds) -> dict[str, object]:
    """What is not about single categories: for each seed, in a list."""
    return {
        "false findings": [sum(len(one.false) for one in scores) for scores in seeds],
        "false in sound tools": [
            sum(len(one.false) for one in scores if not one.planted) for scores in seeds
        ],
        "faults found as unhandled": [
            sum(one.unhandled_at is not None for one in scores) for scores in seeds
        ],
        "unhandled beside the faults": [
            sum(len(one.false_unhandled) for one in scores) for scores in seeds
        ],
        "unhandled in sound tools": [
            sum(one.unhandled for one in scores if not one.planted) for scores in seeds
        ],
        "announced refusals": [sum(one.announced for one in scores) for scores in seeds],
        "answers that are quoted": [sum(one.quoted for one in scores) for scores in seeds],
        "unique errors": [sum(one.unique for one in scores) for scores in seeds],
        "tried again at once and replaying": [_replaying(scores) for scores in seeds],
        "faults found": [sum(one.found_at is not None for one in scores) for scores in seeds],
        "faults not replaying": [sum(one.replays is False for one in scores) for scores in seeds],
        "workers that died": [sum(bool(one.problem) for one in scores) for scores in seeds],
    }


def _replaying(scores: Sequence[Scored]) -> int | str:
    numbers = [one.replayed for one in scores if one.replayed is not None]
    return sum(numbers) if numbers else "-"


def listing(scores: Sequence[Scored], *, every: bool) -> Iterator[str]:
    """Single tools: what went wrong in any, and with ``every`` also where a fault was found.

    Never how: a witness in sight would be tuned to.
    """
    for one in scores:
        name = one.target.rpartition(".")[2]
        if every and one.planted:
            where = "missed" if one.found_at is None else f"found at call {one.found_at}"
            note = "" if one.replays is not False else ", does not replay"
            if one.as_refused:
                note += ", as refused"
            deep = "deep" if one.deep else ""
            yield f"  {name:34}{one.category:26}{deep:6}{where}{note}"
        for text in one.false:
            yield f"  {name}: FALSE FINDING {text}"
        for text in one.false_unhandled:
            yield f"  {name}: UNHANDLED, NOT PLANTED {text}"
        if one.problem:
            yield f"  {name}: FUZZER FAILED {one.problem}"
