"""The analysis of source files: sites with their requirements, and the call graph."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from knitbone.adaptation.analysis.budget import Budget
from knitbone.adaptation.analysis.dispatches import Dispatches
from knitbone.adaptation.analysis.exclusive_branches import Branches, mark_alternatives
from knitbone.adaptation.analysis.flow import follow_outputs
from knitbone.adaptation.analysis.operation_trees import SiteDraft, export
from knitbone.adaptation.analysis.program import ADAPT_NAMES, Function, Program
from knitbone.adaptation.analysis.state import AnalysisState
from knitbone.adaptation.analysis.values import ProducingCall, Response
from knitbone.adaptation.reading import ALL_SCENARIOS, read_uses, separate_callers
from knitbone.adaptation.requirements import ParserSyntax, Requirement, ScenarioRequirement
from knitbone.adaptation.requirements.applied_regexes import applied_expressions
from knitbone.adaptation.requirements.records import ScenarioName
from knitbone.adaptation.requirements.sites import Site, SiteKind
from knitbone.adaptation.requirements.uses import Use

__all__ = ["Analysis", "EntryPoint", "analyse_files", "analyse_module"]

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
        if draft.queries is not None and not (draft.queries and draft.told):
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
