"""The forty tools with the reader whose requests a large model understood:
``python -m knitbone_evals.fuzz_docs.understood``.

*Simulated*: forms are stated or drawn from the frozen habits as for the first reader; what requests
mean and what the documentation states is replayed from ``answers/comprehension.jsonl``. Where the
oracle has not answered everything yet, what it is asked is written to FILE of ``--pending`` and
nothing is concluded; answered (``answers/oracle.jsonl``), the same command prints the tables and
writes ``results/documentation_understood.json``: each rule and seed, each tool, and the first
reader on the same tools beside it (McNemar, from ``results/documentation.json``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scipy.stats import binomtest

from knitbone.fuzzing.agents.engine import ModelAgent
from knitbone_evals.fuzz_docs.__main__ import (
    RESULT,
    RULES,
    SEEDS,
    CollectingOracle,
    Searched,
    prompt_sets,
    search,
    table,
    without_tools,
    write_pending,
)
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.comprehension import (
    ANSWERS,
    RecordedComprehension,
    pending_lines,
    questions,
)
from knitbone_evals.fuzz_docs.labels import HERE, labels
from knitbone_evals.fuzz_docs.prompts import WRITER
from knitbone_evals.paths import write_result
from knitbone_evals.reader.reader import DocumentationReader

OUT = RESULT.with_name("documentation_understood.json")
COMPARED = ("cascade", "refused alike", "cascade, or refused alike")
"""Rules that the two readers are compared under."""


def against_first(
    new: Mapping[str, Any], old: Mapping[str, Any], rule: str
) -> dict[str, float | list[str]]:
    """Tools that a rule judges rightly with one of two readers only; McNemar's exact p.

    Args:
        new, old: the tools of a table, by name.
    """
    won: list[str] = []
    lost: list[str] = []
    for name, tool in new.items():
        misleads = tool["kind"] == "misleading"
        right, before = (each[name]["found"][rule] == misleads for each in (new, old))
        if right != before:
            (won if right else lost).append(name)
    number = len(won) + len(lost)
    p = float(binomtest(len(won), number).pvalue) if number else 1.0
    return {"rightly only now": won, "rightly only before": lost, "p": round(p, 4)}


def searched_tools(seed: int, oracle: CollectingOracle, answers: Path) -> list[Searched]:
    """The forty campaigns of one seed."""
    reader = DocumentationReader(seed=seed, comprehension=RecordedComprehension(answers))
    return [search(label, ModelAgent(reader), oracle, seed) for label in labels()]


def print_tables(report: Mapping[str, Any]) -> None:
    """The rules with their intervals, the readers paired, and each tool."""
    for seed, given in report.items():
        print(f"\n{seed}")
        for rule, row in given["rules"].items():
            print(f"  {rule:28} {row['found']:2} of {row['of']}, {row['false']:2} of "
                  f"{row['sound']}   recall {row['recall']}   FDR {row['fdr']}")  # fmt: skip
        for rule, row in given["against the first reader"].items():
            print(f"  {rule:28} {row}")
    print()
    names = next(iter(report.values()))["tools"]
    for name, tool in names.items():
        marks = [
            "".join("x" if each["tools"][name]["found"][rule] else "." for each in report.values())
            for rule in RULES
        ]
        print(f"  {name:22} {tool['kind']:10} {tool['subkind'][:44]:44} {' '.join(marks)}")
    print("  a mark a seed; rules:", ", ".join(RULES))


def unanswered(path: Path) -> int:
    """Requests that nobody understood yet."""
    lines = pending_lines(list(questions(prompt_sets())), RecordedComprehension(path))
    return sum(len(line["requests"]) for line in lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Search, and conclude or write down what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pending", type=Path, default=Path("pending.jsonl"))
    parser.add_argument("--comprehension", type=Path, default=ANSWERS)
    parser.add_argument("--answers", type=Path, default=HERE / "answers" / "oracle.jsonl")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    asked = parser.parse_args(arguments)
    if missing := unanswered(asked.comprehension):
        told = "python -m knitbone_evals.fuzz_docs.comprehension --pending FILE"
        parser.exit(1, f"{missing} requests are not understood yet: {told}\n")
    model = ByHand(asked.answers, name=WRITER)
    report: dict[str, Any] = {}
    before = json.loads(RESULT.read_text(encoding="utf-8"))
    for seed in asked.seeds:
        rows = searched_tools(seed, CollectingOracle(model), asked.comprehension)
        found = table(rows)
        old = before[f"simulated reader, seed {seed}"]["tools"]
        found["against the first reader"] = {
            rule: against_first(found["tools"], old, rule) for rule in COMPARED
        }
        report[f"requests understood by a large model, seed {seed}"] = found
        print(f"seed {seed}: {len(model.pending)} requests to the oracle unanswered", flush=True)
    if model.pending:
        write_pending(model, asked.pending)
        parser.exit(1, f"The oracle is to answer what stands in {asked.pending}.\n")
    print_tables(report)
    write_result(OUT, without_tools(report))


if __name__ == "__main__":
    main()
