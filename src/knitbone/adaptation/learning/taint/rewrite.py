"""Rewriting of a module so that the places where C code gets a text go through ``call_watch``.

``json.loads(text)`` becomes ``__knitbone_watch__(json.loads)(text)``. Positions stay those of the
source: tracebacks, debuggers and coverage show the code as written. Annotations, decorators, and
what only the compiler understands (``super()``, patterns of ``match``) stay as they are.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

__all__ = ["rewrite_module"]

_UNWATCHED_BUILTINS = frozenset(
    {"super", "locals", "globals", "vars", "dir", "isinstance", "print", "__import__", "range"}
    | {"len", "type", "hasattr", "getattr", "setattr", "repr", "id", "callable", "issubclass"}
)
"""Builtins that need their own frame, or that never tell anything."""
_TEXT_ATTRIBUTES = frozenset({"text", "attrib", "tail", "tag"})
"""Attributes under which XML elements keep their text."""


def rewrite_module(tree: ast.Module) -> ast.Module:
    """Return the same module, watched; the given tree stays as it is."""
    return ast.fix_missing_locations(_Rewriter().visit(copy.deepcopy(tree)))


class _Rewriter(ast.NodeTransformer):
    """Puts a helper of ``watched_imports`` around each expression that needs one."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: Any) -> ast.AST:
        """Rewrite defaults and body, not annotations and decorators."""
        node.args.defaults = [self.visit(value) for value in node.args.defaults]
        node.args.kw_defaults = [v and self.visit(v) for v in node.args.kw_defaults]
        node.body = self._statements(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = self._statements(node.body)
        return node

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Rewrite a block."""
        return [self.visit(statement) for statement in body]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        left = isinstance(function, ast.Name) and (
            function.id in _UNWATCHED_BUILTINS or function.id.startswith("__knitbone_")
        )
        self.generic_visit(node)
        plain_name = isinstance(function, ast.Name) and not (node.args or node.keywords)
        if not left and not plain_name:
            node.func = _shrink(_call("__knitbone_watch__", [node.func], node.func))
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        formatted = [v for v in node.values if isinstance(v, ast.FormattedValue)]
        if not formatted:
            return node
        pieces: list[ast.expr] = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                value.value = self.visit(value.value)
                if value.format_spec is not None:
                    self._specification(value.format_spec)
                pieces.append(ast.JoinedStr(values=[value]))
            else:
                pieces.append(value)
        return _call("__knitbone_pieces__", pieces, node)

    def _specification(self, node: ast.expr) -> None:
        """Rewrite the expressions inside the format of an f-string's field."""
        for value in node.values if isinstance(node, ast.JoinedStr) else ():
            if isinstance(value, ast.FormattedValue):
                value.value = self.visit(value.value)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        counts = {_count(target) for target in node.targets}
        if len(counts) == 1 and (count := counts.pop()):
            node.value = _before("__knitbone_unpack__", node.value, count)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = _loop(node.iter, node.target)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        if not node.is_async:
            node.iter = _loop(node.iter, node.target)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.In | ast.NotIn):
            return node
        name = "__knitbone_in__" if isinstance(node.ops[0], ast.In) else "__knitbone_not_in__"
        return _call(name, [node.left, node.comparators[0]], node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        held = isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Slice)
        if not held or (isinstance(node.slice, ast.Tuple)):
            return node
        return _call("__knitbone_item__", [node.value, node.slice], node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or node.attr not in _TEXT_ATTRIBUTES:
            return node
        return _call("__knitbone_attribute__", [node.value, ast.Constant(node.attr)], node)


def _loop(iterable: ast.expr, target: ast.expr) -> ast.expr:
    """Return the helper call for what a loop goes over."""
    return _before("__knitbone_loop__", iterable, _count(target))


def _count(target: ast.expr) -> int:
    """Return into how many names a target unpacks its value; 0 where it does not, or where one of
    them takes the rest."""
    if not isinstance(target, ast.Tuple | ast.List):
        return 0
    return 0 if any(isinstance(e, ast.Starred) for e in target.elts) else len(target.elts)


def _before(name: str, value: ast.expr, count: int) -> ast.Call:
    """Return a helper call around a value that stays an expression of its own: placed at its first
    character, without extent."""
    return _shrink(_call(name, [value, ast.Constant(count)], value))


def _call(name: str, arguments: list[ast.expr], where: ast.expr) -> ast.Call:
    """Return a helper call in the place of an expression. Parts of ours have no extent, so that
    every position of the source is that of one expression."""
    made = ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=arguments, keywords=[])
    for node in (made.func, *arguments):
        if not hasattr(node, "lineno"):
            ast.copy_location(node, where)
            node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
    return ast.copy_location(made, where)


def _shrink(node: ast.Call) -> ast.Call:
    """Give a call no extent."""
    node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
    node.func.end_lineno, node.func.end_col_offset = node.lineno, node.col_offset
    return node
