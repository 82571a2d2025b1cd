"""Family of readers: texts that code cuts at fixed marks with ``split``, ``partition`` or ``find``.

Several cuts of one text are one record: marks in the order of the code, with what stands behind
each (``cut_records.py``). ``splits.py`` reads what one ``split`` shows, ``index_searches.py`` what
``find`` and a slice show; this module joins their records and makes the requirement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.reading.conversions import conversion
from knitbone.adaptation.reading.cut_records import MARK_TESTS, SLOT, SPLITS, CutRecord
from knitbone.adaptation.reading.index_searches import searched_records
from knitbone.adaptation.reading.prefixes import constant_marks
from knitbone.adaptation.reading.regex_outlines import BRACKETS
from knitbone.adaptation.reading.splits import (
    compares,
    cut_at,
    list_template,
    merged_cuts,
    splits_of,
)
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    are_near,
    consumers_of,
    first_on_violation,
    first_text,
    lowest_with_texts,
    unknown,
)
from knitbone.adaptation.requirements.records import (
    Confidence,
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    StructuredTemplate,
)
from knitbone.adaptation.requirements.uses import Use

__all__ = ["read_cuts"]


_RecordWithIndices = tuple[CutRecord, list[int]]
"""A cut, and the consumers that it explains."""


def read_cuts(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement for the cuts of one text that name a mark in common. Others stand
    alone, because nothing in the code says in which order their marks come."""
    records = [*_splits(consumers, read_on), *searched_records(consumers, read_on)]
    claimed = {index for _, indices in records for index in indices}
    requirements: list[Requirement] = []
    for group in _grouped(consumers, records):
        cuts = [cut for cut, _ in group]
        indices = {index for _, own_indices in group for index in own_indices}
        indices |= _superfluous_tests(consumers, indices, cuts)
        claimed |= indices
        cutting = [consumers[i] for i in sorted(indices)]
        requirements.extend(_requirements(cutting, cuts, skips_blank=_skips_blank(consumers)))
    blank = {i for i, c in enumerate(consumers) if _is_blank_split(c)}
    requirements.extend(r for i in sorted(blank) for r in _first_word(consumers[i], read_on))
    return FamilyResult(tuple(requirements), frozenset(claimed | blank))


def _splits(consumers: Sequence[Consumer], read_on: ReadOn) -> list[_RecordWithIndices]:
    """Return the record of each mark at which the text is split."""
    number = _starts_with_number(consumers)
    return [
        (cut_at([consumers[i] for i in indices], mark, read_on, number=number), indices)
        for mark, indices in splits_of(consumers)
    ]


def _grouped(
    consumers: Sequence[Consumer], records: Sequence[_RecordWithIndices]
) -> list[list[_RecordWithIndices]]:
    """Group the records that stand together in the code and name a mark in common."""
    groups: list[list[_RecordWithIndices]] = []
    for record in records:
        touching = [
            group
            for group in groups
            if any(_belong_together(consumers, each, record) for each in group)
        ]
        rest = [group for group in groups if group not in touching]
        groups = [*rest, [*(each for group in touching for each in group), record]]
    return groups


def _belong_together(
    consumers: Sequence[Consumer], one: _RecordWithIndices, other: _RecordWithIndices
) -> bool:
    """Return whether two records name a mark in common, close together in the code."""
    if not one[0].marks & other[0].marks:
        return False
    return any(are_near(consumers[i], consumers[j]) for i in one[1] for j in other[1])


def _superfluous_tests(
    consumers: Sequence[Consumer], indices: set[int], cuts: Sequence[CutRecord]
) -> set[int]:
    """Find tests for the same marks (``if ":" in text``), which the record makes superfluous."""
    marks = {mark for cut in cuts for mark in cut.marks}
    files = {consumers[i].use.evidence.file for i in indices}
    return {
        i
        for i, c in enumerate(consumers)
        if i not in indices
        and c.name in MARK_TESTS
        and c.use.evidence.file in files
        and constant_marks(c)
        and all(mark.strip() in marks for mark in constant_marks(c))
    }


def _skips_blank(consumers: Sequence[Consumer]) -> bool:
    """Return whether the code skips empty lines: ``if line.strip():``."""
    return any(c.name == "truth" and c.text.lines for c in consumers)


