"""The same search with real models as agents: ``python -m knitbone_evals.fuzz_docs.real_models``.

Ten misleading and ten sound ones of the forty tools, drawn by a seed before any run; their recorded
prompt sets (three of three a tool). The agent is the built-in ``react`` agent with Qwen2.5-Coder
Instruct, 1.5B and 0.5B, at temperature 0; its answers are recorded in ``answers`` and replayed.
The oracle is the large model of the simulated lane.

``--record URL --model NAME`` asks a served model (``knitbone_evals.real_model.serve``) for what is
not recorded yet; each answer is written down at once, so a recording that was ended goes on. A
server that keeps the beginning of a conversation has little to read: a tool's prompts share theirs.
``--pending FILE`` collects the answers that the oracle has not rated; once its ratings are appended
to ``answers/oracle.jsonl`` (``key`` and ``answer`` a line), the plain command replays everything,
prints the tables and writes ``results/documentation_real.json``.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openai

from knitbone.errors import ModelRequestError
from knitbone.fuzzing.agents.engine import ModelAgent
from knitbone.fuzzing.agents.records import AgentResult, AgentTool
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.oracle import ModelOracle, Oracle
from knitbone.models.chat import Completion, ToolSpec
from knitbone.record.events import ChatMessage, Json, Usage
from knitbone_evals.fuzz_docs.__main__ import (
    CollectingOracle,
    Searched,
    search,
    table,
    without_tools,
)
from knitbone_evals.fuzz_docs.agreement import (
    agreement_between,
    agreement_with_labels,
    set_ends,
)
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.labels import HERE, Label, labels
from knitbone_evals.fuzz_docs.prompts import WRITER
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.reader.reader import DocumentationReader
from knitbone_evals.real_model.recorder import Replay

RESULT = RESULTS / "documentation_real.json"
MODELS = ("qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-0.5b-instruct")
SAMPLE_SEED, EACH = 18, 10
"""Chosen before any run; tools of either kind."""
MAX_STEPS = 4
"""Model calls a prompt: time for one corrected call and an answer."""
MAX_TOKENS = 160
"""Of one answer: three times what a small model writes for a thought and a call."""
_INVENTED = "Observation:"
"""Where a model goes on to invent what a tool returned; the agent reads no further (a server is
told to stop there, which ``ReactDialogue`` would do with the text)."""
PATIENCE_S = 6 * 3600
"""A real model on a busy machine takes its time; no budget of the search ends it."""


def sample() -> list[Label]:
    """Ten misleading tools and ten sound ones, in the author's order."""
    drawn: set[str] = set()
    for kind in ("misleading", "sound"):
        names = sorted(label.name for label in labels() if label.kind == kind)
        drawn.update(random.Random(SAMPLE_SEED).sample(names, EACH))
    return [label for label in labels() if label.name in drawn]


def answers_of(model: str) -> Path:
    """Where a model's answers are."""
    return HERE / "answers" / f"{model}.jsonl"


class StoppingModel:
    """A served model that ends its answer before it invents an observation.

    A server that is not there ends the recording: that is no answer of the model's.
    """

    def __init__(self, url: str, name: str) -> None:
        self.name, self._url = name, url

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] | None = None,  # noqa: ARG002 - told in the text
        schema: Mapping[str, Json] | None = None,  # noqa: ARG002
    ) -> Completion:
        """The model's answer.

        Raises:
            ModelRequestError: the server refuses the request (it is too long).
        """
        async with openai.AsyncOpenAI(
            base_url=self._url, api_key="none", timeout=PATIENCE_S, max_retries=0
        ) as client:
            try:
                said = await client.chat.completions.create(
                    model=self.name,
                    messages=[{"role": m.role, "content": m.content} for m in messages],  # type: ignore[misc]
                    temperature=0,
                    max_tokens=MAX_TOKENS,
                    stop=[_INVENTED],
                )
            except openai.BadRequestError as error:
                raise ModelRequestError(str(error), next_step="Ask for less.") from error
            except openai.OpenAIError as error:
                raise SystemExit(f"{self._url} does not answer: {error}") from error
        choice, used = said.choices[0], said.usage
        return Completion(
            message=ChatMessage(role="assistant", content=choice.message.content or ""),
            finish_reason=choice.finish_reason,
            usage=Usage(
                input_tokens=used.prompt_tokens if used else 0,
                output_tokens=used.completion_tokens if used else 0,
            ),
            model=self.name,
        )


