"""The treatment of answers that a comparison or an expression does not fit: ``else``, and what
follows.

After ``if answer == "yes": ...`` any other answer runs on. A default branch is a way to read an
answer, not a failure: only code that raises, gives nothing or asks again has no use for it. Nor is
a text lost of which code takes something off where it is there, as
``re.sub(...) if re.search(...) else text`` does, and otherwise keeps it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from knitbone.adaptation.analysis.data_dependence import own_nodes
from knitbone.adaptation.requirements.records import OnViolation

__all__ = ["is_cut", "keeps_text", "on_no_match"]

_ENDING = frozenset({"exit", "sys.exit", "os._exit", "quit", "pytest.fail"})
"""Calls that end the program."""
_NEGATIVE = (ast.NotEq, ast.NotIn)
_ONLY_LOOKING = frozenset(
    {"match", "search", "fullmatch", "findall", "finditer", "find", "rfind", "index", "rindex",
     "count", "startswith", "endswith", "isdigit", "len", "bool", "isinstance", "type", "print",
     "debug", "info", "warn", "warning", "error", "exception", "critical", "log"}
)  # fmt: skip
"""Functions that look at a text, or show it, and give it to nothing."""


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
        missed = outer.orelse if positive else outer.body
        outcome = walk.of_block(missed, outer)
        kept = any(
            walk.goes_on_with(ast.unparse(_subject(text)), missed, outer)
            for text in _asked_about(node)
        )
        return "unknown" if outcome == "silent" and kept else outcome
    if isinstance(outer, ast.Match) and outer.subject is inner:
        return walk.of_match(outer)
    return "unknown"


def keeps_text(
    test: ast.If | ast.IfExp,
    text: ast.expr,
    *,
    negative: bool,
    parents: Mapping[ast.AST, ast.AST],
    function: ast.AST,
) -> bool:
    """Return whether the code goes on with a text in which an expression found nothing.

    Args:
        test: the question whether there is a match.
        text: what the expression was applied to.
        negative: whether the test holds without a match: ``if not match``.
        parents: of every node of the function.
        function: the function, or the module.
    """
    name = ast.unparse(_subject(text))
    if isinstance(test, ast.IfExp):
        return _gives_text(test.body if negative else test.orelse, name)
    found, missed = (test.orelse, test.body) if negative else (test.body, test.orelse)
    if name in _assigned(found):
        return True  # the name holds the whole text where there is no match
    return _NoMatchPath(parents, function).goes_on_with(name, missed, test)


def is_cut(text: ast.expr, function: ast.AST) -> bool:
    """Return whether a function takes slices of a text: what is between the places that a search
    gives, and behind them, stays."""
    name = ast.unparse(_subject(text))
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Slice)
        and ast.unparse(node.value) == name
        for node in ast.walk(function)
    )


_COMPOUND = (ast.If, ast.With, ast.AsyncWith, ast.Try, ast.Match)


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

    def goes_on_with(self, name: str, block: Sequence[ast.stmt], statement: ast.stmt) -> bool:
        """Return whether a block, or what follows it, gives a text of this name to something."""
        if _block_gives(block, name):
            return True
        return not _leaves(block) and any(
            _block_gives(rest, name) for rest in self._rests_behind(statement)
        )

    def _rests_behind(self, statement: ast.AST) -> Iterator[Sequence[ast.stmt]]:
        """Find what runs behind a statement: the rest of its block, then of those around it, to the
        end of the loop or of the function."""
        outer = self._parents.get(statement)
        while outer is not None:
            for block in _blocks_of(outer):
                index = next((n for n, each in enumerate(block) if each is statement), None)
                if index is not None:
                    yield block[index + 1 :]
            if outer is self._function or isinstance(outer, ast.For | ast.AsyncFor | ast.While):
                return
            statement, outer = outer, self._parents.get(outer)

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
            found = self._of_compound(statement)
            if found is not None:
                return found
            if _gives_value(statement) and not isinstance(statement, _COMPOUND):
                return "unknown"
        return None

    def _of_compound(self, statement: ast.stmt) -> OnViolation | None:
        """Return what a statement that holds others does with the answer."""
        match statement:
            case ast.If():  # the next question: where it does not hold either
                return self._of_statements(statement.orelse)
            case ast.With() | ast.AsyncWith():
                return self._of_statements(statement.body)
            case ast.Try():
                block = [*statement.body, *statement.orelse, *statement.finalbody]
                found = self._of_statements(block)
                return "unknown" if found is not None and statement.handlers else found
            case ast.Match():
                found = self.of_match(statement)
                return None if found == "unknown" else found
            case _:
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


def _asked_about(question: ast.expr) -> list[ast.expr]:
    """Return what a comparison may be about: ``text == "yes"``, ``mark in text``,
    ``text in CHOICES``, ``text.startswith("yes")``."""
    if isinstance(question, ast.Compare):
        sides = [question.left, question.comparators[0]]
    else:
        sides = [question] if isinstance(question, ast.Call) else []
    return [side for side in sides if isinstance(_subject(side), ast.Name | ast.Attribute)]


def _subject(text: ast.expr) -> ast.expr:
    """Return the text itself, without the methods that are called on it: ``text.strip()``."""
    while isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute):
        text = text.func.value
    return text


def _assigned(block: Sequence[ast.stmt]) -> set[str]:
    """Return the names that a block sets."""
    return {
        ast.unparse(node)
        for statement in block
        for node in ast.walk(statement)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)
    }


def _leaves(block: Sequence[ast.stmt]) -> bool:
    """Return whether a block does not run on to what is behind it."""
    return bool(block) and isinstance(block[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _block_gives(block: Sequence[ast.stmt], name: str) -> bool:
    """Return whether statements give a text to something, other than where a further question
    about it holds: that one is another way to read it."""
    for statement in block:
        if isinstance(statement, ast.If | ast.While | ast.Match):
            if isinstance(statement, ast.If) and _block_gives(statement.orelse, name):
                return True
            continue
        if any(
            isinstance(node, ast.expr) and _gives_text(node, name)
            for node in ast.iter_child_nodes(statement)
        ):
            return True
        if any(_block_gives(inner, name) for inner in _blocks_of(statement)):
            return True
    return False


def _gives_text(value: ast.AST, name: str) -> bool:
    """Return whether an expression hands a text on, and does not only look at it."""
    if isinstance(value, ast.Name | ast.Attribute | ast.Subscript):
        is_read = isinstance(value.ctx, ast.Load)
        if ast.unparse(value) == name:
            return is_read
    if isinstance(value, ast.Compare):
        return False
    if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in _ONLY_LOOKING:
        return False
    if isinstance(value, ast.IfExp):
        return _gives_text(value.body, name) or _gives_text(value.orelse, name)
    return any(_gives_text(child, name) for child in ast.iter_child_nodes(value))


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
    body = getattr(function, "body", None)
    return isinstance(body, list) and any(
        isinstance(node, ast.Return) and _outcome_of_value(node.value) == "unknown"
        for node in own_nodes(cast("list[ast.stmt]", body))
    )
