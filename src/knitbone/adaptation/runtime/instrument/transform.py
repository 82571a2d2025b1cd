"""Recompile a module with its sites wrapped, and find one function's code in it.

The module, or the statement of it that holds the function, is compiled again from its source, so
that closures, ``super()``, coroutines, line and column numbers come out exactly as the compiler
makes them. Comfrey §5 rewrites bytecode;
a syntax tree says the same on every Python version without tables to repair. Source that does not
compile to the code that is running (edited since, or rewritten by another tool) is never used.
"""

from __future__ import annotations
import __future__

import ast
import copy
import warnings
from collections.abc import Iterable, Sequence
from types import CodeType
from typing import Literal, NamedTuple, TypeAlias, cast

from knitbone.adaptation.cells import file_of
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.instrument.chunk_loops import find_cuts
from knitbone.adaptation.runtime.instrument.dispatch import find_dispatches
from knitbone.adaptation.runtime.instrument.refinement_loops import Refinement, find_refinements
from knitbone.adaptation.runtime.messages import TOOL_KEYWORDS

__all__ = [
    "DELIVER",
    "ENTER",
    "Cannot",
    "Wrap",
    "compile_module",
    "find_code",
    "inherited_flags",
    "narrowed",
    "parse_module",
    "unfound",
    "wraps_of",
]

DELIVER = "__knitbone_deliver__"
"""Global name, in an instrumented function's module, of the module ``runtime.delivery``: its
functions are what the wrapped expressions call."""
ENTER = "__knitbone_enter__"
"""Global name of the helper that an entry function calls first."""

CodePath = tuple[tuple[str, int, int], ...]
_Position = tuple[int, int, int, int]
_Kind: TypeAlias = Literal["answer", "arguments", "ranked list", "model", "chunk"]


class Cannot(Exception):  # noqa: N818 - reads as it is raised; never leaves the instrumentation
    """A function cannot be instrumented; the message says why."""


class Wrap(NamedTuple):
    """An expression to wrap, by its position in the source; of a site in another file there is
    none (line 0)."""

    line: int
    column: int
    end_line: int
    end_column: int
    number: int
    """The site's number, the same in every process."""
    origin: tuple[int, int, str] | None = None
    """First and last line of the call that brings the value, and the last part of its name, where
    it stands in the same file."""
    kind: _Kind = "answer"
    """``model``: one that stands inside a chain; ``chunk``: a piece of a text that a loop cuts."""
    offers: tuple[tuple[int, int], ...] = ()
    """Of the arguments of a tool call: first and last line of each call in the file that may bring
    them, and tells the model which tools there are."""
    queries: tuple[tuple[str, ...], ...] = ()
    """Names that may hold the text which a list is ranked by."""


def wraps_of(sites: Iterable[Site], file: str) -> tuple[Wrap, ...]:
    """What to wrap in a file for its sites, and for sites of other files which it brings the
    arguments of tool calls; one expression once."""
    found: dict[_Position, Wrap] = {}
    elsewhere: list[Wrap] = []
    for site in sites:
        offers = _offers_of(site, file) if site.brings_call else ()
        if site.file != file:
            elsewhere += [Wrap(0, 0, 0, 0, site.number, offers=offers)] if offers else []
            continue
        position = (site.line, site.column, site.end_line, site.end_column)
        origin = None
        if site.origin_file == file and not site.queries:
            name = site.origin.rpartition(".")[2]
            origin = (site.origin_line, site.origin_end_line, name)
        found[position] = Wrap(*position, site.number, origin, _kind_of(site), offers, site.queries)
    return (*found.values(), *elsewhere)


def _kind_of(site: Site) -> _Kind:
    if site.kind == "splitter" and site.form == "text":
        return "chunk"
    if site.brings_call:
        return "arguments"
    if site.queries:
        return "ranked list"
    return "model" if site.chained else "answer"


def _offers_of(site: Site, file: str) -> tuple[tuple[int, int], ...]:
    return tuple(dict.fromkeys((line, end) for at, line, end in site.origins if at == file))


