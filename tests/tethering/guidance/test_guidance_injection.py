"""Where guidance enters a request."""

from __future__ import annotations

import copy

import pytest

from knitbone.tethering.guidance.injection import guided_messages, guided_system
from knitbone.tethering.guidance.records import Guidance, InjectionPlan

FIRST = Guidance(task="t", run="r", text="Advice.\n1. Ask.")
SYSTEM = Guidance(
    task="t", run="r", text="Advice.\n1. Ask.", plan=InjectionPlan(place="system text")
)
MESSAGES = [
    {"role": "system", "content": "Policy."},
    {"role": "user", "content": "Close it."},
    {"role": "assistant", "content": "Sure?"},
    {"role": "user", "content": "Yes."},
]


def test_it_stands_before_the_first_user_turn_and_the_given_messages_stay():
    given = copy.deepcopy(MESSAGES)
    found = guided_messages(given, FIRST)
    assert given == MESSAGES
    assert found[1] == {"role": "user", "content": "Advice.\n1. Ask.\n\nClose it."}
    assert found[0] is given[0]
    assert found[2:] == given[2:]


@pytest.mark.parametrize("plan", [FIRST, SYSTEM])
def test_it_is_given_once(plan):
    once = guided_messages(MESSAGES, plan)
    assert guided_messages(once, plan) == once


def test_parts_of_a_turn_stay_parts():
    image = {"type": "image_url", "image_url": {"url": "data:"}}
    (found,) = guided_messages([{"role": "user", "content": [image]}], FIRST)
    assert found["content"] == [{"type": "text", "text": FIRST.text}, image]
    (item,) = guided_messages(
        [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}], FIRST
    )
    assert item["content"][0] == {"type": "input_text", "text": FIRST.text}


def test_anthropic_s_results_of_tools_stay_first_in_their_turn():
    result = {"type": "tool_result", "tool_use_id": "1", "content": "ok"}
    (found,) = guided_messages([{"role": "user", "content": [result]}], FIRST)
    assert found["content"][0] == result


def test_the_system_text_has_it_behind_what_it_says():
    found = guided_messages(MESSAGES, SYSTEM)
    assert found[0]["content"] == "Policy.\n\nAdvice.\n1. Ask."
    assert found[1:] == MESSAGES[1:]
    assert guided_messages(MESSAGES[1:], SYSTEM)[0] == {"role": "system", "content": SYSTEM.text}


@pytest.mark.parametrize("system", [None, "Policy.", [{"type": "text", "text": "Policy."}]])
def test_anthropic_s_system_text_takes_it_once(system):
    once = guided_system(system, SYSTEM)
    assert SYSTEM.text in str(once) or SYSTEM.text in once[-1]["text"]
    assert guided_system(once, SYSTEM) == once


def test_without_a_text_nothing_changes():
    assert guided_messages(MESSAGES, Guidance(task="t", run="r")) == MESSAGES
    assert guided_system("Policy.", Guidance(task="t", run="r")) == "Policy."


def test_an_object_of_an_sdk_is_left_alone():
    class Turn:
        role, content = "user", "Hi"

    turn = Turn()
    found = guided_messages([turn], FIRST)
    assert found == [{"role": "user", "content": FIRST.text}, turn]
