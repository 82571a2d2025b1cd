"""Whether a line of an answer could be a drifted record: the compiled test before any other.

Most answers conform, so this is what most answers cost.
"""

# ruff: noqa: RUF001 - the full-width characters that models write
from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from knitbone.adaptation.defects.positional.heads import IDENTIFIER_WORDS
from knitbone.adaptation.requirements import Element, PositionalTemplate
from knitbone.adaptation.requirements.regular import BULLETS

__all__ = ["MAX_GAP", "head_pattern", "may_drift", "suspicious", "template_words"]

MAX_GAP = 3
"""Numbers a list may skip and still be the same list."""

_BLANK = r"[^\S\n]"
_DIGITS = re.compile(r"\d{1,9}")


@lru_cache(maxsize=256)
def head_pattern(template: PositionalTemplate) -> str:
    """An expression, linear by construction, for the start of a line that conforms."""
    flags = "(?i:" if template.ignore_case else "(?:"
    prefix = ""
    if not template.line_start and template.replay.method != "match":
        prefix = r"[^\n]*?"
    elif any(step.name in ("strip", "lstrip") for step in template.replay.steps):
        prefix = f"{_BLANK}{{0,64}}"
    head = list(template.head)
    while prefix and head and head[0].kind == "space" and head[0].optional:
        head.pop(0)
    return prefix + flags + "".join(map(_element_pattern, head)) + ")"


def _element_pattern(element: Element) -> str:
    if element.kind == "space":
        # Bounded, so that a long run of blanks is not tried at each of its positions.
        return f"{_BLANK}{{{0 if element.optional else 1},64}}"
    if element.kind == "choice":
        sequences = ("".join(map(_element_pattern, s)) for s in element.alternatives)
        fragment = f"(?:{'|'.join(sequences)})"
    elif element.kind == "number":
        fragment = r"\d{1,9}"
    else:
        fragment = f"(?:{'|'.join(map(re.escape, element.options))})"
    return f"{fragment}?" if element.optional else fragment


class _Suspicion(NamedTuple):
    drifted: re.Pattern[str]
    conforming: re.Pattern[str]


@lru_cache(maxsize=256)
def _suspicion(template: PositionalTemplate) -> _Suspicion:
    head = head_pattern(template)
    # The character class first: it is what most lines fail on.
    words = "|".join(map(re.escape, (*IDENTIFIER_WORDS, *template_words(template))))
    bullets = re.escape(BULLETS)
    return _Suspicion(
        drifted=re.compile(
            rf"\n(?=[\s0-9０-９>#(\[（【*_`{bullets}A-Za-z])(?!{head})"
            rf"(?:[{bullets}](?=\s)|{_BLANK}*(?:[>#]+{_BLANK}*)?(?:[{bullets}]{_BLANK}+)?"
            rf"(?:\[[ xX]\]{_BLANK}+)?[*_`]{{0,3}}"
            rf"(?:(?:{words}|[^\W\d_]{{4,20}})s?\.?{_BLANK}*)?[(\[（【#]?{_BLANK}?[0-9０-９])",
            re.IGNORECASE,
        ),
        conforming=re.compile(rf"\n{head}"),
    )


def suspicious(text: str, template: PositionalTemplate) -> bool:
    """The compiled check of the fast path: could a line of ``text`` be a drifted record?

    ``False`` is a promise that the full detection would change nothing; ``True`` promises
    nothing.
    """
    if may_drift(text, template):
        return True
    probe = "\n" + text
    patterns = _suspicion(template)
    first = patterns.conforming.search(probe)
    # One record alone may hold the others in its own line.
    if first is None or patterns.conforming.search(probe, first.end()) is None:
        return True
    if template.marker != "number":
        return False
    return _counts_oddly(probe, patterns.conforming, anew=template.reads_number)


def _counts_oddly(probe: str, conforming: re.Pattern[str], *, anew: bool) -> bool:
    """Whether the numbers of the records skip one, so that a line between them may have lost its
    own; or, where the code receives them, begin ``anew``."""
    last: int | None = None
    for match in conforming.finditer(probe):
        digits = _DIGITS.search(match.group())
        number = int(digits.group()) if digits else 0
        if last is None and number == 2:
            return True
        if last is not None and (1 < number - last <= MAX_GAP or (anew and number == 1)):
            return True
        last = number
    return False


def may_drift(text: str, template: PositionalTemplate) -> bool:
    """Whether a line begins like a record but not as the template wants it; linear, compiled."""
    return _suspicion(template).drifted.search("\n" + text) is not None


def template_words(template: PositionalTemplate) -> tuple[str, ...]:
    """The words that number a record of the template."""
    return tuple(
        option
        for e in template.head
        if e.kind == "words"
        for option in e.options
        if len(option) > 1
    )
