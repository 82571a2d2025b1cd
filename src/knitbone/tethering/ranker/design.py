"""What the ranker sees of a unit: how it stands within its own run.

Runs differ in length, domain and vocabulary, so that no raw value is comparable from one to the
next; a standing is. Nothing names a tool, an agent or a word.

Loads numpy; import it on first use only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np
import numpy.typing as npt

from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.features import FEATURES, features_of
from knitbone.tethering.diagnosis.suspicion import by_plane, combined, first_departure
from knitbone.tethering.diagnosis.vocabulary import Intent

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = ["COLUMNS", "PLANES", "design"]

PLANES = ("run-local", "offline", "rules")
"""The planes that have a column. One that was not run stands at 0, which is its mean."""

POSITIONS = 12
"""Positions in the source that have a column of their own: where a system's roles take turns in a
fixed order, the position tells the role."""

_INTENTS: tuple[str, ...] = get_args(Intent)

COLUMNS: tuple[str, ...] = (
    *FEATURES,
    *(f"plane {name}" for name in PLANES),
    "first departure",
    *(f"intent {name}" for name in _INTENTS),
    "relative position",
    "log position",
    "last",
    *(f"position {number}" for number in range(POSITIONS)),
)


def design(
    graph: CriticalTransitionGraph, evidence: Sequence[PlaneEvidence]
) -> npt.NDArray[np.float64]:
    """One row a unit, one column a name of ``COLUMNS``; every column lies within about -1 and 1.

    Args:
        evidence: one record a unit and plane; see ``suspicion.suspicions``.
    """
    units = graph.units
    n = len(units)
    if n == 0:
        return np.zeros((0, len(COLUMNS)))
    rows = np.asarray(features_of(graph), dtype=np.float64)
    planes = {name: _centred([r.score for r in records])
              for name, records in by_plane(evidence).items()}  # fmt: skip
    departure = first_departure(units, combined(n, evidence))
    ordinals = np.arange(n)
    columns = [
        *(_centred(column) for column in rows.T),
        *(planes.get(name, np.zeros(n)) for name in PLANES),
        _centred(departure),
        *(np.array([float(unit.intent == name) for unit in units]) for name in _INTENTS),
        ordinals / max(n - 1, 1),
        np.log1p(ordinals) / math.log(32),
        (ordinals == n - 1).astype(np.float64),
        *(np.array([float(unit.index == at) for unit in units]) for at in range(POSITIONS)),
    ]
    return np.column_stack(columns)


def _centred(values: Sequence[float] | npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Each value's standing in its run, -0.5 to 0.5; equal values stand equal."""
    column = np.asarray(values, dtype=np.float64)
    ordered = np.sort(column)
    below = np.searchsorted(ordered, column, side="left")
    upto = np.searchsorted(ordered, column, side="right")
    return np.asarray((below + upto) / (2 * len(column)) - 0.5, dtype=np.float64)
