"""Sentences of a model around its answer that say nothing about the answer's content.

Source: Comfrey §4.3.1 (extraneous elements).
"""

from __future__ import annotations

import re

from knitbone.adaptation.repair.positional.constants import NEGATIONS

__all__ = ["is_closing_remark", "without_closing"]

_MAX_REMARK = 160
"""Characters of a closing remark (ours)."""
_COURTESY = re.compile(
    r"(?:please )?(?:let me know|feel free|i hope|hope (?:this|that)|is there anything|"
    r"would you like|do you (?:need|want)|if you (?:need|have|want|would))\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"(?:these|those|that|this|here) (?:is|are|was|were)\b[\w ']{0,60}[.!]|"
    r"(?:enjoy|done|end of (?:list|file|table)|good luck)\W{0,3}",
    re.IGNORECASE,
)

_FENCE = re.compile(r"[^\S\n]{0,4}```[\w+-]{0,20}[^\S\n]*")


def is_closing_remark(text: str) -> bool:
    """Whether a line behind an answer only ends it: ``These are all contacts.``

    What might take something back, or holds a number, is kept.
    """
    line = text.strip()
    if len(line) > _MAX_REMARK or any(c.isdigit() for c in line):
        return False
    if _COURTESY.match(line):
        return line.endswith(("?", ".", "!"))
    return _ALL.fullmatch(line) is not None and NEGATIONS.search(line) is None


def without_closing(text: str) -> str | None:
    """The text without the remark, or the fence, in which it ends; ``None`` where it has neither.

    A fence goes as a whole, what it holds stays.
    """
    lines = text.rstrip().split("\n")
    if len(lines) < 2:
        return None
    last = lines.pop()
    if _FENCE.fullmatch(last):
        opening = next(
            (n for n in range(len(lines) - 1, -1, -1) if _FENCE.fullmatch(lines[n])), None
        )
        if opening is None or last.strip() != "```":
            return None
        del lines[opening]
    elif not is_closing_remark(last):
        return None
    shorter = "\n".join(lines).rstrip()
    return shorter or None
