"""The thresholds of ``knitbone.common.thresholds``: ``python -m
knitbone_evals.adapt.similarity.calibrate``.

Without arguments it calibrates the embedded model and writes the result that the code carries;
``--name MODEL [--base-url URL]`` calibrates a model behind an OpenAI-compatible endpoint.

The pairs (``pairs.jsonl``) were written for this purpose, before any threshold
was chosen, by one author and in plain English; real text is harder. Several pairs may have the
same first text: folds and resamples are therefore drawn by first text, never by pair.

Criteria, the same for every model:

- relevance, redundancy, default drift: the threshold with the largest Youden's J (the share of
  the positives found less the share of the others flagged), in the middle where several tie.
- destructive drift: the largest that misses at most 1 % of the actions that left their intent.
- information-gathering drift: the smallest that flags at most 1 % of the actions that serve it.

Pairs that differ in a negation, a number or a name are not used to choose the redundancy
threshold: no threshold on a sentence embedding tells them from paraphrases. What the chosen one
does to them is reported.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold

from knitbone import __version__
from knitbone.config import EmbedderConfig
from knitbone.models.embedders import Embedder, create_embedder
from knitbone_evals.paths import RESULTS, write_result

SEED = 20240501
RESAMPLES = 4_000
FOLDS = 5
RATE = 0.01
CONTRASTS = ("negation", "number", "name")
PAIRS = Path(__file__).with_name("pairs.jsonl")
RESULT = RESULTS / "similarity_calibration.json"
POSITIVE = {
    "relevance": "irrelevant",
    "redundancy": "redundant",
    "drift": "left its intent",
}


class Sample:
    """The pairs of one relation. ``score`` is larger the more a pair is positive."""

    def __init__(self, pairs: Sequence[dict[str, Any]], cosine: np.ndarray, sign: int) -> None:
        self.label = np.array([pair["label"] for pair in pairs])
        self.kind = np.array([pair["kind"] for pair in pairs])
        self.group = np.unique([pair["first"] for pair in pairs], return_inverse=True)[1]
        self.score = sign * cosine

    def take(self, chosen: np.ndarray) -> Sample:
        """A part of it."""
        part = object.__new__(Sample)
        for name in ("label", "kind", "group", "score"):
            setattr(part, name, getattr(self, name)[chosen])
        return part


def candidates(sample: Sample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thresholds between neighbouring scores, with the share of positives and others over each."""
    scores = np.unique(sample.score)
    limits = np.concatenate([[scores[0] - 0.01], (scores[1:] + scores[:-1]) / 2])
    over = sample.score[None, :] > limits[:, None]
    return limits, over[:, sample.label].mean(axis=1), over[:, ~sample.label].mean(axis=1)


