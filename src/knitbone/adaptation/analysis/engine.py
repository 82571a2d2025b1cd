"""Source files -> sites with their requirements, and what leads from one function to another."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from knitbone.adaptation.analysis.flow import Flow
from knitbone.adaptation.analysis.program import Function, Module, Program
from knitbone.adaptation.sites import Site

__all__ = ["Analysis", "analyse_files", "analyse_module"]


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
    sites = sorted(
        (
            _site(flow.functions[place.function], flow, place)
            for place in flow.drafts
            if place.function
        ),
        key=lambda site: (site.file, site.line, site.column),
    )
    return Analysis(
        sites=tuple(site for site in sites if site.requirements),
        errors=tuple((str(path), why) for path, why in sorted(program.errors.items())),
        edges={key: tuple(sorted(callees)) for key, callees in flow.edges.items()},
        functions={
            function.key: (str(function.module.path), function.qualname, _first_line(function))
            for function in program.functions()
        },
        complete=flow.complete,
    )


def _first_line(function: Function) -> int:
    if function.node is None:
        return 1
    return min([function.node.lineno, *(d.lineno for d in function.decorators)])


def _site(function: Function, flow: Flow, place: object) -> Site:
    draft = flow.drafts[place]  # pyright: ignore[reportArgumentType] - a key of that dictionary
    module: Module = function.module
    where = draft.place
    lines = module.source.splitlines()
    written = lines[where.line - 1].strip() if where.line <= len(lines) else ""
    encoded = [line.encode() for line in module.source.split("\n")]
    if where.line == where.end_line and where.line <= len(encoded):
        written = encoded[where.line - 1][where.column : where.end_column].decode(
            "utf-8", "replace"
        )
    return Site(
        file=str(module.path),
        line=where.line,
        column=where.column,
        end_line=where.end_line,
        end_column=where.end_column,
        function=function.qualname,
        expression=" ".join(written.split()),
        origin=draft.origin,
        confidence=draft.confidence,
        requirements=tuple(draft.requirements),
    )
