"""The end of a value that begins at a place of a text: a quoted one, one without quotes, a line.

A span is the offsets of a value's first character and of the one behind its last.
"""

from __future__ import annotations

import re
from typing import TypeAlias

__all__ = [
    "LINE_END",
    "LONGEST_UNQUOTED",
    "LONGEST_VALUE",
    "OPENING_QUOTE",
    "Span",
    "rest_of_line",
    "skip_quote",
    "span_in_quotes",
    "span_without_quotes",
    "whole_unquoted",
]

Span: TypeAlias = "tuple[int, int]"

LONGEST_VALUE = 8_192
LONGEST_UNQUOTED = 1_024
"""Characters of a value without quotes by which it is judged; one that is a secret goes whole."""

OPENING_QUOTE = re.compile(r"[a-zA-Z]{0,2}(?P<quote>\\*[\"'`]|[\u201c\u2018\u00ab])")
r"""A quote, with the letters of a literal before it and the backslashes of JSON within JSON:
``"``, ``rb'``, ``\\"``."""
_CLOSING = {"\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}

_UNQUOTED = re.compile(r"[^\s\"'<>`|\\]*(?:\\(?![nrt\"'\\u])[^\s\"'<>`|\\]*)*")
"""Up to a blank, a quote, a tag or a pipe; a backslash may belong to it, an escape does not."""
_NEXT_NAME = re.compile(r"[,;&)}\]]+(?:[\w.%-]{1,64}[=:]|\Z)")
"""``&user=`` or ``,b:`` behind an unquoted value, or brackets that close at the end of the text."""
LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\\+n|[\n\r]|\Z)")
"""The end of a line, be it written ``\\n``, with a remark before it or without."""
_LINE = re.compile(r"[^\n\r]*")
_SHORTEST_PART = 4
"""Characters of an unquoted value that are never taken for the end of a sentence (ours)."""


def skip_quote(text: str, place: int) -> int:
    """Return the place behind a quote that stands here; the place itself without one."""
    quoted = OPENING_QUOTE.match(text, place)
    return quoted.end() if quoted else place


def span_in_quotes(text: str, place: int, quote: str) -> Span | None:
    """Return the span from here to the quote that closes; ``None`` where none does, or at once."""
    closing = _CLOSING.get(quote, quote)
    end = place
    while True:
        end = text.find(closing, end, place + LONGEST_VALUE)
        if end < 0:
            return None
        # A quote behind more backslashes is one inside the value.
        if text[end - 1] != "\\":
            return (place, end) if end > place else None
        end += len(closing)


def span_without_quotes(text: str, place: int) -> Span | None:
    """Return the span of an unquoted value: without the next name, and at the end of a line
    without the marks that end a sentence."""
    found = _UNQUOTED.match(text, place, place + LONGEST_UNQUOTED)
    if found is None:
        return None
    following = _NEXT_NAME.search(text, place, found.end())
    end = following.start() if following else found.end()
    while end - place > _SHORTEST_PART and text[end - 1] in ".,:?!" and LINE_END.match(text, end):
        end -= 1
    return (place, end) if end > place else None


def whole_unquoted(text: str, span: Span) -> Span:
    """Return the span to its very end, where it was judged by its first characters."""
    rest = _UNQUOTED.match(text, span[1])
    return span[0], rest.end() if rest else span[1]


def rest_of_line(text: str, place: int) -> Span:
    """Return the span from here to the end of the line."""
    found = _LINE.match(text, place, place + LONGEST_VALUE)
    return place, found.end() if found else place
