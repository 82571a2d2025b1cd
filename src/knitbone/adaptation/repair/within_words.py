"""A value within words: the one part of an answer that the consumer accepts.

The consumer's own check is tried on the parts of the answer. Where it accepts exactly one, or
several that read alike, that part is delivered; where it accepts two that read differently, or the
words around the value may take it back, nothing is. Numbers and constants are looked for by checks
of their own, since any sentence may hold one by the way.

Source: Comfrey §4.3.1 (extraneous elements).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knitbone.adaptation.consumers.focus import without_reasoning
from knitbone.adaptation.repair.checks import Check, FunctionCheck, Invocation, Verdict, refused
from knitbone.adaptation.repair.checks import repaired as delivered
from knitbone.adaptation.requirements.records import PositionalTemplate
from knitbone.adaptation.text.wrappers.layers import peel
from knitbone.adaptation.text.wrappers.remarks import may_take_back
from knitbone.adaptation.text.wrappers.spans import Span, apart, phrases, shape_of

__all__ = ["holds_one_value", "within_words"]

_MAX_TEXT = 4_096
"""Characters of an answer in which one value is looked for (ours)."""
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
_SENTENCE = re.compile(r"\b(?:is|are|was|were|be|as)\b|\w:\s", re.IGNORECASE)
"""What stands between words and a value in a sentence: it is no part of the value."""


def holds_one_value(requirement: object) -> bool:
    """Return whether code takes one value that it tells from words: no list, whose items may be
    anywhere, and no number or constant."""
    if not isinstance(requirement, PositionalTemplate) or requirement.compared_texts:
        return False
    types = {e.type for e in requirement.elements if e.kind == "slot"}
    alone = len(requirement.elements) == 1 and not requirement.separator
    number = alone and requirement.reader is None and types <= {"integer", "number"}
    return not requirement.repeated and not number


def within_words(check: Check) -> Check:
    """Wrap the check of one value so that it finds it within words."""

    def look(text: str, invocation: Invocation) -> Verdict:
        verdict = check(text, invocation)
        if verdict.disposition not in ("refused", "repaired") or len(text) > _MAX_TEXT:
            return verdict
        if not invocation.uses("positional.words") or without_reasoning(text) is not text:
            return verdict
        accept = _Acceptance(check, invocation)
        if verdict.disposition == "repaired":
            return _without_words(text, verdict, accept)
        if not verdict.known:
            return verdict
        found = _find(text, accept)
        return verdict if found is None else delivered(found, "words around the value left out")

    return FunctionCheck(look, reads_whole=check.reads_whole)


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


def _without_words(text: str, verdict: Verdict, accept: _Acceptance) -> Verdict:
    """Return a repair that does not take the words before a value, or the marks around it, for a
    part of it."""
    core = peel(text).core
    if core != text.strip() and (whole := accept(core)) is not None:
        if _is_told(core, accept):
            return delivered(whole, "marks around the value left out")
    elif _is_told(verdict.text, accept):
        return verdict
    elif (found := _find(text, accept)) is not None:
        return delivered(found, "words around the value left out")
    return refused(text, "the value is not told from the words around it")


def _is_told(part: str, accept: _Acceptance) -> bool:
    """Return whether a value that may begin with words begins with no sentence, and no mark."""
    if not accept.is_open_before(part.strip()):
        return True
    return _SENTENCE.search(part) is None and part.strip()[:1] not in _MARKS and "\n" not in part


def _find(text: str, accept: _Acceptance) -> str | None:
    """Return the one value of a text as the consumer reads it."""
    units = apart(text)
    found: dict[Span, str] = {}
    for span in (*units, *phrases(text)):
        part = text[span.start : span.end]
        if any(other.holds(span) for other in found) or (read := accept(part)) is None:
            continue
        if not accept.is_open(part):
            span, read = _without_stop(span, part, read, accept)
        elif span not in units or not _is_told(part, accept):
            continue
        found = {other: value for other, value in found.items() if not span.holds(other)}
        found[span] = read
    if len({value.strip() for value in found.values()}) != 1:
        return None
    return next(iter(found.values())) if _is_stated(text, list(found)) else None


def _without_stop(
    span: Span, part: str, read: str, accept: _Acceptance
) -> tuple[Span, str]:
    """Return a value without the full stop of its sentence, where the consumer takes it for a part
    of it."""
    bare = part.rstrip(".!")
    shorter = accept(bare) if bare != part else None
    return (span, read) if shorter is None else (Span(span.start, span.start + len(bare)), shorter)


def _is_stated(text: str, spans: Sequence[Span]) -> bool:
    """Return whether the words around a value leave it as it is."""
    rest: list[str] = []
    place = 0
    for span in sorted(spans):
        rest.append(text[place : span.start])
        place = span.end
        before, behind = text[: span.start][-40:], text[span.end :][:40]
        if _BEFORE.search(_TAG.sub(" ", before)) or _BEHIND.match(_TAG.sub(" ", behind)):
            return False
    around = " \N{MIDDLE DOT} ".join((*rest, text[place:]))
    if may_take_back(around):
        return False
    shapes = {shape_of(text[span.start : span.end]) for span in spans}
    marked = {shape for shape in shapes if not shape.isalpha()}
    return not any(shape_of(word.strip(".,;:!?*_`\"'()")) in marked for word in around.split())
