r"""Chunk specifications of text splitters and context rules of retrievers (Comfrey §4.3.2, §4.3.3).

Read from the settings of the splitter or retriever, and for a retriever also from how the code
joins the retrieved entries: ``"\n\n".join(d.page_content for d in docs[:3])`` gives ``k = 3``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from knitbone.adaptation.reading.text_consumers import items_of, lowest_confidence
from knitbone.adaptation.requirements.records import ChunkSpec, Confidence, ContextRule, Evidence
from knitbone.adaptation.requirements.uses import Operation, Use

__all__ = ["chunk_of", "contexts_of"]

_OWN_LOOP = "slice"
"""The analysis' name for a loop that cuts a text; without a known size it says nothing."""
_BEFORE_JOIN = frozenset(
    {"iterate", "getattr", "getitem", "unpack", "slice", "list", "enumerate", "sorted", "reversed"}
    | {"str", "format", "concat", "listed", ".strip", ".get", "tuple", "set", "map", ".replace"}
    | {"next", "filter", "zip", "await", ".get_content", ".get_text", ".removeprefix"}
)
"""Operations that may stand between the entries and the text that they are joined to."""
_CONTENT_FIELDS = frozenset(
    {"page_content", "content", "contents", "text", "texts", "document", "documents", "body"}
    | {"chunk", "passage", "passages", "snippet", "snippets", "long_text", "node_content"}
)
"""Names that the libraries give to the text of an entry."""
_CONTENT_METHODS = frozenset({".get_content", ".get_text"})
_SCORE_FIELDS = frozenset({"score", "similarity", "relevance", "certainty"})
"""Names of measures of which more is better; a distance is none."""
_AT_LEAST = frozenset({"ge", "gt"})
_BELOW = frozenset({"le", "lt"})


class _WayToJoin(NamedTuple):
    """The operations between the retriever and a join, as far as they matter for the rule."""

    looped: bool = False
    """True if it leads through a loop over the entries."""
    named: bool = False
    """True if a part of an entry is read by its name."""
    content: bool = False
    """True if that part is the entry's text."""
    inner: int = 0
    """Loops over the parts of one entry's text."""
    k: int | None = None
    threshold: float | None = None


class _Join(NamedTuple):
    """A join of entries, and the operations that lead to it."""

    use: Use
    way: _WayToJoin

    @property
    def place(self) -> tuple[str, int, str]:
        evidence = self.use.evidence
        return evidence.file, evidence.line, evidence.expression


def chunk_of(
    operation: Operation, evidence: Evidence, use: Use, confidence: Confidence
) -> ChunkSpec | None:
    """Return the chunk specification that settings give; ``None`` where they give none."""
    size = _whole_number(operation.setting("size"))
    overlap = _whole_number(operation.setting("overlap"))
    given = operation.setting("separators")
    separators = tuple(value for value in items_of(given) if isinstance(value, str))
    length = operation.setting("length")
    splitter = operation.setting("splitter")
    library = isinstance(splitter, str) and splitter != _OWN_LOOP
    if size is None and overlap is None and not separators and not library:
        return None
    return ChunkSpec(
        size=size,
        overlap=overlap,
        length=length if isinstance(length, str) and length else "characters",
        separators=separators,
        splitter=splitter if isinstance(splitter, str) else operation.name,
        keeps_blanks=operation.setting("keeps_blanks") is True,
        on_violation=use.on_violation,
        evidence=evidence,
        confidence=confidence,
        when=use.when,
    )


def contexts_of(node: Use, confidence: Confidence) -> list[ContextRule]:
    """Return one rule for each way in which the entries are joined, or one for the settings that
    the code gives; none where it leaves all to run time.

    A rule's evidence is the join. Where there is only one, it is the code that makes the settings.
    """
    operation = node.operation
    k = _whole_number(operation.setting("k"))
    threshold = _number(operation.setting("threshold"))
    defaults = operation.setting("defaults")
    by_default = k is None or (isinstance(defaults, tuple) and "k" in defaults)
    retriever = operation.setting("retriever")
    told = not by_default or threshold is not None
    joins = _distinct(_joins(node, _WayToJoin()))
    if not joins and not told:
        return []

    def rule(join: _Join | None) -> ContextRule:
        way = join.way if join is not None else _WayToJoin()
        place = node if join is None or (told and len(joins) == 1) else join.use
        return ContextRule(
            k=_least(k, way.k),
            threshold=threshold if way.threshold is None else way.threshold,
            joiner=join.use.operation.arguments[0] if join is not None else None,
            retriever=retriever if isinstance(retriever, str) else operation.name,
            on_violation=node.on_violation,
            evidence=place.evidence,
            # Where no join is seen, nothing shows that the entries are put together at all.
            confidence=confidence if join is not None else lowest_confidence("medium", confidence),
            when=node.when,
        )

    return [rule(join) for join in joins] or [rule(None)]


