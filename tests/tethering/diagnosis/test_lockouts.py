"""A change of state that a later call is refused for is found whatever the tools are called, and
what only looks like it is not."""

from __future__ import annotations

import json

import pytest
from recorded_logs import answer, call

from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.diagnosis.lockouts import blocked
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes

CHANGES = {
    "close_account": ("account ACC7140 not found or closed", "Error: ACC7140 is closed"),
    "cancel_order": ("Error: order ACC7140 was cancelled", "Error: no such order: ACC7140"),
    "deleteFile": ("Error: ACC7140 does not exist", "FileNotFoundError: ACC7140 not found"),
    "archive_ticket": ("Error: ticket ACC7140 is archived", "Error: ACC7140 no longer open"),
    "freeze_card": ("Error: card ACC7140 is frozen", "Error: ACC7140: card frozen"),
    "ship_parcel": ("Error: ACC7140 has been shipped already", "Error: ACC7140 shipped"),
}
"""Tools that change state, and what other tools say afterwards."""


def run_of(*messages):
    task = {"role": "user", "content": "Pay the open bill from it, and then put an end to it."}
    value = {"messages": [task, *messages]}
    return import_bytes(json.dumps(value).encode(), path="x.json")[0].run


def made(tool, arguments, result, number):
    return call(tool, arguments, f"c{number}"), answer(tool, result, f"c{number}")


def pairs(*calls):
    messages = [
        m for n, (tool, args, result) in enumerate(calls) for m in made(tool, args, result, n)
    ]
    units = build_units(run_of(*messages))
    return [(units[change].tool, units[refused].tool) for change, refused in blocked(units)]


@pytest.mark.parametrize("tool", CHANGES)
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("named", ["in the call", "in the error"])
def test_change_is_what_the_later_call_is_refused_for(tool, which, named):
    error = CHANGES[tool][which]
    error = error if error.startswith(("Error", "File")) else f"Error: {error}"
    arguments = {"account": "ACC7140"} if named == "in the call" else {"bill": "B-99"}
    found = pairs((tool, {"id": "ACC7140"}, "ok"), ("pay_bill", arguments, error))
    assert found == [(tool, "pay_bill")]


HARMLESS = {
    "a look at what was deleted": [
        ("delete_file", {"id": "ACC7140"}, "ok"),
        ("get_file", {"id": "ACC7140"}, "Error: ACC7140 does not exist"),
    ],
    "the same change a second time": [
        ("close_account", {"id": "ACC7140"}, "ok"),
        ("close_account", {"id": "ACC7140"}, "Error: ACC7140 is closed"),
    ],
    "another thing": [
        ("close_account", {"id": "ACC7140"}, "ok"),
        ("pay_bill", {"account": "ACC9999"}, "Error: ACC9999 is closed"),
    ],
    "another reason": [
        ("close_account", {"id": "ACC7140"}, "ok"),
        ("pay_bill", {"account": "ACC7140"}, "Error: 'amount' has to be given"),
    ],
    "it works later": [
        ("close_account", {"id": "ACC7140"}, "ok"),
        ("pay_bill", {"account": "ACC7140"}, "Error: ACC7140 is closed"),
        ("pay_bill", {"account": "ACC8888"}, {"paid": True}),
    ],
    "the change was refused itself": [
        ("close_account", {"id": "ACC7140"}, "Error: ACC7140 has a balance"),
        ("pay_bill", {"account": "ACC7140"}, "Error: ACC7140 is closed"),
    ],
}


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_only_looks_like_it_is_none(kind):
    assert pairs(*HARMLESS[kind]) == []


def test_the_fact_names_both_steps_and_the_refusal():
    messages = [
        *made("close_account", {"id": "ACC7140"}, "ok", 1),
        *made("pay_bill", {"account": "ACC7140"}, "Error: ACC7140 is closed", 2),
    ]
    found = diagnose(run_of(*messages), claim=True)
    (fact,) = (each for each in found.on_record if each.kind == "change in the way")
    assert (fact.steps, fact.proves) == ((1, 3), False)
    assert "Error: ACC7140 is closed" in found.headline
