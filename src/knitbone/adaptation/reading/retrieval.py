"""Settings of a retriever, and how its entries are joined -> context rules (Comfrey §4.3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from knitbone.adaptation.reading.text_consumers import least
from knitbone.adaptation.requirements.records import Confidence, ContextRule
from knitbone.adaptation.requirements.uses import Use

__all__ = ["contexts_of"]

_TO_JOIN = frozenset(
    {"iterate", "getattr", "getitem", "unpack", "slice", "list", "enumerate", "sorted", "reversed"}
    | {"str", "format", "concat", "listed", ".strip", ".get", "tuple", "set", "map", ".replace"}
    | {"next", "filter", "zip", "await", ".get_content", ".get_text", ".removeprefix"}
)
"""What may stand between the entries and the text that they are joined to."""
_CONTENTS = frozenset(
    {"page_content", "content", "contents", "text", "texts", "document", "documents", "body"}
    | {"chunk", "passage", "passages", "snippet", "snippets", "long_text", "node_content"}
)
"""What the libraries call the text of an entry."""
_CONTENT_METHODS = frozenset({".get_content", ".get_text"})
_SCORES = frozenset({"score", "similarity", "relevance", "certainty"})
"""What the libraries call a measure of which more is better; a distance is none."""
_AT_LEAST = frozenset({"ge", "gt"})
_BELOW = frozenset({"le", "lt"})


class _Way(NamedTuple):
    """From the retriever to a join."""

    looped: bool = False
    """Whether it leads through a loop over the entries."""
    named: bool = False
    """Whether a part of an entry is read by its name."""
    content: bool = False
    """Whether that part is the entry's text."""
    inner: int = 0
    """Loops over the parts of one entry's text."""
    k: int | None = None
    threshold: float | None = None


class _Join(NamedTuple):
    use: Use
    way: _Way

    @property
    def place(self) -> tuple[str, int, str]:
        evidence = self.use.evidence
        return evidence.file, evidence.line, evidence.expression


def contexts_of(node: Use, confidence: Confidence) -> list[ContextRule]:
    """One rule for each way in which the entries are joined, or one for the settings that the
    code gives; none where it leaves all to run time.

    A rule's evidence is the join. Where there is only one, it is the code that makes the settings.
    """
    operation = node.operation
    k = _whole(operation.setting("k"))
    threshold = _number(operation.setting("threshold"))
    defaults = operation.setting("defaults")
    by_default = k is None or (isinstance(defaults, tuple) and "k" in defaults)
    retriever = operation.setting("retriever")
    told = not by_default or threshold is not None
    joins = _distinct(_joins(node, _Way()))
    if not joins and not told:
        return []

    def rule(join: _Join | None) -> ContextRule:
        way = join.way if join is not None else _Way()
        place = node if join is None or (told and len(joins) == 1) else join.use
        return ContextRule(
            k=_least(k, way.k),
            threshold=threshold if way.threshold is None else way.threshold,
            joiner=join.use.operation.arguments[0] if join is not None else None,
            retriever=retriever if isinstance(retriever, str) else operation.name,
            on_violation=node.on_violation,
            evidence=place.evidence,
            # Where no join is seen, nothing shows that the entries are put together at all.
            confidence=confidence if join is not None else least("medium", confidence),
            when=node.when,
        )

    return [rule(join) for join in joins] or [rule(None)]


def _distinct(joins: Iterable[_Join]) -> list[_Join]:
    """One for each place, and none for a place that joins the parts of one entry."""
    found: dict[tuple[str, int, str], _Join] = {}
    parts: set[tuple[str, int, str]] = set()
    for join in joins:
        if join.way.inner:
            parts.add(join.place)
        elif join.way.content or not join.way.named:
            found.setdefault(join.place, join)
    return [join for place, join in found.items() if place not in parts]


def _joins(node: Use, way: _Way) -> Iterator[_Join]:
    """The first joins below a node: what is joined again is a text of the application by then."""
    for use in node.uses:
        if use.branch != "core":
            continue
        name, arguments = use.operation.name, use.operation.arguments
        if name == "join":
            if arguments and isinstance(arguments[0], str):
                yield _Join(use, way)
            if way.inner:
                yield from _joins(use, way._replace(inner=way.inner - 1))
        elif name in _TO_JOIN:
            yield from _joins(use, _further(use, way))


def _further(use: Use, way: _Way) -> _Way:
    name, arguments = use.operation.name, use.operation.arguments
    first = arguments[0] if arguments else None
    if name in _CONTENT_METHODS or (isinstance(first, str) and first in _CONTENTS):
        return way._replace(named=True, content=True)
    if name in ("getattr", "getitem", ".get") and isinstance(first, str):
        return way._replace(named=True)
    if name == "slice" and not way.named:
        stop = _whole(arguments[1]) if len(arguments) > 1 and not first else None
        return way._replace(k=_least(way.k, stop if stop is not None and stop > 0 else None))
    if name == "iterate":
        if way.content and way.looped:
            return way._replace(inner=way.inner + 1)
        found = _threshold(use)
        return way._replace(looped=True, threshold=way.threshold if found is None else found)
    return way


def _threshold(entry: Use) -> float | None:
    """The constant that the entries' scores are compared with; none where there are several."""
    found = set(_bounds(entry, entry, 0))
    return found.pop() if len(found) == 1 else None


def _bounds(node: Use, entry: Use, depth: int) -> Iterator[float]:
    if depth > 4:
        return
    for use in node.uses:
        name, arguments = use.operation.name, use.operation.arguments
        first = arguments[0] if arguments else None
        if name in ("getattr", "getitem", ".get") and isinstance(first, str):
            if first == "metadata":
                yield from _bounds(use, entry, depth + 1)
            elif _SCORES.intersection(first.lower().split("_")):
                yield from _compared(use, _AT_LEAST | _BELOW)
        elif name == "unpack" and node is entry and arguments == (1, 2):
            # ``(document, score)``, which may be a distance as well: then less is better.
            yield from _compared(use, _AT_LEAST)


def _compared(score: Use, names: frozenset[str]) -> Iterator[float]:
    for use in score.uses:
        if use.operation.name in names and use.operation.arguments:
            bound = _number(use.operation.arguments[0])
            if bound is not None:
                yield bound
        elif use.operation.name == "float":
            yield from _compared(use, names)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _least(one: int | None, other: int | None) -> int | None:
    given = [value for value in (one, other) if value is not None]
    return min(given, default=None)
