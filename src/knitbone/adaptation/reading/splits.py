"""The record that the ``split`` and ``partition`` calls of one text show.

``name, rest = line.split(":", 1)`` followed by ``rest.split("|")`` gives one record with both
marks. ``cuts.py`` makes the requirement of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from knitbone.adaptation.reading.conversions import conversion
from knitbone.adaptation.reading.cut_records import SLOT, SPLITS, Cell, CutRecord, mark_of
from knitbone.adaptation.reading.literals import accepted_texts
from knitbone.adaptation.reading.split_accesses import Parts, parts_of
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    ReadOn,
    Text,
    are_near,
    consumers_of,
    first_text,
    lowest_confidence,
)
from knitbone.adaptation.requirements.records import Element, PositionalTemplate
from knitbone.adaptation.requirements.regex_templates import literal_elements

__all__ = ["compares", "cut_at", "list_template", "merged_cuts", "splits_of"]

_LIST_MARKS = frozenset(",;|")
"""Marks that separate the items of a list for certain."""
_ENUMERATES = frozenset({".", ")"})
"""Marks behind the number of a list: only there a name is enough to tell that it is a number."""


def merged_cuts(cuts: Sequence[CutRecord]) -> CutRecord:
    """Return one record of all cuts: marks in the order of the code, shared ones once."""
    lead: tuple[Element, ...] = ()
    cells: list[Cell] = []
    for cut in cuts:
        position = len(cells)
        if not cells and not lead:
            lead = cut.lead if not cut.separator else ()
        earlier = {cell.mark.strip() for cell in cells}  # one cut may hold a mark several times
        for cell in cut.cells:
            mark = cell.mark.strip()
            if mark in earlier:
                known = next(i for i, c in enumerate(cells) if c.mark.strip() == mark)
                cells[known] = _combined(cells[known], cell)
                position = known + 1
            else:
                cells.insert(position, cell)
                position += 1
        if not lead and not cut.separator and cut.cells and cut.cells[0].mark.strip() in earlier:
            lead = cut.lead
    return CutRecord(lead=lead, cells=tuple(cells), certain=all(cut.certain for cut in cuts))


def _combined(known: Cell, cell: Cell) -> Cell:
    """Return one cell for a mark that is read twice: the longer mark, and what is known of its
    content."""
    mark = max(known.mark, cell.mark, key=len)
    sharper = len(cell.after) > len(known.after) or _typed(cell.after)
    reads = any(e.captured for e in cell.after) and not any(e.captured for e in known.after)
    return Cell(mark, cell.after if sharper or reads else known.after)


def _typed(elements: Sequence[Element]) -> bool:
    """Return whether an element is more than a slot for any text."""
    return any(element.type != "any" or element.kind != "slot" for element in elements)


def splits_of(consumers: Sequence[Consumer]) -> list[tuple[str, list[int]]]:
    """Group the splits of one text by mark and place in the code: ``(mark, indices)``."""
    found: list[tuple[str, list[int]]] = []
    for index, consumer in enumerate(consumers):
        mark = mark_of(consumer) if consumer.name in SPLITS else ""
        if not mark:
            continue
        for known, indices in found:
            last = consumers[indices[-1]]
            if (
                known == mark
                and len(last.text.steps) == len(consumer.text.steps)
                and are_near(last, consumer)
            ):
                indices.append(index)
                break
        else:
            found.append((mark, [index]))
    return found


def cut_at(
    splits: Sequence[Consumer],
    mark: str,
    read_on: ReadOn,
    *,
    number: bool = False,
    nested: bool = False,
) -> CutRecord:
    """Return the record of the cuts of one text at one mark.

    Args:
        number: true if the code tests that the text starts with a number.
        nested: true if the text is the part that stands behind another mark.
    """
    parts = parts_of(splits)
    behind = splits[0].text.then(splits[0].name, mark, exact=False)
    if parts.listed or (not parts.nodes and not parts.seen):
        return _list_record(parts, mark, behind, read_on)
    if not parts.nodes:
        return CutRecord()
    return _part_by_part(splits, mark, read_on, parts, number=number, nested=nested)


def _part_by_part(
    splits: Sequence[Consumer],
    mark: str,
    read_on: ReadOn,
    parts: Parts,
    *,
    number: bool,
    nested: bool,
) -> CutRecord:
    """Return the record of a text whose parts are taken one by one: ``parts[0]``, ``parts[1]``."""
    text = splits[0].text
    behind = text.then(splits[0].name, mark, exact=False)
    if parts.nodes.keys() == {0}:
        inside = _part_record(_consumers_of_part(parts, 0, behind), read_on)
        return _only_before(mark, inside, number=number, nested=nested, lines=text.lines)
    if parts.from_end and parts.nodes.keys() == {1} and mark.strip().startswith("</"):
        # What stands before the end of a tag is thrown away, if there is any: nothing is asked.
        inside = _part_record(_consumers_of_part(parts, 1, behind), read_on)
        return CutRecord(below=inside.below)
    # Before the first mark there is none: a cut there at the same mark does nothing.
    first = [
        consumer
        for consumer in _consumers_of_part(parts, 0, behind)
        if consumer.name not in SPLITS or mark_of(consumer) != mark
    ]
    inside = _part_record(first, read_on)
    lead, certain = _before_first_mark(
        first, inside, mark, number=number, present=0 in parts.nodes, lines=text.lines
    )
    certain = certain and inside.certain and not parts.from_end
    cells: list[Cell] = []
    below = list(inside.below)
    for index in range(1, max(parts.nodes) + 1):
        inside = _part_record(_consumers_of_part(parts, index, behind), read_on)
        below.extend(inside.below)
        certain = certain and inside.certain
        cells.append(Cell(mark, inside.lead or (SLOT,)))
        cells.extend(inside.cells)
    if parts.ends_early:
        cells.append(Cell(mark, ()))
    return CutRecord(lead, tuple(cells), tuple(below), certain=certain)


def _consumers_of_part(parts: Parts, index: int, text: Text) -> list[Consumer]:
    """Return what is done with one part: 0 before the first mark, 1 behind it, ..."""
    nodes = parts.nodes.get(index, [])
    return [consumer for node in nodes for consumer in consumers_of(node, text)]


def _before_first_mark(
    contents: Sequence[Consumer],
    inside: CutRecord,
    mark: str,
    *,
    number: bool,
    present: bool,
    lines: bool,
) -> tuple[tuple[Element, ...], bool]:
    """Return the elements before the first mark, and whether they are known for certain."""
    is_number = number or (bool(inside.lead) and inside.lead[0].type == "integer")
    only_named = (
        not is_number
        and mark.strip() in _ENUMERATES
        and any(consumer.name == "named" for consumer in contents)
    )
    lead = _lead(inside.elements, present=present, number=number or only_named, lines=lines)
    return (*_label(contents), *lead) if lead == (SLOT,) else lead, not only_named


def _only_before(
    mark: str, inside: CutRecord, *, number: bool, nested: bool, lines: bool
) -> CutRecord:
    """Return the record of a cut of which only the part before the mark is used."""
    lead = _lead(inside.elements, present=True, number=number, lines=lines)
    if lines and lead[0].kind == "number":
        return CutRecord(lead, (Cell(mark, (Element(kind="slot"),)),), inside.below)
    if nested:
        return CutRecord(
            inside.lead, (*inside.cells, Cell(mark, ())), inside.below, "", inside.certain
        )
    if inside.lead and inside.lead[0].type != "any":
        return CutRecord(inside.lead, (Cell(mark, ()),), inside.below, certain=False)
    return CutRecord(below=inside.below)  # without the mark that is the whole text


def _label(contents: Sequence[Consumer]) -> tuple[Element, ...]:
    """Return the label that the code removes from what stands before the first mark:
    ``head.replace("Subject:", "")``."""
    for consumer in contents:
        label = first_text(consumer.use.operation) or ""
        taken = consumer.name == ".removeprefix" or (
            consumer.name == ".replace" and consumer.use.operation.arguments[1:] == ("",)
        )
        if consumer.passing and taken and label.strip().endswith(":") and label[:1].isalpha():
            found = literal_elements(label.strip())
            return tuple(msgspec.structs.replace(element, optional=True) for element in found)
    return ()


def _lead(
    elements: tuple[Element, ...], *, present: bool, number: bool, lines: bool
) -> tuple[Element, ...]:
    """Return the elements before the first mark."""
    if lines and (number or (present and elements[0].type == "integer")):
        return (Element(kind="number", captured=True),)
    return elements if present else ()


def _list_record(parts: Parts, mark: str, behind: Text, read_on: ReadOn) -> CutRecord:
    """Return the record of a text that is cut into a list: its items may be read further."""
    items = behind._replace(item=True)
    contents = [c for node in parts.items for c in consumers_of(node, items)]
    if parts.joined and not contents:
        joined = [c for node in parts.joined for c in consumers_of(node, behind)]
        return CutRecord(
            below=tuple(read_on(joined)), separator="" if joined else mark, certain=False
        )
    inside = _part_record(contents, read_on)
    lead = inside.lead if not inside.cells else ()
    seen = bool(parts.items or parts.joined)
    below = inside.below
    if inside.cells:
        below = (*below, *read_on(contents))
    return CutRecord(lead, (), tuple(dict.fromkeys(below)), separator=mark, certain=seen)


def _part_record(contents: Sequence[Consumer], read_on: ReadOn) -> CutRecord:
    """Return what is read from one part; its own cuts become part of the record."""
    core = [c for c in contents if c.core and not c.text.lost]
    core = core or [c for c in contents if not c.text.lost]
    converted = conversion(c.use for c in core)
    if converted is not None:
        return CutRecord(lead=(converted.slot(SLOT),))
    options = [o for c in core if c.name in ("eq", "in") for o in accepted_texts(c.use.operation)]
    if len(options) > 1 and not any(c.name in SPLITS for c in core):
        spelled = tuple(dict.fromkeys(options))
        return CutRecord(
            lead=(Element(kind="words", text=spelled[0], options=spelled, captured=True),)
        )
    return _cut_further(core, read_on)


def _cut_further(core: Sequence[Consumer], read_on: ReadOn) -> CutRecord:
    """Return the record of a part that is cut at other marks; its other consumers read
    it as it is."""
    cutting = [c for c in core if c.name in SPLITS and mark_of(c)]
    rest = [c for c in core if c not in cutting and (c.name == "eq" or not compares(c))]
    marks = {m: [c for c in cutting if mark_of(c) == m] for m in map(mark_of, cutting)}
    cuts = [cut_at(found, mark, read_on, nested=True) for mark, found in marks.items() if mark]
    merged = merged_cuts([cut for cut in cuts if not cut.separator])
    below = [r for cut in cuts for r in cut.below] + read_on(rest)
    for cut, found in zip(cuts, marks.values(), strict=False):
        if cut.separator:
            below.append(list_template(found[0], cut))
    lead = merged.lead or ((SLOT,) if not merged.cells or merged.cells[-1].after == () else ())
    return merged._replace(lead=lead, below=tuple(below))


def compares(consumer: Consumer) -> bool:
    """Return whether a consumer only compares the text."""
    return consumer.name in ("eq", "ne", "in", ".startswith", ".endswith", "contains")


def list_template(consumer: Consumer, cut: CutRecord) -> PositionalTemplate:
    """Return the template of a list whose items stand between marks."""
    text = consumer.text
    known = cut.certain and cut.separator.strip() in _LIST_MARKS and not text.item
    return PositionalTemplate(
        elements=cut.lead or (SLOT,),
        separator=cut.separator,
        spans_lines=True,
        line_start=False,
        steps=text.steps,
        on_violation=consumer.use.on_violation,
        evidence=consumer.use.evidence,
        confidence=lowest_confidence("high" if known else "medium", text.confidence),
        alternative=text.alternative,
        when=text.when,
    )
