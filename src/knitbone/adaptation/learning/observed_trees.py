"""One tree of uses for each site, put together from the observations of all processes.

An operation that was not applied to every answer gets a condition (``conditions.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from knitbone.adaptation.learning.conditions import SOMETIMES, State, separating_condition
from knitbone.adaptation.learning.observations import NodePart, SitePart, argument_of
from knitbone.adaptation.learning.taint import Varying
from knitbone.adaptation.requirements.records import Evidence
from knitbone.adaptation.requirements.uses import Computed, Operation, Use

__all__ = ["ObservedSite", "SeenCount", "merge_parts"]

_Key = tuple[str, tuple[str, ...], tuple[tuple[str, str], ...], str, str, int, str]
"""Name, arguments, keywords, position, file, line and expression of an operation."""
_Path = tuple[_Key, ...]
"""The operations from the root to one."""


class SeenCount(msgspec.Struct, frozen=True, kw_only=True):
    """The number of answers that an operation was seen on."""

    answers: int
    """Answers that it was applied to."""
    of: int
    """Answers that it could have been applied to: those with a result of the operation before."""
    raised: int = 0
    """Answers at which it failed."""


class ObservedSite(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was seen of one site."""

    site: str
    answers: int
    source: Use
    """Uses that were not seen at every answer say in ``when`` in which state they were."""
    seen: dict[tuple[str, int, str], SeenCount]
    """By file, line and expression of the operation."""


class _Answer:
    """The operations that reached one answer, under which state."""

    def __init__(self, states: State) -> None:
        self.states = states
        self.hits: set[_Path] = set()
        self.live: set[_Path] = set()
        self.raised: set[_Path] = set()


class _Site:
    """One site, while its observations are put together."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.nodes: dict[_Path, NodePart] = {}
        self.answers: list[_Answer] = []

    def add(self, part: SitePart) -> None:
        """Add the observations of one process."""
        paths: dict[int, _Path] = {}
        for node in part.nodes:
            if node.parent < 0:
                paths[node.number] = ()
            elif node.parent in paths:
                path = (*paths[node.parent], _key(node))
                paths[node.number] = path
                self.nodes.setdefault(path, node)
        for one in part.answers:
            answer = _Answer({(place, name): value for place, name, value in one.states})
            answer.hits = {paths[number] for number in one.hits if number in paths}
            answer.live = {paths[number] for number in one.live if number in paths}
            answer.raised = {paths[number] for number in one.raised if number in paths}
            self.answers.append(answer)


def _key(node: NodePart) -> _Key:
    """Return what makes two operations of different processes the same."""
    return (
        node.name, node.arguments, node.keywords, node.position,
        node.file, node.line, node.expression,
    )  # fmt: skip


def merge_parts(parts: Iterable[SitePart]) -> dict[str, ObservedSite]:
    """Return what was seen of each site, by the site's identity."""
    sites: dict[str, _Site] = {}
    for part in parts:
        sites.setdefault(part.site, _Site(part.form)).add(part)
    return {identity: _observed(identity, site) for identity, site in sorted(sites.items())}


def _observed(identity: str, site: _Site) -> ObservedSite:
    """Return the tree and the counts of one site."""
    children: dict[_Path, list[_Path]] = {}
    for path in site.nodes:
        children.setdefault(path[:-1], []).append(path)
    seen: dict[tuple[str, int, str], SeenCount] = {}
    root = Use(
        operation=Operation("source", (site.form,)),
        uses=tuple(_use(p, site, children, seen, "") for p in _ordered(children.get((), []), site)),
        evidence=Evidence(file="", line=0, expression=""),
    )
    return ObservedSite(site=identity, answers=len(site.answers), source=root, seen=seen)


def _ordered(paths: Sequence[_Path], site: _Site) -> list[_Path]:
    """Return paths in the order of the source."""
    return sorted(paths, key=lambda path: (site.nodes[path].file, site.nodes[path].line, path))


def _use(
    path: _Path,
    site: _Site,
    children: dict[_Path, list[_Path]],
    seen: dict[tuple[str, int, str], SeenCount],
    above: str,
) -> Use:
    """Return the use of one operation; ``above`` is the nearest known condition above it."""
    node = site.nodes[path]
    applied = [answer for answer in site.answers if path in answer.hits]
    # Where the operation before left nothing (no match, an empty list), there was nothing to do.
    not_applied = [a for a in site.answers if path[:-1] in a.live and path not in a.hits]
    when = ""
    if not_applied:
        when = separating_condition([a.states for a in applied], [a.states for a in not_applied])
        if when == SOMETIMES and above:
            when = ""  # the nearest condition that is known counts
    raised = sum(path in answer.raised for answer in applied)
    place = (node.file, node.line, node.expression)
    earlier = seen.get(place)
    counted = SeenCount(answers=len(applied), of=len(applied) + len(not_applied), raised=raised)
    seen[place] = counted if earlier is None or earlier.answers < counted.answers else earlier
    below = _ordered(children.get(path, []), site)
    return Use(
        operation=Operation(
            node.name,
            tuple(_argument(written) for written in node.arguments),
            tuple((name, _argument(written)) for name, written in node.keywords),
            position=node.position,
        ),
        uses=tuple(_use(child, site, children, seen, when or above) for child in below),
        evidence=Evidence(file=node.file, line=node.line, expression=node.expression),
        when=when,
    )


def _argument(written: str) -> Any:
    """Return an argument as the readers of requirements see it."""
    value = argument_of(written)
    return Computed(value.expression) if isinstance(value, Varying) else value
