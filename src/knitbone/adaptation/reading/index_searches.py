"""Marks that code finds with ``find`` or ``index``, and the slices between them.

``start = text.find("<a>"); end = text.find("</a>"); text[start + 3 : end]`` shows a record with
both marks. The slice's bounds are computed, so that only nearness in the code links the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from knitbone.adaptation.reading.conversions import conversion
from knitbone.adaptation.reading.cut_records import SEARCHES, SLOT, Cell, CutRecord, mark_of
from knitbone.adaptation.reading.regex_outlines import FENCE
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    ReadOn,
    are_near,
    consumers_of,
)
from knitbone.adaptation.requirements.uses import Computed

__all__ = ["search_places", "searched_records"]


def searched_records(
    consumers: Sequence[Consumer], read_on: ReadOn
) -> list[tuple[CutRecord, list[int]]]:
    """Return a record for each place that searches for marks, with the consumers it explains."""
    return [
        cut for place in search_places(consumers) for cut in _records_at(place, consumers, read_on)
    ]


def search_places(consumers: Sequence[Consumer]) -> list[list[int]]:
    """Group the searches, and the slices between what they find, by nearness in the code."""
    places: list[list[int]] = []
    for index, consumer in enumerate(consumers):
        if not (_finds(consumer) or _slices(consumer)):
            continue
        if places and are_near(consumers[places[-1][-1]], consumer):
            places[-1].append(index)
        else:
            places.append([index])
    return [
        place
        for place in places
        if any(_finds(consumers[i]) for i in place) and any(_slices(consumers[i]) for i in place)
    ]


def _finds(consumer: Consumer) -> bool:
    """Return whether a consumer searches for a mark that is no fence."""
    return consumer.name in SEARCHES and FENCE not in (mark_of(consumer) or FENCE)


def _slices(consumer: Consumer) -> bool:
    """Return whether a consumer takes a slice whose bounds are computed."""
    arguments = consumer.use.operation.arguments
    return consumer.name == "slice" and any(isinstance(a, Computed) for a in arguments)


def _records_at(
    place: Sequence[int], consumers: Sequence[Consumer], read_on: ReadOn
) -> list[tuple[CutRecord, list[int]]]:
    """Return the records of the searches at one place."""
    finds = [i for i in place if _finds(consumers[i])]
    slices = [i for i in place if _slices(consumers[i])]
    contents = tuple(
        found
        for i in slices
        for found in consumers_of(consumers[i].use, consumers[i].text.then("slice", exact=False))
    )
    below = tuple(read_on(contents))
    converted = conversion(c.use for c in contents)
    slot = SLOT if converted is None else converted.slot(SLOT)
    cuts: list[tuple[CutRecord, list[int]]] = []
    for marks in _marks_of_records(finds, consumers):
        cells = tuple(Cell(mark, () if mark.startswith("</") else (slot,)) for mark in marks)
        used = [*(i for i in finds if mark_of(consumers[i]) in marks), *slices]
        cuts.append((CutRecord((), cells, below, certain=False), used))
    return cuts


def _marks_of_records(finds: Sequence[int], consumers: Sequence[Consumer]) -> list[list[str]]:
    """Return the marks of each record; where one ``find`` is called with several, each stands
    alone."""
    marks = list(dict.fromkeys(mark_of(consumers[i]) for i in finds))
    sought = {(consumers[i].use.evidence, mark_of(consumers[i])) for i in finds}
    if len({evidence for evidence, _ in sought}) < len(sought):
        return [[mark] for mark in marks]
    return [marks]
