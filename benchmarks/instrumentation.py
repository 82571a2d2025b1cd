"""What instrumentation adds to a call: ``python -m benchmarks.instrumentation``.

The same functions, plain and under ``@knitbone.adapt``, run in turn; each round gives one
difference per call. Printed are the medians of the paired differences with a bootstrap interval
(95 %, seeded), for sites without a requirement that is checked and for sites with one. Of the
latter the check itself (``adapt_text`` on the same text, in the same round) is measured too and
taken off. Start-up: a module with a hundred sites, loaded plainly and instrumented.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from knitbone.adaptation.repair.positional.list_lines import adapt_text
from knitbone.adaptation.runtime.registry import active_sites
from knitbone.config import AdaptConfig

ROUNDS, CALLS = 41, 5_000
RESAMPLES = 2_000
LIMITS = {"no requirement": 2.0, "with requirement, beyond the check": 10.0}
"""Microseconds a call that the project promises."""

SOURCE = """
import re
import knitbone

ANSWER = "1. Look at the map\\n2. Book the train\\n3. Pack the bag"
PIECES = ANSWER.splitlines(keepends=True)

@knitbone.source
def ask():
    return ANSWER

@knitbone.source
async def ask_later():
    return ANSWER

def parse(text):
    return re.findall(r"^\\d+\\.\\s+(.*)$", text, re.M)

def drop(text):
    return None

@ADAPT
def function_plain(n):
    for _ in range(n):
        drop(ask())

@ADAPT
def function_checked(n):
    for _ in range(n):
        parse(ask())

@ADAPT
async def coroutine_plain(n):
    for _ in range(n):
        drop(await ask_later())

@ADAPT
async def coroutine_checked(n):
    for _ in range(n):
        parse(await ask_later())

@ADAPT
def generator_plain(n):
    for _ in range(n):
        yield drop(ask())

@ADAPT
def generator_checked(n):
    for _ in range(n):
        yield parse(ask())
"""


def load(folder: Path, name: str, adapt: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(SOURCE.replace("@ADAPT", adapt), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    # Read by the analysis; what it takes would drown what is measured.
    module.parse = module.drop  # type: ignore[attr-defined]
    return module


def runs(module: ModuleType) -> dict[str, Callable[[int], Any]]:
    found: dict[str, Callable[[int], Any]] = {}
    for kind in ("plain", "checked"):
        later = getattr(module, f"coroutine_{kind}")
        pieces = getattr(module, f"generator_{kind}")
        found[f"function {kind}"] = getattr(module, f"function_{kind}")
        found[f"coroutine {kind}"] = lambda n, later=later: asyncio.run(later(n))
        found[f"generator {kind}"] = lambda n, pieces=pieces: deque(pieces(n), maxlen=0)
    return found


def per_call(action: Callable[[int], Any]) -> float:
    """Microseconds."""
    started = time.perf_counter()
    action(CALLS)
    return (time.perf_counter() - started) / CALLS * 1e6


def interval(values: list[float]) -> dict[str, float]:
    """The median with a 95 % bootstrap interval."""
    draw = random.Random(0)
    medians = sorted(
        statistics.median(draw.choices(values, k=len(values))) for _ in range(RESAMPLES)
    )
    return {
        "median_us": round(statistics.median(values), 3),
        "low_us": round(medians[int(0.025 * RESAMPLES)], 3),
        "high_us": round(medians[int(0.975 * RESAMPLES)], 3),
    }


def measure(folder: Path) -> dict[str, Any]:
    bare = runs(load(folder, "bare_app", "# plain"))
    module = load(folder, "adapted_app", "@knitbone.adapt")
    adapted = runs(module)
    for action in (*bare.values(), *adapted.values()):
        action(10)
    templates = {live.templates[0] for live in active_sites() if live.templates}
    (template,) = {t.elements: t for t in templates}.values()
    executed = [live for live in active_sites() if live.executed]
    assert len(executed) == 6, executed
    assert sum(bool(live.templates) for live in executed) == 3, executed
    config = AdaptConfig()

    def check(n: int) -> None:
        for _ in range(n):
            adapt_text(module.ANSWER, template, config)

    added: dict[str, list[float]] = {name: [] for name in bare}
    checks: list[float] = []
    plain: dict[str, list[float]] = {name: [] for name in bare}
    for number in range(ROUNDS):
        checks.append(per_call(check))
        for name in bare:
            # Which goes first alternates: the machine may get warmer or slower.
            first, second = (bare, adapted) if number % 2 else (adapted, bare)
            one, other = per_call(first[name]), per_call(second[name])
            before, after = (one, other) if number % 2 else (other, one)
            plain[name].append(before)
            added[name].append(after - before)
    table: dict[str, Any] = {}
    for name, values in added.items():
        kind, way = name.split()
        row = {"bare_us": round(statistics.median(plain[name]), 3), "added": interval(values)}
        if way == "checked":
            beyond = [value - check for value, check in zip(values, checks, strict=True)]
            row["added_beyond_check"] = interval(beyond)
        table.setdefault(kind, {})[way] = row
    return {"calls": table, "check": interval(checks)}


def startup(folder: Path) -> dict[str, float]:
    """Seconds of a whole process: plain, under ``knitbone run`` at first, and from then on."""
    body = SOURCE.replace("@ADAPT", "")
    functions = "".join(f"def f{n}():\n    return parse(ask())\n\n" for n in range(100))
    (folder / "app.py").write_text(f"{body}\n{functions}\nf1()\n", encoding="utf-8")
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    launcher = [sys.executable, "-c", "from knitbone.cli import main; main()", "run", "--"]
    program = [sys.executable, "app.py"]
    found: dict[str, float] = {}
    for name, command, times in (
        ("plain_s", program, 7),
        ("first_launch_s", [*launcher, *program], 1),
        ("launch_s", [*launcher, *program], 7),
    ):
        taken = []
        for _ in range(times):
            started = time.perf_counter()
            subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
            taken.append(time.perf_counter() - started)
        found[name] = round(statistics.median(taken), 3)
    return found


def main(argv: list[str] | None = None) -> int:
    argparse.ArgumentParser(description=__doc__).parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder, "cache"))
        result = {
            "rounds": ROUNDS,
            "calls_per_round": CALLS,
            "python": platform.python_version(),
            "limits_us": LIMITS,
            **measure(Path(folder)),
            "startup": startup(Path(folder)),
        }
    worst = {
        "no requirement": max(r["plain"]["added"]["high_us"] for r in result["calls"].values()),
        "with requirement, beyond the check": max(
            r["checked"]["added_beyond_check"]["high_us"] for r in result["calls"].values()
        ),
    }
    result["within_limits"] = {name: worst[name] < limit for name, limit in LIMITS.items()}
    path = Path(__file__).parent / "results" / "instrumentation.json"
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for kind, row in result["calls"].items():
        plain, checked = row["plain"]["added"], row["checked"]["added_beyond_check"]
        print(
            f"{kind:<10} no requirement +{plain['median_us']:.2f} µs "
            f"[{plain['low_us']:.2f}, {plain['high_us']:.2f}]   with requirement "
            f"+{checked['median_us']:.2f} µs [{checked['low_us']:.2f}, {checked['high_us']:.2f}] "
            f"and the check, {result['check']['median_us']:.2f} µs"
        )
    print("start of a program:", ", ".join(f"{k} {v}" for k, v in result["startup"].items()))
    return 0 if all(result["within_limits"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
