"""Check, decide, inject: what a supervised agent is told, and when nothing is."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from knitbone.config import SupervisionSettings
from knitbone.tethering.guidance.hashing import value_hash
from knitbone.tethering.guidance.records import Directive, ExpectedCall, Guidance
from knitbone.tethering.supervision.engine import Supervisor
from knitbone.tethering.supervision.records import ReturnedCall

TASK = "Deposit the check, then close the account."


def directive(identifier="deposit", tool="deposit_check", distance=0, **expected):
    return Directive(
        id=identifier, family="deposit check", constraint="required argument", distance=distance,
        do="Give every required argument of the deposit.",
        expectation=ExpectedCall(tool=tool, **expected),
    )  # fmt: skip


def guidance(*directives):
    return Guidance(task="bank-1", run="r1", directives=directives or (directive(),), text="...")


def returned(tool, result="ok", error=None, **arguments):
    return ReturnedCall(tool=tool, arguments=arguments, result=result, error=error)


def looping(supervisor, times=3, tool="search", **arguments):
    return [supervisor.tool_returned(returned(tool, "none", **arguments)) for _ in range(times)]


def test_a_loop_is_said_behind_the_result():
    supervisor = Supervisor(TASK, guidance())
    *before, said = looping(supervisor)
    assert before == [None, None]
    assert said is not None
    assert said.startswith("\n\n[Supervision, not part of the result: ")
    assert [d.action for d in supervisor.decisions] == ["silence", "silence", "append"]
    assert supervisor.decisions[-1].text == said


def test_without_guidance_or_memory_nothing_is_said_and_the_reason_is_on_record():
    supervisor = Supervisor(TASK)
    assert looping(supervisor) == [None] * 3
    last = supervisor.decisions[-1]
    assert (last.action, last.signals[0].check) == ("silence", "loop")
    assert last.reason == "no guidance and no memory to act on"
    wanted = Supervisor(TASK, settings=SupervisionSettings(loops_without_guidance=True))
    assert looping(wanted)[-1] is not None


def test_observe_decides_alike_and_says_nothing():
    on, observed = Supervisor(TASK, guidance()), Supervisor(TASK, guidance(), mode="observe")
    assert looping(on)[-1] is not None
    assert looping(observed) == [None] * 3
    assert observed.decisions == on.decisions


def test_off_does_nothing_at_all():
    supervisor = Supervisor(TASK, guidance(), mode="off")
    assert looping(supervisor) == [None] * 3
    assert supervisor.text_answered("done") is None
    assert supervisor.decisions == ()


def test_memory_alone_is_ground_enough_and_names_only_the_family():
    kept = SimpleNamespace(directive=directive(), state="unresolved")
    supervisor = Supervisor(TASK, memory=[kept])
    said = supervisor.tool_returned(returned("delete_account"))
    assert said is not None
    assert "deposit check" in said
    assert "Give every required argument" not in said
    fixed = SimpleNamespace(directive=directive(), state="fixed")
    assert Supervisor(TASK, memory=[fixed]).tool_returned(returned("delete_account")) is None


def test_a_call_that_falls_short_gets_the_words_of_its_directive():
    supervisor = Supervisor(TASK, guidance(directive(arguments=("check_amount",))))
    said = supervisor.tool_returned(returned("deposit_check", "Error: no amount", account="A"))
    assert said is not None
    assert "Give every required argument of the deposit." in said
    assert supervisor.decisions[0].signals[0].kind == "argument missing"
    assert supervisor.followed() == {"deposit": False}


def test_a_call_that_goes_well_without_an_argument_is_not_told_that_it_is_required():
    supervisor = Supervisor(TASK, guidance(directive(arguments=("check_amount",))))
    assert supervisor.tool_returned(returned("deposit_check", "posted", account="A")) is None
    assert supervisor.followed() == {"deposit": True}


def test_a_value_that_failed_is_known_by_its_hash():
    failed = {"amount": value_hash("bank-1", 25)}
    supervisor = Supervisor(TASK, guidance(directive(changed=failed)))
    said = supervisor.tool_returned(returned("deposit_check", "Error: refused", amount="25"))
    assert said is not None
    assert "25" not in said
    assert supervisor.decisions[0].signals[0].kind == "value that failed"
    assert supervisor.tool_returned(returned("deposit_check", amount=30)) is None
    assert supervisor.followed() == {"deposit": True}


def test_a_value_that_was_refused_and_is_taken_now_was_not_at_fault():
    failed = {"amount": value_hash("bank-1", 25)}
    supervisor = Supervisor(TASK, guidance(directive(changed=failed)))
    assert supervisor.tool_returned(returned("deposit_check", "posted", amount="25")) is None
    assert supervisor.followed() == {"deposit": True}


def test_a_destructive_call_that_the_task_asks_for_needs_no_guidance():
    supervisor = Supervisor("Deposit the check, then delete the account.", guidance())
    assert supervisor.tool_returned(returned("delete_account")) is None
    assert supervisor.tool_returned(returned("delete_ticket")) is not None


def test_order_is_kept_by_tools_that_returned_without_an_error():
    supervisor = Supervisor(TASK, guidance(directive(tool="close_account", after=("deposit",))))
    supervisor.tool_returned(returned("deposit", "Error: no amount"))
    supervisor.tool_returned(returned("close_account"))
    assert supervisor.decisions[-1].signals[0].kind == "too early"
    supervisor.tool_returned(returned("deposit", "posted"))
    supervisor.tool_returned(returned("close_account"))
    assert supervisor.followed() == {"deposit": True}


def test_after_all_expectations_there_is_silence():
    supervisor = Supervisor(TASK, guidance())
    supervisor.tool_returned(returned("deposit_check"))
    assert looping(supervisor) == [None] * 3
    assert supervisor.decisions[-1].reason == "all expected actions are done"


def test_after_an_expected_change_of_state_only_loops_are_said():
    supervisor = Supervisor(
        TASK, guidance(directive(changes_state=True), directive("close", "close_account", 1))
    )
    supervisor.tool_returned(returned("deposit_check"))
    assert supervisor.tool_returned(returned("delete_account")) is None
    assert supervisor.decisions[-1].reason.startswith("an expected change of state is done")
    assert looping(supervisor)[-1] is not None


def test_two_interventions_have_three_steps_between_them():
    supervisor = Supervisor(TASK, guidance(directive(arguments=("amount",))))
    lacking = returned("deposit_check", "Error: no amount")
    said = [supervisor.tool_returned(lacking) is not None for _ in range(4)]
    assert said == [True, False, False, True]
    assert supervisor.decisions[1].reason == "cooldown"


def test_a_check_that_spoke_twice_around_one_action_only_observes():
    supervisor = Supervisor(TASK, guidance(directive(arguments=("amount",))))
    calls = [returned("deposit_check", f"Error: no amount, {n}", note=n) for n in range(20)]
    said = [step for step, call in enumerate(calls) if supervisor.tool_returned(call)]
    expectation = [d for d in supervisor.decisions if d.action == "append"]
    assert [d.signals[0].check for d in expectation].count("expectation") == 2
    assert said == [d.step for d in expectation]
    assert "only observed" in supervisor.decisions[-1].reason


def test_a_run_that_would_end_is_sent_back_at_most_twice():
    many = [directive(f"d{n}", "deposit_check", n) for n in range(4)]
    supervisor = Supervisor(TASK, guidance(*many))
    said = [supervisor.text_answered("The account has been closed.") for _ in range(12)]
    reroutes = [text for text in said if text]
    assert len(reroutes) == 2
    assert reroutes[0].startswith("[Supervision] Not done yet: ")
    assert supervisor.decisions[0].action == "reroute"


@pytest.mark.parametrize(
    "question",
    ["Shall I close the account?", "Please confirm the amount.", "I have found it. Is that right?"],
)
def test_a_question_to_the_person_is_never_sent_back(question):
    supervisor = Supervisor(TASK, guidance())
    for number in range(8):
        supervisor.tool_returned(returned("get", number=number))
    assert supervisor.text_answered(question) is None


def test_the_reminder_waits_for_five_steps_and_five_calls_and_comes_twice():
    supervisor = Supervisor(TASK, guidance())
    said = [supervisor.tool_returned(returned("get", f"{n}", n=n)) for n in range(30)]
    assert [step for step, text in enumerate(said) if text] == [5, 8]
    assert all("Give every required argument" in text for text in said if text)


def test_the_hint_nearest_to_what_is_missing_is_said():
    far, near = directive("far", "close_account", 4), directive("near", distance=1)
    supervisor = Supervisor(TASK, guidance(far, near))
    supervisor.text_answered("The task is complete.")
    assert supervisor.decisions[0].signals[0].directive == "near"


def test_every_decision_is_recorded_and_a_failing_recorder_does_no_harm():
    seen = []
    supervisor = Supervisor(TASK, guidance(), record=seen.append)
    looping(supervisor)
    assert tuple(seen) == supervisor.decisions

    def refuse(_):
        raise OSError

    assert looping(Supervisor(TASK, guidance(), record=refuse)) == [None] * 3


def test_a_check_that_fails_does_not_silence_the_others(monkeypatch):
    def fail(*_):
        raise RecursionError

    monkeypatch.setattr(
        "knitbone.tethering.supervision.checks.expectation.ExpectationCheck.tool_returned", fail
    )
    assert looping(Supervisor(TASK, guidance()))[-1] is not None


def test_a_supervisor_is_safe_for_threads():
    supervisor = Supervisor(TASK, guidance())

    def work():
        for number in range(200):
            supervisor.tool_returned(returned("get", f"{number}", n=number))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [d.step for d in supervisor.decisions] == list(range(800))


def test_an_error_of_an_expected_call_is_named_the_second_time():
    supervisor = Supervisor(TASK, guidance())
    calls = [returned("deposit_check", None, f"refused: {word}") for word in ("once", "twice")]
    assert [supervisor.tool_returned(call) is not None for call in calls] == [False, True]
    assert supervisor.decisions[-1].signals[0].kind == "returned an error"
