"""From the transformer's log-probabilities to the surprise of units (AgentTether §III.C.2).

The subgraph surprise of a unit is the mean of two: how badly the edges around it were
reconstructed (where its values came from, what it repeats, what its answer is used for), and how
badly its masked fields were recovered.

Loads numpy; import it on first use only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from knitbone.tethering.diagnosis.behaviour import FIELDS
from knitbone.tethering.diagnosis.detect.arrays import (
    FOLDS,
    Arrays,
    Floats,
    RunArrays,
    forward_only,
    masked,
)

__all__ = ["COMPONENTS", "EDGES", "combine", "surprises"]

Model = Callable[[Arrays], Mapping[str, Floats]]
"""Inputs by name to log-probabilities by name."""

EDGES = ("origin", "repetition", "uses", "succession")
"""Components that reconstruct edges: where values came from, which earlier call is repeated, who
uses the answer, and the temporal edge: what kind of step follows what came before."""

COMPONENTS = (*FIELDS, *EDGES)
"""Also the names of the model's outputs."""


def surprises(run: RunArrays, model: Model) -> dict[str, npt.NDArray[np.float64]]:
    """Each unit's surprise by component, in nats: ``-log p`` of what really is there.

    ``origin`` is that of the unit's most surprising value: one wrong argument among right ones
    is as wrong as one alone. Each unit is hidden exactly once.
    """
    count = len(run.fields)
    found = {name: np.zeros(count) for name in COMPONENTS}
    names = list(FIELDS)
    for fold in range(min(FOLDS, max(count, 1))):
        hidden = run.ordinals % FOLDS == fold
        said = model(masked(run, hidden))
        rows = np.flatnonzero(hidden)
        targets = {name: run.fields[:, k] for k, name in enumerate(names)}
        targets |= {"repetition": run.repetition, "uses": run.uses}
        for name, target in targets.items():
            found[name][rows] = -said[name][rows + 1, target[rows]]
        values = np.flatnonzero(hidden[run.owners]) if len(run.owners) else np.array([], int)
        lost = -said["origin"][values + 1, run.origin[values]].astype(np.float64)
        np.maximum.at(found["origin"], run.owners[values], lost)
    said = model(forward_only(run))
    families = run.fields[:, names.index("family")]
    found["succession"] = -said["succession"][np.arange(count) + 1, families].astype(np.float64)
    return found


def combine(found: Mapping[str, npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """The subgraph surprise: the mean of edge and attribute surprise."""
    edges = np.sum([found[name] for name in EDGES], axis=0)
    attributes = np.sum([found[name] for name in FIELDS], axis=0)
    return np.asarray((edges + attributes) / 2, dtype=np.float64)
