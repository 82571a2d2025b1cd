"""The search for a value within an answer: the one part that its consumer accepts.

The parts are those that the answer itself sets apart, and runs of words (``spans.py``). Which of
them the consumer accepts is asked of its check. Where it accepts two that read differently, or the
words around the value may take it back, nothing is found.

Source: Comfrey §4.3.1 (extraneous elements).
"""

# ruff: noqa: RUF001 - the quotes, minus signs and dashes that models write
from __future__ import annotations

import re
from collections.abc import Sequence

from knitbone.adaptation.repair.beside import qualifying_word
from knitbone.adaptation.repair.checks import Check, Invocation, Verdict
from knitbone.adaptation.text.wrappers.remarks import may_take_back, without_tags
from knitbone.adaptation.text.wrappers.spans import (
    TextSpan,
    apart,
    bracketed,
    is_prose,
    paragraphs,
    phrases,
    shape_of,
    without_list_mark,
)
from knitbone.common.structured.python_literal import is_attached

__all__ = ["PROSE", "Acceptance", "find_bracketed", "find_lines", "find_value_part", "is_told"]

_MAX_BEHIND = 4_096
"""Characters of prose behind the lines (ours)."""
_MAX_NAME = 4
"""Words of a value's first part that are surely no sentence (ours)."""
_MAX_ITEM = 2
"""Words of an item that is no number (ours)."""
_ENDS = ".,;:!?*_'’"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_WORD_END = re.compile(r"[<>\"`“”\s]")
"""What ends a word such as an address; of brackets only those that it has opened belong to it."""
_BESIDE = " \t*_`\"'"
_MARKS = frozenset("*_`\"'<#>“‘")
PROSE = "well"
"""A word of prose: a consumer that takes a value together with one cannot tell where it ends."""
_NEAR = 3
"""Words beside a value of which none may make another value of it (ours)."""
_PROSE_LINES = 5
"""Lines of prose, more than code passes over as a header (ours)."""
_BEFORE = re.compile(r"[-+−<>≤≥≈~$€£#±/][\s*_`\"'(]*\Z")
_BEHIND = re.compile(r"[*_`\"')]*\s?(?:[-−–—]\s?(?=\d)|[+/%‰€$£°]|(?:and|or|to)\b)", re.IGNORECASE)
"""Signs that make another value of the one beside them, and words behind which comes another."""
_SENTENCE = re.compile(r"\b(?:is|are|was|were|be|as)\b|\w:\s|[.!?]\s", re.IGNORECASE)
"""What stands between words and a value in a sentence: it is no part of the value."""


class Acceptance:
    """What the consumer makes of parts of an answer."""

    def __init__(self, check: Check, invocation: Invocation) -> None:
        self._check = check
        self._invocation = invocation
        self._known: dict[str, str | None] = {}

    def __call__(self, part: str) -> str | None:
        """Return a part as the consumer reads it, perhaps in another spelling; ``None``: it does
        not."""
        if part not in self._known:
            self._invocation.deadline.check()
            verdict = self._check(part, self._invocation)
            reads = verdict.disposition == "conforming" or (
                verdict.disposition == "repaired" and _is_spelling(verdict)
            )
            self._known[part] = verdict.text if reads else None
        return self._known[part]

    def takes_prose(self, *, lines: bool) -> bool:
        """Return whether the consumer takes any word, or any lines of words, for a value: what it
        accepts says nothing."""
        return self("\n".join([PROSE] * _PROSE_LINES) if lines else PROSE) is not None

    def is_open(self, part: str) -> bool:
        """Return whether the consumer takes words of prose for parts of the value."""
        return self(f"{PROSE} {part}") is not None or self(f"{part} {PROSE}") is not None

    def is_open_before(self, part: str) -> bool:
        """Return whether it takes such a word before the value."""
        return self(f"{PROSE} {part}") is not None


def _is_spelling(verdict: Verdict) -> bool:
    """Return whether a repair changed how a value is written, and left out nothing."""
    return all(rule.startswith("date written as ") for rule in verdict.rules)


def find_value_part(
    text: str, accept: Acceptance, first_mark: str = "", separator: str = ""
) -> str | None:
    """Return the one value of a text as the consumer reads it; ``None`` where it is not one.

    Args:
        first_mark: what ends the first part of a value that begins with any text.
        separator: what parts the items of a value that is a list.
    """
    units = apart(text)
    found: dict[TextSpan, str] = {}
    for span in (*units, *phrases(text)):
        part = text[span.start : span.end]
        if any(other.holds(span) for other in found) or (read := accept(part)) is None:
            continue
        place = span
        if not accept.is_open(part) or (_is_word(part) and not accept.is_open_before(part)):
            place, read = _without_stop(span, part, read, accept)
        elif span not in units or not is_told(part, accept, first_mark):
            continue
        elif "\n" in part and accept(part.partition("\n")[0]) is not None:
            continue  # the other lines are no part of it
        found = {other: value for other, value in found.items() if not place.holds(other)}
        found[place] = read
    if len({value.strip() for value in found.values()}) != 1:
        return None
    if separator and any(_goes_on(text, span, separator) for span in found):
        return None
    return next(iter(found.values())) if _is_stated(text, list(found)) else None


