"""What adapt detects, repairs and harms, against other tools: ``python -m knitbone_evals.adapt``.

The cases and their right results come from ``cases.py`` and ``natural.py``; what the columns mean
is said in ``metrics.py`` and ``natural_metrics.py``, what stands behind the simulated model in
``simulated.py``. The libraries of other tools are used from an environment of their own:

    python -m venv .venv-peers
    .venv-peers/bin/python -m pip install -r evals/src/knitbone_evals/adapt/peers/requirements.txt
    python -m knitbone_evals.adapt --data DIR --peers .venv-peers/bin/python
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any

from knitbone_evals.adapt import report, tables
from knitbone_evals.adapt.cases import APPS
from knitbone_evals.adapt.metrics import figures_by_kind
from knitbone_evals.adapt.peers.client import LIBRARIES, peer_versions
from knitbone_evals.adapt.registry import (
    DEFAULT,
    KNITBONE,
    ablation,
    all_peers,
    knitbone_alone,
    sensitivity,
)
from knitbone_evals.adapt.work import HALVES, QUICK, Outcome, Treatments, jobs, perform_all
from knitbone_evals.paths import RESULTS, write_result

TITLE = "adapt: seeded and natural faults, judged by the downstream code's result"


def main(argv: list[str] | None = None) -> int:
    """Measure, print, and write the result if it is the whole one."""
    arguments = _parser().parse_args(argv)
    python = None if arguments.peers is None else str(arguments.peers)
    result = measure(arguments, python)
    print(tables.render(result))
    out = arguments.out
    whole = arguments.half == "all" and not arguments.quick and arguments.app is None
    if out is None and whole and arguments.data is not None and not arguments.knitbone:
        out = RESULTS / "adapt.json"
    if out is not None:
        write_result(out, result)
        out.with_suffix(".md").write_text(tables.render(result), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m knitbone_evals.adapt",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="folder of the public data sets")
    parser.add_argument("--seed", type=int, default=0)
    folders = sorted({path.parent.parent.name for path in APPS.glob("*/*/app.py")})
    parser.add_argument("--half", choices=(*folders, "all"), default="all")
    parser.add_argument("--app", help="only this application")
    parser.add_argument("--quick", action="store_true", help=f"one case of {QUICK}")
    parser.add_argument("--verbose", action="store_true", help="list the cases that went wrong")
    parser.add_argument("--knitbone", action="store_true", help="no other tool, no ablation")
    parser.add_argument("--peers", type=Path, help="interpreter that has the other tools")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, help="where the result goes (and .md beside it)")
    return parser


def measure(arguments: argparse.Namespace, python: str | None) -> dict[str, Any]:
    """The whole result."""
    treatments: Treatments = knitbone_alone if arguments.knitbone else partial(all_peers, python)
    outcomes = _perform(arguments, treatments)
    versions = {} if python is None or arguments.knitbone else peer_versions(python)
    result: dict[str, Any] = {
        "title": TITLE,
        "provenance": report.provenance(arguments.seed, outcomes, versions),
        "not measured": [] if arguments.data else ["natural answers and real texts: no --data"],
    }
    halves = {outcome.job.half for outcome in outcomes}
    if halves - {"natural"}:
        result["halves"] = report.figures_of_halves(outcomes)
        result["halves at default settings"] = report.figures_of_halves(outcomes, DEFAULT)
    if "natural" in halves:
        result["natural"] = report.natural(outcomes)
    if arguments.verbose:
        _print_failures(outcomes)
    if arguments.knitbone:
        return result
    missing = [name for name in LIBRARIES if name not in versions]
    result["not measured"] += [f"{name}: not installed" for name in missing]
    if halves & {"seen", "unseen"}:
        result["comparison"] = report.comparison(outcomes, arguments.seed)
        result["ablation"] = _varied(arguments, ablation)
        result["sensitivity"] = _varied(arguments, sensitivity, ("context", "semantics"))
    return result


def _perform(arguments: argparse.Namespace, treatments: Treatments, **more: Any) -> list[Outcome]:
    halves = HALVES if arguments.half == "all" else (arguments.half,)
    todo = jobs(
        halves,
        arguments.data,
        arguments.seed,
        app=arguments.app,
        every=QUICK if arguments.quick else 1,
    )
    return list(perform_all(todo, treatments, arguments.processes, **more))


def _varied(
    arguments: argparse.Namespace, treatments: Treatments, defects: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Figures by kind of ours in several settings, without the cases for harm alone."""
    outcomes = _perform(arguments, treatments, defects=defects)
    grouped = report.by_treatment(outcomes, "unseen", "seen")
    return {name: figures_by_kind(scored, []) for name, (scored, _) in grouped.items()}


def _print_failures(outcomes: list[Outcome]) -> None:
    ours = [outcome for outcome in outcomes if outcome.treatment == KNITBONE]
    for outcome in ours:
        for line in tables.failures([*outcome.scored, *outcome.harmless]):
            print(line)


if __name__ == "__main__":
    sys.exit(main())
