"""The analysis of source files: sites with their requirements, and the call graph."""

from __future__ import annotations

import ast
import contextlib
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from knitbone._forks import lazy
from knitbone.adaptation.analysis.budget import Budget
from knitbone.adaptation.analysis.frames import Frame
from knitbone.adaptation.analysis.operation_trees import SiteDraft, export
from knitbone.adaptation.analysis.program import ADAPT_NAMES, Function, Program
from knitbone.adaptation.analysis.state import AnalysisState
from knitbone.adaptation.analysis.values import (
    Bindings,
    ComposedText,
    Constant,
    FixedItems,
    Keyed,
    ProducingCall,
    Response,
    Values,
)
from knitbone.adaptation.reading import ALL_SCENARIOS, read_uses, separate_callers
from knitbone.adaptation.requirements import Evidence, Requirement, ScenarioRequirement
from knitbone.adaptation.requirements.applied_regexes import applied_expressions, follows
from knitbone.adaptation.requirements.records import (
    FencedTemplate,
    ParserSyntax,
    PositionalTemplate,
    ScenarioName,
    StructuredTemplate,
)
from knitbone.adaptation.requirements.sites import Site, SiteKind
from knitbone.adaptation.requirements.uses import Use

__all__ = ["Analysis", "Branches", "EntryPoint", "analyse_files", "analyse_module", "uses_of"]


# Functions of which a table holds one under each key: of their requirements only one counts.
#
# READERS = {"json": read_json, "list": read_list} READERS[kind](answer)


class Dispatches:
    """The tables of one application that are looked up by a key that is not written out."""

    def __init__(self, state: AnalysisState) -> None:
        self._state = state
        self._reached: dict[str, set[str]] = {}

    def exclude(self, one: Evidence, other: Evidence) -> str:
        """Return the place of the look-up that lets only one of two pieces of code run; empty
        where both may."""
        if not self._state.dispatches or (one.file, one.line) == (other.file, other.line):
            return ""
        first, second = (self._function_at(each.file, each.line) for each in (one, other))
        if first == second:
            return ""
        for keys, where in self._state.dispatches.items():
            # From which entries of the table the one code is reached, from which the other.
            led = [
                {key for key in keys if function in self._functions_from(key)}
                for function in (first, second)
            ]
            if all(led) and led[0].isdisjoint(led[1]):
                return where
        return ""

    def _functions_from(self, key: str) -> set[str]:
        """Return the functions that an entry of a table may lead to: of a class, its methods."""
        if key not in self._reached:
            klass = self._state.program.class_of(key)
            starts = [key] if klass is None else [m.key for m in klass.methods.values()]
            self._reached[key] = {to for start in starts for to in self._state.reachable(start)}
        return self._reached[key]

    @lazy
    def _spans(self) -> dict[str, list[tuple[int, int, str]]]:
        """Return the first and last lines of the functions of each file."""
        found: dict[str, list[tuple[int, int, str]]] = {}
        for function in self._state.functions.values():
            node = function.node
            if node is not None:
                span = (node.lineno, node.end_lineno or node.lineno, function.key)
                found.setdefault(str(function.module.path), []).append(span)
        return found

    def _function_at(self, file: str, line: int) -> str:
        """Return the innermost function that a line stands in."""
        around = [span for span in self._spans.get(file, []) if span[0] <= line <= span[1]]
        return max(around, default=(0, 0, ""))[2]


# Follow outputs from where they are produced to the code that consumes them (Comfrey §4.2).
#
# An abstract interpretation of the application's functions: each is evaluated once for each kind of
# argument it receives, on the values of ``values.py``. An output *becomes available* at the
# expression that extracts it from a response, or at the call of a function that returns one; that
# expression is the site. Whatever the code does with it from there grows the site's tree of
# operations (``operation_trees.py``). Branches are joined; loops run twice; nothing is executed.