def choose(sample: Sample, criterion: str) -> float:
    """The threshold on ``score``, to two decimals."""
    limits, found, alarms = candidates(sample)
    if criterion == "youden":
        best = np.flatnonzero(np.isclose(found - alarms, (found - alarms).max()))
        return round(float(limits[best[len(best) // 2]]), 2)
    if criterion == "miss at most 1 %":
        # Rounded away from the scores, so that rounding cannot break what was chosen.
        return np.floor(float(limits[found >= 1 - RATE].max()) * 100) / 100
    return np.ceil(float(limits[alarms <= RATE].min()) * 100) / 100


def quality(sample: Sample, flagged: np.ndarray) -> dict[str, Any]:
    """Precision, recall and share of others flagged, each with its 95 % interval."""
    groups = sample.group.max() + 1
    counts = [
        np.bincount(sample.group, weights=flags, minlength=groups)
        for flags in (flagged & sample.label, flagged & ~sample.label, sample.label, ~sample.label)
    ]

    def rates(true: Any, false: Any, positive: Any, other: Any, axis: int = -1) -> np.ndarray:
        hits, alarms = true.sum(axis=axis), false.sum(axis=axis)
        precision = hits / np.maximum(hits + alarms, 1)
        recall = hits / np.maximum(positive.sum(axis=axis), 1)
        return np.stack([precision, recall, alarms / np.maximum(other.sum(axis=axis), 1)])

    values = rates(*counts)
    interval = scipy.stats.bootstrap(
        counts,
        rates,
        paired=True,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    names = ("precision", "recall", "false alarms")
    return {
        name: [round(float(number), 3) for number in (values[i], interval.low[i], interval.high[i])]
        for i, name in enumerate(names)
    }


def held_out(sample: Sample, criterion: str) -> np.ndarray:
    """What is flagged when each fold's threshold is chosen on the other folds."""
    flagged = np.zeros(len(sample.label), dtype=bool)
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=SEED)
    for train, test in folds.split(sample.score, sample.label, sample.group):
        flagged[test] = sample.score[test] > choose(sample.take(train), criterion)
    return flagged


def calibrate(sample: Sample, criterion: str, threshold: float) -> dict[str, Any]:
    """One threshold's row of the result; ``threshold`` is on ``score``."""
    flagged = sample.score > threshold
    return {
        "criterion": criterion,
        "n": len(sample.label),
        "positive": int(sample.label.sum()),
        "on the same pairs": quality(sample, flagged),
        "cross-validated": quality(sample, held_out(sample, criterion)),
        "area under the ROC curve": round(float(roc_auc_score(sample.label, sample.score)), 3),
        "flagged by kind": {
            kind: [int(flagged[sample.kind == kind].sum()), int((sample.kind == kind).sum())]
            for kind in sorted(set(sample.kind))
        },
    }


def evaluate(embedder: Embedder, pairs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All thresholds of one embedder."""
    first = embedder.embed([pair["first"] for pair in pairs])
    second = embedder.embed([pair["second"] for pair in pairs])
    cosine = np.einsum("nd,nd->n", first, second).astype(float)

    def sample(relation: str, sign: int, *, contrasts: bool = False) -> Sample:
        chosen = [
            place
            for place, pair in enumerate(pairs)
            if pair["relation"] == relation and (pair["kind"] in CONTRASTS) == contrasts
        ]
        return Sample([pairs[place] for place in chosen], cosine[chosen], sign)

    relevance, redundancy, drift = (
        sample("relevance", -1),
        sample("redundancy", 1),
        sample("drift", -1),
    )
    # On score = -cosine, a cosine under t is a score over -t, and a drift is 1 + score.
    irrelevant, redundant = choose(relevance, "youden"), choose(redundancy, "youden")
    middle = choose(drift, "youden")
    low = min(middle, choose(drift, "miss at most 1 %"))
    high = max(middle, choose(drift, "flag at most 1 %"))
    tiers = {
        "drift_destructive": (low, "miss at most 1 %"),
        "drift_default": (middle, "youden"),
        "drift_information_gathering": (high, "flag at most 1 %"),
    }
    contrasts = sample("redundancy", 1, contrasts=True)
    return {
        "embedder": {"name": embedder.name, "identity": embedder.identity},
        "thresholds": {
            "relevance": round(-irrelevant, 2),
            "redundancy": redundant,
            **{name: round(1 + value, 2) for name, (value, _) in tiers.items()},
        },
        "relations": {
            "relevance": calibrate(relevance, "youden", irrelevant),
            "redundancy": calibrate(redundancy, "youden", redundant),
            **{name: calibrate(drift, rule, value) for name, (value, rule) in tiers.items()},
        },
        "said to be redundant, and is not": {
            kind: [
                int((contrasts.score > redundant)[contrasts.kind == kind].sum()),
                int((contrasts.kind == kind).sum()),
            ]
            for kind in CONTRASTS
        },
        "paraphrases under the median contrast": round(
            float((redundancy.score[redundancy.label] < np.median(contrasts.score)).mean()), 2
        ),
        "seed": SEED,
        "resamples": RESAMPLES,
        "folds": FOLDS,
        "versions": {
            "knitbone": __version__,
            "python": platform.python_version(),
            **{
                name: metadata.version(name)
                for name in ("numpy", "onnxruntime", "tokenizers", "scikit-learn", "scipy")
            },
        },
    }


def render(result: dict[str, Any]) -> str:
    """The result as a page."""
    lines = [f"Similarity thresholds of {result['embedder']['name']}", ""]
    lines += [
        "| threshold | value | n (positive) | precision | recall | false alarms |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, row in result["relations"].items():
        cells = [
            "{:.2f} [{:.2f}, {:.2f}]".format(*cell) for cell in row["cross-validated"].values()
        ]
        value = result["thresholds"][name]
        lines.append(
            f"| {name} | {value:.2f} | {row['n']} ({row['positive']}) | " + " | ".join(cells) + " |"
        )
    contrasts = result["said to be redundant, and is not"]
    differ = ", ".join(f"{kind} {hits} of {n}" for kind, (hits, n) in contrasts.items())
    share = result["paraphrases under the median contrast"]
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    return "\n".join(
        [
            *lines,
            "",
            f"Said to be redundant though a fact differs: {differ}. {share:.0%} of the paraphrases "
            "score lower than half of these: the embedder cannot tell them apart.",
            "",
            f"Held-out folds ({result['folds']}) over hand-written pairs; 95 % bootstrap intervals "
            f"over first texts, seed {result['seed']}; {versions}.",
            "",
        ]
    )


def main() -> None:
    """Calibrate, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", help="a model behind an OpenAI-compatible endpoint")
    parser.add_argument("--base-url")
    parser.add_argument("--api-key-env")
    parser.add_argument("--pairs", type=Path, default=PAIRS)
    parser.add_argument("--out", type=Path, help=f"default, for the embedded model: {RESULT.name}")
    arguments = parser.parse_args()
    embedder = create_embedder(
        EmbedderConfig(
            provider="openai" if arguments.name else "embedded",
            name=arguments.name,
            base_url=arguments.base_url,
            api_key_env=arguments.api_key_env,
            cache=False,
        )
    )
    lines = arguments.pairs.read_text(encoding="utf-8").splitlines()
    result = evaluate(embedder, [json.loads(line) for line in lines])
    out = arguments.out or (None if arguments.name else RESULT)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_result(out, result)
        out.with_suffix(".md").write_text(render(result), encoding="utf-8")
    print(render(result))


if __name__ == "__main__":
    main()
