"""Workers, each for one tool: ``trial`` for the fuzzer, ``worker`` for the baseline."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Literal

import msgspec

from knitbone_evals.fuzz.reports import Report, Task

__all__ = ["TREATMENTS", "Treatment", "reports"]

Treatment = Literal["knitbone", "baseline"]
TREATMENTS: dict[Treatment, str] = {
    "knitbone": "knitbone_evals.fuzz.trial",
    "baseline": "knitbone_evals.fuzz.worker",
}
_SECONDS_A_CALL = 0.3
_START = 600.0
"""Seconds a worker may take beside its calls: to start, to end hangs, to minimise."""


def reports(
    treatment: Treatment,
    tasks: Iterable[Task],
    *,
    processes: int = 1,
    python: str = sys.executable,
) -> Iterator[Report]:
    """Run each task in a worker of its own, and give the reports in order.

    A worker that dies or does not end is told of in ``Report.problem``.

    Args:
        processes: How many workers there are at a time.
        python: Interpreter of the workers, which has what the tools need.
    """
    with ThreadPoolExecutor(processes) as pool:
        yield from pool.map(partial(_work, python, TREATMENTS[treatment]), tasks)


def _work(python: str, module: str, task: Task) -> Report:
    limit = _START + task.calls * _SECONDS_A_CALL
    command = [python, "-m", module, msgspec.json.encode(task).decode()]
    # The same strings and sets in each run: a seed must give the same calls.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=limit, check=True, env=environment
        )
    except subprocess.TimeoutExpired:
        return _nothing(task, f"the worker took more than {limit:.0f} s")
    except subprocess.CalledProcessError as problem:
        last = problem.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return _nothing(task, f"the worker ended with {problem.returncode}: {last}")
    try:
        return msgspec.json.decode(done.stdout, type=Report)
    except msgspec.MsgspecError as problem:
        return _nothing(task, f"the worker wrote no report: {problem}")


def _nothing(task: Task, problem: str) -> Report:
    return Report(
        target=task.target, calls=0, rejected=0, seconds=0.0, findings=(), problem=problem
    )
