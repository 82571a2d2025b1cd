"""The tools that guidance names, against those that a task needs.

``python -m knitbone_evals.recover.naming --fit
evals/src/knitbone_evals/recover/data/fit_second.json``.

Two tables. Of requests alone: what they are taken to say of each tool of their suite's reference
solutions (``need_of``), whether or not an agent called it. Of the first guidance after each failed
first attempt on agentdojo: how many name a tool that the task does not need, as something to do or
as something not to do. Nothing is repaired here.
"""

from __future__ import annotations

import argparse
import functools
import logging
import os
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import knitbone
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.diagnosis.vocabulary import intent_of_tool, is_state_changing
from knitbone.tethering.guidance.builder import build_guidance
from knitbone.tethering.guidance.records import Guidance
from knitbone.tethering.guidance.request import Request, need_of
from knitbone_evals.recover.environments import RecoveryTask, tasks_of
from knitbone_evals.recover.preference import FIT, load_fit
from knitbone_evals.recover.reading import ReadText, namings
from knitbone_evals.recover.running import Ground, Journal, close, goal_of, without_agentdojo

_TOOL = re.compile(r"`([^`]+)`")


def needs(ground: str) -> Counter[tuple[bool, str]]:
    """Of the state-changing tools of each suite, task by task: whether the task needs it, and what
    its request is taken to say of it."""
    tasks = tasks_of(ground)
    tools: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        tools[task.suite] |= {call.tool for call in task.gold}
    return Counter(
        (tool in _needed(task), need_of(Request(said=task.words), tool))
        for task in tasks
        for tool in tools[task.suite]
        if is_state_changing(intent_of_tool(tool))
    )


def first_guidances(fit: Path, seeds: list[int]) -> Iterator[tuple[RecoveryTask, Guidance]]:
    """The guidance after each first attempt on agentdojo that fails."""
    tasks = tasks_of("agentdojo")
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            ground = Ground(tasks, load_fit(fit), seed, Journal(Path(folder) / "first.jsonl"))
            for place, task in enumerate(tasks):
                if not ground.first(task):
                    yield task, _guidance(ground, task, Path(folder) / f"{place}.db")


def _guidance(ground: Ground, task: RecoveryTask, path: Path) -> Guidance:
    made = []

    def work(_: str, supervision: object) -> object:
        del supervision
        made.append(ground.agent(task).attempt(0, None))
        return made[-1]

    store = SqliteStore(path)
    knitbone.recover(
        work, task.words, lambda attempt: goal_of(task).reached(attempt), max_repairs=0,
        strategy="blind", reset=lambda: None, key=task.id, store=store, journals=path.parent / "j",
    )  # fmt: skip
    run = store.get(store.ids()[0])
    store.close()
    close(made[0].environment)
    return build_guidance(diagnose(run), run, task=task.id)


def _needed(task: RecoveryTask) -> set[str]:
    return {call.tool for call in task.gold}


def counted(task: RecoveryTask, guidance: Guidance) -> Iterator[str]:
    """What a guidance counts as."""
    tools = [name for name in dict.fromkeys(_TOOL.findall(guidance.text)) if _is_tool(name)]
    steps = [f"call {tool.replace('_', ' ')}" for tool in tools]
    read = namings(steps, [ReadText(guidance.text, 0)], 0)
    foreign = set(tools) - _needed(task)
    told = {tool for tool, (named, _) in zip(tools, read, strict=True) if named}
    yield "all"
    if foreign:
        yield "names a tool that is not needed"
        if foreign == set(tools):
            yield "and no other"
    if foreign & told:
        yield "names it as something to do"
    refused = {d.id.split(":")[1] for d in guidance.directives if d.constraint == _NOT_ASKED}
    if refused - _needed(task):
        yield "says rightly that a call was not asked for"
    if refused & _needed(task):
        yield "says wrongly that a call was not asked for"


_NOT_ASKED = "call not asked for"


@functools.cache
def _tools() -> frozenset[str]:
    return frozenset(call.tool for task in tasks_of("agentdojo") for call in task.gold)


def _is_tool(name: str) -> bool:
    return name in _tools()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", type=Path, default=FIT)
    parser.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    options = parser.parse_args()
    logging.getLogger("knitbone").setLevel(logging.ERROR)
    without_agentdojo()
    print("| ground | state-changing tool | asked for | unclear | not asked for |")
    print("| --- | --- | --- | --- | --- |")
    for ground in ("agentdojo", "retail", "airline"):
        found = needs(ground)
        for needed, name in ((True, "needed"), (False, "not needed")):
            cells = [found[needed, need] for need in ("asked for", "unclear", "not asked for")]
            print(f"| {ground} | {name} | {' | '.join(map(str, cells))} |")
    counts: Counter[str] = Counter()
    for task, guidance in first_guidances(options.fit, options.seeds):
        counts.update(counted(task, guidance))
    print("\n" + "\n".join(f"{name}: {count}" for name, count in counts.items()), flush=True)
    os._exit(0)  # the portal of the servers' sessions would be waited for


if __name__ == "__main__":
    main()
