"""The treatment of answers that none of the code's comparisons names: ``else``, and what follows.

After ``if answer == "yes": ...`` any other answer runs on. A default branch is a way to read an
answer, not a failure: only code that raises, gives nothing or asks again has no use for it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from knitbone.adaptation.requirements.records import OnViolation

__all__ = ["on_no_match"]

_ENDING = frozenset({"exit", "sys.exit", "os._exit", "quit", "pytest.fail"})
"""Calls that end the program."""
_NEGATIVE = (ast.NotEq, ast.NotIn)


def on_no_match(
    node: ast.expr, parents: Mapping[ast.AST, ast.AST], function: ast.AST
) -> OnViolation:
    """Return what the code does where a comparison, or a ``match``, does not hold.

    Args:
        node: the comparison, or the subject of a ``match``.
        parents: of every node of the function.
        function: the function, or the module.

    Returns:
        ``raises``, ``silent`` (nothing comes of the answer, or it is asked again), or ``unknown``:
        the code goes on with it.
    """
    positive = not (isinstance(node, ast.Compare) and isinstance(node.ops[0], _NEGATIVE))
    inner: ast.AST = node
    outer = parents.get(node)
    while isinstance(outer, ast.BoolOp | ast.NamedExpr) or (
        isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not)
    ):
        positive = positive != isinstance(outer, ast.UnaryOp)
        inner, outer = outer, parents.get(outer)
    walk = _NoMatchPath(parents, function)
    if isinstance(outer, ast.Assert) and outer.test is inner:
        return "raises" if positive else "unknown"
    if isinstance(outer, ast.IfExp) and outer.test is inner:
        return _outcome_of_value(outer.orelse if positive else outer.body)
    if isinstance(outer, ast.While) and outer.test is inner:
        # ``while answer not in CHOICES: answer = ask()`` asks again.
        return "unknown" if positive else "silent"
    if isinstance(outer, ast.If) and outer.test is inner:
        if not positive:
            return walk.of_block(outer.body, outer)
        return walk.of_block(outer.orelse, outer)
    if isinstance(outer, ast.Match) and outer.subject is inner:
        return walk.of_match(outer)
    return "unknown"


class _NoMatchPath:
    """The statements that run where no comparison holds, one after another."""

    def __init__(self, parents: Mapping[ast.AST, ast.AST], function: ast.AST) -> None:
        self._parents = parents
        self._function = function

    def of_block(self, block: Sequence[ast.stmt], statement: ast.stmt) -> OnViolation:
        """Return what happens in a block, and behind the statement that it belongs to."""
        found = self._of_statements(block)
        return found if found is not None else self._behind(statement)

    def of_match(self, node: ast.Match) -> OnViolation:
        """Return what happens where no case holds a constant that is the subject."""
        for case in node.cases:
            if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                if case.guard is not None:
                    return "unknown"
                return self.of_block(case.body, node)
        return self._behind(node)

    def _of_statements(self, block: Sequence[ast.stmt]) -> OnViolation | None:
        """Return what a block does with the answer; ``None`` where it runs to its end."""
        for statement in block:
            if isinstance(statement, ast.Raise) or _ends_program(statement):
                return "raises"
            if isinstance(statement, ast.Assert) and _is_false(statement.test):
                return "raises"
            if isinstance(statement, ast.Return):
                return _outcome_of_value(statement.value)
            if isinstance(statement, ast.Continue):
                return "silent"
            if isinstance(statement, ast.Break):
                return "unknown"
            if isinstance(statement, ast.If):
                # The next question: where it does not hold either.
                found = self._of_statements(statement.orelse)
                if found is not None:
                    return found
            elif isinstance(statement, ast.Match):
                found = self.of_match(statement)
                if found != "unknown":
                    return found
            elif _gives_value(statement):
                return "unknown"
        return None

    def _behind(self, statement: ast.AST) -> OnViolation:
        """Return what happens behind a statement: in its block, then behind the one around it."""
        outer = self._parents.get(statement)
        while outer is not None:
            for block in _blocks_of(outer):
                index = next((n for n, each in enumerate(block) if each is statement), None)
                if index is not None:
                    found = self._of_statements(block[index + 1 :])
                    if found is not None:
                        return found
            if isinstance(outer, ast.For | ast.AsyncFor | ast.While):
                return "silent"  # the next item, or the next try
            if outer is self._function:
                break
            statement, outer = outer, self._parents.get(outer)
        return "silent" if _returns_values(self._function) else "unknown"


def _blocks_of(node: ast.AST) -> list[list[ast.stmt]]:
    """Return the blocks of a statement."""
    fields = ("body", "orelse", "finalbody")
    blocks = [getattr(node, field, None) for field in fields]
    return [block for block in blocks if isinstance(block, list)]


def _outcome_of_value(value: ast.expr | None) -> OnViolation:
    """Return what becomes of an answer of which the code makes this value."""
    if value is None:
        return "silent"
    if isinstance(value, ast.Constant):
        return "silent" if value.value is None or value.value == "" else "unknown"
    empty = isinstance(value, ast.List | ast.Tuple | ast.Set) and not value.elts
    return "silent" if empty or (isinstance(value, ast.Dict) and not value.keys) else "unknown"


def _ends_program(statement: ast.stmt) -> bool:
    """Return whether a statement ends the program."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and ast.unparse(statement.value.func) in _ENDING
    )


def _is_false(test: ast.expr) -> bool:
    """Return whether a test never holds."""
    return isinstance(test, ast.Constant) and not test.value


def _gives_value(statement: ast.stmt) -> bool:
    """Return whether the code makes something of the answer there, and continues."""
    return isinstance(statement, ast.Expr) and isinstance(
        statement.value, ast.Yield | ast.YieldFrom
    )


def _returns_values(function: ast.AST) -> bool:
    """Return whether a function returns something in some branch."""
    return any(
        isinstance(node, ast.Return) and _outcome_of_value(node.value) == "unknown"
        for node in ast.walk(function)
    )
