"""A small form of ``knitbone_evals.adapt.concurrency``: nothing hangs, next to nothing is left."""

import os

import pytest

from knitbone_evals.adapt.concurrency import render, run_worker

SECONDS = 240
LEFT = 50
"""On a machine busy with other tests a repair may run out of its time, and the answer stays as it
was: at most one in so many."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    "arguments",
    [
        ("forks", "--children", "10", "--seconds", "60"),
        ("threads", "--count", "20", "--calls", "10"),
        ("tasks", "--count", "40"),
        ("fresh",),
    ],
    ids=["forks", "threads", "tasks", "fresh"],
)
def test_none_hangs_and_every_answer_is_repaired(arguments):
    found = run_worker(arguments, SECONDS)
    assert (found["hung"], found["died"]) == (0, 0)
    assert found["left"] <= found["answers"] // LEFT
    assert found["right"] + found["left"] == found["answers"] > 0


def test_a_worker_that_does_not_end_counts_as_hung():
    found = run_worker(("tasks", "--count", "100000"), 0.5)
    assert found == {"hung": 1}
    assert "| 1 |" in render([{"what": "tasks", "load": 0, **found}])
