"""How often the diagnosis finds the step that annotators blamed: ``python -m
benchmarks.localization --data DIR``.

DIR holds ``who_and_when`` (github.com/ag2ai/Agents_Failure_Attribution) and ``agentrx``
(AgentRx's labelled τ-bench retail and Magentic-One runs). Nothing is fitted to the labels except,
as a baseline, the best constant positions, and those leave-one-out. No model is involved.

The Magentic-One runs of AgentRx overlap the hand-crafted part of Who&When, so they are never
pooled with it. A label on a message that no agent wrote (a user's turn, an executor's report) can
never be hit exactly; it counts as a miss.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np
import sklearn

from knitbone import __version__
from knitbone.config import TetherConfig
from knitbone.core.events import Run
from knitbone.tethering.detect.local import forest_scores, score_units
from knitbone.tethering.features import features_of
from knitbone.tethering.frontier import expand
from knitbone.tethering.graph import build_graph
from knitbone.tethering.importers import import_file
from knitbone.tethering.importers.agentrx import read_ground_truth
from knitbone.tethering.suspicion import suspicions
from knitbone.tethering.units import TransitionUnit, build_units

SEED = 20240501
RESAMPLES = 4_000
RANDOM_DRAWS = 400
RESULT = Path(__file__).parent / "results" / "localization.json"
POOLED = ("algorithm-generated", "hand-crafted", "tau-retail")
METHODS = {
    "knitbone": "knitbone (run-local plane)",
    "forest": "Isolation Forest alone",
    "positions": "best constant positions, leave-one-out",
    "random": "random",
    "first": "first",
    "last": "last (recency)",
    "frequency": "frequency of the kind of step",
    "first error": "first error",
    "longest": "longest",
}
METRICS = ("exact", "within 1", "within 3", "within 5", "top-3", "median error")


class Case(NamedTuple):
    """One labelled run: its label, its units, and each method's ranking as source indices."""

    label: int
    units: tuple[TransitionUnit, ...]
    rankings: dict[str, list[int]]
    region: tuple[int, ...]


def labelled_runs(data: Path) -> dict[str, list[tuple[Run, int]]]:
    """The sets, each a list of runs with the 0-based index of the blamed message."""
    sets: dict[str, list[tuple[Run, int]]] = {}
    for name, folder in (
        ("algorithm-generated", "Algorithm-Generated"),
        ("hand-crafted", "Hand-Crafted"),
    ):
        files = sorted((data / "who_and_when" / folder).glob("*.json"))
        items = [item for file in files for item in import_file(file)]
        sets[name] = [
            (item.run, item.labels[0].body["index"])
            for item in items
            if item.labels and item.labels[0].body["index"] is not None
        ]
    for name, truth, files in (
        ("tau-retail", "tau_ground_truth.json", [data / "agentrx" / "tau_retail_runs.json"]),
        (
            "magentic-one",
            "magentic_one_ground_truth.json",
            sorted((data / "agentrx" / "magentic_one").glob("*.json")),
        ),
    ):
        content = json.loads((data / "agentrx" / truth).read_text(encoding="utf-8"))
        causes = {cause.trajectory: cause.index for cause in read_ground_truth(content, truth)}
        sets[name] = []
        for item in (item for file in files for item in import_file(file)):
            identity = item.run.origin.identity if item.run.origin else {}
            key = str(identity.get("trajectory_id", identity.get("task_id")))
            if key in causes:
                sets[name].append((item.run, causes[key]))
    return sets


def rank(run: Run, label: int) -> Case:
    """Every method's ranking of one run's units, except the fitted baseline."""
    units = build_units(run)
    graph = build_graph(units)
    rows = features_of(graph)
    config = TetherConfig()
    scores = suspicions(units, score_units(rows, config))
    kinds = Counter(unit.kind for unit in units)
    chosen: dict[str, Callable[[TransitionUnit], float]] = {
        "knitbone": lambda unit: scores[unit.ordinal],
        "first": lambda unit: -unit.ordinal,
        "last": lambda unit: unit.ordinal,
        "frequency": lambda unit: kinds[unit.kind],
        "first error": lambda unit: float(unit.status == "error"),
        "longest": lambda unit: len(unit.action),
    }
    forest = forest_scores(rows, config)
    chosen["forest"] = lambda unit: forest[unit.ordinal]
    rankings = {
        name: [u.index for u in sorted(units, key=lambda u: (-score(u), u.ordinal))]
        for name, score in chosen.items()
    }
    region = tuple(units[k].index for k in expand(graph, scores))
    return Case(label, units, rankings, region)


def position_ranking(cases: list[Case], left_out: int) -> list[int]:
    """Message positions in the order of how often they are blamed in the other runs."""
    counts = Counter(case.label for k, case in enumerate(cases) if k != left_out)
    fitted = sorted(counts, key=lambda position: (-counts[position], position))
    present = {unit.index for unit in cases[left_out].units}
    return [position for position in fitted if position in present] or sorted(present)


