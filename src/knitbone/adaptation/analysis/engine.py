"""Source files -> sites with their requirements, and what leads from one function to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from knitbone.adaptation.analysis.flow import Draft, Flow
from knitbone.adaptation.analysis.program import ADAPT_NAMES, Function, Module, Program
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.sites import Site

__all__ = ["Analysis", "Entry", "Unread", "analyse_files", "analyse_module"]


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A call that produces an answer which no code was found to read."""

    file: str
    line: int
    origin: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A function that carries ``@knitbone.adapt``."""

    file: str
    line: int
    function: str
    sites: int
    """Sites with a requirement that it reaches."""


class Analysis(msgspec.Struct, frozen=True):
    """What the analysis found."""

    sites: tuple[Site, ...]
    """Sites whose answer is consumed, by file and position."""
    errors: tuple[tuple[str, str], ...]
    """Files that could not be read, with the reason."""
    edges: dict[str, tuple[str, ...]]
    """Function key -> keys of the functions that it leads to."""
    functions: dict[str, tuple[str, str, int]]
    """Function key -> file, qualified name, line of its first decorator or ``def``."""
    unread: tuple[Unread, ...] = ()
    entries: tuple[Entry, ...] = ()
    complete: bool = True
    """Whether the whole call graph was followed."""

    def reachable(self, entry: str) -> set[str]:
        """Keys of all functions that an entry function may lead to, itself included."""
        found, pending = {entry}, [entry]
        while pending:
            for callee in self.edges.get(pending.pop(), ()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return found


def analyse_files(paths: Iterable[Path]) -> Analysis:
    """Analyse files and whatever they import from the same package or folder."""
    program = Program()
    for path in paths:
        program.load(path)
    return _analyse(program)


def analyse_module(path: Path, source: str) -> Analysis:
    """Analyse one module whose source is at hand, with what it imports."""
    program = Program()
    program.load(path, source=source)
    return _analyse(program)


def _analyse(program: Program) -> Analysis:
    flow = Flow(program)
    flow.run()
    drafts = [d for d in flow.drafts.values() if d.place.function and d.requirements]
    sites = sorted(
        (_site(flow.functions[draft.place.function], draft) for draft in drafts),
        key=lambda site: (site.file, site.line, site.column),
    )
    read = {draft.origin for draft in drafts}
    unread = sorted(flow.origins - read, key=lambda origin: (origin.file, origin.line))
    return Analysis(
        sites=tuple(sites),
        errors=tuple((str(path), why) for path, why in sorted(program.errors.items())),
        edges={key: tuple(sorted(callees)) for key, callees in flow.edges.items()},
        functions={
            function.key: (str(function.module.path), function.qualname, _first_line(function))
            for function in program.functions()
        },
        unread=tuple(Unread(file=o.file, line=o.line, origin=o.text) for o in unread),
        entries=tuple(_entries(program, flow, sites)),
        complete=flow.complete,
    )


def _entries(program: Program, flow: Flow, sites: list[Site]) -> Iterator[Entry]:
    adaptable = [
        f"{site.file}::{site.function}"
        for site in sites
        if any(isinstance(requirement, PositionalTemplate) for requirement in site.requirements)
    ]
    for function in program.functions():
        if program.is_decorated(function, ADAPT_NAMES):
            reached = flow.reachable(function.key)
            yield Entry(
                file=str(function.module.path),
                line=_first_line(function),
                function=function.qualname,
                sites=sum(key in reached for key in adaptable),
            )


def _first_line(function: Function) -> int:
    if function.node is None:
        return 1
    return min([function.node.lineno, *(d.lineno for d in function.decorators)])


def _site(function: Function, draft: Draft) -> Site:
    module: Module = function.module
    where = draft.place
    return Site(
        file=str(module.path),
        line=where.line,
        column=where.column,
        end_line=where.end_line,
        end_column=where.end_column,
        function=function.qualname,
        expression=module.text_between(where.line, where.column, where.end_line, where.end_column),
        origin=draft.origin.text,
        origin_file=draft.origin.file,
        origin_line=draft.origin.line,
        origin_end_line=draft.origin.line,
        confidence=draft.confidence,
        requirements=tuple(draft.requirements),
    )
