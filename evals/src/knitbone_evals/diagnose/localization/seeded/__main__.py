"""How often the diagnosis finds a seeded fault in simulated runs: ``python -m
knitbone_evals.diagnose.localization.seeded``.

The runs are simulated (``corpus.py``): they say whether a mechanism finds the faults it is meant
for among harmless reverses and remarks, not how often real agents make them. Planes were developed
on half of the subjects (themes, trades) and are reported on both halves.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from knitbone import __version__
from knitbone_evals.diagnose.localization.methods import (
    ABLATIONS,
    KNITBONE,
    Scored,
    random_measures,
    score,
)
from knitbone_evals.diagnose.localization.metrics import (
    COMPARED,
    RESAMPLES,
    SEED,
    interval,
    measures,
    paired,
)
from knitbone_evals.diagnose.localization.seeded.corpus import seeded_runs
from knitbone_evals.paths import RESULTS, write_result

RESULT = RESULTS / "localization_seeded.json"
METHODS = (
    *(name for name in ABLATIONS if name != "offline plane everywhere"),
    "random", "first", "last (recency)", "first error", "longest",
)  # fmt: skip


def measure(
    runs: Sequence[tuple[str, Scored]], generator: np.random.Generator
) -> dict[str, list[dict[str, float]]]:
    """Per method, the metrics of every run; of ours also whether the region holds the fault."""
    found: dict[str, list[dict[str, float]]] = {}
    for name in METHODS:
        found[name] = []
        for _, run in runs:
            if name == "random":
                metrics = random_measures(run, generator)
            else:
                metrics = measures(run.ranking(name), run.case.label)
            if name in run.regions:
                metrics["region"] = run.covered(run.regions[name], messages=False)
            found[name].append(metrics)
    return found


def evaluate(count: int) -> dict[str, Any]:
    """All tables, for the half that was developed on and the held-out half."""
    halves: dict[str, Any] = {}
    for half, held_out in (("developed on", False), ("held-out subjects", True)):
        generator = np.random.default_rng(SEED)
        kinds: dict[str, Any] = {}
        pool: dict[str, list[dict[str, float]]] = {name: [] for name in METHODS}
        for kind, labelled in seeded_runs(count, seed=SEED + held_out, held_out=held_out).items():
            runs = [(fault, score(case)) for fault, case in labelled]
            found = measure(runs, generator)
            for name in METHODS:
                pool[name] += found[name]
            kinds[kind] = {
                "n": len(runs),
                "methods": {name: _row(rows, generator) for name, rows in found.items()},
                "faults": _by_fault(runs, found[KNITBONE], generator),
            }
        halves[half] = {
            "kinds": kinds,
            "label-free less": {
                name: paired(pool[KNITBONE], pool[name], generator)
                for name in METHODS
                if name != KNITBONE
            },
        }
    return {
        "title": "Seeded faults in simulated runs", "seed": SEED, "resamples": RESAMPLES,
        "knitbone": __version__, "halves": halves,
    }  # fmt: skip


def _row(
    rows: Sequence[Mapping[str, float]], generator: np.random.Generator
) -> dict[str, list[float]]:
    shown = [metric for metric in ("exact", "top-3", "region") if metric in rows[0]]
    return {metric: interval([row[metric] for row in rows], generator) for metric in shown}


def _by_fault(
    runs: Sequence[tuple[str, Scored]],
    rows: Sequence[Mapping[str, float]],
    generator: np.random.Generator,
) -> dict[str, Any]:
    faults = dict.fromkeys(fault for fault, _ in runs)
    groups = {
        fault: [row for (own, _), row in zip(runs, rows, strict=True) if own == fault]
        for fault in faults
    }
    return {fault: {"n": len(group), **_row(group, generator)} for fault, group in groups.items()}


def render(result: Mapping[str, Any]) -> str:
    """The result as Markdown."""
    lines = [f"### {result['title']}", ""]
    for half, tables in result["halves"].items():
        for kind, found in tables["kinds"].items():
            lines += [f"**{kind}, {half}** (n = {found['n']}, simulated)", ""]
            lines += _table("method", found["methods"])
            lines += _table("fault, label-free", found["faults"])
        lines += [f"**Paired differences: knitbone, label-free, less ..., {half}, pooled**", ""]
        lines += ["| less | " + " | ".join(COMPARED) + " |", "| --- | --- | --- | --- |"]
        for name, row in tables["label-free less"].items():
            cells = ["{:+.2f} [{:+.2f}, {:+.2f}] p = {:.3f}".format(*row[m]) for m in COMPARED]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        lines.append("")
    lines += [f"95 % bootstrap intervals over runs ({result['resamples']} resamples), p by flipping"
              f" signs, seed {result['seed']}, knitbone {result['knitbone']}.", ""]  # fmt: skip
    return "\n".join(lines)


def _table(title: str, rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = [f"| {title} | exact | top-3 | region |", "| --- | --- | --- | --- |"]
    for name, row in rows.items():
        label = f"{name} ({row['n']})" if "n" in row else name
        cells = [
            "{:.2f} [{:.2f}, {:.2f}]".format(*row[m]) if m in row else ""
            for m in ("exact", "top-3", "region")
        ]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def main() -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=150, help="of each kind of run and half")
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    result = evaluate(arguments.runs)
    write_result(arguments.out, result)
    text = render(result)
    arguments.out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
