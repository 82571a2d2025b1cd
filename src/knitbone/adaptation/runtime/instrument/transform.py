"""The recompilation of a module with its sites wrapped, and one function's code in the result.

Two kinds of syntax that is wrapped are found here as well, ahead of the recompilation: calls that
run the tools a model asked for, and loops that cut a text into chunks.

The module, or the statement of it that holds the function, is compiled again from its source, so
that closures, ``super()``, coroutines, line and column numbers come out exactly as the compiler
makes them. Comfrey §5 rewrites bytecode; a syntax tree works on every Python version without
tables to repair. Source that does not compile to the code that is running (edited since, or
rewritten by another tool) is never used.
"""

from __future__ import annotations
import __future__

import ast
import copy
import warnings
from collections.abc import Iterable, Mapping, Sequence
from types import CodeType
from typing import Literal, NamedTuple, cast

from knitbone.adaptation.cells import file_of
from knitbone.adaptation.runtime.instrument.delivery_calls import (
    DELIVER,
    answer_call,
    delivery_call,
    loop_ending,
    note_offer,
    note_question,
)
from knitbone.adaptation.runtime.instrument.refinement_loop_syntax import find_refinements
from knitbone.adaptation.runtime.instrument.wraps import Position, Wrap
from knitbone.common.source import parse_source

__all__ = [
    "ENTER",
    "InstrumentationError",
    "compile_module",
    "find_code",
    "find_cuts",
    "inherited_flags",
    "missing_wraps",
    "narrowed_to",
    "parse_module",
]


# The syntax of calls of a tool that a model named: ``TOOLS[name](**given)``, ``search(**given)``,
# ``if name == "search": search(arguments["query"])``.
#
# It is read without any analysis: wrapping the wrong expression does no harm, because a function
# that is not known to be stateless is passed on as it is.

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


# The syntax of loops that cut a text into chunks themselves, found so that they can be told where
# to cut.
#
# ``for i in range(0, len(text), step): text[i : i + size]``, or ``while i < len(text): text[i : i +
# size]; i += step``. No expression of such a loop has the list of chunks as its value. So each
# slice is put into a call that gives the adapted chunk that begins there, and the range (or what is
# added to the start) into one that leads to the next chunk. What else the body does with the start
# (an offset to store, say) stays right. ``runtime/delivery.py`` answers these calls.


class CutCall(NamedTuple):
    """The call that an expression of such a loop is put into."""

    function: Literal[
        "deliver_chunk_range", "deliver_chunk", "deliver_next_chunk", "deliver_chunk_step"
    ]
    """The function of ``runtime.delivery`` to call."""
    number: int
    """The number of the site."""
    arguments: tuple[ast.expr, ...]
    """The arguments behind value and number."""


def find_cuts(tree: ast.Module, slices: Mapping[Position, int]) -> dict[int, CutCall]:
    """Return the calls to make, by ``id`` of the expression.

    Args:
        slices: position of each slice that is a site -> its number.
    """
    found: dict[int, CutCall] = {}
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            found.update(_calls_of_for(loop, slices))
        elif isinstance(loop, ast.While):
            found.update(_calls_of_while(loop, slices))
    return found


def _calls_of_for(loop: ast.For, slices: Mapping[Position, int]) -> dict[int, CutCall]:
    """Return the calls of a ``for`` loop over ``range``; none where it is another loop."""
    if not isinstance(loop.target, ast.Name) or not _is_range(loop.iter):
        return {}
    start = ast.Name(id=loop.target.id, ctx=ast.Load())
    for node in _nodes_in(loop):
        cut = _slice_parts(node, start.id, slices)
        if cut is not None:
            number, text, width = cut
            return {
                id(loop.iter): CutCall("deliver_chunk_range", number, (text, width)),
                id(node): CutCall("deliver_chunk", number, (start,)),
            }
    return {}


