"""Training of the shipped offline detector, from public sources (AgentTether §III.C.2).

Needs the extra ``train``. Nothing here runs at diagnosis.
"""

import hashlib
import json
from pathlib import Path

from knitbone.errors import MissingExtraError

__all__ = ["WITHOUT_AGENTDOJO", "without_agentdojo"]

WITHOUT_AGENTDOJO = Path(__file__).with_name("without-agentdojo.onnx")
"""A model that never saw an agentdojo run: it serves every evaluation on agentdojo. ``train``
writes it; it is not kept, since the training gives the same bytes again."""


def without_agentdojo() -> Path:
    """The file of this model, the one that ``models.json`` names.

    Raises:
        MissingExtraError: it has not been trained here, or is another one.
    """
    told = json.loads(WITHOUT_AGENTDOJO.with_name("models.json").read_text("utf-8"))
    wanted = told[WITHOUT_AGENTDOJO.stem]["sha256"]
    path = WITHOUT_AGENTDOJO
    if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != wanted:
        raise MissingExtraError(
            f"{path} is missing, or not the model of the recorded figures (SHA-256 {wanted}).",
            next_step="Train it with: make train-detector",
        )
    return path
