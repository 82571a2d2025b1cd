"""How diagnosis grows with the run: ``python -m benchmarks.diagnosis_scale``.

Simulated runs of 10 to 10,000 units (no model; a seeded agent that looks up, changes, fails and
repeats, over records whose values later calls use), diagnosed after import: units, graph, evidence
planes, region, packet, text. Each measurement runs in a process of its own, after one small
diagnosis that loads the libraries. Seconds are wall clock; processor seconds are what the process
itself used, and the difference is other programs' load. Memory is the growth of the process's
largest resident set over what it was with the run loaded.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

from knitbone import __version__
from knitbone.record.events import ChatMessage, Message, ModelCall, Outcome, Run, ToolCall
from knitbone.record.events import ToolCallRequest as Request

SEED = 7
SIZES = (10, 30, 100, 300, 1_000, 3_000, 10_000)
REPEATS = 5
TARGETS = {1_000: 1.0, 10_000: 10.0}
"""Seconds, after import."""
RESULT = Path(__file__).parent / "results" / "diagnosis_scale.json"
TOOLS = (
    "find_customer", "read_account", "list_checks", "deposit_check", "send_letter",
    "close_account", "search_rules",
)  # fmt: skip
POLICY = (
    "You work for a bank. Before you close an account, ask the customer for confirmation. "
    "Make one tool call at a time. Never change an account that is frozen. "
) * 5


def simulated_run(units: int, *, shape: str = "imported", seed: int = SEED) -> Run:
    """A run of so many units.

    Args:
        shape: ``imported``: tool calls are events; ``recorded``: what tools answered stands in
            the input of the next model call, which carries the last forty messages.
    """
    source = random.Random(f"{seed}-{units}")
    events: list[Any] = [
        Message(id="p", role="system", content=POLICY),
        Message(id="u", role="user", content="Post my open check and close my account AC1000."),
    ]
    history: list[ChatMessage] = [ChatMessage(role="system", content=POLICY)]
    known = ["AC1000"]
    for k in range(units):
        tool, arguments, result = _step(source, k, known, units)
        request = Request(name=tool, arguments=arguments, call_id=f"c{k}")
        said = ChatMessage(
            role="assistant", content="I go on. " * source.randrange(12), tool_calls=(request,)
        )
        given = tuple(history[:1] + history[1:][-40:]) if shape == "recorded" else ()
        events.append(ModelCall(id=f"m{k}", input=given, output=said))
        if shape == "recorded":
            answered = ChatMessage(role="tool", content=result, tool_call_id=f"c{k}")
            history += [said, answered]
        else:
            events.append(
                ToolCall(
                    id=f"t{k}", parent=f"m{k}", name=tool, call_id=f"c{k}", arguments=arguments,
                    result=result,
                )
            )  # fmt: skip
    events.append(Outcome(id="o", success=False))
    return Run(id=f"run-{units}", task="Post my check and close my account", events=tuple(events))


def _step(
    source: random.Random, k: int, known: list[str], units: int
) -> tuple[str, dict[str, Any], str]:
    tool = source.choice(TOOLS)
    arguments = {
        "account_id": f"AC{1000 + source.randrange(units // 3 + 3)}",
        "reference": source.choice(known[-40:]),
        "note": "word " * source.randrange(40),
    }
    if source.random() < 0.12:
        return tool, arguments, f"Error: {source.choice(('locked', 'not found'))} ({k})"
    known.append(f"REF{k}-{source.randrange(1000)}")
    record = {
        "reference": known[-1],
        "balance": source.randrange(10**6),
        "text": "lorem ipsum dolor " * source.randrange(60),
    }
    return tool, arguments, json.dumps(record)


def measure(units: int, shape: str, repeats: int) -> dict[str, Any]:
    """One size, in this process."""
    from knitbone.tethering.diagnosis.engine import examine  # noqa: PLC0415 - its loading is not counted

    examine(simulated_run(10))
    run = simulated_run(units, shape=shape)
    before = _resident_mb()
    seconds: list[float] = []
    processor: list[float] = []
    for _ in range(repeats):
        started, busy = time.perf_counter(), time.process_time()
        found = examine(run)
        processor.append(time.process_time() - busy)
        seconds.append(time.perf_counter() - started)
        assert found.diagnosis.units == units
    return {
        "units": units,
        "shape": shape,
        "seconds_median": round(statistics.median(seconds), 4),
        "seconds_min": round(min(seconds), 4),
        "seconds_max": round(max(seconds), 4),
        "cpu_median": round(statistics.median(processor), 4),
        "memory_mb": round(_resident_mb() - before, 1),
        "packet_characters": len(json.dumps(str(found.packet))),
    }


def _resident_mb() -> float:
    scale = 1024 if sys.platform != "darwin" else 1024**2
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale


def evaluate(repeats: int) -> dict[str, Any]:
    """All sizes and shapes, each in a fresh process."""
    rows: list[dict[str, Any]] = []
    for shape in ("imported", "recorded"):
        for units in SIZES:
            command = [sys.executable, "-m", __spec__.name if __spec__ else __name__]
            command += ["--one", str(units), "--shape", shape, "--repeats", str(repeats)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows.append(json.loads(done.stdout))
            print(f"{shape:<9} {units:>6} units  {rows[-1]['seconds_median']:.3f} s", flush=True)
    return {
        "title": "Diagnosis against run length, simulated runs, no model",
        "seed": SEED,
        "repeats": repeats,
        "cores": os.cpu_count(),
        "load_average": [round(value, 1) for value in os.getloadavg()],
        "versions": {
            "knitbone": __version__, "python": platform.python_version(),
            "scikit-learn": sklearn.__version__, "numpy": np.__version__,
        },
        "rows": rows,
        "growth": {shape: growth(rows, shape) for shape in ("imported", "recorded")},
        "targets_met": {
            str(units): all(r["seconds_max"] < limit for r in rows if r["units"] == units)
            for units, limit in TARGETS.items()
        },
    }  # fmt: skip


def growth(rows: list[dict[str, Any]], shape: str) -> dict[str, float]:
    """The exponents of time and memory in the run's length, from 1,000 units on; 1 is linear."""
    chosen = [row for row in rows if row["shape"] == shape and row["units"] >= 1_000]
    sizes = np.log([row["units"] for row in chosen])

    def exponent(values: list[float]) -> float:
        return round(float(np.polyfit(sizes, np.log(np.maximum(values, 0.1)), 1)[0]), 2)

    return {
        "processor time": exponent([row["cpu_median"] for row in chosen]),
        "memory": exponent([row["memory_mb"] for row in chosen]),
    }


def render(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    lines = [
        f"### {result['title']}",
        "",
        "| run | units | seconds, median of "
        f"{result['repeats']} [min, max] | processor seconds | memory above the run's own, MB |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row['shape']} | {row['units']:,} | {row['seconds_median']:.3f} "
        f"[{row['seconds_min']:.3f}, {row['seconds_max']:.3f}] | {row['cpu_median']:.3f} | "
        f"{row['memory_mb']:.0f} |"
        for row in result["rows"]
    ]
    for shape, exponents in result["growth"].items():
        lines += ["", f"{shape}, from 1,000 units on: processor time grows with "
                  f"n^{exponents['processor time']}, "
                  f"memory with n^{exponents['memory']}."]  # fmt: skip
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    lines += ["", f"Seed {result['seed']}; {result['cores']} cores, load average "
              f"{result['load_average'][0]}; {versions}.", ""]  # fmt: skip
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", type=int, help="measure this size alone and print its row")
    parser.add_argument("--shape", choices=["imported", "recorded"], default="imported")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args(argv)
    if arguments.one is not None:
        print(json.dumps(measure(arguments.one, arguments.shape, arguments.repeats)))
        return
    result = evaluate(arguments.repeats)
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    text = render(result)
    arguments.out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
