"""Places of operations in the application: file, line, and the expression as it is written.

A frame tells the exact expression that it is evaluating. Where code was compiled without positions,
the first expression of the line that can be the operation is taken.
"""

from __future__ import annotations

import ast
import linecache
import os
import warnings
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from knitbone.common.ownership import is_library, is_own
from knitbone.common.source import parse_source

__all__ = ["UNKNOWN_PLACE", "FilePlace", "Scope", "place_of"]

_MAX_EXPRESSION = 300
"""Characters of an expression that are kept (ours)."""


class Scope:
    """The application's own files: those below its folders, without libraries.

    Args:
        roots: folders or files.
    """

    def __init__(self, roots: Iterable[str | Path]) -> None:
        self._roots = tuple(os.path.realpath(root) for root in roots)
        self._known: dict[str, bool] = {}

    def contains(self, filename: str) -> bool:
        """Return whether a file, as a code object names it, is the application's."""
        known = self._known.get(filename)
        if known is None:
            known = self._known[filename] = self._decide(filename)
        return known

    def _decide(self, filename: str) -> bool:
        """Return the same without looking at what is known."""
        if filename.startswith("<"):
            return False
        path = os.path.realpath(filename)
        return not is_library(path) and is_own(path, *self._roots)


class FilePlace(NamedTuple):
    """An expression of the application."""

    file: str
    line: int
    """1-based; 0 where there is none."""
    column: int = -1
    end_line: int = -1
    end_column: int = -1

    @property
    def expression(self) -> str:
        """Return its source text on one line; the whole line where only that is known."""
        node = _source(self.file).node(self)
        if node is None:
            return " ".join(linecache.getline(self.file, self.line).split())[:_MAX_EXPRESSION]
        return _source(self.file).text(node)

    def argument(self, key: int | str) -> str:
        """Return the source text of an argument; empty where it is not known."""
        node = self._argument(key)
        return "" if node is None else _source(self.file).text(node)

    def is_written(self, key: int | str, value: Any) -> bool:
        """Return whether an argument is a constant of the source; true where the source is not
        known."""
        node = self._argument(key)
        if node is None:
            return _source(self.file).node(self) is None
        return _is_constant(node) or (value is None)

    def _argument(self, key: int | str) -> ast.expr | None:
        """Return the expression of an argument."""
        node = _source(self.file).node(self)
        if isinstance(node, ast.Call):
            if isinstance(key, str):
                return next((k.value for k in node.keywords if k.arg == key), None)
            return node.args[key] if key < len(node.args) else None
        if isinstance(node, ast.Subscript):
            inner = node.slice
            if isinstance(inner, ast.Slice):
                parts = (inner.lower, inner.upper, inner.step)
                part = parts[key] if isinstance(key, int) and key < 3 else None
                return part or ast.Constant(value=None)
            return inner
        if isinstance(node, ast.Compare):
            sides = (node.comparators[0], node.left)
            return next((side for side in sides if _is_constant(side)), sides[0])
        return None


UNKNOWN_PLACE = FilePlace("", 0)


def _is_constant(node: ast.expr) -> bool:
    """Return whether an expression is a literal, or a name in capitals."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return _is_constant(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_constant(node.left) and _is_constant(node.right)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(_is_constant(item) for item in node.elts)
    if isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        return name.isupper()
    return False


def place_of(frame: FrameType, operation: str) -> FilePlace:
    """Return the expression that the frame evaluates.

    Args:
        operation: its name, as in ``Operation``; tells expressions of one line apart.
    """
    code = frame.f_code
    file = _real(code.co_filename)
    positions = _positions(code)
    index = frame.f_lasti // 2
    line, end_line, column, end_column = (
        positions[index] if 0 <= index < len(positions) else (None, None, None, None)
    )
    if None not in (line, end_line, column, end_column):
        return FilePlace(file, line or 0, column or 0, end_line or 0, end_column or 0)
    return _source(file).place(frame.f_lineno, operation)


@lru_cache(maxsize=4096)
def _real(filename: str) -> str:
    """Return the real path: scripts are compiled under the name that the command line gives."""
    return os.path.realpath(filename)


@lru_cache(maxsize=4096)
def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    """Return the position of each instruction."""
    return list(code.co_positions())


class _FileExpressions:
    """The expressions of one file, by position and by line."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._lines = linecache.getlines(file)
        self._by_position: dict[FilePlace, ast.expr] = {}
        self._by_line: dict[int, list[ast.expr]] = {}
        self._iterated: dict[int, ast.expr] = {}
        """The expressions that loops go over and assignments unpack, by line."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = parse_source("".join(self._lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node in ast.walk(tree):
            if isinstance(node, ast.expr):
                # Of expressions at one position the outermost counts; walk meets it first. A place
                # without extent is the expression that begins there.
                place = _place(file, node)
                self._by_position.setdefault(place, node)
                start = place._replace(end_line=place.line, end_column=place.column)
                self._by_position.setdefault(start, node)
                self._by_line.setdefault(node.lineno, []).append(node)
            for taken in _iterated_or_unpacked(node):
                self._iterated.setdefault(taken.lineno, taken)

    def node(self, place: FilePlace) -> ast.expr | None:
        """Return the expression at a place."""
        return self._by_position.get(place)

    def place(self, line: int, operation: str) -> FilePlace:
        """Return the place of an operation of which only the line is known."""
        if operation in ("iterate", "unpack") and line in self._iterated:
            return _place(self._file, self._iterated[line])
        for node in self._by_line.get(line, ()):
            if _can_be(node, operation):
                return _place(self._file, node)
        return FilePlace(self._file, line)

    def text(self, node: ast.expr) -> str:
        """Return the source text of an expression, on one line."""
        if node.end_lineno is None or node.end_col_offset is None:
            return ""
        lines = self._lines[node.lineno - 1 : node.end_lineno]
        if not lines:
            return ""
        # Columns count bytes of UTF-8.
        encoded = [line.encode() for line in lines]
        encoded[-1] = encoded[-1][: node.end_col_offset]
        encoded[0] = encoded[0][node.col_offset :]
        return " ".join(b"".join(encoded).decode(errors="replace").split())[:_MAX_EXPRESSION]


def _iterated_or_unpacked(node: ast.AST) -> list[ast.expr]:
    """Return what a loop goes over, or an assignment unpacks."""
    if isinstance(node, ast.For | ast.comprehension):
        return [node.iter]
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List):
        return [node.value]
    return []


def _place(file: str, node: ast.expr) -> FilePlace:
    """Return the place of an expression."""
    return FilePlace(
        file, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0
    )


_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "in", "contains"})


def _can_be(node: ast.expr, operation: str) -> bool:
    """Return whether an expression can be the operation."""
    if operation in ("getitem", "slice"):
        return isinstance(node, ast.Subscript)
    if operation in _COMPARISONS:
        return isinstance(node, ast.Compare)
    if operation == "concat":
        return isinstance(node, ast.BinOp)
    if isinstance(node, ast.Call):
        last = operation.rpartition(".")[2]
        func = node.func
        return (isinstance(func, ast.Attribute) and func.attr == last) or (
            isinstance(func, ast.Name) and func.id == last
        )
    return False


@lru_cache(maxsize=512)
def _source(file: str) -> _FileExpressions:
    """Return the expressions of a file."""
    return _FileExpressions(file)
