"""A small form of ``benchmarks.adapt.concurrency``: nothing hangs, nothing is left."""

import os

import pytest

from benchmarks.adapt.concurrency import render, run_worker

SECONDS = 240


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    "arguments",
    [
        ("forks", "--children", "10", "--seconds", "60"),
        ("threads", "--count", "20", "--calls", "10"),
        ("tasks", "--count", "40"),
    ],
    ids=["forks", "threads", "tasks"],
)
def test_none_hangs_and_every_answer_is_repaired(arguments):
    found = run_worker(arguments, SECONDS)
    assert (found["hung"], found["died"], found["left"]) == (0, 0, 0)
    assert found["right"] == found["answers"] > 0


def test_a_worker_that_does_not_end_counts_as_hung():
    found = run_worker(("tasks", "--count", "100000"), 0.5)
    assert found == {"hung": 1}
    assert "| 1 |" in render([{"what": "tasks", "load": 0, **found}])
