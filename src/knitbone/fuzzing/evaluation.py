"""Whether a failure is what an argument asks for: of a calculator that is given ``1/0``, "division
by zero" is the answer, and a maintainer has nothing to mend.

An argument that is an expression counts only if the operation that failed stands in it: ``a/b``
is a path, too.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable

from knitbone.common.source import parse_source

__all__ = ["is_asked_for"]

_LONGEST = 2_000
_MOST = 50
"""Texts of one call that are read."""
_BY_ZERO = re.compile(r"(?:division|modulo) by zero|ZeroDivision|\bzoo\b")
_ATTRIBUTE = re.compile(r"has no attribute '(\w+)'")
_OPERANDS = re.compile(
    r"can only (?:concatenate|join)|unsupported operand|not supported between|can't multiply"
    r"|must be (?:str|real number), not"
)
_CALLED = re.compile(r"is not callable|\(\) (?:takes|missing|got|argument|expected)")
_PART = re.compile(r"ind(?:ex|ices)\b|not subscriptable|KeyError|out of range")


def is_asked_for(message: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts is an expression with the operation that the message says failed."""
    for text in list(texts)[:_MOST]:
        tree = _parsed(text)
        if tree is not None and any(_does(node, message) for node in ast.walk(tree)):
            return True
    return False


def _parsed(text: str) -> ast.AST | None:
    if not 2 < len(text) <= _LONGEST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return parse_source(text.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _does(node: ast.AST, message: str) -> bool:
    """Whether a part of an expression does what failed."""
    match node:
        case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod()) if _BY_ZERO.search(message):
            return _is_zero(node.right)
        case ast.BinOp() | ast.Compare():
            return _OPERANDS.search(message) is not None and _mixes(node)
        case ast.Attribute():
            found = _ATTRIBUTE.search(message)
            return found is not None and found[1] == node.attr
        case ast.Call():
            return _CALLED.search(message) is not None
        case ast.Subscript():
            return _PART.search(message) is not None
        case _:
            return False


def _is_zero(node: ast.AST) -> bool:
    """Whether an expression is plainly zero: ``0``, ``-0.0``, ``a - a``."""
    match node:
        case ast.Constant():
            return isinstance(node.value, int | float) and node.value == 0
        case ast.UnaryOp():
            return _is_zero(node.operand)
        case ast.BinOp(op=ast.Sub()):
            return ast.dump(node.left) == ast.dump(node.right)
        case _:
            return False


def _mixes(node: ast.AST) -> bool:
    """Whether an operation has a constant that is no number."""
    parts = ast.iter_child_nodes(node)
    return any(isinstance(p, ast.Constant) and not isinstance(p.value, int | float) for p in parts)
