"""The result file: what every run gave, side by side."""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import msgspec

from knitbone_evals.adapt.requirements.intervals import RESAMPLES, SEED
from knitbone_evals.fuzz import library_table, planted_table
from knitbone_evals.fuzz.figures import ratio, share_of_tools
from knitbone_evals.fuzz.plan import Run, Runner, Tools
from knitbone_evals.fuzz.planted import registry
from knitbone_evals.fuzz.reports import Report
from knitbone_evals.fuzz.running import Treatment
from knitbone_evals.fuzz.scoring import Scored, score

__all__ = ["FEW", "MANY", "library", "planted", "provenance"]

FEW, MANY = 200, 2_000
"""Calls a tool: of the comparison, and of what there is to be found."""
_LIBRARIES = (
    "langchain-community",
    "langchain-core",
    "langchain-experimental",
    "gql",
    "rank-bm25",
)
_VERSIONS = (
    "import json, sys; from importlib.metadata import version; "
    "print(json.dumps({name: version(name) for name in sys.argv[1:]}))"
)
Figures = dict[str, Any]


def provenance(python: str | None) -> Figures:
    """Versions and seeds; of the library tools too, if ``python`` has them."""
    versions = {"python": platform.python_version()}
    versions |= {name: version(name) for name in ("knitbone", "hypothesis")}
    if python is not None:
        command = [python, "-c", _VERSIONS, *_LIBRARIES]
        versions |= json.loads(subprocess.check_output(command))
    return {"versions": versions, "bootstrap": {"seed": SEED, "resamples": RESAMPLES}}


def planted(runner: Runner, tools: Tools, seeds: Sequence[int]) -> Figures:
    """Faults found in the planted tools: the fuzzer with few calls, the baseline with few and many.

    Raises:
        KeyError: A target is not a planted tool.
    """
    ours = _scores(runner, tools, "knitbone", FEW, seeds)
    few = _scores(runner, tools, "baseline", FEW, seeds)
    many = _scores(runner, tools, "baseline", MANY, seeds)
    sides = {f"knitbone, {FEW}": ours, f"baseline, {FEW}": few, f"baseline, {MANY}": many}
    return {
        "tools": sum(one.planted for one in ours[0]),
        "sound tools": sum(not one.planted for one in ours[0]),
        "sides": {
            name: {
                "groups": planted_table.table(scores),
                "summary": planted_table.summary(scores),
                "share": share_of_tools(_hits(_median(scores))),
            }
            for name, scores in sides.items()
        },
        "missed by the baseline": _missed(ours, many),
        "missed by the fuzzer": _never(ours),
    }


def _scores(
    runner: Runner, tools: Tools, treatment: Treatment, calls: int, seeds: Sequence[int]
) -> list[list[Scored]]:
    known = registry.by_target()
    return [
        [score(known[one.target], one) for one in runner.run(tools, Run(treatment, calls, seed))]
        for seed in seeds
    ]


def _hits(scores: Sequence[Scored]) -> dict[str, bool]:
    return {one.target: one.found_at is not None for one in scores if one.planted}


def _median(seeds: Sequence[Sequence[Scored]]) -> Sequence[Scored]:
    """The scores of the seed with the median number of faults found; the lower one of two."""
    return sorted(seeds, key=lambda scores: sum(_hits(scores).values()))[(len(seeds) - 1) // 2]


def _never(seeds: Sequence[Sequence[Scored]]) -> dict[str, int]:
    """Categories of the faults that no seed found, counted: not which ones."""
    missed = {
        one.target: one.category
        for one in seeds[0]
        if one.planted and not any(_hits(scores)[one.target] for scores in seeds)
    }
    return {name: list(missed.values()).count(name) for name in sorted(set(missed.values()))}


def _missed(ours: Sequence[Sequence[Scored]], baseline: Sequence[Sequence[Scored]]) -> Figures:
    """The tools whose fault the baseline finds with no seed, and how many of them we find."""
    targets = [
        target
        for target in _hits(baseline[0])
        if not any(_hits(scores)[target] for scores in baseline)
    ]
    found = [{target: _hits(scores)[target] for target in targets} for scores in ours]
    middle = sorted(found, key=lambda hits: sum(hits.values()))[(len(found) - 1) // 2]
    return {
        "tools": [target.rpartition(".")[2] for target in targets],
        "found": [sum(hits.values()) for hits in found],
        "share": share_of_tools(middle),
    }


def library(runner: Runner, tools: Tools, seeds: Sequence[int]) -> Figures:
    """Unique errors of both sides in the library tools, with few and with many calls."""
    runs: dict[str, list[list[Report]]] = {
        f"{treatment}, {calls}": [runner.run(tools, Run(treatment, calls, seed)) for seed in seeds]
        for treatment in ("knitbone", "baseline")
        for calls in (FEW, MANY)
    }
    ours, theirs = runs[f"knitbone, {FEW}"], runs[f"baseline, {FEW}"]
    unions = [
        library_table.union_of([runs[f"knitbone, {MANY}"][place], runs[f"baseline, {MANY}"][place]])
        for place in range(len(seeds))
    ]
    whole = {error for union in unions for error in union}
    errors = [set(library_table.errors_of(reports)) for reports in ours]
    shares = [len(mine & union) / len(union) for mine, union in zip(errors, unions, strict=True)]
    rows = library_table.per_tool(list(runs.values()), whole)
    few = [[row["found"][list(runs).index(f"{name}, {FEW}")] for row in rows] for name in _SIDES]
    return {
        "tools": len(tools.targets),
        "sides": {
            name: [msgspec.to_builtins(library_table.side(reports)) for reports in run]
            for name, run in runs.items()
        },
        "union": [len(union) for union in unions],
        "union of all seeds": len(whole),
        "share of the union": [round(part, 3) for part in shares],
        "median share": round(statistics.median(shares), 3),
        "share of the union of all seeds": [
            round(len(mine & whole) / len(whole), 3) for mine in errors
        ],
        "ratio": [
            round(len(mine) / len(library_table.errors_of(reports)), 2)
            for mine, reports in zip(errors, theirs, strict=True)
        ],
        "ratio of medians": ratio(*few),
        "rows": rows,
    }


_SIDES = ("knitbone", "baseline")
