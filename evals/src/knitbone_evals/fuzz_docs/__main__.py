"""Documentation that misleads an agent, found or not: ``python -m knitbone_evals.fuzz_docs``.

Forty tools, twenty with misleading documentation and twenty sound ones, by an author who had read
nothing of the fuzzer (``labels.json``). *Simulated*: the agent is the simulated reader of
documentation (``knitbone.testing``). Writer and oracle are a large model whose answers came by
file (``answers/``) and are replayed. A tool counts as found where one of its three prompt sets is
faulty; recall is over the misleading tools, the false discovery rate over those that were found.

``--pending FILE`` collects what the oracle was asked and has not answered.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from scipy.stats import binomtest

from knitbone.config import FuzzConfig
from knitbone.errors import ModelError
from knitbone.fuzzing.agents.engine import ModelAgent
from knitbone.fuzzing.agents.records import AgentUnderTest
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.engine import DocumentationSearch, fuzz_documentation
from knitbone.fuzzing.documentation.oracle import ModelOracle, Oracle
from knitbone.fuzzing.documentation.records import (
    CHECKS,
    REFUSED_ALIKE,
    Check,
    DocumentationCampaign,
    DocumentationFinished,
    PromptSet,
    Rating,
)
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.models.chat import ChatModel
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.labels import HERE, Label, labels, target_of
from knitbone_evals.fuzz_docs.prompts import WRITER
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.reader.reader import DocumentationReader

RESULT = RESULTS / "documentation.json"
SEEDS = (0, 1, 2)
TIME_S = 600.0
RULES: dict[str, tuple[tuple[Check, ...], ...]] = {
    "cascade": (CHECKS,),
    "input alone": (("input",),),
    "output alone": (("output",),),
    "input and output (CC)": (("input", "output"),),
    "oracle alone (LLM)": (("oracle",),),
    "refused alike": (REFUSED_ALIKE,),
    "cascade, or refused alike": (CHECKS, REFUSED_ALIKE),
}
"""What finds a set faulty: the checks of one of these alternatives, all of them. The last two are
variants beside the cascade that is specified, named and tried on no tool before."""


class Searched(NamedTuple):
    """One tool's campaign under one seed of the reader."""

    label: Label
    seed: int
    campaign: DocumentationCampaign


def prompt_sets() -> dict[str, tuple[PromptSet, ...]]:
    """The sets that were written for each tool."""
    return msgspec.json.decode(
        (HERE / "prompt_sets.json").read_bytes(), type=dict[str, tuple[PromptSet, ...]]
    )


def search(
    label: Label, agent: AgentUnderTest, oracle: Oracle, seed: int, *, time_s: float = TIME_S
) -> Searched:
    """All checks of all sets of one tool."""
    sought = DocumentationSearch(
        config=FuzzConfig(time_s=time_s), seed=seed, exhaustive=True, prompt_sets=prompt_sets()
    )
    for event in fuzz_documentation(
        target_of(label), agent=agent, writer=_NoWriter(), oracle=oracle, search=sought
    ):
        if isinstance(event, DocumentationFinished):
            return Searched(label, seed, event.campaign)
    raise AssertionError(label.name)


class _NoWriter(ByHand):
    """The sets are written already."""

    def __init__(self) -> None:
        super().__init__(HERE / "answers" / "none", name=WRITER)


def found(searched: Searched, rule: str) -> bool:
    """Whether a rule finds the tool's documentation faulty.

    A set of an unstable tool, or one whose documentation says what the agent disregarded, is no
    fault under the rules of the product.
    """
    return any(
        result.fails(checks)
        and not (checks in (CHECKS, REFUSED_ALIKE) and (result.documented or result.unstable))
        for result in searched.campaign.sets
        for checks in RULES[rule]
    )


def rates(rows: Sequence[Searched], rule: str) -> dict[str, Any]:
    """Recall and false discovery rate of a rule, with exact 95 % intervals."""
    hits = sum(found(row, rule) for row in rows if row.label.kind == "misleading")
    false = sum(found(row, rule) for row in rows if row.label.kind == "sound")
    faulty = sum(row.label.kind == "misleading" for row in rows)
    return {
        "found": hits,
        "of": faulty,
        "recall": _share(hits, faulty),
        "false": false,
        "sound": len(rows) - faulty,
        "fdr": _share(false, hits + false),
    }


