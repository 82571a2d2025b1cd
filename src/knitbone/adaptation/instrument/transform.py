"""Recompile a module with its sites wrapped, and find one function's code in it.

The whole module is compiled again from its source, so that closures, ``super()``, coroutines,
line and column numbers come out exactly as the compiler makes them. Comfrey §5 rewrites bytecode;
a syntax tree says the same on every Python version without tables to repair. Source that does not
compile to the code that is running (edited since, or rewritten by another tool) is never used.
"""

from __future__ import annotations

import ast
import copy
import warnings
from types import CodeType
from typing import NamedTuple

__all__ = ["DELIVER", "ENTER", "Cannot", "Wrap", "compile_module", "find_code"]

DELIVER = "__knitbone_deliver__"
"""Global name of the helper in an instrumented function's module."""
ENTER = "__knitbone_enter__"
"""Global name of the helper that an entry function calls first."""

CodePath = tuple[tuple[str, int, int], ...]


class Cannot(Exception):  # noqa: N818 - reads as it is raised; never leaves the instrumentation
    """A function cannot be instrumented; the message says why."""


class Wrap(NamedTuple):
    """An expression to wrap, by its position in the source."""

    line: int
    column: int
    end_line: int
    end_column: int
    number: int
    """Index of the site in the process."""


class _Wrapper(ast.NodeTransformer):
    def __init__(self, wraps: tuple[Wrap, ...], entries: dict[tuple[str, int], int]) -> None:
        self._wraps = {wrap[:4]: wrap.number for wrap in wraps}
        self._entries = entries
        self.wrapped: list[int] = []
        self.entered: list[int] = []

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._enter(node)
        if not isinstance(node, ast.expr):
            return node
        position = (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
        number = self._wraps.get(position)
        if number is None or not isinstance(
            node, ast.Call | ast.Await | ast.Attribute | ast.Subscript
        ):
            return node
        self.wrapped.append(number)
        call = ast.Call(
            func=ast.Name(id=DELIVER, ctx=ast.Load()),
            args=[node, ast.Constant(value=number)],
            keywords=[],
        )
        ast.copy_location(call, node)
        for part in (call.func, call.args[1]):
            ast.copy_location(part, node)
        return call

    def _enter(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        token = self._entries.get((node.name, line))
        if token is None:
            return
        self.entered.append(token)
        statement = ast.Expr(
            ast.Call(
                func=ast.Name(id=ENTER, ctx=ast.Load()),
                args=[ast.Constant(value=token)],
                keywords=[],
            )
        )
        documented = ast.get_docstring(node, clean=False) is not None
        place = 1 if documented else 0
        anchor = node.body[min(place, len(node.body) - 1)]
        # On the line of the first statement: a debugger or coverage sees no line of its own.
        for part in ast.walk(statement):
            if isinstance(part, ast.expr | ast.stmt):
                part.lineno, part.col_offset = anchor.lineno, anchor.col_offset
                part.end_lineno, part.end_col_offset = anchor.lineno, anchor.col_offset
        node.body.insert(place, statement)


def compile_module(
    tree: ast.Module,
    filename: str,
    wraps: tuple[Wrap, ...] = (),
    entries: dict[tuple[str, int], int] | None = None,
) -> CodeType:
    """The code of the module, with the wrapped expressions and entry calls in it.

    Raises:
        Cannot: an expression is not found exactly once, or the tree does not compile.
    """
    entries = entries or {}
    changed = tree
    if wraps or entries:
        wrapper = _Wrapper(wraps, entries)
        changed = wrapper.visit(copy.deepcopy(tree))
        if sorted(wrapper.wrapped) != sorted(wrap.number for wrap in wraps):
            raise Cannot("a site's expression is not found exactly once in the source")
        if sorted(wrapper.entered) != sorted(entries.values()):
            raise Cannot("the entry function is not found exactly once in the source")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said already when the application was imported
            compiled: CodeType = compile(changed, filename, "exec", dont_inherit=True)  # pyright: ignore[reportArgumentType]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Cannot(f"its source does not compile: {error}") from error
    return compiled


def find_code(plain: CodeType, changed: CodeType, running: CodeType) -> CodeType:
    """The changed code of the function that runs ``running``.

    Args:
        plain: the module compiled as it is; proves that the source is the one that runs.
        changed: the same module with wraps.

    Raises:
        Cannot: the source is not that of the running code, or names would be bound differently.
    """
    paths = [path for path, code in _walk(plain, ()) if code == running]
    if not paths:
        raise Cannot("its source is not the one that is running (edited since, or rewritten)")
    found = [code for path, code in _walk(changed, ()) if path == paths[0]]
    if len(paths) > 1 or len(found) != 1:
        raise Cannot("several functions in its source look the same")
    code = found[0]
    for attribute in ("co_freevars", "co_varnames", "co_cellvars", "co_flags", "co_argcount"):
        if getattr(code, attribute) != getattr(running, attribute):
            raise Cannot(f"its {attribute} would change")
    return code


def _walk(code: CodeType, path: CodePath) -> list[tuple[CodePath, CodeType]]:
    found: list[tuple[CodePath, CodeType]] = []
    seen: dict[tuple[str, int], int] = {}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            name = (constant.co_name, constant.co_firstlineno)
            seen[name] = seen.get(name, 0) + 1
            here = (*path, (*name, seen[name]))
            found.append((here, constant))
            found.extend(_walk(constant, here))
    return found
