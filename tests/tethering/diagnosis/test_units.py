from __future__ import annotations

import json

import pytest
from recorded_logs import FERRY, LIGHTHOUSES, SEATS, answer, call

from knitbone.record.events import ErrorInfo, ModelCall, Retrieval, Run, ToolCall
from knitbone.tethering.diagnosis.artifacts import (
    MAX_ARTIFACTS,
    artifacts_of_text,
    artifacts_of_value,
)
from knitbone.tethering.diagnosis.error_reports import error_in
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.diagnosis.vocabulary import (
    error_signature,
    intent_of_text,
    intent_of_tool,
    words_of,
)
from knitbone.tethering.interchange.importers import import_bytes


def units_of(value):
    return build_units(import_bytes(json.dumps(value).encode(), path="x")[0].run)


def test_a_unit_is_a_decision_with_its_answer():
    units = units_of(SEATS)
    assert [unit.index for unit in units] == [2, 4, 6, 8, 10]
    look = units[0]
    assert look.observation == "A table for four at eight, name is Brandt."
    assert (look.tool, look.intent, look.status) == ("find_booking", "read", "ok")
    assert "bk4471" in look.produced
    assert "brandt" in look.used


def test_status_error_and_signature_come_from_the_answer():
    failed, again = units_of(SEATS)[2:4]
    assert failed.status == again.status == "error"
    assert failed.error_signature == again.error_signature
    assert "table_id" in failed.error
    assert failed.side_effect


def test_what_a_person_says_is_feedback_and_no_error():
    unit = units_of(
        [{"role": "assistant", "content": "Anything else?"}, {"role": "user", "content": "Error!"}]
    )[0]
    assert unit.feedback == "Error!"
    assert unit.error is None


def test_prose_beside_a_call_is_the_belief():
    unit = units_of([call("look", {"n": 12}, content="I should look."), answer("look", "ok")])[0]
    assert unit.belief == "I should look."
    assert unit.action == 'look {"n":12}'


def test_code_and_its_execution_are_action_and_feedback():
    code = units_of(LIGHTHOUSES)[1]
    assert code.belief == "Let me count."
    assert code.action.startswith("```python")
    assert (code.intent, code.status) == ("compute", "error")
    assert "NameError" in code.error


def test_an_executor_without_anything_to_run_is_no_failure():
    assert units_of(LIGHTHOUSES)[2].status == "unknown"


def test_roles_of_several_agents_become_agent_and_mode():
    units = units_of(FERRY)
    assert [(u.agent, u.mode, u.intent) for u in units] == [
        ("Orchestrator", "thought", "plan"),
        ("Orchestrator", "WebSurfer", "delegate"),
        ("WebSurfer", None, "read"),
        ("Orchestrator", "ComputerTerminal", "delegate"),
        ("Orchestrator", "termination condition", "finish"),
    ]
    assert units[3].status == "error"


def test_several_calls_of_one_message_are_one_unit():
    asked = call("look", {"n": 1}, "a")
    asked["tool_calls"] += call("book_room", {"n": 2}, "b")["tool_calls"]
    (unit,) = units_of(
        [asked, answer("look", "fine", "a"), answer("book_room", "Error: full", "b")]
    )
    assert [c.tool for c in unit.calls] == ["look", "book_room"]
    assert (unit.status, unit.intent) == ("error", "write")


def test_a_call_that_nothing_answered_is_still_an_action():
    (unit,) = units_of([{"role": "user", "content": "go"}, call("look", {"n": 1})])
    assert (unit.tool, unit.status) == ("look", "unknown")


def test_recorded_runs_without_positions_count_events():
    run = Run(id="r", events=(
        ModelCall(id="m", error=ErrorInfo(type="Timeout", message="none")),
        ToolCall(id="t", name="write_note", arguments={"n": 4711},
                 error=ErrorInfo(type="OSError", message="disk full")),
        Retrieval(id="q", query="notes of 4711"),
    ))  # fmt: skip
    units = build_units(run)
    assert [(u.index, u.error) for u in units] == [
        (0, "Timeout: none"), (1, "OSError: disk full"), (2, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "intent"),
    [
        ("get_user_details", "read"), ("cancelReservation", "write"), ("calculate", "compute"),
        ("transfer_to_human_agents", "finish"), ("transfer_funds", "write"), ("think", "plan"),
        ("frobnicate", "read"), ("HTTPGet", "read"), ("", "read"),
    ],
)  # fmt: skip
def test_the_verb_in_a_tools_name_says_what_it_is_for(name, intent):
    assert intent_of_tool(name) == intent


def test_names_are_split_into_words():
    assert words_of("getUserByID_2") == ["get", "user", "by", "id", "2"]


@pytest.mark.parametrize(
    ("text", "mode", "intent"),
    [
        ("The answer is 4. TERMINATE", None, "finish"),
        ("Here is the plan: first", None, "plan"),
        ("```python\nprint(1)\n```", None, "compute"),
        ("I clicked 'Next'.", None, "read"),
        ("Which date do you want?", None, "communicate"),
    ],
)
def test_an_utterance_has_an_intent(text, mode, intent):
    assert intent_of_text(text, mode) == intent


@pytest.mark.parametrize(
    "text",
    [
        "Error: not found", "exitcode: 1 (execution failed)\nboom", '{"error": "denied"}',
        "Traceback (most recent call last):\n  File\nKeyError: 'a'", '{"success": false}',
        "status code: 503", "ValueError: bad",
    ],
)  # fmt: skip
def test_error_reports_are_recognised(text):
    assert error_in(text)


@pytest.mark.parametrize(
    "text",
    ["", "exitcode: 0 (execution succeeded)", '{"error": null}', '{"errors": []}', "no errors",
     "The word error in a sentence.", '{"title": "404 ways"}'],
)  # fmt: skip
def test_ordinary_answers_are_no_errors(text):
    assert error_in(text) is None


def test_the_traceback_shows_its_last_line():
    text = "Traceback (most recent call last):\n  File 'a.py'\nKeyError: 'seat'\n"
    assert error_in(text) == "KeyError: 'seat'"


def test_a_signature_forgets_what_varies():
    one = error_signature("Error: order #W123 of 'Ann' not found in /tmp/a/b")
    two = error_signature("Error: order #W987 of 'Bob' not found in /var/x/y")
    assert one == two != error_signature("Error: flight full")


def test_artifacts_are_values_that_mean_something():
    text = 'see https://example.org/a?b=1 and report.pdf for "Blue Room", W4471, 1,250.50, 7'
    assert artifacts_of_text(text) == {
        "https://example.org/a?b=1", "report.pdf", "blue room", "w4471", "1250.5",
    }  # fmt: skip


def test_leaves_of_json_texts_are_artifacts():
    assert artifacts_of_value('{"id": "AB12", "n": [250, true, null], "x": "no"}') == {
        "ab12",
        "250",
    }


@pytest.mark.parametrize("text", ['"' * 200_000, "a1" * 100_000, "1," * 100_000, "/" * 100_000,
                                  "x@" * 100_000, "[" * 100_000, "Error " * 50_000])  # fmt: skip
def test_hostile_texts_take_no_time(text):
    messages = [
        call("look", {"n": text}),
        answer("look", text),
        {"role": "assistant", "content": text},
    ]
    units = units_of(messages)
    assert len(units) == 2
    assert all(len(unit.used) <= MAX_ARTIFACTS for unit in units)
