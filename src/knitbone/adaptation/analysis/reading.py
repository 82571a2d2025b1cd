"""Questions about the code around a consumer: is the first part a number, and what happens to a
record that does not fit?"""

from __future__ import annotations

import ast
import re
from typing import Literal

from knitbone.adaptation.analysis.program import Function
from knitbone.adaptation.requirements.records import OnViolation

__all__ = ["fate_of_match", "fate_of_parts", "first_part_is_number"]

_DIGIT_TESTS = frozenset({"isdigit", "isnumeric", "isdecimal"})
_NUMBER_NAME = re.compile(r"(?:^|_)(?:id|no|num|number|nr|index|idx|rank|position|priority)$")


def _root(function: Function) -> ast.AST:
    return function.node if function.node is not None else function.module.tree


def _parents(root: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: parent for parent in ast.walk(root) for child in ast.iter_child_nodes(parent)}


def fate_of_match(function: Function, call: ast.Call) -> OnViolation:
    """What becomes of a unit that ``match`` or ``search`` does not match."""
    root = _root(function)
    parents = _parents(root)
    parent = parents.get(call)
    name = None
    if isinstance(parent, ast.Attribute | ast.Subscript):
        return "raises"  # AttributeError: None has no group
    if isinstance(parent, ast.NamedExpr):
        name = parent.target.id
    elif isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        name = parent.targets[0].id
    elif isinstance(parent, ast.If | ast.comprehension | ast.IfExp):
        return "silent"
    if name is None:
        return "unknown"
    for node in ast.walk(root):
        if isinstance(node, ast.If | ast.While) and _mentions(node.test, name):
            return _fate_of_branch(node, name)
        if isinstance(node, ast.comprehension) and any(_mentions(c, name) for c in node.ifs):
            return "silent"
        if isinstance(node, ast.IfExp) and _mentions(node.test, name):
            return "silent"
    return "raises"


def _fate_of_branch(node: ast.If | ast.While, name: str) -> OnViolation:
    negative = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
    if isinstance(node.test, ast.Compare) and _is_name(node.test.left, name):
        none = isinstance(node.test.comparators[0], ast.Constant)
        negative = none and isinstance(node.test.ops[0], ast.Is | ast.Eq)
    lost = node.body if negative else node.orelse
    if any(isinstance(inner, ast.Raise) for statement in lost for inner in ast.walk(statement)):
        return "raises"
    return "silent"


def fate_of_parts(function: Function, call: ast.Call) -> OnViolation:
    """What becomes of a line without the separator, or without a number before it."""
    root = _root(function)
    parents = _parents(root)
    parent = parents.get(call)
    if isinstance(parent, ast.Subscript):
        return "raises"  # IndexError
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Tuple):
        starts = isinstance(call.func, ast.Attribute) and call.func.attr == "partition"
        return "silent" if starts else "raises"  # ValueError: not enough values to unpack
    return "silent" if any(isinstance(node, ast.If) for node in ast.walk(root)) else "raises"


def first_part_is_number(function: Function, call: ast.Call) -> Literal["high", "medium"] | None:
    """Whether the code takes the part before the separator for a number.

    ``high``: it tests or converts it (``isdigit``, ``int``); ``medium``: it only names it so.
    """
    root = _root(function)
    parent = _parents(root).get(call)
    names: set[str] = set()
    parts: set[str] = set()
    if isinstance(parent, ast.Assign):
        for target in parent.targets:
            if isinstance(target, ast.Name):
                parts.add(target.id)
            elif (
                isinstance(target, ast.Tuple)
                and target.elts
                and isinstance(target.elts[0], ast.Name)
            ):
                names.add(target.elts[0].id)
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    lines: set[str] = set()
    if receiver is not None:
        lines.update(node.id for node in ast.walk(receiver) if isinstance(node, ast.Name))
    for node in ast.walk(root):
        if isinstance(node, ast.Assign) and _holds_first(node.value, parts, names):
            names.update(t.id for t in node.targets if isinstance(t, ast.Name))
    for node in ast.walk(root):
        if isinstance(node, ast.stmt | ast.comprehension) and _tests_number(
            node, parts, names, lines
        ):
            return "high"
    return "medium" if any(_NUMBER_NAME.search(name.lower()) for name in names) else None


def _holds_first(node: ast.AST, parts: set[str], names: set[str]) -> bool:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Subscript) and isinstance(inner.value, ast.Name):
            first = inner.value.id in parts and _is_zero(inner.slice)
            if first:
                return True
        if (
            isinstance(inner, ast.Subscript)
            and _is_zero(inner.slice)
            and _splits(inner.value, parts)
        ):
            return True
        if isinstance(inner, ast.Name) and inner.id in names:
            return True
    return False


def _splits(node: ast.expr, lines: set[str]) -> bool:
    """``line.split(".")`` of one of these names."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("split", "partition")
        and any(isinstance(n, ast.Name) and n.id in lines for n in ast.walk(node.func.value))
    )


def _tests_number(statement: ast.AST, parts: set[str], names: set[str], lines: set[str]) -> bool:
    tested = False
    for node in _expressions(statement):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute) and inner.attr in _DIGIT_TESTS:
                tested = True
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
                tested = tested or inner.func.id == "int"
    if not tested:
        return False
    return any(
        _holds_first(node, parts | lines, names) or _slices_start(node, lines)
        for node in _expressions(statement)
    )


def _expressions(statement: ast.AST) -> list[ast.AST]:
    """The expressions of a statement, not those of the statements inside it."""
    return [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr)]


def _slices_start(node: ast.AST, lines: set[str]) -> bool:
    return any(
        isinstance(inner, ast.Subscript)
        and isinstance(inner.slice, ast.Slice)
        and inner.slice.lower is None
        and isinstance(inner.value, ast.Name)
        and inner.value.id in lines
        for inner in ast.walk(node)
    )


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _mentions(node: ast.AST, name: str) -> bool:
    return any(_is_name(inner, name) for inner in ast.walk(node))


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
