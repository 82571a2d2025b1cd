"""A value within words: the one part of an answer that the consumer accepts.

The consumer's own check is tried on the parts of the answer. Where it accepts exactly one, or
several that read alike, that part is delivered; where it accepts two that read differently, or the
words around the value may take it back, nothing is. Numbers and constants are looked for by checks
of their own, since any sentence may hold one by the way.

Source: Comfrey §4.3.1 (extraneous elements).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from knitbone.adaptation.consumers.focus import without_reasoning
from knitbone.adaptation.consumers.readers import LINE_STEPS
from knitbone.adaptation.repair.checks import Check, FunctionCheck, Invocation, Verdict, refused
from knitbone.adaptation.repair.checks import repaired as delivered
from knitbone.adaptation.requirements.records import (
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    StructuredTemplate,
    plain_elements,
)
from knitbone.adaptation.text.wrappers.layers import peel
from knitbone.adaptation.text.wrappers.remarks import may_take_back
from knitbone.adaptation.text.wrappers.spans import (
    Span,
    apart,
    bracketed,
    is_prose,
    paragraphs,
    phrases,
    shape_of,
    without_list_mark,
)

__all__ = ["within_words"]

_MAX_TEXT = 4_096
"""Characters of an answer in which one value is looked for (ours)."""
_MAX_NAME = 4
"""Words of a value's first part that are surely no sentence (ours)."""
_TYPED = frozenset({"integer", "number", "date"})
_ENDS = ".!*_`\"'“”’>"
_MARKS = frozenset("*_`\"'<#>“‘")
_PROSE = "well"
"""A word of prose: a consumer that takes a value together with one cannot tell where it ends."""
_BEFORE = re.compile(
    r"(?:[-+−<>≤≥≈~$€£#±/]|\b(?:before|after|over|under|above|below|between|than|least|most|"
    r"plus|minus|half|past))[\s*_`\"'(]*\Z",
    re.IGNORECASE,
)  # fmt: skip
_BEHIND = re.compile(
    r"[*_`\"')]*\s?(?:[-−–—]\s?(?=\d)|[+/%‰€$£°]|(?:[ap]\.?m|to|and|or|until|earlier|later|"
    r"before|after|minutes|hours|days|weeks|at (?:most|least))\b)",
    re.IGNORECASE,
)
"""Words and signs that make another value of the one beside them."""
_TAG = re.compile(r"</?[A-Za-z][\w-]{0,30}>")
_SENTENCE = re.compile(r"\b(?:is|are|was|were|be|as)\b|\w:\s|[.!?]\s", re.IGNORECASE)
"""What stands between words and a value in a sentence: it is no part of the value."""


def within_words(check: Check, requirement: Requirement) -> Check:
    """Wrap the check of a requirement so that it finds its value within words; the check itself
    where it looks for it in another way."""
    find = _search_for(requirement)
    if find is None:
        return check
    reader = requirement.reader if isinstance(requirement, PositionalTemplate) else None
    demanded = reader is not None and requirement.on_violation == "raises"  # type: ignore[union-attr]
    first_mark = _first_mark(requirement) if find is _find else ""

    def look(text: str, invocation: Invocation) -> Verdict:
        verdict = check(text, invocation)
        if verdict.disposition == "conforming":
            if not demanded or reader is None or reader.read(text):
                return verdict
            verdict = refused(text, "the consumer's expression does not match")
        if len(text) > _MAX_TEXT or not invocation.uses("positional.words"):
            return verdict
        if not verdict.known or without_reasoning(text) is not text:
            return verdict
        accept = _Acceptance(check, invocation)
        if verdict.disposition == "repaired":
            return _examined(text, verdict, accept, find, first_mark)
        found = find(text, accept)
        return verdict if found is None else delivered(found, "words around the value left out")

    return FunctionCheck(look, reads_whole=check.reads_whole)


_Search: TypeAlias = "Callable[[str, _Acceptance], str | None]"


def _search_for(requirement: Requirement) -> _Search | None:
    """Return how the value of a requirement is looked for; ``None``: its check does so itself, as
    for a number or a constant, which any sentence may hold by the way."""
    if isinstance(requirement, StructuredTemplate | ParserSyntax):
        form = requirement.format if isinstance(requirement, StructuredTemplate) else requirement.language
        return _find_bracketed if form in ("python-literal", "xml") else None
    if not isinstance(requirement, PositionalTemplate):
        return None
    if requirement.compared_texts:
        apart = len(requirement.elements) > 1 and requirement.on_violation == "raises"
        return _find if apart and requirement.elements[0].kind == "words" else None
    if requirement.keyed or any(step.name in LINE_STEPS for step in requirement.steps):
        return _find_lines
    types = {e.type for e in requirement.elements if e.kind == "slot"}
    if requirement.separator:
        one_line = "\n" not in requirement.separator
        return (_find if one_line else _find_lines) if types <= _TYPED else None
    alone = len(requirement.elements) == 1 and requirement.reader is None
    if requirement.repeated or (alone and types <= {"integer", "number"}):
        return None
    return _find


class _Acceptance:
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
                verdict.disposition == "repaired" and _is_spelling(part, verdict)
            )
            self._known[part] = verdict.text if reads else None
        return self._known[part]

    def is_open(self, part: str) -> bool:
        """Return whether the consumer takes words of prose for parts of the value."""
        return self(f"{_PROSE} {part}") is not None or self(f"{part} {_PROSE}") is not None

    def is_open_before(self, part: str) -> bool:
        """Return whether it takes such a word before the value."""
        return self(f"{_PROSE} {part}") is not None


