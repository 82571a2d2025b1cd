"""The trained model as an ONNX file with all sizes left open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from knitbone.tethering.diagnosis.detect.arrays import RunArrays, masked
from knitbone_evals.extras import import_extra
from knitbone_evals.training.model import INPUTS, OUTPUTS

torch: Any = import_extra("torch", purpose="Training the offline detector")

__all__ = ["export"]

OPSET = 18


def export(model: Any, example: RunArrays, path: Path) -> None:
    """Write the model; the same weights give the same bytes.

    Args:
        example: a run to trace the model with; its sizes do not matter.
    """
    arrays = masked(example, np.arange(len(example.fields)) % 2 == 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        model.eval(),
        tuple(torch.from_numpy(arrays[name]) for name in INPUTS),
        str(path),
        input_names=list(INPUTS),
        output_names=list(OUTPUTS),
        dynamic_axes={
            **{name: {1 if name.startswith("edges_") else 0: f"n_{name}"} for name in INPUTS},
            **{name: {0: "rows"} for name in OUTPUTS},
        },
        opset_version=OPSET,
        dynamo=False,  # the newer exporter names weights by its own lights and needs onnxscript
    )
