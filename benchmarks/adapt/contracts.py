"""The contracts of adapt, tried a hundred thousand times: ``python -m benchmarks.adapt.contracts``.

The same property tests as in the suite, which tries each a thousand times; found by their
decorator, which names the contract helper. It takes hours: ``--examples 2000`` is a first look.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
TESTS = REPOSITORY / "tests" / "adaptation"
RESULT = REPOSITORY / "benchmarks" / "results" / "adapt_contracts.json"
EXAMPLES = 100_000


def main() -> int:
    """Run, print, write if it was the whole number; the status of pytest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=EXAMPLES)
    parser.add_argument("--only", default="", help="part of the test's name")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    chosen = [test for test in contract_tests() if options.only in test]
    print(f"{len(chosen)} contracts, {options.examples:,} examples each", flush=True)
    status, result = run(chosen, options.examples, options.processes)
    print(render(result))
    if options.examples >= EXAMPLES and not options.only:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        RESULT.with_suffix(".md").write_text(render(result), encoding="utf-8")
    return status


def contract_tests() -> Iterator[str]:
    """The property tests that carry a contract, as pytest names them: the decorator names it, their
    own or that of a function inside of them."""
    for file in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for test in tree.body:
            if (
                isinstance(test, ast.FunctionDef)
                and test.name.startswith("test_")
                and any(map(_is_marked, ast.walk(test)))
            ):
                yield f"{file.relative_to(REPOSITORY)}::{test.name}"


def _is_marked(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        "contract" in ast.unparse(each).lower() for each in node.decorator_list
    )


def run(tests: list[str], examples: int, processes: int) -> tuple[int, dict[str, Any]]:
    """The status of pytest, and what became of each test."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-n", str(processes)]
        started = time.perf_counter()
        status = subprocess.call(
            [*command, f"--junitxml={report}", *tests],
            cwd=REPOSITORY,
            env={**os.environ, "KNITBONE_EXAMPLES": str(examples)},
            stdout=sys.stderr,
        )
        spent = time.perf_counter() - started
        cases = list(ET.parse(report).iter("testcase"))
    return status, {
        "title": "adapt: property tests of the contracts",
        "examples": examples,
        "seconds": round(spent),
        "processes": processes,
        "versions": {"python": platform.python_version(), "hypothesis": version("hypothesis")},
        "tests": {
            f"{case.get('classname')}::{case.get('name')}": {
                "passed": len(case) == 0,
                "seconds": round(float(case.get("time", 0))),
            }
            for case in cases
        },
    }


def render(result: dict[str, Any]) -> str:
    """As Markdown."""
    tests = result["tests"]
    failed = [name for name, of in tests.items() if not of["passed"]]
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    lines = [
        f"### {result['title']}",
        "",
        f"{len(tests)} tests of up to {result['examples']:,} examples each, "
        f"{len(tests) - len(failed)} pass; {result['seconds']} s in {result['processes']} "
        f"processes; {versions}.",
        "",
    ]
    return "\n".join([*lines, *(f"- failed: {name}" for name in failed)])


if __name__ == "__main__":
    sys.exit(main())
