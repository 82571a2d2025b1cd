"""Time of a hook, and memory of many supervised runs: ``python -m benchmarks.supervision_latency``.

Each call brings other arguments and a result of a page of JSON (2,000 characters), or of a long
document (20,000); guidance of five directives is active. Processor time of the thread; what the
verifier takes is the model's own and left out. The memory is that of the process after runs of 40
calls, at a tenth of them and at their end.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from knitbone import __version__
from knitbone.models.embedders import MiniLmEmbedder
from knitbone.tethering.guidance.records import Directive, ExpectedCall, Guidance
from knitbone.tethering.supervision.engine import Supervisor
from knitbone.tethering.supervision.records import ReturnedCall

RESULT = Path(__file__).parent / "results" / "supervision_latency.json"
TASK = "Post the open check of 25 dollars to the Green account, then close the account and confirm."
CALLS, RUNS, STEPS = 1_000, 1_000, 40
PAGE, DOCUMENT = 2_000, 20_000
GUIDANCE = Guidance(
    task="bank-1", run="r1",
    directives=tuple(
        Directive(
            id=f"d{n}", family=f"kind {n}", constraint="required argument", distance=n,
            do=f"Give `tool_{n}` every argument that it requires, taken from a record read before.",
            expectation=ExpectedCall(tool=f"tool_{n}", arguments=("amount",)),
        )
        for n in range(5)
    ),
)  # fmt: skip


def call(number: int, characters: int) -> ReturnedCall:
    """A call that comes once."""
    rows = [
        {"id": f"R-{number}-{row}", "name": "Amberley", "at": "2026-01-01T10:00:00Z", "sum": row}
        for row in range(max(characters // 80, 1))
    ]
    return ReturnedCall(
        tool="get_records", arguments={"account": f"A-{number}", "page": number}, result=rows
    )


def timed(hook: Callable[[Any], object], given: Sequence[Any]) -> dict[str, float]:
    """Microseconds of the thread's processor time: median, 95th and 99th percentile."""
    taken: list[float] = []
    for each in given:
        began = time.thread_time_ns()
        hook(each)
        taken.append((time.thread_time_ns() - began) / 1_000)
    cuts = statistics.quantiles(taken, n=100)
    return {"median_us": round(statistics.median(taken), 1), "p95_us": round(cuts[94], 1),
            "p99_us": round(cuts[98], 1)}  # fmt: skip


def off_cost() -> float:
    """Microseconds of a hook that is switched off, by the clock of a loop without it."""
    supervisor = Supervisor(TASK, GUIDANCE, mode="off")
    one = call(1, PAGE)
    times = 200_000

    def loop(hook: Callable[[ReturnedCall], object]) -> float:
        began = time.process_time_ns()
        for _ in range(times):
            hook(one)
        return (time.process_time_ns() - began) / times / 1_000

    return round(loop(supervisor.tool_returned) - loop(lambda _: None), 3)


def resident() -> int:
    """Kilobytes of this process in memory."""
    gc.collect()
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def memory() -> dict[str, int]:
    """Kilobytes after a tenth of the runs, and after all."""
    found: dict[str, int] = {}
    for run in range(1, RUNS + 1):
        supervisor = Supervisor(TASK, GUIDANCE, record=None)
        for number in range(STEPS):
            supervisor.tool_returned(call(number, PAGE))
        supervisor.text_answered("The account has been closed.")
        if run in (RUNS // 10, RUNS):
            found[f"after {run} runs"] = resident()
    return found


def evaluate() -> dict[str, Any]:
    """All figures."""
    pages = [call(number, PAGE) for number in range(CALLS)]
    documents = [call(number, DOCUMENT) for number in range(CALLS // 4)]
    texts = [f"Step {number} is done, and the next one follows." for number in range(CALLS)]
    embedder = MiniLmEmbedder(threads=1)
    embedder.embed(["loaded"])
    plain, embedding = (
        Supervisor(TASK, GUIDANCE, record=None),
        Supervisor(TASK, GUIDANCE, record=None, embedder=embedder),
    )
    return {
        "title": "A hook of supervision", "knitbone": __version__,
        "python": platform.python_version(), "machine": platform.machine(), "calls": CALLS,
        "hooks": {
            "tool return, 2,000 characters": timed(plain.tool_returned, pages),
            "tool return, 20,000 characters": timed(plain.tool_returned, documents),
            "answer": timed(plain.text_answered, texts),
            "tool return with the embedder": timed(embedding.tool_returned, pages[:500]),
            "answer with the embedder": timed(embedding.text_answered, texts[:500]),
        },
        "off_us": off_cost(), "memory_kb": memory(),
    }  # fmt: skip


def render(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    lines = [
        f"### {result['title']}",
        "",
        "| hook | median | p95 | p99 |",
        "| --- | --- | --- | --- |",
    ]
    for name, found in result["hooks"].items():
        cells = [f"{found[key] / 1_000:.3f} ms" for key in ("median_us", "p95_us", "p99_us")]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    kept = ", ".join(f"{name} {kb / 1_024:.1f} MB" for name, kb in result["memory_kb"].items())
    about = f"{result['calls']} calls; Python {result['python']}, {result['machine']}"
    lines += ["", f"Off: {result['off_us']:.3f} µs. Memory: {kept}. Processor time, {about}.", ""]
    return "\n".join(lines)


def main() -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    result = evaluate()
    arguments.out.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    text = render(result)
    arguments.out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
