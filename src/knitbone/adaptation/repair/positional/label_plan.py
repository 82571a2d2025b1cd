"""Templates of identifiers and slots, compiled: how a record is found and parsed in a text.

The text between two identifiers is the slot of the first. A text is accepted where the identifiers
follow one another, and what the code converts can be converted. The search is linear: where slots
take anything, the leftmost place of each identifier is enough.

Source: Comfrey §4.3.1 (finite state automata over elements).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.repair.positional.values import converts
from knitbone.adaptation.requirements import Element, PositionalTemplate
from knitbone.adaptation.requirements.records import ValueType
from knitbone.common.structured import dates

__all__ = [
    "DELIMITED",
    "GROUPED",
    "Identifier",
    "LabelPlan",
    "RecordForm",
    "Slot",
    "key_of",
    "parse",
    "plan_of",
    "reads",
]

DELIMITED = r"(?:[:：=#*_`→]|->|[^\S\n][-–—][^\S\n])"  # noqa: RUF001 - what models write
"""A delimiter behind a name, or before it: a line without one names nothing."""

GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])")
"""Thousands with commas: of these an expression for digits takes the first group only."""
_NOT_KEY = re.compile(r"[\W_]+")
_FREE = r"\s{0,16}\d{0,4}\s{0,16}"
"""Text that ready-made parsers allow inside an identifier."""


_NOTHING = re.compile(r"(?!)")
_TAG = re.compile(r"</?[\w-]{1,40}>")


def key_of(name: str) -> str:
    """Return a name without case, marks and doubled blanks: what its spellings have in common."""
    return _NOT_KEY.sub(" ", name).strip().casefold()


class Identifier(NamedTuple):
    """A fixed text of the template, such as ``Action Input:``."""

    text: str
    """The text as a repair writes it, without the blank behind it."""
    key: str
    """The key of a label or tag; empty for other marks: nothing is clustered to them."""
    pattern: re.Pattern[str]
    own_line: bool
    """Whether the code demands a line break before it."""
    blank: str | None
    """The blank that must stand behind it; ``None`` where blanks are free."""

    @property
    def is_tag(self) -> bool:
        """True where it is written like ``<answer>``."""
        return self.key.startswith("<")


class Slot(NamedTuple):
    """The text that the code takes between two identifiers."""

    type: ValueType = "any"
    options: tuple[str, ...] = ()
    """The only texts accepted, where the code names them."""

    reading: str = ""
    """The way in which the code reads a date."""
    number: bool = False
    """Whether it is as many digits as there are, as an expression takes them."""

    @property
    def plain(self) -> bool:
        """True where any text will do."""
        return self.type == "any" and not self.options

    def accepts(self, text: str) -> bool:
        """Return whether the code can convert the text, or knows it."""
        if self.number:
            return text.lstrip()[:1].isdigit() and GROUPED.match(text.lstrip()) is None
        if self.options:
            return text.strip() in self.options
        if self.reading:
            return dates.reads(text.strip(), self.reading)
        return converts(text, self.type)


class RecordForm(NamedTuple):
    """One sequence of identifiers; ``slots[0]`` stands before the first."""

    identifiers: tuple[Identifier, ...]
    slots: tuple[Slot | None, ...]

    @property
    def typed(self) -> bool:
        """True where the code converts or compares a slot."""
        return any(slot is not None and not slot.plain for slot in self.slots)


class LabelPlan(NamedTuple):
    """A template of identifiers, compiled."""

    records: tuple[RecordForm, ...]
    """Alternatives: an answer is exactly one of them."""
    reader: Reader | None
    repeated: bool
    anchored: bool
    """Whether the first identifier must stand at the start of the text, or of a line."""
    by_line: bool
    """Whether an anchored one may start any line of the text, as ``^`` does under
    ``re.MULTILINE``."""
    spans_lines: bool
    guard: bool
    """Whether an answer without the identifier is as good: the code only asks for it."""
    labels: tuple[Identifier, ...]
    """The identifiers that drifted spellings are clustered to, each once."""
    counted: frozenset[str]
    """Keys of those whose slot is a number."""
    like: re.Pattern[str]
    """A line that begins with a label, which its group tells."""
    unlike: re.Pattern[str]
    """A line that may begin with a drifted label."""
    marked: tuple[str, ...]
    """Labels with emphasis right before them: the cheap test before ``decorated``."""
    decorated: re.Pattern[str]
    """A label inside emphasis: the code reads it, and takes the closing mark for content."""

    def repeats(self, text: str) -> bool:
        """Return whether the text is records, one behind the other, and no line could be a drifted
        one.

        The fast path of series; ``False`` promises nothing.
        """
        probe = "\n" + text  # a fixed first character is found faster than a line's start
        if self.counted or self.unlike.search(probe) is not None:
            return False
        found = [match.lastindex for match in self.like.finditer(probe)]
        size = len(self.records[0].identifiers)
        if len(self.records) > 1:
            return bool(found) and all(len(r.identifiers) == 1 for r in self.records)
        order = list(range(1, size + 1)) * (len(found) // size)
        read = self.reader is None or len(self.reader.read(text)) * size == len(found)
        return bool(found) and found == order and read

    def is_decorated(self, text: str) -> bool:
        """Return whether a label of the text stands inside emphasis."""
        return any(mark in text for mark in self.marked) and bool(self.decorated.search(text))


def plan_of(template: PositionalTemplate) -> LabelPlan | None:
    """Compile a template; ``None`` where it has no identifier, or one that is not flat."""
    sequences = [template.elements]
    first = template.elements[0]
    ready_made = first.kind == "choice" and len(template.elements) == 1
    if first.kind == "choice":
        sequences = [(*sequence, *template.elements[1:]) for sequence in first.alternatives]
    records = [_record(s, ignore_case=template.ignore_case, free=ready_made) for s in sequences]
    known = tuple(record for record in records if record is not None)
    if len(known) < len(records):
        return None
    labels = {i.key: i for record in known for i in record.identifiers if i.key}
    like, unlike, decorated = _line_patterns(labels.values())
    single = len(known) == 1 and len(known[0].identifiers) == 1
    return LabelPlan(
        records=known,
        reader=template.reader,
        repeated=template.repeated,
        anchored=template.line_start,
        by_line=_starts_lines(template.reader),
        spans_lines=template.spans_lines,
        guard=single and template.on_violation == "unknown",
        labels=tuple(labels.values()),
        counted=_counted_labels(known),
        like=like,
        unlike=unlike,
        marked=tuple(mark + label.text for label in labels.values() for mark in "*_`"),
        decorated=decorated,
    )


def _line_patterns(labels: Collection[Identifier]) -> tuple[re.Pattern[str], ...]:
    """Compile expressions for a line that begins with a label, one that may begin with another
    name, and a label inside emphasis."""
    if not labels:
        return _NOTHING, re.compile(rf"\n(?=[^\n]{{0,80}}?{DELIMITED})"), _NOTHING
    # Only labels that are like their text: a pattern of its own may hold more than that.
    exact = [re.escape(label.text + (label.blank or "")) for label in labels]
    names = "|".join(re.escape(label.text) for label in labels)
    return (
        re.compile(f"\n(?:{'|'.join(f'({each})' for each in exact)})"),
        re.compile(rf"\n(?!(?:{'|'.join(exact)}))(?=[^\n]{{0,80}}?{DELIMITED})"),
        re.compile(rf"(\*\*|__|[*_`])(?:{names})(?:\1|[^\n*_`]*\1[^\S\n]*$)", re.MULTILINE),
    )


def _counted_labels(records: Sequence[RecordForm]) -> frozenset[str]:
    """Return the labels whose slots are numbers."""
    return frozenset(
        identifier.key
        for record in records
        for identifier, slot in zip(record.identifiers, record.slots[1:], strict=True)
        if slot is not None and slot.type in ("integer", "number")
    )


def _starts_lines(reader: Reader | None) -> bool:
    if reader is None or reader.kind != "regex" or reader.method in ("match", "fullmatch"):
        return False
    return bool(reader.flags & re.MULTILINE) or "(?m)" in reader.pattern


def _record(elements: Sequence[Element], *, ignore_case: bool, free: bool) -> RecordForm | None:
    """Compile a sequence of elements; ``None`` where it is no alternation of identifiers and
    slots."""
    identifiers: list[Identifier] = []
    slots: list[Slot | None] = [None]
    fixed: list[Element] = []
    for element in (*elements, Element(kind="slot", optional=True)):
        if element.kind == "choice":
            return None
        slot = _slot(element)
        if slot is None:
            fixed.append(element)
            continue
        if any(e.kind != "space" for e in fixed):
            identifiers.append(_identifier(fixed, ignore_case=ignore_case, free=free))
            slots.append(None)
        fixed = []
        if not element.optional or slot.plain is False:
            if slots[-1] is not None and not (slots[-1].plain and slot.plain):
                return None  # two slots with nothing but a blank between them
            slots[-1] = slot
    return RecordForm(tuple(identifiers), tuple(slots)) if identifiers else None


def _slot(element: Element) -> Slot | None:
    """Return the slot that an element is; ``None`` for a fixed one."""
    if element.kind == "slot":
        return Slot(element.type, reading=element.reading)
    if element.kind == "number" and not element.optional:
        return Slot("integer", number=True)
    if element.kind == "words" and element.captured and len(element.options) > 1:
        return Slot(options=element.options)
    return None


def _identifier(fixed: Sequence[Element], *, ignore_case: bool, free: bool) -> Identifier:
    """Compile the fixed elements between two slots into an identifier."""
    elements = list(fixed)
    own_line = False
    # Blanks at both ends are told apart: a line break before it, the blank behind it.
    while elements and elements[0].kind == "space":
        own_line = own_line or (not elements[0].optional and "\n" in elements[0].text)
        elements.pop(0)
    blank: str | None = None
    while elements and elements[-1].kind == "space":
        last = elements.pop()
        if not last.optional and not free:
            blank = last.text
    text = "".join(e.text for e in elements if not e.optional)
    pattern = "".join(_pattern(e, free=free) for e in elements)
    if blank is not None:
        pattern += _pattern(fixed[-1], free=False)
    pattern = rf"\n{pattern}" if own_line else pattern
    is_label = text[:1].isalpha() and not text[-1].isalnum()  # ends in its delimiter
    is_tag = _TAG.fullmatch(text) is not None
    return Identifier(
        text=text,
        key=text.casefold() if is_tag else key_of(text) if is_label else "",
        pattern=re.compile(pattern, re.IGNORECASE if ignore_case else 0),
        own_line=own_line,
        blank=blank,
    )


def _pattern(element: Element, *, free: bool) -> str:
    """Return an expression for a fixed element; bounded, so that runs of blanks stay linear."""
    if element.kind == "number":
        fragment = r"\d{1,9}"
    elif element.kind == "space":
        kept = f"[{''.join(map(re.escape, element.options))}]" if element.options else r"\s"
        return f"{kept}{{{0 if element.optional else 1},64}}"
    else:
        fragment = f"(?:{'|'.join(map(re.escape, element.options or (element.text,)))})"
        if free and element.kind == "words":
            fragment = _FREE.join(map(re.escape, element.text.split(" "))) + _FREE
    return f"{fragment}?" if element.optional else fragment


def parse(text: str, record: RecordForm, plan: LabelPlan) -> list[str] | None:
    """Return the slots, in order, where the text is accepted; slots the template does not have
    too."""
    if plan.spans_lines or any(i.own_line for i in record.identifiers):
        return _parse_sequence(text, record, anchored=plan.anchored)
    for line in text.split("\n"):
        if (found := _parse_sequence(line, record, anchored=plan.anchored)) is not None:
            return found
    return None


def _parse_sequence(text: str, record: RecordForm, *, anchored: bool) -> list[str] | None:
    slots: list[str] = []
    position = 0
    for index, identifier in enumerate(record.identifiers):
        if index == 0 and anchored and record.slots[0] is None:
            match = identifier.pattern.match(text)
        else:
            match = identifier.pattern.search(text, position)
        if match is None:
            return None
        slots.append(text[position : match.start()])
        position = match.end()
    slots.append(text[position:])
    return slots


def reads(text: str, plan: LabelPlan) -> bool:
    """Return whether the code reads the text as it is."""
    if plan.reader is not None:
        found = plan.reader.read(text)
        if not found or not any(record.typed for record in plan.records):
            return bool(found)
    parsed = [(record, parse(text, record, plan)) for record in plan.records]
    accepted = [(record, slots) for record, slots in parsed if slots is not None]
    if plan.reader is not None and not accepted:
        return True  # the expression reads what the elements only outline
    return len(accepted) == 1 and _slots_fit(accepted[0][1], accepted[0][0])


def _slots_fit(slots: Sequence[str], record: RecordForm) -> bool:
    """Return whether the code can convert the slots that it converts."""
    return all(
        wanted is None or wanted.plain or wanted.accepts(slot)
        for slot, wanted in zip(slots, record.slots, strict=True)
    )
