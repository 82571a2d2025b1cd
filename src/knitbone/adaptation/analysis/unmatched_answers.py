"""The fate of an answer that none of the code's comparisons names: ``else``, and what follows.

A default branch is a way to read an answer, not a failure: only code that raises, gives nothing or
asks again has no use for it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from knitbone.adaptation.requirements.records import OnViolation

__all__ = ["fate_of_question"]

_ENDING = frozenset({"exit", "sys.exit", "os._exit", "quit", "pytest.fail"})
_NEGATIVE = (ast.NotEq, ast.NotIn)


def fate_of_question(
    node: ast.expr, parents: Mapping[ast.AST, ast.AST], function: ast.AST
) -> OnViolation:
    """Find what the code does where a comparison, or a ``match``, does not hold.

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
    walk = _WayOn(parents, function)
    if isinstance(outer, ast.Assert) and outer.test is inner:
        return "raises" if positive else "unknown"
    if isinstance(outer, ast.IfExp) and outer.test is inner:
        return _of_value(outer.orelse if positive else outer.body)
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


class _WayOn:
    """The way of the code where no comparison holds, statement by statement."""

    def __init__(self, parents: Mapping[ast.AST, ast.AST], function: ast.AST) -> None:
        self._parents = parents
        self._function = function

    def of_block(self, block: Sequence[ast.stmt], statement: ast.stmt) -> OnViolation:
        """The fate in a block, and behind the statement that it belongs to."""
        found = self._of_statements(block)
        return found if found is not None else self._behind(statement)

    def of_match(self, node: ast.Match) -> OnViolation:
        """The fate where no case holds a constant that is the subject."""
        for case in node.cases:
            if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                if case.guard is not None:
                    return "unknown"
                return self.of_block(case.body, node)
        return self._behind(node)

    def _of_statements(self, block: Sequence[ast.stmt]) -> OnViolation | None:
        """``None`` where the block runs to its end."""
        for statement in block:
            if isinstance(statement, ast.Raise) or _ends_program(statement):
                return "raises"
            if isinstance(statement, ast.Assert) and _is_false(statement.test):
                return "raises"
            if isinstance(statement, ast.Return):
                return _of_value(statement.value)
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
        """The fate behind a statement: in its block, then behind the one around it."""
        outer = self._parents.get(statement)
        while outer is not None:
            for block in _blocks_of(outer):
                place = next((n for n, each in enumerate(block) if each is statement), None)
                if place is not None:
                    found = self._of_statements(block[place + 1 :])
                    if found is not None:
                        return found
            if isinstance(outer, ast.For | ast.AsyncFor | ast.While):
                return "silent"  # the next item, or the next try
            if outer is self._function:
                break
            statement, outer = outer, self._parents.get(outer)
        return "silent" if _returns_values(self._function) else "unknown"


def _blocks_of(node: ast.AST) -> list[list[ast.stmt]]:
    fields = ("body", "orelse", "finalbody")
    blocks = [getattr(node, field, None) for field in fields]
    return [block for block in blocks if isinstance(block, list)]


def _of_value(value: ast.expr | None) -> OnViolation:
    """The fate of an answer of which the code makes this value."""
    if value is None:
        return "silent"
    if isinstance(value, ast.Constant):
        return "silent" if value.value is None or value.value == "" else "unknown"
    empty = isinstance(value, ast.List | ast.Tuple | ast.Set) and not value.elts
    return "silent" if empty or (isinstance(value, ast.Dict) and not value.keys) else "unknown"


def _ends_program(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and ast.unparse(statement.value.func) in _ENDING
    )


def _is_false(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def _gives_value(statement: ast.stmt) -> bool:
    """Tell whether the code makes something of the answer there, and goes on."""
    return isinstance(statement, ast.Expr) and isinstance(
        statement.value, ast.Yield | ast.YieldFrom
    )


def _returns_values(function: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Return) and _of_value(node.value) == "unknown"
        for node in ast.walk(function)
    )
