"""The paper's baselines on the forty tools, with a writer and a judge that answer by file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from knitbone.config import FuzzConfig
from knitbone.fuzzing.agents.engine import ModelAgent
from knitbone.fuzzing.engine import fuzz
from knitbone.fuzzing.records import CampaignFinished
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.labels import HERE, Label, labels, target_of
from knitbone_evals.fuzz_docs.paper_baselines import (
    BaselineCampaign,
    BaselineKind,
    BaselineTechnique,
    fuzz_baseline,
)
from knitbone_evals.fuzz_docs.prompts import PROMPTS, SETS, WRITER
from knitbone_evals.reader.reader import DocumentationReader

__all__ = ["baseline_rows"]

KINDS: tuple[BaselineKind, ...] = ("gray box", "white box")
TECHNIQUES: tuple[BaselineTechnique, ...] = ("correctness", "runtime")
COUNT = SETS * PROMPTS
"""Requests a tool: as many as the prompt sets have prompts."""
CALLS = 200
"""Of ``knitbone fuzz``, beside the runtime baselines: its default."""


def baseline_rows(pending: dict[str, Any]) -> dict[str, Any]:
    """A row a baseline; only what is missing of one whose answers are not there yet."""
    rows: dict[str, Any] = {}
    for technique in TECHNIQUES:
        for kind in KINDS:
            model = ByHand(HERE / "answers" / "tables.jsonl", name=WRITER)
            made = [(label, each) for label in labels() for each in _run(label, kind, technique,
                                                                        model)]  # fmt: skip
            pending.update(model.pending)
            rows[f"{kind}, {technique}"] = (
                {"unanswered": len(model.pending)} if model.pending else _row(made, technique)
            )
    answered = any("unanswered" not in rows[f"{kind}, runtime"] for kind in KINDS)
    return rows | ({"knitbone fuzz": _fuzzed()} if answered else {})


def _run(
    label: Label, kind: BaselineKind, technique: BaselineTechnique, model: ByHand
) -> Iterator[BaselineCampaign]:
    yield from fuzz_baseline(
        target_of(label),
        kind=kind,
        technique=technique,
        count=COUNT,
        agent=ModelAgent(DocumentationReader(seed=0)),
        writer=model,
        judging=model if technique == "correctness" else None,
        config=FuzzConfig(time_s=600),
    )


def _row(
    made: list[tuple[Label, BaselineCampaign]], technique: BaselineTechnique
) -> dict[str, Any]:
    """Tools that it flags, requests that it tried, and those that nobody would make."""
    flagged = {
        kind: sum(bool(each.flagged) and label.kind == kind for label, each in made)
        for kind in ("misleading", "sound")
    }
    found: dict[str, Any] = {
        "requests tried": sum(len(each.runs) for _, each in made),
        "flagged requests": sum(len(each.flagged) for _, each in made),
        "tools flagged": flagged,
        "degenerate": sum(each.degenerate for _, each in made),
        "repeated": sum(each.repeated for _, each in made),
        "tokens": sum(each.spent.tokens for _, each in made),
    }
    if technique == "runtime":
        found["unique failures"] = sum(len(each.unique_failures) for _, each in made)
    return found


def _fuzzed() -> dict[str, int]:
    """The same figure of the technique that the runtime baselines stand beside."""
    unique = calls = 0
    for label in labels():
        for event in fuzz(target_of(label), calls=CALLS, seed=0):
            if isinstance(event, CampaignFinished):
                unique += sum(finding.counts for finding in event.campaign.findings)
                calls += event.campaign.calls
    return {"unique failures": unique, "calls": calls}
