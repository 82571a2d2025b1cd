"""The task list sample, over the wire, through the real client."""

import subprocess
import sys

import pytest

pytest.importorskip("openai")

from openai import OpenAI

from knitbone.adaptation import report
from knitbone.adaptation.testing import forget_counts
from knitbone.samples.tasklist.answers import CASES
from knitbone.samples.tasklist.app import parse_tasks, plan, run
from knitbone.testing import ModelServer


@pytest.fixture(scope="module")
def answered():
    """Every case through the application, with what became of its answer."""
    forget_counts()
    outcomes = {}
    with ModelServer([case.answer for case in CASES]) as server:
        client = OpenAI(base_url=server.base_url, api_key="unused")
        for case in CASES:
            tasks = tuple(task.name for task in plan(client, "open a cafe"))
            (counts,) = report().sites
            now = {name: getattr(counts, name) for name in ("conforming", "repaired", "refused")}
            outcomes[case.name] = (tasks, now)
        client.close()
    return outcomes


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_application_ends_up_with_the_tasks_a_person_reads(answered, case):
    assert answered[case.name][0] == case.tasks


def test_each_answer_has_the_outcome_that_is_promised(answered):
    expected = {"conforming": 0, "repaired": 0, "refused": 0}
    for case in CASES:
        expected[case.outcome] += 1
        assert answered[case.name][1] == expected, case.name
    assert len(CASES) >= 25


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_without_adapt_exactly_the_repaired_ones_fail_silently(case):
    unaided = tuple(task.name for task in parse_tasks(case.answer))
    assert (unaided != case.tasks) == (case.outcome == "repaired")


def test_the_whole_agent_plans_orders_and_works(monkeypatch):
    def reply(body):
        prompt = body["messages"][-1]["content"]
        if prompt.startswith("List"):
            return "1) Rest\n2) Work"
        return "1: Work\n2: Rest" if prompt.startswith("Put") else "done"

    with ModelServer(reply) as server:
        client = OpenAI(base_url=server.base_url, api_key="unused")
        results = run(client, "a good day")
        client.close()
    assert results == [("Work", "done"), ("Rest", "done")]


def test_the_command_prints_the_plan():
    with ModelServer("1) Find a place\n2 - Open") as server:
        done = subprocess.run(
            [sys.executable, "-m", "knitbone.samples.tasklist", "a cafe",
             "--base-url", server.base_url, "--api-key", "unused"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert done.stdout == "1. Find a place\n2. Open\n"
