"""Simulated runs with seeded faults: the same for the same seed, labelled where the fault is."""

from __future__ import annotations

import pytest

from knitbone.tethering.diagnosis.units import build_units
from knitbone_evals.diagnose.localization.seeded import __main__ as benchmark
from knitbone_evals.diagnose.localization.seeded.corpus import seeded_runs
from knitbone_evals.diagnose.localization.seeded.service import SERVICE_FAULTS
from knitbone_evals.diagnose.localization.seeded.teams import CHAT_FAULTS, TEAM_FAULTS

FAULTS = {
    "group chat": CHAT_FAULTS,
    "orchestrated team": TEAM_FAULTS,
    "customer service": SERVICE_FAULTS,
}


@pytest.fixture(scope="module")
def runs():
    return seeded_runs(60, seed=1, held_out=False)


def test_the_same_seed_gives_the_same_runs_and_another_seed_others(runs):
    again = seeded_runs(60, seed=1, held_out=False)
    assert {kind: [c.run.id for _, c in found] for kind, found in runs.items()} == {
        kind: [c.run.id for _, c in found] for kind, found in again.items()
    }
    other = seeded_runs(3, seed=2, held_out=False)["group chat"]
    assert other[0][1].run.id != runs["group chat"][0][1].run.id


@pytest.mark.parametrize("kind", FAULTS)
def test_every_fault_occurs_and_stands_on_a_decision_of_an_agent(runs, kind):
    assert {fault for fault, _ in runs[kind]} == set(FAULTS[kind])
    for _, case in runs[kind]:
        assert case.label in {unit.index for unit in build_units(case.run)}
        assert case.run.outcome is not None
        assert case.run.outcome.success is False


def test_held_out_runs_are_about_other_subjects(runs):
    held_out = seeded_runs(60, seed=1, held_out=True)
    for kind in ("group chat", "orchestrated team"):
        subjects = [
            {case.run.task.split(" of the ")[1].split(" in ")[0] for _, case in half[kind]}
            for half in (runs, held_out)
        ]
        assert subjects[0].isdisjoint(subjects[1])


def test_a_misread_number_is_at_the_label_and_was_shown_otherwise_before(runs):
    cases = [case for fault, case in runs["orchestrated team"] if fault == "misread observation"]
    for case in cases:
        units = build_units(case.run)
        blamed = next(unit for unit in units if unit.index == case.label)
        assert "Noted: " in blamed.action
        number = blamed.action.split(" of ")[-1].split()[0]
        assert number not in units[blamed.ordinal - 1].action.split()


def test_the_table(tmp_path, monkeypatch, capsys):
    out = tmp_path / "seeded.json"
    monkeypatch.setattr("sys.argv", ["seeded", "--runs", "2", "--out", str(out)])
    benchmark.main()
    text = capsys.readouterr().out
    assert "held-out subjects" in text
    assert "simulated" in text
    assert out.with_suffix(".md").read_text() + "\n" == text