def _is_spelling(part: str, verdict: Verdict) -> bool:
    """Return whether a repair changed how a value is written, and left out nothing."""
    return all(rule.startswith("date written as ") for rule in verdict.rules)


def _examined(
    text: str, verdict: Verdict, accept: _Acceptance, find: _Search, first_mark: str
) -> Verdict:
    """Return a repair that does not take the marks around a value, or the words before it, for a
    part of it.

    Args:
        first_mark: what ends the first part of the value; empty where nothing can be before it.
    """
    core, layers = peel(text)
    marked = core != text.strip() and not (find is _find_bracketed and "brackets" in layers)
    if marked and (whole := accept(core)) is not None:
        if not first_mark or _is_told(core, accept, first_mark):
            return delivered(whole, "marks around the value left out")
    if find is _find_bracketed:
        parts = {accept(text[span.start : span.end]) for span in bracketed(text)} - {None}
        return refused(text, "the answer holds two values") if len(parts) > 1 else verdict
    if not first_mark or not accept.is_open_before(verdict.text.strip()):
        return verdict
    if "\n" not in text.strip() and _is_told(verdict.text, accept, first_mark):
        return verdict
    if (found := _find(text, accept, first_mark)) is not None:
        return delivered(found, "words around the value left out")
    return refused(text, "the value is not told from the words around it")


def _first_mark(requirement: Requirement) -> str:
    """Return what ends the first part of a value that begins with any text; empty where it begins
    in another way."""
    if not isinstance(requirement, PositionalTemplate) or requirement.elements[0].kind != "slot":
        return ""
    marks = (e.text for e in plain_elements(requirement.elements) if e.kind == "delimiter")
    return next(marks, "")


def _is_told(part: str, accept: _Acceptance, first_mark: str = "") -> bool:
    """Return whether a value that may begin with words begins with no sentence, and no mark."""
    part = part.strip()
    if not accept.is_open_before(part):
        return True
    name = part.partition(first_mark)[0] if first_mark else part
    few = len(name.split()) <= _MAX_NAME
    return few and _SENTENCE.search(name) is None and part[:1] not in _MARKS and "\n" not in part


def _find(text: str, accept: _Acceptance, first_mark: str = "") -> str | None:
    """Return the one value of a text as the consumer reads it."""
    units = apart(text)
    found: dict[Span, str] = {}
    for span in (*units, *phrases(text)):
        part = text[span.start : span.end]
        if any(other.holds(span) for other in found) or (read := accept(part)) is None:
            continue
        if not accept.is_open(part) or (_is_word(part) and not accept.is_open_before(part)):
            span, read = _without_stop(span, part, read, accept)
        elif span not in units or not _is_told(part, accept, first_mark):
            continue
        found = {other: value for other, value in found.items() if not span.holds(other)}
        found[span] = read
    if len({value.strip() for value in found.values()}) != 1:
        return None
    return next(iter(found.values())) if _is_stated(text, list(found)) else None


def _find_lines(text: str, accept: _Acceptance) -> str | None:
    """Return the run of paragraphs that the consumer reads, where all others are prose."""
    units = paragraphs(text)
    kept = {n for n, span in enumerate(units) if not is_prose(text[span.start : span.end])}
    first, last = (min(kept), max(kept)) if kept else (0, len(units) - 1)
    for start in range(first + 1):
        for end in range(len(units), last, -1):
            part = text[units[start].start : units[end - 1].end] if end > start else ""
            if part and part != text.strip() and (read := accept(part)) is not None:
                return read
    return None


def _find_bracketed(text: str, accept: _Acceptance) -> str | None:
    """Return the one bracketed part that the consumer reads, where nothing else is in brackets."""
    read = [accept(text[span.start : span.end]) for span in bracketed(text) if span.end]
    aside = [text[span.start] == "(" for span in bracketed(text) if span.end]
    found = {each for each in read if each is not None}
    known = all(each is not None or beside for each, beside in zip(read, aside, strict=True))
    return found.pop() if known and len(found) == 1 and Span(0, 0) not in bracketed(text) else None


def _without_stop(
    span: Span, part: str, read: str, accept: _Acceptance
) -> tuple[Span, str]:
    """Return a value without the full stop or the mark behind it, where the consumer would take it
    for a part of it."""
    bare = part.rstrip(_ENDS if _is_word(part) else ".!")
    shorter = accept(bare) if bare != part else None
    return (span, read) if shorter is None else (Span(span.start, span.start + len(bare)), shorter)


def _is_word(part: str) -> bool:
    """Return whether a value is one word with marks in it: no word of prose belongs to it."""
    return len(part.split()) == 1 and not shape_of(part).isalpha()


def _is_stated(text: str, spans: Sequence[Span]) -> bool:
    """Return whether the words around a value leave it as it is."""
    rest: list[str] = []
    place = 0
    for span in sorted(spans):
        rest.append(text[place : span.start])
        place = span.end
        before, behind = text[: span.start][-40:], text[span.end :][:40]
        before = without_list_mark(before)
        if _BEFORE.search(_TAG.sub(" ", before)) or _BEHIND.match(_TAG.sub(" ", behind)):
            return False
    around = " \N{MIDDLE DOT} ".join((*rest, text[place:]))
    if may_take_back(around):
        return False
    shapes = {shape_of(text[span.start : span.end]) for span in spans}
    marked = {shape for shape in shapes if not shape.isalpha()}
    return not any(shape_of(word.strip(".,;:!?*_`\"'()")) in marked for word in around.split())
