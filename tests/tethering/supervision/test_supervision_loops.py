"""What is a loop, and what only looks like one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.config import SupervisionSettings
from knitbone.tethering.supervision.checks.loop import LoopCheck
from knitbone.tethering.supervision.engine import Supervisor
from knitbone.tethering.supervision.records import ReturnedCall
from knitbone.tethering.supervision.risk import ToolRisks


def call(tool="search", result="nothing", error=None, **arguments):
    return ReturnedCall(tool=tool, arguments=arguments, result=result, error=error)


def kinds(calls, task="", **figures):
    """The kind noticed at each call, ``None`` for nothing."""
    check = LoopCheck(SupervisionSettings(**figures), ToolRisks(), task)
    signals = [check.tool_returned(each, step) for step, each in enumerate(calls)]
    return [signal and signal.kind for signal in signals]


def test_the_third_equal_call_with_an_equal_result_is_a_loop():
    assert kinds([call(q="a")] * 4) == [None, None, *["same call and result"] * 2]


def test_the_third_equal_error_is_a_loop():
    calls = [call("deposit_check", None, "ValueError: amount is missing", account="A")] * 3
    assert kinds(calls) == [None, None, "same call and error"]


@pytest.mark.parametrize("length", [2, 3, 4])
def test_cycles_of_calls_are_loops_from_the_third_round_on(length):
    cycle = [call(result=f"r{n}", q=f"q{n}") for n in range(length)]
    found = kinds(cycle * 3)
    assert found[: 2 * length] == [None] * (2 * length)
    assert found[2 * length :] == ["nothing new"] * (length - 1) + ["cycle of calls"]


def test_a_cycle_of_five_calls_is_not_looked_for():
    assert not any(kinds([call(q=n) for n in range(5)] * 4))


def test_changing_results_are_polling():
    assert not any(kinds([call("get_status", f"{n} of 20 done", job=7) for n in range(20)]))


def test_changing_arguments_are_paging_whatever_the_answers():
    assert not any(kinds([call("list_items", "[]", page=n) for n in range(20)]))


def test_attaching_three_files_with_equal_answers_is_no_loop():
    names = [f"3f2504e0-4f89-41d3-9a0c-0305e82c330{n}" for n in range(3)]
    assert not any(kinds([call("attach", "ok", file=name) for name in names]))


def test_clocks_and_nonces_tell_neither_calls_nor_results_apart():
    start = datetime(2026, 1, 1, tzinfo=UTC)
    calls = [
        call(
            result={"found": [], "took_ms": n, "fetched_at": str(start + timedelta(seconds=n))},
            q="a", request_id=f"r-{n}", timestamp=1_000 + n,
        )
        for n in range(3)
    ]  # fmt: skip
    assert kinds(calls) == [None, None, "same call and result"]


def test_arguments_compare_whatever_the_order_of_their_names():
    calls = [call(a=1, b=2), call(b=2, a=1), call(a=1, b=2)]
    assert kinds(calls)[-1] == "same call and result"


def test_work_under_way_may_be_asked_for_more_often():
    found = kinds([call("get_job", {"status": "running"}, id=4)] * 10)
    assert found[:9] == [None] * 9
    assert found[9] == "same call and result"


def test_a_tool_has_its_own_limit_and_none_at_zero():
    assert kinds([call("wait")] * 5, loop_limits={"wait": 5})[-2:] == [None, "same call and result"]
    assert not any(kinds([call("wait")] * 30, loop_limits={"wait": 0}))


def test_a_nudge_clears_the_window():
    check = LoopCheck(SupervisionSettings(), ToolRisks())
    seen = []
    for step in range(6):
        signal = check.tool_returned(call(), step)
        seen.append(signal is not None)
        if signal:
            check.nudged()
    assert seen == [False, False, True, False, False, True]


def test_the_same_words_without_a_call_between_are_a_monologue():
    check = LoopCheck(SupervisionSettings(), ToolRisks())
    texts = ["I will look into it.", "I will  look into it.", "i will look into it."]
    assert [bool(check.text_answered(text, 0)) for text in texts] == [False, False, True]
    check.nudged()
    for step in range(6):
        assert check.text_answered("I will look into it.", step) is None
        check.tool_returned(call(q=step), step)


@pytest.mark.parametrize(
    "hostile",
    [
        ReturnedCall(tool="", arguments=None, result=None),
        ReturnedCall(tool="x", arguments=[{1: object()}], result=object()),
        ReturnedCall(tool="x", arguments="\ud800", result="\ud800", error="\ud800"),
        ReturnedCall(tool="x", arguments={"a": float("nan")}, result=float("inf")),
    ],
)
def test_the_loop_check_reads_any_call(hostile):
    check = LoopCheck(SupervisionSettings(), ToolRisks())
    for step in range(3):
        check.tool_returned(hostile, step)


def test_a_clock_that_was_asked_for_is_news():
    times = [{"last_seen": f"2026-01-01T10:00:0{n}Z"} for n in range(6)]
    assert not any(kinds([call("get_clock", time) for time in times]))
    assert not any(kinds([call("get_clock", f"10:00:0{n}") for n in range(6)]))


def test_clocks_fractions_and_reference_numbers_beside_an_answer_are_none():
    answers = [f"Refused at 10:00:0{n} after 0.0{n}s (ref A{n}-77{n})" for n in range(3)]
    assert kinds([call("read", answer) for answer in answers])[-1] == "same call and result"


@pytest.mark.parametrize(
    "answers",
    [
        [f"{n} lines left" for n in range(9, 0, -1)],
        [{"page": f"item-{n}"} for n in range(9)],
        ["a", "b", "c", "d"],
    ],
)
def test_numbers_and_words_of_a_result_are_news(answers):
    assert not any(kinds([call("advance", answer) for answer in answers]))


def test_no_number_of_an_error_is_news():
    errors = [f"2026-01-01 10:0{n}:11 [20{n}17] ERROR: no column at {n}" for n in range(3)]
    assert kinds([call("sql", None, error) for error in errors])[-1] == "same call and error"
    named = [f"there is no {thing}" for thing in ("table", "column", "row")]
    assert not any(kinds([call("sql", None, error) for error in named]))


def test_white_space_and_cache_busters_are_no_other_arguments():
    queries = ["SELECT  a FROM b ;", "SELECT a\nFROM b;", " SELECT a FROM b;"]
    assert kinds([call(sql=query) for query in queries])[-1] == "same call and result"
    pages = [f"https://shop.example/p?_=17358102{n}&id=4" for n in range(3)]
    assert kinds([call(url=page) for page in pages])[-1] == "same call and result"
    numbered = [f"https://shop.example/p?page={n}" for n in range(9)]
    assert not any(kinds([call(url=page) for page in numbered]))


def test_the_count_of_changes_is_news_of_a_read_and_none_of_a_write():
    teams = ["network", "workplace"] * 3
    writes = [
        call("update_ticket", {"team": team, "revision": n}, team=team)
        for n, team in enumerate(teams)
    ]
    assert kinds(writes)[-1] == "cycle of calls"
    reads = [call("get_document", {"revision": n}, id=4) for n in range(9)]
    assert not any(kinds(reads))


def undone(n):
    line = f"ln_88{n}20"
    return [
        call("add_to_cart", {"line": line, "notice": "adjusted"}, sku="GPU-5080", quantity=3),
        call("get_cart", {"lines": [{"id": line, "quantity": 2}]}),
        call("remove_line", {"ok": True}, line=line),
    ]


def test_laps_that_take_back_what_they_made_are_a_cycle():
    calls = [each for n in range(3) for each in undone(n)]
    found = kinds(calls)
    assert found[:8] == [None] * 8
    assert found[8] == "cycle of calls"


def test_laps_over_the_items_of_a_queue_are_none():
    calls = [
        each
        for n in range(6)
        for each in (
            call("next_ticket", {"id": f"T-88{n}"}),
            call("answer_ticket", "ok", id=f"T-88{n}"),
        )
    ]
    assert not any(kinds(calls))


def test_a_pause_between_two_looks_allows_more_of_them():
    looks = [call("wait", "ok", seconds=60), call("asset", {"state": "encoding"})] * 9
    assert not any(kinds(looks))
    commands = [call("shell", "", cmd="sleep 30"), call("asset", {"left": 4})] * 9
    assert not any(kinds(commands))


def test_talk_that_says_nothing_new_is_a_monologue():
    check = LoopCheck(SupervisionSettings(), ToolRisks())
    texts = [
        "I'll open a ticket for the broken reader at door B2.",
        "Now I am going to open the ticket for the reader at door B2.",
        "Let me open that ticket: broken reader, door B2.",
    ]
    assert [bool(check.text_answered(text, 0)) for text in texts] == [False, False, True]


def test_asking_for_one_thing_after_another_is_no_monologue():
    check = LoopCheck(SupervisionSettings(), ToolRisks())
    texts = [
        "Could you please give me your user name?",
        "Thank you. Could you please give me the number of the reservation?",
        "Could you please tell me the reason of the cancellation?",
        "Your reservation leaves from Boston. Could you please confirm the new date?",
    ]
    assert not any(check.text_answered(text, step) for step, text in enumerate(texts))


def test_an_answer_to_somebody_who_insists_is_no_monologue():
    refusal = "I am sorry, but the policy allows no refund."
    supervisor = Supervisor("t", settings=SupervisionSettings(loops_without_guidance=True))
    assert not any(supervisor.text_answered(refusal) for _ in range(6))
    assert [bool(supervisor.text_answered(refusal, alone=True)) for _ in range(3)] == [
        False, True, False,
    ]  # fmt: skip


PAGES = '[{"title": "Travel policy (archived)"}, {"title": "Corporate card questions and answers"}]'
QUERIES = (
    "per diem Switzerland", "Switzerland daily allowance", "daily allowance rate for employees",
    "travel allowance employees", "allowance swiss travel",
)  # fmt: skip
REFUSED = "Error from server (Forbidden): User ci-bot cannot create resource cronjobs here"
COMMANDS = (
    "apply -f cron.yaml",
    "apply -n ops -f cron.yaml",
    "create -f cron.yaml",
    "apply --force",
)
SCHEDULES = st.permutations(range(4))


@given(order=SCHEDULES)
@settings(max_examples=20, deadline=None)
def test_other_words_for_one_wish_with_one_answer_bring_nothing_new(order):
    asked = [call("search", PAGES, query=QUERIES[k]) for k in (0, 1, *order)]
    assert "nothing new" in kinds(asked)
    refused = [call("kubectl", REFUSED, "exit status 1", command=COMMANDS[k]) for k in (*order, 0)]
    assert "nothing new" in kinds(refused)


@given(order=SCHEDULES, answer=st.sampled_from([PAGES, REFUSED, "ok", "[]"]))
@settings(max_examples=20, deadline=None)
def test_one_answer_for_one_thing_after_another_is_no_loop(order, answer):
    names = ("Anna Berg", "Carl Ek", "Dora Falk", "Emil Graf")
    days = [f"tables on 2026-05-0{n} for two" for n in (*order, 4, 5)]
    assert not any(kinds([call("find_member", answer, name=names[k]) for k in order]))
    assert not any(kinds([call("search", answer, query=day) for day in days]))
    rooms = [call("members", answer, "exit status 1", room=f"room-{n}", of="all") for n in order]
    assert not any(kinds(rooms))


def swing(answers, edits):
    """Runs with an edit between two, each of which mends one fault and makes another."""
    calls = []
    for answer, edit in zip(answers, edits, strict=True):
        calls += [call("bash", answer, "exit status 1", command="pytest -q")]
        calls += [call("edit", "The file has been updated.", path="a.py", new=edit)]
    return kinds(calls)


def test_edits_that_undo_each_other_bring_nothing_new():
    errors = ["expected a list but got None instead", "cannot iterate over a list of None"]
    assert "nothing new" in swing(errors * 4, ["[]", "None"] * 4)
    assert not any(swing([errors[0]] * 6, [f"try_{n}" for n in range(6)]))  # each edit is another


def test_a_call_that_goes_on_by_itself_is_no_loop():
    lines = [
        "-> for item in the list of items of this cart",
        "-> the sum grows by the item's price",
    ]
    assert not any(kinds([call("debugger", lines[n % 2], input="n") for n in range(12)]))


def test_what_is_printed_beside_an_exit_status_is_part_of_an_error():
    conflicts = [f"CONFLICT in api.md\nerror: could not apply {h}" for h in ("10a", "77b", "c2d")]
    steps = [
        each
        for told in conflicts
        for each in (
            call("bash", told, "exit status 1", command="git rebase --continue"),
            call("resolve", "1 hunk resolved", file="api.md"),
        )
    ]
    assert not any(kinds(steps))
    named = [f"there is no {thing}" for thing in ("table", "column", "row", "view")]
    assert not any(kinds([call("bash", told, "exit status 1", command="x") for told in named]))


@pytest.mark.parametrize(
    "task",
    [
        "Run the parse benchmark five times and give me the median.",
        "Delete the old rows in batches of 10000.",
        "Poll the job until it is done.",
        "Read the sensor every 10 minutes.",
    ],
)
def test_what_the_task_asks_for_again_and_again_is_no_loop(task):
    assert kinds(six := [call("buy", "ok", amount=25)] * 6, "Buy six gift cards.") == [None] * 6
    assert kinds(six * 2, "Buy six gift cards.").index("same call and result") == len(six)
    calls = [call("sql", "Query OK, 10000 rows affected", q="DELETE ... LIMIT 10000")] * 5
    assert not any(kinds(calls, task=task))
    assert any(kinds(calls, task="Delete the old rows."))
    assert any(kinds(calls * 3, task=task))
