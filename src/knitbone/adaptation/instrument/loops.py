"""Loops that cut a text themselves: ``for i in range(0, len(text), step): text[i : i + size]``.

No list of the pieces exists at any expression, so the loop is told where to cut: the range gives
the starts of the adapted pieces, and each slice the piece that begins there. What else the body
does with the start (an offset to store, say) stays right.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Cut", "find_cuts"]


class Cut(NamedTuple):
    """One loop: what to pass along where its range and its slice are evaluated."""

    number: int
    text: ast.expr
    width: ast.expr
    start: str
    """Name of the loop's variable."""


def find_cuts(
    tree: ast.Module, slices: Mapping[tuple[int, int, int, int], int]
) -> tuple[dict[int, Cut], dict[int, Cut]]:
    """The loops around slices that are sites: by ``id`` of the range, and of the slice.

    Args:
        slices: position of each slice -> number of its site.
    """
    ranges: dict[int, Cut] = {}
    found: dict[int, Cut] = {}
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
            continue
        if not _is_range(loop.iter):
            continue
        for statement in loop.body:
            for node in ast.walk(statement):
                cut = _cut(node, loop.target.id, slices)
                if cut is not None and id(loop.iter) not in ranges:
                    ranges[id(loop.iter)] = found[id(node)] = cut
    return ranges, found


def _is_range(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "range"
        and len(node.args) == 3
    )


def _cut(node: ast.AST, start: str, slices: Mapping[tuple[int, int, int, int], int]) -> Cut | None:
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return None
    place = (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
    number = slices.get(place)
    upper = node.slice.upper
    plain = isinstance(node.value, ast.Name | ast.Attribute)
    if number is None or not plain or not isinstance(upper, ast.BinOp):
        return None
    for one, width in ((upper.left, upper.right), (upper.right, upper.left)):
        if isinstance(one, ast.Name) and one.id == start and isinstance(upper.op, ast.Add):
            return Cut(number, node.value, width, start)
    return None
