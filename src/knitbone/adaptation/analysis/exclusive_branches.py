"""Branches of which only one runs, and the alternative requirements that they make.

Requirements that exclude each other are *alternatives*: a text that fits one of them is right.
Those of one *branch* are demanded together. Of

    if "Final Answer:" in text:              # line 1
        return text.split("Final Answer:")[1]
    action = re.search(r"Action: (.*)", text)        # line 3
    tool_input = re.search(r"Input: (.*)", text)     # line 4

the readings of lines 1, 3 and 4 are alternatives of one mark (the ``if`` of line 1), and those of
lines 3 and 4 are one branch: nothing parts them. Comfrey §4.3.1 examines, of several templates,
only the nearest.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from knitbone._forks import lazy
from knitbone.adaptation.requirements import Evidence, Requirement
from knitbone.adaptation.requirements.applied_regexes import follows
from knitbone.adaptation.requirements.records import (
    FencedTemplate,
    ParserSyntax,
    PositionalTemplate,
    StructuredTemplate,
)

__all__ = ["Branches", "mark_alternatives"]

_MARKED = (PositionalTemplate, StructuredTemplate, FencedTemplate, ParserSyntax)
"""The requirements that can be alternatives."""
_MAX_REQUIREMENTS = 40
"""Of one site; more are not compared, pair by pair (ours)."""
_LEAVING_STATEMENTS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
"""Statements behind which nothing of their block runs."""
_QUESTION_METHODS = frozenset({"search", "match", "fullmatch", "findall", "startswith", "endswith"})
"""Methods that tell by their result whether a text fits."""


class _KeptMatch(NamedTuple):
    """A question to the text whose answer is kept under a name: ``final = re.search(...)``."""

    name: str
    lines: frozenset[int]
    """Where the name is asked and read, up to its next value."""


class Branches:
    """The ``if`` statements of one module, to tell which two lines exclude each other."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree

    @lazy
    def _ifs(self) -> list[ast.If]:
        """Return all ``if`` statements."""
        return [node for node in ast.walk(self._tree) if isinstance(node, ast.If)]

    @lazy
    def _behind(self) -> dict[int, list[ast.stmt]]:
        """Return the statements behind each ``if`` in its block, by the ``id`` of the ``if``."""
        return {
            id(statement): block[index + 1 :]
            for block in _blocks(self._tree)
            for index, statement in enumerate(block)
            if isinstance(statement, ast.If)
        }

    @lazy
    def _questions(self) -> dict[int, _KeptMatch]:
        """Return, by line, the questions such as ``final = re.search(...)``, which decide nothing
        before ``if final:``."""
        return {
            line: match
            for scope in ast.walk(self._tree)
            if isinstance(scope, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef)
            for line, match in _questions_in(scope)
        }

    def exclude(self, first: int, second: int) -> int | None:
        """Return the line of the ``if`` that lets only one of two lines run; ``None`` where both
        may."""
        first, second = sorted((first, second))
        for node in self._ifs:
            if self._lets_one(node, first, second) or self._lets_one(node, second, first):
                return node.lineno
        return None

    def _lets_one(self, node: ast.If, one: int, other: int) -> bool:
        """Return whether one line decides for the branch of an ``if``, or stands in it, and the
        other one does not run then.

        Three ways to decide for it: the line is the question (``if mark in text:``), it stands in
        the branch, or its answer was kept under the name that the ``if`` asks (``if final:``).
        The other line then has to stand in ``else``, or, where the branch leaves the block, behind
        the ``if``.
        """
        question = self._questions.get(one)
        lines = question.lines if question is not None else frozenset((one,))
        other_question = self._questions.get(other)
        other_lines = other_question.lines if other_question is not None else frozenset((other,))
        runs_where_true = (
            None if question is None else _runs_where_name_holds(node.test, question.name, lines)
        )
        # ``if not match: ...`` runs where the question found nothing: then the other line is read.
        if runs_where_true is False and not isinstance(node.body[-1], ast.Raise):
            return _all_within(node.body, other_lines)
        if not (
            runs_where_true
            or _all_within(node.body, lines)
            or (question is None and _asks(node, one))
        ):
            return False
        if any(_within(node.body, line) for line in other_lines):
            return False
        elsewhere = [*node.orelse]
        if _never_continues(node.body):
            elsewhere += self._behind.get(id(node), [])
        return _all_within(elsewhere, other_lines)


def _questions_in(scope: ast.AST) -> Iterator[tuple[int, _KeptMatch]]:
    """Find the questions to a text in one scope, each with the lines that read its answer."""
    names: dict[str, list[ast.Name]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Name):
            names.setdefault(node.id, []).append(node)
    for node in ast.walk(scope):
        if not (isinstance(node, ast.Assign) and _is_question(node.value)):
            continue
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Name):
            continue
        last = node.end_lineno or node.lineno
        others = names[target.id]
        stores = [n.lineno for n in others if isinstance(n.ctx, ast.Store) and n.lineno > last]
        end = min(stores, default=sys.maxsize)
        reads = frozenset(n.lineno for n in others if last < n.lineno <= end)
        if reads:
            for line in range(node.lineno, last + 1):
                yield line, _KeptMatch(target.id, reads)


def _is_question(node: ast.expr) -> bool:
    """Return whether a text that does not fit gives nothing, and no error."""
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1 and isinstance(node.ops[0], ast.In)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _QUESTION_METHODS
    )


