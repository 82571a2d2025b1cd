"""Nothing hangs, and little is left unrepaired: ``python -m knitbone_evals.adapt.concurrency``.

Children that are forked while threads are inside of adapted code (half of them while its libraries
are being loaded), a hundred threads and a thousand tasks that begin at once, and the first answers
of fresh processes, 100 KB of broken JSON before all; all with answers that drift, and each alone
and beside sixteen busy processes. Counted are children that never end, answers that the code got
as they were, and how many of those adapt has recorded. Everything is bounded: a child that is not
done after a minute is ended and counts as hung, so does a process after half an hour. The disk
cache of embeddings is off.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Generator, Sequence
from typing import Any

from knitbone_evals.paths import REPOSITORY, RESULTS, write_result

RESULT = RESULTS / "adapt_concurrency.json"
LOAD = 16
FRESH = 20
CHILDREN_EACH = 25
"""Children of one process: each process loads everything once."""
_ROW_S = 1_800
_SPIN = """
import sys, time
from knitbone_evals.paths import RESULTS
from knitbone_evals.paths import REPOSITORY
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    pass
"""
_KINDS: dict[str, tuple[str, ...]] = {
    "forked children": ("forks", "--children", str(CHILDREN_EACH)),
    "100 threads x 1,000 calls": ("threads", "--count", "100", "--calls", "1000"),
    "1,000 asyncio tasks": ("tasks", "--count", "1000"),
    "first answers of 20 processes": ("fresh",),
}
_QUICK: dict[str, tuple[str, ...]] = {
    "8 forked children": ("forks", "--children", "8"),
    "20 threads x 20 calls": ("threads", "--count", "20", "--calls", "20"),
    "50 asyncio tasks": ("tasks", "--count", "50"),
}


@contextlib.contextmanager
def load_beside(processes: int, seconds: float) -> Generator[None]:
    """So many busy processes; they end by themselves after ``seconds`` at the latest."""
    command = [sys.executable, "-c", _SPIN, str(seconds)]
    busy = [subprocess.Popen(command) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run_worker(arguments: Sequence[str], seconds: float = _ROW_S) -> Counter[str]:
    """One process of the benchmark; what did not end in time counts as hung."""
    environment = {
        **os.environ,
        "KNITBONE_EMBEDDER_CACHE": "false",
        "KNITBONE_ADAPT_SCENARIO": "all",  # the embedder is loaded for these alone
    }
    environment.pop("KNITBONE_DISABLED", None)
    command = [sys.executable, "-m", "knitbone_evals.adapt.concurrency_worker", *arguments]
    worker = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        env=environment,
        start_new_session=True,
    )
    try:
        said, _ = worker.communicate(timeout=seconds)
        return Counter(json.loads(said))
    except (subprocess.TimeoutExpired, ValueError):
        return Counter(hung=1)
    finally:
        with contextlib.suppress(ProcessLookupError):  # its children, too
            os.killpg(worker.pid, signal.SIGKILL)
        worker.communicate()


def measure(name: str, arguments: Sequence[str], processes: int, load: int) -> dict[str, Any]:
    """One row of the table."""
    total: Counter[str] = Counter()
    with load_beside(load, _ROW_S * processes):
        for _ in range(processes):
            found = run_worker(arguments)
            slowest = max(total["slowest_fork_ms"], found["slowest_fork_ms"])
            total.update(found)
            total["slowest_fork_ms"] = slowest
    return {"what": name, "load": load, **total}


def render(rows: Sequence[dict[str, Any]]) -> str:
    """The table, in Markdown."""
    lines = [
        "| what | busy processes beside it | hung | died | answers | left unrepaired | of these "
        "recorded | slowest fork, ms | seconds |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {row['what']} | {row['load']} | {row.get('hung', 0)} | {row.get('died', 0)} "
        f"| {row.get('answers', 0):,} | {row.get('left', 0)} | {row.get('recorded', 0)} "
        f"| {row.get('slowest_fork_ms', 0) or ''} | {row.get('seconds', 0):.0f} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few of each; nothing is written")
    parser.add_argument("--children", type=int, default=500)
    parser.add_argument("--load", type=int, nargs="*", default=[0, LOAD])
    parser.add_argument("--only", default="", help="rows whose name holds this")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for load in options.load:
        for name, arguments in (_QUICK if options.quick else _KINDS).items():
            if options.only in name:
                repeated = {"forks": options.children // CHILDREN_EACH, "fresh": FRESH}
                processes = 1 if options.quick else repeated.get(arguments[0], 1)
                counted = f"{options.children} {name}" if name == "forked children" else name
                rows.append(measure(counted, arguments, processes, load))
                print(render(rows[-1:]).splitlines()[-1], flush=True)
    if options.quick or options.only:
        return
    found = {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "rows": rows,
    }
    write_result(RESULT, found)
    machine = f"Python {found['python']}, {found['processors']} processors."
    machine += " What else ran on the machine is not counted in the second column."
    heading = f"# Forks, threads and tasks\n\n{machine}\n"
    RESULT.with_suffix(".md").write_text(f"{heading}\n{render(rows)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
