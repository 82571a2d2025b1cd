"""The syntax of loops that cut a text into chunks themselves, found so that they can be told where
to cut.

``for i in range(0, len(text), step): text[i : i + size]``, or ``while i < len(text): text[i : i +
size]; i += step``. No expression of such a loop has the list of chunks as its value. So each slice
is put into a call that gives the adapted chunk that begins there, and the range (or what is added
to the start) into one that leads to the next chunk. What else the body does with the start (an
offset to store, say) stays right. ``runtime/chunk_loops.py`` answers these calls.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from typing import Literal, NamedTuple

from knitbone.adaptation.runtime.instrument.wraps import Position

__all__ = ["CutCall", "find_cuts"]


class CutCall(NamedTuple):
    """The call that an expression of such a loop is put into."""

    function: Literal[
        "deliver_chunk_range", "deliver_chunk", "deliver_next_chunk", "deliver_chunk_step"
    ]
    """The function of ``runtime.delivery`` to call."""
    number: int
    """The number of the site."""
    arguments: tuple[ast.expr, ...]
    """The arguments behind value and number."""


def find_cuts(tree: ast.Module, slices: Mapping[Position, int]) -> dict[int, CutCall]:
    """Return the calls to make, by ``id`` of the expression.

    Args:
        slices: position of each slice that is a site -> its number.
    """
    found: dict[int, CutCall] = {}
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            found.update(_calls_of_for(loop, slices))
        elif isinstance(loop, ast.While):
            found.update(_calls_of_while(loop, slices))
    return found


def _calls_of_for(loop: ast.For, slices: Mapping[Position, int]) -> dict[int, CutCall]:
    """Return the calls of a ``for`` loop over ``range``; none where it is another loop."""
    if not isinstance(loop.target, ast.Name) or not _is_range(loop.iter):
        return {}
    start = ast.Name(id=loop.target.id, ctx=ast.Load())
    for node in _nodes_in(loop):
        cut = _slice_parts(node, start.id, slices)
        if cut is not None:
            number, text, width = cut
            return {
                id(loop.iter): CutCall("deliver_chunk_range", number, (text, width)),
                id(node): CutCall("deliver_chunk", number, (start,)),
            }
    return {}


def _calls_of_while(loop: ast.While, slices: Mapping[Position, int]) -> dict[int, CutCall]:
    """Return the calls of a ``while`` loop that adds to its start; none where it is another
    loop."""
    if not isinstance(loop.test, ast.Compare) or not isinstance(loop.test.left, ast.Name):
        return {}
    start = ast.Name(id=loop.test.left.id, ctx=ast.Load())
    steps = [
        node
        for node in _nodes_in(loop)
        if isinstance(node, ast.AugAssign | ast.Assign | ast.AnnAssign | ast.NamedExpr)
        and start.id in {ast.unparse(target) for target in _targets(node)}
    ]
    # The start moves in one place only, by adding.
    if len(steps) != 1 or not isinstance(steps[0], ast.AugAssign):
        return {}
    step = steps[0]
    if not isinstance(step.op, ast.Add) or not isinstance(step.value, _PLAIN):
        return {}
    for node in _nodes_in(loop):
        cut = _slice_parts(node, start.id, slices)
        if cut is not None:
            number, text, width = cut
            arguments = (start, text, width, copy.deepcopy(step.value))
            return {
                id(node): CutCall("deliver_next_chunk", number, arguments),
                id(step.value): CutCall("deliver_chunk_step", number, (start,)),
            }
    return {}


_PLAIN = (ast.Name, ast.Constant, ast.BinOp, ast.Attribute)
"""Expressions that can be evaluated once more."""


def _targets(node: ast.AST) -> list[ast.expr]:
    targets = getattr(node, "targets", None)
    return list(targets) if targets else [node.target]  # type: ignore[attr-defined]


def _nodes_in(loop: ast.For | ast.While) -> list[ast.AST]:
    return [node for statement in loop.body for node in ast.walk(statement)]


def _is_range(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "range"
        and len(node.args) == 3
    )


def _slice_parts(
    node: ast.AST, start: str, slices: Mapping[Position, int]
) -> tuple[int, ast.expr, ast.expr] | None:
    """Return number, text and width of a slice that is a site and begins at the loop's start."""
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
            return number, node.value, width
    return None
