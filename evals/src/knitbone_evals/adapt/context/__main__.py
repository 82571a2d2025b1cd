"""Irrelevant entries of retrieved contexts: ``python -m knitbone_evals.adapt.context``.

Each case (cases.jsonl) is a query, the entries that were retrieved, and which of them belong
nowhere. They were written for this purpose by one author, in short and plain English; half of the
second ``wave`` are traps: entries that answer in other words, or another part of the question. The
guard's values were chosen on the cases that are not ``held_out``. The paper's rule, which removes
the less similar entry of every irrelevant pair, is measured beside the guarded one.

With ``--data DIR`` (llm_outputs in it) real answers are measured as well: paragraphs of an answer
are the entries, its question is the query, and a paragraph of another answer is the stranger.
Paragraphs go on from each other more than retrieved entries do, which makes it the harder test;
single sentences that follow each other, all of one answer, are the hardest.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from knitbone import Session, __version__
from knitbone.adaptation.testing import ContextRule, Evidence, Invocation, ListEntry, prepare_check
from knitbone.config import AdaptConfig
from knitbone.models.minilm import MiniLmEmbedder
from knitbone_evals.adapt.context.real import real_cases, sentence_cases
from knitbone_evals.paths import RESULTS, write_result

CASES = Path(__file__).parent / "cases.jsonl"
RESULT = RESULTS / "context.json"
CHECK: Any = prepare_check(
    ContextRule(
        retriever="any", evidence=Evidence(file="cases.jsonl", line=1, expression="entries")
    )
)
RULES: dict[str, tuple[str, ...]] = {
    "guarded": (),
    "every irrelevant pair (paper)": ("context.keep_relevant",),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="the folder that llm_outputs is in")
    data: Path | None = parser.parse_args().data
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    parts = {
        "chosen on": [case for case in cases if not case.get("held_out", False)],
        "held out": [case for case in cases if case.get("held_out", False)],
    }
    if data is not None:
        parts["real answers"] = real_cases(data)
        parts["sentences of real answers"] = sentence_cases(data)
    result: dict[str, Any] = {
        "n": len(cases),
        "embedder": MiniLmEmbedder.identity,
        "knitbone": __version__,
        "rules": {
            f"{name}, {part}": _score(chosen, without)
            for name, without in RULES.items()
            for part, chosen in parts.items()
        },
    }
    write_result(RESULT, result)
    for name, rule in result["rules"].items():
        print(f"{name}: {rule['all']}")
        for kind, score in rule["kinds"].items():
            print(f"  {kind}: {score}")


def _score(cases: list[dict[str, Any]], without: tuple[str, ...]) -> dict[str, Any]:
    embedder = MiniLmEmbedder()
    kinds: dict[str, dict[str, int]] = {}
    for case, removed in _removed(cases, without, embedder):
        irrelevant = set(case["irrelevant"])
        score = kinds.setdefault(
            case["kind"],
            {"cases": 0, "entries": 0, "irrelevant": 0, "removed": 0, "wrongly removed": 0},
        )
        score["cases"] += 1
        score["irrelevant"] += len(irrelevant)
        score["removed"] += len(removed & irrelevant)
        score["wrongly removed"] += len(removed - irrelevant)
        score["entries"] += len(case["entries"])
    total = {key: sum(score[key] for score in kinds.values()) for key in next(iter(kinds.values()))}
    return {"all": total, "kinds": kinds}


def _removed(
    cases: list[dict[str, Any]], without: tuple[str, ...], embedder: MiniLmEmbedder
) -> Iterator[tuple[dict[str, Any], set[int]]]:
    config = AdaptConfig(without=without, budget_ms=6_000)
    for case in cases:
        entries = [ListEntry(text=text, source=place) for place, text in enumerate(case["entries"])]
        session = Session(case["query"] or None)
        invocation = Invocation(config, session=session, embedder=lambda: embedder)
        verdict = CHECK(entries, invocation)
        yield case, set(range(len(entries))) - {entry.source for entry in verdict.entries}


if __name__ == "__main__":
    main()
