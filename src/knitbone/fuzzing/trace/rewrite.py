"""Rewrite a module so that its operations go through ``helpers``.

Positions stay those of the source. Annotations, decorators, class bodies (but for their methods),
and what needs its own frame (``super()``, ``locals()``) stay as they are.
"""

from __future__ import annotations

import ast
import importlib.util
import io
from collections.abc import Callable
from typing import Any, TypeVar

from knitbone.fuzzing.trace.pure import ATTRIBUTES

__all__ = ["comparisons", "rewrite", "source_lines", "source_text"]

AddSite = Callable[[int, str], int]
"""The number of a place, from its line and source text."""

_Node = TypeVar("_Node", bound=ast.AST)

_LEFT = frozenset(
    {"super", "locals", "globals", "eval", "exec", "print", "__import__", "issubclass", "callable"}
    | {"breakpoint", "slice"}
)
_FRAMED = frozenset({"vars", "dir"})
"""Builtins that look at the frame of their caller if they get nothing."""
_ASKED = ATTRIBUTES | {"__class__", "__dict__"}
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift",
    ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor", ast.MatMult: "matmul",
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_METHODS = frozenset(
    name
    for kind in (str, list, dict)
    for name in vars(kind)
    if not name.startswith("_") and sum(hasattr(other, name) for other in (str, list, dict)) < 3
)
"""Methods that a text, a list or a dictionary has, and not all of them."""
_SOURCE, _SOURCE_LINES = 160, 6
"""Characters and lines of the source that are told of a place."""


def source_lines(source: bytes | str) -> list[bytes]:
    """The lines of a source as the parser counts them, in the encoding of its columns."""
    if isinstance(source, bytes):
        source = importlib.util.decode_source(source)
    return [line.encode() for line in io.StringIO(source, newline=None)]


