"""Hypothesis as the baseline: ``python -m benchmarks.fuzz.baseline --calls 2000 --seed 0``.

Each tool gets a process of its own and a strategy from its types alone. Failures are unique by the
type of the exception and the innermost frame in the tool's module, returned errors by their words.
``--tool NAME`` keeps the tools whose target contains NAME, ``--library`` takes the tools of
langchain-community instead of the planted ones, ``--json FILE`` writes everything seen.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from benchmarks.fuzz import library
from benchmarks.fuzz.planted import registry
from benchmarks.fuzz.planted.specification import Planted, Sound
from benchmarks.fuzz.worker import Report, Task

__all__ = ["Scored", "main", "reports", "score"]

_SECONDS_A_CALL = 0.2
_START = 60.0


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in one planted tool, against what is there."""

    target: str
    planted: bool
    deep: bool
    found_at: int | None
    """Call at which the planted fault was first seen."""
    announced: int
    """Unique failures that the documentation announces."""
    other: tuple[str, ...]
    """Unique failures that are neither: none should be left."""


def reports(tasks: Iterable[Task], *, jobs: int = 1) -> Iterator[Report]:
    """Run each task in a worker, in order."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(_work, tasks)


def _work(task: Task) -> Report:
    limit = _START + task.calls * _SECONDS_A_CALL
    command = [sys.executable, "-m", "benchmarks.fuzz.worker", msgspec.json.encode(task).decode()]
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
    return msgspec.json.decode(done.stdout, type=Report)


def _nothing(task: Task, problem: str) -> Report:
    return Report(
        target=task.target, calls=0, rejected=0, seconds=0.0, findings=(), problem=problem
    )


def score(tool: Planted | Sound, report: Report) -> Scored:
    """Tell the planted fault from announced refusals and from everything else."""
    found_at: int | None = None
    announced, other = 0, list[str]()
    for found in report.findings:
        failure = found.failure
        sight = (failure.kind, failure.exceptions, failure.function, failure.text)
        if isinstance(tool, Planted) and tool.fault.matches(*sight):
            found_at = min(found.call, found_at or found.call)
        elif any(refusal.matches(*sight) for refusal in tool.refusals):
            announced += 1
        else:
            other.append(f"{failure.key}: {failure.text[:80]} for {found.arguments}")
    return Scored(
        target=tool.target,
        planted=isinstance(tool, Planted),
        deep=isinstance(tool, Planted) and tool.deep,
        found_at=found_at,
        announced=announced,
        other=tuple(other),
    )


def _line(scored: Scored, report: Report) -> str:
    where = "-" if scored.found_at is None else f"{scored.found_at}"
    marks = " ".join(("deep",) * scored.deep + ("sound",) * (not scored.planted))
    name = scored.target.removeprefix("benchmarks.fuzz.planted.")
    line = f"{name:34}{marks:7}{where:>6}{report.calls:>7}{scored.announced:>4}"
    return "\n".join([line + f"  {report.problem}", *(f"    {text}" for text in scored.other)])


def _planted(options: argparse.Namespace) -> list[Report]:
    tools = {name: tool for name, tool in registry.by_target().items() if options.tool in name}
    tasks = [Task(name, options.calls, options.seed, options.timeout) for name in tools]
    print(f"{'tool':41}{'found':>6}{'calls':>7}{'announced':>10}")
    seen, scores = list[Report](), list[Scored]()
    for report in reports(tasks, jobs=options.jobs):
        scores.append(score(tools[report.target], report))
        print(_line(scores[-1], report), flush=True)
        seen.append(report)
    planted = [one for one in scores if one.planted]
    found = sum(one.found_at is not None for one in planted)
    print(f"planted: {found} of {len(planted)} found, other failures: ", end="")
    print(sum(len(one.other) for one in scores))
    return seen


def _library(options: argparse.Namespace) -> list[Report]:
    names = [name for name in library.targets() if options.tool in name]
    tasks = [Task(name, options.calls, options.seed, options.timeout) for name in names]
    seen = list[Report]()
    for report in reports(tasks, jobs=options.jobs):
        seen.append(report)
        print(f"{report.target:50}{report.calls:>6}  {report.problem}", flush=True)
        for found in report.findings:
            print(f"    {found.call:>5} {found.failure.kind}: {found.failure.key}")
    print(f"unique errors: {sum(len(report.findings) for report in seen)}")
    return seen


def main() -> None:
    """Run the baseline and print what it finds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=1.0, help="seconds allowed to one call")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tool", default="", help="only targets that contain this")
    parser.add_argument("--library", action="store_true", help="tools of langchain-community")
    parser.add_argument("--json", type=Path, help="file to write the reports to")
    options = parser.parse_args()
    seen = _library(options) if options.library else _planted(options)
    if options.json is not None:
        options.json.write_bytes(msgspec.json.encode(seen))


if __name__ == "__main__":
    main()
