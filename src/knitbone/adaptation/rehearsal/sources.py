"""The definitions of the application's functions, from its source."""

from __future__ import annotations

import ast
import linecache
import types
from functools import lru_cache
from typing import TypeAlias

__all__ = ["Definition", "definition_of", "parsed_file"]

Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


def definition_of(function: types.FunctionType, root: str) -> Definition | None:
    """The definition of a function whose file lies under ``root``; ``None`` for any other."""
    code = function.__code__
    if not code.co_filename.startswith(root):
        return None
    found = _definitions(code.co_filename).get((code.co_name, code.co_firstlineno), ())
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=64)
def parsed_file(filename: str) -> ast.Module | None:
    """The syntax tree of a file, as Python has loaded it."""
    lines = linecache.getlines(filename)
    try:
        return ast.parse("".join(lines)) if lines else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=64)
def _definitions(filename: str) -> dict[tuple[str, int], list[Definition]]:
    tree = parsed_file(filename)
    found: dict[tuple[str, int], list[Definition]] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.decorator_list[0] if node.decorator_list else node
            found.setdefault((node.name, first.lineno), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), []).append(node)
    return found
