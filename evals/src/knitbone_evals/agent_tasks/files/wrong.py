"""Ways to go wrong about a task: each leaves a tree that is not the expected one."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from knitbone_evals.agent_tasks.files.effects import Effect, Tree, applied, changes
from knitbone_evals.agent_tasks.files.judging import differences
from knitbone_evals.agent_tasks.variants import pick, spoiled

__all__ = ["wrong_plans"]

Plan = tuple[Effect, ...]


def wrong_plans(
    tree: Tree, effects: Sequence[Effect], chance: random.Random, count: int
) -> list[tuple[str, Plan]]:
    """``count`` plans that are wrong in different ways, each with what is wrong.

    Raises:
        ValueError: there are not so many.
    """
    done = changes(effects)
    expected = applied(tree, done)
    found: list[tuple[str, Plan]] = []
    left: list[dict[str, str]] = []
    for name, wrong in _candidates(tree, done, chance):
        try:
            after = applied(tree, wrong)
        except ValueError:
            continue
        if not differences(after, tree, expected) or not differences(after, tree, tree):
            continue  # right after all, or nothing done
        if after not in left:
            left.append(after)
            found.append((name, wrong))
    return pick(found, count, chance)


def _candidates(
    tree: Tree, done: Sequence[Effect], chance: random.Random
) -> Iterator[tuple[str, Plan]]:
    for index, effect in enumerate(done):
        for name, others in _instead(tree, effect, chance):
            yield name, (*done[:index], *others, *done[index + 1 :])
        if len(done) > 1:
            yield "step missing", (*done[:index], *done[index + 1 :])
    after = applied(tree, done)
    untouched = [path for path in tree if after.get(path) == tree[path]]
    near = [path for path in untouched if _folder(path) == _folder(done[0].path)]
    if untouched:
        path = chance.choice(near or untouched)
        yield "too much", (*done, Effect("delete", path))
        same_kind = [e for e in done if e.kind in {"replace", "drop", "append"}]
        yield from (("too much", (*done, replace(e, path=path))) for e in same_kind[:1])
        if "/" in done[0].to:
            beside = str(PurePosixPath(done[0].to).parent / PurePosixPath(path).name)
            yield "too much", (*done, replace(done[0], path=path, to=beside))
    yield "too much", (*done, Effect("write", "notes.txt", text="Done.\n"))


def _instead(
    tree: Tree, effect: Effect, chance: random.Random
) -> Iterator[tuple[str, tuple[Effect, ...]]]:
    """What may be done instead of one effect."""
    siblings = [
        path for path in tree if path != effect.path and _folder(path) == _folder(effect.path)
    ]
    if effect.kind in {"move", "copy"}:
        yield "wrong name", (replace(effect, to=_renamed(effect.to)),)
        yield "wrong place", (replace(effect, to=_elsewhere(effect.to)),)
        cut = "".join(tree.get(effect.path, "").splitlines(keepends=True)[:-1])
        yield "wrong content", (effect, Effect("write", effect.to, text=cut))
    if effect.kind == "move":
        yield "step missing", (replace(effect, kind="copy"),)
    if effect.kind == "write":
        yield "wrong place", (replace(effect, path=_elsewhere(effect.path)),)
        yield "wrong name", (replace(effect, path=_renamed(effect.path)),)
    if effect.kind in {"write", "append"}:
        yield "wrong content", (replace(effect, text=spoiled(effect.text)),)
    if effect.kind == "append":
        yield "wrong content", (replace(effect, kind="write"),)
    if effect.kind == "replace":
        yield "wrong content", (replace(effect, new=spoiled(effect.new)),)
    if effect.kind == "drop":
        lines = [li for li in tree.get(effect.path, "").splitlines() if effect.text not in li]
        other = chance.choice([line for line in lines if line] or [effect.text])
        yield "wrong line", (replace(effect, text=other),)
        yield "too much", (effect, replace(effect, text=other))
        yield "wrong content", (replace(effect, kind="replace", old=effect.text, new=""),)
    if effect.kind == "delete":
        aside = f"trash/{PurePosixPath(effect.path).name}"
        yield "step missing", (replace(effect, kind="move", to=aside),)
        yield "step missing", (replace(effect, kind="write"),)
    siblings = siblings or [path for path in tree if path != effect.path]
    if effect.kind != "write":
        yield "wrong file", (replace(effect, path=chance.choice(siblings)),)


def _folder(path: str) -> PurePosixPath:
    return PurePosixPath(path).parent


def _renamed(path: str) -> str:
    """A name that is easily mistaken for the right one."""
    name = PurePosixPath(path)
    other = name.stem.replace("_", "-") if "_" in name.stem else name.stem.replace("-", "_")
    if other == name.stem:
        other = re.sub(r"\d+", lambda m: str(int(m[0]) + 1), name.stem, count=1)
    if other == name.stem:
        other = f"{name.stem}_final"
    return str(name.with_name(other + name.suffix))


def _elsewhere(path: str) -> str:
    name = PurePosixPath(path)
    if len(name.parts) == 1:
        return f"new/{name}"
    return str(name.parent.parent / name.name)
