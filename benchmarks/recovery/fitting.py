"""The numbers of the simulated agent, from a real small model's answers; ``data/fit.json``.

    python -m benchmarks.recovery.fitting MODEL [--out FILE] [--sharpness] [--skill GROUND ...]

Least squares on the logarithms of the probabilities that the model gave the four letters, centred:
by the kind of the call behind a letter, the letter, and the call's likeness to the note in the
question. The letters' own share is taken out. What no feature explains and what returns when the
same four calls are asked about again, with another note, is the spread of the seeded inclinations.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from benchmarks.recovery.asking import answers
from benchmarks.recovery.environments import tasks_of
from benchmarks.recovery.preference import FIT, Fit, load_fit
from benchmarks.recovery.reading import Likeness, ReadText
from benchmarks.recovery.requests import REQUESTS
from benchmarks.recovery.running import unguided

__all__ = ["fit", "set_sharpness", "set_skill"]

_KINDS = ("omission", "value", "order", "repeat", "end", "other")
_RIDGE = 0.02
"""Pull of every number to zero, a question; it decides nothing but what the answers leave open."""
_LEAST = -12.0
"""Logarithm of the probability of a letter that is not among the 20 most likely tokens."""
_HALF = 0.5
"""Share of first attempts that are to fail."""
_BLIND = 0.431
"""Share of failures that three blind retries repair (AgentTether, Table I, overall)."""
_SHARPNESSES = (2.0, 4.0, 8.0, 16.0)
_SEEDS = (101,)
"""Seeds of these unguided attempts; the comparison has others."""
_SAMPLE = {"agentdojo": 97, "retail": 40, "airline": 24}
"""Tasks on which the skill is set; the servers' calls take longer."""
_BISECTIONS = 6


def fit(model: str) -> Fit:
    """Fit inclinations and weights to what a model answered."""
    rows = _rows(model)
    features = np.array([row["features"] for row in rows])
    features -= features.mean(axis=1, keepdims=True)
    logs = np.array([row["logs"] for row in rows])
    flat = features.reshape(-1, features.shape[2])
    found = np.linalg.solve(
        flat.T @ flat + _RIDGE * len(rows) * np.eye(flat.shape[1]), flat.T @ logs.reshape(-1)
    )
    kinds = dict(zip(_KINDS, found, strict=False))
    letters = found[len(_KINDS) : len(_KINDS) + 3]
    do, dont = found[-2:]
    details = {f"letter {name}": float(value) for name, value in zip("BCD", letters, strict=True)}
    explained = 1 - ((logs - features @ found) ** 2).sum() / (logs**2).sum()
    details["share of variance explained"] = float(explained)
    details |= _agreement(rows)
    return Fit(
        model=model, answers=len(rows), do=round(float(do), 3), dont=round(float(dont), 3),
        kinds={
            **{name: round(float(value), 3) for name, value in kinds.items()},
            "skip": round(float(kinds["order"]), 3),
        },
        spread=round(_spread(rows, features @ found), 3),
        details={name: round(value, 4) for name, value in details.items()},
    )  # fmt: skip


def _rows(model: str) -> list[dict[str, Any]]:
    likeness, known = Likeness(), answers(model)
    questions = [json.loads(line) for line in REQUESTS.read_text(encoding="utf-8").splitlines()]
    rows: list[dict[str, Any]] = []
    for question in questions:
        answer = known.get(question["id"])
        if answer is None or not answer["letters"]:
            continue
        texts = [ReadText(question["note"], 0)] if question["note"] else []
        pulls = likeness.pulls(question["options"], texts, 0) if texts else [(0.0, 0.0)] * 4
        logs = np.array([answer["letters"].get(letter, _LEAST) for letter in "ABCD"])
        share = np.exp(logs - logs.max())
        features = [
            [float(kind in (name, _alias(name))) for name in _KINDS]
            + [float(place == letter) for letter in (1, 2, 3)]
            + list(pull)
            for place, (kind, pull) in enumerate(zip(question["kinds"], pulls, strict=True))
        ]
        rows.append(
            {
                "situation": question["id"].split("-")[0], "sort": question["id"].split("-")[1],
                "features": features, "share": share / share.sum(), "kinds": question["kinds"],
                "logs": logs - logs.mean(),
            }
        )  # fmt: skip
    return rows


def _alias(name: str) -> str:
    return "skip" if name == "order" else name


def _spread(rows: list[dict[str, Any]], scores: np.ndarray) -> float:
    """Standard deviation of what returns in other questions on the same calls."""
    rest: dict[str, list[np.ndarray]] = defaultdict(list)
    for row, score in zip(rows, scores, strict=True):
        rest[row["situation"]].append(row["logs"] - (score - score.mean()))
    products = [
        float(first @ second) / 3  # four numbers whose sum is zero
        for group in rest.values()
        for place, first in enumerate(group)
        for second in group[place + 1 :]
    ]
    return float(np.sqrt(max(np.mean(products), 0.0))) if products else 0.0


def _agreement(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Share of the needed call among the answers, by the sort of note."""
    shares: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        needed = row["kinds"].index("needed")
        shares[row["sort"]].append(float(np.argmax(row["share"]) == needed))
    return {f"needed, {sort}": float(np.mean(values)) for sort, values in sorted(shares.items())}


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
    return min(found, key=lambda pair: pair[0])[1]


def set_skill(numbers: Fit, ground: str) -> Fit:
    """Set the skill at which about half of the first attempts on a ground fail, unguided."""
    tasks = tasks_of(ground)
    tasks = tasks[:: max(len(tasks) // _SAMPLE[ground], 1)]
    low, high = -4.0, 36.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        tried = msgspec.structs.replace(numbers, skills={**numbers.skills, ground: middle})
        share = unguided(tasks, tried, _SEEDS[0])[0] / len(tasks)
        print(f"{ground}: skill {middle:.2f}, {share:.2f} fail", flush=True)
        low, high = (middle, high) if share > _HALF else (low, middle)
    return msgspec.structs.replace(
        numbers, skills={**numbers.skills, ground: round((low + high) / 2, 3)}
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", help="fit to this model's answers; else skills alone")
    parser.add_argument("--out", type=Path, default=FIT)
    parser.add_argument("--sharpness", action="store_true", help="set the sharpness, too")
    parser.add_argument("--skill", nargs="*", default=())
    options = parser.parse_args()
    numbers = fit(options.model) if options.model else load_fit(options.out)
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
