"""The budget counts the work of the thread, not what the machine does beside it."""

import time

import pytest

from knitbone.adaptation.repair import checks
from knitbone.adaptation.testing import (
    Deadline,
    Evidence,
    FunctionCheck,
    Group,
    Invocation,
    ScenarioRequirement,
    TextRule,
    conforming,
    judge,
)
from knitbone.config import AdaptConfig

pytestmark = pytest.mark.skipif(not hasattr(time, "thread_time"), reason="no time of a thread")


class Clocks:
    """The clock on the wall and that of the thread, in seconds."""

    def __init__(self, monkeypatch):
        self.wall = self.work = 100.0
        monkeypatch.setattr(checks.time, "perf_counter", lambda: self.wall)
        monkeypatch.setattr(checks, "_thread_time", lambda: self.work)

    def deadline(self, seconds):
        return Deadline(seconds, checks.time.perf_counter)

    def pass_by(self, wall, work):
        self.wall += wall
        self.work += work


@pytest.fixture
def clocks(monkeypatch):
    return Clocks(monkeypatch)


def test_a_busy_machine_leaves_as_much_work_as_an_idle_one(clocks):
    deadline = clocks.deadline(0.05)
    clocks.pass_by(0.02, 0.0)
    assert not deadline.expired  # counted from this look on
    for _ in range(9):
        clocks.pass_by(0.1, 0.005)
        deadline.check()
    clocks.pass_by(0.1, 0.01)
    assert deadline.expired
    with pytest.raises(TimeoutError, match="budget of 50 ms"):
        deadline.check()


def test_work_without_a_pause_is_counted_as_the_clock_goes(clocks):
    deadline = clocks.deadline(0.05)
    spent = 0.0
    while not deadline.expired:
        clocks.pass_by(0.001, 0.001)
        spent += 0.001
    assert 0.05 <= spent <= 0.055


def test_what_waits_is_ended_by_the_clock_on_the_wall(clocks):
    deadline = clocks.deadline(0.05)
    clocks.pass_by(0.05 * checks.WALL_FACTOR - 0.001, 0.0)
    assert not deadline.expired
    clocks.pass_by(0.06, 0.0)
    assert deadline.expired


def test_a_costlier_stage_gets_its_work_and_its_wall(clocks):
    deadline = clocks.deadline(0.05)
    clocks.pass_by(0.04, 0.0)
    deadline.check()
    clocks.pass_by(0.1, 0.04)
    deadline.extend(0.5)
    assert deadline.seconds == 0.5
    clocks.pass_by(5, 0.49)
    deadline.check()
    clocks.pass_by(0.02, 0.02)
    assert deadline.expired


def test_a_deadline_that_was_extended_before_it_was_looked_at_has_the_longer_time(clocks):
    deadline = clocks.deadline(0.05)
    deadline.extend(0.5)
    clocks.pass_by(5, 0.0)
    assert not deadline.expired
    clocks.pass_by(0.49, 0.49)
    assert not deadline.expired


def test_where_no_threads_time_is_counted_the_clock_alone_counts(clocks, monkeypatch):
    monkeypatch.setattr(checks, "_thread_time", lambda: clocks.wall)
    deadline = clocks.deadline(0.05)
    clocks.pass_by(0.002, 0)
    assert not deadline.expired
    clocks.pass_by(0.051, 0)
    assert deadline.expired


def test_a_check_that_is_kept_waiting_reads_the_answer_all_the_same():
    read = []

    @FunctionCheck
    def check(text, invocation):
        for _ in range(4):
            time.sleep(0.02)  # as a busy machine keeps it
            invocation.deadline.check()
        read.append(text)
        return conforming(text)

    evidence = Evidence(file="app.py", line=1, expression="text")
    asked = ScenarioRequirement(name="succinct_content", evidence=evidence)
    group = Group(stage=0, rules=(TextRule(asked, "redundant semantics", check),))
    decision = judge("some text", (group,), Invocation(AdaptConfig(budget_ms=30)))
    assert (read, decision.outcomes) == (["some text"], ())
