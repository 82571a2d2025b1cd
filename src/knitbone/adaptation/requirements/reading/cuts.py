"""Texts that code cuts at fixed marks: ``split``, ``partition``, ``find``, ``startswith``.

Several cuts of one text are one record. A cut gives *cells*: a mark, and what stands behind it up
to the next mark; ``lead`` is what is read before the first mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from knitbone.adaptation.requirements.readers import Reader
from knitbone.adaptation.requirements.reading.cells import SLOT, Cell, Cut, mark_of
from knitbone.adaptation.requirements.reading.conversions import conversion
from knitbone.adaptation.requirements.reading.literals import accepted
from knitbone.adaptation.requirements.reading.marks import by_position, by_prefix
from knitbone.adaptation.requirements.reading.parts import Parts, parts_of
from knitbone.adaptation.requirements.reading.patterns import FENCE
from knitbone.adaptation.requirements.reading.texts import (
    Consumer,
    Inner,
    Read,
    Text,
    certainty,
    consumers_of,
    fate,
    first_text,
    least,
    unknown,
)
from knitbone.adaptation.requirements.records import (
    Confidence,
    Element,
    PositionalTemplate,
    Requirement,
)
from knitbone.adaptation.requirements.uses import Use

__all__ = ["SPLITS", "read_cuts"]

SPLITS = frozenset({".split", ".rsplit", ".partition", ".rpartition"})
_LIST_MARKS = frozenset(",;|")


def read_cuts(consumers: Sequence[Consumer], inner: Inner) -> Read:
    """One requirement for all cuts of one text."""
    splits: dict[tuple[str, int], list[int]] = {}
    for index, consumer in enumerate(consumers):
        mark = first_text(consumer.use.operation)
        if consumer.name in SPLITS and mark is not None and FENCE not in mark:
            key = (mark, len(consumer.text.steps))
            splits.setdefault(key, []).append(index)
    used: set[int] = {index for indices in splits.values() for index in indices}
    cuts = [
        _cut([consumers[i] for i in indices], mark, inner, number=_starts_with_number(consumers))
        for (mark, _), indices in splits.items()
    ]
    by_find, taken = by_position(consumers, inner)
    used |= taken
    if by_find is not None:
        cuts.append(by_find)
    marks = {cell.mark.strip() for cut in cuts for cell in cut.cells}
    by_test, taken = by_prefix(consumers, marks)
    used |= taken
    if by_test is not None:
        cuts.append(by_test)
    blank = {i for i, c in enumerate(consumers) if _blank_split(c)}
    below = [r for i in sorted(blank) for r in _first_word(consumers[i], inner)]
    requirements = [*_requirements(consumers, sorted(used), cuts), *below]
    return Read(tuple(requirements), frozenset(used | blank))


def _requirements(
    consumers: Sequence[Consumer], used: Sequence[int], cuts: Sequence[Cut]
) -> list[Requirement]:
    found: list[Requirement] = []
    cutting = [consumers[i] for i in used]
    merged = _merge(cuts)
    if merged.cells or any(cut.separator for cut in cuts):
        first = cutting[0]
        if first.text.lost:
            return [unknown(first, first.text.lost)]
    if merged.cells:
        found.append(_template(cutting, merged))
    for cut in cuts:
        if cut.separator:
            splitter = next(c for c in cutting if first_text(c.use.operation) == cut.separator)
            found.append(_list_template(splitter, cut))
    for cut in cuts:
        found.extend(cut.below)
    return found


def _template(cutting: Sequence[Consumer], cut: Cut) -> PositionalTemplate:
    first = cutting[0]
    text = first.text
    elements = cut.elements
    numbered = bool(cut.lead) and cut.lead[0].kind == "number"
    certain = cut.certain and (
        numbered or any(c.isalnum() for cell in cut.cells for c in cell.mark)
    )
    confidence: Confidence = "high" if certain and not text.item else "medium"
    return PositionalTemplate(
        elements=elements,
        reader=_reader(cutting, cut) if numbered else None,
        repeated=(text.lines or text.item) and len(cut.cells) == 1,
        line_start=bool(text.lines),
        spans_lines=not text.lines,
        ignore_case=text.ignore_case,
        steps=text.steps,
        on_violation=fate(_with_parts(cutting)),
        evidence=first.use.evidence,
        confidence=certainty(confidence, cutting),
        alternative=text.alternative,
        when=text.when,
    )


def _with_parts(cutting: Iterable[Consumer]) -> Iterator[Use]:
    for consumer in cutting:
        yield consumer.use
        for child in consumer.use.uses:
            if child.operation.name in ("getitem", "unpack"):
                yield child


def _reader(cutting: Sequence[Consumer], cut: Cut) -> Reader | None:
    """Only a line that is split once behind its number can be replayed."""
    splits = [c for c in cutting if c.name in (".split", ".partition")]
    if len(splits) != 1 or len(cut.cells) != 1 or not splits[0].text.replayable:
        return None
    if not splits[0].text.lines or splits[0].text.nested:
        return None
    return Reader(
        kind="split",
        method=splits[0].name.removeprefix("."),
        separator=cut.cells[0].mark,
        numbered=True,
        steps=splits[0].text.steps,
    )


def _list_template(consumer: Consumer, cut: Cut) -> PositionalTemplate:
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
        confidence=least("high" if known else "medium", text.confidence),
        alternative=text.alternative,
        when=text.when,
    )


def _merge(cuts: Sequence[Cut]) -> Cut:
    """One record of all cuts: marks in the order of the code, shared ones once."""
    lead: tuple[Element, ...] = ()
    cells: list[Cell] = []
    for cut in cuts:
        place = len(cells)
        if not cells and not lead:
            lead = cut.lead if not cut.separator else ()
        earlier = {cell.mark.strip() for cell in cells}  # one cut may hold a mark several times
        for cell in cut.cells:
            mark = cell.mark.strip()
            if mark in earlier:
                known = next(i for i, c in enumerate(cells) if c.mark.strip() == mark)
                if len(cell.after) > len(cells[known].after) or _typed(cell.after):
                    cells[known] = Cell(cells[known].mark, cell.after)
                place = known + 1
            else:
                cells.insert(place, cell)
                place += 1
    return Cut(lead=lead, cells=tuple(cells), certain=all(cut.certain for cut in cuts))


def _typed(elements: Sequence[Element]) -> bool:
    return any(element.type != "any" or element.kind != "slot" for element in elements)


def _cut(
    splits: Sequence[Consumer],
    mark: str,
    inner: Inner,
    *,
    number: bool = False,
    nested: bool = False,
) -> Cut:
    """The cuts of one text at one mark.

    Args:
        number: whether the code tests that the text starts with a number.
        nested: whether the text is what stands behind another mark.
    """
    parts = parts_of(splits)
    text = splits[0].text
    behind = text.then(splits[0].name, mark, exact=False)
    if parts.listed or (not parts.nodes and not parts.seen):
        return _listed(parts, mark, behind, inner)
    if not parts.nodes:
        return Cut()
    if parts.nodes.keys() == {0}:
        contents = [c for node in parts.nodes[0] for c in consumers_of(node, behind)]
        inside = _content(contents, inner)
        lead = _lead(inside.elements, present=True, number=number, lines=text.lines)
        if text.lines and lead[0].kind == "number":
            return Cut(lead, (Cell(mark, (Element(kind="slot"),)),), inside.below)
        if not nested and inside.lead and inside.lead[0].type != "any":
            return Cut(inside.lead, (Cell(mark, ()),), inside.below, certain=False)
        if not nested:
            # Only what stands before the mark: without the mark that is the whole text.
            return Cut(below=inside.below)
        return Cut(inside.lead, (*inside.cells, Cell(mark, ())), inside.below, "", inside.certain)
    if parts.from_end and parts.nodes.keys() == {1} and mark.strip().startswith("</"):
        # What stands before the end of a tag is thrown away, if there is any: nothing is asked.
        contents = [c for node in parts.nodes[1] for c in consumers_of(node, behind)]
        return Cut(below=_content(contents, inner).below)
    cells: list[Cell] = []
    lead: tuple[Element, ...] = ()
    below: list[Requirement] = []
    certain = not parts.from_end
    for place in range(max(parts.nodes) + 1):
        nodes = parts.nodes.get(place, [])
        contents = [c for node in nodes for c in consumers_of(node, behind)]
        inside = _content(contents, inner)
        below.extend(inside.below)
        certain = certain and inside.certain
        if place == 0:
            lead = _lead(inside.elements, present=bool(nodes), number=number, lines=text.lines)
        else:
            cells.append(Cell(mark, inside.lead or (SLOT,)))
            cells.extend(inside.cells)
    return Cut(lead, tuple(cells), tuple(below), certain=certain)


def _lead(
    elements: tuple[Element, ...], *, present: bool, number: bool, lines: bool
) -> tuple[Element, ...]:
    if lines and (number or (present and elements[0].type == "integer")):
        return (Element(kind="number", captured=True),)
    return elements if present else ()


def _listed(parts: Parts, mark: str, behind: Text, inner: Inner) -> Cut:
    """The text is a list: its items may be read further."""
    items = behind._replace(item=True)
    contents = [c for node in parts.items for c in consumers_of(node, items)]
    if parts.joined and not contents:
        joined = [c for node in parts.joined for c in consumers_of(node, behind)]
        return Cut(below=tuple(inner(joined)), separator="" if joined else mark, certain=False)
    inside = _content(contents, inner)
    lead = inside.lead if not inside.cells else ()
    seen = bool(parts.items or parts.joined)
    below = inside.below
    if inside.cells:
        below = (*below, *inner(contents))
    return Cut(lead, (), tuple(dict.fromkeys(below)), separator=mark, certain=seen)


def _content(contents: Sequence[Consumer], inner: Inner) -> Cut:
    """What is read from one part: its own cuts become part of the record."""
    core = [c for c in contents if c.core] or list(contents)
    converted = conversion(c.use for c in core)
    if converted is not None:
        return Cut(lead=(msgspec.structs.replace(SLOT, type=converted[0]),))
    options = [o for c in core if c.name in ("eq", "in") for o in accepted(c.use.operation)]
    if len(options) > 1 and not any(c.name in SPLITS for c in core):
        spelled = tuple(dict.fromkeys(options))
        return Cut(lead=(Element(kind="words", text=spelled[0], options=spelled, captured=True),))
    cutting = [c for c in core if c.name in SPLITS and mark_of(c)]
    rest = [c for c in core if c not in cutting and not _compares(c)]
    marks = {m: [c for c in cutting if mark_of(c) == m] for m in map(mark_of, cutting)}
    cuts = [_cut(found, mark, inner, nested=True) for mark, found in marks.items() if mark]
    merged = _merge([cut for cut in cuts if not cut.separator])
    below = [r for cut in cuts for r in cut.below] + inner(rest)
    for cut, found in zip(cuts, marks.values(), strict=False):
        if cut.separator:
            below.append(_list_template(found[0], cut))
    lead = merged.lead or ((SLOT,) if not merged.cells or merged.cells[-1].after == () else ())
    return merged._replace(lead=lead, below=tuple(below))


def _compares(consumer: Consumer) -> bool:
    return consumer.name in ("eq", "ne", "in", ".startswith", ".endswith", "contains")


def _starts_with_number(consumers: Sequence[Consumer]) -> bool:
    """Whether the code tests the first character, or what stands first, for a digit."""
    for consumer in consumers:
        arguments = consumer.use.operation.arguments
        first = consumer.name == "getitem" and arguments[:1] == (0,)
        begins = consumer.name == "slice" and arguments[:1] in ((None,), (0,))
        if (first or begins) and conversion(consumer.use.uses) is not None:
            return True
    return False


def _blank_split(consumer: Consumer) -> bool:
    arguments = consumer.use.operation.arguments
    return consumer.name in SPLITS and (
        not arguments or arguments[0] is None or arguments[0] in (" ", "\t")
    )


def _first_word(consumer: Consumer, inner: Inner) -> list[Requirement]:
    """``text.split()[0]``: the word is read on; the split itself asks for nothing."""
    text = consumer.text.then(consumer.name, *consumer.use.operation.arguments, exact=False)
    item = text._replace(item=True)
    found: list[Requirement] = []
    for node in consumer.use.uses:
        if node.operation.name in ("getitem", "unpack"):
            found.extend(inner(consumers_of(node, item)))
        elif node.operation.name == "iterate":
            # Every word is compared: a search in the text, not an answer.
            found.extend(inner([c for c in consumers_of(node, item) if not _compares(c)]))
    return found
