"""Figures of the study: each arm against the original, task by task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.stats import binomtest

from knitbone_evals.fix.tasks.attempts import Attempt
from knitbone_evals.fix.tasks.study import ARMS

__all__ = ["compared", "figures", "paired"]

_SEED, _DRAWS = 20261123, 10_000

Paired = dict[str, dict[str, Attempt]]
"""Task -> arm -> attempt, of the tasks that were tried in every arm that is compared."""


def paired(made: Sequence[Attempt], arms: Sequence[str]) -> Paired:
    """The attempts of tasks that have one in each arm."""
    found: defaultdict[str, dict[str, Attempt]] = defaultdict(dict)
    for each in made:
        found[each.task][each.arm] = each
    return {task: tried for task, tried in found.items() if set(arms) <= set(tried)}


def figures(made: Sequence[Attempt], arms: Sequence[str] = ARMS) -> dict[str, object]:
    """Every arm's figures over its tasks, and each against the original over those of both."""
    pairs = {arm: paired(made, ("original", arm)) for arm in arms if arm != "original"}
    return {
        "arms": {arm: _alone([each for each in made if each.arm == arm]) for arm in arms},
        "against the original": {arm: compared(tasks, arm) for arm, tasks in pairs.items()},
    }


def _alone(made: Sequence[Attempt]) -> dict[str, object]:
    return {
        "tasks": len(made),
        "success": _share(sum(each.passed for each in made), len(made)),
        "share of calls accepted, mean": _mean([each.share for each in made]),
        "tasks with calls, all accepted": _share(sum(each.clean for each in made), len(made)),
        "tasks without a call": sum(not each.calls for each in made),
        "different calls": sum(each.calls for each in made),
        "accepted": sum(each.accepted for each in made),
        "ended": {
            kind: sum(each.ended == kind for each in made)
            for kind in sorted({each.ended for each in made})
        },
    }


def compared(tasks: Paired, arm: str) -> dict[str, object]:
    """An arm against the original: the difference of the shares with a bootstrap interval, and
    McNemar's exact test of two yes-or-no outcomes."""
    pairs = [(tried["original"], tried[arm]) for tried in tasks.values()]
    if not pairs:
        return {"pairs": 0}
    differences = np.array([other.share - plain.share for plain, other in pairs])
    drawn = np.random.default_rng(_SEED).integers(0, len(pairs), (_DRAWS, len(pairs)))
    low, high = np.percentile(differences[drawn].mean(axis=1), [2.5, 97.5])
    return {
        "pairs": len(pairs),
        "difference of the share": [
            round(float(each), 3) for each in (differences.mean(), low, high)
        ],
        "share higher, lower": [int((differences > 0).sum()), int((differences < 0).sum())],
        "all accepted": _mcnemar(pairs, lambda each: each.clean),
        "success": _mcnemar(pairs, lambda each: each.passed),
    }


def _mcnemar(
    pairs: Sequence[tuple[Attempt, Attempt]], holds: Callable[[Attempt], bool]
) -> Mapping[str, object]:
    won = sum(holds(other) and not holds(plain) for plain, other in pairs)
    lost = sum(holds(plain) and not holds(other) for plain, other in pairs)
    chance = binomtest(won, won + lost).pvalue if won + lost else 1.0
    return {"won": won, "lost": lost, "McNemar p": round(float(chance), 4)}


def _mean(values: Sequence[float]) -> list[float]:
    """The mean with a bootstrap interval (95 %)."""
    if not values:
        return []
    array = np.array(values)
    drawn = np.random.default_rng(_SEED).integers(0, len(array), (_DRAWS, len(array)))
    low, high = np.percentile(array[drawn].mean(axis=1), [2.5, 97.5])
    return [round(float(each), 3) for each in (array.mean(), low, high)]


def _share(hits: int, total: int) -> dict[str, object]:
    """A share with its exact binomial interval (Clopper-Pearson, 95 %)."""
    if not total:
        return {"n": 0}
    interval = binomtest(hits, total).proportion_ci()
    low, high = round(float(interval.low), 3), round(float(interval.high), 3)
    return {"hits": hits, "n": total, "share": round(hits / total, 3), "interval": [low, high]}
