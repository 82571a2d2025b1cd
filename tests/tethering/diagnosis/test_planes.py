from __future__ import annotations

import json

from recorded_logs import LIGHTHOUSES, chat_record

from knitbone.tethering.diagnosis import planes
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.interchange.importers import import_bytes


def diagnosis_of(value):
    return diagnose(import_bytes(json.dumps(value).encode(), path="x.json")[0].run)


def test_every_plane_is_shown_by_itself():
    names = ["run-local", "offline", "rules", "conduct"]
    found = diagnosis_of([chat_record()])
    assert [view.plane for view in found.planes] == names
    assert found.missing_planes == ()
    assert {item.plane for item in found.evidence} == set(names)
    for view in found.planes:
        assert set(view.region) <= set(found.region)


def test_the_offline_detector_is_not_asked_about_a_run_without_tool_calls():
    found = diagnosis_of(LIGHTHOUSES)
    assert "offline" not in {view.plane for view in found.planes}
    assert found.missing_planes == ()


def test_without_onnxruntime_the_diagnosis_says_what_it_did_without(monkeypatch):
    monkeypatch.setattr(planes, "find_spec", lambda name: None)
    found = diagnosis_of([chat_record()])
    assert "offline" not in {view.plane for view in found.planes}
    (missing,) = found.missing_planes
    assert 'pip install "knitbone[tether]"' in missing
    assert found.turning_point is not None
