"""The lane of real tool calls: requests fix their call, and each answer has a reading."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from knitbone_evals.documents.peers import RefusedError
from knitbone_evals.documents.tool_calls.__main__ import GROUPS, Said, answers, judged, plainly
from knitbone_evals.documents.tool_calls.record import COUNT
from knitbone_evals.documents.tool_calls.requests import call_requests

REQUESTS = list(call_requests(COUNT))


def test_each_request_asks_for_one_call_of_its_schema():
    assert len({request.key for request in REQUESTS}) == COUNT
    for request in REQUESTS:
        Draft202012Validator(request.target).validate(request.intended)
        for value in request.arguments.values():
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            assert said in request.text


def test_requests_are_the_same_every_time():
    assert list(call_requests(COUNT)) == REQUESTS


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Here: {"a": 1}', None),
        ('{"a": 1', None),
    ],
)
def test_only_a_fence_is_taken_off(text, value):
    assert plainly(text) == value


def test_every_recorded_answer_has_a_reading():
    said = list(answers())
    assert len(said) > 200
    assert {group for one in said for group in one.groups} == set(GROUPS)


def test_the_outcomes():
    request = next(each for each in REQUESTS if each.way == "arguments")
    other = request.arguments | {next(iter(request.arguments)): None}
    said = Said("model", request, "", request.intended, plain=False)

    def refuse(text, target):
        raise RefusedError

    assert judged(lambda text, target: request.intended, said) == "right"
    assert judged(lambda text, target: other, said) == "invalid"
    assert judged(refuse, said) == "refused"
    nothing = Said("model", request, "", None, plain=False)
    assert judged(lambda text, target: request.intended, nothing) == "wrong"