def _runs_where_name_holds(test: ast.expr, name: str, lines: frozenset[int]) -> bool | None:
    """Return whether a test lets its branch run where the name holds something (``True``), or where
    it does not (``False``); ``None`` where it does not ask."""
    if isinstance(test, ast.Name):
        return True if test.id == name and test.lineno in lines else None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _runs_where_name_holds(test.operand, name, lines)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant):
        asked = _runs_where_name_holds(test.left, name, lines)
        if asked is None or test.comparators[0].value is not None or len(test.ops) > 1:
            return None
        return isinstance(test.ops[0], ast.IsNot | ast.NotEq)
    if isinstance(test, ast.BoolOp):
        asked_in = (_runs_where_name_holds(value, name, lines) for value in test.values)
        return next((each for each in asked_in if each is not None), None)
    return None


def _asks(node: ast.If, line: int) -> bool:
    """Return whether the line is the question itself, and yes leads into the branch: ``if mark in
    text``, not ``if mark not in text: raise``."""
    negative = (ast.Not, ast.NotIn, ast.NotEq, ast.IsNot)
    if any(isinstance(part, negative) for part in ast.walk(node.test)):
        return False
    return node.test.lineno <= line <= (node.test.end_lineno or 0)


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Find all blocks of statements."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _within(block: Sequence[ast.stmt], line: int) -> bool:
    """Return whether a line stands in a block."""
    return any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in block)


def _all_within(block: Sequence[ast.stmt], lines: frozenset[int]) -> bool:
    """Return whether all lines stand in a block."""
    return all(_within(block, line) for line in lines)


def _never_continues(block: Sequence[ast.stmt]) -> bool:
    """Return whether nothing behind the block runs after it."""
    last = block[-1]
    if isinstance(last, ast.If) and last.orelse:
        return _never_continues(last.body) and _never_continues(last.orelse)
    return isinstance(last, _LEAVING_STATEMENTS)


def mark_alternatives(
    requirements: Sequence[Requirement],
    branches: Callable[[str], Branches | None],
    dispatched: Callable[[Evidence, Evidence], str] | None = None,
) -> tuple[Requirement, ...]:
    """Return the requirements with a common mark for those that exclude each other.

    Args:
        branches: the statements of a file, where they are known.
        dispatched: the place of a look-up that lets only one of two pieces of code run.
    """
    marked = list(requirements)
    read = [index for index, one in enumerate(marked) if isinstance(one, _MARKED)]
    apart: set[tuple[int, int]] = set()
    for pair in itertools.combinations(read[:_MAX_REQUIREMENTS], 2):
        marks = [getattr(marked[each], "alternative", "") for each in pair]
        one, other = (requirements[each] for each in pair)
        mark = _mark_of_pair(one, other, branches)
        if not mark and dispatched is not None:
            mark = dispatched(one.evidence, other.evidence)
        own = [getattr(requirements[each], "alternative", "") for each in pair]
        if mark or (own[0] and own[0] == own[1] and not _one_follows(*pair, requirements)):
            apart.add(pair)
        # What is tried in turn is marked already: to that a branch is one alternative more.
        if mark and not all(marks):
            known = marks[0] or marks[1] or mark
            for each in pair:
                marked[each] = _changed(marked[each], alternative=known)
    return tuple(_with_branches(marked, apart))


def _with_branches(marked: list[Requirement], apart: set[tuple[int, int]]) -> Iterator[Requirement]:
    """Yield the requirements, alternatives of one branch with its name: they are demanded together.

    Args:
        apart: pairs of indices that exclude each other, the lower one first.
    """
    alternatives: dict[str, list[int]] = {}
    for index, requirement in enumerate(marked):
        if mark := getattr(requirement, "alternative", ""):
            alternatives.setdefault(mark, []).append(index)
    branch: dict[int, int] = {}
    """Index of a requirement -> index of the first one of its branch."""
    for indices in alternatives.values():
        for index in indices:
            # It joins the branch of the one whose part it reads, or else of one that some other
            # requirement excludes as well, though the two do not exclude each other.
            excluded = any(index in pair for pair in apart)
            beside = (
                other
                for other in indices
                if excluded and other in branch and (other, index) not in apart
            )
            before = (each for each in indices if follows(marked[index], marked[each]))
            joined = next(before, next(beside, -1))
            branch[index] = branch.get(joined, index)
        # A pair that excludes each other in one branch: they are not branches of one question.
        if any(branch[one] == branch[other] for one, other in apart if {one, other} <= {*indices}):
            branch.update((index, index) for index in indices)
    shared = Counter(branch.values())
    for index, requirement in enumerate(marked):
        first = branch.get(index, index)
        if shared[first] > 1:
            yield _changed(requirement, branch=str(marked[first].evidence.line))
        else:
            yield requirement


def _one_follows(one: int, other: int, requirements: Sequence[Requirement]) -> bool:
    """Return whether one requirement reads what the other takes out of the text."""
    first, second = requirements[one], requirements[other]
    return follows(first, second) or follows(second, first)


def _mark_of_pair(
    one: Requirement, other: Requirement, branches: Callable[[str], Branches | None]
) -> str:
    """Return the mark of two requirements that exclude each other; empty for others."""
    first, second = one.evidence, other.evidence
    if first.file != second.file:
        return ""
    known = branches(first.file)
    line = None if known is None else known.exclude(first.line, second.line)
    return "" if line is None else f"{first.file}:{line}"


def _changed(requirement: Requirement, **changed: str) -> Requirement:
    """Return the requirement with some fields changed."""
    assert isinstance(requirement, _MARKED)  # noqa: S101 - for the type checker
    return msgspec.structs.replace(requirement, **changed)
