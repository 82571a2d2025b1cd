"""Wraps: the expressions of a file that are put into a delivery call, one for each site."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from knitbone.adaptation.requirements.sites import Site

__all__ = ["Position", "Wrap", "wraps_of"]

Position: TypeAlias = tuple[int, int, int, int]
"""First line and column, last line and column, as in a syntax tree."""
_Kind: TypeAlias = Literal["answer", "arguments", "ranked list", "model", "chunk"]


class Wrap(NamedTuple):
    """An expression to wrap, by its position in the source (line 0: the site is in another
    file)."""

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
    """For arguments of a tool call: first and last line of each call in the file that may bring
    them, and so tells the model the tools."""
    queries: tuple[tuple[str, ...], ...] = ()
    """Names that may hold the text which a list is ranked by."""


def wraps_of(sites: Iterable[Site], file: str) -> tuple[Wrap, ...]:
    """Return what to wrap in a file, each expression once.

    These are its own sites, and calls that bring the arguments of tool calls to sites of other
    files.
    """
    found: dict[Position, Wrap] = {}
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
