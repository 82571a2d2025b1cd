"""Has prompt sets written for the forty tools: ``python -m knitbone_evals.fuzz_docs.prompts``.

The writer is a large model whose answers came by file (``answers/writer.jsonl``): it saw what any
writer is shown (instructions, name, documentation, schema, and as context one request that the
tool's author gave as an example), and neither code nor label. What it was asked and has not
answered is written to the file that ``--pending`` names; without it, the sets are written to
``prompt_sets.json`` once all is answered.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import msgspec

from knitbone.config import FuzzConfig
from knitbone.errors import ModelError
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.prompt_files import PromptFiles
from knitbone.fuzzing.documentation.records import PromptSet
from knitbone.fuzzing.documentation.templates import plain
from knitbone.fuzzing.documentation.writer import PromptWriter
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.labels import HERE, Label, labels, target_of

SETS, PROMPTS = 3, 3
WRITER = "a large model, by file"
_BUDGET = CampaignBudget(FuzzConfig(), elapsed=lambda: 0.0)


def written(label: Label, model: ByHand) -> tuple[PromptSet, ...]:
    """The sets of one tool, as far as they are answered."""
    with Sandbox(target_of(label)) as sandbox:
        tool = sandbox.tools[0]
    writer = PromptWriter(model, PromptFiles(), context=f"Somebody asked: {label.example_request}")
    used: dict[str, list[str]] = {}
    sets: list[PromptSet] = []
    try:
        templates = writer.templates(tool, count=SETS, budget=_BUDGET).templates
        for template in templates:
            made = writer.fill(tool, template, count=PROMPTS, used=used, budget=_BUDGET).set
            if made is None:
                continue
            sets.append(made)
            for prompt in made.prompts:
                for mask, infill in prompt.infills.items():
                    values = used.setdefault(plain(mask), [])
                    values += [] if infill in values else [infill]
    except ModelError:
        pass  # collected in ``model.pending``
    return tuple(sets)


def main() -> None:
    """Ask, and write down what is answered or what is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pending", type=Path, help="where to write what is not answered yet")
    parser.add_argument("--answers", type=Path, default=HERE / "answers" / "writer.jsonl")
    parser.add_argument("--half", type=int, choices=(0, 1), help="of the tools")
    asked = parser.parse_args()
    model = ByHand(asked.answers, name=WRITER)
    chosen = [each for at, each in enumerate(labels()) if asked.half in (None, at % 2)]
    sets = {label.name: written(label, model) for label in chosen}
    if asked.pending is not None:
        lines = [json.dumps({"key": key} | each) for key, each in model.pending.items()]
        asked.pending.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{sum(map(len, sets.values()))} sets, {len(model.pending)} requests without an answer")
    if not model.pending and asked.half is None:
        out = HERE / "prompt_sets.json"
        out.write_bytes(msgspec.json.format(msgspec.json.encode(sets), indent=1) + b"\n")


if __name__ == "__main__":
    main()