def _goes_on(text: str, span: TextSpan, separator: str) -> bool:
    """Return whether another item stands beside those of a list: one that cannot be read was
    meant, too. More words than an item has are a remark."""
    mark = separator.strip() or separator
    before = text[: span.start].rpartition("\n")[2].rstrip(_BESIDE)
    behind = text[span.end :].partition("\n")[0].lstrip(_BESIDE)
    items = (
        before.removesuffix(mark).rpartition(mark)[2].rpartition(": ")[2]
        if before.endswith(mark)
        else "",
        behind.removeprefix(mark).partition(mark)[0] if _continues(behind, mark) else "",
    )
    return any(
        item.strip(_BESIDE) and (len(item.split()) <= _MAX_ITEM or any(map(str.isdigit, item)))
        for item in items
    )


def _continues(behind: str, mark: str) -> bool:
    """Return whether a text goes on with a separator, which is no full stop."""
    return behind.startswith(mark) and (mark != "." or behind[1:2].isalnum())


def find_lines(text: str, accept: Acceptance) -> str | None:
    """Return the run of paragraphs that the consumer reads, where all others are prose."""
    units = paragraphs(text)
    kept = {n for n, span in enumerate(units) if not is_prose(text[span.start : span.end])}
    first, last = (min(kept), max(kept)) if kept else (0, len(units) - 1)
    for start in range(first + 1):
        for end in range(len(units), last, -1):
            part = text[units[start].start : units[end - 1].end] if end > start else ""
            if part and part != text.strip() and (read := accept(part)) is not None:
                before, behind = text[: units[start].start], text[units[end - 1].end :]
                short = len(behind) <= _MAX_BEHIND and not any(map(str.isdigit, behind))
                taken_back = may_take_back(before) or may_take_back(behind)
                return read if short and not taken_back else None
    return None


def find_bracketed(text: str, accept: Acceptance) -> str | None:
    """Return the one bracketed part that the consumer reads, where nothing else is in brackets."""
    parts: list[str] = []
    for span in bracketed(text):
        part = text[span.start : span.end]
        if part[:1] == "<" or not is_attached(text, span.start, span.end):
            parts.append(part)
        elif any(mark in part[1:] for mark in "[({\"'"):
            return None  # code that holds data
    found = {read for part in parts if part and (read := accept(part)) is not None}
    unread = [part for part in parts if not part or (accept(part) is None and part[0] != "(")]
    return found.pop() if len(found) == 1 and not unread else None


def is_told(part: str, accept: Acceptance, first_mark: str = "") -> bool:
    """Return whether a value that may begin with words begins with no sentence, and no mark."""
    part = part.strip()
    if not accept.is_open_before(part):
        return True
    name = part.partition(first_mark)[0] if first_mark else part
    few = len(name.split()) <= _MAX_NAME
    return few and _SENTENCE.search(name) is None and part[:1] not in _MARKS and "\n" not in part


def _without_stop(span: TextSpan, part: str, read: str, accept: Acceptance) -> tuple[TextSpan, str]:
    """Return a value without the full stop or the mark behind it, where the consumer would take it
    for a part of it."""
    bare = part.rstrip(".!")
    if _is_word(part):
        bare = _WORD_END.split(part, maxsplit=1)[0].rstrip(_ENDS)
        while bare[-1:] in _PAIRS and bare.count(bare[-1]) > bare.count(_PAIRS[bare[-1]]):
            bare = bare[:-1].rstrip(_ENDS)
    shorter = accept(bare) if bare != part else None
    return (
        (span, read) if shorter is None else (TextSpan(span.start, span.start + len(bare)), shorter)
    )


def _is_word(part: str) -> bool:
    """Return whether a value is one word with marks in it: no word of prose belongs to it."""
    return len(part.split()) == 1 and not shape_of(part).isalpha()


def _is_stated(text: str, spans: Sequence[TextSpan]) -> bool:
    """Return whether the words around a value leave it as it is."""
    rest: list[str] = []
    place = 0
    for span in sorted(spans):
        rest.append(text[place : span.start])
        place = span.end
        before, behind = text[: span.start][-40:], text[span.end :][:40]
        before = without_list_mark(before)
        if _BEFORE.search(without_tags(before)) or _BEHIND.match(without_tags(behind)):
            return False
        near = f"{' '.join(before.split()[-_NEAR:])} {' '.join(behind.split()[:_NEAR])}"
        if qualifying_word(near):
            return False
    around = " \N{MIDDLE DOT} ".join((*rest, text[place:]))
    if may_take_back(around):
        return False
    shapes = {shape_of(text[span.start : span.end]) for span in spans}
    marked = {shape for shape in shapes if not shape.isalpha()}
    return not any(shape_of(word.strip(".,;:!?*_`\"'()")) in marked for word in around.split())