def parse_module(source: str | bytes, filename: str) -> ast.Module:
    """The tree of a module.

    Raises:
        Cannot: it does not parse.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said already when the application was imported
            return ast.parse(source, filename=filename)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Cannot(f"its source cannot be parsed: {error}") from error


def narrowed(tree: ast.Module, line: int) -> ast.Module:
    """The least of a module that compiles to the same code for the function that begins at a
    line: compiling all of it for each function takes quadratic time.

    Args:
        line: of its first decorator, or of ``def``.
    """
    futures = [node for node in tree.body if isinstance(node, ast.ImportFrom) and _is_future(node)]
    return ast.Module([*futures, *_holding(tree.body, line)], [])


def _is_future(node: ast.ImportFrom) -> bool:
    return node.module == "__future__" and not node.level


def _holding(body: list[ast.stmt], line: int) -> list[ast.stmt]:
    """The statements that a line stands in; of a class without the rest of its body."""
    found = [node for node in body if _first_line(node) <= line <= (node.end_lineno or node.lineno)]
    for place, node in enumerate(found):
        if isinstance(node, ast.ClassDef) and line >= node.lineno:
            inner = copy.copy(node)
            inner.body = _holding(node.body, line) or node.body
            found[place] = inner
    return found


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def unfound(tree: ast.Module, wraps: Iterable[Wrap]) -> tuple[Wrap, ...]:
    """Wraps whose expression does not stand exactly once in the source, where it is read.

    Up to Python 3.11 the positions of expressions inside f-strings can be wrong.
    """
    counted = _count_positions(tree)
    return tuple(wrap for wrap in wraps if wrap.line and counted.get(wrap[:4]) != 1)


def _count_positions(tree: ast.Module) -> dict[_Position, int]:
    counted: dict[_Position, int] = {}
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if _is_wrappable(node):
            position = _position(node)
            counted[position] = counted.get(position, 0) + 1
        pending.extend(child for child in ast.iter_child_nodes(node) if not _is_pattern(child))
    return counted


def _is_pattern(node: ast.AST) -> bool:
    """What stands in a ``case`` is compared, not evaluated like an expression."""
    return isinstance(node, ast.pattern)


def _is_wrappable(node: ast.AST) -> bool:
    """Whether the node is an expression whose value is taken."""
    if not isinstance(node, ast.expr) or isinstance(node, ast.Starred | ast.Slice):
        return False
    return isinstance(getattr(node, "ctx", None), ast.Load | None) and not isinstance(
        node, ast.FormattedValue
    )


def _position(node: ast.AST) -> _Position:
    assert isinstance(node, ast.expr)  # noqa: S101 - for the type checker
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


class _Wrapper(ast.NodeTransformer):
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
        if _is_pattern(node):
            return node
        dispatch = id(node) in self._dispatches
        cut = self._cuts.get(id(node))
        iteration, refining = self._iterations.get(id(node)), self._refining.get(id(node))
        self.generic_visit(node)
        if refining is not None and isinstance(node, ast.stmt):
            return [node, _ending(refining, node)]  # pyright: ignore[reportReturnType]
        if cut is not None and isinstance(node, ast.expr):
            return _call(cut.function, node, cut.number, *copy.deepcopy(cut.arguments))
        if dispatch and isinstance(node, ast.expr):
            return _call("deliver_tool", node, f"{self._filename}:{node.lineno}")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._enter(node)
        if not _is_wrappable(node):
            return node
        assert isinstance(node, ast.expr)  # noqa: S101 - for the type checker
        wrap = self._wraps.get(_position(node))
        if isinstance(node, ast.Call):
            self._note_arguments(node, wrap)
        return node if wrap is None else _delivered(node, wrap, iteration)

    def _note_arguments(self, node: ast.Call, wrap: Wrap | None) -> None:
        """Let what a call asks its model, and which tools it offers, be noted."""
        key = (node.lineno, node.end_lineno or 0, _name(node.func))
        own = [] if wrap is None or wrap.queries else [wrap.number]
        for number in self._origins.get(key) or own:
            _note_question(node, number)
        for number in self._offers.get(key[:2], ()):
            _note_offer(node, number, self._filename)

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


def _delivered(node: ast.expr, wrap: Wrap, iteration: Refinement | None) -> ast.Call:
    """The value of a site, delivered."""
    number = wrap.number
    if wrap.kind == "ranked list":
        return _call("deliver_ranked_list", node, number, *map(_names, wrap.queries))
    if wrap.kind == "arguments":
        holder = _holder_of(node)
        return _call("deliver_arguments", node, number, *([] if holder is None else [holder]))
    if wrap.kind == "model":
        return _call("deliver_model", node, number)
    if iteration is None:
        return _call("deliver_answer", node, number)
    earlier, compares = copy.deepcopy(iteration.earlier), ast.Constant(value=iteration.compares)
    return _call("deliver_iteration", node, number, earlier, compares)


def _call(function: str, node: ast.expr, identity: int | str, *arguments: ast.expr) -> ast.Call:
    """``node`` inside a call of a function of ``runtime.delivery``.

    Args:
        identity: the number of the site, or the location.
    """
    call = _helper(function, node, ast.Constant(value=identity), *arguments)
    ast.copy_location(call, node)
    for added in (call.func, *call.args[1:]):
        for part in ast.walk(added):
            if isinstance(part, ast.expr):
                ast.copy_location(part, node)
    if node.end_lineno != node.lineno:
        # The compiler puts a call of an attribute on the attribute's last line.
        call.func.end_lineno, call.func.end_col_offset = node.lineno, node.col_offset
    return call


def _helper(function: str, *arguments: ast.expr) -> ast.Call:
    module = ast.Name(id=DELIVER, ctx=ast.Load())
    named = ast.Attribute(value=module, attr=function, ctx=ast.Load())
    return ast.Call(func=named, args=list(arguments), keywords=[])


def _names(names: tuple[str, ...]) -> ast.expr:
    held: list[ast.expr] = [ast.Name(id=name, ctx=ast.Load()) for name in names]
    return ast.Tuple(elts=held, ctx=ast.Load())


def _ending(refining: Refinement, statement: ast.stmt) -> ast.stmt:
    """``if over: break`` behind a statement that refines an answer."""
    over = _helper("ends_iterations", ast.Constant(value=refining.number))
    body: list[ast.stmt] = [ast.Break()]
    if refining.series is not None:
        pop = ast.Attribute(value=copy.deepcopy(refining.series), attr="pop", ctx=ast.Load())
        body.insert(0, ast.Expr(ast.Call(func=pop, args=[], keywords=[])))
    ending = ast.If(test=over, body=body, orelse=[])
    for part in ast.walk(ending):
        if isinstance(part, ast.expr | ast.stmt):
            ast.copy_location(part, statement)
    return ending


_QUESTIONS = ("messages", "input", "prompt", "contents", "query", "question", "text")
"""Keyword arguments that tell a model or retriever what is asked, the likeliest first."""
_SYSTEMS = frozenset({"system", "instructions", "system_instruction", "system_prompt"})
"""Keyword arguments that tell a model what holds for all questions."""


def _note_question(call: ast.Call, number: int) -> None:
    """Let what a call asks, and its system prompt, be noted for a site."""
    for keyword in call.keywords:
        if keyword.arg in _SYSTEMS:
            keyword.value = _call("note_system", keyword.value, number)
    for name in _QUESTIONS:
        for keyword in call.keywords:
            if keyword.arg == name:
                keyword.value = _call("note_request", keyword.value, number)
                return
    if call.args and not isinstance(call.args[0], ast.Starred):
        call.args[0] = _call("note_request", call.args[0], number)


def _note_offer(call: ast.Call, number: int, file: str) -> None:
    """Let the tools be noted that a call offers its model: under their own keyword, or among
    keyword arguments that are spread."""
    told = [keyword for keyword in call.keywords if keyword.arg in TOOL_KEYWORDS]
    for keyword in told or [keyword for keyword in call.keywords if keyword.arg is None]:
        place = ast.Constant(value=f"{file}:{keyword.value.lineno}")
        keyword.value = _call("note_tools", keyword.value, number, place)


def _holder_of(node: ast.expr) -> ast.expr | None:
    """The object whose field is taken, where looking at it a second time does nothing."""
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return None
    part: ast.expr = node.value
    while isinstance(part, ast.Attribute | ast.Subscript):
        if isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Constant | ast.Name):
            return None
        part = part.value
    return copy.deepcopy(node.value) if isinstance(part, ast.Name) else None


def _name(node: ast.expr) -> str:
    """The last part of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _insert(body: list[ast.stmt], place: int, statement: ast.stmt) -> None:
    """Put a statement on the line of the one that stands at its place: a debugger or coverage
    sees no line of its own."""
    anchor = body[min(place, len(body) - 1)]
    for part in ast.walk(statement):
        if isinstance(part, ast.expr | ast.stmt | ast.alias):
            part.lineno, part.col_offset = anchor.lineno, anchor.col_offset
            part.end_lineno, part.end_col_offset = anchor.lineno, anchor.col_offset
    body.insert(place, statement)


