"""The case of AgentTether's first figure, over OpenAI's client, with a *simulated* model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openai
import pytest

import knitbone
from knitbone.record.events import Intervention
from knitbone.record.sqlite_store import SqliteStore
from knitbone.samples import bank_teller
from knitbone.testing import ModelServer
from knitbone.tethering.guidance.memory import RepairMemory
from knitbone.tethering.recovery.records import AttemptBegan, AttemptEnded


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)


class Branch(bank_teller.Teller):
    """The counter of the samples, and its agent over a real client."""

    def __init__(self, client: openai.OpenAI) -> None:
        super().__init__()
        self._client = client

    def __call__(self, task: str) -> str:
        return bank_teller.serve(self._client, self.bank, task)


@pytest.fixture
def branch():
    with (
        ModelServer(bank_teller.teller_model) as server,
        openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client,
    ):
        yield Branch(client)


@pytest.mark.parametrize("strategy", ["post-run", "full"])
def test_the_case_of_the_first_figure_is_repaired_at_the_first_repair(
    branch: Branch, strategy: str
):
    events: list[Any] = []
    recovery = knitbone.recover(
        branch, bank_teller.TASK, branch.succeeded, strategy=strategy, reset=branch.reset,
        store="runs.db", listener=events.append,
    )  # fmt: skip
    assert [attempt.success for attempt in recovery.attempts] == [False, True]
    told = recovery.attempts[1].guidance
    assert told is not None
    assert "check_amount" in told.text
    assert "25" not in told.text
    assert recovery.attempts[1].steps < recovery.attempts[0].steps
    assert [type(event) for event in events] == [AttemptBegan, AttemptEnded] * 2


@pytest.mark.parametrize("strategy", ["blind", "outcome"])
def test_it_is_not_repaired_without_a_diagnosis(branch: Branch, strategy: str):
    recovery = knitbone.recover(
        branch, bank_teller.TASK, branch.succeeded, strategy=strategy, reset=branch.reset,
        store="runs.db", max_repairs=1,
    )  # fmt: skip
    assert recovery.ending == "repairs spent"


def test_what_changed_state_is_not_repeated_without_a_reset(branch: Branch):
    recovery = knitbone.recover(branch, bank_teller.TASK, branch.succeeded, store="runs.db")
    assert recovery.ending == "state changed"
    assert "deposit_check" in recovery.reason
    assert len(recovery.attempts) == 1


def test_the_memory_holds_what_was_put_right(branch: Branch):
    recovery = knitbone.recover(
        branch, bank_teller.TASK, branch.succeeded, reset=branch.reset, store="runs.db"
    )
    memory = RepairMemory.open("runs.db")
    try:
        states = {entry.directive.family: entry.state for entry in memory.entries(recovery.task)}
    finally:
        memory.close()
    assert states["deposit check"] == "fixed"


def test_every_decision_is_in_the_record(branch: Branch):
    recovery = knitbone.recover(
        branch, bank_teller.TASK, branch.succeeded, reset=branch.reset, store="runs.db"
    )
    store = SqliteStore("runs.db")
    try:
        runs = [store.get(attempt.run or "") for attempt in recovery.attempts]
    finally:
        store.close()
    decided = [[e for e in run.events if isinstance(e, Intervention)] for run in runs]
    assert decided[0] == []
    assert len(decided[1]) >= 7
