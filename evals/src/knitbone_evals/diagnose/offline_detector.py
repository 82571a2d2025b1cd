"""How well the offline detector finds seeded faults in runs of tasks it was not trained on:
``python -m knitbone_evals.diagnose.offline_detector CORPUS``.

CORPUS is what ``python -m knitbone_evals.training.prepare CORPUS`` writes: gold replays of
bfcl-eval's multi-turn simulators and agentdojo's user tasks, and, of held-out tasks, replays with
one seeded fault each, executed in the simulator. The runs are simulated: no model took part.

One figure is the area under the ROC curve over the units of the corrupted runs: the faulty unit
against all others, those that only suffer from the fault included. Intervals are from a bootstrap
over tasks. What was chosen by looking at figures was chosen on the validation part
(``--split validation``); the test part is reported.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnxruntime
from sklearn.metrics import roc_auc_score

from knitbone import __version__
from knitbone.tethering.diagnosis.behaviour import FIELDS, Behaviour, behaviour_of
from knitbone.tethering.diagnosis.detect.arrays import arrays_of, merge
from knitbone.tethering.diagnosis.detect.offline import (
    COMPONENTS,
    EDGES,
    MODEL,
    combine,
    load_model,
    surprises,
)
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.units import build_units
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.training import WITHOUT_AGENTDOJO, without_agentdojo
from knitbone_evals.training.corruption import KINDS
from knitbone_evals.training.prepare import CorruptedRun, SuccessfulRun, read_corpus

SEED = 20240501
RESAMPLES = 1_000
RESULT = RESULTS / "offline_detector.json"
AT_ONCE = 100
"""Runs in one graph."""
LENGTHS = (1, 2, 3, 4)
"""Of n-grams; the best on the validation part is reported."""
METHODS = {
    "transformer": "heterogeneous graph transformer",
    "edges": "its edge reconstruction alone",
    "attributes": "its masked attributes alone",
    "counts": "frequencies of the same schema, no graph",
    "n-gram": "n-gram of tool families and statuses",
}


class Case(NamedTuple):
    """One corrupted run: which unit is at fault, and each method's score of every unit."""

    record: CorruptedRun
    fault: int
    scores: dict[str, np.ndarray]
    twin: dict[str, np.ndarray]
    """Scores of the successful run it was made from."""


Scorer = Callable[[Behaviour], np.ndarray]


def transformer(model: Path, runs: Sequence[Behaviour]) -> list[dict[str, np.ndarray]]:
    """The components of each run's surprise; many runs side by side are one graph."""
    session = load_model(model)

    def answer(arrays):
        return dict(zip(COMPONENTS, session.run(list(COMPONENTS), arrays), strict=True))

    found: list[dict[str, np.ndarray]] = []
    for start in range(0, len(runs), AT_ONCE):
        parts = [arrays_of(run) for run in runs[start : start + AT_ONCE]]
        together = surprises(merge(parts), answer)
        ends = np.cumsum([len(part.fields) for part in parts])[:-1]
        split = {name: np.split(rows, ends) for name, rows in together.items()}
        found += [{name: split[name][k] for name in split} for k in range(len(parts))]
    return found


def ngram(training: Iterable[Behaviour], length: int) -> Scorer:
    """Surprise of a step's family and status after those before it; interpolated with shorter
    histories by how often the history was seen (Witten-Bell)."""
    family, status = list(FIELDS).index("family"), list(FIELDS).index("status")

    def tokens(run: Behaviour) -> list[tuple[int, int]]:
        start = [(-1, -1)] * (length - 1)
        return start + [(unit.fields[family], unit.fields[status]) for unit in run.units]

    grams: Counter[tuple] = Counter()
    after: Counter[tuple] = Counter()
    kinds: Counter[tuple] = Counter()
    for run in training:
        line = tokens(run)
        for k in range(length - 1, len(line)):
            for size in range(length):
                gram = tuple(line[k - size : k + 1])
                kinds[gram[:-1]] += grams[gram] == 0
                grams[gram] += 1
                after[gram[:-1]] += 1
    classes = len(FIELDS["family"]) * len(FIELDS["status"])

    def surprise(history: Sequence[tuple[int, int]]) -> float:
        chance = 1 / classes
        for size in range(length):
            gram = tuple(history[len(history) - 1 - size :])
            seen = after[gram[:-1]]
            if seen:
                chance = (grams[gram] + kinds[gram[:-1]] * chance) / (seen + kinds[gram[:-1]])
        return -math.log(chance)

    def score(run: Behaviour) -> np.ndarray:
        line = tokens(run)
        return np.array(
            [surprise(line[k - length + 1 : k + 1]) for k in range(length - 1, len(line))]
        )

    return score


