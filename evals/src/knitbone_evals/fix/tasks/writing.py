"""Has descriptions of FMB's tools written: ``python -m knitbone_evals.fix.tasks.writing``.

Each tool is fuzzed in the sandbox as ``knitbone fix`` does it, beginning with the calls of
``examples.json``: those that a real agent failed with on tasks for validation, and some that solve
them. The writer is a large model whose answers came by file (``answers/writer.jsonl``): it sees
what any writer is shown, and neither tasks nor code. ``--pending FILE`` collects what it was asked
and has not answered; without it ``candidates.json`` is written. The candidates there answer version
1 of the prompt ``rewrite``, which asked for a whole call as an example: such texts are dropped now,
so that another run would begin with other answers.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from knitbone.config import FuzzConfig
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.engine import fuzz
from knitbone.fuzzing.fixing import DocumentationFix, DocumentationFixed, FixSetting, fix
from knitbone.fuzzing.fixing.observation import Observations, ObservedCall
from knitbone.fuzzing.fixing.rewriting import Candidate, Rewriter
from knitbone.fuzzing.records import Campaign, CampaignFinished, Finding, ToolUnderTest
from knitbone.fuzzing.trace.terms import CallTrace
from knitbone.record.events import Json
from knitbone_evals.agent_tasks import load_tasks
from knitbone_evals.fix.tasks.attempts import Words
from knitbone_evals.fix.tasks.toolkits import TARGETS
from knitbone_evals.fuzz_docs.by_hand import ByHand

__all__ = ["CANDIDATES", "HERE", "SEED", "WRITER"]

HERE = Path(__file__).parent
_CAMPAIGNS = HERE / "campaigns.json"
WRITER = "a large model, by file"
CANDIDATES = 4
"""Of the argument; ToolFuzz §5.3 has ten, which were too many to be answered by file."""
SEED, CALLS = 18, 100

Method = Literal["argument", "description"]


class DescriptionAlone(Rewriter):
    """The baseline of ToolFuzz (Fig. 23): the documentation anew, from itself alone."""

    def candidate(self, number: int) -> Candidate:  # noqa: ARG002 - it asks the same each time
        prompt = (HERE / "describe.md").read_text(encoding="utf-8").strip()
        return Candidate(text=self.described(prompt, {}))


_METHODS: dict[Method, tuple[type[Rewriter], int]] = {
    "argument": (Rewriter, CANDIDATES),
    "description": (DescriptionAlone, 1),
}


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What the writer made of one tool."""

    candidates: dict[Method, list[Candidate]]
    dropped: dict[str, int]


class Fuzzed(msgspec.Struct, frozen=True, kw_only=True):
    """What of a tool's campaign a writer is shown."""

    tool: ToolUnderTest
    findings: list[Finding]
    accepted: list[dict[str, Json]]
    """Arguments that the tool took."""
    stated: Words | None = None
    """What ``knitbone fix`` makes of it without a model, where it states anything."""


def fuzzed() -> dict[str, Fuzzed]:
    """Every tool's campaign, made anew.

    It is kept in ``campaigns.json``, since what a shell says does not quite depend on the seed.
    """
    examples = json.loads((HERE / "examples.json").read_text(encoding="utf-8"))
    found: dict[str, Fuzzed] = {}
    with tempfile.TemporaryDirectory() as folder:
        _initial_files(Path(folder))
        for name, target in TARGETS.items():
            heard = Observations(examples=examples.get(name, []))
            events = fuzz(
                target, calls=CALLS, seed=SEED, files=Path(folder), generator=heard.generator
            )
            campaign = next(e.campaign for e in events if isinstance(e, CampaignFinished))
            setting = FixSetting(
                calls=CALLS,
                seed=SEED,
                files=Path(folder),
                examples=tuple((None, each) for each in examples.get(name, [])),
            )
            made = next(e.fix for e in fix(target, setting) if isinstance(e, DocumentationFixed))
            found[name] = msgspec.structs.replace(
                _kept(campaign, heard.of(campaign.tool)), stated=_words(made)
            )
    return found


def campaigns_of_tools() -> dict[str, Fuzzed]:
    """Those that were kept, by name of the tool."""
    kept = json.loads(_CAMPAIGNS.read_text(encoding="utf-8"))
    return msgspec.convert(kept, dict[str, Fuzzed])


def _kept(campaign: Campaign, calls: Sequence[ObservedCall]) -> Fuzzed:
    """Without what names this machine, and what no writer is shown."""
    return Fuzzed(
        tool=msgspec.structs.replace(campaign.tool, roots=()),
        findings=[
            Finding(
                id=each.id, kind=each.kind, exception=each.exception, frame=None,
                message=each.message, reason=each.reason, arguments=each.arguments, call=each.call,
                standing=each.standing,
            )
            for each in campaign.findings
        ],
        accepted=[each.arguments for each in calls if each.accepted],
    )  # fmt: skip


def _words(made: DocumentationFix) -> Words | None:
    if not made.statements or not made.description:
        return None
    return Words(description=made.description, arguments=made.parameters)


def rewriter(kind: type[Rewriter], of: Fuzzed, model: ByHand) -> Rewriter:
    """What asks the writer of one tool."""
    budget = CampaignBudget(FuzzConfig(), elapsed=lambda: 0.0)
    untraced = CallTrace(events=(), covered=frozenset(), places={})
    calls = [ObservedCall(arguments=each, accepted=True, trace=untraced) for each in of.accepted]
    return kind(of.tool, model, calls=calls, findings=of.findings, budget=budget)


def _initial_files(folder: Path) -> None:
    """The files of the domain whose reference calls are among the examples."""
    task = next(t for t in load_tasks("FMB", "validation") if t.name.startswith("music-"))
    for path, text in task.initial.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def derangement(names: list[str], seed: int) -> dict[str, str]:
    """For each name another one, none twice."""
    chance = random.Random(seed)
    while True:
        others = chance.sample(names, len(names))
        if all(one != other for one, other in zip(names, others, strict=True)):
            return dict(zip(names, others, strict=True))


def main() -> None:
    """Ask, and write down what is answered or what is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fuzz", action="store_true", help="make the campaigns anew")
    parser.add_argument("--pending", type=Path, help="where to write what is not answered yet")
    asked = parser.parse_args()
    if asked.fuzz:
        text = json.dumps(msgspec.to_builtins(fuzzed()))  # half a character is no UTF-8
        _CAMPAIGNS.write_text(text + "\n", encoding="utf-8")
    model = ByHand(HERE / "answers" / "writer.jsonl", name=WRITER)
    written: dict[str, Written] = {}
    for name, of in campaigns_of_tools().items():
        found: dict[Method, list[Candidate]] = {}
        dropped: Counter[str] = Counter()
        for method, (kind, count) in _METHODS.items():
            asking = rewriter(kind, of, model)
            found[method] = asking.candidates(count=count)
            dropped += asking.dropped
        written[name] = Written(candidates=found, dropped=dict(dropped))
        print(name, {m: len(c) for m, c in found.items()}, dict(dropped), flush=True)
    if asked.pending is not None:
        lines = [json.dumps({"key": key} | each) for key, each in model.pending.items()]
        asked.pending.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{len(model.pending)} requests without an answer")
    if not model.pending:
        out = HERE / "candidates.json"
        out.write_bytes(msgspec.json.format(msgspec.json.encode(written), indent=1) + b"\n")


if __name__ == "__main__":
    main()
