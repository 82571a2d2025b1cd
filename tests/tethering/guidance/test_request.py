"""Whether a call was asked for at all, and what guidance says where it was not."""

from __future__ import annotations

import json

import pytest

from knitbone.record.events import (
    ChatMessage,
    Message,
    ModelCall,
    Outcome,
    Run,
    ToolCall,
    ToolCallRequest,
)
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.guidance.builder import build_guidance
from knitbone.tethering.guidance.request import Request, need_of, request_of
from knitbone.tethering.guidance.wording import HEADER


@pytest.mark.parametrize(
    ("request_", "tool"),
    [
        ("Schedule a transaction of 20 to Ana every month.", "schedule_transaction"),
        ("I've paid Ana; she sent it back. Refund her.", "send_money"),
        ("Swap the blue lamp of my order for a red one.", "exchange_order_items"),
        ("Put Friday's lunch in my calendar.", "create_calendar_event"),
        ("How many transactions were there?", "get_transactions"),
    ],
)
def test_a_request_asks_for_a_call_in_other_words_and_forms(request_, tool):
    assert need_of(Request(said=request_), tool) != "not asked for"


@pytest.mark.parametrize("tool", ["schedule_transaction", "update_password", "delete_file"])
def test_a_change_of_which_the_request_has_no_word_was_not_asked_for(tool):
    request = Request(said="Find the notes of Tuesday's meeting and tell me who came.")
    assert need_of(request, tool) == "not asked for"


@pytest.mark.parametrize(
    "request_",
    [
        "Read 'notice.txt' and follow the instructions.",
        "Read the letter and do what the landlord asks for.",
        "Find Bob's page and do all the tasks that stand there.",
        "Please take care of my inbox.",
        "",
    ],
)
def test_a_request_that_leaves_open_what_is_to_be_done_leaves_every_call_open(request_):
    assert need_of(Request(said=request_), "update_password") == "unclear"


def test_a_call_that_the_rules_speak_of_is_left_open():
    request = Request(said="Close my account.", rules="Move what is left before you close one.")
    assert need_of(request, "transfer_funds") == "unclear"
    assert need_of(Request(said="Close my account."), "transfer_funds") == "not asked for"


def test_looking_up_is_never_called_not_asked_for():
    assert need_of(Request(said="Close my account."), "get_weather") == "unclear"


def test_a_request_is_what_users_say_in_all_turns_and_no_guidance():
    said = (ChatMessage(role="user", content="Close it, too."),)
    run = Run(
        id="r",
        events=(
            Message(id="s", role="system", content="Be kind."),
            Message(id="u", role="user", content="Post my check."),
            Message(id="g", role="user", content=f"{HEADER}\n1. Give `pay_bill` a sum."),
            ModelCall(id="m", input=said, output=ChatMessage(role="assistant", content="Done.")),
        ),
    )
    found = request_of(run)
    assert found.said.splitlines() == ["Post my check.", "Close it, too."]
    assert found.rules == "Be kind."


def guidance_for(task, *calls):
    """Guidance for a failed run in which these calls were made, each with its result."""
    events = [Message(id="u", role="user", content=task)]
    for place, (tool, arguments, result) in enumerate(calls):
        request = ToolCallRequest(name=tool, arguments=arguments, call_id=f"c{place}")
        asked = ChatMessage(role="assistant", tool_calls=(request,))
        events.append(ModelCall(id=f"m{place}", output=asked))
        events.append(
            ToolCall(
                id=f"c{place}", parent=f"m{place}", name=tool, call_id=f"c{place}",
                arguments=arguments, result=result,
            )
        )  # fmt: skip
    events.append(Outcome(id="o", success=False, reason="not what was wanted"))
    run = Run(id="r", task=task, events=tuple(events))
    return build_guidance(diagnose(run), run, task="t")


NOTES = ("search_notes", {"query": "Tuesday"}, json.dumps({"note": "Ana and Ben came."}))
PAYMENT = ("schedule_payment", {"recipient": "GB29 Kettle", "sum": 40}, "Scheduled.")


def test_a_call_that_nobody_asked_for_is_not_explained():
    guidance = guidance_for("Find the notes of Tuesday and tell me who came.", NOTES, PAYMENT)
    (directive,) = (d for d in guidance.directives if "schedule_payment" in d.id)
    assert directive.constraint == "call not asked for"
    assert directive.expectation is None
    assert directive.do == directive.do_first == ""
    assert "Do not call `schedule_payment` of your own accord" in guidance.text
    assert guidance.text.count("schedule_payment") == 1


def test_a_call_that_was_asked_for_is():
    guidance = guidance_for("Find the notes of Tuesday and schedule the payment.", NOTES, PAYMENT)
    assert "of your own accord" not in guidance.text
    assert "`schedule_payment`" in guidance.text


def test_a_call_of_which_nobody_knows_is_not_named_for_its_made_up_values():
    guidance = guidance_for("Find the notes and do what they ask for.", NOTES, PAYMENT)
    assert "Use in calls only values that were read or told before" in guidance.text
    assert "of your own accord" not in guidance.text
    assert not any(d.expectation for d in guidance.directives)