def counts(training: Iterable[Behaviour]) -> Scorer:
    """The transformer's questions answered by frequency alone: where a value of its kind came
    from, which repetition, which status of its family."""
    seen: Counter[tuple] = Counter()
    totals: Counter[tuple] = Counter()

    def facts(run: Behaviour):
        for unit in run.units:
            yield [
                *((("value", v.kind), (v.origin.place, v.origin.agreement)) for v in unit.values),
                (("repetition",), unit.repetition),
                (("status", unit.fields[0]), unit.fields[1]),
            ]

    for run in training:
        for unit in facts(run):
            for given, found in unit:
                seen[given, found] += 1
                totals[given] += 1

    def surprise(given, found) -> float:
        return -math.log((seen[given, found] + 0.5) / (totals[given] + 6))

    def score(run: Behaviour) -> np.ndarray:
        rows = []
        for unit in facts(run):
            values = [surprise(*fact) for fact in unit[:-2]]
            rows.append(max(values, default=0.0) + sum(surprise(*fact) for fact in unit[-2:]))
        return np.array(rows)

    return score


class Corpus(NamedTuple):
    """The corpus in the schema, by the runs' identifiers."""

    successful: list[SuccessfulRun]
    corrupted: list[CorruptedRun]
    mapped: dict[str, Behaviour]


def load(folder: Path) -> Corpus:
    successful, corrupted = read_corpus(folder)
    mapped = {
        record.run.id: behaviour_of(build_graph(build_units(record.run)))
        for record in (*successful, *corrupted)
    }
    return Corpus(successful, corrupted, mapped)


def cases(corpus: Corpus, split: str, model: Path, without: frozenset[str]) -> list[Case]:
    """Every corrupted run of a part, scored by every method trained on the same sources."""
    training = [
        corpus.mapped[record.run.id]
        for record in corpus.successful
        if record.split == "train" and record.source not in without
    ]
    tuning = [record for record in corpus.corrupted if record.split == "validation"]
    grams = {length: ngram(training, length) for length in LENGTHS}

    def tuned(length: int) -> float:
        score = grams[length]
        return auc([(fault_of(r), score(corpus.mapped[r.run.id])) for r in tuning])

    gram = grams[max(LENGTHS, key=tuned)]
    counted = counts(training)
    chosen = [record for record in corpus.corrupted if record.split == split]
    names = sorted({name for record in chosen for name in (record.run.id, record.twin)})
    found = dict(zip(names, transformer(model, [corpus.mapped[n] for n in names]), strict=True))

    def scores(name: str) -> dict[str, np.ndarray]:
        return {
            "transformer": combine(found[name]),
            "edges": np.sum([found[name][part] for part in EDGES], axis=0),
            "attributes": np.sum([found[name][part] for part in FIELDS], axis=0),
            "counts": counted(corpus.mapped[name]),
            "n-gram": gram(corpus.mapped[name]),
        }

    return [
        Case(record, fault_of(record), scores(record.run.id), scores(record.twin))
        for record in chosen
    ]


def fault_of(record: CorruptedRun) -> int:
    return next(u.ordinal for u in build_units(record.run) if u.event == record.event)


def auc(runs: Sequence[tuple[int, np.ndarray]]) -> float:
    labels = np.concatenate([np.arange(len(scores)) == fault for fault, scores in runs])
    return float(roc_auc_score(labels, np.concatenate([scores for _, scores in runs])))


def figure(found: Sequence[Case], method: str) -> dict[str, object]:
    """AUC with its interval, the difference to the n-gram model, and how often the fault is the
    first or among the first three of its run."""
    value = auc([(case.fault, case.scores[method]) for case in found])
    draws, leads = resampled(found, method)
    ranks = [
        int((case.scores[method] > case.scores[method][case.fault]).sum()) + 1 for case in found
    ]
    above = [case.scores[method].max() - case.twin[method].max() for case in found]
    return {
        "auc": round(value, 3),
        "interval": interval(draws),
        "lead over n-gram": interval(leads),
        "first": round(float(np.mean([rank == 1 for rank in ranks])), 3),
        "top-3": round(float(np.mean([rank <= 3 for rank in ranks])), 3),
        "peak above its twin's": round(float(np.mean((np.sign(above) + 1) / 2)), 3),
        "runs": len(found),
        "tasks": len({case.record.task for case in found}),
    }  # fmt: skip


