"""What to do, in the ways in which that is said; and who does it."""

import pytest

from knitbone.adaptation.text.facts import read_statement
from knitbone.adaptation.text.paraphrase import implies, rephrases


def same(one, other):
    claims = read_statement(one), read_statement(other)
    assert rephrases(*claims) == rephrases(*reversed(claims))
    return rephrases(*claims)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("You should place the router in an open spot.", "Place the router in an open spot."),
        ("The router should be placed in an open spot.", "Place the router in an open spot."),
        ("You must lock the door at night.", "Lock the door at night."),
        ("You multiply the price by two.", "Multiply the price by two."),
        ("Never open the case yourself.", "Do not open the case yourself."),
        ("You should never open the case yourself.", "Do not open the case yourself."),
        ("Make sure to save the file.", "Save the file."),
        ("Don't forget to save the file.", "Remember to save the file."),
        ("Simply put, the plan was rejected.", "The plan was rejected."),
        ("Take a swim in the harbour bath", "Swim in the harbour bath"),
        ("Go hiking in the pine forest", "Hike in the pine forest"),
        ("Go for a hike through the forest", "Hike through the forest"),
        ("Perform a load test of the payment service", "Load test the payment service"),
        ("Provide training for the support team", "Train the support team"),
        ("Record a two-minute video", "Record a video of two minutes"),
        ("Set the staging server up", "Set up the staging server"),
        ("Removed an unused permission", "An unused permission was removed"),
        ("Priya will contact the provider about the outage.",
         "The provider will be contacted by Priya about the outage."),
        ("Sales wants the list by Friday.", "The list is wanted by sales by Friday."),
        ("A slow connection is often caused by an old device on the network.",
         "An old device on the network often causes a slow connection."),
        ("Priya is going to call the provider.", "Priya will call the provider."),
    ],
)  # fmt: skip
def test_the_same_is_to_be_done(one, other):
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("You should lock the door.", "You must lock the door."),
        ("You can lock the door.", "Lock the door."),
        ("Guests can be told today.", "Tell the guests today."),
        ("The server is switched off.", "Switch off the server."),
        ("You should not open the case.", "Open the case."),
        ("Never open the case.", "Open the case."),
        ("He never smokes at home.", "He does not smoke at home."),
        ("Give a test on Monday.", "Take a test on Monday."),
        ("Go for help.", "Help."),
        ("Record a two-minute video", "Record a three-minute video"),
        ("Record two videos of a minute", "Record a two-minute video"),
        ("Priya is going to Rome.", "Priya will call Rome."),
        ("Tom called Ann about the outage.", "Ann called Tom about the outage."),
        ("The list is wanted by Friday by sales.", "Friday wants the list by Monday."),
        ("You paid the rent.", "Pay the rent."),
        ("An old device on the network causes it.", "The network on an old device causes it."),
        ("Make sure that the door is locked.", "The door is locked."),
        # A conclusion says again what was said: that is what it is for.
        ("In conclusion, the plan was rejected.", "The plan was rejected."),
    ],
)
def test_something_else_is_to_be_done(one, other):
    assert not same(one, other)


def test_who_did_it_is_said_besides():
    short, full = (
        read_statement("The budget was approved."),
        read_statement("The team approved the budget."),
    )
    assert implies(full, short)
    assert not implies(short, full)


@pytest.mark.parametrize(
    "other",
    [
        "Nobody approved the budget.",
        "Few members approved the budget.",
        "The team approves the budget.",
        "The team approved the old budget.",
        "The team did not approve the budget.",
        "The team will approve the budget.",
        "The team may have approved the budget.",
        "Who approved the budget?",
    ],
)
def test_who_did_not_do_it_is_another_matter(other):
    assert not implies(read_statement(other), read_statement("The budget was approved."))
