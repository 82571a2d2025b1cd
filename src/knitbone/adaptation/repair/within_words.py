"""A value within words: the one part of an answer that the consumer accepts.

What a consumer does not read is looked through for such a part (``value_search.py``), and a repair
does not take the words around a value for a part of it. Numbers and constants are looked for by
checks of their own, since any sentence may hold one by the way.

Source: Comfrey §4.3.1 (extraneous elements).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from knitbone.adaptation.consumers.focus import without_reasoning
from knitbone.adaptation.consumers.readers import LINE_STEPS
from knitbone.adaptation.repair.checks import (
    WORDS_LEFT_OUT,
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    refused,
)
from knitbone.adaptation.repair.checks import repaired as delivered
from knitbone.adaptation.repair.positional.values import converts
from knitbone.adaptation.repair.value_search import (
    Acceptance,
    find_bracketed,
    find_lines,
    find_value_part,
    is_told,
)
from knitbone.adaptation.requirements.records import (
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    StructuredTemplate,
    plain_elements,
)
from knitbone.adaptation.text.wrappers.layers import peel
from knitbone.adaptation.text.wrappers.spans import bracketed

__all__ = ["within_words"]

_MAX_TEXT = 4_096
"""Characters of an answer in which one value is looked for (ours)."""
_MAX_LINES = 65_536
"""Characters of an answer in which lines are looked for (ours)."""
_TYPED = frozenset({"integer", "number", "date"})
_Search: TypeAlias = Callable[[str, Acceptance], str | None]


def within_words(check: Check, requirement: Requirement) -> Check:
    """Wrap the check of a requirement so that it finds its value within words; the check itself
    where it looks for it in another way."""
    find = _search_for(requirement)
    if find is None:
        return check
    longest = _MAX_LINES if find is find_lines else _MAX_TEXT
    first_mark = _first_mark(requirement) if find is find_value_part else ""

    @FunctionCheck
    def demand(text: str, invocation: Invocation) -> Verdict:
        verdict = check(text, invocation)
        if verdict.disposition == "conforming" and (reason := _reason_unread(requirement, text)):
            return refused(text, reason)
        return verdict

    def look(text: str, invocation: Invocation) -> Verdict:
        verdict = demand(text, invocation)
        if verdict.disposition == "conforming":
            return verdict
        found = search(text, verdict, invocation)
        # What the check itself does not refuse the code may read all the same.
        return check(text, invocation) if found is verdict else found

    def search(text: str, verdict: Verdict, invocation: Invocation) -> Verdict:
        if len(text) > longest or not invocation.uses("positional.words"):
            return verdict
        if not verdict.known or without_reasoning(text) is not text:
            return verdict
        accept = Acceptance(demand, invocation)
        if accept.takes_prose(lines=find is find_lines):
            return verdict
        if verdict.disposition == "repaired":
            if find is find_bracketed:
                return _of_one_value(text, verdict, accept)
            return _without_words(text, verdict, accept, first_mark)
        found = find(text, accept)
        return verdict if found is None else delivered(found, WORDS_LEFT_OUT)

    return FunctionCheck(look, reads_whole=check.reads_whole)


def _reason_unread(requirement: Requirement, text: str) -> str:
    """Return the reason why the code does not read a text in which its template is not violated:
    an expression does not match, an item is not what the code converts. Empty: it reads it, or
    that is not known."""
    if not isinstance(requirement, PositionalTemplate):
        return ""
    if requirement.separator and len(requirement.elements) == 1:
        kind = requirement.elements[0].type
        items = text.strip().split(requirement.separator)
        typed = kind in ("integer", "number") and text.strip()
        return (
            f"an item is no {kind}" if typed and not all(converts(i, kind) for i in items) else ""
        )
    if requirement.reader is None or requirement.on_violation != "raises":
        return ""
    try:
        return "" if requirement.reader.read(text) else "the consumer's expression does not match"
    except TimeoutError:
        return ""


def _search_for(requirement: Requirement) -> _Search | None:
    """Return how the value of a requirement is looked for; ``None``: its check does so itself, as
    for a number or a constant, which any sentence may hold by the way."""
    if isinstance(requirement, StructuredTemplate | ParserSyntax):
        structured = isinstance(requirement, StructuredTemplate)
        form = requirement.format if structured else requirement.language
        return find_bracketed if form in ("python-literal", "xml") else None
    if not isinstance(requirement, PositionalTemplate):
        return None
    if requirement.compared_texts:
        kinds = [element.kind for element in requirement.elements]
        begins = kinds == ["words", "slot"] and requirement.on_violation == "raises"
        return find_value_part if begins else None
    if requirement.passed_over < 0:
        return None  # which lines the code counts on is not known
    if requirement.keyed or any(step.name in LINE_STEPS for step in requirement.steps):
        return find_lines
    types = {e.type for e in requirement.elements if e.kind == "slot"}
    if requirement.separator:
        if not types <= _TYPED:
            return None
        if "\n" in requirement.separator:
            return find_lines
        return partial(find_value_part, separator=requirement.separator)
    alone = len(requirement.elements) == 1 and requirement.reader is None
    if requirement.repeated or (alone and types <= {"integer", "number"}):
        return None
    return find_value_part


def _first_mark(requirement: Requirement) -> str:
    """Return what ends the first part of a value that begins with any text; empty where it begins
    in another way."""
    if not isinstance(requirement, PositionalTemplate) or requirement.elements[0].kind != "slot":
        return ""
    marks = (e.text for e in plain_elements(requirement.elements) if e.kind == "delimiter")
    return next(marks, "")


def _without_words(text: str, verdict: Verdict, accept: Acceptance, first_mark: str) -> Verdict:
    """Return a repair that does not take the marks around a value, or the words before it, for a
    part of it.

    Args:
        first_mark: what ends the first part of the value; empty where nothing can be before it.
    """
    core, layers = peel(text)
    whole = accept(core) if layers and "label" not in layers else None
    if whole is not None and (not first_mark or is_told(core, accept, first_mark)):
        return delivered(whole, "marks around the value left out")
    if not first_mark or not accept.is_open_before(verdict.text.strip()):
        return verdict
    if "\n" not in text.strip() and is_told(verdict.text, accept, first_mark):
        return verdict
    found = find_value_part(text, accept, first_mark)
    if found is not None:
        return delivered(found, WORDS_LEFT_OUT)
    return refused(text, "the value is not told from the words around it")


def _of_one_value(text: str, verdict: Verdict, accept: Acceptance) -> Verdict:
    """Return a repair of an answer that holds one value in brackets; of two, which one is meant is
    not known."""
    alone = find_bracketed(text, accept)
    if alone is not None and not any(map(str.isalnum, text.replace(alone, "", 1))):
        return delivered(alone, "marks around the value left out")
    parts = {accept(text[span.start : span.end]) for span in bracketed(text)} - {None}
    return refused(text, "the answer holds two values") if len(parts) > 1 else verdict
