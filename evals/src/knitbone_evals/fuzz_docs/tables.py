"""The paper's further tables on the forty tools: ``python -m knitbone_evals.fuzz_docs.tables``.

- *temperature* (ToolFuzz Table 6): the writer's answers came by file, without a temperature, so it
  is the agent's habits that are heated: each form is drawn as often as its count to the power of
  1/t; at 0 always the most frequent.
- *agent x writer* (Table 5): the agents at hand with the writers that are recorded.
- *unique errors for a token budget* (App. D): faults that the search had found when so many tokens
  were used, writer, agent and oracle together.
- *baselines* BG and BW (App. J.4), nine requests a tool as the sets have nine prompts, beside both
  techniques; degenerate requests are counted.

All agents are simulated; writer, oracle and judge are a large model, by file. What nobody has
answered yet is left out and counted as ``unanswered``; ``--pending FILE`` collects it, the answers
go into ``answers/tables.jsonl``. ``--baselines`` makes that table alone.
"""

from __future__ import annotations

import argparse
import contextlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from knitbone.config import FuzzConfig
from knitbone.fuzzing.agents.dialogue import AgentStyle
from knitbone.fuzzing.agents.engine import ModelAgent
from knitbone.fuzzing.documentation.engine import DocumentationSearch, fuzz_documentation
from knitbone.fuzzing.documentation.records import (
    DocumentationCampaign,
    DocumentationEvent,
    DocumentationFinished,
    SetJudged,
)
from knitbone.models.chat import ChatModel
from knitbone_evals.fuzz_docs.__main__ import CollectingOracle, prompt_sets
from knitbone_evals.fuzz_docs.baselines import baseline_rows
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.labels import HERE, Label, labels, target_of
from knitbone_evals.fuzz_docs.prompts import PROMPTS, SETS, WRITER
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.reader.filling import Habits, frozen_habits
from knitbone_evals.reader.reader import DocumentationReader

RESULT = RESULTS / "documentation_tables.json"
ANSWERS = HERE / "answers"
TEMPERATURES = (0.0, 0.4, 0.8, 1.0)
BUDGETS = (1_000, 2_500, 5_000, 7_500, 25_000)
"""Tokens for each tool; the last is the paper's (App. D)."""


def heated(habits: Habits, temperature: float) -> Habits:
    """How often each form is drawn at a temperature; at 1 as it was counted."""
    if temperature == 0:
        return {kind: {max(forms, key=lambda form: forms[form]): 1.0} if forms else {}
                for kind, forms in habits.items()}  # fmt: skip
    return {
        kind: {form: count ** (1 / temperature) for form, count in forms.items()}
        for kind, forms in habits.items()
    }


class Counted:
    """A chat model whose tokens are counted together with those of others."""

    def __init__(self, model: ChatModel, used: list[int]) -> None:
        self._model, self._used = model, used
        self.name = model.name

    async def complete(self, messages: Any, **asked: Any) -> Any:
        completion = await self._model.complete(messages, **asked)
        usage = completion.usage
        if usage is not None:
            self._used[0] += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        return completion


class Searched(NamedTuple):
    """One tool's search, and the tokens that were used when each of its sets was judged."""

    label: Label
    campaign: DocumentationCampaign
    tokens: tuple[int, ...]


def events(label: Label, agent: ModelAgent, writer: ChatModel | None, oracle: ChatModel
           ) -> Iterator[DocumentationEvent]:  # fmt: skip
    """One tool's search; with a writer the recorded sets are asked for again, and charged."""
    search = DocumentationSearch(
        config=FuzzConfig(time_s=600, sets=SETS, prompts=PROMPTS, max_tokens=10**9),
        context=f"Somebody asked: {label.example_request}",
        prompt_sets=prompt_sets() if writer is None else None,
    )
    yield from fuzz_documentation(
        target_of(label),
        agent=agent,
        writer=writer or ByHand(name="recorded"),
        oracle=CollectingOracle(oracle),
        search=search,
    )


def searched(agent: ModelAgent, oracle: ByHand) -> list[Searched]:
    """The cascade on the recorded sets of all tools."""
    return [_searched(label, agent, None, oracle, [0]) for label in labels()]