def _calls_of_while(loop: ast.While, slices: Mapping[Position, int]) -> dict[int, CutCall]:
    """Return the calls of a ``while`` loop that adds to its start; none where it is another
    loop."""
    if not isinstance(loop.test, ast.Compare) or not isinstance(loop.test.left, ast.Name):
        return {}
    start = ast.Name(id=loop.test.left.id, ctx=ast.Load())
    steps = [
        node
        for node in _nodes_in(loop)
        if isinstance(node, ast.AugAssign | ast.Assign | ast.AnnAssign | ast.NamedExpr)
        and start.id in {ast.unparse(target) for target in _targets(node)}
    ]
    # The start moves in one place only, by adding.
    if len(steps) != 1 or not isinstance(steps[0], ast.AugAssign):
        return {}
    step = steps[0]
    if not isinstance(step.op, ast.Add) or not isinstance(step.value, _PLAIN):
        return {}
    for node in _nodes_in(loop):
        cut = _slice_parts(node, start.id, slices)
        if cut is not None:
            number, text, width = cut
            arguments = (start, text, width, copy.deepcopy(step.value))
            return {
                id(node): CutCall("deliver_next_chunk", number, arguments),
                id(step.value): CutCall("deliver_chunk_step", number, (start,)),
            }
    return {}


_PLAIN = (ast.Name, ast.Constant, ast.BinOp, ast.Attribute)
"""Expressions that can be evaluated once more."""


def _targets(node: ast.AST) -> list[ast.expr]:
    targets = getattr(node, "targets", None)
    return list(targets) if targets else [node.target]  # type: ignore[attr-defined]


def _nodes_in(loop: ast.For | ast.While) -> list[ast.AST]:
    return [node for statement in loop.body for node in ast.walk(statement)]


def _is_range(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "range"
        and len(node.args) == 3
    )


def _slice_parts(
    node: ast.AST, start: str, slices: Mapping[Position, int]
) -> tuple[int, ast.expr, ast.expr] | None:
    """Return number, text and width of a slice that is a site and begins at the loop's start."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return None
    place = (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
    number = slices.get(place)
    upper = node.slice.upper
    plain = isinstance(node.value, ast.Name | ast.Attribute)
    if number is None or not plain or not isinstance(upper, ast.BinOp):
        return None
    for one, width in ((upper.left, upper.right), (upper.right, upper.left)):
        if isinstance(one, ast.Name) and one.id == start and isinstance(upper.op, ast.Add):
            return number, node.value, width
    return None


ENTER = "__knitbone_enter__"
"""Global name of the helper that an entry function calls first."""

CodePath = tuple[tuple[str, int, int], ...]


class InstrumentationError(Exception):
    """A function cannot be instrumented; the message says why."""


def parse_module(source: str | bytes, filename: str) -> ast.Module:
    """Parse a module.

    Raises:
        InstrumentationError: it does not parse.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said already when the application was imported
            return parse_source(source, filename=filename)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InstrumentationError(f"its source cannot be parsed: {error}") from error


def narrowed_to(tree: ast.Module, line: int) -> ast.Module:
    """Return as little of a module as compiles to the same code for the function that begins at a
    line.

    Compiling all of it for each function takes quadratic time.

    Args:
        line: of its first decorator, or of ``def``.
    """
    futures = [node for node in tree.body if isinstance(node, ast.ImportFrom) and _is_future(node)]
    return ast.Module([*futures, *_statements_with(tree.body, line)], [])


def _is_future(node: ast.ImportFrom) -> bool:
    return node.module == "__future__" and not node.level


def _statements_with(body: list[ast.stmt], line: int) -> list[ast.stmt]:
    """Return the statements that a line stands in; of a class without the rest of its body."""
    found = [node for node in body if _first_line(node) <= line <= (node.end_lineno or node.lineno)]
    for index, node in enumerate(found):
        if isinstance(node, ast.ClassDef) and line >= node.lineno:
            inner = copy.copy(node)
            inner.body = _statements_with(node.body, line) or node.body
            found[index] = inner
    return found


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def missing_wraps(tree: ast.Module, wraps: Iterable[Wrap]) -> tuple[Wrap, ...]:
    """Return the wraps whose expression does not stand exactly once in the source.

    Up to Python 3.11 the positions of expressions inside f-strings can be wrong.
    """
    counted = _count_positions(tree)
    return tuple(wrap for wrap in wraps if wrap.line and counted.get(wrap[:4]) != 1)


