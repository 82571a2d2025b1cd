"""The projects of GHB, a repository each, and their tasks for one seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from knitbone_evals.agent_tasks.drawing import draw, fill, filled, generator
from knitbone_evals.agent_tasks.github.effects import Effect, applied, calls, changes
from knitbone_evals.agent_tasks.github.repository import Issue, Repository
from knitbone_evals.agent_tasks.github.wrong import wrong_plans
from knitbone_evals.agent_tasks.records import Attempt, Level, Task

__all__ = ["CATEGORIES", "WRONG", "project_tasks"]

WRONG = 3
"""Wrong attempts of each task."""
CATEGORIES = {
    "comment": 18,
    "update": 9,
    "pull request": 2,
    "create": 6,
    "delete": 9,
    "branch": 10,
}
"""Tasks of each category (ToolFuzz, appendix F.2)."""
_FIRST_NUMBERS = range(3, 90)
Step = Mapping[str, Any]


def project_tasks(name: str, data: Mapping[str, Any], seed: int) -> list[Task]:
    """The tasks of one data file.

    Raises:
        ValueError: the data does not make a task that can be solved and failed; it says which.
    """
    chance = generator(seed, name)
    values = draw(data.get("draw", {}), chance)
    state = _repository(data, values, chance)
    return [
        _task(f"{name}-{number}", data["domain"], state, values, task)
        for number, task in enumerate(data["tasks"], 1)
    ]


def _repository(
    data: Mapping[str, Any], values: dict[str, str], chance: random.Random
) -> Repository:
    """The repository; the numbers of its issues become values under the issues' keys."""
    keys = list(data["issues"])
    if twice := values.keys() & set(keys):
        raise ValueError(f"{data['repository']}: both drawn and a number of an issue: {twice}")
    chance.shuffle(keys)
    number = chance.choice(_FIRST_NUMBERS)
    for key in keys:
        values[key] = str(number)
        number += chance.randint(1, 4)
    main: dict[str, str] = filled(data["files"], values)
    branches: dict[str, dict[str, str]] = {"main": main}
    for branch, files in data.get("branches", {}).items():
        branches[fill(branch, values)] = main | filled(files, values)
    issues = {
        int(values[key]): Issue(
            title=fill(issue["title"], values),
            body=fill(issue["body"], values),
            user=fill(issue["user"], values),
            comments=[(user, fill(text, values)) for user, text in issue.get("comments", ())],
        )
        for key, issue in sorted(data["issues"].items(), key=lambda item: int(values[item[0]]))
    }
    return Repository(data["repository"], branches, issues)


def _task(
    name: str, domain: str, state: Repository, values: Mapping[str, str], data: Mapping[str, Any]
) -> Task:
    steps: list[dict[str, Any]] = filled(data["steps"], values)
    try:
        effects = [effect for step in steps for effect in _effects(step, values)]
        expected = applied(state, effects)
        wrong = wrong_plans(state, effects, generator(name), WRONG)
        request = fill(data["request"].strip(), values, strict=True)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    return Task(
        benchmark="GHB",
        name=name,
        domain=domain,
        category=data.get("category", changes(effects)[-1].kind),
        level=_level(effects),
        request=request,
        initial=state,
        expected=expected,
        reference=Attempt("reference", {"github": calls(effects)}),
        wrong=tuple(Attempt(why, {"github": calls(plan)}) for why, plan in wrong),
    )


def _level(effects: Sequence[Effect]) -> Level:
    if len(changes(effects)) < len(effects):
        return "conditional"
    return "single step" if len(calls(effects)) == 1 else "several steps"


def _effects(step: Step, values: Mapping[str, str]) -> list[Effect]:
    """The effects of a step; ``read`` names issues or files that say what is to be done."""
    branch = step.get("on", "")
    looks: list[Effect] = []
    for what in step.get("read", ()):
        if what in values:
            looks += [Effect("issues"), Effect("issue", number=int(values[what]))]
        else:
            looks.append(Effect("look", branch=branch, path=what))
    if "comment" in step:
        number = int(values[step["comment"]])
        return [*looks, Effect("comment", number=number, text=step["text"])]
    if "branch" in step:
        return [*looks, Effect("branch", branch=step["branch"])]
    if "pull" in step:
        pull = Effect("pull request", branch=branch, path=step["pull"], text=step["text"])
        return [*looks, pull]
    if "create" in step:
        return [*looks, Effect("create", branch=branch, path=step["create"], text=step["text"])]
    if "delete" in step:
        return [*looks, Effect("delete", branch=branch, path=step["delete"])]
    update = Effect("update", branch=branch, path=step["update"], old=step["old"], new=step["new"])
    return [*looks, update]
