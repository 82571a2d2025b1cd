"""Tables of the simulated agent on real environments; ``--run`` makes what is missing first.

python -m knitbone_evals.recover                                    # tables
python -m knitbone_evals.recover --run agentdojo --seeds 0 1 2      # goes on where it stopped
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from pathlib import Path

from knitbone_evals.recover.arms import ARMS, MAIN_ARMS
from knitbone_evals.recover.environments import RecoveryTask, tasks_of
from knitbone_evals.recover.preference import FIT, load_fit
from knitbone_evals.recover.running import (
    POLLS,
    AnotherDrawError,
    Ground,
    Journal,
    draw_of,
    without_agentdojo,
)
from knitbone_evals.recover.tables import print_tables

GROUNDS = ("agentdojo", "retail", "airline")
RESULTS = Path(__file__).parent / "data" / "results"


def run(ground: str, seed: int, options: argparse.Namespace) -> None:
    """All that is missing of a ground and seed, one arm after the other."""
    fit = load_fit(options.fit)
    if ground not in fit.skills and not options.gold_only:
        sys.exit(
            f"{options.fit} has no skill for {ground}, so its first attempts mean nothing; set it: "
            f"python -m knitbone_evals.recover.fitting --out {options.fit} --skill {ground}"
        )
    tasks = tasks_of(ground)
    journal = Journal(options.results / f"{ground}.jsonl")
    try:
        journal.made_with(draw_of(fit, ground))
    except AnotherDrawError as error:
        sys.exit(str(error))
    # Calls of all tasks tempt the agent, also where a part of them is tried.
    made = Ground(tasks, fit, seed, journal)
    if options.tasks:
        tasks = tasks[:: max(len(tasks) // options.tasks, 1)][: options.tasks]
    if options.gold_only:
        for task in tasks:
            if time.time() > options.until:
                return
            made.fault_free(task, 0)
            made.fault_free(task, POLLS)
        return
    failed: list[RecoveryTask] = []
    for task in tasks:
        if time.time() > options.until:
            return
        if not made.first(task):
            failed.append(task)
    for name in options.arms:
        for task in failed:
            if time.time() > options.until:
                return
            made.repair(task, name, lambda *said: print(*said, flush=True))
    if seed == 0 and options.gold:
        for task in tasks:
            if time.time() > options.until:
                return
            made.fault_free(task, 0)
            made.fault_free(task, POLLS)
            if task in failed:
                made.fault_free_guided(task)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", nargs="*", default=(), choices=GROUNDS, metavar="GROUND")
    parser.add_argument("--seeds", nargs="*", type=int, default=(0,))
    parser.add_argument("--arms", nargs="*", choices=ARMS, default=tuple(MAIN_ARMS))
    parser.add_argument("--tasks", type=int, help="a part of the tasks, evenly drawn")
    parser.add_argument("--gold", action="store_true", help="fault-free runs as well")
    parser.add_argument("--gold-only", action="store_true", help="no agent that errs")
    parser.add_argument("--seconds", type=float, default=36_000.0)
    parser.add_argument("--fit", type=Path, default=FIT)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.until = time.time() + options.seconds
    logging.getLogger("knitbone").setLevel(logging.ERROR)
    without_agentdojo()
    for ground in options.run:
        for seed in options.seeds:
            run(ground, seed, options)
    for ground in GROUNDS:
        print_tables(Journal(options.results / f"{ground}.jsonl").lines, ground)
    sys.stdout.flush()
    os._exit(0)  # the portal of the servers' sessions would be waited for


if __name__ == "__main__":
    main()
