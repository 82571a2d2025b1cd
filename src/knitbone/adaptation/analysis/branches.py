"""Which consumers of one output exclude each other: ``if "Final Answer:" in text: return ...``.

Consumers in branches of which only one runs are alternatives: a text that one of them accepts is
right. Comfrey §4.3.1 examines, of several templates, only the nearest.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import msgspec

from knitbone.adaptation.requirements import Requirement
from knitbone.adaptation.requirements.records import (
    FencedTemplate,
    ParserSyntax,
    PositionalTemplate,
    StructuredTemplate,
)

__all__ = ["Branches", "mark_alternatives"]

_MARKED = (PositionalTemplate, StructuredTemplate, FencedTemplate, ParserSyntax)
_MAX_REQUIREMENTS = 40
"""Of one site; more are not compared, pair by pair (ours)."""
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Branches:
    """The statements of one module, by line."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree

    @cached_property
    def _ifs(self) -> list[ast.If]:
        return [node for node in ast.walk(self._tree) if isinstance(node, ast.If)]

    @cached_property
    def _behind(self) -> dict[int, list[ast.stmt]]:
        """Of each ``if``, by ``id``, the statements behind it in its block."""
        return {
            id(statement): block[place + 1 :]
            for block in _blocks(self._tree)
            for place, statement in enumerate(block)
            if isinstance(statement, ast.If)
        }

    def exclude(self, first: int, second: int) -> int | None:
        """The line of the ``if`` that lets only one of two lines run; ``None`` where both may."""
        first, second = sorted((first, second))
        for node in self._ifs:
            if not (_within(node.body, first) or _asks(node, first)):
                continue
            if _within(node.body, second):
                continue
            behind = self._behind.get(id(node), [])
            if _within(node.orelse, second) or (_leaves(node.body) and _within(behind, second)):
                return node.lineno
        return None


def _asks(node: ast.If, line: int) -> bool:
    """Whether the line is the question itself, and yes leads into the branch: ``if mark in text``,
    not ``if mark not in text: raise``."""
    negative = (ast.Not, ast.NotIn, ast.NotEq, ast.IsNot)
    if any(isinstance(part, negative) for part in ast.walk(node.test)):
        return False
    return node.test.lineno <= line <= (node.test.end_lineno or 0)


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _within(block: Sequence[ast.stmt], line: int) -> bool:
    return any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in block)


def _leaves(block: Sequence[ast.stmt]) -> bool:
    """Whether nothing behind the block runs after it."""
    last = block[-1]
    if isinstance(last, ast.If) and last.orelse:
        return _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, _LEAVING)


def mark_alternatives(
    requirements: Sequence[Requirement], branches: Callable[[str], Branches | None]
) -> tuple[Requirement, ...]:
    """The requirements with one mark for those that exclude each other.

    Args:
        branches: the statements of a file, where they are known.
    """
    marked = list(requirements)
    read = [index for index, one in enumerate(marked) if isinstance(one, _MARKED)]
    for place, index in enumerate(read[:_MAX_REQUIREMENTS]):
        for other in read[place + 1 : _MAX_REQUIREMENTS]:
            marks = [getattr(marked[each], "alternative", "") for each in (index, other)]
            # What is tried in turn is marked already: to that a branch is one alternative more.
            mark = "" if all(marks) else _mark(marked[index], marked[other], branches)
            if mark:
                known = marks[0] or marks[1] or mark
                marked[index] = _with(marked[index], known)
                marked[other] = _with(marked[other], known)
    return tuple(marked)


def _mark(one: Requirement, other: Requirement, branches: Callable[[str], Branches | None]) -> str:
    first, second = one.evidence, other.evidence
    if first.file != second.file:
        return ""
    known = branches(first.file)
    line = None if known is None else known.exclude(first.line, second.line)
    return "" if line is None else f"{first.file}:{line}"


def _with(requirement: Requirement, alternative: str) -> Requirement:
    assert isinstance(requirement, _MARKED)  # noqa: S101 - for the type checker
    return msgspec.structs.replace(requirement, alternative=alternative)
