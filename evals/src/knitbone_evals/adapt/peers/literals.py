"""Focal-value clustering (the idea of SmartGear): words of the answer that are nearly a literal
of the consumer's code become that literal.

The literals are those that the application compares with, looks up, or finds in the answer; a word
is near if it has at most a quarter of its letters wrong and no other literal is as near.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from knitbone.adaptation.testing import Site
from knitbone.common.edit_distance import distance_within
from knitbone_evals.adapt.cases import AppSpec
from knitbone_evals.adapt.treatments import Repair

__all__ = ["literals_of", "snap_to_literals"]

_WORD = re.compile(r"[^\W\d_][\w-]{3,40}")
_FINDS = frozenset(
    {"get", "startswith", "endswith", "split", "partition", "rpartition", "find", "findall"}
    | {"index", "findtext", "pop"}
)


def snap_to_literals(_site: Site, spec: AppSpec) -> Repair | None:
    """What the idea does to the answers of an application."""
    literals = literals_of(spec)
    if not literals:
        return None

    def repair(text: str) -> str:
        return _WORD.sub(lambda match: _nearest(match.group(), literals), text)

    return repair


@lru_cache(maxsize=64)
def literals_of(spec: AppSpec) -> frozenset[str]:
    """Words with which the code compares, which it looks up or finds."""
    tree = ast.parse((spec.folder / "app.py").read_text(encoding="utf-8"))
    texts = (text for node in ast.walk(tree) for text in _constants(node))
    return frozenset(word for text in texts for word in _WORD.findall(text))


def _constants(node: ast.AST) -> Iterator[str]:
    places: list[ast.expr] = []
    if isinstance(node, ast.Compare):
        places = [node.left, *node.comparators]
    elif isinstance(node, ast.Subscript):
        places = [node.slice]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        places = node.args if node.func.attr in _FINDS else []
    elif isinstance(node, ast.Dict):
        places = [key for key in node.keys if key is not None]
    for place in places:
        inner = place.elts if isinstance(place, (ast.Tuple, ast.List, ast.Set)) else [place]
        yield from (
            each.value
            for each in inner
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        )


def _nearest(word: str, literals: frozenset[str]) -> str:
    if word in literals:
        return word
    allowed = max(1, len(word) // 4)
    near = sorted(
        (distance, literal)
        for literal in literals
        if (distance := distance_within(word, literal, allowed)) is not None
    )
    if not near or (len(near) > 1 and near[0][0] == near[1][0]):
        return word
    return near[0][1]
