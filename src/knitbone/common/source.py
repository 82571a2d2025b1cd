"""Python source to syntax tree, in a program that has threads.

Python 3.11 counts the depth of the trees that it builds in one place for all threads. Where the
garbage collector runs Python code while a tree is built (a finalizer, a weak reference's callback),
another thread may build one in between, and the first ends with ``SystemError: AST constructor
recursion depth mismatch``, though nothing is wrong with its source (python/cpython#106905 mended a
part of it). Other versions have no such counter, or collect at other moments.
"""

from __future__ import annotations

import ast
from typing import Any, Literal, overload

__all__ = ["evaluate_literal", "parse_source"]

_ATTEMPTS = 10
"""Each fails only where another thread comes in between at the same moment (ours)."""


@overload
def parse_source(
    source: str | bytes, filename: str = ..., mode: Literal["exec"] = ...
) -> ast.Module: ...
@overload
def parse_source(
    source: str | bytes, filename: str = ..., *, mode: Literal["eval"]
) -> ast.Expression: ...
@overload
def parse_source(source: str | bytes, filename: str, mode: str) -> ast.AST: ...
def parse_source(source: str | bytes, filename: str = "<unknown>", mode: str = "exec") -> ast.AST:
    """Return what ``ast.parse`` does, also while other threads parse.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as ``ast.parse`` does.
    """
    for _ in range(_ATTEMPTS - 1):
        try:
            return ast.parse(source, filename, mode)
        except SystemError:  # the other thread's count, not this source
            continue
    return ast.parse(source, filename, mode)


def evaluate_literal(text: str) -> Any:
    """Return what ``ast.literal_eval`` does, also while other threads parse.

    Raises:
        SyntaxError, ValueError, TypeError, RecursionError, MemoryError: as it does.
    """
    return ast.literal_eval(parse_source(text.lstrip(" \t"), mode="eval"))
