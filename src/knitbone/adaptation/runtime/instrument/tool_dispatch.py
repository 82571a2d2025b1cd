"""The syntax of calls of a tool that a model named: ``TOOLS[name](**given)``, ``search(**given)``,
``if name == "search": search(arguments["query"])``.

It is read without any analysis: wrapping the wrong expression does no harm, because a function
that is not known to be stateless is passed on as it is.
"""

from __future__ import annotations

import ast

__all__ = ["find_dispatches"]

_RUNNING = frozenset({"invoke", "ainvoke", "run", "arun", "func", "coroutine"})
"""Methods and fields through which frameworks call a tool."""


def find_dispatches(tree: ast.Module) -> frozenset[int]:
    """Return the ``id`` of every expression whose value is a tool that is then called."""
    called = _called_names(tree)
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If):
            found.update(_functions_named_by(node))
        elif isinstance(node, ast.Call):
            found.update(_table_lookup(node.func))
            # ``f(*args, **kwargs)`` passes on what its own caller gave.
            forwards = any(isinstance(argument, ast.Starred) for argument in node.args)
            spread = any(keyword.arg is None for keyword in node.keywords)
            if isinstance(node.func, ast.Name) and spread and not forwards:
                found.add(id(node.func))
            if isinstance(node.func, ast.Attribute) and node.func.attr in _RUNNING:
                found.update(_table_lookup(node.func.value))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id in called:
                found.update(_table_lookup(node.value))
    return frozenset(found)


def _functions_named_by(node: ast.If) -> set[int]:
    """Return the functions that a branch calls whose condition asks for their very name."""
    test = node.test
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return set()
    names = {
        side.value
        for side in (test.left, *test.comparators)
        if isinstance(side, ast.Constant) and isinstance(side.value, str)
    }
    return {
        id(part.func)
        for statement in node.body
        for part in ast.walk(statement)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in names
    }


def _called_names(tree: ast.Module) -> set[str]:
    """Return the names that are called somewhere, themselves or through a method that runs a
    tool."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        callee = node.func
        if isinstance(callee, ast.Attribute) and callee.attr in _RUNNING:
            callee = callee.value
        if isinstance(callee, ast.Name):
            names.add(callee.id)
    return names


def _table_lookup(node: ast.expr) -> set[int]:
    """Return the expression itself where it looks a value up in a table by a computed key."""
    if isinstance(node, ast.Subscript):
        computed = not isinstance(node.slice, ast.Constant | ast.Slice | ast.Tuple | ast.UnaryOp)
        table = isinstance(node.value, ast.Name | ast.Attribute)
        return {id(node)} if computed and table else set()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        table = isinstance(node.func.value, ast.Name | ast.Attribute)
        computed = bool(node.args) and not isinstance(node.args[0], ast.Constant)
        return {id(node)} if node.func.attr == "get" and table and computed else set()
    return set()
