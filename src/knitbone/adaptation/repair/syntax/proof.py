"""The proof that a repaired program still says what the answer said.

Independent of the edits: names and numbers are the same and in the same order, and no string has
characters that the answer did not have there.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

from knitbone.adaptation.repair.syntax.records import ProgramText

__all__ = ["forbidden_change"]

_WORD = re.compile(r"\w+")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{2,4}|#x[0-9a-fA-F]{2,4});")
"""An escape of HTML."""
_GRAMMAR = frozenset(
    {"not", "and", "or", "AND", "OR", "NOT", "as", "elif", "else", "if", "elseif", "elsif"}
)
"""Words that stand for operators, and may be written otherwise."""
_ESCAPE = re.compile(r"\\([nrt]|[^\w\s]|_)")
"""An escape of Markdown or of a string."""
_ONE_MORE = re.compile(r"\+\+|--")
"""Operators that stand for ``+= 1`` and ``-= 1``."""
_QUOTES = re.compile("[\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\\\\]+")
"""Quotes of all kinds, and backslashes before them."""


def forbidden_change(before: ProgramText, after: str) -> str:
    """Describe what a repair changed that it must not; empty where it did not.

    Only the lines that differ are compared: the others say what they said.

    Args:
        before: the code as the model wrote it, without what stood around it.
        after: the repaired code.
    """
    start, same = _common_lines(before.text, after)
    if _words(before.text[start : len(before.text) - same]) != _words(
        after[start : len(after) - same]
    ):
        return "the repair would change a name or a number"
    plain = unescaped = ""
    for string in _strings(before, after, start, len(after) - same):
        plain = plain or _QUOTES.sub('"', before.text)
        if _QUOTES.sub('"', string).strip('"') not in plain:
            unescaped = unescaped or _QUOTES.sub('"', _ENTITY.sub(_character, before.text))
            if _QUOTES.sub('"', string).strip('"') not in unescaped:
                return "the repair would change the content of a string"
    return ""


def _common_lines(before: str, after: str) -> tuple[int, int]:
    """Return how many characters of whole lines the texts share at the start and at the end."""
    shorter = min(len(before), len(after))
    same = _largest(shorter, lambda n: before.startswith(after[:n]))
    start = before.rfind("\n", 0, same) + 1
    same = _largest(shorter - start, lambda n: before.endswith(after[len(after) - n :]))
    line_break = before.find("\n", len(before) - same)
    return start, len(before) - line_break if line_break >= 0 else 0


def _largest(limit: int, holds: Callable[[int], bool]) -> int:
    """Return the largest number up to which a condition holds."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _strings(before: ProgramText, after: str, start: int, end: int) -> Iterator[str]:
    """Yield the strings of a repaired program that reach into its changed lines."""
    line = 0
    for token in before.tokens:
        # What is not closed may be closed now: from there on the tokens may be others.
        if token.end > start or token.kind == "unclosed":
            break
        if token.kind == "newline":
            line = token.end
    for match in before.lexicon.pattern.finditer(after, line):
        if match.start() >= end:
            return
        if match.lastgroup == "string" and match.end() > start:
            yield match.group()


def _words(text: str) -> list[str]:
    plain = _ONE_MORE.sub(" 1 ", _ENTITY.sub(" ", _ESCAPE.sub(_unescape, text)))
    return [word for word in _WORD.findall(plain) if word not in _GRAMMAR]


def _unescape(escape: re.Match[str]) -> str:
    return " " if escape[1] in "nrt" else escape[1]


def _character(entity: re.Match[str]) -> str:
    return html.unescape(entity.group())