def measures(ranking: list[int], label: int) -> dict[str, float]:
    """The metrics of one ranking of one run."""
    error = abs(ranking[0] - label)
    return {
        "exact": float(error == 0),
        "within 1": float(error <= 1),
        "within 3": float(error <= 3),
        "within 5": float(error <= 5),
        "top-3": float(label in ranking[:3]),
        "median error": float(error),
    }


def score_set(
    cases: list[Case], generator: np.random.Generator
) -> dict[str, list[dict[str, float]]]:
    """Per method, the metrics of every run."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in METHODS}
    for number, case in enumerate(cases):
        for name, ranking in case.rankings.items():
            found[name].append(measures(ranking, case.label))
        found["positions"].append(measures(position_ranking(cases, number), case.label))
        indices = [unit.index for unit in case.units]
        draws = [
            measures([indices[k] for k in generator.permutation(len(indices))], case.label)
            for _ in range(RANDOM_DRAWS)
        ]
        found["random"].append({m: float(np.mean([d[m] for d in draws])) for m in METRICS})
    return found


def interval(values: list[float], generator: np.random.Generator, *, median: bool) -> list[float]:
    """Point estimate and the 95 % bootstrap interval over runs."""
    array = np.asarray(values)
    of = np.median if median else np.mean
    samples = generator.integers(0, len(array), size=(RESAMPLES, len(array)))
    spread = of(array[samples], axis=1)
    low, high = np.quantile(spread, [0.025, 0.975])
    return [round(float(value), 3) for value in (of(array), low, high)]


def evaluate(data: Path) -> dict[str, object]:
    """The whole table."""
    generator = np.random.default_rng(SEED)
    sets: dict[str, object] = {}
    per_run: dict[str, dict[str, list[dict[str, float]]]] = {}
    for name, runs in labelled_runs(data).items():
        cases = [rank(run, label) for run, label in runs]
        found = per_run[name] = score_set(cases, generator)
        sets[name] = {
            "n": len(cases),
            "labels on a message no agent wrote": sum(
                case.label not in {unit.index for unit in case.units} for case in cases
            ),
            "region": {
                "coverage": interval(
                    [float(case.label in case.region) for case in cases], generator, median=False
                ),
                "share of the run": interval(
                    [len(case.region) / len(case.units) for case in cases], generator, median=False
                ),
            },
            "methods": {
                method: {
                    metric: interval(
                        [run[metric] for run in found[method]],
                        generator,
                        median=metric == "median error",
                    )
                    for metric in METRICS
                }
                for method in METHODS
            },
        }
    return {
        "title": "Localization of the blamed step, no model, no labels used",
        "seed": SEED,
        "resamples": RESAMPLES,
        "versions": {
            "knitbone": __version__, "python": platform.python_version(),
            "scikit-learn": sklearn.__version__, "networkx": nx.__version__,
            "numpy": np.__version__,
        },
        "sets": sets,
        "paired differences, pooled over " + ", ".join(POOLED): paired(per_run, generator),
    }  # fmt: skip


def paired(
    per_run: dict[str, dict[str, list[dict[str, float]]]], generator: np.random.Generator
) -> dict[str, dict[str, list[float]]]:
    """knitbone less each baseline, run by run, with the bootstrap interval of the mean."""
    table: dict[str, dict[str, list[float]]] = {}
    for baseline in METHODS:
        if baseline == "knitbone":
            continue
        table[baseline] = {}
        for metric in ("exact", "top-3"):
            differences = [
                ours[metric] - theirs[metric]
                for name in POOLED
                for ours, theirs in zip(
                    per_run[name]["knitbone"], per_run[name][baseline], strict=True
                )
            ]
            table[baseline][metric] = interval(differences, generator, median=False)
    return table


def render(result: dict) -> str:
    """The result as Markdown."""
    lines = [f"### {result['title']}", ""]
    for name, found in result["sets"].items():
        region = found["region"]
        coverage, share = region["coverage"], region["share of the run"]
        lines += [
            f"**{name}** (n = {found['n']}; region covers {coverage[0]:.2f}"
            f" [{coverage[1]:.2f}, {coverage[2]:.2f}] with {share[0]:.2f} of the run)",
            "",
            "| method | " + " | ".join(METRICS) + " |",
            "| --- |" + " --- |" * len(METRICS),
        ]
        for method, label in METHODS.items():
            cells = [
                "{:.2f} [{:.2f}, {:.2f}]".format(*found["methods"][method][metric])
                for metric in METRICS
            ]
            lines.append(f"| {label} | " + " | ".join(cells) + " |")
        lines.append("")
    key = next(key for key in result if key.startswith("paired"))
    lines += [f"**{key}**", "", "| knitbone less | exact | top-3 |", "| --- | --- | --- |"]
    for baseline, row in result[key].items():
        cells = ["{:+.2f} [{:+.2f}, {:+.2f}]".format(*row[metric]) for metric in row]
        lines.append(f"| {METHODS[baseline]} | " + " | ".join(cells) + " |")
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    lines += ["", f"95 % bootstrap intervals over runs, seed {result['seed']}; {versions}.", ""]
    return "\n".join(lines)


def main() -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    result = evaluate(arguments.data)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    text = render(result)
    arguments.out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
