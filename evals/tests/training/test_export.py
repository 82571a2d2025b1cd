"""The exported model answers as PyTorch does; where torch is installed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from recorded_logs import SEATS

from knitbone.tethering.diagnosis.behaviour import behaviour_of
from knitbone.tethering.diagnosis.detect.arrays import arrays_of, masked, merge
from knitbone.tethering.diagnosis.detect.offline import score_run
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes
from knitbone_evals.training import WITHOUT_AGENTDOJO


def graph_of(messages):
    run = import_bytes(json.dumps(messages).encode(), path="x")[0].run
    return build_graph(build_units(run))


def arrays(messages):
    return arrays_of(behaviour_of(graph_of(messages)))


def test_the_model_that_never_saw_agentdojo_is_another_one():
    graph = graph_of(SEATS)
    assert WITHOUT_AGENTDOJO.stat().st_size < 5_000_000
    assert score_run(graph) != score_run(graph, model=WITHOUT_AGENTDOJO)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the exporter that torch is pinned for
def test_onnx_and_pytorch_agree(tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    import onnxruntime

    from knitbone_evals.training.export import export
    from knitbone_evals.training.model import INPUTS, OUTPUTS, BehaviourTransformer

    torch.manual_seed(7)
    model = BehaviourTransformer().eval()
    one, many = arrays(SEATS), merge([arrays(SEATS), arrays(SEATS[:5])] * 20)
    export(model, one, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession((tmp_path / "model.onnx").read_bytes())
    for run in (one, many):
        inputs = masked(run, run.ordinals % 2 == 0)
        with torch.no_grad():
            expected = model(*(torch.from_numpy(inputs[name]) for name in INPUTS))
        for rows, wanted in zip(session.run(list(OUTPUTS), inputs), expected, strict=True):
            np.testing.assert_allclose(rows, wanted.numpy(), atol=1e-4)
