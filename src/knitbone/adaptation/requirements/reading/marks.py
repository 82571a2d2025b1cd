"""Marks that code looks for by position: ``find``, ``index``."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from knitbone.adaptation.requirements.reading.cells import SLOT, Cell, Cut, mark_of
from knitbone.adaptation.requirements.reading.conversions import conversion
from knitbone.adaptation.requirements.reading.patterns import FENCE
from knitbone.adaptation.requirements.reading.texts import (
    NEAR,
    Consumer,
    Inner,
    consumers_of,
)
from knitbone.adaptation.requirements.uses import Computed

__all__ = ["by_position"]

_FINDS = frozenset({".find", ".index", ".rfind", ".rindex"})


def by_position(consumers: Sequence[Consumer], inner: Inner) -> list[tuple[Cut, list[int]]]:
    """Positions that the code looks for, and what it does with the text between them: a cut for
    each place in the code, with the consumers that it explains."""
    places: list[list[int]] = []
    for index, consumer in enumerate(consumers):
        if not (_finds(consumer) or _slices(consumer)):
            continue
        if places and _near(consumers[places[-1][-1]], consumer):
            places[-1].append(index)
        else:
            places.append([index])
    return [cut for place in places for cut in _cuts(place, consumers, inner)]


def _finds(consumer: Consumer) -> bool:
    return consumer.name in _FINDS and FENCE not in (mark_of(consumer) or FENCE)


def _slices(consumer: Consumer) -> bool:
    arguments = consumer.use.operation.arguments
    return consumer.name == "slice" and any(isinstance(a, Computed) for a in arguments)


def _near(last: Consumer, this: Consumer) -> bool:
    before, after = last.use.evidence, this.use.evidence
    return before.file == after.file and abs(after.line - before.line) <= NEAR


def _cuts(
    place: Sequence[int], consumers: Sequence[Consumer], inner: Inner
) -> list[tuple[Cut, list[int]]]:
    finds = [i for i in place if _finds(consumers[i])]
    slices = [i for i in place if _slices(consumers[i])]
    if not finds or not slices:
        return []
    contents = tuple(
        found
        for i in slices
        for found in consumers_of(consumers[i].use, consumers[i].text.then("slice", exact=False))
    )
    below = tuple(inner(contents))
    converted = conversion(c.use for c in contents)
    slot = SLOT if converted is None else msgspec.structs.replace(SLOT, type=converted[0])
    cuts: list[tuple[Cut, list[int]]] = []
    for marks in _together(finds, consumers):
        cells = tuple(Cell(mark, () if mark.startswith("</") else (slot,)) for mark in marks)
        used = [*(i for i in finds if mark_of(consumers[i]) in marks), *slices]
        cuts.append((Cut((), cells, below, certain=False, contents=contents), used))
    return cuts


def _together(finds: Sequence[int], consumers: Sequence[Consumer]) -> list[list[str]]:
    """The marks of one record; where one ``find`` is called with several, each stands alone."""
    marks = list(dict.fromkeys(mark_of(consumers[i]) for i in finds))
    sought = {(consumers[i].use.evidence, mark_of(consumers[i])) for i in finds}
    if len({evidence for evidence, _ in sought}) < len(sought):
        return [[mark] for mark in marks]
    return [marks]
