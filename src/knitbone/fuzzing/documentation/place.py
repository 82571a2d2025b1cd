"""Where a tool's documentation stands in its source: what a report for code scanning points at."""

from __future__ import annotations

import ast
import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from knitbone.fuzzing.records import StackFrame, ToolUnderTest

__all__ = ["documentation_place"]

_SHORTEST = 8
"""Characters of a text that is taken for a part of the documentation; shorter ones are anywhere."""
_LARGEST = 1_000_000
"""Bytes of a file that is read; what is larger is generated."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Candidate(NamedTuple):
    is_named: bool
    """It stands in a function or class of the tool's name."""
    length: int
    """Characters of the documentation that stand here."""
    line: int
    function: str


def documentation_place(tool: ToolUnderTest) -> StackFrame | None:
    """The line on which the documentation begins, else the tool's function.

    ``None`` where neither stands in the tool's own files: a server's tool, a text that is put
    together when the program runs.
    """
    for file in tool.roots:
        path = Path(file)
        text = "" if file.endswith(("/", "\\")) else _read(path)
        found = max(_candidates(text, tool), default=None, key=lambda each: each[:2])
        if found is not None:
            return StackFrame(
                file=file,
                line=found.line,
                source=text.splitlines()[found.line - 1].strip(),
                function=found.function,
            )
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= _LARGEST else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _candidates(text: str, tool: ToolUnderTest) -> Iterator[_Candidate]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return
    names: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        name = node.name if isinstance(node, _FUNCTIONS) else names.get(node, "")
        for child in ast.iter_child_nodes(node):
            names[child] = name
        if isinstance(node, _FUNCTIONS) and node.name == tool.name:
            yield _Candidate(True, 0, node.lineno, node.name)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            part = inspect.cleandoc(node.value).strip()
            if len(part) >= _SHORTEST and part in tool.documentation:
                is_named = names.get(node) == tool.name
                yield _Candidate(is_named, len(part), node.lineno, names.get(node, ""))
