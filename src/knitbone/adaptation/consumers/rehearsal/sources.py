"""The application's source for a rehearsal: definitions of functions, and the code at a
position."""

from __future__ import annotations

import ast
import itertools
import linecache
import os
import types
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from knitbone.adaptation.cells import file_of, is_cell
from knitbone.common.ownership import PACKAGE, is_own
from knitbone.common.source import parse_source

__all__ = [
    "called_name",
    "definition_of",
    "is_of_application",
    "parsed_file",
    "path_to",
    "position_of",
    "real_path",
    "root_of",
]

Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


def definition_of(function: types.FunctionType, root: str) -> Definition | None:
    """Return the definition of a function whose file lies under ``root``; ``None`` for any
    other."""
    code = function.__code__
    if not is_of_application(code.co_filename, root):
        return None
    found = _definitions(code.co_filename).get((code.co_name, code.co_firstlineno), ())
    if len(found) > 1:
        found = [node for node in found if isinstance(node, ast.Lambda) and _is_code_of(node, code)]
    return found[0] if len(found) == 1 else None


def _is_code_of(node: ast.Lambda, code: types.CodeType) -> bool:
    """Return whether all of a code comes from a lambda's body, and its result from all of that: of
    several lambdas on one line, which one it is."""
    body = node.body
    whole = (body.lineno, body.end_lineno, body.col_offset, body.end_col_offset)
    places = [each for each in code.co_positions() if each[3]]
    inside = all(
        (line, column) >= (body.lineno, body.col_offset)
        and (end_line, end_column) <= (body.end_lineno, body.end_col_offset)
        for line, end_line, column, end_column in places
    )
    return inside and whole in places


@lru_cache(maxsize=64)
def parsed_file(filename: str) -> ast.Module | None:
    """Return the syntax tree of a file as Python has loaded it."""
    lines = linecache.getlines(filename)
    try:
        return parse_source("".join(lines)) if lines else None
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


def root_of(filename: str) -> str:
    """Return the folder of the application: of the outermost package that holds the file."""
    folder = Path.cwd() if is_cell(filename) else Path(real_path(filename)).parent
    if str(folder).startswith(PACKAGE):
        return str(folder) + os.sep  # a sample application, which knitbone itself runs
    while (folder / "__init__.py").exists() and folder.parent != folder:
        folder = folder.parent
    return str(folder) + os.sep


def is_of_application(filename: str, root: str) -> bool:
    """Return whether a file belongs to the application, and not to a package installed beside
    it."""
    return is_own(real_path(filename), root) or is_cell(filename)


@lru_cache(maxsize=4_096)
def real_path(filename: str) -> str:
    """Return the real path of a file: code may have been compiled under another one, such as
    ``../app.py`` or a link."""
    return file_of(filename)


def path_to(tree: ast.Module, position: tuple[int, int, int, int]) -> list[ast.AST]:
    """Return the nodes that lead to the expression at a position, which is the last of them."""
    parents: dict[ast.AST, ast.AST] = {}
    found: ast.AST | None = None
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Load | None):
            here = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            if here == position:
                if found is not None:
                    return []
                found = node
        for child in ast.iter_child_nodes(node):
            parents[child] = node
            pending.append(child)
    path: list[ast.AST] = []
    while found is not None:
        path.append(found)
        found = parents.get(found)
    return path[::-1]


def called_name(expression: ast.expr) -> str:
    """Return the last part of the name of what an expression calls, or awaits a call of."""
    if isinstance(expression, ast.Await):
        expression = expression.value
    if not isinstance(expression, ast.Call):
        return ""
    function = expression.func
    return getattr(function, "attr", getattr(function, "id", ""))


def position_of(frame: types.FrameType, callee: str) -> tuple[int, int, int, int] | None:
    """Return the position of the call that a frame is waiting for.

    Before Python 3.11 only its line is known, so the call must be the only one of its name there.
    """
    if hasattr(frame.f_code, "co_positions"):
        return _position_in(frame.f_code, frame.f_lasti)
    tree = parsed_file(frame.f_code.co_filename)
    calls = [
        node
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Call)
        and node.lineno <= frame.f_lineno <= (node.end_lineno or node.lineno)
        and called_name(node) == callee
    ]
    if len(calls) != 1:
        return None
    (call,) = calls
    return call.lineno, call.col_offset, call.end_lineno or 0, call.end_col_offset or 0


@lru_cache(maxsize=1024)
def _position_in(code: Any, instruction: int) -> tuple[int, int, int, int] | None:
    """Return the position of an instruction; cached, because they are stored one after the other.

    Args:
        code: of a function; from Python 3.11 on.
    """
    place: tuple[int | None, ...]
    place = next(itertools.islice(code.co_positions(), instruction // 2, None))
    line, end_line, column, end_column = (-1 if each is None else each for each in place)
    return None if -1 in (line, end_line, column) else (line, column, end_line, end_column)
