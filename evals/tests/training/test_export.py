"""The exported model answers as PyTorch does; where torch is installed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from recorded_logs import SEATS

from knitbone.errors import MissingExtraError
from knitbone.tethering.diagnosis.behaviour import behaviour_of
from knitbone.tethering.diagnosis.detect.arrays import arrays_of, masked
from knitbone.tethering.diagnosis.detect.offline import score_run
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes
from knitbone_evals import training


def graph_of(messages):
    run = import_bytes(json.dumps(messages).encode(), path="x")[0].run
    return build_graph(build_units(run))


def arrays(messages):
    return arrays_of(behaviour_of(graph_of(messages)))


def test_the_model_that_never_saw_agentdojo_is_the_recorded_one_or_is_asked_for(
    tmp_path, monkeypatch
):
    if training.WITHOUT_AGENTDOJO.exists():
        graph = graph_of(SEATS)
        assert score_run(graph) != score_run(graph, model=training.without_agentdojo())
    path = tmp_path / training.WITHOUT_AGENTDOJO.name
    told = training.WITHOUT_AGENTDOJO.with_name("models.json").read_text("utf-8")
    path.with_name("models.json").write_text(told, encoding="utf-8")
    monkeypatch.setattr(training, "WITHOUT_AGENTDOJO", path)
    for content in (None, b"another model"):
        if content:
            path.write_bytes(content)
        with pytest.raises(MissingExtraError, match="SHA-256 5dede627f5") as raised:
            training.without_agentdojo()
        assert "make train-detector" in str(raised.value)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the exporter that torch is pinned for
def test_onnx_and_pytorch_agree(tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    import onnxruntime

    from knitbone_evals.training.export import export
    from knitbone_evals.training.model import INPUTS, OUTPUTS, BehaviourTransformer
    from knitbone_evals.training.train import merge

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
