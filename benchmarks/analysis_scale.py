"""How the analysis grows with a module: ``python -m benchmarks.analysis_scale``.

Generated modules, each large in one way, at a quarter, a half and the whole of a size that no
application has: CPU seconds, expressions evaluated, and by how much both grow when the size
doubles. The last columns are a whole decoration in a process of its own, with nothing cached and
under the default budget (``adapt.analysis_s``).
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.analysis_shapes import ENTRY, SHAPES, Shape
from knitbone.adaptation.analysis import Budget, OverBudget, analyse_module

RESULT = Path(__file__).parent / "results" / "adapt_analysis_scale.json"
PATIENCE_S = 120.0
"""CPU seconds after which a measurement is given up."""
_DECORATE = """
import sys, time
from types import SimpleNamespace as Part
answer = Part(choices=[Part(message=Part(content='{"answer": "a"}'))])
model = Part(chat=Part(completions=Part(create=lambda **_: answer)))
sys.modules["openai"] = Part(OpenAI=lambda: model)
sys.path.insert(0, sys.argv[1])
started = time.thread_time()
compile(open(sys.argv[1] + "/large.py").read(), "large.py", "exec")
plain = time.thread_time() - started
import knitbone
started = time.thread_time()
import large
spent = time.thread_time() - started
print(spent - plain)
print(*knitbone.adaptation.report().untouched.values())
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", help="only shapes whose name holds this; nothing is written")
    options = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    for shape in SHAPES:
        if (options.shape or "") in shape.name:
            rows.append(row(shape))
            print(shape.name, rows[-1]["seconds"], rows[-1]["decoration"], file=sys.stderr)
    result = {"python": platform.python_version(), "load": os.getloadavg()[0], "shapes": rows}
    print(render(result))
    if not options.shape:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        RESULT.with_suffix(".md").write_text(render(result), encoding="utf-8")
    return 0


def row(shape: Shape) -> dict[str, Any]:
    """One shape at three sizes, and decorated."""
    sizes = [max(1, shape.large // part) for part in (4, 2, 1)]
    seconds: list[float] = []
    work: list[int] = []
    for size in sizes:
        budget = Budget(PATIENCE_S)
        started = time.process_time()
        try:
            analyse_module(Path("large.py"), shape.source(size), budget=budget)
        except OverBudget:
            break
        seconds.append(round(time.process_time() - started, 3))
        work.append(budget.looked_at)
    decorated, reason = _decorated(shape)
    return {
        "shape": shape.name,
        "sizes": sizes,
        "seconds": seconds,
        "expressions": work,
        "seconds grow": _ratios(seconds),
        "expressions grow": _ratios(work),
        "decoration": decorated,
        "untouched": reason,
    }


def _ratios(values: Sequence[float]) -> list[float]:
    pairs = itertools.pairwise(values)
    return [round(after / max(before, 1e-3), 2) for before, after in pairs]


def _decorated(shape: Shape) -> tuple[float, str]:
    """CPU seconds by which a decorated function delays its module's import; why it was left."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "large.py").write_text(shape.source(shape.large) + ENTRY, encoding="utf-8")
        output = subprocess.check_output(
            [sys.executable, "-c", _DECORATE, folder],
            env={**os.environ, "XDG_CACHE_HOME": folder},
            text=True,
            stderr=subprocess.DEVNULL,
        )
    seconds, _, reason = output.strip().partition("\n")
    return round(float(seconds), 2), reason


def render(result: dict[str, Any]) -> str:
    """The table, as Markdown."""
    lines = [
        "# adapt: how the analysis grows with a module",
        "",
        f"Python {result['python']}, load {result['load']:.1f} at the end. CPU seconds; *grow*: "
        "when the size doubles, once and twice.",
        "",
        "| shape | size | seconds | grow | expressions | grow | decoration | left as it is |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for shape in result["shapes"]:
        cells = [
            shape["shape"],
            f"{shape['sizes'][-1]:,}",
            shape["seconds"][-1] if len(shape["seconds"]) == 3 else f"over {PATIENCE_S:g}",
            ", ".join(f"{ratio:g}" for ratio in shape["seconds grow"]),
            f"{shape['expressions'][-1]:,}" if shape["expressions"] else "",
            ", ".join(f"{ratio:g}" for ratio in shape["expressions grow"]),
            shape["decoration"],
            shape["untouched"].partition(":")[0],
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
