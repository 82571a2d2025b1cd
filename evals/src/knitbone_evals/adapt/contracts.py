"""The contracts of adapt, tried a hundred thousand times: ``python -m
knitbone_evals.adapt.contracts``.

The same property tests as in the suite, which tries each a thousand times (one with many
parameters: over all of them); found by their decorator, which names the contract helper. It takes
hours: a test that ended is on record, and a second run of the same source goes on with the others;
with ``--keep`` also after a change of the source, which the record then tells.
``--examples 2000 --out /tmp/look.json`` is a first look.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path
from typing import Any

from knitbone_evals.paths import REPOSITORY, RESULTS, write_result

TESTS = REPOSITORY / "tests"
RESULT = RESULTS / "adapt_contracts.json"
EXAMPLES = 100_000
PARTS = ("adaptation", "common", "models")


def main() -> int:
    """Run what is not on record for this source, print all; 1 if a test failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=EXAMPLES)
    parser.add_argument("--only", default="", help="part of the test's name")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--keep", action="store_true", help="what ran on an earlier source counts")
    options = parser.parse_args()
    chosen = [test for test in contract_tests() if options.only in test]
    before = json.loads(options.out.read_bytes()) if options.out.exists() else {}
    now = source()
    done: dict[str, Any] = {
        test: of
        for test, of in before.get("tests", {}).items()
        if before["examples"] == options.examples
        and of["passed"]
        and (of["source"] == now or options.keep)
    }
    missing = [test for test in chosen if test not in done]
    print(f"{len(chosen)} contracts, {options.examples:,} examples each", flush=True)
    print(f"{len(chosen) - len(missing)} of them on record", flush=True)
    result = {
        "title": "adapt: property tests of the contracts",
        "examples": options.examples,
        "source": now,
        "versions": {"python": platform.python_version(), "hypothesis": version("hypothesis")},
        "contracts": len(list(contract_tests())),
        "tests": done,
    }
    with ThreadPoolExecutor(options.processes) as pool:
        runs = {pool.submit(run, test, options.examples): test for test in missing}
        for finished in as_completed(runs):
            done[runs[finished]] = {**finished.result(), "source": now}
            write_result(options.out, result)
            options.out.with_suffix(".md").write_text(render(result), encoding="utf-8")
            print(f"{runs[finished]}: {done[runs[finished]]}", flush=True)
    print(render(result))
    return int(not all(of["passed"] for of in done.values()))


def source() -> str:
    """What names the state of the tested code: the hash of the trees that adapt is made of."""
    command = ["git", "rev-parse", *(f"HEAD:src/knitbone/{part}" for part in PARTS)]
    found = subprocess.check_output(command, cwd=REPOSITORY, text=True)
    return hashlib.sha256(found.encode()).hexdigest()[:40]


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


def run(test: str, examples: int) -> dict[str, Any]:
    """What became of a test, in a process of its own."""
    unlimited = ["-o", "faulthandler_timeout=0"]
    without = ["-p", "no:randomly", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *without, *unlimited]
    started = time.perf_counter()
    status = subprocess.call(
        [*command, test],
        cwd=REPOSITORY,
        env={**os.environ, "KNITBONE_EXAMPLES": str(examples)},
        stdout=sys.stderr,
    )
    return {"passed": status == 0, "seconds": round(time.perf_counter() - started)}


def render(result: dict[str, Any]) -> str:
    """As Markdown."""
    tests = result["tests"]
    failed = [name for name, of in tests.items() if not of["passed"]]
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    earlier = sum(of["source"] != result["source"] for of in tests.values())
    lines = [
        f"### {result['title']}",
        "",
        f"{len(tests)} of {result['contracts']} tests run, {result['examples']:,} examples "
        f"each: {len(tests) - len(failed)} pass ({earlier} ran on an earlier state of adapt); "
        f"{sum(of['seconds'] for of in tests.values())} s of one core; {versions}.",
        "",
    ]
    return "\n".join([*lines, *(f"- failed: {name}" for name in failed)])


if __name__ == "__main__":
    sys.exit(main())
