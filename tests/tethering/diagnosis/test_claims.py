"""What is claimed of a run, what only stands on record, and what is neither: each kind beside a
harmless run that looks much the same."""

from __future__ import annotations

import json

import pytest
from recorded_logs import answer, call, chat_record

import knitbone
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.interchange.importers import import_bytes


def run_of(*messages, success=None):
    value = {"messages": list(messages)} | ({} if success is None else {"success": success})
    return import_bytes(json.dumps(value).encode(), path="x.json")[0].run


def claimed(*messages, success=None):
    return diagnose(run_of(*messages, success=success), claim=True)


def on_record(found):
    """The facts of a run of which nothing is claimed: kind and steps of each."""
    assert (found.claim, found.turning_point) == (None, None)
    return [(fact.kind, fact.steps) for fact in found.on_record]


def says(role, text):
    return {"role": role, "content": text}


ASKED = says("user", "Book the blue boat for Saturday at 9, please.")
REFUSED = (
    call("book_boat", {"boat": "B17", "hour": 9}, "c1"),
    answer("book_boat", "Error: B17 is taken at 9", "c1"),
)
DONE = (
    call("book_boat", {"boat": "B17", "hour": 11}, "c2"),
    answer("book_boat", {"booking": "K88"}, "c2"),
)
BYE = says("assistant", "Thank you, have a good day.")


def test_a_refused_change_that_goes_through_otherwise_unasked():
    found = claimed(ASKED, *REFUSED, *DONE, BYE)
    assert on_record(found) == [("refused, then changed", (1, 3))]
    assert "nobody was asked in between" in found.headline


def test_the_same_after_the_person_was_asked_is_no_claim():
    offer = (says("assistant", "It is taken at 9. Is 11 all right?"), says("user", "Yes."))
    found = claimed(ASKED, *REFUSED, *offer, *DONE, BYE)
    assert on_record(found) == []
    assert found.headline == (
        'book_boat fails at step 1: "Error: B17 is taken at 9", and works at step 5.'
        " Whether the run failed is not on record."
    )


def test_the_very_same_call_made_again_is_a_retry():
    again = (call("book_boat", {"boat": "B17", "hour": 9}, "c2"), DONE[1])
    assert on_record(claimed(ASKED, *REFUSED, *again, BYE)) == []


def test_done_is_said_of_what_a_tool_refused():
    lie = says("assistant", "I have booked the blue boat for you.")
    found = claimed(ASKED, *REFUSED, lie)
    assert on_record(found) == [("said to be done", (1, 3))]


@pytest.mark.parametrize(
    "words",
    [
        "The blue boat could not be booked, it is taken at 9.",
        "I'm sorry, B17 is already booked by somebody else.",
        "Once it is free, it will be booked for you.",
        "Is the boat to be booked for another hour?",
    ],
)
def test_a_refusal_that_is_told_is_no_claim(words):
    assert on_record(claimed(ASKED, *REFUSED, says("assistant", words))) == []


def failing(number, error):
    return (
        call("find_dock", {"name": "east"}, f"f{number}"),
        answer("find_dock", error, f"f{number}"),
    )


def test_code_that_fails_and_never_works():
    found = claimed(ASKED, *failing(1, "TypeError: find_dock() takes 0 arguments"), BYE)
    assert on_record(found) == [("error never mended", (1,))]


def test_code_that_works_the_next_time_is_mended():
    good = (call("find_dock", {}, "f2"), answer("find_dock", {"dock": 4}, "f2"))
    bad = failing(1, "TypeError: find_dock() takes 0 arguments")
    assert on_record(claimed(ASKED, *bad, *good, BYE)) == []


def test_a_search_without_a_result_is_no_claim():
    assert on_record(claimed(ASKED, *failing(1, "Error: no such dock"), BYE)) == []


def test_three_failures_for_one_reason_are_a_loop():
    three = [m for n in range(3) for m in failing(n, "Error: no dock 'east'")]
    found = claimed(ASKED, *three, BYE)
    assert (found.claim.kind, found.claim.steps) == ("loop", (1, 3, 5))
    assert "fail again for the same reason" in found.headline


def test_other_calls_that_fail_for_that_reason_are_a_search():
    three = [
        message
        for number, name in enumerate(("east", "west", "south"))
        for message in (
            call("find_dock", {"name": name}, f"f{number}"),
            answer("find_dock", "Error: no such dock", f"f{number}"),
        )
    ]
    found = claimed(ASKED, *three, BYE)
    assert on_record(found) == [("fails for one reason", (1, 3, 5))]
    person = says("user", "Then try the next one, please.")
    spoken = claimed(ASKED, *failing(0, "Error: no"), person, *failing(1, "Error: no"), person,
                     *failing(2, "Error: no"), BYE)  # fmt: skip
    assert [fact.kind for fact in spoken.on_record] == ["fails for one reason"]
    assert spoken.claim is None


@pytest.mark.parametrize(
    "error", ["503 Service Unavailable", "Error: timed out", "Error: 429, try again"]
)
def test_a_service_that_is_down_is_no_mistake_of_the_agent(error):
    three = [message for number in range(3) for message in failing(number, error)]
    assert on_record(claimed(ASKED, *three, BYE)) == [("fails for one reason", (1, 3, 5))]


@pytest.mark.parametrize("tool", ["press_key", "volume_up", "draw_card", "add_to_cart", "undo"])
def test_a_call_that_does_something_is_no_loop(tool):
    five = [
        message
        for number in range(5)
        for message in (call(tool, {"item": 7}, f"k{number}"), answer(tool, "ok", f"k{number}"))
    ]
    assert on_record(claimed(ASKED, *five, BYE)) == [("same call again", (1, 3, 5, 7, 9))]


