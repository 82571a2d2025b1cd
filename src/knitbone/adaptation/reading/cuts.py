"""Texts that code cuts at fixed marks: ``split``, ``partition``, ``find``, ``startswith``.

Several cuts of one text are one record. A cut gives *cells*: a mark, and what stands behind it up
to the next mark; ``lead`` is what is read before the first mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.reading.conversions import conversion
from knitbone.adaptation.reading.cut_records import SLOT, SPLITS, Cut
from knitbone.adaptation.reading.index_searches import by_position
from knitbone.adaptation.reading.prefixes import spelled
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
    Inner,
    Read,
    certainty,
    consumers_of,
    fate,
    first_text,
    near,
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

_TESTS = frozenset({".startswith", ".endswith", "contains"})

_Piece = tuple[Cut, list[int]]
"""A cut, and the consumers that it explains."""


def read_cuts(consumers: Sequence[Consumer], inner: Inner) -> Read:
    """One requirement for the cuts of one text that name a mark in common; others stand alone,
    because nothing in the code says in which order their marks come."""
    pieces = [*_splits(consumers, inner), *by_position(consumers, inner)]
    claimed = {index for _, used in pieces for index in used}
    requirements: list[Requirement] = []
    for group in _linked(consumers, pieces):
        cuts = [cut for cut, _ in group]
        used = {index for _, indices in group for index in indices}
        used |= _tests(consumers, used, cuts)
        claimed |= used
        cutting = [consumers[i] for i in sorted(used)]
        requirements.extend(_requirements(cutting, cuts, skips_blank=_skips_blank(consumers)))
    blank = {i for i, c in enumerate(consumers) if _blank_split(c)}
    requirements.extend(r for i in sorted(blank) for r in _first_word(consumers[i], inner))
    return Read(tuple(requirements), frozenset(claimed | blank))


def _splits(consumers: Sequence[Consumer], inner: Inner) -> list[_Piece]:
    number = _starts_with_number(consumers)
    return [
        (cut_at([consumers[i] for i in indices], mark, inner, number=number), indices)
        for mark, indices in splits_of(consumers)
    ]


def _linked(consumers: Sequence[Consumer], pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """The cuts at one place in the code that name a mark in common, together."""
    groups: list[list[_Piece]] = []
    for piece in pieces:
        touching = [
            group for group in groups if any(_touch(consumers, each, piece) for each in group)
        ]
        rest = [group for group in groups if group not in touching]
        groups = [*rest, [*(each for group in touching for each in group), piece]]
    return groups


def _touch(consumers: Sequence[Consumer], one: _Piece, other: _Piece) -> bool:
    if not one[0].marks & other[0].marks:
        return False
    return any(near(consumers[i], consumers[j]) for i in one[1] for j in other[1])


def _tests(consumers: Sequence[Consumer], used: set[int], cuts: Sequence[Cut]) -> set[int]:
    """Tests for the same marks: the record says more."""
    marks = {mark for cut in cuts for mark in cut.marks}
    files = {consumers[i].use.evidence.file for i in used}
    return {
        i
        for i, c in enumerate(consumers)
        if i not in used
        and c.name in _TESTS
        and c.use.evidence.file in files
        and spelled(c)
        and all(mark.strip() in marks for mark in spelled(c))
    }


def _skips_blank(consumers: Sequence[Consumer]) -> bool:
    """Tell whether the code asks of a line whether it holds anything: ``if line.strip():``."""
    return any(c.name == "truth" and c.text.lines for c in consumers)


def _requirements(
    cutting: Sequence[Consumer], cuts: Sequence[Cut], *, skips_blank: bool
) -> list[Requirement]:
    found: list[Requirement] = []
    below = [r for cut in cuts for r in cut.below]
    merged = merged_cuts(cuts)
    if merged.cells or any(cut.separator for cut in cuts):
        first = cutting[0]
        if first.text.lost:
            return [unknown(first, first.text.lost)]
    if merged.cells and not _only_brackets(merged, below):
        listed = _list_behind(merged, below)
        template = _template(cutting, merged, skips_blank=skips_blank)
        if listed is not None:
            below.remove(listed)
            template = msgspec.structs.replace(template, separator=listed.separator)
        found.append(template)
    for cut in cuts:
        if cut.separator:
            splitter = next(c for c in cutting if first_text(c.use.operation) == cut.separator)
            found.append(list_template(splitter, cut))
    return [*found, *below]


def _list_behind(cut: Cut, below: Sequence[Requirement]) -> PositionalTemplate | None:
    """Find what stands behind the last mark, where the code takes that for a list of plain
    items."""
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


def _only_brackets(cut: Cut, below: Sequence[Requirement]) -> bool:
    """Tell whether the marks only find the outer brackets of something that is parsed
    afterwards."""
    marks = "".join(cell.mark for cell in cut.cells)
    parsed = any(isinstance(r, StructuredTemplate | ParserSyntax) for r in below)
    return parsed and set(marks) <= BRACKETS


def _template(cutting: Sequence[Consumer], cut: Cut, *, skips_blank: bool) -> PositionalTemplate:
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
    """Only a line that is split behind its number can be replayed; ``line.split(".")`` in a test
    and ``line.split(". ")`` for the content are one reading, at the longer mark."""
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
    """Tell whether the code asks of the first part, as it stands, whether it is a number."""
    return any(
        part.operation.name in ("getitem", "unpack")
        and part.operation.arguments[:1] == (0,)
        and any(below.operation.name == ".isdigit" for below in part.uses)
        for part in split.uses
    )


def _starts_with_number(consumers: Sequence[Consumer]) -> bool:
    """Tell whether the code tests the first character, or what stands first, for a digit."""
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
            found.extend(inner([c for c in consumers_of(node, item) if not compares(c)]))
    return found
