"""The analysis run over the corpus, and its figures."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from knitbone import __version__
from knitbone.adaptation.testing import analyse_files
from knitbone_evals.adapt.requirements.corpus import (
    analysed_files,
    count_lines,
    install,
    scope_files,
)
from knitbone_evals.adapt.requirements.intervals import RESAMPLES, SEED, share
from knitbone_evals.adapt.requirements.labels import FACTS, AppLabels
from knitbone_evals.adapt.requirements.scoring import Judged, Score, extract, score

__all__ = ["Measured", "evaluate", "measure"]

SITE_KINDS = ("chat", "retriever", "splitter")


class Measured(NamedTuple):
    """One application: its score, and what the analysis of it took."""

    score: Score
    version: str
    lines: int
    seconds: float
    """Of the processor."""


def measure(labels: AppLabels, corpus: Path) -> Measured:
    """Analyse one application, and judge what was found in scope."""
    root = install(labels, corpus)
    files = analysed_files(labels, root)
    started = time.process_time()
    analysis = analyse_files(files)
    seconds = time.process_time() - started
    sites, requirements = extract(analysis.sites, root, scope_files(labels, root))
    judged = score(labels, sites, requirements)
    return Measured(judged, labels.version, count_lines(files), seconds)


def evaluate(measured: Sequence[Measured]) -> dict[str, Any]:
    """All figures, by part of the corpus."""
    splits: dict[str, Any] = {}
    for split in dict.fromkeys(each.score.split for each in measured):
        part = [each for each in measured if each.score.split == split]
        scores = [each.score for each in part]
        lines = sum(each.lines for each in part)
        found = [found for each in scores for found in each.requirements_found]
        sure = [each for each in found if each.confidence == "high"]
        splits[split] = {
            "applications": {each.score.name: each.version for each in part},
            "lines": lines,
            "seconds per 10,000 lines": round(sum(e.seconds for e in part) / lines * 10_000, 2),
            "sites": _shares(scores, SITE_KINDS, _site_labels, _sites_found),
            "requirements": _shares(scores, FACTS, _requirement_labels, _requirements_found),
            "at high confidence": len(sure),
            "wrong at high confidence": sum(not found.right for found in sure),
        }
    return {
        "title": "Requirements read from applications, against hand-written labels",
        "seed": SEED,
        "resamples": RESAMPLES,
        "versions": {
            "knitbone": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "networkx": nx.__version__,
        },
        "splits": splits,
    }


def _site_labels(each: Score) -> list[Judged]:
    return each.site_labels


def _sites_found(each: Score) -> list[Judged]:
    return each.sites_found


def _requirement_labels(each: Score) -> list[Judged]:
    return each.requirement_labels


def _requirements_found(each: Score) -> list[Judged]:
    return each.requirements_found


def _shares(
    scores: Sequence[Score],
    kinds: Any,
    labelled: Callable[[Score], list[Judged]],
    found: Callable[[Score], list[Judged]],
) -> dict[str, Any]:
    """Recall over the labels and precision over the reports, of all and of each kind."""
    table: dict[str, Any] = {}
    for kind in ("all", *kinds):

        def of_kind(judged: list[Judged], kind: str = kind) -> list[bool]:
            return [each.right for each in judged if kind in ("all", each.kind)]

        wanted = [of_kind(labelled(each)) for each in scores]
        given = [of_kind(found(each)) for each in scores]
        table[kind] = {
            "labels": sum(map(len, wanted)),
            "recall": share(wanted),
            "reported": sum(map(len, given)),
            "precision": share(given),
        }
    return table
