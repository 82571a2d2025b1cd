"""Family of readers: cuts that the code makes only where the mark is there, so they demand nothing.

``if "Answer:" in text: text = text.split("Answer:")[1]``: with the mark and without it the same
code continues. What it reads then is read from the part as from the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knitbone.adaptation.reading.cut_records import MARK_TESTS, mark_of
from knitbone.adaptation.reading.index_searches import search_places
from knitbone.adaptation.reading.prefixes import constant_marks
from knitbone.adaptation.reading.regex_matches import is_regex, pattern_of
from knitbone.adaptation.reading.split_accesses import parts_of
from knitbone.adaptation.reading.splits import splits_of
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    consumers_of,
)
from knitbone.adaptation.requirements.records import Requirement

__all__ = ["read_optional_cuts"]

_ASKED = frozenset({"truth", "is_none"})
"""Questions about a match that read nothing from it."""
_SUBSTITUTIONS = frozenset({"re.sub", "re.subn", "regex.sub"})
_GUARD = 5
"""Lines between a test and the cut that it guards (ours)."""


def read_optional_cuts(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return what is read from parts of a text whose readers read the whole text as well."""
    pieces = [*_split_contents(consumers), *_sliced_contents(consumers)]
    cutting = {index for used, _ in pieces for index in used}
    whole = {(c.use.evidence, c.use.operation) for i, c in enumerate(consumers) if i not in cutting}
    requirements: list[Requirement] = []
    claimed: set[int] = set()
    for used, contents in pieces:
        if any((c.use.evidence, c.use.operation) in whole for c in contents):
            requirements.extend(read_on(contents))
            claimed.update(used, _guards(used, consumers))
    claimed.update(
        i for i, consumer in enumerate(consumers) if _guards_substitution(consumer, consumers)
    )
    return FamilyResult(tuple(requirements), frozenset(claimed))


def _guards_substitution(consumer: Consumer, consumers: Sequence[Consumer]) -> bool:
    """Return whether an expression only asks for what the code then substitutes: ``if re.match(p,
    text): text = re.sub(p, "", text)``."""
    if not is_regex(consumer) or any(u.operation.name not in _ASKED for u in consumer.use.uses):
        return False
    known = pattern_of(consumer.use)
    if isinstance(known, str):
        return False
    before = len(consumer.text.steps)
    return any(
        step.name in _SUBSTITUTIONS
        and step.arguments
        and _ungrouped(str(step.arguments[0])) == _ungrouped(known[0])
        for other in consumers
        for step in other.text.steps[before:]
    )


def _ungrouped(pattern: str) -> str:
    """Return a pattern without the brackets of its groups."""
    return re.sub(r"(\\.)|\((?:\?:)?|\)", lambda found: found[1] or "", pattern)


def _split_contents(consumers: Sequence[Consumer]) -> Iterator[tuple[list[int], list[Consumer]]]:
    """Yield the splits of a text at each mark, with the consumers of the parts."""
    for mark, indices in splits_of(consumers):
        splits = [consumers[i] for i in indices]
        text = splits[0].text.then(splits[0].name, mark, exact=False)
        parts = parts_of(splits)
        if not parts.listed:
            behind = [n for place, found in parts.nodes.items() if place for n in found]
            # What stands before the first mark is the whole text where there is none.
            nodes = behind or parts.nodes.get(0, [])
            yield indices, [c for node in nodes for c in consumers_of(node, text)]


def _sliced_contents(consumers: Sequence[Consumer]) -> Iterator[tuple[list[int], list[Consumer]]]:
    """Yield the searches for marks with the consumers of the slices between them."""
    for place in search_places(consumers):
        slices = [consumers[i] for i in place if consumers[i].name == "slice"]
        yield (
            place,
            [b for c in slices for b in consumers_of(c.use, c.text.then("slice", exact=False))],
        )


def _guards(used: Sequence[int], consumers: Sequence[Consumer]) -> set[int]:
    """Find the tests for the marks of a cut that stand right before it."""
    marks = {mark_of(consumers[i]).strip() for i in used}
    place = consumers[used[0]].use.evidence
    return {
        i
        for i, c in enumerate(consumers)
        if c.name in MARK_TESTS
        and c.use.evidence.file == place.file
        and abs(c.use.evidence.line - place.line) <= _GUARD
        and marks.intersection(map(str.strip, constant_marks(c)))
    }
