"""What a tool's result reports as its failure, and what it does not."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.tethering.diagnosis.error_reports import error_in, plain_words
from knitbone_evals.diagnose.tool_errors.results import failed, good

SEEDS = st.integers(min_value=0, max_value=2**32)


@given(SEEDS)
def test_a_failed_result_is_seen_and_quoted_in_its_own_words(seed):
    drawn = failed(Random(seed))
    said = error_in(drawn.result)
    assert said is not None, drawn
    assert drawn.words in said, drawn


@given(SEEDS)
def test_a_good_result_reports_nothing_whatever_it_is_about(seed):
    drawn = good(Random(seed))
    assert error_in(drawn.result) is None, drawn


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ('{"response_status": "Error", "message": "ERROR: No data."}', "ERROR: No data."),
        ('{"success": false, "message": "No data."}', "No data."),
        ('{"isError": true, "content": [{"type": "text", "text": "no data"}]}', "no data"),
        ("<returncode>1</returncode>\n<output>\nls: no x\n</output>", "exit code 1: ls: no x"),
        ('{"exit_code": 1, "stdout": "", "stderr": "No such file"}', "exit code 1: No such file"),
        (
            "sh: foo: not found\nThe command exited with code 127.",
            "The command exited with code 127: sh: foo: not found",
        ),
        ("<tool_use_error>File has not been read.</tool_use_error>", "File has not been read."),
        ('{"error": {"code": 7}}', "code 7"),
        ('{"success": false}', "success: false"),
        ('{"success": false, "message": "no room in the', "no room in the"),
        ('Error: {"message": "no room"}', "no room"),
        ("exitcode: 1 (execution failed)\nboom", "exitcode: 1 (execution failed): boom"),
    ],
)
def test_the_quoted_words_are_those_of_the_tool(result, words):
    assert error_in(result) == words


@pytest.mark.parametrize(
    "result",
    [
        {"status": "error_rate ok"},
        {"errors": []},
        {"error": None},
        {"exit_code": 0},
        {"success": True},
        {"failed": 0},
        {"status": 204},
        {"job": 4, "status": "failed"},
        {"exit_code": 0, "stdout": "Traceback (most recent call last):\n  x\nKeyError: 1"},
        [{"status": "error", "message": "a"}, {"status": "error", "message": "b"}],
        {"level": "ERROR", "message": "disk full"},
        404,
        None,
        True,
        [],
        {},
        "",
    ],
)
def test_a_word_that_decides_nothing_is_no_failure(result):
    assert error_in(result) is None
    assert error_in(json.dumps(result)) is None


def test_what_a_file_ends_with_is_no_failure_of_the_tool_that_reads_it():
    log = "started\nTraceback (most recent call last):\n  File 'a.py'\nKeyError: 'seat'\n"
    assert error_in(log, tool="run_tests") == "KeyError: 'seat'"
    assert error_in(log, tool="read_file") is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["error", "status", "data", "isError", "exit_code"]) | st.text(),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_value_is_read_and_its_json_alike(value):
    said = error_in(value)
    assert said is None or said.strip() == said
    if isinstance(value, (dict, list)):
        assert error_in(json.dumps(value)) == said


@given(st.text())
def test_words_that_are_no_structure_stay_as_they_are(text):
    if text[:1] not in ("<", "{", "[", "`", '"'):
        assert error_in(text) is None or plain_words(text)


def test_the_words_of_a_recorded_error_are_taken_out_of_their_json():
    assert plain_words('{"error": {"message": "no room"}}') == "no room"
    assert plain_words("no room") == "no room"


@pytest.mark.parametrize(
    "result",
    [
        {"Error": {"Code": "NoSuchKey", "Message": "no such key"}},
        {"type": "error", "error": {"type": "overloaded_error", "message": "no such key"}},
        {"detail": "no such key", "status_code": 401},
        {"detail": [{"loc": ["body", "x"], "msg": "no such key"}], "status": 422},
        {"metadata": {"exit_code": 1}, "output": "no such key"},
        {"data": None, "errors": [{"message": "no such key"}]},
        {"status": "FAILED_PRECONDITION", "message": "no such key"},
        {"toolResult": {"status": "error", "content": [{"text": "no such key"}]}},
        '<tool_response>{"error": "no such key"}</tool_response>',
        "HTTP Error 403: no such key",
        "\u274c Error: no such key",
        "Error code: 429 - {'error': {'message': 'no such key'}}",
        "(exit code 2)\nno such key",
        "java.lang.NullPointerException: no such key\n\tat a.b",
    ],
)
def test_envelopes_of_well_known_programs_are_seen(result):
    assert "no such key" in (error_in(result) or "")


@pytest.mark.parametrize(
    "result",
    [
        "Errors: 0, Warnings: 2",
        "Status: 500 units in stock",
        "Failed logins today: 4",
        "Payment of 402 EUR required: no",
        "exit 3 on highway A1",
        "returned 5 rows",
        "src/a.py:10:    sys.exit(1)",
        {"code": 500, "currency": "EUR"},
        {"order_status": "failed", "order_id": "W1"},
        {"rows": [{"error": "x"}, {"error": "y"}]},
        {"exit_code": 0, "stderr": "Error: an option is deprecated"},
        {"content": "raise ValueError('x')\n", "path": "a.py"},
        {"retry": {"error": None}},
        {"ok": 1},
    ],
)
def test_what_only_resembles_a_failure_is_none(result):
    assert error_in(result) is None
