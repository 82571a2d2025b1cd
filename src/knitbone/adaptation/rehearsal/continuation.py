"""The code behind an output: everything that its function does from there on."""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from knitbone.adaptation.rehearsal.expressions import EXPRESSIONS
from knitbone.adaptation.rehearsal.machine import (
    YIELDED,
    Ending,
    Environment,
    Machine,
    Signal,
    Unfollowed,
    yields,
)
from knitbone.adaptation.rehearsal.sources import Definition, parsed_file
from knitbone.adaptation.rehearsal.statements import STATEMENTS, run_handlers
from knitbone.adaptation.sites import Site

__all__ = ["Continuation", "continuation_of"]

_MAX_FRAMES = 60
"""Frames between a value's delivery and the function that receives it (ours)."""


class _Level(NamedTuple):
    """A block, the place of the statement that leads to the output, and what the block is of."""

    block: list[ast.stmt]
    place: int
    owner: ast.AST
    field: str


class _IterationOver(BaseException):
    """The output was one of a loop's, which goes on with the next."""

    def __init__(self, skipped: bool) -> None:
        super().__init__()
        self.skipped = skipped


class Continuation(NamedTuple):
    """What follows an output in its function."""

    expression: ast.expr
    function: Definition
    levels: tuple[_Level, ...]
    filename: str
    root: str

    def frame(self) -> FrameType | None:
        """The frame of the function that waits for the output in this thread."""
        frame = inspect.currentframe()
        name = getattr(self.function, "name", "<lambda>")
        for _ in range(_MAX_FRAMES):
            if frame is None:
                return None
            code = frame.f_code
            if code.co_name == name and code.co_filename == self.filename:
                return frame
            frame = frame.f_back
        return None

    def rehearse(self, answer: str, frame: FrameType, check: Callable[[], None]) -> Ending | None:
        """What the code makes of an answer; ``None`` where it cannot be followed.

        Args:
            frame: of the function; its variables are read.
            check: raises ``TimeoutError`` where the time is spent.
        """
        machine = Machine(EXPRESSIONS, STATEMENTS, self.root, check)
        machine.replaced, machine.answer = self.expression, answer
        env = Environment(frame.f_globals, None, dict(frame.f_locals))
        generates = yields(self.function)
        if generates:
            env.values[YIELDED] = []
        try:
            signal = _resume(machine, self.levels, 0, env)
        except Unfollowed:
            return None
        except _IterationOver as over:
            return _of_iteration(machine, over)
        except (RecursionError, MemoryError):
            return None
        except Exception as error:  # noqa: BLE001 - the application's own
            return Ending("raised", error, machine.left, machine.handled)
        value = signal.value if signal is not None else None
        if generates:
            value = env.values[YIELDED]
        return Ending("returned", value, machine.left, machine.handled)


def _of_iteration(machine: Machine, over: _IterationOver) -> Ending:
    """What one round of a loop leaves: what it changed, and what it gave away."""
    if over.skipped or not machine.left:
        return Ending("asked again", None, machine.left, machine.handled)
    return Ending("returned", None, machine.left, machine.handled)


def _resume(
    machine: Machine, levels: Sequence[_Level], depth: int, env: Environment
) -> Signal | None:
    """Run a block from the statement that leads to the output to its end."""
    level = levels[depth]
    if depth == len(levels) - 1:
        return machine.block(level.block[level.place :], env)
    signal = _inside(machine, levels, depth + 1, level.block[level.place], env)
    return signal if signal is not None else machine.block(level.block[level.place + 1 :], env)


def _inside(
    machine: Machine, levels: Sequence[_Level], depth: int, statement: ast.stmt, env: Environment
) -> Signal | None:
    """Run the rest of a compound statement, in which the output stands."""
    field = levels[depth].field
    if isinstance(statement, ast.Try) and field == "body":
        return run_handlers(machine, statement, env, lambda: _resume(machine, levels, depth, env))
    signal = _resume(machine, levels, depth, env)
    if isinstance(statement, ast.Try) and field != "finalbody":
        return machine.block(statement.finalbody, env) or signal
    if isinstance(statement, ast.For | ast.AsyncFor | ast.While) and field == "body":
        if signal is None or signal.kind == "continue":
            raise _IterationOver(skipped=signal is not None)
        return None if signal.kind == "break" else signal
    return signal


def continuation_of(site: Site) -> Continuation | None:
    """The code behind a site; ``None`` where it is not a function's own statement."""
    return _found(site.file, site.line, site.column, site.end_line, site.end_column)


@lru_cache(maxsize=512)
def _found(
    filename: str, line: int, column: int, end_line: int, end_column: int
) -> Continuation | None:
    tree = parsed_file(filename)
    if tree is None:
        return None
    path = _path_to(tree, (line, column, end_line, end_column))
    if not path or any(isinstance(node, ast.Lambda) for node in path):
        return None
    functions = [
        n for n, p in enumerate(path) if isinstance(p, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    expression = path[-1]
    if not functions or not isinstance(expression, ast.expr):
        return None
    inner = path[functions[-1] :]
    function = inner[0]
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)  # noqa: S101
    levels = _levels(inner)
    if not levels:
        return None
    return Continuation(expression, function, levels, filename, _root_of(filename))


def _levels(path: Sequence[ast.AST]) -> tuple[_Level, ...]:
    """The blocks on the way from a function to the output, outermost first."""
    found: list[_Level] = []
    for owner, statement in zip(path, path[1:], strict=False):
        if not isinstance(statement, ast.stmt):
            continue
        for field in ("body", "orelse", "finalbody"):
            block = getattr(owner, field, None)
            if isinstance(block, list) and any(each is statement for each in block):
                place = next(n for n, each in enumerate(block) if each is statement)
                held = "handlers" if isinstance(owner, ast.ExceptHandler) else field
                found.append(_Level(block, place, owner, held))
                break
    return tuple(found)


def _path_to(tree: ast.Module, position: tuple[int, int, int, int]) -> list[ast.AST]:
    """The nodes that lead to the expression at a position, which is the last."""
    parents: dict[ast.AST, ast.AST] = {}
    found: ast.AST | None = None
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", None), ast.Load | None):
            here = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            if here == position:
                if found is not None:
                    return []
                found = node
        for child in ast.iter_child_nodes(node):
            parents[child] = node
            pending.append(child)
    path: list[ast.AST] = []
    while found is not None:
        path.append(found)
        found = parents.get(found)
    return path[::-1]


def _root_of(filename: str) -> str:
    """The folder of the application: of the outermost package that holds the file."""
    folder = Path(filename).parent
    while (folder / "__init__.py").exists() and folder.parent != folder:
        folder = folder.parent
    return str(folder) + os.sep
