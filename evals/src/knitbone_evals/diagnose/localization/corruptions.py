"""Which planes find a seeded fault in a run with tools: ``python -m
knitbone_evals.diagnose.localization.corruptions CORPUS``.

CORPUS is what ``python -m knitbone_evals.training.prepare CORPUS`` writes. The runs are
simulated: gold replays of tasks that no model was trained on, with one seeded fault each, executed
in the simulator. That the offline plane takes part in the ranking of runs with tools was decided on
the validation part; the test part is reported.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from knitbone.tethering.diagnosis.detect.conduct import score_conduct
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.detect.local import forest_scores, score_units
from knitbone.tethering.diagnosis.detect.offline import MODEL
from knitbone.tethering.diagnosis.detect.offline import score_run as score_offline
from knitbone.tethering.diagnosis.features import features_of
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.region import analyst_region
from knitbone.tethering.diagnosis.rules import score_run as score_rules
from knitbone.tethering.diagnosis.suspicion import suspicions
from knitbone.tethering.diagnosis.units import build_units
from knitbone_evals.diagnose.localization.metrics import SEED, interval
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.training import without_agentdojo
from knitbone_evals.training.prepare import CorruptedRun, read_corpus

RESULT = RESULTS / "localization_corruptions.json"


def measure(record: CorruptedRun) -> dict[str, tuple[float, float, float]]:
    """Per choice of planes: exact, top-3, and whether the region holds the faulty step."""
    units = build_units(record.run)
    graph = build_graph(units)
    fault = next(unit.ordinal for unit in units if unit.event == record.event)
    rows = features_of(graph)
    local = score_units(rows)
    rules = list(score_rules(record.run, units).evidence)
    model = without_agentdojo() if "agentdojo" in record.source else MODEL
    offline = score_offline(graph, model=model)
    conduct = score_conduct(units)
    chosen: dict[str, list[PlaneEvidence]] = {
        "all planes": [*local, *offline, *rules, *conduct],
        "no offline plane": [*local, *rules, *conduct],
        "no run-local plane": [*offline, *rules, *conduct],
        "no rules": [*local, *offline, *conduct],
        "no conduct plane": [*local, *offline, *rules],
        "offline plane alone": offline,
        "run-local plane alone": local,
    }
    found: dict[str, tuple[float, float, float]] = {}
    for name, evidence in chosen.items():
        found[name] = _hits(suspicions(units, evidence), fault, graph, evidence)
    found["Isolation Forest alone"] = _hits(forest_scores(rows), fault, graph, ())
    return found


def _hits(scores, fault, graph, evidence) -> tuple[float, float, float]:
    order = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    inside = fault in analyst_region(graph, scores, evidence)
    return float(order[0] == fault), float(fault in order[:3]), float(inside)


def main() -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--split", choices=["validation", "test"], default="test")
    parser.add_argument("--runs", type=int, default=400, help="at most, drawn with the seed")
    arguments = parser.parse_args()
    generator = np.random.default_rng(SEED)
    _, corrupted = read_corpus(arguments.corpus)
    records = [record for record in corrupted if record.split == arguments.split]
    drawn = generator.permutation(len(records))[: arguments.runs]
    measured = [measure(records[k]) for k in sorted(drawn)]
    rows = {
        name: {
            metric: interval([run[name][at] for run in measured], generator)
            for at, metric in enumerate(("exact", "top-3", "region"))
        }
        for name in measured[0]
    }
    title = f"Seeded faults in simulated runs with tools, {arguments.split} part"
    lines = [f"### {title} (n = {len(measured)})", "", "| planes | exact | top-3 | region |",
             "| --- | --- | --- | --- |"]  # fmt: skip
    for name, row in rows.items():
        cells = ["{:.2f} [{:.2f}, {:.2f}]".format(*values) for values in row.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    text = "\n".join([*lines, "", f"95 % bootstrap intervals over runs, seed {SEED}.", ""])
    if arguments.split == "test":
        result = {"title": title, "n": len(measured), "seed": SEED, "planes": rows}
        write_result(RESULT, result)
        RESULT.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
