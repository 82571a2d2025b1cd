"""What the first answer of a process waits for: ``python -m benchmarks.first_answer``.

For each kind of site, in a process of its own: the time of the decoration, of the first answer and
of the tenth, immediately after the decoration and a second after it, with an answer that conforms
and with one to be repaired. The library that brings the answer is a module of a few lines, so that
what is measured is ours and the consumer's. Decorations are measured with the analysis kept from an
earlier process and without; of the sample applications as well.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import logging
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.first_answer_cases import CASES, OPENAI, Case

RESULT = Path(__file__).parent / "results" / "adapt_first_answer.json"
CALLS = 10
WAITS_S = (0.0, 1.0)
LIMIT_MS = 10.0
"""Over the tenth answer, a second after the decoration: what the project promises."""
SAMPLES = ("knitbone.samples.tasklist.app",)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--case", help="only kinds whose name holds this; nothing is written")
    parser.add_argument("--modules", action="store_true", help="name what is loaded when")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.one:
        name, answer, wait = options.one
        (case,) = (case for case in CASES if case.name == name)
        print(json.dumps(measure(case, answer, float(wait), modules=options.modules)))
        return 0
    chosen = [case for case in CASES if (options.case or "") in case.name]
    rows = [row(case, options.rounds, modules=options.modules) for case in chosen]
    result = {
        "title": "adapt: what the first answer of a process waits for",
        "rounds": options.rounds,
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
        "kinds": rows,
        "samples": {name: _sample(name, options.rounds) for name in SAMPLES},
    }
    print(render(result))
    if not options.case:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        RESULT.with_suffix(".md").write_text(render(result), encoding="utf-8")
    return 0


def row(case: Case, rounds: int, *, modules: bool) -> dict[str, Any]:
    """Medians over processes, in milliseconds; what was left unrepaired is counted."""
    found: dict[str, Any] = {"kind": case.name, "heavy": case.heavy}
    with tempfile.TemporaryDirectory() as cache:
        fresh = _run(case, "conforming", 0.0, cache)
        found["decoration, analysed"] = fresh["decoration"]
        decorations: list[float] = []
        for answer in ("conforming", "faulty"):
            for wait in WAITS_S:
                runs = [_run(case, answer, wait, cache, modules) for _ in range(rounds)]
                decorations += [run["decoration"] for run in runs]
                first = statistics.median(run["calls"][0] for run in runs)
                over = max(run["calls"][0] - run["calls"][-1] for run in runs)
                found[f"{answer}, {wait:g} s"] = {
                    "first": round(first, 1),
                    "tenth": round(statistics.median(run["calls"][-1] for run in runs), 2),
                    "most over the tenth": round(over, 1),
                    "unrepaired": sum(answer == "faulty" and not run["repaired"] for run in runs),
                    "runs": len(runs),
                }
                if modules:
                    print(case.name, answer, wait, *runs[-1]["modules"], sep="\n    ")
        found["decoration, cached"] = round(statistics.median(decorations), 1)
    return found


def _run(case: Case, answer: str, wait: float, cache: str, modules: bool = False) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.first_answer"]
    command += ["--one", case.name, answer, str(wait), *(["--modules"] if modules else [])]
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    if case.scenario:
        environment["KNITBONE_ADAPT_SCENARIO"] = "all"
    output = subprocess.check_output(command, text=True, env=environment)
    return dict(json.loads(output.splitlines()[-1]))


def measure(case: Case, answer: str, wait: float, *, modules: bool) -> dict[str, Any]:
    """One process: the milliseconds of the decoration and of each call."""
    logging.getLogger("knitbone").setLevel(logging.CRITICAL)
    folder = Path(os.environ["XDG_CACHE_HOME"])
    for name, text in (("libraries/openai.py", OPENAI), ("apps/first_app.py", case.source)):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if not path.is_file():
            path.write_text(text, encoding="utf-8")
        sys.path.insert(0, str(path.parent))
    library: Any = importlib.import_module("openai")
    library.ANSWER = case.conforming if answer == "conforming" else case.faulty
    app: Any = importlib.import_module("first_app")
    import knitbone  # noqa: PLC0415 - measured

    started = time.perf_counter()
    ask = knitbone.adapt(app.ask)
    decoration = _ms(started)
    time.sleep(wait)
    before = set(sys.modules)
    calls: list[float] = []
    loaded: list[str] = []
    for _ in range(CALLS):
        started = time.perf_counter()
        with contextlib.suppress(Exception):  # the consumer's, where nothing was repaired
            ask()
        calls.append(_ms(started))
        loaded += sorted(set(sys.modules) - before)
        before = set(sys.modules)
        if len(calls) == 1:
            first = knitbone.adaptation.report()
    return {
        "decoration": round(decoration, 1),
        "calls": calls,
        "repaired": any(record.action == "repaired" for record in first.adaptations),
        "actions": [(r.action, r.defect, r.reason) for r in first.adaptations],
        "untouched": first.untouched,
        "sites": len(first.sites),
        "modules": loaded if modules else [],
    }


def _ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def _sample(name: str, rounds: int) -> dict[str, float]:
    """Milliseconds by which the decorators delay the import of a sample application."""
    code = (
        "import time, knitbone, sys\n"
        "adapt, spent = knitbone.adapt, []\n"
        "def timed(target):\n"
        "    started = time.perf_counter()\n"
        "    found = adapt(target)\n"
        "    spent.append(time.perf_counter() - started)\n"
        "    return found\n"
        "knitbone.adapt = timed\n"
        f"import {name}\n"
        "print(sum(spent) * 1000)\n"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        times = [
            float(subprocess.check_output([sys.executable, "-c", code], env=environment))
            for _ in range(rounds + 1)
        ]
    return {"analysed": round(times[0], 1), "cached": round(statistics.median(times[1:]), 1)}


def render(result: dict[str, Any]) -> str:
    """The tables, as Markdown."""
    lines = [
        f"# {result['title']}",
        "",
        f"Python {result['python']}, load {result['load']:.1f} at the end; medians of "
        f"{result['rounds']} processes each, in ms; *over*: the most by which a first answer took "
        "longer than the tenth of its process.",
        "",
        "| kind | decoration: analysed | cached | answer | at once: first | tenth | over "
        "| after 1 s: first | tenth | over | unrepaired |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for kind in result["kinds"]:
        for answer in ("conforming", "faulty"):
            cells = [kind["kind"], kind["decoration, analysed"], kind["decoration, cached"], answer]
            left = of = 0
            for wait in WAITS_S:
                cell = kind[f"{answer}, {wait:g} s"]
                cells += [cell["first"], cell["tenth"], cell["most over the tenth"]]
                left, of = left + cell["unrepaired"], of + cell["runs"]
            cells.append(f"{left} of {of}" if answer == "faulty" else "")
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += ["", "| sample application | decoration: analysed | cached |", "| --- | --- | --- |"]
    for name, found in result["samples"].items():
        lines.append(f"| {name} | {found['analysed']} | {found['cached']} |")
    worst = max(
        (
            kind[f"{answer}, {WAITS_S[-1]:g} s"]["most over the tenth"]
            for kind in result["kinds"]
            for answer in ("conforming", "faulty")
        ),
        default=0.0,
    )
    lines += ["", f"A second after the decoration at most {worst} ms over the tenth answer."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
