"""The numbers of the simulated agent, from a real small model's answers; ``data/fit.json``.

    python -m knitbone_evals.recover.fitting MODEL [--likelihood] [--out FILE] [--sharpness]
        [--skill GROUND ...]

Least squares on the logarithms of the probabilities that the model gave the four letters, centred:
by the kind of the call behind a letter, the letter, and the call's likeness to the note in the
question. The letters' own share is taken out. What no feature explains and what returns when the
same four calls are asked about again, with another note, is the spread of the seeded inclinations.
``--likelihood`` is the second author's way (``likelihood.py``).
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import msgspec
import numpy as np

from knitbone_evals.recover.answer_rows import KINDS, agreement, rows_of, spread
from knitbone_evals.recover.environments import tasks_of
from knitbone_evals.recover.likelihood import fit_likelihood
from knitbone_evals.recover.preference import FIT, Fit, load_fit
from knitbone_evals.recover.running import unguided

__all__ = ["fit", "set_sharpness", "set_skill"]

_RIDGE = 0.02
"""Pull of every number to zero, a question; it decides nothing but what the answers leave open."""
_HALF = 0.5
"""Share of first attempts that are to fail."""
_BLIND = 0.431
"""Share of failures that three blind retries repair (AgentTether, Table I, overall)."""
_SHARPNESSES = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Of these the one is taken that comes nearest; one was added for the second fit."""
_SEEDS = (101,)
"""Seeds of these unguided attempts; the comparison has others."""
_SAMPLE = {"agentdojo": 97, "retail": 40, "airline": 24}
"""Tasks on which the skill is set; the servers' calls take longer."""
_BISECTIONS = 6
_LOWER = 16.0
"""Step by which the search for a skill begins lower, where its first attempts fail too seldom."""


def fit(model: str) -> Fit:
    """Fit inclinations and weights to what a model answered."""
    rows = rows_of(model)
    features = np.array([row["features"] for row in rows])
    features -= features.mean(axis=1, keepdims=True)
    logs = np.array([row["logs"] for row in rows])
    flat = features.reshape(-1, features.shape[2])
    found = np.linalg.solve(
        flat.T @ flat + _RIDGE * len(rows) * np.eye(flat.shape[1]), flat.T @ logs.reshape(-1)
    )
    kinds = dict(zip(KINDS, found, strict=False))
    letters = found[len(KINDS) : len(KINDS) + 3]
    do, dont = found[-2:]
    details = {f"letter {name}": float(value) for name, value in zip("BCD", letters, strict=True)}
    explained = 1 - ((logs - features @ found) ** 2).sum() / (logs**2).sum()
    details["share of variance explained"] = float(explained)
    details |= agreement(rows)
    return Fit(
        model=model, answers=len(rows), do=round(float(do), 3), dont=round(float(dont), 3),
        kinds={
            **{name: round(float(value), 3) for name, value in kinds.items()},
            "skip": round(float(kinds["order"]), 3),
        },
        spread=round(spread(rows, features @ found), 3),
        details={name: round(value, 4) for name, value in details.items()},
    )  # fmt: skip


def set_sharpness(numbers: Fit) -> Fit:
    """Set the sharpness on agentdojo: with the skill that goes with each, the one at which three
    repetitions without a word repair the share that the paper's did."""
    found: list[tuple[float, Fit]] = []
    tasks = tasks_of("agentdojo")
    for sharpness in _SHARPNESSES:
        tried = set_skill(msgspec.structs.replace(numbers, sharpness=sharpness), "agentdojo")
        failed = repaired = 0
        for seed in _SEEDS:
            counts = unguided(tasks, tried, seed, repairs=3)
            failed, repaired = failed + counts[0], repaired + counts[1]
        print(f"sharpness {sharpness}: {repaired} of {failed} repaired unguided", flush=True)
        found.append((abs(repaired / failed - _BLIND), tried))
        if repaired / failed < _BLIND:
            break  # a sharper agent repairs fewer still
    return min(found, key=lambda pair: pair[0])[1]


def set_skill(numbers: Fit, ground: str) -> Fit:
    """Set the skill at which about half of the first attempts on a ground fail, unguided."""
    tasks = tasks_of(ground)
    tasks = tasks[:: max(len(tasks) // _SAMPLE[ground], 1)]

    def failing(skill: float) -> float:
        tried = msgspec.structs.replace(numbers, skills={**numbers.skills, ground: skill})
        share = unguided(tasks, tried, _SEEDS[0])[0] / len(tasks)
        print(f"{ground}: skill {skill:.2f}, {share:.2f} fail", flush=True)
        return share

    low, high = -4.0, 36.0
    while failing(low) <= _HALF:  # the kinds alone may hold an agent back from faults
        low -= _LOWER
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if failing(middle) > _HALF else (low, middle)
    return msgspec.structs.replace(
        numbers, skills={**numbers.skills, ground: round((low + high) / 2, 3)}
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", help="fit to this model's answers; else skills alone")
    parser.add_argument("--likelihood", action="store_true", help="the second author's way")
    parser.add_argument("--out", type=Path, default=FIT)
    parser.add_argument("--sharpness", action="store_true", help="set the sharpness, too")
    parser.add_argument("--skill", nargs="*", default=())
    options = parser.parse_args()
    fitted = fit_likelihood if options.likelihood else fit
    numbers = fitted(options.model) if options.model else load_fit(options.out)
    if options.sharpness:
        numbers = set_sharpness(numbers)
    for ground in options.skill:
        numbers = set_skill(numbers, ground)
    text = msgspec.json.format(msgspec.json.encode(numbers), indent=1)
    options.out.write_bytes(text + b"\n")
    print(text.decode(), flush=True)
    os._exit(0)  # the portal of the servers' sessions would be waited for


if __name__ == "__main__":
    main()
