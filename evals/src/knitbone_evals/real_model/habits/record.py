"""Has a small real model write the calls of the 200 requests: ``python -m ...habits.record``.

``requests.json`` holds 25 imaginary tools whose documentation leaves the form of every value open,
and eight requests of each, in which ``{argument=words}`` marks the words that give an argument.
Each request is put to the model as the built-in ``tool-calling`` agent puts it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from pathlib import Path
from typing import Any, NamedTuple

from knitbone.fuzzing.agents.dialogue import open_dialogue
from knitbone.models.chat import Completion, ToolSpec, complete_sync
from knitbone_evals.real_model.recorder import Replay, real_model

HERE = Path(__file__).parent
MODEL = "qwen2.5-coder-1.5b-instruct"
MAX_TOKENS = 100


def answers_of(model: str) -> Path:
    """Where a model's answers are."""
    return HERE / "answers" / f"{model}.jsonl"


ANSWERS = answers_of(MODEL)
_MARKED = re.compile(r"\{(\w+)=([^{}]+)\}")


class Request(NamedTuple):
    """One request, and the words in it that give each argument."""

    tool: ToolSpec
    kinds: dict[str, str]
    """By argument."""
    text: str
    words: dict[str, str]
    """By argument; what the request does not tell is missing."""


def requests() -> list[Request]:
    """All 200, tools in turn."""
    found: list[Request] = []
    for tool in json.loads((HERE / "requests.json").read_text(encoding="utf-8")):
        arguments: dict[str, list[str]] = tool["arguments"]
        spec = ToolSpec(
            name=tool["name"],
            description=tool["description"],
            parameters={
                "type": "object",
                "properties": {name.rstrip("?"): {"type": t} for name, (t, _) in arguments.items()},
                "required": [name for name in arguments if not name.endswith("?")],
            },
        )
        kinds = {name.rstrip("?"): kind for name, (_, kind) in arguments.items()}
        found += [
            Request(spec, kinds, _MARKED.sub(r"\2", marked), dict(_MARKED.findall(marked)))
            for marked in tool["requests"]
        ]
    return found


def answer(model: Replay, request: Request) -> Completion:
    """What the model says to a request.

    Raises:
        UnrecordedError: nothing is recorded, and there is nobody to ask.
    """
    dialogue = open_dialogue("tool-calling", request.text, [request.tool])
    return complete_sync(model, dialogue.messages, tools=dialogue.tools)


def main() -> None:
    """Record what is missing; a tool's requests together: the server keeps how they begin."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="such as http://127.0.0.1:8091/v1")
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--each", type=int, default=8, help="requests of each tool")
    options = parser.parse_args()
    real = real_model(options.url, options.model, max_tokens=MAX_TOKENS, temperature=0)
    model = Replay(answers_of(options.model), options.model, real)
    asked: list[Any] = requests()
    # In a drawn order of the tools' halves: where the time ends early, no kind of value is missing.
    halves = [asked[start : start + 4] for start in range(0, len(asked), 4)]
    random.Random(18).shuffle(halves)
    chosen = [r for half in halves for r in half if asked.index(r) % 8 < options.each]
    for number, request in enumerate(chosen, start=1):
        began = time.monotonic()
        said = answer(model, request)
        print(f"{number} {time.monotonic() - began:.1f} s {said.text!r}", flush=True)


if __name__ == "__main__":
    main()
