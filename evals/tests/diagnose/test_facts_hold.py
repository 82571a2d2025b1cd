"""Over runs made of chance: what a diagnosis says holds in the record, and its first line does not
contradict the rest. The checks share no code with the product (``claims/facts.py``)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.tethering.diagnosis import analyse, claims
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.diagnosis.shown import Shown
from knitbone_evals.diagnose.claims.facts import check, held
from knitbone_evals.diagnose.claims.simulated import run_of, simulated


@settings(max_examples=25)
@given(st.integers(1_000, 100_000))
def test_nothing_that_is_said_of_a_run_of_chance_is_wrong(seed):
    assert [*check(simulated(seed))] == []


SEEDS = range(12)


@pytest.mark.parametrize(
    ("broken", "what"),
    [
        ((Shown, "_is_shown", lambda *_: False), "value that the record holds"),
        ((analyse, "_fact", lambda *_: ""), "first line against the rest"),
    ],
)
def test_the_checks_find_what_is_wrong(monkeypatch, broken, what):
    monkeypatch.setattr(*broken)
    assert what in {wrong.what for seed in SEEDS for wrong in check(simulated(seed))}


def test_the_checks_find_a_mended_error(monkeypatch):
    missing = "Error: missing required argument 'port'"
    steps = [("find_dock", {}, missing), ("find_dock", {"port": 4}, "dock 4")]
    run = run_of(calls(*steps), success=False)
    assert [*check(run)] == []
    monkeypatch.setattr(claims, "mended_at", lambda *_: None)
    assert "error that was mended" in {wrong.what for wrong in check(run)}


def test_what_is_held():
    record = json.dumps(["pay NO11 0001 on May 3, 2026", {"total": "1,200.50"}])
    for value in ("NO110001", "no11-0001", "2026-05-03", "1200.5"):
        assert held(value, record)
    for value in ("NO1100012", "2026-05-04", "120", "1201"):
        assert not held(value, record)


def calls(*steps):
    """Calls with their results, ``None`` where nothing answered."""
    messages = [{"role": "user", "content": "Repair the bug in a.py."}]
    for number, (tool, arguments, result) in enumerate(steps):
        function = {"name": tool, "arguments": json.dumps(arguments)}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        if result is not None:
            answer = {"role": "tool", "tool_call_id": f"c{number}", "content": result}
            messages.append(answer)
    return {"messages": messages}


def views(length, laps, *, changing=False):
    return [
        ("view_file", {"first": k % length}, f"line {k % length}" + f", read {k}" * changing)
        for k in range(length * laps)
    ]


@settings(max_examples=25)
@given(st.integers(1, 14), st.integers(3, 7), st.booleans())
def test_the_first_repetition_is_the_turning_point_of_a_loop_however_long(length, laps, judged):
    run = run_of(calls(*views(length, laps)), success=False if judged else None)
    found = diagnose(run, claim=True)
    assert found.claim.kind == "loop"
    assert found.turning_point == 1 + 2 * length
    assert diagnose(run).headline.startswith(f"Step {1 + 2 * length} repeats")


@settings(max_examples=20)
@given(st.integers(1, 14), st.integers(2, 7))
def test_calls_that_bring_something_new_each_time_are_no_loop(length, laps):
    run = run_of(calls(*views(length, laps, changing=True)), success=False)
    assert diagnose(run, claim=True).on_record == ()
    assert diagnose(run).turning_point is None


@pytest.mark.parametrize("between", ["edit_file", "write_file", "delete_file"])
def test_looking_again_after_a_change_is_no_loop(between):
    lap = [("view_file", {"first": 1}, "line 1"), (between, {"first": 1}, "done")]
    kinds = [claim.kind for claim in diagnose(run_of(calls(*lap * 5), success=None)).on_record]
    assert "loop" not in kinds


def test_waiting_and_what_was_asked_for_again_and_again_are_no_loop():
    polled = calls(*[("get_job", {"id": 1}, "status: running")] * 6)
    assert diagnose(run_of(polled, success=None)).on_record == ()
    asked = calls(*[("read_sensor", {"id": 1}, "21 degrees")] * 6)
    asked["messages"][0]["content"] = "Read the sensor six times."
    assert diagnose(run_of(asked, success=None)).on_record == ()


@pytest.mark.parametrize("times", [1, 2, 4])
def test_an_error_that_was_mended_is_no_turning_point(times):
    steps = [("find_dock", {"name": "e"}, "TypeError: missing argument 'port'")] * times
    steps += [("find_dock", {"name": "e", "port": 4}, "dock 4")]
    found = diagnose(run_of(calls(*steps), success=False), claim=True)
    assert (found.turning_point, found.on_record) == (None, ())
    assert diagnose(run_of(calls(*steps[:-1]), success=False)).turning_point == 1


@pytest.mark.parametrize("answer", [None, "Tool call was rejected.", "Dry run: nothing done."])
def test_a_call_that_never_ran_changes_no_state(answer):
    found = diagnose(run_of(calls(("delete_file", {"path": "a.py"}, answer)), success=False))
    assert found.changed == ()
    assert "changes state" not in found.reason
    ran = diagnose(run_of(calls(("delete_file", {"path": "a.py"}, "deleted")), success=False))
    assert [change.tool for change in ran.changed] == ["delete_file"]


def test_a_run_without_an_outcome_begins_with_its_facts():
    failing = ("transfer", {"amount": 500}, "Error: insufficient funds")
    found = diagnose(run_of(calls(failing, ("list_accounts", {}, "two")), success=None))
    assert found.headline == (
        'transfer fails at step 1: "Error: insufficient funds"; step 3 goes on with something else.'
        " Whether the run failed is not on record."
    )
    quiet = diagnose(run_of(calls(("list_accounts", {}, "two")), success=None))
    assert quiet.headline == "Nothing on record says that something went wrong."