_MAX_FRAMES = 20_000
"""Evaluations of functions, beyond four for each, before the analysis stops following calls
(ours)."""
_MAX_DEPTH = 24
_MAX_BINDINGS = 60
"""Kinds of arguments for which one function is evaluated (ours)."""


def follow_outputs(program: Program, budget: Budget | None = None) -> AnalysisState:
    """Evaluate every function of a program; return what was found.

    Raises:
        OverBudget: ``budget`` is spent.
    """
    state = AnalysisState(program, budget)
    _Flow(state).run()
    return state


class _Flow:
    """The evaluations of an application's functions, each done once for its arguments."""

    def __init__(self, state: AnalysisState) -> None:
        self._state = state
        self._memo: dict[tuple[str, int, Bindings], Values] = {}
        self._kinds: dict[str, int] = {}
        self._stack: list[str] = []
        self._frames = 0
        self._known = 0

    def run(self) -> None:
        """Evaluate every function twice: what one stores on ``self`` another may read."""
        for _ in range(2):
            self._memo.clear()
            self._kinds.clear()
            self._frames = 0
            self._state.complete = True
            done: set[str] = set()
            # Names may lead to further modules, whose functions are then evaluated as well.
            while pending := [f for f in self._state.program.functions() if f.key not in done]:
                self._known = len(done) + len(pending)
                for function in pending:
                    done.add(function.key)
                    self.call(function, ())
            for key in list(self._state.graph_nodes):
                self._run_graph_node(self._state.functions[key])

    def _run_graph_node(self, function: Function) -> None:
        """Evaluate a function that is a node of a LangGraph graph, on the graph's state."""
        skip = 1 if function.owner is not None else 0
        names = [parameter.arg for parameter in function.parameters][skip:]
        state = Keyed(tuple(sorted(self._state.graph_state.items())))
        if names:
            result = self.call(function, ((names[0], (state,)),))
            self._state.add_graph_state(result)

    def call(self, function: Function, bindings: Bindings, closure: int = -1) -> Values:
        """Return what the function returns for these arguments."""
        self._state.functions[function.key] = function
        key = (function.key, closure, bindings)
        if key in self._memo:
            return self._memo[key]
        if self._stack.count(function.key) > 1 or len(self._stack) > _MAX_DEPTH:
            return ()
        self._frames += 1
        kinds = self._kinds[function.key] = self._kinds.get(function.key, 0) + 1
        if kinds > _MAX_BINDINGS:
            fewer = tuple((n, held) for n, values in bindings if (held := _essential(values)))
            if fewer != bindings:
                return self.call(function, fewer, closure)
        if kinds > 4 * _MAX_BINDINGS or self._frames > _MAX_FRAMES + 4 * self._known:
            self._state.complete = False
            return ()
        self._memo[key] = ()
        self._stack.append(function.key)
        try:
            frame = Frame(self._state, self.call, function, bindings, closure)
            frame.block(function.body)
        finally:
            self._stack.pop()
        result = frame.result()
        self._memo[key] = result
        return result


def _essential(values: Values) -> Values:
    """Keep what a function must be told even where it is called in very many ways."""
    return tuple(
        v for v in values if not isinstance(v, Constant | ComposedText | Keyed | FixedItems)
    )


# Branches of which only one runs, and the alternative requirements that they make.
#
# Requirements that exclude each other are *alternatives*: a text that fits one of them is right.
# Those of one *branch* are demanded together. Of
#
# if "Final Answer:" in text: # line 1 return text.split("Final Answer:")[1] action =
# re.search(r"Action: (.*)", text) # line 3 tool_input = re.search(r"Input: (.*)", text) # line 4
#
# the readings of lines 1, 3 and 4 are alternatives of one mark (the ``if`` of line 1), and those of
# lines 3 and 4 are one branch: nothing parts them. Comfrey §4.3.1 examines, of several templates,
# only the nearest.