def _searched(
    label: Label, agent: ModelAgent, writer: ChatModel | None, oracle: ChatModel, used: list[int]
) -> Searched:
    tokens: list[int] = []
    for event in events(label, agent, writer, oracle):
        if isinstance(event, SetJudged):
            tokens.append(used[0])
        if isinstance(event, DocumentationFinished):
            return Searched(label, event.campaign, tuple(tokens))
    raise AssertionError(label.name)


def row(rows: Sequence[Searched], unanswered: int) -> dict[str, Any]:
    """What one agent's searches found; of the cascade nothing where answers are missing."""
    both: Counter[str] = Counter()
    cascade: Counter[str] = Counter()
    for each in rows:
        sets = each.campaign.sets
        both[each.label.kind] += any(result.fails(("input", "output")) for result in sets)
        cascade[each.label.kind] += bool(each.campaign.faults)
    found = {"misleading": cascade["misleading"], "sound": cascade["sound"],
             "unique errors": sum(len(each.campaign.faults) for each in rows)}  # fmt: skip
    return {
        "calls and results (CC), tools": {kind: both[kind] for kind in ("misleading", "sound")},
        "cascade, tools": found if not unanswered else None,
        "unanswered": unanswered,
    }


def by_agent(reader: DocumentationReader, style: AgentStyle, pending: dict[str, Any]) -> Any:
    """One row: the recorded sets, worked on by one agent."""
    oracle = ByHand(ANSWERS / "oracle.jsonl", ANSWERS / "tables.jsonl", name=WRITER)
    rows = searched(ModelAgent(reader, style=style), oracle)
    pending.update(oracle.pending)
    return row(rows, len(oracle.pending))


def token_budget() -> dict[str, Any]:
    """Faults that were found within so many tokens a tool."""
    made: list[Searched] = []
    for label in labels():
        used = [0]
        writer = ByHand(ANSWERS / "writer.jsonl", name=WRITER)
        oracle = ByHand(ANSWERS / "oracle.jsonl", ANSWERS / "tables.jsonl", name=WRITER)
        agent = ModelAgent(Counted(DocumentationReader(seed=0), used))
        made.append(_searched(label, agent, Counted(writer, used), Counted(oracle, used), used))
        assert not writer.pending, label.name
    return {
        "tokens of a whole search": sorted(max(each.tokens, default=0) for each in made),
        **{f"{budget:,}": within(made, budget) for budget in BUDGETS},
    }


def within(rows: Sequence[Searched], budget: int) -> dict[str, int]:
    """What was found when a number of tokens was used for each tool."""
    found: Counter[str] = Counter()
    for each in rows:
        places = {result.set.id: at for at, result in enumerate(each.campaign.sets)}
        faults = [
            fault
            for fault in each.campaign.faults
            if min(each.tokens[places[name]] for name in fault.sets) <= budget
        ]
        found["unique errors"] += len(faults)
        found[f"of {each.label.kind} tools"] += len(faults)
        found["sets judged"] += sum(used <= budget for used in each.tokens)
    return dict(found)


def main() -> None:
    """Make the tables, or collect what is missing for them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pending", type=Path, help="collect what nobody answered")
    parser.add_argument("--baselines", action="store_true", help="that table alone")
    asked = parser.parse_args()
    pending: dict[str, Any] = {}
    report = json.loads(RESULT.read_bytes()) if asked.baselines else _searches(pending)
    report["baselines"] = baseline_rows(pending)
    if asked.pending is not None:
        lines = [json.dumps({"key": key} | each) for key, each in pending.items()]
        asked.pending.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    write_result(RESULT, report)
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps(report, indent=1))
        print(f"{len(pending)} requests without an answer")


def _searches(pending: dict[str, Any]) -> dict[str, Any]:
    """The tables of the cascade."""
    habits = frozen_habits()
    by_temperature = {
        f"{t:g}": by_agent(DocumentationReader(habits=heated(habits, t)), "react", pending)
        for t in TEMPERATURES
    }
    calling = by_agent(DocumentationReader(), "tool-calling", pending)
    # At 1 the habits are as they were counted.
    by_style = {"react": by_temperature["1"], "tool-calling": calling}
    return {
        "temperature of the agent's habits": by_temperature,
        "agent x writer": {
            f"simulated reader, {style}": {WRITER: row} for style, row in by_style.items()
        },
        "unique errors for a token budget": token_budget(),
    }


if __name__ == "__main__":
    main()
