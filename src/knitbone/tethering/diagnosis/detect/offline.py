"""The offline detector: a heterogeneous graph transformer that learned what successful runs look
like (AgentTether §III.C.2, §IV.A). How it was trained, on what, and how well it does:
evals/docs/offline_detector.md.

It runs with onnxruntime and numpy alone; PyTorch is needed for training only.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from knitbone.errors import ModelError, import_extra
from knitbone.tethering.diagnosis.behaviour import FIELDS, behaviour_of
from knitbone.tethering.diagnosis.detect.arrays import (
    FOLDS,
    Arrays,
    Floats,
    RunArrays,
    arrays_of,
    forward_only,
    masked,
)
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence, ranks

if TYPE_CHECKING:
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = [
    "COMPONENTS",
    "EDGES",
    "MODEL",
    "PLANE",
    "SIGNALS",
    "combine",
    "load_model",
    "score_run",
    "surprises",
]


# From the transformer's log-probabilities to the surprise of units (AgentTether §III.C.2).
#
# The subgraph surprise of a unit is the mean of two: how badly the edges around it were
# reconstructed (where its values came from, what it repeats, what its answer is used for), and how
# badly its masked fields were recovered.
#
# Loads numpy; import it on first use only.

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


PLANE = "offline"

MODEL = Path(__file__).parent / "data" / "general.onnx"
"""The shipped model; ``models.json`` beside it has its checksum and origin."""

SIGNALS = {
    "family": "an unusual kind of step here",
    "status": "an unusual status here",
    "role": "an unusual way of acting here",
    "phase": "an unusual phase for such a step",
    "outcome": "an unusual shape of answer",
    "repetition": "an unusual relation to earlier calls",
    "uses": "an answer that is used unusually",
    "origin": "a value that comes from an unusual place",
    "succession": "an unusual step after what came before",
}
"""What each component of the surprise says in words."""

_SPEAKS_UP = 1.0
"""Nats above the run's own median from which on a component is named as a signal."""


def score_run(graph: CriticalTransitionGraph, *, model: Path = MODEL) -> list[PlaneEvidence]:
    """The subgraph surprise of every unit, in order; time and memory linear in the run.

    Scores are in nats, mean of edge and attribute surprise: 0 is just what the model expected.

    Raises:
        MissingExtraError: onnxruntime is not installed.
        ModelError: the model file is damaged, or onnxruntime cannot load it.
    """
    session = load_model(model)
    if not graph.units:
        return []

    shrink = _onnxruntime().RunOptions()
    # Else a process would keep what its longest run needed.
    shrink.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")

    def run(arrays: Arrays) -> Mapping[str, Floats]:
        return dict(zip(COMPONENTS, session.run(list(COMPONENTS), arrays, shrink), strict=True))

    found = surprises(arrays_of(behaviour_of(graph)), run)
    scores = [float(score) for score in combine(found)]
    above = {name: values - np.median(values) for name, values in found.items()}
    return [
        PlaneEvidence(
            plane=PLANE, ordinal=k, score=round(scores[k], 6), rank=rank,
            signals=_signals({name: float(values[k]) for name, values in above.items()}),
        )
        for k, rank in enumerate(ranks(scores))
    ]  # fmt: skip


@functools.cache
def load_model(model: Path = MODEL) -> Any:
    """The onnxruntime session of a model, made once a process.

    Raises:
        MissingExtraError, ModelError: as ``score_run``.
    """
    onnxruntime = _onnxruntime()
    content = _content(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # small products: a second thread costs more than it gives
    options.inter_op_num_threads = 1
    # A plan of the memory is made for one run's sizes; every run has others, and reserves twice.
    options.enable_mem_pattern = False
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ModelError(
            f"onnxruntime {onnxruntime.__version__} cannot load the offline detector: {error}.",
            next_step="Try another version of onnxruntime, 1.20 or newer.",
        ) from error


def _onnxruntime() -> Any:
    return import_extra("onnxruntime", extra="tether", purpose="The offline detector")


def _content(path: Path) -> bytes:
    """The model's bytes, proven against the checksum that training wrote."""
    again = "Reinstall knitbone: pip install --force-reinstall --no-deps knitbone"
    try:
        content = path.read_bytes()
        wanted = json.loads(path.with_name("models.json").read_bytes())[path.stem]["sha256"]
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(
            f"The offline detector's model {path} cannot be read: {error}.", next_step=again
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != wanted:
        raise ModelError(
            f"The offline detector's model {path} has the sha256 {found}, not {wanted}: it is "
            "damaged or another model.",
            next_step=again,
        )
    return content


def _signals(above: Mapping[str, float]) -> tuple[str, ...]:
    strong = sorted(((-value, name) for name, value in above.items() if value >= _SPEAKS_UP))
    return tuple(name for _, name in strong)