_MARKED = (PositionalTemplate, StructuredTemplate, FencedTemplate, ParserSyntax)
"""The requirements that can be alternatives."""
_MAX_REQUIREMENTS = 40
"""Of one site; more are not compared, pair by pair (ours)."""
_LEAVING_STATEMENTS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
"""Statements behind which nothing of their block runs."""
_QUESTION_METHODS = frozenset({"search", "match", "fullmatch", "findall", "startswith", "endswith"})
"""Methods that tell by their result whether a text fits."""


class _KeptMatch(NamedTuple):
    """A question to the text whose answer is kept under a name: ``final = re.search(...)``."""

    name: str
    lines: frozenset[int]
    """Where the name is asked and read, up to its next value."""


class Branches:
    """The ``if`` statements of one module, to tell which two lines exclude each other."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree

    @lazy
    def _ifs(self) -> list[ast.If]:
        """Return all ``if`` statements."""
        return [node for node in ast.walk(self._tree) if isinstance(node, ast.If)]

    @lazy
    def _behind(self) -> dict[int, list[ast.stmt]]:
        """Return the statements behind each ``if`` in its block, by the ``id`` of the ``if``."""
        return {
            id(statement): block[index + 1 :]
            for block in _blocks(self._tree)
            for index, statement in enumerate(block)
            if isinstance(statement, ast.If)
        }

    @lazy
    def _questions(self) -> dict[int, _KeptMatch]:
        """Return, by line, the questions such as ``final = re.search(...)``, which decide nothing
        before ``if final:``."""
        return {
            line: match
            for scope in ast.walk(self._tree)
            if isinstance(scope, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef)
            for line, match in _questions_in(scope)
        }

    def exclude(self, first: int, second: int) -> int | None:
        """Return the line of the ``if`` that lets only one of two lines run; ``None`` where both
        may."""
        first, second = sorted((first, second))
        for node in self._ifs:
            if self._lets_one(node, first, second) or self._lets_one(node, second, first):
                return node.lineno
        return None

    def _lets_one(self, node: ast.If, one: int, other: int) -> bool:
        """Return whether one line decides for the branch of an ``if``, or stands in it, and the
        other one does not run then.

        Three ways to decide for it: the line is the question (``if mark in text:``), it stands in
        the branch, or its answer was kept under the name that the ``if`` asks (``if final:``).
        The other line then has to stand in ``else``, or, where the branch leaves the block, behind
        the ``if``.
        """
        question = self._questions.get(one)
        lines = question.lines if question is not None else frozenset((one,))
        other_question = self._questions.get(other)
        other_lines = other_question.lines if other_question is not None else frozenset((other,))
        runs_where_true = (
            None if question is None else _runs_where_name_holds(node.test, question.name, lines)
        )
        # ``if not match: ...`` runs where the question found nothing: then the other line is read.
        if runs_where_true is False and not isinstance(node.body[-1], ast.Raise):
            return _all_within(node.body, other_lines)
        if not (
            runs_where_true
            or _all_within(node.body, lines)
            or (question is None and _asks(node, one))
        ):
            return False
        if any(_within(node.body, line) for line in other_lines):
            return False
        elsewhere = [*node.orelse]
        if _never_continues(node.body):
            elsewhere += self._behind.get(id(node), [])
        return _all_within(elsewhere, other_lines)


def _questions_in(scope: ast.AST) -> Iterator[tuple[int, _KeptMatch]]:
    """Find the questions to a text in one scope, each with the lines that read its answer."""
    names: dict[str, list[ast.Name]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Name):
            names.setdefault(node.id, []).append(node)
    for node in ast.walk(scope):
        if not (isinstance(node, ast.Assign) and _is_question(node.value)):
            continue
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Name):
            continue
        last = node.end_lineno or node.lineno
        others = names[target.id]
        stores = [n.lineno for n in others if isinstance(n.ctx, ast.Store) and n.lineno > last]
        end = min(stores, default=sys.maxsize)
        reads = frozenset(n.lineno for n in others if last < n.lineno <= end)
        if reads:
            for line in range(node.lineno, last + 1):
                yield line, _KeptMatch(target.id, reads)


def _is_question(node: ast.expr) -> bool:
    """Return whether a text that does not fit gives nothing, and no error."""
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1 and isinstance(node.ops[0], ast.In)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _QUESTION_METHODS
    )


def _runs_where_name_holds(test: ast.expr, name: str, lines: frozenset[int]) -> bool | None:
    """Return whether a test lets its branch run where the name holds something (``True``), or where
    it does not (``False``); ``None`` where it does not ask."""
    if isinstance(test, ast.Name):
        return True if test.id == name and test.lineno in lines else None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _runs_where_name_holds(test.operand, name, lines)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant):
        asked = _runs_where_name_holds(test.left, name, lines)
        if asked is None or test.comparators[0].value is not None or len(test.ops) > 1:
            return None
        return isinstance(test.ops[0], ast.IsNot | ast.NotEq)
    if isinstance(test, ast.BoolOp):
        asked_in = (_runs_where_name_holds(value, name, lines) for value in test.values)
        return next((each for each in asked_in if each is not None), None)
    return None


def _asks(node: ast.If, line: int) -> bool:
    """Return whether the line is the question itself, and yes leads into the branch: ``if mark in
    text``, not ``if mark not in text: raise``."""
    negative = (ast.Not, ast.NotIn, ast.NotEq, ast.IsNot)
    if any(isinstance(part, negative) for part in ast.walk(node.test)):
        return False
    return node.test.lineno <= line <= (node.test.end_lineno or 0)


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Find all blocks of statements."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _within(block: Sequence[ast.stmt], line: int) -> bool:
    """Return whether a line stands in a block."""
    return any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in block)


def _all_within(block: Sequence[ast.stmt], lines: frozenset[int]) -> bool:
    """Return whether all lines stand in a block."""
    return all(_within(block, line) for line in lines)


def _never_continues(block: Sequence[ast.stmt]) -> bool:
    """Return whether nothing behind the block runs after it."""
    last = block[-1]
    if isinstance(last, ast.If) and last.orelse:
        return _never_continues(last.body) and _never_continues(last.orelse)
    return isinstance(last, _LEAVING_STATEMENTS)


def mark_alternatives(
    requirements: Sequence[Requirement],
    branches: Callable[[str], Branches | None],
    dispatched: Callable[[Evidence, Evidence], str] | None = None,
) -> tuple[Requirement, ...]:
    """Return the requirements with a common mark for those that exclude each other.

    Args:
        branches: the statements of a file, where they are known.
        dispatched: the place of a look-up that lets only one of two pieces of code run.
    """
    marked = list(requirements)
    read = [index for index, one in enumerate(marked) if isinstance(one, _MARKED)]
    apart: set[tuple[int, int]] = set()
    for pair in itertools.combinations(read[:_MAX_REQUIREMENTS], 2):
        marks = [getattr(marked[each], "alternative", "") for each in pair]
        one, other = (requirements[each] for each in pair)
        mark = _mark_of_pair(one, other, branches)
        if not mark and dispatched is not None:
            mark = dispatched(one.evidence, other.evidence)
        own = [getattr(requirements[each], "alternative", "") for each in pair]
        if mark or (own[0] and own[0] == own[1] and not _one_follows(*pair, requirements)):
            apart.add(pair)
        # What is tried in turn is marked already: to that a branch is one alternative more.
        if mark and not all(marks):
            known = marks[0] or marks[1] or mark
            for each in pair:
                marked[each] = _changed(marked[each], alternative=known)
    return tuple(_with_branches(marked, apart))


def _with_branches(marked: list[Requirement], apart: set[tuple[int, int]]) -> Iterator[Requirement]:
    """Yield the requirements, alternatives of one branch with its name: they are demanded together.

    Args:
        apart: pairs of indices that exclude each other, the lower one first.
    """
    alternatives: dict[str, list[int]] = {}
    for index, requirement in enumerate(marked):
        if mark := getattr(requirement, "alternative", ""):
            alternatives.setdefault(mark, []).append(index)
    branch: dict[int, int] = {}
    """Index of a requirement -> index of the first one of its branch."""
    for indices in alternatives.values():
        for index in indices:
            # It joins the branch of the one whose part it reads, or else of one that some other
            # requirement excludes as well, though the two do not exclude each other.
            excluded = any(index in pair for pair in apart)
            beside = (
                other
                for other in indices
                if excluded and other in branch and (other, index) not in apart
            )
            before = (each for each in indices if follows(marked[index], marked[each]))
            joined = next(before, next(beside, -1))
            branch[index] = branch.get(joined, index)
        # A pair that excludes each other in one branch: they are not branches of one question.
        if any(branch[one] == branch[other] for one, other in apart if {one, other} <= {*indices}):
            branch.update((index, index) for index in indices)
    shared = Counter(branch.values())
    for index, requirement in enumerate(marked):
        first = branch.get(index, index)
        if shared[first] > 1:
            yield _changed(requirement, branch=str(marked[first].evidence.line))
        else:
            yield requirement


def _one_follows(one: int, other: int, requirements: Sequence[Requirement]) -> bool:
    """Return whether one requirement reads what the other takes out of the text."""
    first, second = requirements[one], requirements[other]
    return follows(first, second) or follows(second, first)


def _mark_of_pair(
    one: Requirement, other: Requirement, branches: Callable[[str], Branches | None]
) -> str:
    """Return the mark of two requirements that exclude each other; empty for others."""
    first, second = one.evidence, other.evidence
    if first.file != second.file:
        return ""
    known = branches(first.file)
    line = None if known is None else known.exclude(first.line, second.line)
    return "" if line is None else f"{first.file}:{line}"


def _changed(requirement: Requirement, **changed: str) -> Requirement:
    """Return the requirement with some fields changed."""
    assert isinstance(requirement, _MARKED)  # noqa: S101 - for the type checker
    return msgspec.structs.replace(requirement, **changed)


_RECURSION = 6_000
"""Python frames that the analysis may be deep (ours)."""


class EntryPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A function that carries ``@knitbone.adapt``."""

    file: str
    line: int
    function: str
    sites: int
    """Sites with a requirement that it reaches."""


