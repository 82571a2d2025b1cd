"""The continuation of an output: everything that its function, and the callers that wait for it,
do next."""

# Values are the application's own, of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import FrameType
from typing import NamedTuple

from knitbone.adaptation.consumers.rehearsal.calls import call
from knitbone.adaptation.consumers.rehearsal.expressions import EXPRESSIONS
from knitbone.adaptation.consumers.rehearsal.machine import (
    YIELDED,
    Ending,
    Environment,
    Machine,
    Signal,
    Unfinished,
    Unfollowed,
    yields,
)
from knitbone.adaptation.consumers.rehearsal.sources import (
    called_name,
    is_of_application,
    parsed_file,
    path_to,
    position_of,
    real_path,
    root_of,
)
from knitbone.adaptation.consumers.rehearsal.statements import STATEMENTS, run_handlers
from knitbone.adaptation.requirements.sites import Site

__all__ = ["Continuation", "caller_of", "continuation_of"]

_MAX_FRAMES = 60
"""Frames between a value's delivery and the function that receives it (ours)."""
_MAX_CALLERS = 6
"""Functions that hand on what they made of the output, one to the next (ours)."""


_POOLS = (
    "concurrent/futures/thread.py", "concurrent/futures/process.py", "multiprocessing/pool.py",
)  # fmt: skip
"""Files whose functions keep what a function returns, for somebody who asks for it later."""


class _BlockLevel(NamedTuple):
    """A block of code, the index of the statement in it that leads to the output, and the field of
    the statement above that holds the block."""

    block: list[ast.stmt]
    place: int
    field: str


class _NextIteration(BaseException):
    """Raised to end one round of a loop whose items are outputs."""

    def __init__(self, skipped: bool) -> None:
        super().__init__()
        self.skipped = skipped


class Continuation(NamedTuple):
    """The code behind an output in its function, and in those that wait for what it returns."""

    expression: ast.expr
    function: ast.FunctionDef | ast.AsyncFunctionDef
    levels: tuple[_BlockLevel, ...]
    filename: str
    root: str

    def frame(self, inner: FrameType | None) -> FrameType | None:
        """Return the running frame of the function, looked for from an inner frame outwards."""
        file = real_path(self.filename)
        for _ in range(_MAX_FRAMES):
            if inner is None:
                break
            code = inner.f_code
            if code.co_name == self.function.name and real_path(code.co_filename) == file:
                return inner
            inner = inner.f_back
        return None

    def rehearse(
        self, answer: object, frame: FrameType, check: Callable[[], None]
    ) -> Ending | None:
        """Return what the code makes of an answer; ``None`` where it cannot be followed.

        Args:
            frame: of the function; its variables are read, and those of its callers.
            check: raises ``TimeoutError`` where the time is spent.

        Raises:
            TimeoutError: ``check`` said so.
        """
        machine = Machine(EXPRESSIONS, STATEMENTS, call, self.root, check)
        place: Continuation = self
        value = machine.make(answer)
        last: Ending | None = None
        for _ in range(_MAX_CALLERS):
            ending, over = place._run(machine, value, frame)
            if last is not None and ending is not None and len(ending.effects) > len(last.effects):
                return last  # what the caller goes on to do with it is another matter
            if ending is None or over or ending.is_empty:
                return ending or last  # who asked got nothing, whatever others make of that
            caller = caller_of(frame, self.root)
            if caller is None:
                return ending._replace(complete=not _is_awaited(place.function, frame, self.root))
            place, frame = caller
            value, last = ending.value, ending
        return last

    def _run(self, machine: Machine, value: object, frame: FrameType) -> tuple[Ending | None, bool]:
        """Return what one function makes of a value, and whether its caller does not get that at
        once."""
        machine.replaced, machine.answer = self.expression, value
        env = Environment(frame.f_globals, None, dict(frame.f_locals))
        generates = yields(self.function)
        if generates:
            env.values[YIELDED] = []
        try:
            signal = _resume(machine, self.levels, 0, env)
        except Unfinished as error:
            raise TimeoutError("the rehearsal took too long") from error
        except (Unfollowed, RecursionError, MemoryError):
            return None, True
        except _NextIteration as over:
            return _ending_of_iteration(machine, over), True
        except Exception as error:  # noqa: BLE001 - the application's own
            if machine.left_loop:
                return None, True  # the rounds that are still to come were not rehearsed
            return machine.ending("raised", error), True
        made = signal.value if signal is not None else None
        if isinstance(self.function.returns, ast.Name):
            machine.declare(made, self.function.returns.id, f"what {self.function.name}() returns")
        if generates:
            made = env.values[YIELDED]
            if machine.is_answer_in(made):
                return None, True  # who goes over the generator reads it
        return machine.ending("returned", made), generates


