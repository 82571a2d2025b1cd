"""The heads of drifted records, written as the template wants them; the content stays
byte-identical.

Comfrey §4.3.1 (delimiter supplementation, fixed identifiers). Only the head of a line is written
anew: words, number, delimiter, blanks. A number is written only where the answer has none; it is
the record's position in the list.

``verify`` proves a rewriting: the consumer's own code reads every record, and loses none it had. A
repair that is not proven is discarded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from knitbone.adaptation.consumers.readers import Record
from knitbone.adaptation.repair.positional.heads import with_emphasis
from knitbone.adaptation.repair.positional.line_records import Line
from knitbone.adaptation.requirements import Element, PositionalTemplate
from knitbone.adaptation.requirements.records import plain_elements

__all__ = ["rewrite", "verify"]


_NO_EMPHASIS = "emphasis left out"


class Rewritten(NamedTuple):
    """One record in the new text."""

    start: int
    """Offset in the new text."""
    line: str
    content: str
    """The text behind the head, byte for byte from the answer."""
    changed: bool
    inline: bool


class Rewrite(NamedTuple):
    """An answer with rewritten heads, before it is proven."""

    text: str
    records: tuple[Rewritten, ...]
    rules: tuple[str, ...]


def rewrite(
    text: str, records: Sequence[Line], template: PositionalTemplate, *, tau: int
) -> Rewrite:
    """Return the answer with the head of every drifted record written as the template wants it.

    A record with ``tau`` or more edits is not this template and keeps its bytes.
    """
    renumber = _all_alike(records) and template.reads_number
    pieces: list[str] = []
    rewritten: list[Rewritten] = []
    rules: dict[str, int] = {}
    position = length = 0

    def emit(piece: str) -> None:
        nonlocal length
        pieces.append(piece)
        length += len(piece)

    for index, line in enumerate(records, start=1):
        if line.inline:
            emit("\n")
            _count(rules, "records on one line parted")
        else:
            emit(text[position : line.start])
        head = line.head
        if line.conforms or head is None or line.edits >= tau:
            if line.conforms:
                rewritten.append(Rewritten(length, line.text, line.text, False, line.inline))
            emit(line.text)
        else:
            number = str(index) if renumber else head.digits or str(line.assigned or index)
            new_head = _write_head(line, template, number)
            content = with_emphasis(head.moved, line.text[head.end :])
            rewritten.append(Rewritten(length, new_head + content, content, True, line.inline))
            emit(new_head + content)
            for rule in _describe_edits(line, template, renumbered=renumber):
                moved = rule == _NO_EMPHASIS and head.moved and content.startswith(head.moved)
                _count(rules, "emphasis moved to the content" if moved else rule)
        position = line.end
    emit(text[position:])
    return Rewrite(
        "".join(pieces),
        tuple(rewritten),
        tuple(f"{rule} in {n} record{'s' if n > 1 else ''}" for rule, n in rules.items()),
    )


def _all_alike(records: Sequence[Line]) -> bool:
    numbers = {line.number for line in records}
    same = len(numbers) == 1 and None not in numbers
    return same and len(records) > 1 and not any(line.conforms for line in records)


def _write_head(line: Line, template: PositionalTemplate, number: str) -> str:
    """Return the head as the template has it, with the record's number."""
    head = line.head
    assert head is not None  # noqa: S101 - only lines with a head are rewritten
    written: list[str] = []
    for element in plain_elements(template.head):
        if element.kind == "number":
            written.append(number)
        elif element.kind == "space":
            written.append(_blank(element, head.space if written else "", bool(written)))
        elif not element.optional:
            kept = head.delimiter if element.kind == "delimiter" else head.word
            if template.marker == "bullet":
                kept = head.bullet
            written.append(kept if kept in element.options else element.text)
    joined = "".join(written)
    if not joined[-1:].isspace() and head.space and not _refuses_blank(template):
        joined += head.space
    return joined


def _refuses_blank(template: PositionalTemplate) -> bool:
    return bool(template.head) and template.head[-1].kind == "space"


def _blank(element: Element, kept: str, inside: bool) -> str:
    if element.options:
        exact = element.text
        return "" if element.optional and not inside else exact
    if element.optional:
        return kept if inside else ""
    return kept or " "


