"""Write the heads of drifted records as the template wants them; content stays byte-identical.

Comfrey §4.3.1 (delimiter supplementation, fixed identifiers). Only the head of a line is written
anew: words, number, delimiter, blanks. A number is written where the answer has none, and only
then; it is the record's place in the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from knitbone.adaptation.repair.positional.heads import with_emphasis
from knitbone.adaptation.repair.positional.line_records import Line
from knitbone.adaptation.requirements import Element, PositionalTemplate
from knitbone.adaptation.requirements.records import plain_elements

__all__ = ["Rewrite", "Rewritten", "rewrite"]


_NO_EMPHASIS = "emphasis left out"


class Rewritten(NamedTuple):
    """One record in the new text."""

    start: int
    """Offset in the new text."""
    line: str
    content: str
    """What stands behind the head, byte for byte from the answer."""
    changed: bool
    inline: bool


class Rewrite(NamedTuple):
    """A candidate for the repaired answer."""

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

    for place, line in enumerate(records, start=1):
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
            number = str(place) if renumber else head.digits or str(line.assigned or place)
            new_head = _write_head(line, template, number)
            content = with_emphasis(head.moved, line.text[head.end :])
            rewritten.append(Rewritten(length, new_head + content, content, True, line.inline))
            emit(new_head + content)
            for rule in _explain(line, template, renumbered=renumber):
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


def _explain(line: Line, template: PositionalTemplate, *, renumbered: bool) -> list[str]:
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
