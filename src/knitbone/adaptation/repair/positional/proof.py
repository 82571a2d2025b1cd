"""The proof of a repair: the consumer's own code reads every record, and loses none it had.

Design contract *Verified*: a repair that does not re-validate is discarded.
"""

from __future__ import annotations

from collections.abc import Sequence

from knitbone.adaptation.consumers.readers import Record
from knitbone.adaptation.repair.positional.rewrite import Rewrite, Rewritten
from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["verify"]


def verify(before: Sequence[Record], rewrite: Rewrite, template: PositionalTemplate) -> str:
    """Why the rewritten answer may not be delivered; empty where it may.

    Args:
        before: what the consumer found in the original answer.
    """
    reader = template.replay
    after = reader.read(rewrite.text)
    expected: list[Record] = []
    for record, block in zip(rewrite.records, _blocks(rewrite, template), strict=True):
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
    parted = template.spans_lines or any(record.inline for record in rewrite.records)
    if not _still_found(before, after, prefix=parted):
        return "a record that the consumer found in the original would be lost"
    return ""


def _blocks(rewrite: Rewrite, template: PositionalTemplate) -> list[str]:
    """Return the text of each record: its line, or up to the next record where slots span lines."""
    if not template.spans_lines:
        return [record.line for record in rewrite.records]
    starts = [record.start for record in rewrite.records]
    ends = [start - 1 for start in starts[1:]] + [len(rewrite.text)]
    return [rewrite.text[start:end] for start, end in zip(starts, ends, strict=True)]


def _keeps_content(
    found: Record, record: Rewritten, block: str, template: PositionalTemplate
) -> bool:
    """Return whether what the consumer receives is the record's content, no character of a word
    less."""
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
    rest = iter(after)
    for record in before:
        for candidate in rest:
            if candidate == record or (prefix and _begins(record, candidate)):
                break
        else:
            return False
    return True


def _begins(record: Record, candidate: Record) -> bool:
    return len(record) == len(candidate) and all(
        whole.startswith(part.rstrip()) for whole, part in zip(record, candidate, strict=True)
    )