def _distinct(joins: Iterable[_Join]) -> list[_Join]:
    """Return one join for each place in the code, without those that join parts of one entry."""
    found: dict[tuple[str, int, str], _Join] = {}
    parts: set[tuple[str, int, str]] = set()
    for join in joins:
        if join.way.inner:
            parts.add(join.place)
        elif join.way.content or not join.way.named:
            found.setdefault(join.place, join)
    return [join for place, join in found.items() if place not in parts]


def _joins(node: Use, way: _WayToJoin) -> Iterator[_Join]:
    """Find the first joins below a node. What is joined again is the application's own text."""
    for use in node.uses:
        if use.branch != "core":
            continue
        name, arguments = use.operation.name, use.operation.arguments
        if name == "join":
            if arguments and isinstance(arguments[0], str):
                yield _Join(use, way)
            if way.inner:
                yield from _joins(use, way._replace(inner=way.inner - 1))
        elif name in _BEFORE_JOIN:
            yield from _joins(use, _extended(use, way))


def _extended(use: Use, way: _WayToJoin) -> _WayToJoin:
    """Return the way with one more operation on it."""
    name, arguments = use.operation.name, use.operation.arguments
    first = arguments[0] if arguments else None
    if name in _CONTENT_METHODS or (isinstance(first, str) and first in _CONTENT_FIELDS):
        return way._replace(named=True, content=True)
    if name in ("getattr", "getitem", ".get") and isinstance(first, str):
        return way._replace(named=True)
    if name == "slice" and not way.named:
        stop = _whole_number(arguments[1]) if len(arguments) > 1 and not first else None
        return way._replace(k=_least(way.k, stop if stop is not None and stop > 0 else None))
    if name == "iterate":
        if way.content and way.looped:
            return way._replace(inner=way.inner + 1)
        found = _threshold(use)
        return way._replace(looped=True, threshold=way.threshold if found is None else found)
    return way


def _threshold(entry: Use) -> float | None:
    """Return the constant that the entries' scores are compared with; ``None`` where there are
    several."""
    found = set(_bounds(entry, entry, 0))
    return found.pop() if len(found) == 1 else None


def _bounds(node: Use, entry: Use, depth: int) -> Iterator[float]:
    """Find the constants that scores of one entry are compared with."""
    if depth > 4:
        return
    for use in node.uses:
        name, arguments = use.operation.name, use.operation.arguments
        first = arguments[0] if arguments else None
        if name in ("getattr", "getitem", ".get") and isinstance(first, str):
            if first == "metadata":
                yield from _bounds(use, entry, depth + 1)
            elif _SCORE_FIELDS.intersection(first.lower().split("_")):
                yield from _compared(use, _AT_LEAST | _BELOW)
        elif name == "unpack" and node is entry and arguments == (1, 2):
            # ``(document, score)``, which may be a distance as well: then less is better.
            yield from _compared(use, _AT_LEAST)


def _compared(score: Use, names: frozenset[str]) -> Iterator[float]:
    """Find the constants in comparisons of a score by one of these operations."""
    for use in score.uses:
        if use.operation.name in names and use.operation.arguments:
            bound = _number(use.operation.arguments[0])
            if bound is not None:
                yield bound
        elif use.operation.name == "float":
            yield from _compared(use, names)


def _whole_number(value: object) -> int | None:
    """Return the value if it is a whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    """Return the value as a number if it is one; a truth value is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _least(one: int | None, other: int | None) -> int | None:
    """Return the smaller of two numbers, of which each may be missing."""
    given = [value for value in (one, other) if value is not None]
    return min(given, default=None)
