"""What adapt detects, repairs and harms, against other tools: ``python -m benchmarks.adapt``.

The cases and their right results come from ``cases.py`` and ``natural.py``; what the columns mean
is said in ``metrics.py``. Intervals are 95 % bootstrap ones, applications drawn first.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.adapt import metrics, tables
from benchmarks.adapt.registry import knitbone_alone
from benchmarks.adapt.work import HALVES, QUICK, jobs, perform_all


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adapt", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of the public data sets")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--half", choices=(*HALVES, "all"), default="all")
    parser.add_argument("--app", help="only this application")
    parser.add_argument("--quick", action="store_true", help=f"one case of {QUICK}")
    parser.add_argument("--verbose", action="store_true", help="list the cases that went wrong")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args(argv)
    halves = HALVES if arguments.half == "all" else (arguments.half,)
    todo = jobs(
        halves,
        arguments.data,
        arguments.seed,
        app=arguments.app,
        every=QUICK if arguments.quick else 1,
    )
    outcomes = list(perform_all(todo, knitbone_alone, arguments.processes))
    scored = [each for outcome in outcomes for each in outcome.scored]
    harmless = [each for outcome in outcomes for each in outcome.harmless]
    if arguments.verbose:
        print("\n".join(tables.failures([*scored, *harmless])))
    found = metrics.figures_by_kind(scored, harmless)
    print("\n".join(tables.table("kind", found.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