def _add_prologue(tree: ast.Module, *, script: bool) -> None:
    """Make the module's code bring the helper along: it may run in any namespace (``runpy``)."""
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
    """The code of the module, with the wrapped expressions and entry calls in it.

    Args:
        wraps: each stands at most once in the tree (``unfound`` tells).
        prologue: whether the code imports the helper that it calls; functions that are put into
            a module that runs already have it put there.
        script: whether the module is run as a script.
        flags: the compiler's, for features that the source does not ask for itself.

    Raises:
        Cannot: an entry function is not found exactly once, or the tree does not compile.
    """
    entries = entries or {}
    changed = tree
    try:
        if wraps or entries:
            changed = copy.deepcopy(tree)
            wrapper = _Wrapper(wraps, entries, filename, changed)
            changed = cast("ast.Module", wrapper.visit(changed))
            if sorted(wrapper.entered) != sorted(entries.values()):
                raise Cannot("the entry function is not found exactly once in the source")
        if prologue:
            _add_prologue(changed, script=script)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said already when the application was imported
            return compile(changed, filename, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Cannot(f"its source does not compile: {error}") from error


def inherited_flags(running: CodeType) -> int:
    """What a function was compiled with that need not stand in its source: a notebook carries
    ``from __future__`` imports from cell to cell, ``exec`` from the code that calls it."""
    return running.co_flags & __future__.annotations.compiler_flag


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
