"""What is a loop, and what only looks like one."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from knitbone.tethering.supervision.checks.loop import LoopCheck
from knitbone.tethering.supervision.records import ReturnedCall
from knitbone.tethering.supervision.settings import SupervisionSettings


def call(tool="search", result="nothing", error=None, **arguments):
    return ReturnedCall(tool=tool, arguments=arguments, result=result, error=error)


def kinds(calls, **settings):
    """The kind noticed at each call, ``None`` for nothing."""
    check = LoopCheck(SupervisionSettings(**settings))
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
    assert found[: 3 * length - 1] == [None] * (3 * length - 1)
    assert found[-1] == "cycle of calls"


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
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
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
    check = LoopCheck(SupervisionSettings())
    seen = []
    for step in range(6):
        signal = check.tool_returned(call(), step)
        seen.append(signal is not None)
        if signal:
            check.nudged()
    assert seen == [False, False, True, False, False, True]


def test_the_same_words_without_a_call_between_are_a_monologue():
    check = LoopCheck(SupervisionSettings())
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
    check = LoopCheck(SupervisionSettings())
    for step in range(3):
        check.tool_returned(hostile, step)
