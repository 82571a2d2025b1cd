"""Attempts at FMB's tasks with several documentations, from a real model's recorded answers."""

import json

import pytest

from knitbone_evals.fix.__main__ import RESULTS
from knitbone_evals.fix.tasks import attempts as trying
from knitbone_evals.fix.tasks import table
from knitbone_evals.fix.tasks.attempts import Attempt
from knitbone_evals.fix.tasks.scoring import figures
from knitbone_evals.fix.tasks.study import ARMS, MODELS, SAMPLE, drawn

REPLAYED = ("artificial_intelligence-6", "construction-5")
"""One of each kit; some of their calls are accepted and some are not."""


def made(task, arm, accepted, calls, *, passed=False):
    return Attempt(
        task=task, kit="files", arm=arm, passed=passed, reason="", accepted=accepted,
        calls=calls, ended="answered",
    )  # fmt: skip


def test_recorded_attempts_come_out_as_the_results_say(monkeypatch, tmp_path):
    monkeypatch.setattr(trying, "_WORK", tmp_path)
    cases = [case for case in drawn("test", SAMPLE) if case.task.name in REPLAYED]
    monkeypatch.setattr(table, "drawn", lambda *_: cases)
    monkeypatch.setattr(table, "MODELS", MODELS[:1])
    kept = json.loads((RESULTS / "fix_tasks.json").read_text(encoding="utf-8"))
    again = table.replayed()
    expected = [one for one in kept[MODELS[0]]["attempts"] if one.startswith(REPLAYED)]
    assert {one.split(":")[0] for one in expected} >= {
        f"{task} {arm}" for task in REPLAYED for arm in ("original", "patched")
    }
    assert again[MODELS[0]]["attempts"] == expected
    assert "| patched | 2 |" in table.table(again)


def test_the_sample_is_forty_tasks_of_the_test_in_two_kits():
    cases = drawn("test", SAMPLE)
    assert len({case.task.name for case in cases}) == SAMPLE == 40
    assert [case.kit for case in cases].count("terminal") == 20
    validation = {case.task.domain for case in drawn("validation", 12)}
    assert not validation & {case.task.domain for case in cases}


def test_an_arm_is_compared_on_the_tasks_that_both_have():
    tried = [made(str(task), "original", 1, 2) for task in range(8)]
    tried += [made(str(task), "patched", 2, 2) for task in range(6)]
    against = figures(tried, ARMS)["against the original"]
    assert against["nothing"] == {"pairs": 0}
    assert against["patched"] == {
        "pairs": 6,
        "difference of the share": [0.5, 0.5, 0.5],
        "share higher, lower": [6, 0],
        "all accepted": {"won": 6, "lost": 0, "McNemar p": 0.0312},
        "success": {"won": 0, "lost": 0, "McNemar p": 1.0},
    }


@pytest.mark.parametrize(("accepted", "calls", "clean"), [(0, 0, False), (1, 2, False), (2, 2, 1)])
def test_all_accepted_asks_for_a_call(accepted, calls, clean):
    assert made("t", "patched", accepted, calls).clean is bool(clean)
