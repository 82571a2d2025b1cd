"""Speed, one benchmark after the other: ``python -m benchmarks``.

``python -m benchmarks.sizes`` (downloads every extra) and ``benchmarks.page_pictures`` (a browser)
are started by themselves. How good knitbone is, ``python -m knitbone_evals`` measures.
"""

from __future__ import annotations

import subprocess
import sys

NAMES = (
    "records",
    "capture",
    "instrumentation",
    "structured",
    "adapt_latency",
    "first_answer",
    "analysis_scale",
    "diagnosis_scale",
    "supervision_latency",
    "supervision_hooks",
    "fuzz_throughput",
)


def main() -> int:
    """Run all of them; 1 where one fails."""
    failed = 0
    for name in NAMES:
        print(f"== {name}", flush=True)
        failed |= subprocess.call([sys.executable, "-m", f"benchmarks.{name}"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
