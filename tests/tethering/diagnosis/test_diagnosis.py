from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_logs import (
    LIGHTHOUSES,
    answer,
    call,
    chat_record,
    write,
)

from knitbone.errors import InputFormatError
from knitbone.record.events import encode_json
from knitbone.samples import bank_agent
from knitbone.tethering.diagnosis.detect.local import forest_scores
from knitbone.tethering.diagnosis.engine import (
    FileFailed,
    FileImported,
    FileSkipped,
    RunDiagnosed,
    diagnose,
    diagnose_paths,
)
from knitbone.tethering.interchange.importers import import_bytes


def run_of(value):
    return import_bytes(json.dumps(value).encode(), path="x.json")[0].run


def diagnosis_of(value):
    return diagnose(run_of(value))


def test_the_missing_argument_loop_is_found_and_explained():
    found = diagnosis_of([chat_record()])
    assert found.turning_point == 6
    assert found.category == "missing argument"
    assert "step 6 calls assign_table without table_id" in found.root_cause.lower()
    assert "which step 4 had returned" in found.reason
    assert "step 8 repeats the same assign_table call" in found.reason
    assert 6 in found.region


def test_a_repeated_failing_call_is_blamed_at_its_first_occurrence():
    found = diagnosis_of([chat_record()])
    assert found.ranking.index(6) < found.ranking.index(8)


def test_hints_name_families_and_constraints_but_no_values():
    found = diagnosis_of([chat_record()])
    hints = " ".join(found.recovery_hints)
    assert "assign table" in hints
    assert "table_id" in hints
    assert 1 <= len(found.recovery_hints) <= 3
    for value in ("BK4471", "bk4471", "T17", "Brandt", "20:00"):
        assert value not in hints


def test_a_successful_run_is_ranked_but_has_no_turning_point():
    found = diagnosis_of([chat_record(reward=1.0)])
    assert found.outcome == "succeeded"
    assert found.turning_point is None
    assert found.recovery_hints == ()
    assert sorted(found.ranking) == [2, 4, 6, 8, 10]
    assert found.region


def test_of_an_unknown_outcome_a_turning_point_is_claimed_only_where_it_is_asked_for():
    run = run_of([chat_record(reward=None)])
    found = diagnose(run)
    assert (found.outcome, found.turning_point, found.claim) == ("unknown", None, None)
    assert found.recovery_hints == ()
    assert found.ranking
    asked_for = diagnose(run, claim=True)
    assert (asked_for.ranking, asked_for.on_record) == (found.ranking, found.on_record)
    assert asked_for.claim == found.on_record[0]


def test_a_value_out_of_nowhere_is_said_so():
    steps = [
        {"role": "user", "content": "Refund my order W1200 please."},
        call("find_order", {"order_id": "W1200"}),
        answer("find_order", {"order_id": "W1200", "total": 250}),
        call("refund_order", {"order_id": "W1200", "amount": 975}),
        answer("refund_order", {"done": True}),
    ]
    found = diagnosis_of({"messages": steps, "success": False})
    assert (found.turning_point, found.ranking[0]) == (None, 3)
    assert "amount of refund_order holds a value found nowhere before it" in found.reason
    assert "975" not in " ".join(found.recovery_hints)


def test_an_agent_that_took_no_step_is_said_so():
    found = diagnosis_of({"messages": [{"role": "user", "content": "hello"}], "success": False})
    assert (found.turning_point, found.ranking, found.region) == (None, (), ())
    assert "no step" in found.reason


