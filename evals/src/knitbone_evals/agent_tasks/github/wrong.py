"""Ways to go wrong about a task on a repository."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from knitbone_evals.agent_tasks.github.effects import Effect, applied, changes
from knitbone_evals.agent_tasks.github.repository import Repository, differences
from knitbone_evals.agent_tasks.variants import pick, spoiled

__all__ = ["wrong_plans"]

Plan = tuple[Effect, ...]


def wrong_plans(
    state: Repository, effects: Sequence[Effect], chance: random.Random, count: int
) -> list[tuple[str, Plan]]:
    """``count`` plans that are wrong in different ways, each with what is wrong.

    Raises:
        ValueError: there are not so many.
    """
    done = changes(effects)
    expected = applied(state, done)
    found: list[tuple[str, Plan]] = []
    left: list[Repository] = []
    for name, wrong in _candidates(state, done, chance):
        try:
            after = applied(state, wrong)
        except ValueError:
            continue
        if not differences(after, state, expected) or not differences(after, state, state):
            continue  # right after all, or nothing done
        if all(differences(after, state, one) for one in left):
            left.append(after)
            found.append((name, wrong))
    return pick(found, count, chance)


def _candidates(
    state: Repository, done: Sequence[Effect], chance: random.Random
) -> Iterator[tuple[str, Plan]]:
    for index, effect in enumerate(done):
        for name, other in _instead(state, effect, chance):
            yield name, (*done[:index], other, *done[index + 1 :])
        if len(done) > 1:
            yield "step missing", (*done[:index], *done[index + 1 :])
    others = [number for number in state.issues if all(e.number != number for e in done)]
    last = done[-1]
    if last.kind == "comment":
        yield "too much", (*done, last)
        if others:
            yield "too much", (*done, replace(last, number=chance.choice(others)))
    elif last.kind == "branch":
        yield "too much", (*done, replace(last, branch=f"{last.branch}_v1"))
    else:
        yield "too much", (*done, Effect("create", branch=last.branch, path="NOTES", text="Done."))
        for path in _beside(state, last):
            yield "too much", (*done, Effect("delete", branch=last.branch, path=path))
    if others:
        yield "too much", (*done, Effect("comment", number=chance.choice(others), text="Done."))


def _instead(
    state: Repository, effect: Effect, chance: random.Random
) -> Iterator[tuple[str, Effect]]:
    """What may be done instead of one effect."""
    if effect.kind == "comment":
        others = [number for number in state.issues if number != effect.number]
        yield "wrong place", replace(effect, number=chance.choice(others))
        yield "wrong content", replace(effect, text=spoiled(effect.text))
        return
    if effect.kind == "branch":
        yield "wrong name", replace(effect, branch=_misread(effect.branch))
        yield "wrong name", replace(effect, branch=effect.branch.rpartition("/")[2] + "-branch")
        return
    branches = [name for name in state.branches if name not in {"main", effect.branch}]
    if branches:
        yield "wrong place", replace(effect, branch=chance.choice(branches))
    if effect.kind == "pull request":
        yield "wrong name", replace(effect, path=spoiled(effect.path))
        yield "wrong content", replace(effect, text=spoiled(effect.text))
    elif effect.kind == "create":
        name = PurePosixPath(effect.path)
        yield "wrong name", replace(effect, path=str(name.with_name(_misread(name.name))))
        yield "wrong place", replace(effect, path=name.name)
        yield "wrong content", replace(effect, text=spoiled(effect.text))
    else:
        for path in _beside(state, effect):
            yield "wrong file", replace(effect, path=path)
        if effect.kind == "update":
            yield "wrong content", replace(effect, new=spoiled(effect.new))


def _beside(state: Repository, effect: Effect) -> list[str]:
    """Other files of the branch."""
    return sorted(path for path in state.branches.get(effect.branch, {}) if path != effect.path)


def _misread(name: str) -> str:
    """A name that is easily mistaken for the right one."""
    for old, new in (("-", "_"), ("_", "-"), ("/", "-")):
        if old in name:
            return name.replace(old, new)
    return name.capitalize() if name != name.capitalize() else f"{name}2"
