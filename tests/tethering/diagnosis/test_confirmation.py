"""Replies that confirm a proposal, and replies that do not; none is taken from a recorded run."""

from __future__ import annotations

import pytest

from knitbone.tethering.diagnosis.rules.breaches import confirms, consents

PROPOSAL = (
    "I found two pending orders, #K2210 and #K4875, and the boat at 16:30 or the later boat at"
    " 19:15. Shall I cancel both orders and book the early boat with your blue card?"
)


@pytest.mark.parametrize(
    "reply",
    [
        "Yes please.",
        "That's fine with me.",
        "By all means.",
        "Cancel #K2210 and #K4875.",
        "I'll take the second one, the boat at 19:15.",
        "Cancel both orders, and book the early boat with the blue card.",
        "The later one suits me better, thanks.",
        "D'accord.",
    ],
)
def test_a_proposal_is_taken_up_in_words_of_the_persons_own(reply):
    assert confirms(reply, PROPOSAL)


@pytest.mark.parametrize(
    "reply",
    [
        "What does the early boat cost?",
        "No, leave the orders as they are.",
        "Cancel #K9931.",
        "Great, thank you! Before we finish, could you add a bicycle?",
        "Could you change my address to 4 Quay Street instead?",
        "",
    ],
)
def test_what_had_not_been_spoken_of_confirms_nothing(reply):
    assert not confirms(reply, PROPOSAL)


def test_without_a_proposal_only_a_yes_confirms():
    assert confirms("Yes, go ahead.", "")
    assert not confirms("Cancel both orders.", "")


def test_consent_may_come_with_the_request():
    assert consents("Cancel the loan L4471, no need to ask me again.")
    assert not consents("Please cancel the loan L4471.")