@pytest.mark.parametrize("count", [1, 2, 3])
def test_tiny_runs_are_diagnosed(count):
    steps = [{"role": "assistant", "content": f"step {n}"} for n in range(count)]
    found = diagnosis_of(steps)
    assert sorted(found.ranking) == list(range(count))
    assert 1 <= len(found.region) <= max(1, count // 2)


def test_the_verdict_does_not_move_the_ranking():
    failed, succeeded = diagnosis_of([chat_record()]), diagnosis_of([chat_record(reward=1.0)])
    assert failed.ranking == succeeded.ranking
    assert failed.region == succeeded.region


def test_the_forest_singles_out_the_odd_row():
    rows = [[float(n % 3), 1.0] for n in range(30)] + [[40.0, 9.0]]
    scores = forest_scores(rows)
    assert max(range(31), key=scores.__getitem__) == 30


TOOLS = st.sampled_from(["find_room", "book_room", "cancel_room", "think"])
VALUES = st.sampled_from(
    ["R100", "R200", "G17", "", "x" * 300, "\u202e", 3, 250, None, [1], {"a": 5}]
)
STEP = st.one_of(
    st.tuples(st.just("say"), st.text(max_size=40)),
    st.tuples(st.just("hear"), st.text(max_size=40)),
    st.tuples(TOOLS, VALUES, st.sampled_from(["ok", "Error: no", '{"id": "R200"}', ""])),
)


def messages_of(steps):
    messages = []
    for step in steps:
        if step[0] == "say":
            messages.append({"role": "assistant", "content": step[1]})
        elif step[0] == "hear":
            messages.append({"role": "user", "content": step[1]})
        else:
            messages += [call(step[0], {"value": step[1]}), answer(step[0], step[2])]
    return messages


@settings(max_examples=40, deadline=None)
@given(st.lists(STEP, min_size=1, max_size=14))
def test_a_diagnosis_is_a_ranking_of_all_units_with_a_region_inside(steps):
    messages = messages_of(steps)
    run = run_of({"messages": messages, "success": False})
    found = diagnose(run)
    actions = [n for n, message in enumerate(messages) if message["role"] == "assistant"]
    assert sorted(found.ranking) == actions
    assert set(found.region) <= set(actions)
    assert len(found.region) <= max(1, len(actions) // 2)
    if actions:
        assert found.turning_point is None or found.turning_point in found.region
        assert found.recovery_hints or found.turning_point is None
        assert found.reason
    assert found.headline
    assert [step for group in found.region_groups for step in group] == list(found.region)
    assert encode_json(diagnose(run)) == encode_json(found)


def test_a_folder_gives_events_in_order_and_one_bad_file_loses_no_other(tmp_path):
    write(tmp_path / "a.json", [chat_record(), chat_record(4, 1.0)])
    (tmp_path / "b.json").write_text('[{"messages": [')
    write(tmp_path / "c.json", LIGHTHOUSES)
    (tmp_path / "LICENSE").write_text("free")
    events = list(diagnose_paths([tmp_path]))
    kinds = [type(event) for event in events]
    assert kinds == [
        FileSkipped, FileImported, RunDiagnosed, RunDiagnosed, FileFailed, FileImported,
        RunDiagnosed,
    ]  # fmt: skip
    assert (events[1].runs, events[1].failed) == (2, 1)
    assert "b.json ends in the middle" in str(events[4].error)


def test_an_empty_folder_is_a_failure(tmp_path):
    (tmp_path / "empty").mkdir()
    (event,) = diagnose_paths([tmp_path / "empty"])
    assert isinstance(event.error, InputFormatError)


def test_the_sample_runs_are_what_the_sample_agent_produces(tmp_path):
    bank_agent.write(tmp_path / "runs.json")
    recorded = bank_agent.Path(bank_agent.__file__).parent / "runs" / "bank_runs.json"
    assert recorded.read_bytes() == (tmp_path / "runs.json").read_bytes()


def test_every_spoilt_sample_run_failed_and_every_other_succeeded():
    runs, spoilt = bank_agent.record_all(), set(bank_agent.faults())
    assert {run["task_id"] for run in runs if run["reward"] == 0.0} == spoilt
    assert len(runs) == 12
    assert 2 <= 12 - len(spoilt) <= 4


def test_the_engine_is_light_until_it_is_used():
    code = (
        "import sys, knitbone.tethering.diagnosis.engine;"
        "print([m for m in ('sklearn', 'networkx', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_of_two_steps_none_is_said_to_stand_out():
    steps = [
        {"role": "user", "content": "Close account 4711 please."},
        {"role": "assistant", "content": "I will close your account now."},
        {"role": "user", "content": "ok"},
        {"role": "assistant", "content": "Closed."},
    ]
    found = diagnosis_of({"messages": steps, "success": False})
    assert found.signals == ()
    assert "stands out" not in found.reason
    assert found.root_cause.startswith("No fact on record speaks against step 1")
    assert found.turning_point is None
    assert found.headline == "The run failed; nothing on record says at which step."