def _is_awaited(
    function: ast.FunctionDef | ast.AsyncFunctionDef, frame: FrameType, root: str
) -> bool:
    """Return whether code of the application may wait for what a function returns, by way of a
    library: a coroutine may be a task of anybody's."""
    if isinstance(function, ast.AsyncFunctionDef):
        return True
    outer = frame.f_back
    for _ in range(_MAX_FRAMES):
        if outer is None:
            break
        if outer.f_code.co_filename.replace("\\", "/").endswith(_POOLS):
            return True
        if outer.f_code.co_name != "<module>" and is_of_application(outer.f_code.co_filename, root):
            return True
        outer = outer.f_back
    return False


def caller_of(frame: FrameType, root: str) -> tuple[Continuation, FrameType] | None:
    """Return the code that waits for what a function of the application returns, and its frame."""
    outer = frame.f_back
    if outer is None or not is_of_application(outer.f_code.co_filename, root):
        return None
    position = position_of(outer, frame.f_code.co_name)
    if position is None:
        return None
    found = _find_continuation(outer.f_code.co_filename, *position)
    if found is None or called_name(found.expression) != frame.f_code.co_name:
        return None
    home = found.frame(outer)
    return None if home is None else (found, home)


def _ending_of_iteration(machine: Machine, over: _NextIteration) -> Ending:
    """Return what one round of a loop leaves: what it changed, and what it gave away."""
    if over.skipped or not machine.final_state:
        return machine.ending("asked again")
    return machine.ending("returned")


def _resume(
    machine: Machine, levels: Sequence[_BlockLevel], depth: int, env: Environment
) -> Signal | None:
    """Run a block from the statement that leads to the output to its end."""
    level = levels[depth]
    if depth == len(levels) - 1:
        return machine.block(level.block[level.place :], env)
    signal = _resume_inside(machine, levels, depth + 1, level.block[level.place], env)
    return signal if signal is not None else machine.block(level.block[level.place + 1 :], env)


def _resume_inside(
    machine: Machine,
    levels: Sequence[_BlockLevel],
    depth: int,
    statement: ast.stmt,
    env: Environment,
) -> Signal | None:
    """Run the rest of a compound statement in which the output stands."""
    field = levels[depth].field
    if isinstance(statement, ast.Try) and field == "body":
        return run_handlers(machine, statement, env, lambda: _resume(machine, levels, depth, env))
    signal = _resume(machine, levels, depth, env)
    if isinstance(statement, ast.Try) and field != "finalbody":
        return machine.block(statement.finalbody, env) or signal
    if isinstance(statement, ast.For | ast.AsyncFor | ast.While) and field == "body":
        if signal is None or signal.kind == "continue":
            kept = machine.keeps_answer() or machine.is_answer_in(env.values.get(YIELDED))
            if kept and not isinstance(statement, ast.While):
                machine.left_loop = True  # what is made of it stands behind the loop
                return None
            raise _NextIteration(skipped=signal is not None)
        return None if signal.kind == "break" else signal
    return signal


def continuation_of(site: Site) -> Continuation | None:
    """Return the code behind a site; ``None`` where the output is not part of a function's own
    statement."""
    return _find_continuation(site.file, site.line, site.column, site.end_line, site.end_column)


@lru_cache(maxsize=512)
def _find_continuation(
    filename: str, line: int, column: int, end_line: int, end_column: int
) -> Continuation | None:
    """Find the code behind the expression at a position of a file; cached, because sites deliver
    often."""
    tree = parsed_file(filename)
    if tree is None:
        return None
    path = path_to(tree, (line, column, end_line, end_column))
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
    return Continuation(expression, function, levels, filename, root_of(filename))


def _levels(path: Sequence[ast.AST]) -> tuple[_BlockLevel, ...]:
    """Return the blocks on the way from a function to the output, outermost first."""
    found: list[_BlockLevel] = []
    for owner, statement in itertools.pairwise(path):
        if not isinstance(statement, ast.stmt):
            continue
        for field in ("body", "orelse", "finalbody"):
            block = getattr(owner, field, None)
            if isinstance(block, list) and any(each is statement for each in block):
                index = next(n for n, each in enumerate(block) if each is statement)
                held = "handlers" if isinstance(owner, ast.ExceptHandler) else field
                found.append(_BlockLevel(block, index, held))
                break
    return tuple(found)
