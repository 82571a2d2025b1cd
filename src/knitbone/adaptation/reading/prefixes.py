"""Family of readers: texts, or lines, that begin with a mark that the code removes.

``if line.startswith("Title:"): title = line[6:]``. A test alone only asks a question about the
text; a mark is demanded where the code removes it, or takes what stands behind it. Marks that are
tried in turn on one text are alternatives. In a loop over lines they are too, unless what stands
behind each is kept once: then the lines together are one record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from knitbone.adaptation.reading.conversions import conversion, type_of
from knitbone.adaptation.reading.cut_records import LINE_BREAK, SLOT
from knitbone.adaptation.reading.regex_outlines import FENCE
from knitbone.adaptation.reading.text_consumers import (
    NEAR,
    Consumer,
    FamilyResult,
    ReadOn,
    consumers_of,
    first_on_violation,
    first_text,
    items_of,
    lowest_with_texts,
    unknown,
)
from knitbone.adaptation.requirements.records import (
    Confidence,
    Element,
    PositionalTemplate,
    Requirement,
)
from knitbone.adaptation.requirements.regex_templates import literal_elements
from knitbone.adaptation.requirements.uses import Computed

__all__ = ["constant_marks", "read_prefixes"]

_ENDS = ":=>]"
"""Characters that end a label: ``Title:``, ``<answer>``."""
_COLLECTS = frozenset({"append", "add", "insert", "extend"})
"""Methods that gather several lines of one mark."""
_STRIPS = frozenset({".strip", ".lstrip"})
_CUTS = frozenset({".split", ".partition"})
_MEASURED = re.compile(r"""len\((?P<quote>["'])(?P<text>[^"'\\]*)(?P=quote)\)""")
"""``line[len("Title:") :]``."""


def read_prefixes(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return one requirement for all marks that one text, or each of its lines, may begin with, in
    one file."""
    del read_on
    found: dict[str, list[int]] = {}
    for index, consumer in enumerate(consumers):
        tests = consumer.name == ".startswith" and constant_marks(consumer)
        if tests or _is_heading_level(consumer, consumers):
            found.setdefault(consumer.use.evidence.file, []).append(index)
    requirements: list[Requirement] = []
    claimed: set[int] = set()
    for indices in found.values():
        read = _read_tests(indices, consumers)
        requirements.extend(read.requirements)
        claimed |= read.claimed
    return FamilyResult(tuple(requirements), frozenset(claimed))


def _read_tests(indices: Sequence[int], consumers: Sequence[Consumer]) -> FamilyResult:
    """Return the requirement of the tests of one file, and the consumers that it explains."""
    tests = [consumers[i] for i in indices]
    marks = tuple(dict.fromkeys(mark for test in tests for mark in constant_marks(test)))
    lines = tests[0].text.lines
    if not any(_is_demanded(mark, consumers, lines=lines) for mark in marks):
        return FamilyResult()
    if not lines and len(marks) == 1 and _is_cut_at(marks[0], consumers):
        return FamilyResult()  # a guard of that cut, which says more
    used = set(indices)
    for index, consumer in enumerate(consumers):
        if (
            (consumer.name in (".removeprefix", ".replace") and _removes_by_name(consumer, marks))
            or (lines and _cuts_behind(consumer, marks))
            or (_is_value(consumer) and any(_is_behind(consumer, mark) for mark in marks))
        ):
            used.add(index)
    first = min(tests, key=lambda test: test.use.evidence.line)
    if first.text.lost:
        return FamilyResult((unknown(first, first.text.lost),), frozenset(used))
    return FamilyResult((_template(first, tests, marks, consumers),), frozenset(used))


def constant_marks(consumer: Consumer) -> tuple[str, ...]:
    """Return the marks that an operation names; empty where one of them is no constant."""
    values = [v for argument in consumer.use.operation.arguments[:1] for v in items_of(argument)]
    texts = tuple(v for v in values if isinstance(v, str) and v.strip() and FENCE not in v)
    return texts if len(texts) == len(values) else ()


def _template(
    first: Consumer, tests: Sequence[Consumer], marks: Sequence[str], consumers: Sequence[Consumer]
) -> PositionalTemplate:
    """Return the template of a text that begins with one of the marks."""
    text = first.text
    record = _is_record(marks, tests, consumers) if text.lines else False
    known = all(mark.rstrip()[-1:] in _ENDS for mark in marks)
    confidence: Confidence = "high" if known and len(marks) == 1 and not text.item else "medium"
    return PositionalTemplate(
        elements=_elements(marks, consumers, record=record),
        repeated=text.lines or text.item,
        line_start=True,
        spans_lines=not text.lines,
        ignore_case=any(test.text.ignore_case for test in tests),
        steps=text.steps,
        on_violation=first_on_violation(test.use for test in tests),
        evidence=first.use.evidence,
        confidence=lowest_with_texts(confidence, tests),
        alternative=text.alternative,
        when=text.when,
    )


def _elements(
    marks: Sequence[str], consumers: Sequence[Consumer], *, record: bool
) -> tuple[Element, ...]:
    """Return the elements of the record, or of the choice between marks."""
    heads = [literal_elements(mark.strip()) for mark in marks]
    if record:
        found: list[Element] = []
        for mark, head in zip(marks, heads, strict=True):
            found.extend([*([LINE_BREAK] if found else []), *head, _slot_behind(consumers, mark)])
        return tuple(found)
    if len(heads) > 1:
        return Element(kind="choice", alternatives=tuple(heads)), SLOT
    return (*heads[0], _slot_behind(consumers, marks[0]))


def _is_record(
    marks: Sequence[str], tests: Sequence[Consumer], consumers: Sequence[Consumer]
) -> bool:
    """Return whether lines with different marks make up one record: nothing there gathers the lines
    of one mark."""
    if len(marks) < 2 or not all(any(c.isalnum() for c in mark) for mark in marks):
        return False
    places = [test.use.evidence for test in tests]
    first, last = min(p.line for p in places), max(p.line for p in places) + NEAR
    return not any(
        consumer.name.rpartition(".")[2] in _COLLECTS
        and consumer.use.evidence.file == places[0].file
        and first <= consumer.use.evidence.line <= last
        and any(_is_behind(consumer, mark) for mark in marks)
        for consumer in consumers
    )


def _is_demanded(mark: str, consumers: Sequence[Consumer], *, lines: bool) -> bool:
    """Return whether the code takes what stands behind the mark, or the mark is written like a
    label."""
    if mark.rstrip()[-1:] in _ENDS:
        return True
    return any(_removes(consumer, mark, lines=lines) for consumer in consumers)


def _removes(consumer: Consumer, mark: str, *, lines: bool) -> bool:
    """Return whether a consumer removes the mark."""
    arguments = consumer.use.operation.arguments
    if consumer.name == "slice":
        start = arguments[0] if arguments else None
        return isinstance(start, Computed) or start == len(mark)
    if consumer.name in (".removeprefix", ".replace"):
        return _removes_by_name(consumer, (mark,))
    if consumer.name == ".count" or (lines and consumer.name in _CUTS):
        return first_text(consumer.use.operation) == mark
    return any(_strips(step.name, step.arguments, mark) for step in consumer.text.steps)


def _removes_by_name(consumer: Consumer, marks: Iterable[str]) -> bool:
    """Return whether an operation removes a mark, perhaps with the colon that the test left out."""
    named = first_text(consumer.use.operation)
    return named is not None and any(
        named.strip().rstrip(_ENDS) == mark.strip().rstrip(_ENDS) for mark in marks
    )


def _strips(name: str, arguments: Sequence[object], mark: str) -> bool:
    """Return whether a strip removes the mark, as ``line.strip("# ")`` removes every ``#``."""
    characters = arguments[0] if arguments else None
    return (
        f".{name}" in _STRIPS
        and isinstance(characters, str)
        and bool(mark.strip())
        and set(mark.strip()) <= set(characters)
    )


def _is_heading_level(consumer: Consumer, consumers: Sequence[Consumer]) -> bool:
    """Return whether ``line.count("#")`` measures a heading whose ``#`` are then removed."""
    mark = first_text(consumer.use.operation)
    if consumer.name != ".count" or not consumer.text.lines or mark is None:
        return False
    if any(c.isalnum() for c in mark) or not consumer.use.uses:
        return False
    return any(
        (c.name == ".replace" and first_text(c.use.operation) == mark)
        or any(_strips(step.name, step.arguments, mark) for step in c.text.steps)
        for c in consumers
    )


def _cuts_behind(consumer: Consumer, marks: Sequence[str]) -> bool:
    """Return whether a line is split at one of the marks, or at the colon that follows one."""
    mark = first_text(consumer.use.operation) if consumer.name in _CUTS else None
    return mark is not None and (mark in marks or mark.strip() in tuple(_ENDS))


def _is_cut_at(mark: str, consumers: Sequence[Consumer]) -> bool:
    """Return whether some consumer cuts the text at the mark."""
    finds = (*_CUTS, ".rsplit", ".rpartition", ".find", ".index", ".rfind", ".rindex")
    return any(
        c.name in finds and (first_text(c.use.operation) or "").strip() == mark.strip()
        for c in consumers
    )


def _is_value(consumer: Consumer) -> bool:
    """Return whether a consumer converts the text, or tests it for digits."""
    return type_of(consumer.name) is not None or consumer.name == ".isdigit"


def _is_behind(consumer: Consumer, mark: str) -> bool:
    """Return whether the consumer reads the text behind the mark."""
    for step in consumer.text.steps:
        named = step.arguments[0] if step.arguments else None
        if step.name in ("removeprefix", "replace") and isinstance(named, str):
            if named.strip().rstrip(_ENDS) == mark.strip().rstrip(_ENDS):
                return True
        elif (step.name == "slice" and named == len(mark)) or _strips(
            step.name, step.arguments, mark
        ):
            return True
    return False


def _slices_off(consumer: Consumer, mark: str, consumers: Sequence[Consumer]) -> bool:
    """Return whether a slice takes what stands behind this mark, and not behind another: as its
    length says, or else the test right above it (``elif line.startswith("Urgency:"):
    line[8:]``)."""
    if consumer.name != "slice" or consumer.passing:
        return False
    start = consumer.use.operation.arguments[0] if consumer.use.operation.arguments else None
    if isinstance(start, Computed) and (measured := _MEASURED.fullmatch(start.expression)):
        return measured["text"] == mark
    if isinstance(start, int) and start != len(mark):
        return False
    place = consumer.use.evidence
    above = [
        c
        for c in consumers
        if c.name == ".startswith"
        and c.use.evidence.file == place.file
        and c.use.evidence.line <= place.line
    ]
    nearest = max(above, key=lambda c: c.use.evidence.line, default=None)
    return nearest is None or mark in constant_marks(nearest)


def _slot_behind(consumers: Sequence[Consumer], mark: str) -> Element:
    """Return the slot behind a mark, with the type that the code converts it to."""
    inside = [c for c in consumers if _is_behind(c, mark)]
    taken = [c for c in consumers if _slices_off(c, mark, consumers)]
    inside.extend(b for c in taken for b in consumers_of(c.use, c.text))
    converted = conversion(c.use for c in inside)
    return SLOT if converted is None else converted.slot(SLOT)
