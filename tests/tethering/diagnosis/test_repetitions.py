"""Loops of free text: what is one, and what only looks alike."""

from __future__ import annotations

import json

import pytest
from hangs import no_hang
from recorded_logs import answer, call

from knitbone.tethering.diagnosis.engine import examine
from knitbone.tethering.diagnosis.repetitions import restated
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes

BEFORE = [
    "I will look at the page of the museum first, and then at the shop.",
    "The museum opens at 10:00 on Tuesdays; on Mondays it is closed.",
]
WAITING = [
    "I am still checking whether tickets for Tuesday are available, please wait a moment.",
    "I am still checking if the tickets for Tuesday are available. Please wait another moment.",
    "Still checking whether tickets for Tuesday are available, please wait a moment longer.",
    "I'm still checking whether tickets for this Tuesday are available; please wait a little.",
]
ASKING = [
    f"Please open the page of {name} and report its height to me."
    for name in ("Aberfoyle", "Bryn Mawr", "Corndon", "Drumgoyne")
]


def run_of(*said):
    messages = [{"role": "user", "content": "Find out when it opens and book two tickets."}]
    for text in said:
        more = text if isinstance(text, tuple) else ({"role": "assistant", "content": text},)
        messages += [*more, {"role": "user", "content": "go on"}]
    value = {"messages": messages, "success": False}
    return import_bytes(json.dumps(value).encode(), path="x.json")[0].run


def rows(*said):
    return restated(build_units(run_of(*said)))


def test_an_agent_that_says_nearly_the_same_is_one_row():
    assert rows(*BEFORE, *WAITING) == [[2, 3, 4, 5]]


@pytest.mark.parametrize(
    "said",
    [
        ASKING,
        [f"I scrolled down the page and read entry {number} of the list." for number in range(5)],
        ["ok", "ok", "ok", "go on", "go on", "go on"],
        BEFORE,
        [WAITING[0], (call("look", {"page": 1}), answer("look", "nothing")), WAITING[1]],
    ],
    ids=["another name", "another number", "short", "something else", "a call between"],
)
def test_what_only_looks_alike_is_none(said):
    assert rows(*said) == []


def test_a_loop_ranks_first_at_its_first_utterance_and_is_said_in_words():
    found = examine(run_of(*BEFORE, *WAITING)).diagnosis
    assert (found.turning_point, found.ranking[0]) == (None, 5)
    (loop,) = (each for each in found.findings if each.kind == "repeated action")
    assert loop.text == "steps 7, 9 and 11 say nearly the same again"
    assert loop.steps == (5, 7, 9, 11)
    assert any("Do not repeat" in hint for hint in found.recovery_hints)


def test_one_restatement_is_no_loop():
    found = examine(run_of(*BEFORE, *WAITING[:2], "Two tickets for Tuesday are booked."))
    assert found.diagnosis.ranking[0] != 5


def test_many_and_long_utterances_are_compared_in_time():
    run = run_of(*[f"{'word ' * 400_000}{text}" for text in WAITING], *(WAITING * 500))
    units = build_units(run)
    with no_hang():
        assert restated(units)
