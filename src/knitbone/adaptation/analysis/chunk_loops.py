"""Loops of an application that cut a text into chunks themselves, recognised by their syntax.

``for i in range(0, len(text), step): text[i : i + size]`` and the same with ``while``: each is a
site. ``runtime/instrument/chunk_loops.py`` puts their expressions into calls where the form is one
in which a loop can be told where to cut; that asks for more than is asked here.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

__all__ = ["LoopCut", "find_for_cut", "find_while_cut"]

_TEXT_NAMES = re.compile(
    r"(?<![A-Za-z])(?:text|content|string|transcript|body|document|doc|page|article|words|tokens|input|data|str|s)"
    r"(?:\(\))?$",
    re.IGNORECASE,
)
"""Names of one text, as against lists of something."""


class LoopCut(NamedTuple):
    """A loop that cuts a text: the slice, and the expressions of its step and width."""

    piece: ast.Subscript
    step: ast.expr | None
    width: ast.expr | None
    line: int


def find_while_cut(loop: ast.While) -> LoopCut | None:
    """Recognise ``while i < len(text): text[i : i + size]; i += step``."""
    test = loop.test
    if not (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and isinstance(test.ops[0], ast.Lt)
        and isinstance(test.comparators[0], ast.Call)
        and ast.unparse(test.comparators[0].func) == "len"
        and test.comparators[0].args
    ):
        return None
    text, start = ast.unparse(test.comparators[0].args[0]), test.left.id
    if not _TEXT_NAMES.search(text):
        return None
    step: ast.expr | None = None
    piece: ast.Subscript | None = None
    for node in (part for statement in loop.body for part in ast.walk(statement)):
        if isinstance(node, ast.AugAssign) and ast.unparse(node.target) == start:
            step = node.value
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.slice, ast.Slice)
            and ast.unparse(node.value) == text
            and isinstance(node.slice.lower, ast.Name)
            and node.slice.lower.id == start
        ):
            piece = node
    if piece is None:
        return None
    return LoopCut(piece, step, _width(piece, test.left), loop.lineno)


def find_for_cut(target: ast.expr, iterated: ast.expr, body: list[ast.stmt]) -> LoopCut | None:
    """Recognise ``for i in range(0, len(text), step): text[i : i + size]``."""
    if not (
        isinstance(target, ast.Name)
        and isinstance(iterated, ast.Call)
        and isinstance(iterated.func, ast.Name)
        and iterated.func.id == "range"
        and len(iterated.args) == 3
        and isinstance(iterated.args[1], ast.Call)
        and ast.unparse(iterated.args[1].func) == "len"
    ):
        return None
    text = ast.unparse(iterated.args[1].args[0]) if iterated.args[1].args else ""
    if not _TEXT_NAMES.search(text):
        return None  # batches of something else are cut in the same way
    for statement in body:
        for node in ast.walk(statement):
            if (
                isinstance(node, ast.Subscript)
                and isinstance(node.slice, ast.Slice)
                and isinstance(node.slice.lower, ast.Name)
                and node.slice.lower.id == target.id
                and ast.unparse(node.value) == text
            ):
                return LoopCut(node, iterated.args[2], _width(node, target), iterated.lineno)
    return None


def _width(node: ast.Subscript, target: ast.expr) -> ast.expr | None:
    """Return ``size`` of ``text[i : i + size]``."""
    bounds = node.slice
    upper = bounds.upper if isinstance(bounds, ast.Slice) else None
    if isinstance(upper, ast.BinOp) and isinstance(upper.op, ast.Add):
        name = target.id if isinstance(target, ast.Name) else ""
        for one, other in ((upper.left, upper.right), (upper.right, upper.left)):
            if isinstance(one, ast.Name) and one.id == name:
                return other
    return None
