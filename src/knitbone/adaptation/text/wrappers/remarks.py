"""Remarks around an answer that say nothing about its content: ``Sure, here it is:``, ``Hope it
helps!``

Source: Comfrey §4.3.1 (extraneous elements).
"""

# ruff: noqa: RUF001 - the apostrophes that models write
from __future__ import annotations

import re
from collections.abc import Callable

from knitbone.adaptation.text.wrappers.fences import is_fence

__all__ = [
    "NEGATIONS",
    "is_closing_remark",
    "is_lead_in",
    "is_surrounding",
    "may_take_back",
    "says_nothing",
    "says_revised",
    "without_closing",
    "without_courtesy",
    "without_introduction",
    "without_other_lines",
    "without_tags",
]

RESERVATIONS = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|hardly|barely|unless|instead|rather|except|"
    r"however|but|or|if|maybe|perhaps|possibly|probably|unsure|unclear|uncertain|unknown|"
    r"whether|hard|difficult|could|might|may|almost|nearly|"
    r"isn|aren|wasn|weren|don|doesn|didn|can|couldn|wouldn|shouldn|won|"
    r"wrong|incorrect|excluding|excluded|differs|something|anything|nothing|none|e\.g|"
    r"examples?|typical(?:ly)?|default|such as|looks like|used to|ruled out|claims?|claimed|"
    r"previous(?:ly)?|former(?:ly)?|assum(?:e|es|ed|ing)|guess(?:es|ed)?|wait|actually|sorry|"
    r"mistake|mistaken|mistakenly|either|mentions)\b|n[’']t\b|\?",
    re.IGNORECASE,
)
"""Words that may take something back: a constant named behind one may be the one *not* meant."""

NEGATIONS = re.compile(
    r"\b(?:not|no|never|cannot|isn|aren|wasn|weren|don|doesn|didn)\b|n[’']t\b", re.IGNORECASE
)
"""Those of them that deny."""

_MAX_LEAD_IN = 200
"""Characters of a sentence that announces the answer (ours)."""
_MAX_INTRODUCTION = 160
_INTRODUCTION = re.compile(
    r"[^\n]*\b(?:here(?: is|'s|\u2019s| are)|below is|draft|version|revision|revised|rewritten|"
    r"improved|updated|polished|refined)\b[^\n]*:[*_]{0,2}[ \t]*\Z",
    re.IGNORECASE,
)
"""A line of at most that many characters that introduces a version of a text."""

_MAX_REMARK = 160
"""Characters of a closing remark (ours)."""
_COURTEOUS = (
    r"(?:please )?(?:let me know|feel free|i hope|hope (?:this|that)|is there anything|"
    r"would you like|do you (?:need|want)|if you (?:need|have|want|would))\b"
)
_COURTESY = re.compile(rf"{_COURTEOUS}", re.IGNORECASE)
_ALL = re.compile(
    r"(?:these|those|that|this|here) (?:is|are|was|were)\b[\w ']{0,60}[.!]|"
    r"(?:enjoy|done|end of (?:list|file|table)|good luck)\W{0,3}",
    re.IGNORECASE,
)


_POLITE = re.compile(
    rf"(?:(?<=[.!?\n])|\A)[ \n]{{0,8}}{_COURTEOUS}[^.!?\n]*(?:[.!?]|\Z)", re.IGNORECASE
)
"""A whole sentence of courtesy."""
_ASKED = re.compile(
    r"\A\s*[*_#>]{0,4}(?:question|prompt|you asked|q)[*_]{0,2}:[^\n]*\n", re.IGNORECASE
)
"""The question said again, on a line of its own."""


def may_take_back(text: str) -> bool:
    """Return whether something in the words around a value may take it back, or say that it is
    only mentioned. Courtesies and the question said again do not."""
    return RESERVATIONS.search(without_courtesy(text)) is not None


def without_courtesy(text: str) -> str:
    """Return a text without courtesies, and without the question said again."""
    return _POLITE.sub(" ", _ASKED.sub("", text))


_REVISED = re.compile(
    r"\b(?:correct|fix|revis|updat|final|improv|instead|wait|actually|sorry|better|mistake|"
    r"apolog|should|repair|valid|clean|again|now)",
    re.IGNORECASE,
)


def says_revised(text: str) -> bool:
    """Return whether what stands between two versions of an answer may say that the second replaces
    the first."""
    return _REVISED.search(text) is not None