def _describe_edits(line: Line, template: PositionalTemplate, *, renumbered: bool) -> list[str]:
    """Return what was done to the head of one line, for people."""
    head = line.head
    assert head is not None  # noqa: S101 - only lines with a head are rewritten
    wanted = {e.kind: e for e in plain_elements(template.head) if not e.optional}
    rules: list[str] = []
    delimiter = wanted.get("delimiter")
    if head.number is None and "number" in wanted:
        rules.append(f'bullet "{head.bullet}" -> number' if head.bullet else "number supplied")
    elif delimiter is not None and head.delimiter not in delimiter.options:
        if template.marker == "bullet":
            rules.append(
                f'number -> bullet "{delimiter.text}"'
                if head.number is not None
                else f'bullet "{head.bullet}" -> "{delimiter.text}"'
            )
        else:
            rules.append(f'delimiter "{head.delimiter}" -> "{delimiter.text}"')
    words = wanted.get("words")
    if words is not None and head.word not in words.options:
        rules.append(f'"{words.text}" supplied')
    elif words is None and head.word:
        rules.append(f'"{head.word}" left out')
    rules.extend(
        f"{token.kind} left out"
        for token in head.tokens
        if token.kind in ("emphasis", "enclosure", "heading", "quote", "box", "bullet")
    )
    if renumbered:
        rules.append("numbered anew")
    return rules or ["blanks aligned"]


def _count(rules: dict[str, int], rule: str) -> None:
    rules[rule] = rules.get(rule, 0) + 1


def verify(before: Sequence[Record], rewritten: Rewrite, template: PositionalTemplate) -> str:
    """Return the reason why the rewritten answer may not be delivered; empty where it may.

    Args:
        before: what the consumer found in the original answer.
    """
    reader = template.replay
    after = reader.read(rewritten.text)
    expected: list[Record] = []
    for record, block in zip(rewritten.records, _record_texts(rewritten, template), strict=True):
        found = reader.read(block)
        if len(found) != 1:
            return f"the consumer reads {len(found)} records, not one, in {record.line[:80]!r}"
        if record.changed and not _keeps_content(found[0], record, block, template):
            return f"the consumer would not read the content of {record.line[:80]!r} whole"
        expected.extend(found)
    if not template.repeated:
        expected = expected[:1]
    if after != expected:
        return (
            f"the consumer reads {len(after)} records in the repaired answer, not {len(expected)}"
        )
    parted = template.spans_lines or any(record.inline for record in rewritten.records)
    if not _still_found(before, after, prefix=parted):
        return "a record that the consumer found in the original would be lost"
    return ""


def _record_texts(rewritten: Rewrite, template: PositionalTemplate) -> list[str]:
    """Return the text of each record: its line, or up to the next record where slots span lines."""
    if not template.spans_lines:
        return [record.line for record in rewritten.records]
    starts = [record.start for record in rewritten.records]
    ends = [start - 1 for start in starts[1:]] + [len(rewritten.text)]
    return [rewritten.text[start:end] for start, end in zip(starts, ends, strict=True)]


def _keeps_content(
    found: Record, record: Rewritten, block: str, template: PositionalTemplate
) -> bool:
    """Return whether the consumer gets the record's content with no character of a word less."""
    slots = [element for element in template.elements if element.kind == "slot"]
    if not slots or (len(found) > 1 and not any(slot.captured for slot in slots)):
        return True  # the code only checks the head, and takes the content another way
    text = template.replay.transform(block)
    head_length = len(record.line) - len(record.content)
    rest: list[str] = []
    position = 0
    for group in found:
        at = text.find(group, position)
        if at < 0:
            return False
        rest.append(text[max(position, head_length) : at])
        position = at + len(group)
    rest.append(text[max(position, head_length) :])
    unread = "".join(rest)
    for element in template.elements:
        if element.kind == "words":
            unread = unread.replace(element.text, "", 1)
    return not any(character.isalnum() for character in unread)


def _still_found(before: Sequence[Record], after: Sequence[Record], *, prefix: bool) -> bool:
    """Return whether every record that was found before is found still, in order."""
    rest = iter(after)
    for record in before:
        for candidate in rest:
            if candidate == record or (prefix and _is_prefix_of(record, candidate)):
                break
        else:
            return False
    return True


def _is_prefix_of(record: Record, candidate: Record) -> bool:
    return len(record) == len(candidate) and all(
        whole.startswith(part.rstrip()) for whole, part in zip(record, candidate, strict=True)
    )
