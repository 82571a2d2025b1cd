"""The judge of FMB and GHB held against attempts that are known: ``python -m
knitbone_evals.agent_tasks``.

Every task is tried with each of its tool kits: by the reference, which must pass, by doing nothing
and by its three wrong attempts, which must fail. No model is involved. PyGithub and
langchain-community are needed (``[dependency-groups] dev``).
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from knitbone import __version__
from knitbone_evals.agent_tasks.loading import SPLIT_SEED, domains, load_tasks
from knitbone_evals.agent_tasks.records import KITS, Attempt, Benchmark, Kit, Task
from knitbone_evals.agent_tasks.running import open_environment, run_calls, succeeded
from knitbone_evals.paths import RESULTS, write_result

RESULT = RESULTS / "agent_tasks.json"
_REFERENCE, _NOTHING = "reference", "no-op"


@dataclass
class _Tally:
    """What came of the attempts with one kit."""

    right: Counter[str] = field(default_factory=Counter[str])
    all: Counter[str] = field(default_factory=Counter[str])
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    misjudged: list[str] = field(default_factory=list[str])


def _try(task: Task, kit: Kit, attempt: Attempt, tally: _Tally, *, confined: bool) -> None:
    began = time.perf_counter()
    with open_environment(task, kit, confined=confined) as environment:
        run_calls(environment, attempt.calls[kit])
        verdict = succeeded(task, environment)
    kind = attempt.name if attempt.name in {_REFERENCE, _NOTHING} else "wrong"
    tally.seconds[kind] += time.perf_counter() - began
    tally.all[kind] += 1
    if bool(verdict) == (attempt.name == _REFERENCE):
        tally.right[kind] += 1
    else:
        tally.misjudged.append(f"{task.name} ({kit}), {attempt.name}: {verdict.reason}")


def evaluate(benchmark: Benchmark, seed: int, *, confined: bool) -> dict[str, Any]:
    """All attempts at all tasks of a benchmark."""
    tasks = load_tasks(benchmark, seed=seed)
    kits: dict[str, Any] = {}
    for kit in KITS[benchmark]:
        tally = _Tally()
        for task in tasks:
            for attempt in task.attempts:
                _try(task, kit, attempt, tally, confined=confined)
        kits[kit] = {
            "passed": {kind: [tally.right[kind], tally.all[kind]] for kind in tally.all},
            "seconds": {kind: round(spent, 1) for kind, spent in tally.seconds.items()},
            "calls of the references": sum(len(t.reference.calls[kit]) for t in tasks),
            "misjudged": tally.misjudged,
        }
    return {
        "tasks": len(tasks),
        "domains": len(domains(benchmark)),
        "split": {
            split: len(load_tasks(benchmark, split, seed=seed)) for split in ("validation", "test")
        },
        "levels": _counts(task.level for task in tasks),
        "categories": _counts(task.category for task in tasks),
        "wrong": _counts(attempt.name for task in tasks for attempt in task.wrong),
        "kits": kits,
    }


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def render(result: Mapping[str, Any]) -> str:
    """The result as Markdown."""
    lines = [
        "### Tasks for agents: the judge against known attempts",
        "",
        "| benchmark | tool kit | tasks | references that pass | no-ops that fail |"
        " wrong attempts that fail | seconds of the references | of all attempts |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, found in result["benchmarks"].items():
        for kit, one in found["kits"].items():
            shares = [
                "{} of {}".format(*one["passed"][kind]) for kind in (_REFERENCE, _NOTHING, "wrong")
            ]
            seconds = one["seconds"]
            spent = [f"{seconds[_REFERENCE]:.0f}", f"{sum(seconds.values()):.0f}"]
            cells = [name, kit, str(found["tasks"]), *shares, *spent]
            lines.append(f"| {' | '.join(cells)} |")
    for name, found in result["benchmarks"].items():
        split = found["split"]
        lines += [
            "",
            f"{name}: {found['domains']} domains, {split['validation']} tasks for validation and"
            f" {split['test']} for tests.",
            "",
            *(f"- {title}: {_list(found[title])}" for title in ("levels", "categories", "wrong")),
        ]
    walls = "confined by Landlock" if result["confined"] else "not confined"
    lines += [
        "",
        f"All references: {result['seconds of all references']:.0f} s. Every task is tried, none"
        f" sampled. Seed {result['seed']}, split {SPLIT_SEED}; commands {walls}; knitbone"
        f" {__version__}, Python {platform.python_version()},"
        f" {', '.join(f'{k} {v}' for k, v in result['versions'].items())}.",
        "",
    ]
    return "\n".join(lines)


def _list(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items())


def main() -> int:
    """Measure, write the result, print it; fails where an attempt was misjudged."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seed", type=int, default=0, help="draws the values in files and requests"
    )
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument(
        "--unconfined", action="store_true", help="for kernels without Landlock: all is known here"
    )
    options = parser.parse_args()
    found = {
        name: evaluate(name, options.seed, confined=not options.unconfined)
        for name in ("FMB", "GHB")
    }
    kits = [kit for one in found.values() for kit in one["kits"].values()]
    result = {
        "seed": options.seed,
        "confined": not options.unconfined,
        "knitbone": __version__,
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("PyGithub", "langchain-community")},
        "seconds of all references": round(sum(kit["seconds"][_REFERENCE] for kit in kits), 1),
        "benchmarks": found,
    }
    write_result(options.out, result)
    text = render(result)
    options.out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)
    misjudged = [line for kit in kits for line in kit["misjudged"]]
    print("\n".join(misjudged))
    return 1 if misjudged else 0


if __name__ == "__main__":
    sys.exit(main())
