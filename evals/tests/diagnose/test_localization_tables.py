"""The localization benchmark: its measures, what is left out of a fit, and the whole table."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from knitbone.tethering.interchange.importers import import_bytes
from knitbone_evals.diagnose.localization import __main__ as benchmark
from knitbone_evals.diagnose.localization import airline, metrics, position
from knitbone_evals.diagnose.localization.methods import (
    KNITBONE,
    POSITIONS,
    positions,
    score,
)
from knitbone_evals.diagnose.localization.sets import Labelled, labelled_runs
from knitbone_evals.diagnose.localization.tables import render

SETS = ("algorithm-generated", "hand-crafted", "tau-retail", "magentic-one")


def who_and_when(number, label):
    generator = random.Random(number)
    history = [
        {
            "content": f"Lights {generator.randrange(9999)}: "
            + " ".join(
                f"value{generator.randrange(999)}" for _ in range(generator.randrange(1, 9))
            ),
            "role": "assistant",
            "name": generator.choice(["Coast_Expert", "Code_Expert"]),
        }
        for _ in range(7)
    ]
    return {
        "question": f"How many lights on island {number}?",
        "question_ID": f"q-{number}",
        "history": history,
        "mistake_agent": "Coast_Expert",
        "mistake_step": str(label),
        "mistake_reason": "",
    }


def tau(number):
    return {
        "task_id": number,
        "reward": 0.0,
        "info": {"task": {"instruction": f"Seat party {number}."}},
        "trial": 0,
        "traj": [
            {"role": "system", "content": "You seat guests."},
            *({"role": "assistant", "content": f"Step {k} of {number}"} for k in range(6)),
        ],
    }


def booked(number, reward):
    """A run that books one table as wanted, and then another one."""
    value = tau(number)
    calls = [
        {"id": f"c{seats}", "type": "function",
         "function": {"name": "book_table", "arguments": json.dumps({"seats": seats})}}
        for seats in (2, 40)
    ]  # fmt: skip
    for at, call in zip((3, 5), calls, strict=True):
        value["traj"][at] = {"role": "assistant", "content": None, "tool_calls": [call]}
        answer = {"role": "tool", "tool_call_id": call["id"], "content": "booked"}
        value["traj"][at + 1] = answer
    wanted = {"name": "book_table", "kwargs": {"seats": 2}}
    return {**value, "reward": reward, "info": {"task": {"actions": [wanted]}}}


def magentic(number):
    return [
        {"role": "human", "content": f"When does ferry {number} leave?"},
        *({"role": "WebSurfer", "content": f"I clicked link {k} of {number}."} for k in range(6)),
    ]


def cause(trajectory, step):
    return {
        "trajectory_id": trajectory,
        "failures": [{"failure_id": 1, "step_number": step}],
        "root_cause": {"failure_id": 1},
    }


@pytest.fixture
def data(tmp_path):
    def put(path, value):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))

    for number in range(6):
        put(tmp_path / f"who_and_when/Algorithm-Generated/{number}.json", who_and_when(number, 3))
        put(tmp_path / f"who_and_when/Hand-Crafted/{number}.json", who_and_when(number + 50, 2))
        put(tmp_path / f"agentrx/magentic_one/ferry{number}.json", magentic(number))
    put(tmp_path / "agentrx/tau_retail_runs.json", [tau(number) for number in range(6)])
    put(
        tmp_path / "agentrx/tau_ground_truth.json",
        [cause(str(number), 4) for number in range(6)],
    )
    put(
        tmp_path / "agentrx/magentic_one_ground_truth.json",
        [cause(f"ferry{number}", 5) for number in range(6)],
    )
    airline = [booked(number, float(number > 2)) for number in range(6)]
    put(tmp_path / "tau_airline/gpt-4o-runs.json", airline)
    return tmp_path


def scored(number, label, group=None):
    run = import_bytes(json.dumps(who_and_when(number, label)).encode(), path="x.json")[0].run
    return score(Labelled(run, label, group or f"q-{number}"))


def test_measures_of_a_ranking():
    found = metrics.measures([4, 9, 2, 0], 2)
    assert (found["exact"], found["within 1"], found["within 3"], found["top-3"]) == (0, 0, 1, 1)
    assert found["reciprocal rank"] == pytest.approx(1 / 3)
    assert metrics.measures([4], 7)["reciprocal rank"] == 0


def test_a_paired_test_tells_a_difference_from_none():
    generator = np.random.default_rng(1)
    good = [metrics.measures([1, 2, 3], 1)] * 30
    bad = [metrics.measures([2, 3, 4], 1)] * 30
    difference, low, _, p = metrics.paired(good, bad, generator)["exact"]
    assert (difference, low) == (1.0, 1.0)
    assert p < 0.01
    assert metrics.paired(good, good, generator)["exact"][3] == 1.0


def test_the_position_baseline_never_sees_the_label_it_is_judged_by():
    runs = [scored(number, 3) for number in range(4)] + [scored(9, 5)]
    assert positions(runs, runs[-1]) == [3]
    assert positions(runs, runs[0])[:2] == [3, 5]


def test_a_label_on_a_report_counts_as_its_step_only_by_message():
    log = who_and_when(1, 2)
    log["history"][2] = {
        "content": "exitcode: 1 (execution failed)", "role": "user", "name": "Computer_terminal",
    }  # fmt: skip
    run = import_bytes(json.dumps(log).encode(), path="x.json")[0].run
    found = score(Labelled(run, 2, "q"))
    assert found.blamed is None
    assert found.covered([1], messages=True) == 1.0
    assert found.covered([1], messages=False) == 0.0


def test_labels_of_all_four_sets_are_read_with_their_index_base(data):
    sets = labelled_runs(data)
    assert tuple(sets) == SETS
    assert {name: sets[name][0].label for name in SETS} == {
        "algorithm-generated": 3, "hand-crafted": 2, "tau-retail": 3, "magentic-one": 4,
    }  # fmt: skip
    assert sets["algorithm-generated"][0].group == "q-0"
    assert sets["magentic-one"][0].group == "ferry0"


def test_the_first_write_that_the_reference_lacks_is_the_label_of_a_failed_run(data):
    cases = airline.labelled(data / airline.FILE)
    assert [case.label for case in cases] == [5, 5, 5]


def test_what_a_ranking_says_beyond_position_is_nothing_where_it_repeats_it():
    generator = np.random.default_rng(1)
    runs = [scored(number, 1 + number % 6) for number in range(24)]
    told = [
        run._replace(
            scores=run.scores
            | {"knows": [0.9 if k == run.blamed else 0.02 for k in range(len(run.units))],
               "constant": [1 / len(run.units)] * len(run.units)}
        )
        for run in runs
    ]  # fmt: skip
    found = position.beyond_position({"one": told}, {}, ("knows", "constant"), generator)["one"]
    assert found["knows"]["nats a run"][0] > 0.5
    assert found["knows"]["p"] < 0.01
    assert found["constant"]["nats a run"][0] == pytest.approx(0, abs=0.01)


def test_position_and_length_never_see_the_run_they_rank(monkeypatch):
    runs = [scored(number, 3, "same task" if number < 2 else None) for number in range(5)]
    counts = []
    real = position._fit

    def watched(matrices, blamed):
        counts.append(len(matrices))
        return real(matrices, blamed)

    monkeypatch.setattr(position, "_fit", watched)
    position.position_rankings(runs)
    assert counts == [3, 3, 4, 4, 4]


def test_the_whole_table(data, tmp_path, monkeypatch):
    monkeypatch.setattr(metrics, "RESAMPLES", 200)
    monkeypatch.setattr("knitbone_evals.diagnose.localization.methods.RANDOM_DRAWS", 20)
    result = benchmark.evaluate(data)
    text = render(result)
    for name in SETS:
        methods = result["sets"][name]["methods"]
        assert {KNITBONE, POSITIONS, "random", "no rules"} <= set(methods)
        assert f"**{name}** (n = 6;" in text
    assert all(row["largest share"] <= 0.5 for rows in result["regions"].values()
               for row in rows.values())  # fmt: skip
    assert result["airline"]["n"] == 3
    assert result["airline"]["methods"]["last write"]["exact"][0] == 1.0
    assert result["airline"]["methods"]["first write"]["exact"][0] == 0.0
    assert "pooled over algorithm-generated, hand-crafted, tau-retail" in text
    assert result["rules"]["τ-bench airline"]["failed"] == 3
    assert json.loads(json.dumps(result)) == result
