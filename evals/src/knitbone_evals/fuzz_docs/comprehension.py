"""What a large model understood of requests: ``python -m knitbone_evals.fuzz_docs.comprehension``.

The second simulated reader of the forty tools. A question is one tool as an agent sees it and one
request; its answer says by argument what the request means, without a form, and which form the
documentation states, in quoted words that code looks up (``comprehension.md`` is what whoever
answers is told). The answers are replayed from ``answers/comprehension.jsonl``; values are written
by ``knitbone.testing`` in the stated form, else in one drawn from the frozen habits. Whoever
answers sees neither code nor label of a tool, and never two wordings of one request: the wordings
of a set are in different batches, one for each answerer.

``--pending FILE`` writes what is not answered yet, or not usably (with the reason): a first line of
instructions, then one line for each batch and tool.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from knitbone.errors import ModelServerError
from knitbone.fuzzing.agents.sandbox_tool import SandboxedTool
from knitbone.fuzzing.documentation.records import PromptSet
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.models.chat import ToolSpec
from knitbone_evals.fuzz_docs.labels import HERE, labels, target_of
from knitbone_evals.lines import lines_of
from knitbone_evals.reader.documentation import arguments_of
from knitbone_evals.reader.meanings import Meaning, problems_of

__all__ = ["ANSWERS", "Question", "RecordedComprehension", "key_of_question", "questions"]

ANSWERS = HERE / "answers" / "comprehension.jsonl"
_Meanings = dict[str, Meaning]


class Question(NamedTuple):
    """One request to one tool."""

    batch: int
    """The wording's place in its set: the wordings of one request go to different answerers."""
    tool: ToolSpec
    request: str


def key_of_question(tool: ToolSpec, request: str) -> str:
    """What a question is recognised by: all that its answerer sees."""
    content = json.dumps([_shown(tool), request], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _shown(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "arguments": dict(tool.parameters),
    }


class RecordedComprehension:
    """A ``Comprehension`` whose answers come by file."""

    name = "a large model, by file"

    def __init__(self, path: Path = ANSWERS) -> None:
        lines = lines_of(path)
        found = [json.loads(line) for line in lines if line.strip()]
        self._answers: dict[str, Any] = {each["key"]: each["answer"] for each in found}

    def meanings(self, tool: ToolSpec, request: str) -> Mapping[str, Meaning]:
        """The recorded answer.

        Raises:
            ModelServerError: there is none, or none that can be used.
        """
        problem, meanings = self._read(tool, request)
        if meanings is None:
            raise ModelServerError(
                f"No usable answer for {tool.name!r}, {request!r}: {problem}.",
                next_step="See evals/src/knitbone_evals/fuzz_docs/comprehension.py.",
            )
        return meanings

    def problem(self, question: Question) -> str | None:
        """Why the answer to a question cannot be used, empty where there is none yet."""
        return self._read(question.tool, question.request)[0]

    def _read(self, tool: ToolSpec, request: str) -> tuple[str | None, _Meanings | None]:
        answer = self._answers.get(key_of_question(tool, request))
        if answer is None:
            return "", None
        try:
            meanings = msgspec.convert(answer, _Meanings)
        except msgspec.ValidationError as error:
            return str(error), None
        names = [argument.name for argument in arguments_of(tool)]
        shown = f"{tool.name} {tool.description} {json.dumps(_shown(tool), ensure_ascii=False)}"
        problems = problems_of(meanings, shown, names, request)
        return ("; ".join(problems), None) if problems else (None, meanings)


def questions(sets: Mapping[str, tuple[PromptSet, ...]]) -> Iterator[Question]:
    """Every request to every tool, as the agent is shown it."""
    for label in labels():
        with Sandbox(target_of(label)) as sandbox:
            spec = SandboxedTool(sandbox, 0, timeout_s=1).spec
        for written in sets[label.name]:
            for batch, prompt in enumerate(written.prompts):
                yield Question(batch, spec, prompt.text)


def pending_lines(asked: list[Question], answers: RecordedComprehension) -> list[dict[str, Any]]:
    """What is to be answered, by batch and tool."""
    groups: dict[tuple[int, str], dict[str, Any]] = {}
    for question in sorted(asked, key=lambda each: each.batch):
        problem = answers.problem(question)
        if problem is None:
            continue
        line = groups.setdefault(
            (question.batch, question.tool.name),
            {"batch": question.batch, "tool": _shown(question.tool), "requests": []},
        )
        request = {"key": key_of_question(question.tool, question.request)}
        request |= {"request": question.request} | ({"problem": problem} if problem else {})
        line["requests"].append(request)
    return list(groups.values())


def main() -> None:
    """Write down what is not answered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pending", type=Path, required=True)
    parser.add_argument("--answers", type=Path, default=ANSWERS)
    asked = parser.parse_args()
    sets = msgspec.json.decode(
        (HERE / "prompt_sets.json").read_bytes(), type=dict[str, tuple[PromptSet, ...]]
    )
    every = list(questions(sets))
    lines = pending_lines(every, RecordedComprehension(asked.answers))
    instructions = (HERE / "comprehension.md").read_text(encoding="utf-8")
    written = [{"instructions": instructions}, *lines]
    asked.pending.write_text(
        "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in written), encoding="utf-8"
    )
    missing = sum(len(line["requests"]) for line in lines)
    print(f"{len(every)} requests to {len(sets)} tools, {missing} without a usable answer")


if __name__ == "__main__":
    main()