def _count_positions(tree: ast.Module) -> dict[Position, int]:
    counted: dict[Position, int] = {}
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if _is_wrappable(node):
            position = _position(node)
            counted[position] = counted.get(position, 0) + 1
        pending.extend(child for child in ast.iter_child_nodes(node) if not _is_pattern(child))
    return counted


def _is_pattern(node: ast.AST) -> bool:
    """Return whether a node stands in a ``case``: it is compared, not evaluated like an
    expression."""
    return isinstance(node, ast.pattern)


def _is_wrappable(node: ast.AST) -> bool:
    """Return whether a node is an expression whose value is taken."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Starred | ast.Slice):
        return False
    return isinstance(getattr(node, "ctx", None), ast.Load | None) and not isinstance(
        node, ast.FormattedValue
    )


def _position(node: ast.AST) -> Position:
    assert isinstance(node, ast.expr)  # noqa: S101 - for the type checker
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


class _Wrapper(ast.NodeTransformer):
    """The transformer of one module's tree: wraps sites and inserts the calls of entry
    functions."""

    def __init__(
        self,
        wraps: Sequence[Wrap],
        entries: dict[tuple[str, int], int],
        filename: str,
        tree: ast.Module,
    ) -> None:
        self._wraps = {wrap[:4]: wrap for wrap in wraps if wrap.kind != "chunk"}
        self._entries = entries
        self._origins: dict[tuple[int, int, str], list[int]] = {}
        for wrap in wraps:
            if wrap.origin is not None:
                self._origins.setdefault(wrap.origin, []).append(wrap.number)
        self._offers: dict[tuple[int, int], list[int]] = {}
        for wrap in wraps:
            for lines in wrap.offers:
                self._offers.setdefault(lines, []).append(wrap.number)
        self.entered: list[int] = []
        self._filename = file_of(filename)
        self._dispatches = find_dispatches(tree) if wraps else frozenset[int]()
        chunks = {wrap[:4]: wrap.number for wrap in wraps if wrap.kind == "chunk"}
        self._cuts = find_cuts(tree, chunks) if chunks else {}
        answers = {place: w.number for place, w in self._wraps.items() if w.kind == "answer"}
        self._iterations, self._refining = find_refinements(tree, answers)

    def visit(self, node: ast.AST) -> ast.AST:
        """Wrap the node's value, its arguments or its statement, where it belongs to a site or an
        entry."""
        if _is_pattern(node):
            return node
        dispatch = id(node) in self._dispatches
        cut = self._cuts.get(id(node))
        iteration, refining = self._iterations.get(id(node)), self._refining.get(id(node))
        self.generic_visit(node)
        if refining is not None and isinstance(node, ast.stmt):
            return [node, loop_ending(refining, node)]  # pyright: ignore[reportReturnType]
        if cut is not None and isinstance(node, ast.expr):
            return delivery_call(cut.function, node, cut.number, *copy.deepcopy(cut.arguments))
        if dispatch and isinstance(node, ast.expr):
            return delivery_call("deliver_tool", node, f"{self._filename}:{node.lineno}")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._enter(node)
        if not _is_wrappable(node):
            return node
        assert isinstance(node, ast.expr)  # noqa: S101 - for the type checker
        wrap = self._wraps.get(_position(node))
        if isinstance(node, ast.Call):
            self._note_arguments(node, wrap)
        return node if wrap is None else answer_call(node, wrap, iteration)

    def _note_arguments(self, node: ast.Call, wrap: Wrap | None) -> None:
        """Wrap what a call asks its model, and which tools it offers, so that they are noted."""
        key = (node.lineno, node.end_lineno or 0, _last_name(node.func))
        own = [] if wrap is None or wrap.queries else [wrap.number]
        for number in self._origins.get(key) or own:
            note_question(node, number)
        for number in self._offers.get(key[:2], ()):
            note_offer(node, number, self._filename)

    def _enter(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        token = self._entries.get((node.name, line))
        if token is None:
            return
        self.entered.append(token)
        call = ast.Call(
            func=ast.Name(id=ENTER, ctx=ast.Load()),
            args=[ast.Constant(value=token)],
            keywords=[],
        )
        documented = ast.get_docstring(node, clean=False) is not None
        _insert(node.body, 1 if documented else 0, ast.Expr(call))


def _last_name(node: ast.expr) -> str:
    """Return the last part of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _insert(body: list[ast.stmt], place: int, statement: ast.stmt) -> None:
    """Insert a statement on the line of the one at its index: a debugger or coverage sees no new
    line."""
    anchor = body[min(place, len(body) - 1)]
    for part in ast.walk(statement):
        if isinstance(part, ast.expr | ast.stmt | ast.alias):
            part.lineno, part.col_offset = anchor.lineno, anchor.col_offset
            part.end_lineno, part.end_col_offset = anchor.lineno, anchor.col_offset
    body.insert(place, statement)


