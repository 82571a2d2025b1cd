from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from recorded_logs import SEATS, answer, call

from knitbone.errors import MissingExtraError, ModelError
from knitbone.tethering.diagnosis.behaviour import behaviour_of
from knitbone.tethering.diagnosis.detect import offline
from knitbone.tethering.diagnosis.detect.arrays import arrays_of, masked
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.detect.offline import (
    COMPONENTS,
    load_model,
    score_run,
)
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.region import contiguous, frontier
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes

FIXTURE = Path(__file__).parent / "offline_agreement.npz"


def graph_of(messages):
    return build_graph(build_units(import_bytes(json.dumps(messages).encode(), path="x")[0].run))


def arrays(messages):
    return arrays_of(behaviour_of(graph_of(messages)))


def said(text):
    return {"role": "user", "content": text}


def look_up(code):
    return [call("get_guest", {"code": code}), answer("get_guest", {"seat": 4711, "row": 22})]


def book(code, seat):
    return [call("book_seat", {"code": code, "seat": seat}), answer("book_seat", {"ok": True})]


DONE = [{"role": "assistant", "content": "It is booked."}]
ASKED = [said("Book the seat of guest AB-12345.")]


def test_every_unit_has_its_evidence():
    graph = graph_of(SEATS)
    evidence = score_run(graph)
    assert [record.ordinal for record in evidence] == list(range(len(graph.units)))
    assert {record.plane for record in evidence} == {"offline"}
    assert sorted(record.rank for record in evidence) == list(range(1, len(graph.units) + 1))
    assert evidence == score_run(graph)


def test_a_run_without_units_has_no_evidence():
    assert score_run(build_graph(())) == []


def test_a_value_out_of_nowhere_is_more_surprising_than_one_that_was_returned():
    right = score_run(graph_of(ASKED + look_up("AB-12345") + book("AB-12345", 4711) + DONE))
    wrong = score_run(graph_of(ASKED + look_up("AB-12345") + book("AB-12345", 9306) + DONE))
    assert wrong[1].score > right[1].score
    assert wrong[1].rank == 1
    assert "origin" in wrong[1].signals


def test_a_repeated_call_is_surprising():
    once = score_run(graph_of(ASKED + look_up("AB-12345") + book("AB-12345", 4711) + DONE))
    twice = score_run(graph_of(ASKED + look_up("AB-12345") + book("AB-12345", 4711) * 2 + DONE))
    assert twice[2].score > once[1].score
    assert "repetition" in twice[2].signals


def records(*scores):
    order = sorted(range(len(scores)), key=lambda k: -scores[k])
    return [
        PlaneEvidence(plane="offline", ordinal=k, score=score, rank=order.index(k) + 1)
        for k, score in enumerate(scores)
    ]


@pytest.mark.parametrize(
    ("scores", "groups"),
    [
        ((1.0, 9.0, 8.5, 1.2, 7.9, 1.1), ((1, 2), (4,))),
        ((1.0, 9.0, 1.2, 1.1), ((1,),)),
        ((9.0, 8.9, 8.8, 0.1), ((0, 1, 2),)),
        ((3.0, 3.0), ()),
        ((), ()),
    ],
)
def test_the_frontier_ends_at_the_largest_drop(scores, groups):
    assert contiguous(sorted(frontier(records(*scores)))) == groups


def test_the_shipped_file_answers_as_pytorch_did():
    with np.load(FIXTURE) as stored:
        known = dict(stored)
    session = load_model()
    inputs = {item.name: known[item.name] for item in session.get_inputs()}
    for name, rows in zip(COMPONENTS, session.run(list(COMPONENTS), inputs), strict=True):
        np.testing.assert_allclose(rows, known[f"out {name}"], atol=1e-4)


def test_the_shipped_model_is_small():
    assert offline.MODEL.stat().st_size < 5_000_000


def test_a_damaged_model_is_refused(tmp_path):
    for file in offline.MODEL.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    model = tmp_path / offline.MODEL.name
    model.write_bytes(b"not this")
    with pytest.raises(ModelError, match="sha256") as caught:
        score_run(graph_of(SEATS), model=model)
    assert "Reinstall" in (caught.value.next_step or "")
    model.unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        score_run(graph_of(SEATS), model=model)


def test_without_onnxruntime_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    load_model.cache_clear()
    with pytest.raises(MissingExtraError) as caught:
        score_run(graph_of(SEATS))
    assert "knitbone[tether]" in (caught.value.next_step or "")
    load_model.cache_clear()


def test_what_is_hidden_does_not_reach_the_model():
    run = arrays(ASKED + look_up("AB-12345") + book("AB-12345", 4711) + DONE)
    other = arrays(ASKED + look_up("AB-12345") + book("AB-12345", 9306) + DONE)
    hidden = np.array([False, True, False])
    for (name, rows), wanted in zip(
        masked(run, hidden).items(), masked(other, hidden).values(), strict=True
    ):
        np.testing.assert_array_equal(rows, wanted, err_msg=name)
    shown = np.zeros(3, dtype=bool)
    assert any(
        rows.shape != wanted.shape or (rows != wanted).any()
        for rows, wanted in zip(
            masked(run, shown).values(), masked(other, shown).values(), strict=True
        )
    )
