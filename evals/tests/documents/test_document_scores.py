"""What counts as right, as refused and as wrong, with readers made for it."""

import json

import pytest

from knitbone_evals.documents.catalogue import REFUSE
from knitbone_evals.documents.peers import READERS, RefusedError
from knitbone_evals.documents.score import OUTCOMES, Trial, outcome, wilson

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def trial(value, tied="-"):
    return Trial("json schema", "delete brace", '{"a": 1', SCHEMA, value, tied)


def gives(value):
    return lambda text, target: value


def refuses(text, target):
    raise RefusedError("two values are as near")


def crashes(text, target):
    raise KeyError("a")


@pytest.mark.parametrize(
    ("read", "judged", "expected"),
    [
        (gives({"a": 1}), trial({"a": 1}), "exact"),
        (gives({"a": 1}), trial({"a": 1}, "a"), "exact"),
        (gives({"a": True}), trial({"a": 1}), "invalid"),
        (gives({"a": 2}), trial({"a": 1}), "wrong"),
        (gives({"a": 2}), trial({"a": 1}, "s"), "wrong"),
        (gives({"a": 2}), trial(REFUSE), "wrong"),
        (gives([]), trial(REFUSE), "invalid"),
        (refuses, trial({"a": 1}), "refused"),
        (refuses, trial({"a": 1}, "a"), "refused rightly"),
        (refuses, trial(REFUSE), "refused rightly"),
        (crashes, trial({"a": 1}), "refused"),
        (gives({"a": float("nan")}), trial({"a": None}), "exact"),
    ],
)
def test_outcomes(read, judged, expected):
    assert expected in OUTCOMES
    assert outcome(read, judged, []) == expected


def test_a_crash_is_kept_to_be_printed():
    found = []
    outcome(crashes, trial({"a": 1}), found)
    assert found == ["KeyError: 'a'"]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_each_reader_reads_a_text_without_a_fault(reader):
    try:
        read = reader.load()
    except (ImportError, AttributeError) as error:
        pytest.skip(str(error))
    text = json.dumps({"a": 1, "b": "x, y"})
    assert read(text, SCHEMA) == {"a": 1, "b": "x, y"}


def test_intervals_hold_the_share():
    low, high = wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert wilson(0, 10)[0] == 0.0
