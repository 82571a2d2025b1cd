"""Sandboxed calls per second: ``python -m benchmarks.fuzz_throughput``.

One tool that does next to nothing, called through the whole sandbox: the arguments travel to the
keeper and on to the worker, the call runs, its processes, threads, files and directory are looked
at, and the outcome travels back. Wall clock says what a user waits for on this machine as busy as
it is; processor time of all processes of the sandbox says what one core could do with nothing
else to do.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

from knitbone.fuzzing.sandbox.client import Sandbox

TARGET, ARGUMENTS = "knitbone.samples.tools:greet", {"name": "Ann"}
WARM_UP = 100
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    """User and system time of a process that runs."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S


def below(pid: int) -> list[int]:
    """All processes below ``pid``: keeper, template and worker, in this order."""
    found: list[int] = []
    queue = [pid]
    while queue:
        parent = queue.pop(0)
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
        queue.extend(int(word) for word in text.split())
        found.extend(int(word) for word in text.split())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--trace", action="store_true", help="with taint, as campaigns call it")
    options = parser.parse_args()
    calls, trace = options.calls, options.trace
    with Sandbox(TARGET, trace=trace) as sandbox:
        for _ in range(WARM_UP):
            sandbox.call(0, ARGUMENTS, timeout_s=5, trace=trace)
        pids = below(os.getpid())
        before, own = [processor_seconds(pid) for pid in pids], time.process_time()
        started = time.perf_counter()
        seconds: list[float] = []
        for _ in range(calls):
            began = time.perf_counter()
            outcome = sandbox.call(0, ARGUMENTS, timeout_s=5, trace=trace)
            seconds.append(time.perf_counter() - began)
            if outcome.status != "ok":
                raise SystemExit(f"the trivial tool failed: {outcome}")
        wall = time.perf_counter() - started
        spent = [processor_seconds(pid) - s for pid, s in zip(pids, before, strict=True)]
        spent.insert(0, time.process_time() - own)
    cuts = statistics.quantiles(seconds, n=100)
    # Where the keeper has a process namespace of its own, two that only wait stand before it.
    names = ("client", *["waiting"] * (len(spent) - 4), "keeper", "template", "worker")
    shares = ", ".join(
        f"{name} {value / calls * 1e6:.0f}" for name, value in zip(names, spent, strict=True)
    )
    print(
        f"calls {calls}, {TARGET} {ARGUMENTS}, {', '.join(sandbox.confinement)}, "
        f"taint {'on' if trace else 'off'}"
    )
    print(
        f"wall clock     {calls / wall:,.0f} calls/s   p50 {cuts[49] * 1e6:.0f} µs   "
        f"p99 {cuts[98] * 1e6:.0f} µs   (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)"
    )
    print(f"processor time {calls / sum(spent):,.0f} calls/s on one core   µs a call: {shares}")


if __name__ == "__main__":
    main()
