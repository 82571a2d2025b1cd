"""Sets of the forty tools for blind labellers, and how far they agree with the verdicts:
``python -m knitbone_evals.fuzz_docs.label_sheet`` (ToolFuzz, App. G).

``--sheet FILE`` searches all tools (the simulated reader, seeds 0 to 2, all checks made), draws up
to ten sets of each, and writes what a labeller may see: documentation, queries, calls, results and
answers, in an order that tells nothing. The verdicts stay in ``labelled_sets.jsonl``. A tool has
three recorded prompt sets, so that there are nine to draw from at most: a set under another seed
counts only where the reader did something else.

``--answers FILE...``, one file a labeller (lines of ``key`` and ``answer``, which is an object such
as ``{"faulty": true, "reason": "..."}``), prints the false discovery rate and Cohen's kappa of each
rule, and the kappa between labellers.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from knitbone.fuzzing.agents.engine import ModelAgent
from knitbone.fuzzing.documentation.oracle import ModelOracle
from knitbone.fuzzing.documentation.records import DocumentationCampaign, SetResult
from knitbone_evals.fuzz_docs.__main__ import SEEDS, search
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.labels import HERE, labels
from knitbone_evals.fuzz_docs.prompts import WRITER
from knitbone_evals.fuzz_docs.set_labels import (
    RULES,
    SAMPLE,
    agreement_of,
    kappa,
    run_of_set,
    verdict_of,
)
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.reader.reader import DocumentationReader

VERDICTS = HERE / "labelled_sets.jsonl"
INSTRUCTIONS = (
    "You see the documentation of a tool, as an agent reads it, and what an agent did when it was "
    "asked the same thing in several ways: its calls, what the tool returned, and its answers. "
    "Say whether the tool's DOCUMENTATION misled the agent: whether what the documentation says "
    "wrongly, unclearly or not at all made the agent call the tool wrongly or answer wrongly for "
    "at least one of the queries. It did not where the agent did well, where it disregarded what "
    "the documentation clearly says, or where only the agent's own lack of understanding of the "
    "query is to blame. What differs because the tool gives another result each time does not "
    'count. Answer with one JSON object: {"faulty": true or false, "reason": "one sentence"}.'
)


class LabelledSet(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a set on the sheet, and is not shown."""

    key: str
    tool: str
    kind: str
    set: str
    seed: int
    verdicts: dict[str, bool | None]


def searched() -> dict[str, list[tuple[int, DocumentationCampaign]]]:
    """The searches of each tool, one a seed."""
    found: dict[str, list[tuple[int, DocumentationCampaign]]] = {}
    answers = ByHand(HERE / "answers" / "oracle.jsonl", name=WRITER)
    for seed in SEEDS:
        agent = ModelAgent(DocumentationReader(seed=seed))
        for label in labels():
            made = search(label, agent, ModelOracle(answers), seed).campaign
            found.setdefault(label.name, []).append((seed, made))
        print(f"seed {seed} searched, {len(answers.pending)} unanswered", flush=True)
    return found


def drawn(
    campaigns: Sequence[tuple[int, DocumentationCampaign]], *, number: int = SAMPLE
) -> list[tuple[str, int, DocumentationCampaign, SetResult]]:
    """Up to ``number`` sets of one tool that differ in what would be shown."""
    found: dict[str, tuple[str, int, DocumentationCampaign, SetResult]] = {}
    for seed, campaign in campaigns:
        for result in campaign.sets:
            key = run_of_set(campaign, result).id[:16]
            found.setdefault(key, (key, seed, campaign, result))
    chance = random.Random(campaigns[0][1].tool.name)
    return chance.sample(list(found.values()), min(number, len(found)))


def material(campaign: DocumentationCampaign, result: SetResult) -> str:
    """What a labeller is shown of a set."""
    tool = campaign.tool
    shown = {
        "tool": tool.name,
        "documentation": tool.documentation,
        "arguments": tool.schema.get("properties", {}),
        "runs": [
            {
                "query": run.query,
                "calls": [{"arguments": c.arguments, "result": c.output} for c in run.calls],
                "answer": run.answer,
            }
            for run in result.runs
        ],
    }
    return json.dumps(shown, ensure_ascii=False, indent=1)


def write_sheet(path: Path) -> None:
    """The sheet, and beside the benchmark what is not shown."""
    kinds = {label.name: label.kind for label in labels()}
    rows = [(name, *row) for name, made in searched().items() for row in drawn(made)]
    random.Random(0).shuffle(rows)
    lines = [
        {"key": key, "instructions": INSTRUCTIONS, "material": material(campaign, result)}
        for _, key, _, campaign, result in rows
    ]
    kept = [
        LabelledSet(
            key=key,
            tool=name,
            kind=kinds[name],
            set=result.set.id,
            seed=seed,
            verdicts={rule: verdict_of(result, checks) for rule, checks in RULES.items()},
        )
        for name, key, seed, _, result in rows
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    VERDICTS.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in kept))
    print(f"{len(lines)} sets of {len({each.tool for each in kept})} tools in {path}")


def read_answers(path: Path) -> dict[str, bool]:
    """The labels of one labeller, by key; an answer may be an object or its text."""
    found: dict[str, bool] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record: dict[str, Any] = json.loads(line)
        answer = record["answer"]
        body: dict[str, Any] = json.loads(answer) if isinstance(answer, str) else answer
        if not isinstance(body.get("faulty"), bool):
            raise ValueError(f'{path}: {record["key"]} has no "faulty": true or false')
        found[record["key"]] = body["faulty"]
    return found


def figures(kept: Iterable[LabelledSet], said: Sequence[Mapping[str, bool]]) -> dict[str, Any]:
    """FDR and kappa of each rule against each labeller, and kappa between labellers."""
    kept = list(kept)
    report: dict[str, Any] = {"sets": len(kept)}
    for number, answers in enumerate(said, start=1):
        rules: dict[str, Any] = {}
        for rule in RULES:
            pairs = [
                (verdict, answers[each.key])
                for each in kept
                if each.key in answers and (verdict := each.verdicts.get(rule)) is not None
            ]
            rules[rule] = msgspec.to_builtins(agreement_of(rule, pairs))
        by_author = [(each.kind == "misleading", answers[each.key]) for each in kept
                     if each.key in answers]  # fmt: skip
        report[f"labeller {number}"] = {
            "labelled": len(by_author),
            "held for faulty": sum(label for _, label in by_author),
            "kappa with the tools' author": kappa(by_author),
            "rules": rules,
        }
    for one, other in itertools.combinations(range(len(said)), 2):
        shared = [(said[one][key], said[other][key]) for key in said[one] if key in said[other]]
        report[f"kappa of labellers {one + 1} and {other + 1}"] = kappa(shared)
    return report


def main() -> None:
    """Write the sheet, or read the labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheet", type=Path, help="where to write what labellers see")
    parser.add_argument("--answers", type=Path, nargs="+", help="one file a labeller")
    asked = parser.parse_args()
    if asked.sheet is not None:
        write_sheet(asked.sheet)
        return
    if not asked.answers:
        parser.error("--sheet FILE or --answers FILE... is needed")
    lines = VERDICTS.read_bytes().splitlines()
    kept = [msgspec.json.decode(line, type=LabelledSet) for line in lines]
    report = figures(kept, [read_answers(path) for path in asked.answers])
    out = RESULTS / "documentation_labels.json"
    write_result(out, report)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