def source_text(lines: list[bytes], node: ast.expr | ast.stmt) -> str:
    """The source of a node, as it is told of a place: on one line, its beginning if it is long."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    lines = lines[first : min(last, first + _SOURCE_LINES) + 1]
    if lines and last - first < len(lines):
        lines[-1] = lines[-1][: node.end_col_offset]
    if lines:
        lines[0] = lines[0][node.col_offset :]
    source = b" ".join(lines).decode(errors="replace")
    return " ".join(source.split())[:_SOURCE]


def comparisons(node: ast.Compare) -> list[ast.Compare]:
    """The comparisons of two that a chain (``0 < n < 9``) is made of."""
    made: list[ast.Compare] = []
    for left, op, right in zip(
        [node.left, *node.comparators], node.ops, node.comparators, strict=False
    ):
        pair = ast.copy_location(ast.Compare(left=left, ops=[op], comparators=[right]), left)
        pair.end_lineno, pair.end_col_offset = right.end_lineno, right.end_col_offset
        made.append(pair)
    return made


def rewrite(tree: ast.Module, lines: list[bytes], add_site: AddSite) -> ast.Module:
    """The module, telling what it does; the given tree is changed.

    Args:
        lines: of its source (``source_lines``).
        add_site: is told of every place, and numbers it.
    """
    rewriter = _TraceRewriter(lines, add_site)
    tree.body = [rewriter.visit(statement) for statement in tree.body]
    return ast.fix_missing_locations(tree)


class _TraceRewriter(ast.NodeTransformer):
    def __init__(self, lines: list[bytes], add_site: AddSite) -> None:
        self._lines = lines
        self._add_site = add_site

    # -- what stays as it is ------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: Any) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [
            self.visit(part)
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            else part
            for part in node.body
        ]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    # -- conditions ---------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._tested(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._tested(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._tested(node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return self._tested(node)

    def _tested(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.test = self._truth(node.test)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values = [*map(self._truth, node.values[:-1]), node.values[-1]]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = self._truth(node.operand)
            return node
        if isinstance(node.operand, ast.Constant):
            return node
        return _call("__kb_unary__", [ast.Constant(_UNARY[type(node.op)]), node.operand], node)

    def _truth(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.Constant) or _is_told(test):
            return test
        return _call("__kb_truth__", [self._site(test), test], test)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        site = self._site(node)
        self.generic_visit(node)
        if len(node.ops) > 1:
            return self._chain(node, site)
        return self._pair(node, site)

    def _pair(self, node: ast.Compare, site: ast.expr) -> ast.expr:
        operator, right = type(node.ops[0]), node.comparators[0]
        if operator in (ast.Is, ast.IsNot):
            return node
        if operator in (ast.In, ast.NotIn):
            made = _call("__kb_contains__", [site, node.left, right], node)
            negated = ast.Constant(operator is ast.NotIn)
            made.keywords = [ast.keyword(arg="negated", value=negated)]
            return made
        name = ast.Constant(_COMPARE[operator])
        return _call("__kb_compare__", [site, name, node.left, right], node)

    def _chain(self, node: ast.Compare, site: ast.expr) -> ast.AST:
        """``a < b < c``: what follows is evaluated only as far as the comparison gets."""
        if all(isinstance(part, ast.Name | ast.Constant) for part in node.comparators[:-1]):
            pairs = [self._pair(pair, self._site(pair)) for pair in comparisons(node)]
            made = ast.BoolOp(op=ast.And(), values=[*pairs])
            return ast.copy_location(made, node)
        names = ["in" if isinstance(o, ast.In) else _COMPARE.get(type(o), "") for o in node.ops]
        awkward = any(
            isinstance(n, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr)
            or (isinstance(n, ast.Name) and n.id in (_LEFT | _FRAMED))
            for n in ast.walk(node)
        )
        if not all(names) or awkward:
            return node
        rest: list[ast.expr] = [
            ast.Lambda(args=_no_arguments(), body=comparator) for comparator in node.comparators
        ]
        listed = ast.Tuple(elts=[ast.Constant(name) for name in names], ctx=ast.Load())
        return _call("__kb_chain__", [site, listed, node.left, *rest], node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs = [self._truth(test) for test in node.ifs]
        if not node.is_async:
            node.iter = self._loop(node.iter, _count(node.target))
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._loop(node.iter, _count(node.target))
        return node

    def _loop(self, iterable: ast.expr, count: int) -> ast.expr:
        """What a loop goes over; ``count`` names are each item taken apart to, if it is."""
        asked = [self._site(iterable), iterable, ast.Constant(count)]
        return _call("__kb_loop__", asked, iterable)

    def visit_Match(self, node: ast.Match) -> ast.AST:
        literals: list[ast.expr] = []
        for case in node.cases:
            alone = case.pattern
            patterns = alone.patterns if isinstance(alone, ast.MatchOr) else [alone]
            literals.extend(
                pattern.value
                for pattern in patterns
                if isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant)
            )
        node.subject = self.visit(node.subject)
        for case in node.cases:
            if case.guard is not None:
                case.guard = self._truth(self.visit(case.guard))
            case.body = [self.visit(statement) for statement in case.body]
        if literals:
            listed = ast.Tuple(elts=literals, ctx=ast.Load())
            site = self._site(node.subject)
            node.subject = _call("__kb_matched__", [site, node.subject, listed], node.subject)
        return node

    # -- operations ---------------------------------------------------------------------------

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        site = self._site(node)
        self.generic_visit(node)
        name = ast.Constant(_BINARY[type(node.op)])
        return _call("__kb_binary__", [site, name, node.left, node.right], node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        site = self._site(node)
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        current = ast.copy_location(ast.Name(id=node.target.id, ctx=ast.Load()), node.target)
        name = ast.Constant(_BINARY[type(node.op)])
        made = _call("__kb_in_place__", [site, name, current, node.value], node.value)
        return ast.copy_location(ast.Assign(targets=[node.target], value=made), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        count = _count(node.targets[0]) if len(node.targets) == 1 else 0
        if count:
            arguments = [self._site(node.value), node.value, ast.Constant(count)]
            node.value = _call("__kb_unpack__", arguments, node.value)
        elif all(_spreads(target) for target in node.targets):
            node.value = _call("__kb_spread__", [node.value], node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        site = self._site(node)
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        key = node.slice
        if isinstance(key, ast.Slice):
            parts = [part or ast.Constant(None) for part in (key.lower, key.upper, key.step)]
            key = _call("__kb_slice__", parts, node)
        elif isinstance(key, ast.Tuple) and any(isinstance(e, ast.Slice) for e in key.elts):
            return node
        return _call("__kb_item__", [site, node.value, key], node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or node.attr not in _ASKED:
            return node
        name = ast.Constant(node.attr)
        return _call("__kb_attribute__", [self._site(node), node.value, name], node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        site = self._site(node)
        if isinstance(function, ast.Attribute):
            # A method: its receiver is seen when it is called.
            function.value = self.visit(function.value)
            if function.attr in _METHODS and not isinstance(function.value, ast.Constant):
                asked = [site, function.value, ast.Constant(function.attr)]
                node.func = _call("__kb_method__", asked, function)
        else:
            node.func = self.visit(function)
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if isinstance(function, ast.Name) and (
            function.id in _LEFT or (function.id in _FRAMED and not node.args)
        ):
            return node
        spread = any(isinstance(a, ast.Starred) for a in node.args) or any(
            keyword.arg is None for keyword in node.keywords
        )
        helper = "__kb_call_spread__" if spread else "__kb_call__"
        node.func = _call(helper, [site, node.func], node.func)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        parts: list[ast.expr] = []
        for value in node.values:
            if not isinstance(value, ast.FormattedValue):
                parts.append(value)
                continue
            specification: ast.expr = ast.Constant("")
            if value.format_spec is not None:
                specification = self.visit(value.format_spec)
            shown = [self.visit(value.value), ast.Constant(value.conversion), specification]
            parts.append(_call("__kb_shown__", shown, value))
        return _call("__kb_pieces__", parts, node)

    def _site(self, node: ast.expr | ast.stmt) -> ast.Constant:
        return ast.Constant(self._add_site(node.lineno, source_text(self._lines, node)))


def _is_told(test: ast.expr) -> bool:
    """Whether the condition tells its truth itself."""
    return (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Name)
        and test.func.id in ("__kb_compare__", "__kb_contains__", "__kb_chain__", "__kb_truth__")
    )


def _count(target: ast.expr) -> int:
    if not isinstance(target, ast.Tuple | ast.List):
        return 0
    return 0 if any(isinstance(e, ast.Starred) for e in target.elts) else len(target.elts)


def _spreads(target: ast.expr) -> bool:
    return isinstance(target, ast.Tuple | ast.List) and any(
        isinstance(e, ast.Starred) for e in target.elts
    )


def _no_arguments() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _call(name: str, arguments: list[Any], where: ast.expr | ast.stmt) -> ast.Call:
    made = ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=arguments, keywords=[])
    return ast.copy_location(made, where)
