"""A cheap first look at a border and a few hundred characters around it: may something be cut here?

What looks right here is left alone, and costs no more than this look.

Source: Comfrey §4.3.2 (integrity of the first and last words and sentences).
"""

from __future__ import annotations

import re

from knitbone.adaptation.scenario.segmentation.graphemes import cuts_character, is_spaceless

__all__ = ["ENDED", "WINDOW", "is_prose", "may_cut"]

WINDOW = 400
"""Characters looked at on either side."""

_CLOSERS = "\"'\u201d\u2019)\\]}*_`>\u00bb\u300d\u300f\uff09"
ENDED = re.compile(rf"[.!?:;\u2026\u3002\uff01\uff1f\u0964\u061f\u06d4][{_CLOSERS}]{{0,4}}\Z")
"""A text that may end here."""
_CONTINUATION = re.compile(r"(?:[,;:!?)\]}%\u3001\u3002\uff0c]|\.(?![\w.]))")
"""No sentence, row or item starts like this."""
_OPEN_WORD = re.compile(
    r"(?:,|[(\[]|\b(?:an?|the|and|or|of|with|from|for|by|at|as|into|than|that|which|whose|is|are"
    r"|was|were|has|have|had|be|been|will|would|can|could|should|must|may|its|their|his|our|your"
    r"|my|these|those|this|every|each|not))\Z"
)
"""A comma, or a word that asks for another one: an incomplete phrase (Comfrey §4.3.2)."""
_BLOCK_START = re.compile(
    r"(?:[-*+\u2022|>#]|```|~~~|\(?(?:\d{1,3}|[A-Za-z])[.)])(?:\s|\Z)|\||```|~~~"
)
"""The start of a list item, a row, a quotation, a heading, a fence."""
_CODE = re.compile(
    r"[{}<>=\\|]|;\s*\Z|\w\(|\)\s*:|^(?:\t| {4})|::|__|[a-z]_[a-z]|[^\s\d],[^\s\"'\u201d\u2019]|"
    r"\A\s*(?:def|class|return|import|from \S+ import|@\w)\b"
)
"""Signs of code, markup and comma-separated rows in a line."""
_ADDRESS = re.compile(r"https?://\S+|\[[^\]\n]{0,200}\]\([^)\s]{0,200}\)")
_PROSE_WORDS = 3
"""Words without which a line is a title, a name or a cell rather than a part of a sentence."""


def may_cut(before: str, after: str, *, exact: bool, fenced: bool = False) -> bool:
    """Return whether something may be cut between two texts.

    Args:
        exact: nothing is missing between them; otherwise blanks may be.
        fenced: the border is inside of a code fence.
    """
    tail, head = before.rstrip(), after.lstrip()
    if not tail or not head:
        return False
    gap = before[len(tail) :] + after[: len(after) - len(head)]
    if not gap and cuts_character(tail, head):
        return True
    if fenced:
        return True
    if gap.count("\n") > 1:
        return False
    if "\n" in gap or not exact:
        return not _BLOCK_START.match(head) and _is_guess(tail, head)
    if not gap and _is_within_token(tail, head):
        return True
    return not ENDED.search(tail[-8:]) or head[0].islower()


def is_prose(before: str, after: str) -> bool:
    """Return whether the lines on both sides of a border look like parts of sentences."""
    last = before.rstrip()[-WINDOW:].rpartition("\n")[2]
    first = after.lstrip()[:WINDOW].partition("\n")[0]
    if _CODE.search(_ADDRESS.sub("", last)) or _CODE.search(_ADDRESS.sub("", first)):
        return False
    if is_spaceless(last[-1:]) and is_spaceless(first[:1]):
        return True
    return len(last.split()) >= _PROSE_WORDS and len(first.split()) >= 1


def _is_within_token(tail: str, head: str) -> bool:
    """Return whether no blank stands between: two sentences of Chinese need none."""
    return not (ENDED.search(tail[-8:]) and is_spaceless(head[0]))


def _is_guess(tail: str, head: str) -> bool:
    """Return whether something may be cut where a blank or a line end stands, or may have stood."""
    ended = ENDED.search(tail[-8:])
    if _cuts_row(tail, head):
        return True
    if head[0].islower():
        return True
    if ended:
        return False
    spaceless = is_spaceless(tail[-1]) and is_spaceless(head[0])
    return spaceless or bool(_OPEN_WORD.search(tail[-12:]) or _CONTINUATION.match(head))


def _cuts_row(tail: str, head: str) -> bool:
    """Return whether a row of a Markdown table starts before the border and does not end there."""
    last = tail.rpartition("\n")[2].lstrip()
    return last.startswith("|") and not last.endswith("|") and len(last) > 1 and head[0] != "|"
