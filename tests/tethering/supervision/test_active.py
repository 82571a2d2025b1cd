import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import knitbone
from knitbone.record.recorder import current_recorder
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.supervision.active import (
    Supervised,
    carry_supervised,
    current,
    supervised,
    unsupervised,
)


class Judge:
    """Stands in for the supervisor: says one thing behind each result and to each answer."""

    def __init__(self, said=" [open]", mode="on"):
        self.mode = mode
        self.said = said
        self.calls = []
        self.inside = []

    def tool_returned(self, call):
        self.calls.append(call)
        self.inside.append(current())
        return self.said

    def text_answered(self, text):
        self.calls.append(text)
        return self.said


def test_a_block_is_a_supervised_run_and_ends_with_it():
    assert current() is None
    with supervised(supervisor=Judge()) as run:
        assert current() is run
        with supervised(supervisor=Judge()) as inner:
            assert current() is inner
        assert current() is run
    assert current() is None


@pytest.mark.parametrize(
    "settings", [{}, {"guidance": Guidance(task="t", run="")}, {"supervisor": Judge(mode="off")}]
)
def test_nothing_to_do_is_no_run(settings):
    with supervised(supervisor=Judge()), supervised(**settings) as run:
        assert current() is None
        messages = [{"role": "user", "content": "Deposit."}]
        assert run.guided(messages) is messages


def test_the_switch_for_everything_switches_supervision_off(monkeypatch):
    monkeypatch.setenv("KNITBONE_DISABLED", "1")
    with supervised(supervisor=Judge()) as run:
        assert current() is None
        assert run.tool_returned("pay", {}, "paid") == "paid"


@pytest.mark.parametrize(
    ("result", "seen"),
    [
        ("paid", "paid [open]"),
        (None, " [open]"),
        ({"paid": 3}, '{"paid":3} [open]'),
        (
            [{"type": "text", "text": "paid"}],
            [{"type": "text", "text": "paid"}, {"type": "text", "text": " [open]"}],
        ),
        ([1, 2], "[1,2] [open]"),
        ("\ud800", "\ud800 [open]"),
    ],
)
def test_a_correction_stands_behind_the_result(result, seen):
    run = Supervised(supervisor=Judge())
    assert run.tool_returned("pay", {"to": "Ann"}, result, call_id="c1") == seen


def test_a_result_without_a_correction_is_the_same_object():
    result = {"paid": 3}
    assert Supervised(supervisor=Judge(None)).tool_returned("pay", {}, result) is result
    assert Supervised().tool_returned("pay", {}, result) is result


def test_an_answer_is_accepted_or_sent_back():
    assert Supervised(supervisor=Judge("Go on.")).text_answered("Done.") == "Go on."
    assert Supervised(supervisor=Judge(None)).text_answered("Done.") is None
    assert Supervised().text_answered("Done.") is None


class Broken(Judge):
    def tool_returned(self, call):
        raise RuntimeError

    def text_answered(self, text):
        raise RuntimeError


def test_an_error_of_the_supervisor_reaches_nobody():
    run = Supervised(supervisor=Broken())
    assert run.tool_returned("pay", {}, "paid") == "paid"
    assert run.text_answered("Done.") is None


def test_what_the_supervisor_does_itself_is_not_supervised():
    judge = Judge()
    with supervised(supervisor=judge) as run:
        run.tool_returned("pay", {}, "paid")
        assert judge.inside == [None]
        with unsupervised():
            assert current() is None
        assert current() is run


def test_tasks_keep_apart():
    async def agent(number):
        with supervised(supervisor=Judge(str(number))) as run:
            await asyncio.sleep(0)
            assert current() is run
            inner = await asyncio.to_thread(current)
            assert inner is run

    async def both():
        await asyncio.gather(agent(1), agent(2))
        assert current() is None

    asyncio.run(both())


def test_threads_and_pools_are_part_of_the_run_that_starts_them():
    seen = []
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()  # its worker is older than the run
        with supervised(supervisor=Judge()) as run:
            thread = threading.Thread(target=lambda: seen.append(current()))
            thread.start()
            thread.join()
            assert pool.submit(current).result() is run
            pool.submit(carry_supervised(lambda: seen.append(current()))).result()
        assert pool.submit(current).result() is None
    assert seen == [run, run]


@pytest.mark.parametrize("outer", ["recording", "supervision"])
def test_a_thread_is_part_of_a_recording_and_of_a_supervised_run(tmp_path, outer):
    def agent():
        assert current() is not None
        assert current_recorder() is not None
        seen.append(True)

    seen = []
    blocks = [knitbone.trace(store=tmp_path / "runs.sqlite"), supervised(supervisor=Judge())]
    if outer == "supervision":
        blocks.reverse()
    with blocks[0], blocks[1]:
        thread = threading.Thread(target=agent)
        thread.start()
        thread.join()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(agent).result()
    assert seen == [True, True]
    assert "run" not in vars(thread)


def test_an_answer_that_a_hook_had_judged_is_not_judged_again():
    judge = Judge(None)
    run = Supervised(supervisor=judge)
    run.ledger.judged_text("Done.")
    assert run.text_answered("Done.") is None
    assert judge.calls == []
    run.text_answered("Done.")
    assert judge.calls == ["Done."]
