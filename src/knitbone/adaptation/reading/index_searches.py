"""Marks that code looks for by position: ``find``, ``index``."""

from __future__ import annotations

from collections.abc import Sequence

from knitbone.adaptation.reading.conversions import conversion
from knitbone.adaptation.reading.cut_records import SLOT, Cell, Cut, mark_of
from knitbone.adaptation.reading.regex_outlines import FENCE
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    Inner,
    consumers_of,
    near,
)
from knitbone.adaptation.requirements.uses import Computed

__all__ = ["by_position", "places_of"]

_FINDS = frozenset({".find", ".index", ".rfind", ".rindex"})


def by_position(consumers: Sequence[Consumer], inner: Inner) -> list[tuple[Cut, list[int]]]:
    """Positions that the code looks for, and what it does with the text between them: a cut for
    each place in the code, with the consumers that it explains."""
    return [cut for place in places_of(consumers) for cut in _cuts(place, consumers, inner)]


def places_of(consumers: Sequence[Consumer]) -> list[list[int]]:
    """The searches and the slices between what they find, those that stand together in the code."""
    places: list[list[int]] = []
    for index, consumer in enumerate(consumers):
        if not (_finds(consumer) or _slices(consumer)):
            continue
        if places and near(consumers[places[-1][-1]], consumer):
            places[-1].append(index)
        else:
            places.append([index])
    return [
        place
        for place in places
        if any(_finds(consumers[i]) for i in place) and any(_slices(consumers[i]) for i in place)
    ]


def _finds(consumer: Consumer) -> bool:
    return consumer.name in _FINDS and FENCE not in (mark_of(consumer) or FENCE)


def _slices(consumer: Consumer) -> bool:
    arguments = consumer.use.operation.arguments
    return consumer.name == "slice" and any(isinstance(a, Computed) for a in arguments)


def _cuts(
    place: Sequence[int], consumers: Sequence[Consumer], inner: Inner
) -> list[tuple[Cut, list[int]]]:
    finds = [i for i in place if _finds(consumers[i])]
    slices = [i for i in place if _slices(consumers[i])]
    contents = tuple(
        found
        for i in slices
        for found in consumers_of(consumers[i].use, consumers[i].text.then("slice", exact=False))
    )
    below = tuple(inner(contents))
    converted = conversion(c.use for c in contents)
    slot = SLOT if converted is None else converted.slot(SLOT)
    cuts: list[tuple[Cut, list[int]]] = []
    for marks in _together(finds, consumers):
        cells = tuple(Cell(mark, () if mark.startswith("</") else (slot,)) for mark in marks)
        used = [*(i for i in finds if mark_of(consumers[i]) in marks), *slices]
        cuts.append((Cut((), cells, below, certain=False), used))
    return cuts


def _together(finds: Sequence[int], consumers: Sequence[Consumer]) -> list[list[str]]:
    """The marks of one record; where one ``find`` is called with several, each stands alone."""
    marks = list(dict.fromkeys(mark_of(consumers[i]) for i in finds))
    sought = {(consumers[i].use.evidence, mark_of(consumers[i])) for i in finds}
    if len({evidence for evidence, _ in sought}) < len(sought):
        return [[mark] for mark in marks]
    return [marks]