def resampled(found: Sequence[Case], method: str) -> tuple[list[float], list[float]]:
    """AUCs, and leads over the n-gram model, of resamples of whole tasks."""
    choose = np.random.default_rng(SEED)
    names = sorted({case.record.task for case in found})
    task = np.concatenate(
        [np.full(len(c.scores[method]), names.index(c.record.task)) for c in found]
    )
    labels = np.concatenate([np.arange(len(c.scores[method])) == c.fault for c in found])
    ours = weighted_auc(labels, np.concatenate([c.scores[method] for c in found]))
    theirs = weighted_auc(labels, np.concatenate([c.scores["n-gram"] for c in found]))
    draws: list[float] = []
    leads: list[float] = []
    for _ in range(RESAMPLES):
        drawn = np.bincount(choose.integers(len(names), size=len(names)), minlength=len(names))
        draws.append(ours(drawn[task]))
        leads.append(draws[-1] - theirs(drawn[task]))
    return draws, leads


def weighted_auc(labels: np.ndarray, scores: np.ndarray) -> Callable[[np.ndarray], float]:
    """The AUC as a function of how often each unit was drawn; sorts once."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))
    positive = labels[order]

    def value(drawn: np.ndarray) -> float:
        counted = drawn[order]
        hits = np.add.reduceat(counted * positive, starts)
        misses = np.add.reduceat(counted * ~positive, starts)
        below = np.cumsum(misses) - misses
        return float((hits * (below + misses / 2)).sum() / (hits.sum() * misses.sum()))

    return value


def interval(draws: Sequence[float]) -> list[float]:
    return [round(float(np.quantile(draws, q)), 3) for q in (0.025, 0.975)]


def groups(found: Sequence[Case]) -> dict[str, list[Case]]:
    parts: dict[str, list[Case]] = {"all": list(found)}
    for kind in KINDS:
        parts[kind] = [case for case in found if case.record.kind == kind]
    parts["environment seen in training"] = [c for c in found if not c.record.unseen]
    parts["environment never seen"] = [c for c in found if c.record.unseen]
    for source in sorted({case.record.source for case in found}):
        parts[source] = [case for case in found if case.record.source == source]
    return {name: part for name, part in parts.items() if part}


def table(results: dict[str, dict[str, dict]]) -> list[str]:
    """The rendered table of one model."""
    lines = ["| part | method | AUC | 95 % interval | lead over n-gram | first | top-3 | runs |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for part, methods in results.items():
        for method, row in methods.items():
            low, high = row["interval"]
            lead = row["lead over n-gram"]
            shown = "" if method == "n-gram" else f"{lead[0]:+.3f} to {lead[1]:+.3f}"
            lines.append(
                f"| {part} | {METHODS[method]} | {row['auc']:.3f} | {low:.3f} to {high:.3f} | "
                f"{shown} | {row['first']:.2f} | {row['top-3']:.2f} | {row['runs']} |"
            )
    return lines


def rendered(result: dict) -> str:
    lines = [
        "# Seeded faults in simulated runs of held-out tasks: offline detector",
        "",
        "Gold replays with one seeded fault each, executed in the simulators; no model took part.",
        f"Part: {result['split']}. Seed {result['seed']}, {RESAMPLES} resamples of tasks; "
        f"knitbone {result['versions']['knitbone']}.",
        "",
        "AUC over units: the faulty one against all others of corrupted runs. First, top-3: share "
        "of runs whose faulty unit is there.",
    ]
    for title, results in result["models"].items():
        lines += ["", f"## {title}", "", *table(results)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--split", choices=("validation", "test"), default="test")
    options = parser.parse_args()
    corpus = load(options.corpus)
    models: dict[str, dict] = {}
    for title, model, without in (
        ("All sources", MODEL, frozenset[str]()),
        ("Trained without agentdojo", without_agentdojo(), frozenset({"agentdojo"})),
    ):
        found = cases(corpus, options.split, model, without)
        models[title] = {
            part: {method: figure(chosen, method) for method in METHODS}
            for part, chosen in groups(found).items()
        }
    result = {
        "split": options.split,
        "seed": SEED,
        "versions": {
            "knitbone": __version__, "python": platform.python_version(),
            "onnxruntime": onnxruntime.__version__,
        },
        "training": {
            path.stem: json.loads(path.with_name("models.json").read_text("utf-8"))[path.stem]
            for path in (MODEL, WITHOUT_AGENTDOJO)
        },
        "models": models,
    }  # fmt: skip
    text = rendered(result)
    print(text)
    if options.split == "test":
        write_result(RESULT, result)
        RESULT.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
