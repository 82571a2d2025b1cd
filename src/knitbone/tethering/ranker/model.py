"""The ranker as data: weights in a small JSON file, and what they say of a run.

Loads numpy; import it on first use only.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from knitbone.errors import ConfigError
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.ranker.design import COLUMNS, design

if TYPE_CHECKING:  # it brings networkx
    from knitbone.tethering.diagnosis.graph import CriticalTransitionGraph

__all__ = ["Ranker", "load_ranker", "probabilities"]


class Ranker(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A conditional logit over the units of a run."""

    weights: dict[str, float]
    """By the column's name."""
    temperature: float = 1.0
    """Divides the scores so that the probabilities are calibrated."""
    runs: int = 0
    """Labelled runs it was fitted on."""
    penalty: float = 1.0
    version: int = 1


def load_ranker(path: Path | str) -> Ranker:
    """Read a file that ``knitbone.tethering.ranker`` wrote.

    Raises:
        ConfigError: the file cannot be read, is no ranker, or one of another version.
    """
    again = "Write it anew: python -m knitbone.tethering.ranker RUNS --labels LABELS --out FILE"
    try:
        found = msgspec.json.decode(Path(path).read_bytes(), type=Ranker)
    except OSError as error:
        raise ConfigError(f"The ranker {path} cannot be read: {error}.", next_step=again) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is no ranker: {error}.", next_step=again) from error
    unknown = set(found.weights) ^ set(COLUMNS)
    if unknown or found.temperature <= 0:
        what = (
            f"columns differ: {', '.join(sorted(unknown)[:3])}" if unknown else "temperature <= 0"
        )
        raise ConfigError(f"The ranker {path} does not fit this version ({what}).", next_step=again)
    return found


def probabilities(
    ranker: Ranker, graph: CriticalTransitionGraph, evidence: Sequence[PlaneEvidence]
) -> list[float]:
    """For each unit the probability that annotators would blame it; they sum to 1."""
    matrix = design(graph, evidence)
    if not len(matrix):
        return []
    weights = np.array([ranker.weights[name] for name in COLUMNS])
    logits = matrix @ weights / ranker.temperature
    chances = np.exp(logits - logits.max())
    return [float(value) for value in chances / chances.sum()]