def test_words_of_a_lone_agent_are_no_failure_of_its_own():
    run = (says("user", "What does this mean?"), says("assistant", "KeyError: 'x' says that ..."))
    assert on_record(claimed(*run, success=False)) == []


def test_an_argument_that_the_tool_misses_and_never_gets():
    asks = answer("assign_table", "Error: missing required argument 'table_id'", "t1")
    found = claimed(ASKED, call("assign_table", {"guests": 2}, "t1"), asks, BYE)
    assert (found.claim.kind, found.turning_point) == ("missing argument", 1)
    again = (call("assign_table", {"guests": 2, "table_id": 4}, "t2"),
             answer("assign_table", {"ok": True}, "t2"))  # fmt: skip
    mended = claimed(ASKED, call("assign_table", {"guests": 2}, "t1"), asks, *again, BYE)
    assert on_record(mended) == []


def test_a_run_stopped_by_a_limit_has_no_turning_point_for_that():
    found = claimed(ASKED, *DONE, says("assistant", "Max rounds (30) reached.\nFINAL ANSWER: 4"))
    assert (found.claim.kind, found.turning_point) == ("stopped by a limit", None)
    assert "was stopped" in found.headline


@pytest.mark.parametrize(
    "words",
    ["Final answer: Tomb of the Unknown Soldier",
     "Your return's time limit has been exceeded, so I cannot refund it."],
)  # fmt: skip
def test_words_of_an_answer_are_no_end_of_the_run(words):
    found = claimed(ASKED, *DONE, says("assistant", words))
    assert found.claim is None or found.claim.kind not in ("gave up", "stopped by a limit")


def test_a_successful_run_is_told_of_only_where_it_is_asked_for():
    run = run_of(ASKED, *REFUSED, *DONE, BYE, success=True)
    quiet = diagnose(run)
    assert (quiet.turning_point, quiet.claim) == (None, None)
    assert quiet.headline.startswith("The run succeeded, but on record: step 1 calls book_boat and")
    three = [message for number in range(3) for message in failing(number, "Error: no dock")]
    looped = run_of(ASKED, *three, *DONE, BYE, success=True)
    assert diagnose(looped).turning_point is None
    assert diagnose(looped, claim=True).turning_point == 1


def test_a_fact_that_proves_nothing_blames_no_step_of_a_failed_run():
    found = diagnose(run_of(ASKED, *failing(1, "Error: no such dock"), BYE, success=False))
    assert on_record(found) == []
    assert found.ranking[0] == 1
    assert found.headline == (
        "The run failed. On record, though it need not be why: find_dock fails at step 1:"
        ' "Error: no such dock"; step 3 goes on with something else.'
    )
    assert found.recovery_hints


@pytest.mark.parametrize(
    "words", ["I could not find the dock.", "The search failed: no such dock.", "It was refused."]
)
def test_a_failure_that_the_last_words_tell_of_is_not_passed_over(words):
    run = run_of(ASKED, *failing(1, "Error: no such dock"), says("assistant", words), success=False)
    assert "something else" not in diagnose(run).headline


@pytest.mark.parametrize("words", ["All done.", "Done without errors.", "Nothing failed."])
def test_a_failure_that_the_last_words_deny_is_passed_over(words):
    run = run_of(ASKED, *failing(1, "Error: no such dock"), says("assistant", words), success=False)
    assert "goes on with something else" in diagnose(run).headline


def test_a_failed_run_without_a_fact_has_a_ranking_and_no_turning_point():
    found = diagnose(run_of(ASKED, *DONE, BYE, success=False))
    assert sorted(found.ranking) == [1, 3]
    assert (found.turning_point, found.recovery_hints) == (None, ())
    assert found.headline == "The run failed; nothing on record says at which step."
    assert "ranks first" in found.reason


def test_unlike_what_is_said():
    messages = [ASKED]
    for n in range(6):
        found = {"dock": f"D{n}70", "berths": n}
        messages += [call("find_dock", {"n": n}, f"x{n}"), answer("find_dock", found, f"x{n}")]
    found = diagnose(run_of(*messages, *DONE, BYE))
    assert found.unusual
    assert all(
        clause.startswith(
            (
                "unlike the other 7 steps of this run: ",
                "unlike what successful runs of other agents",
            )
        )
        for clause in found.unusual
    )


def test_the_region_is_no_larger_than_the_evidence_asks_for():
    found = diagnose(run_of(*chat_record()["messages"], success=False))
    assert found.turning_point in found.region
    assert len(found.region) <= 2


def crashing(words):
    return json.loads(words)


def test_an_exception_that_ends_the_program_is_named_with_its_line(tmp_path):
    @knitbone.tool
    def find_dock():
        return {"dock": 4}

    store = tmp_path / "runs.sqlite"
    with pytest.raises(json.JSONDecodeError), knitbone.trace(store=store) as traced:  # noqa: PT012
        find_dock()
        crashing("Sure, here it is: {")
    opened = SqliteStore(store)
    try:
        found = diagnose(opened.get(traced.id))
    finally:
        opened.close()
    assert (found.outcome, found.claim.kind) == ("failed", "crash")
    line = crashing.__code__.co_firstlineno + 1
    assert f"JSONDecodeError at test_claims.py:{line} in crashing" in found.headline.replace(
        "tests/tethering/", ""
    )
    assert "Expecting value" in found.headline
    assert found.turning_point == found.ranking[0]


def test_another_choice_where_the_choice_was_the_agents_is_no_claim():
    anything = says("user", "Book me a boat for Saturday, whichever is free.")
    assert claimed(anything, *REFUSED, *DONE, BYE).claim is None
