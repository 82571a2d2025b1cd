"""All public figures, one after the other: ``python -m benchmarks [--data DIR]``.

Without ``--data`` the benchmarks that need the public sets are passed over, and said to be.
``benchmarks.suites`` takes the better part of an hour, ``benchmarks.fuzz`` and
``benchmarks.adapt.contracts`` hours; they are started by themselves.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

PLAIN = (
    "records",
    "capture",
    "calibrate_similarity",
    "instrumentation",
    "requirements",
    "structured",
    "adapt.latency",
    "adapt.first_answer",
    "adapt.analysis_scale",
    "diagnosis_scale",
    "agent_tasks",
    "documentation",
)
WITH_DATA = (
    "localization",
    "claims",
    "misreading",
    "tool_errors",
    "context",
    "adapt",
    "adapt.prose",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder of the public data sets; see benchmarks/README.md")
    parser.add_argument("--peers", help="interpreter that has the tools adapt is compared with")
    options = parser.parse_args()
    data, peers = options.data, options.peers
    failed = 0
    for name in (*PLAIN, *WITH_DATA):
        arguments = ["--data", data] if name in WITH_DATA else []
        if name == "adapt" and peers is not None:
            arguments += ["--peers", peers]
        if name in WITH_DATA and data is None:
            print(f"== {name}: passed over, it needs --data")
            continue
        print(f"== {name}", flush=True)
        failed |= subprocess.call([sys.executable, "-m", f"benchmarks.{name}", *arguments])
    return failed


if __name__ == "__main__":
    sys.exit(main())
