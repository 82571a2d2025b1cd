"""Which candidate each tool gets, and the words of every arm: ``python -m
knitbone_evals.fix.tasks.choosing``.

The simulated reader of documentation plays the agent on tasks for validation, one tool with the
words of a candidate and the others as they are. Half of the tasks choose, the other half report. Of
equal candidates the first is taken, and none that does worse than what is stated without a model.
(``knitbone fix`` asks that it does better. This reader never calls some of the tools, and tells
nothing of these.) No real model and no task of the test is seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from knitbone.fuzzing.fixing.rewriting import Score
from knitbone_evals.agent_tasks import Kit, load_tasks
from knitbone_evals.fix.tasks.attempts import Words, attempt
from knitbone_evals.fix.tasks.run import HERE
from knitbone_evals.fix.tasks.study import Case
from knitbone_evals.fix.tasks.writing import SEED, Fuzzed, Written, campaigns_of_tools, derangement
from knitbone_evals.reader.reader import DocumentationReader

READER_SEED = 0
_KITS: Mapping[str, Kit] = {"terminal": "terminal"}
_NOTHING = (
    "This tool is one of several tools. It belongs to a collection that is kept by its authors. "
    "It has a name, and it has a description, which is this text. The description is read before "
    "the tool is used. Its authors chose the name of the tool and the names of its arguments. The "
    "tool can be used more than once. What it did is told when it is done. Other tools of the "
    "collection have names and descriptions of their own. They were written at another time, and "
    "are read in the same way. This text ends here, and nothing else is said in it."
)
"""True of every tool, and of no use for any."""


def scored(tool: str, stated: Words, cases: Sequence[Case], memory: dict[str, float]) -> Score:
    """The share of calls accepted, as the mean over tasks.

    Args:
        stated: the words without a model; a candidate takes the place of all of them.
    """

    def score(description: str) -> float:
        if description not in memory:
            plain = description == stated.description
            words = {tool: stated if plain else Words(description=description)}
            made = [
                attempt(case, "candidate", words, DocumentationReader(seed=READER_SEED))[0]
                for case in cases
            ]
            memory[description] = sum(each.share for each in made) / len(made)
        return memory[description]

    return score


def chosen(name: str, of: Fuzzed, written: Written, cases: Sequence[Case]) -> dict[str, object]:
    """The candidate that one tool gets, with what the reader made of all."""
    stated = of.stated or Words(description=of.tool.documentation)
    memories: tuple[dict[str, float], dict[str, float]] = ({}, {})
    validation, test = (
        scored(name, stated, cases[half::2], memory) for half, memory in enumerate(memories)
    )
    scores = [validation(each.text) for each in written.candidates["argument"]]
    best = max(range(len(scores)), key=scores.__getitem__, default=None)
    found = None
    if best is not None and scores[best] >= validation(stated.description):
        found = written.candidates["argument"][best].text
    return {
        "chosen": found,
        "without a model": validation(stated.description),
        "candidates": scores,
        "on the other half": [test(each) for each in (stated.description, found) if each],
    }


def padding(count: int) -> str:
    """So many words that state nothing."""
    words = _NOTHING.split()
    return " ".join((words * (1 + count // len(words)))[:count])


def main() -> None:
    """Choose, and write the words of every arm."""
    campaigns = campaigns_of_tools()
    candidates = msgspec.json.decode(
        (HERE / "candidates.json").read_bytes(), type=dict[str, Written]
    )
    tasks = load_tasks("FMB", "validation")
    scores: dict[str, dict[str, object]] = {}
    patched: dict[str, Words] = {}
    for name, of in campaigns.items():
        kit = _KITS.get(name, "files")
        made = chosen(name, of, candidates[name], [Case(task, kit) for task in tasks])
        scores[name] = made
        print(name, made, flush=True)
        plain = of.stated or Words(description=of.tool.documentation)
        text = made["chosen"]
        patched[name] = plain if text is None else Words(description=str(text))
    other = derangement(sorted(patched), SEED)
    arms = {
        "patched": patched,
        "description": {
            # One whose words a call contradicted was refused: that tool keeps its own.
            name: Words(
                description=next(
                    (one.text for one in each.candidates["description"]),
                    campaigns[name].tool.documentation,
                )
            )
            for name, each in candidates.items()
        },
        "shuffled": {name: patched[other[name]] for name in patched},
        "nothing": {
            name: Words(
                description=f"{campaigns[name].tool.documentation}. "
                + padding(len(words.description.split()))
            )
            for name, words in patched.items()
        },
    }
    for name, value in (("words", arms), ("choice", scores)):
        encoded = msgspec.json.format(msgspec.json.encode(value), indent=1)
        (HERE / f"{name}.json").write_bytes(encoded + b"\n")


if __name__ == "__main__":
    main()
