"""The answered questions as numbers: what both ways of fitting start from."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import numpy as np

from knitbone_evals.lines import lines_of
from knitbone_evals.recover.asking import answers
from knitbone_evals.recover.reading import Likeness, ReadText
from knitbone_evals.recover.requests import REQUESTS

__all__ = ["KINDS", "agreement", "rows_of", "spread"]

KINDS = ("omission", "value", "order", "repeat", "end", "other")
_LEAST = -12.0
"""Logarithm of the probability of a letter that is not among the 20 most likely tokens."""


def rows_of(model: str) -> list[dict[str, Any]]:
    """The answered questions: four rows of features each, and what was answered."""
    likeness, known = Likeness(), answers(model)
    questions = [json.loads(line) for line in lines_of(REQUESTS)]
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
            [float(kind in (name, _alias(name))) for name in KINDS]
            + [float(place == letter) for letter in (1, 2, 3)]
            + list(pull)
            for place, (kind, pull) in enumerate(zip(question["kinds"], pulls, strict=True))
        ]
        rows.append(
            {
                "situation": question["id"].split("-")[0], "sort": question["id"].split("-")[1],
                "features": features, "share": share / share.sum(), "kinds": question["kinds"],
                "logs": logs - logs.mean(), "options": question["options"], "texts": texts,
            }
        )  # fmt: skip
    return rows


def _alias(name: str) -> str:
    return "skip" if name == "order" else name


def spread(rows: list[dict[str, Any]], scores: np.ndarray) -> float:
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


def agreement(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Share of the needed call among the answers, by the sort of note."""
    shares: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        needed = row["kinds"].index("needed")
        shares[row["sort"]].append(float(np.argmax(row["share"]) == needed))
    return {f"needed, {sort}": float(np.mean(values)) for sort, values in sorted(shares.items())}
