"""The cases are read from tests in the forms that the peers use, written anew here."""

import pytest

from knitbone_evals.documents.peer_cases import (
    REFUSED,
    VERDICTS,
    Case,
    judged,
    named,
    python_cases,
    typescript_cases,
)

PYTHON = """
def test_texts():
    assert repair_json('{"x": 1') == '{"x": 1}'
    assert repair_json("?") == ""
    raw = "[" + "1," * 2
    value, log = repair_json(raw, logging=True)
    assert value == [1, 1]
    assert repair_json(unknown) == "{}"


@pytest.mark.parametrize(("raw", "expected"), [("{x: 2}", {"x": 2})])
def test_rows(raw, expected):
    assert repair_json(raw, return_objects=True) == expected


def test_schema():
    schema = {"type": "object"}
    with pytest.raises(ValueError):
        repair_with_schema("[3]", schema)
    for raw, expected in [("{,}", {})]:
        assert repair_json(raw, schema=schema, logging=True) == (expected, [])
    with pytest.raises(ValueError):
        repair_json("{}", schema=schema, strict=True)
"""

TYPESCRIPT = r"""
test('texts', () => {
  expect(jsonrepair('{\'x\': \u00e9')).toBe('{"x": "\u00e9"}')
  assertRepair("[4]")
  const text = '[' + '5'
  const wanted = '[5]'
  expect(jsonrepair(text)).toBe(wanted)
  expect(() => { console.log({ output: jsonrepair('') }) }).toThrow(new Error('end'))
})
function assertRepair(text) { expect(jsonrepair(text)).toEqual(text) }
"""


def test_the_cases_of_python_tests():
    schema = {"type": "object"}
    assert python_cases(PYTHON) == [
        Case("json-repair", '{"x": 1', None, [{"x": 1}]),
        Case("json-repair", "?", None, ["", REFUSED]),
        Case("json-repair", "[1,1,", None, [[1, 1]]),
        Case("json-repair", "{x: 2}", None, [{"x": 2}]),
        Case("json-repair schema", "[3]", schema, [REFUSED]),
        Case("json-repair schema", "{,}", schema, [{}]),
    ]


def test_the_cases_of_typescript_tests():
    assert typescript_cases(TYPESCRIPT) == [
        Case("jsonrepair", "{'x': \u00e9", None, [{"x": "\u00e9"}]),
        Case("jsonrepair", "[4]", None, [[4]]),
        Case("jsonrepair", "[5", None, [[5]]),
        Case("jsonrepair", "", None, [REFUSED]),
    ]


@pytest.mark.parametrize(
    ("value", "verdict", "column"),
    [
        ([5], "wrong", "same"),
        ([6], "wrong", "wrong value"),
        (REFUSED, "wrong", "wrong refusal"),
        (REFUSED, "defensible", "defensible"),
    ],
)
def test_a_verdict_counts_where_the_outcome_differs(value, verdict, column):
    case = Case("jsonrepair", "[5", None, [[5]])
    assert judged(case, value, {named(case, value): f"{verdict} cut off"})[0] == column


def test_an_outcome_that_nobody_judged_is_unread():
    case = Case("jsonrepair", "[5", None, [[5]])
    assert judged(case, [7], {named(case, [6]): "right cut off"}) == ("unread", "")


def test_each_verdict_has_a_reason():
    for line in VERDICTS.read_text(encoding="utf-8").splitlines():
        text, outcome, verdict, reason = line.split(" ", 3)
        assert len(text) == len(outcome) == 12
        assert verdict in ("right", "defensible", "wrong")
        assert reason == reason.strip() != ""