def _add_prologue(tree: ast.Module, *, script: bool) -> None:
    """Let the module's code import the helper itself: it may run in any namespace (``runpy``)."""
    place = 1 if ast.get_docstring(tree, clean=False) is not None else 0
    while (
        place < len(tree.body)
        and isinstance(statement := tree.body[place], ast.ImportFrom)
        and statement.module == "__future__"
    ):
        place += 1
    helper = ast.alias(name="delivery", asname=DELIVER)
    added: list[ast.stmt] = [
        ast.ImportFrom(module="knitbone.adaptation.runtime", names=[helper], level=0)
    ]
    if script:
        # What Python itself sets for a script, and ``multiprocessing`` relies on.
        targets: list[ast.expr] = [
            ast.Name(id="__spec__", ctx=ast.Store()),
            ast.Name(id="__package__", ctx=ast.Store()),
        ]
        added.append(ast.Assign(targets=targets, value=ast.Constant(value=None)))
    for statement in added:
        _insert(tree.body, place, statement)


def compile_module(
    tree: ast.Module,
    filename: str,
    wraps: Sequence[Wrap] = (),
    entries: dict[tuple[str, int], int] | None = None,
    *,
    prologue: bool = False,
    script: bool = False,
    flags: int = 0,
) -> CodeType:
    """Compile a module with the wrapped expressions and entry calls in it.

    Args:
        wraps: each stands at most once in the tree (``missing_wraps`` tells).
        prologue: whether the code imports the helper that it calls; functions that are put into
            a module that runs already have it put there.
        script: whether the module is run as a script.
        flags: the compiler's, for features that the source does not ask for itself.

    Raises:
        InstrumentationError: an entry function is not found exactly once, or the tree does not
            compile.
    """
    entries = entries or {}
    changed = tree
    try:
        if wraps or entries:
            changed = copy.deepcopy(tree)
            wrapper = _Wrapper(wraps, entries, filename, changed)
            changed = cast("ast.Module", wrapper.visit(changed))
            if sorted(wrapper.entered) != sorted(entries.values()):
                raise InstrumentationError(
                    "the entry function is not found exactly once in the source"
                )
        if prologue:
            _add_prologue(changed, script=script)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said already when the application was imported
            return compile(changed, filename, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InstrumentationError(f"its source does not compile: {error}") from error


def inherited_flags(running: CodeType) -> int:
    """Return the compiler flags of a function that need not stand in its source.

    A notebook carries ``from __future__`` imports from cell to cell, ``exec`` from the code that
    calls it.
    """
    return running.co_flags & __future__.annotations.compiler_flag


def find_code(plain: CodeType, changed: CodeType, running: CodeType) -> CodeType:
    """Return the changed code of the function that runs ``running``.

    Args:
        plain: the module compiled as it is; proves that the source is the one that runs.
        changed: the same module with wraps.

    Raises:
        InstrumentationError: the source is not that of the running code, or names would be
            bound differently.
    """
    paths = [path for path, code in _walk(plain, ()) if code == running]
    if not paths:
        raise InstrumentationError(
            "its source is not the one that is running (edited since, or rewritten)"
        )
    found = [code for path, code in _walk(changed, ()) if path == paths[0]]
    if len(paths) > 1 or len(found) != 1:
        raise InstrumentationError("several functions in its source look the same")
    code = found[0]
    for attribute in ("co_freevars", "co_varnames", "co_cellvars", "co_flags", "co_argcount"):
        if getattr(code, attribute) != getattr(running, attribute):
            raise InstrumentationError(f"its {attribute} would change")
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
