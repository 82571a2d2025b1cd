"""Texts of an answer that may be the document that is asked for, and edits made in them.

``fenced_parts`` offers what stands in fences, a format's reader makes a ``DocumentDraft`` of each
text that it mended, mostly by ``splice``: several edits by offset at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["DocumentDraft", "fenced_parts", "splice"]

_FENCE = re.compile(r"^[ \t]{0,8}(?:`{3,}|~{3,})[^\n`]*$", re.MULTILINE)
_MAX_FENCES = 64
"""Fence lines of an answer that are looked at (ours)."""


class DocumentDraft(NamedTuple):
    """A text that may be the document, and what was done to make it one."""

    text: str
    rules: tuple[str, ...] = ()
    beside: bool = False
    """Whether it is one of several documents of the answer, none of which is preferred."""


def fenced_parts(text: str) -> list[str]:
    """List what stands inside code fences, the last first; a part that a fence opens and none
    closes reaches to the end."""
    marks: list[re.Match[str]] = []
    for mark in _FENCE.finditer(text):
        marks.append(mark)
        if len(marks) > _MAX_FENCES:
            return []
    parts = [
        text[mark.end() + 1 : marks[index + 1].start() if index + 1 < len(marks) else len(text)]
        for index, mark in enumerate(marks)
        if index % 2 == 0
    ]
    return [part for part in reversed(parts) if part.strip()]


def splice(text: str, edits: Iterable[tuple[int, int, str]]) -> str | None:
    """Return the text with each (start, end) replaced; ``None`` where two edits overlap."""
    parts: list[str] = []
    offset = 0
    for start, end, written in sorted(edits):
        if start < offset:
            return None
        parts += [text[offset:start], written]
        offset = end
    return "".join((*parts, text[offset:]))
