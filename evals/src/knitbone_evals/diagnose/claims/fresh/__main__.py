"""Check that each good program meets its goal and each bad one misses it, and count them."""

from __future__ import annotations

import sys
import time
from collections import Counter

from knitbone.record.events import ModelCall
from knitbone_evals.diagnose.claims.fresh import WORLDS
from knitbone_evals.diagnose.claims.fresh.base import Made, every


def problems(made: Made) -> list[str]:
    """What is wrong with a program, in words."""
    program, found = made.program, []
    if made.met != program.good:
        found.append("the goal is met" if made.met else "the goal is missed")
    if made.unused:
        found.append(f"{made.unused} replies were not used")
    if program.run.outcome is not None:
        found.append(f"an outcome is recorded: {program.run.outcome.reason}")
    if not program.good:
        count = sum(isinstance(event, ModelCall) for event in program.run.events)
        if not program.fault:
            found.append("no fault said")
        if program.wrong_call is None or program.wrong_call >= count:
            found.append(f"wrong call {program.wrong_call} of {count}")
    return found


def main() -> int:
    """Make all for a seed, print the counts; 1 if a program is not what it says."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    began, failed, counts, kinds = time.monotonic(), 0, Counter[bool](), Counter[str]()
    events = Counter[bool]()
    for made in every([w for w in WORLDS if only in w.kind], seed):
        counts[made.program.good] += 1
        kinds[made.program.kind] += 1
        events[made.program.good] += len(made.program.run.events)
        for problem in problems(made):
            failed += 1
            print(f"{made.program.kind} / {made.variant}: {problem}")
    for good, word in ((True, "good"), (False, "bad")):
        print(f"{word}: {counts[good]}, {events[good] / max(1, counts[good]):.1f} events each")
    print(f"kinds: {len(kinds)}, seed {seed}, {time.monotonic() - began:.1f} s, problems: {failed}")
    return bool(failed)


sys.exit(main())
