"""The domains of FMB, and their tasks for one seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knitbone_evals.agent_tasks.drawing import draw, fill, filled, generator, records
from knitbone_evals.agent_tasks.files.calls import terminal_calls, toolkit_calls
from knitbone_evals.agent_tasks.files.effects import Effect, Tree, applied, changes
from knitbone_evals.agent_tasks.files.steps import is_conditional, plan
from knitbone_evals.agent_tasks.files.wrong import wrong_plans
from knitbone_evals.agent_tasks.records import Attempt, Level, Task

__all__ = ["WRONG", "domain_tasks", "domain_tree"]

WRONG = 3
"""Wrong attempts of each task."""


def domain_tasks(name: str, data: Mapping[str, Any], seed: int) -> list[Task]:
    """The tasks of one data file.

    Args:
        name: the file's name without its ending; tasks are named after it.

    Raises:
        ValueError: the data does not make a task that can be solved and failed; it says which.
    """
    values, tree = domain_tree(name, data, seed)
    return [
        _task(f"{name}-{number}", data["domain"], tree, values, task)
        for number, task in enumerate(data["tasks"], 1)
    ]


def domain_tree(
    name: str, data: Mapping[str, Any], seed: int
) -> tuple[dict[str, str], dict[str, str]]:
    """The values that the seed draws for a domain, and its files."""
    chance = generator(seed, name)
    values = draw(data.get("draw", {}), chance)
    tree: dict[str, str] = filled(data["files"], values)
    for group in data.get("records", ()):
        tree |= records(group, values, chance)
    return values, tree


def _task(
    name: str, domain: str, tree: Tree, values: Mapping[str, str], data: Mapping[str, Any]
) -> Task:
    try:
        steps: list[dict[str, Any]] = filled(data["steps"], values)
        effects = plan(tree, steps)
        wrong = wrong_plans(tree, effects, generator(name), WRONG)
        request = fill(data["request"].strip(), values, strict=True)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    return Task(
        benchmark="FMB",
        name=name,
        domain=domain,
        category=changes(effects)[0].kind,
        level=_level(steps, effects),
        request=request,
        initial=tree,
        expected=applied(tree, effects),
        reference=_attempt("reference", tree, effects),
        wrong=tuple(_attempt(why, tree, effects) for why, effects in wrong),
    )


def _level(steps: list[dict[str, Any]], effects: tuple[Effect, ...]) -> Level:
    if is_conditional(steps):
        return "conditional"
    return "single step" if len(changes(effects)) == 1 else "several steps"


def _attempt(name: str, tree: Tree, effects: tuple[Effect, ...]) -> Attempt:
    return Attempt(
        name, {"terminal": terminal_calls(tree, effects), "files": toolkit_calls(tree, effects)}
    )
