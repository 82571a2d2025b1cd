"""The syntax of loops that refine an answer: ``draft = improve(draft)``,
``drafts.append(improve(...))``.

The statement's own target holds the answer of the iteration before, which is passed to the
delivery. Right behind the statement a question is inserted that ends the loop where nothing new
was said (``scenario/refinement_loops.py`` answers it). Only loops are found that may end early
without harm: no ``else``, no ``return`` or ``raise`` in the body, and an end of their own.

Source: Comfrey §4.5.2 (external redundancy: terminate the loop and roll back).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from knitbone.adaptation.runtime.instrument.wraps import Position

__all__ = ["Refinement", "find_refinements"]


class Refinement(NamedTuple):
    """One statement of such a loop."""

    number: int
    """The number of the site in it."""
    earlier: ast.expr
    """The answer of the iteration before."""
    series: ast.expr | None
    """The list that the answers are appended to, if they are."""
    compares: bool
    """Whether the loop itself looks whether an answer equals another."""


def find_refinements(
    tree: ast.Module, sites: Mapping[Position, int]
) -> tuple[dict[int, Refinement], dict[int, Refinement]]:
    """Find refining statements: by ``id`` of the site's expression, and of the statement around
    it."""
    expressions: dict[int, Refinement] = {}
    statements: dict[int, Refinement] = {}
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For | ast.While) or not _may_end_early(loop):
            continue
        body = list(_breakable_statements(loop.body))
        compares = any(_compares(part) for part in ast.walk(loop))
        for index, statement in enumerate(body):
            for node in ast.walk(statement):
                number = _site(node, sites)
                if number is None:
                    continue
                read = _names_read(node, [s for s in body[:index] if s in loop.body])
                found = _refinement(statement, number, read, body[index + 1 :])
                if found is not None:
                    found = found._replace(compares=compares)
                    expressions[id(node)] = statements[id(statement)] = found
    return expressions, statements


def _compares(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq)


def _site(node: ast.AST, sites: Mapping[Position, int]) -> int | None:
    if not isinstance(node, ast.expr):
        return None
    return sites.get((node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0))


def _may_end_early(loop: ast.For | ast.While) -> bool:
    """Return whether a loop may end before its time without harm."""
    endless = isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant)
    leaves = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom)
    return not (
        loop.orelse or endless or any(isinstance(n, leaves) for s in loop.body for n in ast.walk(s))
    )


def _breakable_statements(body: list[ast.stmt]) -> Iterator[ast.Assign | ast.Expr]:
    """Yield the statements of a loop that ``break`` would leave, without those of loops inside."""
    for statement in body:
        if isinstance(statement, ast.Assign | ast.Expr):
            yield statement
        elif isinstance(statement, ast.If):
            yield from _breakable_statements([*statement.body, *statement.orelse])
        elif isinstance(statement, ast.With | ast.AsyncWith):
            yield from _breakable_statements(statement.body)


def _names_read(site: ast.AST, before: list[ast.Assign | ast.Expr]) -> set[str]:
    """Return what a site's expression reads, and what the statements before it read to make that.

    ``prompt = f"Improve {draft}"``: the code evaluates all of it in every iteration.
    """
    read = _names_in(site)
    for statement in reversed(before):
        if isinstance(statement, ast.Assign) and _target_name(statement) in read:
            read |= _names_in(statement.value)
    return read


def _target_name(statement: ast.stmt) -> str:
    """Return the name that a statement assigns to."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return target.id if isinstance(target, ast.Name) else ""
    return ""


def _appended_list(statement: ast.stmt) -> ast.Name | None:
    """Return the list of ``drafts.append(...)``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and isinstance(call.func.value, ast.Name)
    ):
        return call.func.value
    return None


def _last_item(series: str) -> ast.Subscript:
    """Build ``drafts[-1]``."""
    last = ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1))
    return ast.Subscript(value=ast.Name(id=series, ctx=ast.Load()), slice=last, ctx=ast.Load())


def _names_in(node: ast.AST) -> set[str]:
    """Return what an expression reads: names, and last items of lists."""
    return {
        ast.unparse(part)
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Subscript) and isinstance(part.ctx, ast.Load)
    }


def _refinement(
    statement: ast.Assign | ast.Expr,
    number: int,
    read: set[str],
    behind: list[ast.Assign | ast.Expr],
) -> Refinement | None:
    """Return the refinement that a statement makes; ``None`` where the next iteration does not
    read it."""
    series = _appended_list(statement)
    candidates: list[ast.expr] = [] if series is None else [_last_item(series.id)]
    name = _target_name(statement)
    if name:
        candidates.append(ast.Name(id=name, ctx=ast.Load()))
        candidates += _next_inputs(name, behind)
    for earlier in candidates:
        if ast.unparse(earlier) in read:
            return Refinement(number, earlier, series, compares=False)
    return None


def _next_inputs(name: str, behind: list[ast.Assign | ast.Expr]) -> list[ast.expr]:
    """Return what the next iteration reads: ``draft = new``, ``drafts.append(new)``."""
    found: list[ast.expr] = []
    for statement in behind:
        series = _appended_list(statement)
        if series is not None and ast.unparse(statement.value) == f"{series.id}.append({name})":
            found.append(_last_item(series.id))
        elif _target_name(statement) and ast.unparse(statement.value) == name:
            found.append(ast.Name(id=_target_name(statement), ctx=ast.Load()))
    return found
