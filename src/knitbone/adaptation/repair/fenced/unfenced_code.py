"""Code in an answer without a fence: the one stretch of lines that is a program.

The answer is read as paragraphs. The code has to be contiguous and proved as a whole, and what
stands around it must not be code: anything else is ambiguous, and no code is found.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from knitbone.adaptation.repair.fenced.code_proof import is_program, is_program_or_mendable

__all__ = ["CodeStretch", "code_stretch"]

_MAX_PARAGRAPHS = 200
"""Paragraphs of an answer that is searched for code (ours)."""
_MAX_CODE = 30_000
"""Characters of code without a fence; Python's parser takes up to 3 µs for each, is not stopped,
and may be asked three times (measured)."""
_MAX_PROOFS = 40
"""Proofs that one answer may cost (ours)."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LEAD = re.compile(r"[A-Z][^\n{}()\[\]=;]{2,200}:[ \t]*\n")
"""A line that leads to what follows: ``Here is the code:``."""
_PROSE = re.compile(r"[^\W\d_][\w'\u2019,-]*(?: [\w'\u2019`\"(),-]+){3,}")
"""At least four words in a row, as in prose."""
_CODE_MARKS = re.compile(r"[;{}=]|\w\(|^\s*[#/<@]|^ {4}|^\t")
"""Signs of code in a paragraph."""


class CodeStretch(NamedTuple):
    """The code, as offsets into the text."""

    start: int
    end: int
    alone: bool
    """Whether nothing but blanks stands around it."""


def code_stretch(text: str, language: str) -> CodeStretch | None:
    """Find the only stretch of whole lines that is a program of the language.

    ``None`` where there is none, or where it cannot be told apart from what is around it.
    """
    if len(text) > _MAX_CODE:
        return None
    found = _stretch(text, language, is_program)
    return (
        found
        if found is not None or language != "json"
        else _stretch(text, language, is_program_or_mendable)
    )


def _stretch(text: str, language: str, proves: Callable[[str, str], bool]) -> CodeStretch | None:
    """Find the stretch of paragraphs, without prose at both ends, that is proved to be code."""
    if proves(language, text):
        return CodeStretch(0, len(text), alone=True)
    paragraphs = _paragraphs(text)
    if not paragraphs or len(paragraphs) > _MAX_PARAGRAPHS:
        return None
    proofs = 0
    first = 0
    while first < len(paragraphs) and _is_prose(text[slice(*paragraphs[first])]):
        first += 1
    last = len(paragraphs)
    while last > first and _is_prose(text[slice(*paragraphs[last - 1])]):
        last -= 1
    while last > first and proofs < _MAX_PROOFS:
        start, end = paragraphs[first][0], paragraphs[last - 1][1]
        proofs += 1
        if proves(language, text[start:end]):
            return CodeStretch(start, end, alone=False)
        # A paragraph at the end may be prose that does not look like it; one that is code, or
        # holds some, may not be left out.
        if _has_code(text[slice(*paragraphs[last - 1])], language):
            return None
        last -= 1
    return None


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Return the runs of lines that are not blank; "Here is the code:" directly above code is one
    of its own."""
    found: list[tuple[int, int]] = []
    start = -1
    for line in _LINE.finditer(text):
        if not line.group().strip():
            start = -1
        elif start < 0:
            start = line.start()
            found.append((start, line.end()))
            start = -1 if _LEAD.fullmatch(line.group()) else start
        else:
            found[-1] = (start, line.end())
        if len(found) > _MAX_PARAGRAPHS:
            break
    return found


def _is_prose(paragraph: str) -> bool:
    return all(
        (_PROSE.match(row.strip()[:400]) or row.rstrip().endswith(":"))
        and not _CODE_MARKS.search(row)
        for row in paragraph.split("\n")
        if row.strip()
    )


def _has_code(paragraph: str, language: str) -> bool:
    return bool(_CODE_MARKS.search(paragraph)) or is_program(language, paragraph)