def is_lead_in(text: str) -> bool:
    """Return whether a text only announces what stands on the next line: ``Sure, here it is:``.

    Whatever else stands before an answer may take it back, and is not left out.
    """
    line = text.strip()
    announces = line.endswith(":") and line.count(":") == 1
    return not line or (
        announces and "\n" not in line and text.endswith("\n") and len(line) <= _MAX_LEAD_IN
    )


def is_closing_remark(text: str) -> bool:
    """Return whether a line behind an answer only ends it: ``These are all contacts.``

    A line that might take something back, or holds a number, is no such remark.
    """
    line = text.strip()
    if len(line) > _MAX_REMARK or any(c.isdigit() for c in line):
        return False
    if _COURTESY.match(line):
        return line.endswith(("?", ".", "!"))
    return _ALL.fullmatch(line) is not None and RESERVATIONS.search(line) is None


def without_closing(text: str) -> str | None:
    """Return a text without the remark, or the fence, in which it ends; ``None`` where it has
    neither.

    Of a fence both marks go, its content stays.
    """
    lines = text.rstrip().split("\n")
    if len(lines) < 2:
        return None
    last = lines.pop()
    if is_fence(last):
        opening = next((n for n in range(len(lines) - 1, -1, -1) if is_fence(lines[n])), None)
        if opening is None or last.strip() != "```":
            return None
        del lines[opening]
    elif not is_closing_remark(last):
        return None
    shorter = "\n".join(lines).rstrip()
    return shorter or None


def without_introduction(text: str) -> str:
    """Return a text without the sentence that introduces it: ``Here is the improved draft:``."""
    head, gap, rest = text.lstrip().partition("\n\n")
    short = gap and rest.strip() and len(head) <= _MAX_INTRODUCTION
    return rest if short and _INTRODUCTION.match(head) else text


def is_surrounding(line: str) -> bool:
    """Return whether a line beside the values of an answer only surrounds them: a blank line or a
    rule, a fence, a sentence that announces them or one that ends the answer."""
    return not line.strip(" \t*_-") or bool(_reason_to_leave_out(line, before=True, after=True))


_TAG = re.compile(r"</?[A-Za-z][\w-]{0,30}>")


def without_tags(text: str, put: str = " ") -> str:
    """Return a text with something in place of the tags in it, which change no value."""
    return _TAG.sub(put, text)


def without_other_lines(text: str, is_record: Callable[[str], bool]) -> tuple[str, list[str]]:
    """Leave out lines around the records that say nothing; return the text and what was left out.

    Blank lines, a fence, a sentence that announces the records and one that ends them go. Any
    other line stays, and the caller will find that the code does not read it.
    """
    lines = text.split("\n")
    record_numbers = [
        n for n, line in enumerate(lines) if is_record(line) and not is_lead_in(line + "\n")
    ]
    if not record_numbers:
        return text, []
    kept: list[str] = []
    reasons: dict[str, None] = {}
    for number, line in enumerate(lines):
        reason = _reason_to_leave_out(
            line, before=number < record_numbers[0], after=number > record_numbers[-1]
        )
        if reason:
            reasons[reason] = None
        else:
            kept.append(line)
    return "\n".join(kept), list(reasons)


def _reason_to_leave_out(line: str, *, before: bool, after: bool) -> str:
    """Return the reason why a line may be left out; empty where it stays."""
    if not line.strip():
        return "blank lines left out"
    if (before or after) and is_fence(line):
        return "fence left out"
    if before and is_lead_in(line + "\n"):
        return "text before the lines left out"
    return "closing remark left out" if after and is_closing_remark(line) else ""


_MAX_PROSE = 200
"""Characters of a paragraph that is left out (ours)."""
_MIN_WORDS = 3
"""Words of a line that is prose (ours)."""
_RECORD = re.compile(r"\d|[|;=<>{}\[\]`→]|:\s*\S|^\s*[-*•]\s", re.MULTILINE)
"""Marks of lines that may be records, or hold a value."""
_WORD = re.compile(r"[^\W\d_]+")


def says_nothing(paragraph: str) -> bool:
    """Return whether a paragraph is prose without a value, which may be left out."""
    if len(paragraph) > _MAX_PROSE or may_take_back(paragraph):
        return False
    return all(
        is_lead_in(line + "\n")
        or is_closing_remark(line)
        or (_RECORD.search(line) is None and len(_WORD.findall(line)) >= _MIN_WORDS)
        for line in paragraph.split("\n")
    )
