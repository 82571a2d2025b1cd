"""Test suites of real LLM packages, bare and under knitbone: ``python -m
knitbone_evals.adapt.suites``.

Each package of ``suites.toml`` is fetched from the package index as a source distribution, because
that is where its tests are, and installed with exact versions into an environment of its own. Its
suite then runs twice: bare, and under ``knitbone run --mode observe``. Every test must end as it
did bare. Printed are the tests by outcome, the sites that knitbone knows and those that delivered
at least one value while the suite ran, the values seen, and what the second run took longer.

The models are doubled by the suites themselves (fake classes, recorded exchanges). Tests that
fail bare, because they need a service or the network, are deselected, each with its reason in
``suites.toml``.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path

import platformdirs

from knitbone import __version__
from knitbone_evals.adapt.suites.environment import Suite, prepare, read_suites
from knitbone_evals.adapt.suites.measure import measure
from knitbone_evals.paths import RESULTS, write_result

RESULT = RESULTS / "suites.json"
LEAST_TESTS, LEAST_SITES = 500, 20
"""What a suite has to reach to count as evidence."""


def verdict(found: dict) -> list[str]:
    """What is wrong with one suite's figures; nothing, if it shows what it should."""
    wrong = [f"{test}: {was} bare, {now} observed" for test, was, now in found["differences"]]
    for run in ("bare", "observed"):
        if broken := sum(found[run]["tests"].get(kind, 0) for kind in ("failed", "error")):
            wrong.append(f"{broken} tests fail {run}")
    if (ran := found["bare"]["tests"].get("passed", 0)) < LEAST_TESTS:
        wrong.append(f"only {ran} tests pass")
    if found["sites executed"] < LEAST_SITES:
        wrong.append(f"only {found['sites executed']} sites executed")
    return wrong


def row(name: str, found: dict) -> list[str]:
    def tests(run: str) -> str:
        return ", ".join(f"{number} {kind}" for kind, number in found[run]["tests"].items())

    return [
        f"{name} {found['version']}",
        tests("bare"),
        tests("observed"),
        str(len(found["differences"])),
        f"{found['sites executed']} of {found['sites known']}",
        str(found["values seen"]),
        f"{found['bare']['seconds']:.0f} s",
        f"{found['observed']['seconds']:.0f} s (of it analysis {found['analysis seconds']:.0f} s)",
        f"{found['ratio']:.2f}",
    ]


HEADERS = (
    "package", "bare", "under knitbone", "tests that differ", "sites executed", "values seen",
    "wall time bare", "under knitbone", "ratio",
)  # fmt: skip


def render(result: dict) -> str:
    """The result as Markdown."""
    lines = [
        f"### {result['title']}",
        "",
        "| " + " | ".join(HEADERS) + " |",
        "|" + " --- |" * len(HEADERS),
    ]
    lines += ["| " + " | ".join(row(*item)) + " |" for item in result["suites"].items()]
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    return "\n".join([*lines, "", f"One run of each, analysis not cached; {versions}.", ""])


def save(out: Path, found: dict[str, dict]) -> dict:
    """Write the figures; those of suites that were not run this time are kept."""
    kept = json.loads(out.read_text(encoding="utf-8"))["suites"] if out.exists() else {}
    result = {
        "title": "Test suites of real packages, bare and under knitbone run --mode observe",
        "versions": {"knitbone": __version__, "system": platform.system()},
        "suites": dict(sorted({**kept, **found}.items())),
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    write_result(out, result)
    out.with_suffix(".md").write_text(render(result), encoding="utf-8")
    return result


def chosen(names: list[str] | None) -> dict[str, Suite]:
    suites = read_suites()
    if unknown := set(names or ()) - set(suites):
        sys.exit(f"No suite of {', '.join(sorted(unknown))}; there are {', '.join(suites)}.")
    return {name: suite for name, suite in suites.items() if not names or name in names}


def main() -> int:
    """Prepare, measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", action="append", metavar="NAME", help="only this suite")
    parser.add_argument(
        "--cache",
        type=Path,
        default=platformdirs.user_cache_path("knitbone") / "suites",
        help="where sources and environments are kept between runs",
    )
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    wrong: dict[str, list[str]] = {}
    found: dict[str, dict] = {}
    for name, suite in chosen(arguments.package).items():
        print(f"== {name} {suite.version}", flush=True)
        found[name] = measure(suite, prepare(suite, arguments.cache.resolve()))
        wrong[name] = verdict(found[name])
        result = save(arguments.out, {name: found[name]})
    print(render({**result, "suites": found}))
    for name, reasons in wrong.items():
        for reason in reasons:
            print(f"{name}: {reason}")
    return int(any(wrong.values()))


if __name__ == "__main__":
    sys.exit(main())
