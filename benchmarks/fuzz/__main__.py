"""Faults and errors that the fuzzer finds, beside a Hypothesis strategy made from the types.

``python -m benchmarks.fuzz --planted --calls 200 --seeds 0`` runs the fuzzer on the planted tools
and prints what it finds.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.fuzz import planted_table
from benchmarks.fuzz.plan import SPLITS, Run, Runner, planted_targets
from benchmarks.fuzz.planted import registry
from benchmarks.fuzz.running import TREATMENTS
from benchmarks.fuzz.scoring import Scored, score

__all__ = ["main"]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--planted", action="store_true", help="the planted and the sound tools")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--only", default="", help="tools whose target contains this")
    parser.add_argument("--split", choices=sorted(SPLITS), default="", help="a half of the themes")
    parser.add_argument("--treatment", choices=sorted(TREATMENTS), default="knitbone")
    parser.add_argument("--generator", choices=("taint", "schema"), default="")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="say for each tool what was found")
    parser.add_argument("--runs", type=Path, help="folder that keeps reports, and gives them back")
    return parser.parse_args()


def _planted(options: argparse.Namespace, runner: Runner) -> None:
    tools = planted_targets(split=options.split, only=options.only)
    known = registry.by_target()
    seeds = list[list[Scored]]()
    begin = time.monotonic()
    for seed in options.seeds:
        run = Run(options.treatment, options.calls, seed, options.generator)
        seen = runner.run(tools, run)
        seeds.append([score(known[report.target], report) for report in seen])
        for line in planted_table.listing(seeds[-1], every=options.verbose):
            print(line, flush=True)
    print(f"\n{'':28}{'tools':>6}  found (one seed each)     median   median call")
    for row in planted_table.table(seeds):
        found = " ".join(f"{number:>4}" for number in row["found"])
        print(f"{row['group']:28}{row['tools']:>6}  {found:24}{row['median found']:>8}", end="")
        print(f"{row['median call'] or '-':>14}")
    for name, numbers in planted_table.summary(seeds).items():
        print(f"{name:28}{'':>6}  " + " ".join(f"{number:>4}" for number in numbers))
    print(f"{'seconds, all together':28}{'':>6}  {time.monotonic() - begin:>4.0f}")


def main() -> None:
    """Run what the command line asks for."""
    options = _options()
    runner = Runner(processes=options.processes, folder=options.runs)
    _planted(options, runner)


if __name__ == "__main__":
    main()