class ReplayedAgent:
    """The built-in agent; an answer of its model is found by tool, prompt and number of the step,
    since some tools return something else each time."""

    def __init__(self, replay: Replay, *, tells: bool = False) -> None:
        self._replay, self._tells = replay, tells
        self._agent = ModelAgent(replay, max_steps=MAX_STEPS)

    @property
    def name(self) -> str:
        return self._agent.name

    def work(
        self, query: str, tools: Sequence[AgentTool], *, budget: CampaignBudget | None = None
    ) -> AgentResult:
        """Work on one prompt.

        Raises:
            UnrecordedError: an answer is not recorded, and there is no model to ask.
        """
        self._replay.begin(f"{tools[0].spec.name}: {query}")
        began = time.monotonic()
        result = self._agent.work(query, tools, budget=budget)
        if self._tells:
            print(f"{time.monotonic() - began:.1f} s {query}", flush=True)
        return result


def searched(
    model: str, oracle: Oracle, *, url: str = "", only: Sequence[str] = ()
) -> list[Searched]:
    """The sample's tools, searched with one model as the agent.

    Args:
        url: of a server to ask for what is not recorded.
        only: names of tools.
    """
    real = StoppingModel(url, model) if url else None
    agent = ReplayedAgent(Replay(answers_of(model), model, real), tells=bool(url))
    return [
        search(label, agent, oracle, seed=0, time_s=PATIENCE_S)
        for label in sample()
        if not only or label.name in only
    ]


def pending(model: ByHand) -> str:
    """What nobody answered yet, one JSON record a line."""
    return "".join(json.dumps({"key": k} | each) + "\n" for k, each in model.pending.items())


def figures(by_agent: Mapping[str, Sequence[Searched]]) -> dict[str, Any]:
    """By agent: rules, kappa, and agreement with each agent before it."""
    report: dict[str, Any] = {}
    for at, (name, rows) in enumerate(by_agent.items()):
        report[name] = table(rows) | {
            "runs": sum((Counter(row.campaign.runs) for row in rows), Counter[str]()),
            "kappa": agreement_with_labels(rows),
            "agreement": {
                other: agreement_between(rows, theirs)
                for other, theirs in list(by_agent.items())[:at]
            },
        }
    return report


def show(by_agent: Mapping[str, Sequence[Searched]], report: Mapping[str, Any]) -> None:
    """The figures as text: the rules by agent, agreement between agents, and tool by tool."""
    for name in by_agent:
        print(f"\n{name}: {dict(report[name]['runs'])}")
        for rule, rate in report[name]["rules"].items():
            print(
                f"  {rule:22} found {rate['found']:2} of {rate['of']}, recall {rate['recall']}; "
                f"accused {rate['false']:2} of {rate['sound']} sound, FDR {rate['fdr']}; "
                f"kappa {report[name]['kappa'][rule]}"
            )
        for other, agreed in report[name]["agreement"].items():
            same = agreed["rules"]["cascade"]
            print(
                f"  as {other}: {same['same']} of {same['of']} verdicts (kappa {same['kappa']}), "
                f"{agreed['same first call']} of {agreed['prompts']} first calls"
            )
    print()
    for row in zip(*by_agent.values(), strict=True):
        label = row[0].label
        print(
            f"{label.name:20} {label.kind:10}", " | ".join(f"{set_ends(each):28}" for each in row)
        )


def main() -> None:
    """Record, collect or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", metavar="URL", default="", help="of a served model")
    parser.add_argument("--model", choices=MODELS, help="only this one")
    parser.add_argument("--only", nargs="+", default=(), help="names of tools")
    parser.add_argument("--pending", type=Path, help="collect what the oracle has not answered")
    asked = parser.parse_args()
    model = ByHand(HERE / "answers" / "oracle.jsonl", name=WRITER)
    by_agent: dict[str, list[Searched]] = {}
    if not asked.record and asked.pending is None:
        reader = ModelAgent(DocumentationReader(seed=0))
        chosen = [label for label in sample() if not asked.only or label.name in asked.only]
        rows = [search(label, reader, ModelOracle(model), seed=0) for label in chosen]
        by_agent["simulated reader"] = rows
    for name in [asked.model] if asked.model else MODELS:
        by_agent[name] = searched(name, CollectingOracle(model), url=asked.record, only=asked.only)
    if asked.pending is not None:
        asked.pending.write_text(pending(model), encoding="utf-8")
    if asked.record or model.pending:
        print(f"{len(model.pending)} ratings are not answered yet: --pending FILE collects them")
        return
    report = figures(by_agent)
    show(by_agent, report)
    if asked.model is None and not asked.only:
        write_result(RESULT, without_tools(report))


if __name__ == "__main__":
    main()
