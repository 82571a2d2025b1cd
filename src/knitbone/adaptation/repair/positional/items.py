"""Lists of plain items, on one line between separators or one on each line: ``text.split(", ")``.

Source: Comfrey §4.3.1 (delimiter supplementation).
"""

from __future__ import annotations

import re
from itertools import pairwise

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
)
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.text.wrappers.fences import without_fence_marks

__all__ = ["MAX_ITEMS", "prepare_items"]

MAX_ITEMS = 1_000
"""Items of an answer that was not written as the list it should be (ours)."""
_MAX_TEXT = 65_536

_HEAD = re.compile(r"[^\S\n]{0,16}(?:[-*+•◦▪][^\S\n]{1,4}|\(?\d{1,3}[.):][^\S\n]{1,4})")
"""A bullet or number before an item."""
_INLINE = re.compile(r"(?<!\S)(\d{1,3})[.)][^\S\n]{1,4}(?=\S)")
"""A number that counts an item inside a line."""


def prepare_items(template: PositionalTemplate) -> Check | None:
    """Build the check of a template that is a list of single slots."""
    if not template.separator or len(template.elements) != 1 or template.reader is not None:
        return None
    separator = template.separator

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if separator in text or not text.strip():
            return conforming(text)
        if len(text) > _MAX_TEXT or not invocation.uses("positional.items"):
            return conforming(text)
        items = _items_on_lines(text) if "\n" not in separator else _counted_items(text)
        if items is None and separator.strip() in _OTHERS:
            items = _items_between_others(text)
        if items is None and separator.strip() and separator != separator.strip():
            return _with_blanks(text, separator)
        if items is None:
            return conforming(text)  # a list of one item
        if any(separator.strip(" ") in item for item in items):
            return refused(text, "an item holds the separator")
        joint = separator + " " if separator in (",", ";") else separator
        return repaired(joint.join(items), f"{len(items)} items joined by {separator!r}", edits=1)

    return check


def _items_on_lines(text: str) -> list[str] | None:
    """Return the items where every line is one, with its bullet or number."""
    lines = [line for line in without_fence_marks(text).split("\n") if line.strip()]
    if lines and lines[0].rstrip().endswith(":") and not _HEAD.match(lines[0]):
        lines = lines[1:]
    if not 2 <= len(lines) <= MAX_ITEMS:
        return None
    heads = [_HEAD.match(line) for line in lines]
    items = [line[head.end() :].strip() for line, head in zip(lines, heads, strict=True) if head]
    return items if len(items) == len(lines) and all(items) else None


_OTHERS = (",", ";", "|")
"""Marks between items that models write for one another, as they do line breaks."""
_SHORT = re.compile(r"[^\W_][^\n,;|:.!?]{0,60}")
"""A short text without the marks of a sentence."""
_WORDS = 6
"""Words of an item that is surely none of prose (ours)."""


def _items_between_others(text: str) -> list[str] | None:
    """Return the items between marks of one other kind, at least three and all short.

    A sentence has more words between its semicolons, and two lines may be one item and a remark.
    """
    marks = [mark for mark in (*_OTHERS, "\n") if mark in text.strip()]
    if len(marks) != 1:
        return None
    items = [item.strip() for item in text.strip().split(marks[0])]
    if not 3 <= len(items) <= MAX_ITEMS:
        return None
    short = all(_SHORT.fullmatch(item) and len(item.split()) <= _WORDS for item in items)
    return items if short else None


def _counted_items(text: str) -> list[str] | None:
    """Return the items of one line that counts them: ``1. a 2. b 3. c``."""
    matches = list(_INLINE.finditer(text))
    numbers = [int(match[1]) for match in matches]
    if len(numbers) < 3 or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    if text[: matches[0].start()].strip() or len(numbers) > MAX_ITEMS:
        return None
    ends = [match.start() for match in matches[1:]] + [len(text)]
    return [text[p.end() : end].strip() for p, end in zip(matches, ends, strict=True)]


_NAMED = re.compile(
    r"(?:[^\S\n]{0,8}(?:[-*+•]|\d{1,2}[.)])[^\S\n]{1,4})?(?P<open>\*\*|__|[*_`])"
    r"(?P<name>[^\W\d_][^\n:*_`]{0,40})"
    r"(?:(?P=open)[^\S\n]?:|:(?P=open))[^\S\n]{0,4}(?P<rest>\S[^\n]*)"
)
"""A name that stands out: ``**Label:** positive``."""
_DASHED = re.compile(
    r"(?P<name>[^\W\d_]\w{0,20}(?: \w{1,20}){0,2})(?: [-–—] | ?=(?!=) ?)(?P<rest>\S[^\n]*)"  # noqa: RUF001
)
"""A name and its value with another mark between them: ``label - positive``."""


def _with_blanks(text: str, separator: str) -> Verdict:
    """Supply the blanks around a separator: ``a,b`` where the code splits at ``", "``."""
    mark = separator.strip()
    if mark == ":" and "\n" not in text:
        named = _NAMED.fullmatch(text)
        named = named or (_DASHED.fullmatch(text) if mark not in text else None)
        if named is not None:
            return repaired(f"{named['name']}{separator}{named['rest']}", "name and value parted")
    if mark not in text or "\n" in text.strip() or (mark == ":" and text.count(mark) > 1):
        return conforming(text)
    parts = [part.strip() for part in text.split(mark)]
    counted = any(
        before[-1:].isdigit() and after[:1].isdigit() for before, after in pairwise(parts)
    )  # ``10:30`` and ``1,000`` are one item
    if (
        counted
        or not all(parts)
        or (mark in ":." and ("//" in text or any(c in text for c in "*_`")))
    ):
        return conforming(text)
    return repaired(separator.join(parts), f"blanks around {mark!r} supplied", edits=1)
