r"""Expressions that read a line with a template's own slots, but other marks between them.

The code reads ``[low] Paint the door: 3`` with ``\[(\w+)\] (.+): (\d+)``, and a model writes

    - **low** Paint the door - 3

The loose expression of that template takes the line apart into what the code wants and what stands
between: the lead ``- **``, the slot ``low``, the gap ``** ``, the slot ``Paint the door``, the gap
`` - ``, the slot ``3`` and an empty end. Each slot and each gap is a group, in turn.
"""

# ruff: noqa: RUF001 - the dashes and full-width characters that models write
from __future__ import annotations

import re
from itertools import pairwise

from knitbone.adaptation.repair.positional.line_patterns import Gap, LinePattern, Piece
from knitbone.adaptation.text.wrappers.labels import ANSWER_LABELS

__all__ = ["MAX_LINE", "first_slot_expression", "loose_expression"]

MAX_LINE = 400
"""Characters of a line that may be a record: the expression takes quadratic time (ours)."""

# Every repetition is bounded, so that no line takes longer than its length squared.
_BLANKS = r"[^\S\n]{0,8}"
_OPENING = r"(?:[*_`]{1,3}|[(\[{<]){0,3}"
"""What may stand before a slot: ``**``, ``[``, ``(**``."""
_CLOSING = r"(?:[*_`]{1,3}|[)\]}>]){0,3}"
"""What may stand behind it."""
_QUOTE_AND_HEADING = rf"{_BLANKS}(?:>[^\S\n]?)?(?:#{{1,6}}[^\S\n])?"
_NUMBER_OR_BULLET = r"(?:(?:[-*+•]|\d{1,3}[.)])[^\S\n]{1,4})?"
_BULLET = r"(?:[-*+•][^\S\n]{1,4})?"
_COLON = r"(?:[：|]|->|=>|→)"
"""What models write for any mark that parts two slots; and a colon or ``=``."""
_DASH = r"(?:[^\S\n]{1,8}[-–—](?=[^\S\n]))"
"""The same; a dash without blanks around it belongs to a word."""
_CONTENT = r"(?:[^\n()\[\]{}]|\([^\n()]*\)|\[[^\n\[\]]*\]|\{[^\n{}]*\})"
"""One character of a slot that takes any, or what stands in brackets that close."""
_NOT_BEHIND_A_MARK = r"(?<![\s(\[{<*_`:：|=–—-])"
"""A slot that takes anything ends before the marks behind it."""
_LABEL = f"(?:(?i:{'|'.join(ANSWER_LABELS)}):[^\\S\n]{{0,4}})?"
"""``Priority: `` before a slot of a few known words."""


def loose_expression(pattern: LinePattern, *, shortest: bool, listed: bool) -> str:
    """Return an expression for the same slots with other marks between them.

    Where the expression with the shortest slots and the one with the longest take a line apart in
    the same way, there is only one way.

    Args:
        shortest: whether a slot that takes anything ends as early as it can, or as late.
        listed: whether another form sees to what stands up to the second slot.
    """
    groups = [pattern.gaps[0].source if listed else _lead(pattern)]
    for place, (before, after) in enumerate(pairwise(pattern.slots), start=1):
        gap = pattern.gaps[place]
        end = _NOT_BEHIND_A_MARK if before.free else ""
        groups.append(_slot(before, shortest=shortest) + end)
        groups.append(gap.source if listed and place == 1 else _between(before, gap, after))
    last = pattern.slots[-1]
    groups.append(_slot(last, shortest=shortest))
    # What stands behind a slot that takes anything would belong to the slot.
    groups.append(pattern.gaps[-1].source if last.free else rf"{_CLOSING}[.]?{_BLANKS}")
    return "".join(f"({group})" for group in groups)


def first_slot_expression(pattern: LinePattern) -> str | None:
    """Return an expression for the beginning of a line that has the first slot and the marks
    around it as the code wants them; ``None`` where these tell nothing."""
    first, (before, behind, *_) = pattern.slots[0], pattern.gaps
    if not (first.digits or first.options) or not behind.text.strip():
        return None
    return rf"\s{{0,8}}{before.source}{first.source}{behind.source}\S"


def _lead(pattern: LinePattern) -> str:
    """Return an expression for what may stand before the first slot."""
    first = pattern.slots[0]
    # A number at the very beginning may be the slot itself.
    is_number = first.digits and not pattern.gaps[0].text.strip()
    lead = _QUOTE_AND_HEADING + (_BULLET if is_number else _NUMBER_OR_BULLET)
    return lead if first.free else lead + _OPENING + _label(first)


def _between(before: Piece, gap: Gap, after: Piece) -> str:
    """Return an expression for what may stand between two slots: what closes around the first, a
    mark that parts them, what opens before the second."""
    own_marks = "|".join(re.escape(mark) for mark in gap.text if not mark.isspace())
    mark = rf"(?:[:=]|{own_marks})" if own_marks else "[:=]"
    if gap.text.strip() != gap.text:
        # Without a blank beside it, it belongs to a word or a number: ``12:30``, ``Boeing-747``.
        mark = rf"(?:(?<=\s){mark}|{mark}(?=[\s*_`]))"
    parting = rf"(?:{_BLANKS}(?:{_COLON}|{mark})|{_DASH})?"
    # Marks that close belong to a slot that takes any.
    closing = "" if before.free else _CLOSING
    opens = not after.free or gap.text.rstrip()[-1:] in "([{<"
    opening = _OPENING + _label(after) if opens else ""
    return rf"(?=[\W_]){closing}{parting}{closing}{_BLANKS}{opening}"


def _label(slot: Piece) -> str:
    return _LABEL if slot.options else ""


def _slot(slot: Piece, *, shortest: bool) -> str:
    """Return an expression for the content of a slot; the known words in any case, a time or a date
    with one digit for two."""
    if slot.options:
        return f"(?i:{'|'.join(map(re.escape, slot.options))})"
    if slot.compound:
        return slot.source.replace("{2,2}", "{1,2}")
    if not slot.free:
        return slot.source
    # What the slot may hold is asked of the code in the end; here only how far it reaches.
    return rf"(?=\S){_CONTENT}{{1,{MAX_LINE}}}{'?' * shortest}"