class Analysis(msgspec.Struct, frozen=True):
    """The findings of an analysis."""

    sites: tuple[Site, ...]
    """Every place where an output becomes available, by file and position; those that no code
    reads have no requirement from code."""
    errors: tuple[tuple[str, str], ...]
    """Files that could not be read, with the reason."""
    edges: dict[str, tuple[str, ...]]
    """Function key -> keys of the functions that it leads to."""
    functions: dict[str, tuple[str, str, int]]
    """Function key -> file, qualified name, line of its first decorator or ``def``."""
    entries: tuple[EntryPoint, ...] = ()
    complete: bool = True
    """True if the whole call graph was followed."""

    def reachable(self, entry: str) -> set[str]:
        """Return the keys of all functions that an entry function may lead to, itself included."""
        found, pending = {entry}, [entry]
        while pending:
            for callee in self.edges.get(pending.pop(), ()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return found


def analyse_files(
    paths: Iterable[Path],
    *,
    scenario: frozenset[ScenarioName] = ALL_SCENARIOS,
    budget: Budget | None = None,
) -> Analysis:
    """Analyse files and whatever they import from the same package or folder.

    Args:
        scenario: the scenario requirements to report, all of them by default.
        budget: what it may cost; by default anything.

    Raises:
        OverBudget: it is not done within the budget.
    """
    with _deep_recursion():
        program = Program()
        for path in paths:
            program.load(path)
        return _analyse(program, scenario, budget)


def analyse_module(
    path: Path,
    source: str,
    *,
    scenario: frozenset[ScenarioName] = ALL_SCENARIOS,
    budget: Budget | None = None,
    beside: Mapping[str, str] | None = None,
) -> Analysis:
    """Analyse one module whose source is at hand, with what it imports.

    Args:
        beside: the texts of other cells of the same notebook, by name, the last one first.

    Raises:
        OverBudget: it is not done within the budget.
    """
    with _deep_recursion():
        program = Program()
        module = program.load(path, source=source)
        if module is not None and beside:
            program.load_beside(module, beside)
        return _analyse(program, scenario, budget)


@contextlib.contextmanager
def _deep_recursion() -> Generator[None]:
    """Allow expressions as deep as the parser accepts them."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def uses_of(paths: Iterable[Path]) -> list[tuple[str, tuple[Use, ...]]]:
    """Return the trees of operations that requirements are read from, for development and tests."""
    program = Program()
    for path in paths:
        program.load(path)
    state = follow_outputs(program)
    return [
        (f"{draft.origins[0].file}:{draft.place.line}", export(draft))
        for draft in state.forest.drafts.values()
    ]


def _analyse(
    program: Program, scenario: frozenset[ScenarioName], budget: Budget | None
) -> Analysis:
    """Follow the outputs of a program and read the requirements of their sites."""
    state = follow_outputs(program, budget)
    sites = sorted(_with_alternatives(_merged_sites(_sites(state, scenario)), state), key=_position)
    return Analysis(
        sites=tuple(sites),
        errors=tuple((str(path), why) for path, why in sorted(program.errors.items())),
        edges={key: tuple(sorted(callees)) for key, callees in state.edges.items()},
        functions={
            function.key: (str(function.module.path), function.qualname, _first_line(function))
            for function in program.functions()
        },
        entries=tuple(_entries(program, state, sites)),
        complete=state.complete,
    )


def _sites(state: AnalysisState, scenario: frozenset[ScenarioName]) -> Iterator[Site]:
    """Find the drafts that code reads; for an output that no code reads, the innermost one.

    Where some callers of a function read its output and others do not, those others are sites of
    their own: what one demands is none of the others' business.
    """
    read: set[tuple[ProducingCall, SiteKind]] = set()
    spare: dict[tuple[ProducingCall, SiteKind], SiteDraft] = {}
    for draft in state.forest.drafts.values():
        if draft.queries is not None and not (draft.queries and draft.sent):
            continue  # a list that is sorted for people, or by what only its callers know
        if draft.is_read or draft.kind in ("splitter", "retriever", "source"):
            read.update((origin, draft.kind) for origin in draft.origins)
            yield _site(state, draft, scenario)
        elif draft.inner and draft.is_free and not any(inner.is_free for inner in draft.inner):
            yield _site(state, draft, scenario)
        else:
            for origin in draft.origins:
                spare.setdefault((origin, draft.kind), draft)
    for key, brought in state.produced.items():
        if key in read:
            continue
        draft = spare.get(key)
        yield _site(state, draft or _unread_draft(brought.response), scenario)


def _position(site: Site) -> tuple[str, int, int, int, int]:
    """Return the position of a site, to sort by."""
    return site.file, site.line, site.column, site.end_line, site.end_column


def _merged_sites(sites: Iterable[Site]) -> Iterable[Site]:
    """Return one site for each expression, whatever configured what arrives there."""
    found: dict[tuple[object, ...], Site] = {}
    for site in sites:
        key = (*_position(site), site.kind)
        known = found.get(key)
        if known is None:
            found[key] = site
            continue
        requirements = dict.fromkeys((*known.requirements, *site.requirements))
        expressions = dict.fromkeys((*known.expressions, *site.expressions))
        first = (known.origin_file, known.origin_line, known.origin_end_line)
        calls = {(site.origin_file, site.origin_line, site.origin_end_line): None}
        calls |= dict.fromkeys((*known.other_origins, *site.other_origins))
        found[key] = msgspec.structs.replace(
            known,
            requirements=tuple(requirements),
            expressions=tuple(expressions),
            other_origins=tuple(call for call in calls if call != first),
        )
    return found.values()


def _with_alternatives(sites: Iterable[Site], state: AnalysisState) -> Iterator[Site]:
    """Yield the sites with those requirements marked of which only one branch is taken."""
    modules = state.program.modules.values()
    known = {str(module.path): Branches(module.tree) for module in modules}
    dispatches = Dispatches(state)
    for site in sites:
        marked = mark_alternatives(site.requirements, known.get, dispatches.exclude)
        yield msgspec.structs.replace(site, requirements=marked)


def _unread_draft(response: Response) -> SiteDraft:
    """Return a draft for a response out of which nothing is taken."""
    produced = response.produced
    draft = SiteDraft(response.place, produced.kind, produced.provider, produced.form)
    draft.confidence = produced.confidence
    draft.streamed = produced.streamed
    draft.origins.append(response.origin)
    return draft


def _site(state: AnalysisState, draft: SiteDraft, scenario: frozenset[ScenarioName]) -> Site:
    """Return the site of a draft, with the requirements of its trees."""
    state.budget.check()
    function = state.functions[draft.place.function]
    module = function.module
    where = draft.place
    origin = draft.origins[0]
    found: dict[Requirement, None] = {}
    trees = export(draft)
    applied = (e for tree in trees for e in applied_expressions(tree, state.shapes.patterns_of))
    for tree in separate_callers(trees):
        read = read_uses(tree, confidence=draft.confidence, kind=draft.kind, scenario=scenario)
        found.update(dict.fromkeys(read))
    brought = state.produced.get((origin, draft.kind))
    prompts = tuple(draft.prompts) or (brought.prompts if brought else ())
    return Site(
        file=str(module.path),
        line=where.line,
        column=where.column,
        end_line=where.end_line,
        end_column=where.end_column,
        function=function.qualname,
        expression=module.text_between(where.line, where.column, where.end_line, where.end_column),
        origin=origin.text,
        origin_file=origin.file,
        origin_line=origin.line,
        origin_end_line=origin.end_line,
        other_origins=tuple((o.file, o.line, o.end_line) for o in draft.origins[1:]),
        kind=draft.kind,
        provider=draft.provider,
        form=draft.form,
        streamed=draft.streamed,
        chained=draft.chained,
        confidence=draft.confidence,
        requirements=tuple(_without_repeated_attempts(found)),
        prompts=prompts,
        expressions=tuple(dict.fromkeys(applied)),
        queries=tuple(draft.queries or ()),
    )


def _without_repeated_attempts(requirements: Iterable[Requirement]) -> Iterator[Requirement]:
    """Skip parsers that only try again what was tried before (after a reconnect, say)."""
    seen: set[tuple[str, str, str]] = set()
    for requirement in requirements:
        if isinstance(requirement, ParserSyntax) and requirement.alternative:
            key = (requirement.alternative, requirement.language, requirement.dialect)
            if key in seen:
                continue
            seen.add(key)
        yield requirement


def _entries(program: Program, state: AnalysisState, sites: list[Site]) -> Iterator[EntryPoint]:
    """Find the functions that carry ``@knitbone.adapt``."""
    demanding = [
        f"{site.file}::{site.function}"
        for site in sites
        if any(not isinstance(r, ScenarioRequirement) for r in site.requirements)
    ]
    for function in program.functions():
        if program.is_decorated(function, ADAPT_NAMES):
            reached = state.reachable(function.key)
            yield EntryPoint(
                file=str(function.module.path),
                line=_first_line(function),
                function=function.qualname,
                sites=sum(key in reached for key in demanding),
            )


def _first_line(function: Function) -> int:
    """Return the line of a function's first decorator, or of its ``def``."""
    if function.node is None:
        return 1
    return min([function.node.lineno, *(d.lineno for d in function.decorators)])
