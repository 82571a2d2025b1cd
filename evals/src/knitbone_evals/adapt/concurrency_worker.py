"""One process of the concurrency benchmark: it runs the jobs of ``concurrency_app`` in forked
children, threads or tasks, and prints what became of their answers as one line of JSON.

    python -m knitbone_evals.adapt.concurrency_worker forks --children 25
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import faulthandler
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable

from knitbone.adaptation import report
from knitbone.adaptation.testing import forget_counts
from knitbone_evals.adapt.concurrency_app import JOBS, LONG

LIGHT = [name for name in JOBS if name != "prose"]
ALONGSIDE = 4
"""Threads that are inside of adapted code while the process forks; children at a time."""
PROSE_EVERY = 5
"""One child of so many embeds sentences, for which it loads the model anew."""
CALLS_PER_PROSE = 250
"""The same of a thread's calls."""
_LEFT = ("refused", "unread", "failed")


def answer(name: str) -> str:
    """What became of a job's answer: ``right``, or ``left`` where the code got it as it was."""
    function, expected = (JOBS | LONG)[name]
    try:
        return "right" if function() == expected else "left"
    except Exception:  # noqa: BLE001 - what the code raises on an answer that was not mended
        return "left"


def recorded() -> int:
    """Answers of this process of which adapt says that it left them."""
    return sum(getattr(site, kind) for site in report().sites for kind in _LEFT)


def _child(names: Iterable[str], pipe: int, seconds: float) -> None:
    """The life of a forked child."""
    status = 1
    try:
        faulthandler.dump_traceback_later(seconds)
        forget_counts()
        found = Counter(answer(name) for name in names)
        os.write(pipe, json.dumps({**found, "recorded": recorded()}).encode() + b"\n")
        status = 0
    finally:
        os._exit(status)


def forks(children: int, seconds: float) -> Counter[str]:
    """Fork children while threads are inside of adapted code, from its first use on."""
    stop = threading.Event()

    def work(first: int) -> None:
        names = list(JOBS)
        number = first
        while not stop.is_set():
            answer(names[number % len(names)])
            number += 1

    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(ALONGSIDE)]
    for thread in threads:
        thread.start()
    total: Counter[str] = Counter()
    alive: dict[int, float] = {}
    with tempfile.TemporaryFile() as told:
        for number in range(children):
            # Close together at first, while libraries are loaded.
            time.sleep(0.01 if number < children // 2 else 0.1)
            names = [*LIGHT, "prose"] if number % PROSE_EVERY == 0 else LIGHT
            total["answers"] += len(names)
            begun = time.monotonic()
            child = os.fork()
            if child == 0:
                _child(names, told.fileno(), seconds)
            total["slowest_fork_ms"] = max(
                total["slowest_fork_ms"], round(1000 * (time.monotonic() - begun))
            )
            alive[child] = time.monotonic() + seconds + 5
            while len(alive) >= ALONGSIDE:
                _reap(alive, total)
        while alive:
            _reap(alive, total)
        stop.set()
        told.seek(0)
        for line in told:
            total.update(json.loads(line))
    total["children"] = children
    return total


def _reap(alive: dict[int, float], total: Counter[str]) -> None:
    for child, end in list(alive.items()):
        done, status = os.waitpid(child, os.WNOHANG)
        late = not done and time.monotonic() > end
        if late:
            os.kill(child, signal.SIGKILL)
            done, status = os.waitpid(child, 0)
        if done:
            del alive[child]
            total["hung"] += late
            total["died"] += not late and status != 0
    time.sleep(0.005)


def threads(count: int, calls: int) -> Counter[str]:
    """So many threads at once, from the first use on."""
    found: Counter[str] = Counter()
    results: list[Counter[str]] = []

    def work(number: int) -> None:
        mine: Counter[str] = Counter()
        for call in range(calls):
            prose = (call + number) % CALLS_PER_PROSE == 0
            mine[answer("prose" if prose else LIGHT[(call + number) % len(LIGHT)])] += 1
        results.append(mine)

    running = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(count)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    for mine in results:
        found.update(mine)
    found.update(answers=count * calls, recorded=recorded())
    return found


def tasks(count: int) -> Counter[str]:
    """So many tasks of one event loop."""

    async def work() -> Counter[str]:
        mine: Counter[str] = Counter()
        for name in LIGHT:
            await asyncio.sleep(0)
            mine[answer(name)] += 1
        return mine

    async def gather() -> list[Counter[str]]:
        return await asyncio.gather(*(work() for _ in range(count)))

    found: Counter[str] = Counter()
    for mine in asyncio.run(gather()):
        found.update(mine)
    found.update(answers=count * len(LIGHT), recorded=recorded())
    return found


def fresh() -> Counter[str]:
    """The first answers of a process, the long one first."""
    names = [*LONG, *JOBS]
    found = Counter(answer(name) for name in names)
    found.update(answers=len(names), recorded=recorded())
    return found


def main() -> None:
    """Run one kind, print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["forks", "threads", "tasks", "fresh"])
    parser.add_argument("--children", type=int, default=25)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=60.0, help="after which a child hangs")
    options = parser.parse_args()
    begun = time.monotonic()
    if options.kind == "forks":
        found = forks(options.children, options.seconds)
    elif options.kind == "threads":
        found = threads(options.count, options.calls)
    elif options.kind == "fresh":
        found = fresh()
    else:
        found = tasks(options.count)
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps({**found, "seconds": round(time.monotonic() - begun, 1)}), flush=True)
    os._exit(0)  # its daemon threads may be in the middle of something


if __name__ == "__main__":
    sys.exit(main())
