"""Guidance for the sample runs, read as the agent would."""

from __future__ import annotations

from pathlib import Path

import pytest

import knitbone.samples
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.guidance import builder
from knitbone.tethering.guidance.builder import build_guidance
from knitbone.tethering.guidance.hashing import value_hash
from knitbone.tethering.interchange.importers import import_file

RUNS = Path(knitbone.samples.__file__).parent / "runs" / "bank_runs.json"


@pytest.fixture(scope="module")
def bank():
    """Runs of the sample bank by record, each with its diagnosis."""
    runs = [item.run for item in import_file(RUNS)]
    return [(run, diagnose(run)) for run in runs]


def guidance_of(bank, record, **settings):
    run, diagnosis = bank[record]
    return build_guidance(diagnosis, run, task="bank", **settings)


def test_a_missing_argument_is_named_with_the_call_that_must_carry_it(bank):
    guidance = guidance_of(bank, 0)
    (directive,) = guidance.directives
    assert directive.id == "required-argument:deposit_check:check_amount"
    assert "`deposit_check`" in guidance.text
    assert "`check_amount`" in guidance.text
    assert directive.expectation.tool == "deposit_check"
    assert directive.expectation.arguments == ("check_amount",)
    assert directive.expectation.changes_state
    assert directive.do_not, "the loop over the same call is said in the same line"


def test_a_change_in_the_way_gives_the_order(bank):
    (directive,) = guidance_of(bank, 3).directives
    assert directive.constraint == "order"
    assert directive.do_first.startswith("Take `deposit_check` before `close_account`")
    assert directive.expectation.tool == "close_account"
    assert directive.expectation.after == ("deposit_check",)


def test_a_value_that_was_made_up_and_refused_must_be_another_one_told_as_a_hash(bank):
    guidance = guidance_of(bank, 4)
    (directive,) = guidance.directives
    assert directive.expectation.changed == {"amount": value_hash("bank", "2500")}
    assert "2500" not in guidance.text


def test_a_value_that_was_shown_in_another_form_is_not_called_made_up(bank):
    ids = {directive.id for directive in guidance_of(bank, 8).directives}
    assert not [name for name in ids if name.startswith("unread-value")]


def test_an_error_is_told_by_its_plain_words_and_no_names(bank):
    text = guidance_of(bank, 7).text
    assert 'last time: "LookupError: no customer … on …"' in text


def test_steps_that_only_call_for_care_share_a_line(bank):
    guidance = guidance_of(bank, 2)
    careful = [one for one in guidance.directives if one.constraint == "check first"]
    assert len(careful) == 4
    assert guidance.text.count("check need, target and arguments") == 1
    assert all(f"`{one.expectation or one.id.split(':')[1]}`" in guidance.text for one in careful)


def test_a_success_gets_no_guidance(bank):
    for record, (_, diagnosis) in enumerate(bank):
        if diagnosis.outcome == "succeeded":
            assert guidance_of(bank, record).text == ""


def test_every_failed_run_gets_short_guidance(bank):
    for record, (_, diagnosis) in enumerate(bank):
        if diagnosis.outcome == "failed":
            text = guidance_of(bank, record).text
            assert 100 < len(text) <= builder.CHARACTERS


def test_the_bounds_on_number_and_length_hold_and_what_is_left_out_is_counted(bank, monkeypatch):
    with monkeypatch.context() as few:
        few.setattr(builder, "DIRECTIVES", 2)
        guidance = guidance_of(bank, 2)
    assert len(guidance.directives) == 2
    assert guidance.left_out == 3
    monkeypatch.setattr(builder, "CHARACTERS", 400)
    short = guidance_of(bank, 2)
    assert len(short.text) <= 400
    assert len(short.directives) + short.left_out == 5


def test_the_family_names_kinds_of_action_only(bank):
    text = guidance_of(bank, 0, disclosure="family").text
    assert "the deposit check step" in text
    assert "deposit_check" not in text
    assert "check_amount" not in text


def test_values_are_told_on_request_only(bank):
    text = guidance_of(bank, 3, disclosure="values").text
    assert 'Last time: `account_id` "ACC7140".' in text
    assert "`amount` 2500.0" in guidance_of(bank, 4, disclosure="values").text
