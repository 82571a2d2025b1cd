"""The ranker under leave-one-run-out cross-validation.

For a run, weights are fitted on the other runs of its set, with the runs of the other sets as
related ones; every run of the same task is left out, in whatever set it stands. The temperature is
chosen on the other runs' held-out predictions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from knitbone.tethering.ranker import COLUMNS, Example, design, fit_ranker
from knitbone.tethering.ranker.fit import MIN_RUNS, best_temperature
from knitbone_evals.diagnose.localization.methods import Scored


class Predicted(NamedTuple):
    """A held-out run's scores and calibrated probabilities, by ordinal."""

    scores: list[float]
    probabilities: list[float]


def cross_validated(
    sets: Mapping[str, Sequence[Scored]], *, related: bool = True
) -> dict[str, list[Predicted]]:
    """Per set, the prediction for every run from a fit that saw neither it nor its task."""
    examples = {name: [_example(run) for run in runs] for name, runs in sets.items()}
    found: dict[str, list[Predicted]] = {}
    for name, own in examples.items():
        others = [e for other, more in examples.items() if other != name for e in more]
        logits = [_logits(held, own, others if related else []) for held in own]
        found[name] = [_calibrated(number, logits, own) for number in range(len(own))]
    return found


def transferred(sets: Mapping[str, Sequence[Scored]]) -> dict[str, list[list[float]]]:
    """Per set, every run's scores from a fit on the other sets alone: what shipped weights would do
    for an application that nobody labelled. Runs of the same task are left out."""
    examples = {name: [_example(run) for run in runs] for name, runs in sets.items()}
    found: dict[str, list[list[float]]] = {}
    for name, own in examples.items():
        others = [e for other, more in examples.items() if other != name for e in more]
        shared = {example.group for example in others}
        fitted: dict[str, np.ndarray] = {}
        found[name] = []
        for held in own:
            key = held.group if held.group in shared else ""
            if key not in fitted:
                ranker = fit_ranker(_usable(others, key), calibrate=False)
                fitted[key] = np.array([ranker.weights[column] for column in COLUMNS])
            found[name].append([float(value) for value in held.matrix @ fitted[key]])
    return found


def _example(run: Scored) -> Example:
    blamed = run.blamed
    return Example(
        matrix=design(run.graph, run.evidence),
        blamed=-1 if blamed is None else blamed,
        group=run.case.group,
    )


def _usable(examples: Sequence[Example], group: str) -> list[Example]:
    return [e for e in examples if e.blamed >= 0 and e.group != group]


def _logits(held: Example, own: Sequence[Example], others: Sequence[Example]) -> np.ndarray:
    rest = _usable(own, held.group)
    if len(rest) < MIN_RUNS:
        raise ValueError(f"{len(rest)} labelled runs beside the held-out one are too few")
    ranker = fit_ranker(rest, related=_usable(others, held.group), calibrate=False)
    return held.matrix @ np.array([ranker.weights[name] for name in COLUMNS])


def _calibrated(number: int, logits: Sequence[np.ndarray], own: Sequence[Example]) -> Predicted:
    seen = [
        (scores, example.blamed)
        for scores, example in zip(logits, own, strict=True)
        if example.blamed >= 0 and example.group != own[number].group
    ]
    scaled = logits[number] / best_temperature(seen)
    chances = np.exp(scaled - scaled.max())
    return Predicted(list(logits[number]), list(chances / chances.sum()))