def _share(part: int, whole: int) -> list[float] | None:
    if not whole:
        return None
    between = binomtest(part, whole).proportion_ci()
    return [round(each, 3) for each in (part / whole, between.low, between.high)]


def against(rows: Sequence[Searched], rule: str) -> dict[str, float]:
    """Tools that only the cascade, or only the rule, judges rightly; McNemar's exact p."""
    right = [
        (found(r, "cascade") == (r.label.kind == "misleading"),
         found(r, rule) == (r.label.kind == "misleading"))
        for r in rows
    ]  # fmt: skip
    won, lost = right.count((True, False)), right.count((False, True))
    p = float(binomtest(won, won + lost).pvalue) if won + lost else 1.0
    return {"cascade only": won, f"{rule} only": lost, "p": round(p, 4)}


def table(rows: Sequence[Searched]) -> dict[str, Any]:
    """The rules on one seed's campaigns."""
    return {
        "rules": {rule: rates(rows, rule) for rule in RULES},
        "paired": {rule: against(rows, rule) for rule in RULES if rule != "cascade"},
        "tools": {
            row.label.name: {
                "kind": row.label.kind,
                "subkind": row.label.subkind,
                "runs": row.campaign.runs,
                "found": {rule: found(row, rule) for rule in RULES},
                "sets": [
                    {
                        "checks": {v.check: v.failed for v in result.verdicts},
                        "unstable": result.unstable,
                        "documented": bool(result.documented),
                        "lack": None if result.lack is None else result.lack.text,
                    }
                    for result in row.campaign.sets
                ],
            }
            for row in rows
        },
    }


class CollectingOracle(ModelOracle):
    """Asks for every rating, also where one of the same set is not answered yet."""

    def rate(self, *given: Any, **named: Any) -> Rating:
        """A rating, or one that counts for nothing."""
        try:
            return super().rate(*given, **named)
        except ModelError:
            return Rating(score=10, reason="not answered yet", judge=WRITER)


def ask_expectations(oracle: Oracle) -> None:
    """Ask for what is to be expected of every set, which no agent has a part in; what is not
    answered yet is collected by the model."""
    for label in labels():
        with Sandbox(target_of(label)) as sandbox:
            tool = sandbox.tools[0]
        for written in prompt_sets().get(label.name, ()):
            questions = [prompt.text for prompt in written.prompts]
            for asked in (*([each] for each in questions), questions):
                with contextlib.suppress(ModelError):
                    oracle.expect(
                        tool, asked, budget=CampaignBudget(FuzzConfig(), elapsed=lambda: 0.0)
                    )


def write_pending(model: ByHand, out: Path) -> None:
    """What a model was asked and nobody answered, a line each."""
    lines = [json.dumps({"key": key} | each) for key, each in model.pending.items()]
    out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def without_tools(report: dict[str, Any]) -> dict[str, Any]:
    """A report without its row for each tool, which no table shows."""
    return {
        name: {key: value for key, value in found.items() if key != "tools"}
        for name, found in report.items()
    }


def main() -> None:
    """Search, collect or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pending", type=Path, help="collect what the oracle has not answered")
    parser.add_argument("--answers", type=Path, default=HERE / "answers" / "oracle.jsonl")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--expectations", action="store_true", help="collect only those")
    parser.add_argument("--only", nargs="+", help="names of tools")
    asked = parser.parse_args()
    model = ByHand(asked.answers, name=WRITER)
    if asked.expectations:
        ask_expectations(ModelOracle(model))
    report: dict[str, Any] = {}
    for seed in () if asked.expectations else asked.seeds:
        began = time.monotonic()
        reader: ChatModel = DocumentationReader(seed=seed)
        agent = ModelAgent(reader)
        oracle = ModelOracle(model) if asked.pending is None else CollectingOracle(model)
        rows = [
            search(label, agent, oracle, seed)
            for label in labels()
            if asked.only is None or label.name in asked.only
        ]
        report[f"simulated reader, seed {seed}"] = table(rows)
        for rule in RULES:
            print(seed, rule, rates(rows, rule), flush=True)
        print(f"seed {seed}: {time.monotonic() - began:.0f} s, {len(model.pending)} unanswered")
    if asked.pending is not None:
        write_pending(model, asked.pending)
    elif not model.pending and asked.only is None:
        write_result(RESULT, report)


if __name__ == "__main__":
    main()
