"""The recorded calls of a real model, and the table of habits that was counted from them."""

from __future__ import annotations

import hashlib
import json
from importlib import resources

import pytest

from knitbone_evals.reader.forms import FORMS
from knitbone_evals.real_model.habits.derive import calls, table
from knitbone_evals.real_model.habits.record import ANSWERS, MODEL, answers_of, requests
from knitbone_evals.real_model.recorder import Replay

SMALLER = "qwen2.5-coder-0.5b-instruct"
FROZEN = "489524fee6d1701ea79b953a2acf618cd3bff616f3f3f9632be512bed5ce7213"
"""Written and committed before anything was evaluated with it; it is never counted anew."""


@pytest.mark.parametrize(("model", "answers"), [(MODEL, 200), (SMALLER, 19)])
def test_each_recorded_answer_is_read_as_one_call_of_the_tool(model: str, answers: int) -> None:
    assert len(requests()) == 200
    found = calls(Replay(answers_of(model), model))
    assert len(found) == answers
    assert [request.text for request, arguments in found if arguments is None] == []


def test_the_table_of_habits_is_the_frozen_one() -> None:
    text = resources.files("knitbone_evals.reader").joinpath("habits.json").read_bytes()
    assert hashlib.sha256(text).hexdigest() == FROZEN
    counted = json.loads(text)
    assert counted["requests"] == counted["calls"] == 200


def test_the_recorded_calls_still_give_the_habits_of_each_kind() -> None:
    text = resources.files("knitbone_evals.reader").joinpath("habits.json").read_text("utf-8")
    frozen = json.loads(text)["forms"]
    now = table(calls(Replay(ANSWERS, MODEL)))["forms"]
    assert set(now) == set(frozen) <= set(FORMS)
    for kind, counts in frozen.items():
        total, same = (
            sum(counts.values()),
            sum(min(count, now[kind].get(form, 0.0)) for form, count in counts.items()),
        )
        assert same > 0.8 * total, kind
