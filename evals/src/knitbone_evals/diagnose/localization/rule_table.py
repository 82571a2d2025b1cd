"""Do step rules tell failed runs from successful ones? Recorded τ-bench runs with rewards; no label
of a step is involved."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from scipy import stats

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.rules import score_run
from knitbone.tethering.diagnosis.rules.records import FORM
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_file

FILES = {
    "τ-bench airline": Path("tau_airline") / "gpt-4o-runs.json",
    "τ-bench retail": Path("agentrx") / "tau_retail_runs.json",
}


def rule_table(data: Path) -> dict[str, dict[str, Any]]:
    """Per set: runs that break a rule, among the failed and the successful; Fisher's exact test.

    Demands on the form of a step are counted among the kinds only, as in the plane's score.
    """
    table: dict[str, dict[str, Any]] = {}
    for name, file in FILES.items():
        runs = [item.run for item in import_file(data / file)]
        failed = [_kinds(run) for run in runs if not _succeeded(run)]
        well = [_kinds(run) for run in runs if _succeeded(run)]
        broken = [sum(bool(kinds - FORM) for kinds in group) for group in (failed, well)]
        counts = [
            [broken[0], len(failed) - broken[0]],
            [broken[1], len(well) - broken[1]],
        ]
        table[name] = {
            "failed": len(failed),
            "failed that break a rule": broken[0],
            "successful": len(well),
            "successful that break a rule": broken[1],
            "p": round(float(stats.fisher_exact(counts).pvalue), 4),
            "kinds, failed": _counted(failed),
            "kinds, successful": _counted(well),
        }
    return table


def _succeeded(run: Run) -> bool:
    return bool(run.outcome and run.outcome.success)


def _kinds(run: Run) -> set[str]:
    report = score_run(run, build_units(run))
    return {violation.rule.kind for violation in report.violations}


def _counted(groups: list[set[str]]) -> dict[str, int]:
    return dict(Counter(kind for group in groups for kind in sorted(group)).most_common())
