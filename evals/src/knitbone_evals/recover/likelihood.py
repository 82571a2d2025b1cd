"""A second way from answers to numbers, by another author: conditional logit and names.

The probabilities that a model gave the four letters are shares of choices, and the numbers make
them most likely (conditional logit, a small ridge), where the first way is least squares on their
logarithms, which lets the least likely letters weigh as much as the likely ones. Questions in which
the needed call's shown words are another option's too (they are cut at 110 characters) are left
out: between equal texts nothing is preferred. What a note does is read by names: a sentence names
a call's tool, or bars it by its name. On held-out situations this foretells the answers better than
the likeness of embeddings, and likeness beside it adds nothing (``held out`` in ``details``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize

from knitbone_evals.recover.answer_rows import KINDS, agreement, rows_of, spread
from knitbone_evals.recover.preference import Fit
from knitbone_evals.recover.reading import namings
from knitbone_evals.recover.requests import OPTION

__all__ = ["fit_likelihood"]

_RIDGE = 0.1
"""Pull of every number to zero, all questions together."""
_FOLDS = 8
_PLAIN = len(KINDS) + 3
"""Features of kind and letter come first, then two of likeness, then two of names."""
_SETS = {"no note": (), "likeness": (0, 1), "names": (2, 3), "both": (0, 1, 2, 3)}


def fit_likelihood(model: str) -> Fit:
    """Fit inclinations and the weights of names to what a model answered."""
    rows = [row for row in rows_of(model) if _distinct(row)]
    features = np.array([_features(row) for row in rows])
    shares = np.array([row["share"] for row in rows])
    used = _columns("names")
    found = _most_likely(features[:, :, used], shares)
    kinds = dict(zip(KINDS, found, strict=False))
    details = {
        f"letter {letter}": float(value)
        for letter, value in zip("BCD", found[len(KINDS) : _PLAIN], strict=True)
    }
    details |= {f"held out, {name}": _held_out(rows, features, shares, name) for name in _SETS}
    details |= agreement(rows)
    return Fit(
        model=model, answers=len(rows), do=0.0, dont=0.0,
        named=round(float(found[-2]), 3), barred=round(float(found[-1]), 3),
        kinds={
            **{name: round(float(value), 3) for name, value in kinds.items()},
            "skip": round(float(kinds["order"]), 3),
        },
        spread=round(spread(rows, features[:, :, used] @ found), 3),
        details={name: round(value, 4) for name, value in details.items()},
    )  # fmt: skip


def _distinct(row: dict[str, Any]) -> bool:
    """Whether the needed call can be told from the others by what the question showed of them."""
    shown = [option[:OPTION] for option in row["options"]]
    return shown.count(shown[row["kinds"].index("needed")]) == 1


def _features(row: dict[str, Any]) -> np.ndarray:
    names = namings(row["options"], row["texts"], 0, fading=False)
    return np.hstack([np.array(row["features"]), np.array(names)])


def _columns(name: str) -> list[int]:
    return [*range(_PLAIN), *(_PLAIN + place for place in _SETS[name])]


def _most_likely(features: np.ndarray, shares: np.ndarray) -> np.ndarray:
    def loss(numbers: np.ndarray) -> tuple[float, np.ndarray]:
        logs = _logs(features, numbers)
        slope = ((np.exp(logs) - shares)[:, :, None] * features).sum((0, 1))
        return (
            float(-(shares * logs).sum() + _RIDGE * numbers @ numbers),
            slope + 2 * _RIDGE * numbers,
        )

    return minimize(loss, np.zeros(features.shape[2]), jac=True).x


def _logs(features: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    scores = features @ numbers
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def _held_out(
    rows: Sequence[dict[str, Any]], features: np.ndarray, shares: np.ndarray, name: str
) -> float:
    """Mean logarithm of the likelihood of answers about situations that were not fitted to."""
    situations = sorted({row["situation"] for row in rows})
    used = features[:, :, _columns(name)]
    total = 0.0
    for fold in range(_FOLDS):
        left_out = set(situations[fold::_FOLDS])
        test = np.array([row["situation"] in left_out for row in rows])
        logs = _logs(used[test], _most_likely(used[~test], shares[~test]))
        total += float((shares[test] * logs).sum())
    return total / len(rows)
