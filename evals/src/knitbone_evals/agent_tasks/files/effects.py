"""What is done to a tree of files, and the tree with it done: attempts are held against that.

It knows neither shell nor toolkit, so that what they really do is compared with something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Effect", "Tree", "applied", "changes"]

Tree = Mapping[str, str]
"""Path -> text, UTF-8."""

Kind = Literal["list", "look", "move", "copy", "delete", "write", "append", "replace", "drop"]


@dataclass(frozen=True)
class Effect:
    """One thing done, or looked at.

    Attributes:
        path: the file, or the folder that is listed.
        to: where it is moved or copied.
        text: ``write``, ``append``: what; ``drop``: the text whose lines go.
    """

    kind: Kind
    path: str
    to: str = ""
    text: str = ""
    old: str = ""
    new: str = ""


def changes(effects: Iterable[Effect]) -> list[Effect]:
    """The effects that change something."""
    return [effect for effect in effects if effect.kind not in {"list", "look"}]


def applied(tree: Tree, effects: Iterable[Effect]) -> dict[str, str]:
    """The tree after the effects.

    Raises:
        ValueError: a file is missing, is in the way, or is not changed by what is done to it.
    """
    after = dict(tree)
    for effect in changes(effects):
        _apply(after, effect)
    return after


def _apply(tree: dict[str, str], effect: Effect) -> None:
    if effect.kind == "write":
        if tree.get(effect.path) == effect.text:
            raise ValueError(f"{effect.path} says this already")
        tree[effect.path] = effect.text
        return
    if effect.path not in tree:
        raise ValueError(f"no file {effect.path} to {effect.kind}")
    text = tree[effect.path]
    if effect.kind in {"move", "copy"}:
        if effect.to in tree:
            raise ValueError(f"{effect.to} is there already")
        tree[effect.to] = text
    if effect.kind in {"move", "delete"}:
        del tree[effect.path]
    elif effect.kind != "copy":
        tree[effect.path] = _edited(text, effect)
        if tree[effect.path] == text:
            raise ValueError(f"{effect} changes nothing")


def _edited(text: str, effect: Effect) -> str:
    if effect.kind == "append":
        return text + effect.text
    if effect.kind == "replace":
        return text.replace(effect.old, effect.new)
    return "".join(line for line in text.splitlines(keepends=True) if effect.text not in line)
