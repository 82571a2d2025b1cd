"""Signs of a drifted record: a compiled test of a whole text, before any other.

Most answers conform, so this test is what most answers cost.
"""

# ruff: noqa: RUF001 - the full-width characters that models write
from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from knitbone.adaptation.repair.positional.heads import IDENTIFIER_WORDS
from knitbone.adaptation.requirements import Element, PositionalTemplate
from knitbone.adaptation.requirements.regex_templates import BULLETS

__all__ = ["MAX_GAP", "head_pattern", "may_drift", "suspicious", "template_words"]

MAX_GAP = 3
"""Numbers a list may skip and still be the same list."""

_BLANK = r"[^\S\n]"
_NUMBERS = re.compile(r"\n[^\d\n]*(\d{0,9})")
"""The number of each head; each begins with the break before it."""


@lru_cache(maxsize=256)
def head_pattern(template: PositionalTemplate) -> str:
    """Return an expression, linear by construction, for the start of a line that conforms."""
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
    """The compiled expressions of one template."""

    drifted: re.Pattern[str]
    conforming: re.Pattern[str]
    counts: bool
    """Whether records are numbered."""
    anew: bool
    """Whether numbers may not begin anew: the code receives them."""


@lru_cache(maxsize=256)
def _suspicion(template: PositionalTemplate) -> _Suspicion:
    """Compile the expressions of a template."""
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
        counts=template.marker == "number",
        anew=template.reads_number,
    )


def suspicious(text: str, template: PositionalTemplate) -> bool:
    """Return whether a line of a text could be a drifted record: the fast path.

    ``False`` is a promise that the full detection would change nothing; ``True`` promises nothing.
    """
    known = _suspicion(template)
    probe = "\n" + text
    if known.drifted.search(probe) is not None:
        return True
    heads: list[str] = known.conforming.findall(probe)
    # One record alone may hold the others in its own line.
    if len(heads) < 2:
        return True
    return known.counts and _count_oddly(heads, anew=known.anew)


def _count_oddly(heads: list[str], *, anew: bool) -> bool:
    """Return whether the numbers of the records skip one, so that a line between them may lack its
    own.

    Or whether they begin ``anew``, where the code receives them.
    """
    numbers = [int(digits or 0) for digits in _NUMBERS.findall("".join(heads))]
    if len(numbers) != len(heads) or numbers[0] == 2:
        return True
    if numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return False
    return any(
        1 < number - last <= MAX_GAP or (anew and number == 1) for last, number in pairwise(numbers)
    )


def may_drift(text: str, template: PositionalTemplate) -> bool:
    """Return whether a line begins like a record but not as the template wants it; linear,
    compiled."""
    return _suspicion(template).drifted.search("\n" + text) is not None


def template_words(template: PositionalTemplate) -> tuple[str, ...]:
    """Return the words that number a record of the template."""
    return tuple(
        option
        for e in template.head
        if e.kind == "words"
        for option in e.options
        if len(option) > 1
    )
