"""Calls of other tools: ``python -m knitbone_evals.fuzz_docs.tool_groups`` (ToolFuzz, App. H.3).

The agent has all forty tools in its hands; each prompt is written for one of them. A call of a tool
of another group (``groups.json``: by what a tool is about, grouped by its name alone) is unplanned;
one of the same group may be. *Simulated*: the agent is the simulated reader of documentation, which
takes the tool whose words are nearest to the request, so that this counts overlap of words. The
prompts are the recorded ones of the other tables (a large model, by file); no model is asked.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scipy.stats import binomtest

from knitbone.config import FuzzConfig
from knitbone.fuzzing.agents.engine import ModelAgent
from knitbone.fuzzing.documentation.engine import DocumentationSearch, fuzz_documentation
from knitbone.fuzzing.documentation.records import DocumentationCampaign, DocumentationFinished
from knitbone_evals.fuzz_docs.__main__ import prompt_sets
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.labels import HERE, labels
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.reader.reader import DocumentationReader

RESULT = RESULTS / "documentation_groups.json"
TARGET = f"{HERE / 'all_tools.py'}:all_tools()"


class Crossing(NamedTuple):
    """Prompts for one tool that led to a call of another one."""

    written_for: str
    called: str
    prompts: int
    instead: int
    worked: int
    group: str
    other_group: str


def groups() -> dict[str, str]:
    """Of each tool, its group."""
    listed = json.loads((HERE / "groups.json").read_text(encoding="utf-8"))
    return {name: group for group, names in listed.items() for name in names}


def searched(seed: int) -> Iterator[DocumentationCampaign]:
    """The runs of every tool's prompts, with all tools in the agent's hands."""
    search = DocumentationSearch(
        config=FuzzConfig(time_s=600),
        checks=("input",),
        together=True,
        prompt_sets=prompt_sets(),
    )
    for event in fuzz_documentation(
        TARGET,
        agent=ModelAgent(DocumentationReader(seed=seed)),
        writer=ByHand(HERE / "answers" / "none", name="recorded"),
        oracle=None,
        search=search,
    ):
        if isinstance(event, DocumentationFinished):
            yield event.campaign


def crossings(campaigns: Sequence[DocumentationCampaign], of: Mapping[str, str]) -> list[Crossing]:
    """All pairs of tools that were confused, those in most prompts first."""
    found = [
        Crossing(
            campaign.tool.name, other.tool, other.prompts, other.instead, other.worked,
            of[campaign.tool.name], of[other.tool],
        )
        for campaign in campaigns
        for other in campaign.others
    ]  # fmt: skip
    return sorted(found, key=lambda each: (-each.prompts, each.written_for, each.called))


def table(campaigns: Sequence[DocumentationCampaign]) -> dict[str, Any]:
    """How many prompts led to calls of tools of the same group and of others, and by which."""
    of = groups()
    prompts: Counter[str] = Counter()
    crossed: dict[str, Counter[str]] = {kind: Counter() for kind in ("other group", "any tool")}
    for campaign in campaigns:
        name = campaign.tool.name
        for result in campaign.sets:
            for run in result.runs:
                others = {call.tool for call in run.calls} - {name}
                prompts[name] += 1
                crossed["any tool"][name] += bool(others)
                crossed["other group"][name] += any(of[tool] != of[name] for tool in others)
    kinds = {label.name: label.kind for label in labels()}
    return {
        "tools": len(campaigns),
        "groups": len(set(of.values())),
        "prompts": prompts.total(),
        **{
            f"prompts with a call of {kind}": _share(found.total(), prompts.total())
            for kind, found in crossed.items()
        },
        "tools of which a prompt called another group": {
            kind: sum(found > 0 and kinds[name] == kind for name, found in
                      crossed["other group"].items())
            for kind in ("misleading", "sound")
        },
        "by group": {
            group: {
                "prompts": sum(prompts[name] for name in names),
                "called another group": sum(crossed["other group"][name] for name in names),
            }
            for group in sorted(set(of.values()))
            for names in [[name for name in of if of[name] == group]]
        },
        "pairs": [each._asdict() for each in crossings(campaigns, of)],
    }  # fmt: skip


def _share(hits: int, of: int) -> dict[str, Any]:
    """With an exact 95 % interval, which takes prompts of one tool for independent."""
    between = binomtest(hits, of).proportion_ci()
    return {"hits": hits, "share": round(hits / of, 3),
            "interval": [round(between.low, 3), round(between.high, 3)]}  # fmt: skip


def main() -> None:
    """Run, write the table and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    asked = parser.parse_args()
    report = {f"simulated reader, seed {seed}": table(list(searched(seed))) for seed in asked.seeds}
    write_result(RESULT, report)
    for name, shown in report.items():
        print(name, json.dumps({**shown, "pairs": shown["pairs"][:10]}, indent=1))


if __name__ == "__main__":
    main()
