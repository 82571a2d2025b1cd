"""How often the diagnosis finds the step that annotators blamed: ``python -m
knitbone_evals.diagnose.localization --data DIR``.

DIR holds ``who_and_when`` (github.com/ag2ai/Agents_Failure_Attribution) and ``agentrx``
(AgentRx's labelled τ-bench retail and Magentic-One runs). The label-free lines are fitted to
nothing; the best constant positions are fitted to the labels of other runs. No model
is involved.

A label on a message that no agent wrote (a user's turn, an executor's report) can never be hit
exactly; it counts as a miss.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

import networkx as nx
import numpy as np
import onnxruntime
import scipy
import sklearn

from knitbone import __version__
from knitbone_evals.diagnose.localization.airline import airline
from knitbone_evals.diagnose.localization.methods import (
    ABLATIONS,
    BASELINES,
    KNITBONE,
    POSITIONS,
    SINGLE,
    Scored,
    positions,
    random_measures,
    score,
)
from knitbone_evals.diagnose.localization.metrics import (
    RESAMPLES,
    SEED,
    interval,
    measures,
    paired,
    summary,
)
from knitbone_evals.diagnose.localization.position import (
    POSITION,
    beyond_position,
    position_rankings,
)
from knitbone_evals.diagnose.localization.rule_table import rule_table
from knitbone_evals.diagnose.localization.sets import POOLED, labelled_runs
from knitbone_evals.diagnose.localization.tables import render
from knitbone_evals.paths import RESULTS, write_result

RESULT = RESULTS / "localization.json"
POOLS = {
    ", ".join(POOLED): POOLED,
    "algorithm-generated, magentic-one, tau-retail": (
        "algorithm-generated",
        "magentic-one",
        "tau-retail",
    ),
}
Measured = dict[str, list[dict[str, float]]]


def measure(runs: Sequence[Scored], generator: np.random.Generator) -> Measured:
    """Per method, the metrics of every run of one set."""
    found: Measured = {}
    for name in (*ABLATIONS, *BASELINES, *SINGLE):
        if name == POSITIONS:
            found[name] = [measures(positions(runs, run), run.case.label) for run in runs]
        elif name == "random":
            found[name] = [random_measures(run, generator) for run in runs]
        else:
            found[name] = [measures(run.ranking(name), run.case.label) for run in runs]
    found[POSITION] = [
        measures(run.by_score(scores), run.case.label)
        for run, scores in zip(runs, position_rankings(runs), strict=True)
    ]
    return found


def regions(runs: Sequence[Scored], generator: np.random.Generator) -> dict[str, object]:
    """Per ablation, how often the region holds the blamed step, and how large it is."""
    return {
        name: {
            "coverage": interval(
                [run.covered(run.regions[name], messages=True) for run in runs], generator
            ),
            "coverage by action": interval(
                [run.covered(run.regions[name], messages=False) for run in runs], generator
            ),
            "share": interval([len(run.regions[name]) / len(run.units) for run in runs], generator),
            "largest share": max(len(run.regions[name]) / len(run.units) for run in runs),
        }
        for name in ABLATIONS
    }


def pooled(
    found: Mapping[str, Measured], ours: str, generator: np.random.Generator
) -> dict[str, dict[str, dict[str, list[float]]]]:
    """One method less each other, over the sets that may be pooled and over the rest."""
    others = (*ABLATIONS, *BASELINES, POSITION)
    table: dict[str, dict[str, dict[str, list[float]]]] = {}
    for title, names in POOLS.items():
        table[title] = {
            other: paired(
                [run for name in names for run in found[name][ours]],
                [run for name in names for run in found[name][other]],
                generator,
            )
            for other in others
            if other != ours
        }
    return table


def by_fact(
    found: Mapping[str, Measured], generator: np.random.Generator
) -> dict[str, dict[str, dict[str, list[float]]]]:
    """What each fact of the conduct plane adds: the ranking with it less the one without, by set
    and pooled; the first facts beside all others, then each as the only one."""
    groups = {**{name: (name,) for name in found}, ", ".join(POOLED): POOLED}
    table: dict[str, dict[str, dict[str, list[float]]]] = {}
    for name in SINGLE:
        with_it, without = (
            (KNITBONE, name) if name.startswith("without") else (name, "no conduct plane")
        )
        table[name] = {
            group: paired(
                [run for one in names for run in found[one][with_it]],
                [run for one in names for run in found[one][without]],
                generator,
            )
            for group, names in groups.items()
        }
    return table


def evaluate(data: Path) -> dict[str, object]:
    """All tables."""
    generator = np.random.default_rng(SEED)
    sets = {name: [score(case) for case in cases] for name, cases in labelled_runs(data).items()}
    found = {name: measure(runs, generator) for name, runs in sets.items()}
    spans = {name: regions(runs, generator) for name, runs in sets.items()}
    everything = [run for name in POOLED for run in sets[name]]
    spans["pooled over the first three"] = regions(everything, generator)
    return {
        "title": "Localization of the blamed step, no model",
        "note": f'"{KNITBONE}" and its ablations use no label; "{POSITIONS}" and'
        f' "{POSITION}" are'
        " fitted to the labels of the other runs.",
        "seed": SEED,
        "resamples": RESAMPLES,
        "versions": {
            "knitbone": __version__, "python": platform.python_version(),
            "scikit-learn": sklearn.__version__, "networkx": nx.__version__,
            "numpy": np.__version__, "scipy": scipy.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
        "sets": {
            name: {
                "n": len(runs),
                "labels on a message no agent wrote": sum(run.blamed is None for run in runs),
                "methods": {
                    method: summary(found[name][method], generator)
                    for method in found[name]
                    if method not in SINGLE
                },
            }
            for name, runs in sets.items()
        },
        "ablations": ABLATIONS,
        "regions": spans,
        "label-free less": pooled(found, KNITBONE, generator),
        "beyond position": beyond_position(
            sets, POOLS, (KNITBONE, "no conduct plane"), generator
        ),
        "facts": by_fact(found, generator),
        "airline": airline(data, generator),
        "rules": rule_table(data),
    }  # fmt: skip


def main() -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    result = evaluate(arguments.data)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write_result(arguments.out, result)
    text = render(result)
    arguments.out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
