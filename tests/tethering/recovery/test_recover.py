"""``knitbone.recover``: attempts, verdicts, endings, memory, resuming."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hangs import no_hang

from knitbone.errors import KnitboneError
from knitbone.record.events import Outcome
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.recovery.api import recover, recover_async
from knitbone.tethering.recovery.budget import RecoveryBudget
from knitbone.tethering.recovery.judgements import Judgement

TASK = "count the beans"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


class Counter:
    """An agent that succeeds at the attempt of this number; it uses no model and no tool."""

    def __init__(self, succeeds_at: int) -> None:
        self.made = 0
        self.resets = 0
        self._succeeds_at = succeeds_at

    def __call__(self, task: str) -> bool:
        assert task == TASK
        self.made += 1
        return self.made > self._succeeds_at

    def reset(self) -> None:
        self.resets += 1


def blind(agent: Any, succeeded: Any = bool, **settings: Any) -> Any:
    return recover(agent, TASK, succeeded, strategy="blind", store="runs.db", **settings)


def test_an_agent_that_succeeds_runs_once():
    agent = Counter(0)
    recovery = blind(agent)
    assert recovery.success
    assert not recovery.repaired
    assert agent.made == 1


def test_it_is_repeated_until_it_succeeds():
    agent = Counter(2)
    recovery = blind(agent, reset=agent.reset)
    assert recovery.repaired
    assert [attempt.success for attempt in recovery.attempts] == [False, False, True]
    assert agent.resets == 2


def test_it_is_given_up_after_the_repairs():
    agent = Counter(99)
    recovery = blind(agent, max_repairs=2)
    assert recovery.ending == "repairs spent"
    assert agent.made == 3


def test_each_attempt_is_a_recorded_run_with_its_verdict():
    recovery = blind(Counter(1), lambda value: Judgement(success=value, reason="as counted"))
    store = SqliteStore("runs.db")
    try:
        runs = [store.get(attempt.run or "") for attempt in recovery.attempts]
    finally:
        store.close()
    verdicts = [run.outcome for run in runs]
    assert [(v.success, v.reason) for v in verdicts if isinstance(v, Outcome)] == [
        (False, "as counted"),
        (True, "as counted"),
    ]
    assert [run.task for run in runs] == [TASK, TASK]


def test_an_agent_that_raises_has_failed_and_is_repeated():
    made: list[int] = []

    def agent(task: str) -> str:
        made.append(1)
        if len(made) == 1:
            raise ValueError("no beans")
        return task

    recovery = blind(agent, lambda _: True)
    assert recovery.repaired
    assert "ValueError: no beans" in recovery.attempts[0].reason


@pytest.mark.parametrize("raises", [True, False])
def test_a_secret_in_a_reason_is_shown_told_and_kept_nowhere(raises: bool):
    secret = "sk-proj-" + "a9Kq2Lw7Zr4Tb6Yc" * 3
    said: list[str] = []

    def agent(_task: str, supervised: Any) -> str:
        said.append(str(supervised.guided([{"role": "user", "content": TASK}])))
        if raises:
            raise ValueError(f"401 for key {secret}")
        return ""

    def check(_answer: str) -> Judgement:
        return Judgement(success=False, reason=f"401 for key {secret}")

    def look(_event: object) -> None:
        kept = b"".join(path.read_bytes() for path in Path().rglob("*") if path.is_file())
        assert secret.encode() not in kept

    recovery = recover(
        agent, TASK, check, strategy="outcome", store="runs.db", max_repairs=1, listener=look
    )
    assert "401 for key" in said[1]
    assert secret not in said[1]
    assert secret not in str(recovery)
    assert Path(".knitbone/.gitignore").exists()


def test_without_a_verdict_nothing_is_repeated():
    agent = Counter(0)
    for check in (None, lambda _: None):
        assert blind(agent, check).ending == "no verdict"
    assert agent.made == 2


def test_a_check_that_raises_is_no_verdict():
    def check(_value: object) -> bool:
        raise LookupError("no such state")

    recovery = blind(Counter(0), check)
    assert recovery.ending == "no verdict"
    assert "LookupError: no such state" in recovery.reason


@pytest.mark.parametrize("given", ["failed", 1, 0.0, {"success": True}])
def test_a_verdict_that_is_no_truth_value_is_an_error(given: object):
    with pytest.raises(KnitboneError, match="success check gave"):
        blind(Counter(0), lambda _: given)


def test_a_check_may_ask_for_the_run():
    seen: list[Any] = []

    def check(value: bool, run: Any) -> bool:
        seen.append(run.task)
        return value

    blind(Counter(0), check)
    assert seen == [TASK]


def test_a_reset_that_fails_ends_it():
    def reset() -> None:
        raise OSError("disk is gone")

    recovery = blind(Counter(9), reset=reset)
    assert recovery.ending == "reset failed"
    assert "disk is gone" in recovery.reason
    assert len(recovery.attempts) == 1


def test_an_agent_that_never_returns_is_left():
    leave = threading.Event()
    try:
        recovery = blind(
            lambda _: leave.wait(30), budget=RecoveryBudget(attempt_seconds=0.2), max_repairs=3
        )
    finally:
        leave.set()
    assert recovery.ending == "still running"
    assert len(recovery.attempts) == 1


def test_a_coroutine_that_never_returns_is_cancelled_and_repeated():
    made: list[int] = []

    async def agent(task: str) -> str:
        made.append(1)
        if len(made) == 1:
            await asyncio.sleep(60)
        return task

    with no_hang():
        recovery = blind(agent, lambda _: True, budget=RecoveryBudget(attempt_seconds=0.2))
        assert recovery.repaired


def test_all_attempts_share_a_budget():
    def agent(_task: str) -> bool:
        time.sleep(0.15)
        return False

    recovery = blind(agent, max_repairs=50, budget=RecoveryBudget(seconds=0.4))
    assert recovery.ending in ("budget spent", "still running")
    assert len(recovery.attempts) < 6


def test_within_a_loop_coroutines_are_awaited():
    async def main() -> Any:
        async def agent(task: str) -> str:
            await asyncio.sleep(0)
            return task

        async def check(value: str) -> bool:
            await asyncio.sleep(0)
            return value == TASK

        return await recover_async(agent, TASK, check, strategy="blind", store="runs.db")

    assert asyncio.run(main()).success


def test_a_coroutine_within_a_loop_is_refused_by_the_synchronous_call():
    async def agent(task: str) -> str:
        return task

    async def main() -> None:
        blind(agent)

    with pytest.raises(KnitboneError, match="event loop runs"):
        asyncio.run(main())


def test_an_interrupt_passes_and_the_run_is_closed():
    def agent(_task: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        blind(agent)
    store = SqliteStore("runs.db")
    try:
        assert [summary.ended_ns is not None for summary in store.list()] == [True]
    finally:
        store.close()


def test_an_interrupted_attempt_counts_as_failed_when_resumed():
    def dies(_task: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        blind(dies)
    agent = Counter(0)
    recovery = blind(agent, reset=agent.reset, resume=True)
    assert recovery.repaired
    assert [attempt.number for attempt in recovery.attempts] == [0, 1]
    assert "interrupted" in recovery.attempts[0].reason
    assert agent.resets == 1
    assert not list(Path(".knitbone/recover").glob("*.jsonl"))


def test_what_was_interrupted_and_is_begun_anew_is_said_and_kept(caplog):
    def dies(_task: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        blind(dies)
    agent = Counter(0)
    with caplog.at_level(logging.WARNING, logger="knitbone"):
        recovery = blind(agent, reset=agent.reset)
    assert [attempt.number for attempt in recovery.attempts] == [0]
    assert "was interrupted before" in caplog.text
    (kept,) = Path(".knitbone/recover").glob("*.interrupted")
    assert b'"began":0' in kept.read_bytes()
    caplog.clear()
    blind(Counter(0), reset=lambda: None)
    assert not caplog.text, "a recovery that ended leaves nothing to say"


def test_two_recoveries_of_one_task_at_once_have_journals_of_their_own():
    inner = []

    def agent(task: str) -> str:
        if not inner:
            inner.append(None)
            inner[0] = blind(Counter(0), reset=lambda: None)
            assert len(list(Path(".knitbone/recover").glob("*.jsonl"))) == 1
        return ""

    outer = blind(agent, reset=lambda: None, max_repairs=1)
    assert inner[0].success
    assert [attempt.number for attempt in outer.attempts] == [0, 1]
    assert not list(Path(".knitbone/recover").glob("*.jsonl"))


def test_a_second_interruption_forgets_no_attempt():
    def dies(_task: str) -> None:
        raise KeyboardInterrupt

    for resume in (False, True):
        with pytest.raises(KeyboardInterrupt):
            blind(dies, reset=lambda: None, resume=resume)
    recovery = blind(Counter(0), reset=lambda: None, resume=True)
    assert [attempt.number for attempt in recovery.attempts] == [0, 1, 2]


def test_an_interrupted_run_that_is_gone_needs_a_reset():
    def dies(_task: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        blind(dies)
    store = SqliteStore("runs.db")
    try:
        store.purge(store.ids()[0])
    finally:
        store.close()
    agent = Counter(0)
    recovery = blind(agent, resume=True)
    assert recovery.ending == "state changed"
    assert agent.made == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_repairs": -1}, "max_repairs=-1"),
        ({"max_repairs": True}, "max_repairs=True"),
        ({"supervise": "maybe"}, "supervise='maybe'"),
        ({"reset": "module:reset"}, "reset='module:reset'"),
    ],
)
def test_a_wrong_argument_is_said_before_the_agent_runs(settings: Any, message: str):
    agent = Counter(0)
    with pytest.raises(KnitboneError, match=message):
        blind(agent, **settings)
    assert agent.made == 0


def test_an_unknown_strategy_names_the_known_ones():
    with pytest.raises(KnitboneError, match="'blnd'") as raised:
        recover(Counter(0), TASK, bool, strategy="blnd", store="runs.db")
    assert "post-run" in str(raised.value)


def test_a_strategy_may_be_an_object():
    class Own:
        name = "own"
        supervises = False

        def __init__(self) -> None:
            self.failed: list[str] = []

        def guidance(self, failed: Any) -> Guidance:
            self.failed.append(failed.task)
            return Guidance(task=failed.key, run="", text="Count twice.")

        def shown(self, guidance: Guidance, run: str) -> None: ...

        def judged(self, guidance: Guidance, run: Any, *, success: bool) -> None: ...

    own = Own()
    told: list[Any] = []

    def agent(_task: str, supervised: Any) -> bool:
        told.append(supervised.guided([{"role": "user", "content": TASK}]))
        return len(told) > 1

    assert recover(agent, TASK, bool, strategy=own, store="runs.db").repaired
    assert own.failed == [TASK]
    assert "Count twice." not in str(told[0])
    assert "Count twice." in str(told[1])
