"""Run a suite bare and under knitbone, and compare how each of its tests ended."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

from knitbone_evals.adapt.suites.environment import Place, Suite

_WORST = ("passed", "xfailed", "skipped", "failed", "error")
"""A test that ended twice (in its call and in its teardown) counts as the later of these."""
_KEPT_DIFFERENCES = 50
_PRIVATE = ("_API_KEY", "_TOKEN", "_SECRET", "_ACCESS_KEY", "_ACCESS_KEY_ID")
"""Variables with which a double that fails to stand in could reach a paid service."""


def measure(suite: Suite, place: Place) -> dict[str, Any]:
    """All figures of one suite.

    Raises:
        SystemExit: pytest or knitbone did not get as far as running tests; its output is printed.
    """
    shutil.rmtree(place.scratch)
    place.scratch.mkdir()
    # What Python compiles at the first import is compiled before anything is timed.
    _pytest(suite, place, "collect", extra=["--collect-only"])
    bare, bare_seconds = _pytest(suite, place, "bare")
    report = place.scratch / "report.json"
    launcher = [str(place.binaries / "knitbone"), "run", "--mode", "observe"]
    launcher += ["--package", suite.package, "--report", str(report), "--"]
    observed, seconds = _pytest(suite, place, "observed", launcher=launcher)
    if not report.exists():
        _give_up(place, "observed")
    body = json.loads(report.read_text(encoding="utf-8"))
    return {
        "version": suite.version,
        "python": suite.python,
        "deselected": suite.deselected,
        "bare": {"tests": counts(bare), "seconds": round(bare_seconds, 1)},
        "observed": {"tests": counts(observed), "seconds": round(seconds, 1)},
        "differences": differences(bare, observed)[:_KEPT_DIFFERENCES],
        "ratio": round(seconds / bare_seconds, 2),
        "analysis seconds": round(sum(unit["seconds"] for unit in body["analysed"]), 1),
        "sites known": len(body["known"]),
        "sites executed": len(body["executed"]),
        "values seen": sum(body["executed"].values()),
        "values by disposition": _dispositions(body["sites"]),
        "executed": {_inside(site, place): n for site, n in sorted(body["executed"].items())},
        "untouched": {_inside(name, place): why for name, why in body["untouched"].items()},
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }


def outcomes(file: Path) -> dict[str, str]:
    """How each test of a JUnit file ended, by class and name."""
    found: dict[str, str] = {}
    for case in ET.parse(file).iter("testcase"):  # written by the pytest we started
        key = f"{case.get('classname')}::{case.get('name')}"
        ended = _ended(case)
        if _WORST.index(ended) >= _WORST.index(found.get(key, "passed")):
            found[key] = ended
    return found


def _ended(case: ET.Element) -> str:
    if case.find("error") is not None:
        return "error"
    if case.find("failure") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    return "xfailed" if skipped.get("type") == "pytest.xfail" else "skipped"


def counts(found: dict[str, str]) -> dict[str, int]:
    """The number of tests by outcome."""
    numbers = Counter(found.values())
    return {kind: numbers[kind] for kind in _WORST if numbers[kind]}


def differences(bare: dict[str, str], observed: dict[str, str]) -> list[tuple[str, str, str]]:
    """Tests that ended otherwise, or ran only once."""
    return [
        (test, bare.get(test, "absent"), observed.get(test, "absent"))
        for test in sorted({*bare, *observed})
        if bare.get(test) != observed.get(test)
    ]


def _pytest(
    suite: Suite,
    place: Place,
    label: str,
    *,
    launcher: list[str] | None = None,
    extra: list[str] | None = None,
) -> tuple[dict[str, str], float]:
    """Outcomes and seconds of one run of the suite."""
    junit = place.scratch / f"{label}.xml"
    command = [*(launcher or ()), str(place.binaries / "python"), "-m", "pytest", *suite.pytest]
    command += ["-p", "no:cacheprovider", "--quiet", f"--junitxml={junit}", *(extra or ())]
    for test in suite.deselected:
        command += ["--deselect", test]
    with (place.scratch / f"{label}.log").open("wb") as log:
        started = time.perf_counter()
        subprocess.run(
            command,
            cwd=place.source,
            env=_environment(suite, place),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
        seconds = time.perf_counter() - started
    if not junit.exists():
        _give_up(place, label)
    return outcomes(junit), seconds


def _environment(suite: Suite, place: Place) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith(_PRIVATE)}
    # An empty cache: the run under knitbone includes the analysis.
    return {**kept, "XDG_CACHE_HOME": str(place.scratch / "cache"), **suite.environment}


def _give_up(place: Place, label: str) -> None:
    log = place.scratch / f"{label}.log"
    print(log.read_text(encoding="utf-8", errors="replace")[-4_000:], file=sys.stderr)
    sys.exit(f"The run {label!r} ended without results; its output is in {log}.")


def _dispositions(sites: list[dict[str, Any]]) -> dict[str, int]:
    """Values by what became of them."""
    names = ("conforming", "observed", "failed", "unknown", "unchecked", "unfinished", "plain")
    totals = {name: sum(site.get(name, 0) for site in sites) for name in names}
    return {name: number for name, number in totals.items() if number}


def _inside(name: str, place: Place) -> str:
    return name.removeprefix(f"{place.source}/")
