"""Golden decisions: what adapt decides on every answer of its sets, recorded and compared.

    python -m knitbone_evals.adapt.golden record [--data DIR]
    python -m knitbone_evals.adapt.golden compare [--data DIR] [--set adapt --set harm]

``record`` writes ``decisions.jsonl.xz`` beside this file. ``compare`` runs the same answers and
prints what is another decision now, by set and kind, every one that turned from right to wrong, and
50 of the others; it ends with 1 where anything differs. Settings are the default ones, but for
the time an answer may take. Natural
answers need the public data sets, and are passed over without them.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from pathlib import Path

from knitbone_evals.adapt.golden.comparison import differences, report
from knitbone_evals.adapt.golden.decisions import Decision, read, write
from knitbone_evals.adapt.golden.sets import BUDGET_MS, NATURAL, SETS, decide

RECORD = Path(__file__).with_name("decisions.jsonl.xz")


def main(argv: list[str] | None = None) -> int:
    """Record or compare; 1 where a decision is another one."""
    parser = argparse.ArgumentParser(
        prog="python -m knitbone_evals.adapt.golden",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=("record", "compare"))
    parser.add_argument("--data", type=Path, help="folder of the public data sets")
    parser.add_argument("--set", choices=SETS, action="append", help="only this set")
    parser.add_argument("--only", default="", help="only applications whose name holds this")
    parser.add_argument("--seed", type=int, default=0, help="for what is printed of differences")
    parser.add_argument("--record", type=Path, default=RECORD, help="the file of decisions")
    options = parser.parse_args(argv)
    logging.getLogger("knitbone").setLevel(logging.CRITICAL)
    os.environ["KNITBONE_ADAPT_QUIET"] = "1"
    os.environ["KNITBONE_ADAPT_BUDGET_MS"] = str(BUDGET_MS)
    if options.command == "record" and (options.set or options.only):
        parser.error("a record holds all sets: leave out --set and --only.")
    names = options.set or list(SETS)
    started = time.monotonic()
    decided = decide(names, options.data, options.only)
    now = [each for each in decided if options.only in each.case]
    print(f"{len(now)} decisions in {time.monotonic() - started:.0f} s", file=sys.stderr)
    if options.command == "record":
        write(options.record, now)
        return 0
    before = [each for each in read(options.record) if _is_wanted(each, names, options)]
    found = differences(before, now)
    for line in report(found, options.seed):
        print(line)
    return int(bool(found))


def _is_wanted(decision: Decision, names: list[str], options: argparse.Namespace) -> bool:
    group = decision.set.partition("/")[0]
    if decision.set == NATURAL and options.data is None:
        return False
    return group in names and options.only in decision.case


if __name__ == "__main__":
    sys.exit(main())
