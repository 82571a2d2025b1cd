"""The source of a tool, for the white-box baseline: read, never imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from knitbone.common.source import parse_source
from knitbone.fuzzing.records import ToolUnderTest

__all__ = ["source_of"]

_FILES = 200
_LARGEST = 512 * 1024
_SHOWN = 12_000
"""Characters of source that a model is shown."""


def source_of(tool: ToolUnderTest) -> str:
    """The function or class that the target names, from the files of the tool's own code; the first
    of these files where none defines it; empty where there are none, as for a server elsewhere."""
    wanted = {tool.name, tool.target.rpartition(":")[2].partition("(")[0].partition("#")[0]}
    first = ""
    for path in _own_files(tool):
        try:
            text = path.read_text(encoding="utf-8")
            tree = parse_source(text)
        except (OSError, ValueError, SyntaxError, RecursionError):
            continue
        first = first or text[:_SHOWN]
        for node in ast.walk(tree):
            defines = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if defines and node.name in wanted:
                return (ast.get_source_segment(text, node) or "")[:_SHOWN]
    return first


def _own_files(tool: ToolUnderTest) -> Iterator[Path]:
    found = 0
    for root in tool.roots:
        path = Path(root)
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            if found >= _FILES:
                return
            if file.is_file() and file.stat().st_size <= _LARGEST:
                found += 1
                yield file