def _requirements(
    cutting: Sequence[Consumer], cuts: Sequence[CutRecord], *, skips_blank: bool
) -> list[Requirement]:
    """Return the requirements of the cuts of one group."""
    requirements: list[Requirement] = []
    below = [r for cut in cuts for r in cut.below]
    merged = merged_cuts(cuts)
    if merged.cells or any(cut.separator for cut in cuts):
        first = cutting[0]
        if first.text.lost:
            return [unknown(first, first.text.lost)]
    if merged.cells and not _only_brackets(merged, below):
        list_behind = _list_behind(merged, below)
        template = _template(cutting, merged, skips_blank=skips_blank)
        if list_behind is not None:
            below.remove(list_behind)
            template = msgspec.structs.replace(template, separator=list_behind.separator)
        requirements.append(template)
    for cut in cuts:
        if cut.separator:
            splitter = next(c for c in cutting if first_text(c.use.operation) == cut.separator)
            requirements.append(list_template(splitter, cut))
    return [*requirements, *below]


def _list_behind(cut: CutRecord, below: Sequence[Requirement]) -> PositionalTemplate | None:
    """Return the list that stands behind the last mark, where it holds plain items."""
    mark = cut.cells[-1].mark
    for requirement in below:
        if (
            isinstance(requirement, PositionalTemplate)
            and requirement.separator
            and requirement.elements == cut.cells[-1].after == (SLOT,)
            and any(step.arguments[:1] == (mark,) for step in requirement.steps)
        ):
            return requirement
    return None


def _only_brackets(cut: CutRecord, below: Sequence[Requirement]) -> bool:
    """Return whether the marks only find the outer brackets of data that is parsed afterwards."""
    marks = "".join(cell.mark for cell in cut.cells)
    parsed = any(isinstance(r, StructuredTemplate | ParserSyntax) for r in below)
    return parsed and set(marks) <= BRACKETS


def _template(
    cutting: Sequence[Consumer], cut: CutRecord, *, skips_blank: bool
) -> PositionalTemplate:
    """Return the template of a record."""
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
        skips_blank=skips_blank and text.lines,
        passed_over=text.passed_over if text.lines else 0,
        steps=text.steps,
        on_violation=first_on_violation(_cuts_and_parts(cutting)),
        evidence=first.use.evidence,
        confidence=lowest_with_texts(confidence, cutting),
        alternative=text.alternative,
        when=text.when,
    )


def _cuts_and_parts(cutting: Iterable[Consumer]) -> Iterator[Use]:
    """Yield the cuts, and the places where a part of one is taken."""
    for consumer in cutting:
        yield consumer.use
        for child in consumer.use.uses:
            if child.operation.name in ("getitem", "unpack"):
                yield child


def _reader(cutting: Sequence[Consumer], cut: CutRecord) -> Reader | None:
    """Return the reader that can be replayed: a line that is split behind its number.
    ``line.split(".")`` in a test and ``line.split(". ")`` for the content are one reading, at
    the longer mark."""
    splits = [c for c in cutting if c.name in (".split", ".partition")]
    if not splits or len(cut.cells) != 1:
        return None
    last = max(splits, key=lambda c: len(first_text(c.use.operation) or ""))
    text = last.text
    if any(c.text.steps != text.steps for c in splits):
        return None
    if not text.replayable or not text.lines or text.nested:
        return None
    return Reader(
        kind="split",
        method=last.name.removeprefix("."),
        separator=cut.cells[0].mark,
        numbered=True,
        digits=any(_asks_for_digits(c.use) for c in splits),
        steps=text.steps,
    )


def _asks_for_digits(split: Use) -> bool:
    """Return whether the code asks if the first part is a number."""
    return any(
        part.operation.name in ("getitem", "unpack")
        and part.operation.arguments[:1] == (0,)
        and any(below.operation.name == ".isdigit" for below in part.uses)
        for part in split.uses
    )


def _starts_with_number(consumers: Sequence[Consumer]) -> bool:
    """Return whether the code tests the first character or characters for a digit."""
    for consumer in consumers:
        arguments = consumer.use.operation.arguments
        first = consumer.name == "getitem" and arguments[:1] == (0,)
        begins = consumer.name == "slice" and arguments[:1] in ((None,), (0,))
        if (first or begins) and conversion(consumer.use.uses) is not None:
            return True
    return False


def _is_blank_split(consumer: Consumer) -> bool:
    """Return whether the text is split at blanks."""
    arguments = consumer.use.operation.arguments
    return consumer.name in SPLITS and (
        not arguments or arguments[0] is None or arguments[0] in (" ", "\t")
    )


def _first_word(consumer: Consumer, read_on: ReadOn) -> list[Requirement]:
    """Read on behind ``text.split()[0]``; the split itself asks for nothing."""
    text = consumer.text.then(consumer.name, *consumer.use.operation.arguments, exact=False)
    item = text._replace(item=True)
    found: list[Requirement] = []
    for node in consumer.use.uses:
        if node.operation.name in ("getitem", "unpack"):
            found.extend(read_on(consumers_of(node, item)))
        elif node.operation.name == "iterate":
            # Every word is compared: a search in the text, not an answer.
            found.extend(read_on([c for c in consumers_of(node, item) if not compares(c)]))
    return found
