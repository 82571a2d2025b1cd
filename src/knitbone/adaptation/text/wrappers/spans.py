"""Spans of a text that may be a value with words around it.

Nothing here knows what a value is: whoever reads the text tries the spans. They begin and end
where words do, with or without the marks around them, so that no number or word is cut in two.
"""

# ruff: noqa: RUF001 - the quotes that models write
from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from knitbone.adaptation.text.wrappers.fences import begins_with_fence, code_blocks

__all__ = [
    "MAX_WORDS",
    "TextSpan",
    "apart",
    "bracketed",
    "is_prose",
    "paragraphs",
    "phrases",
    "shape_of",
    "without_list_mark",
]

MAX_WORDS = 200
"""Words of a text in which a value is looked for (ours)."""
_MAX_PHRASE = 8
"""Words of a value in a sentence: ``Wednesday, the 23rd of September 2026 at 10:30:15`` (ours)."""

_MAX_BORDERS = 4
"""Marks within one word between which a value is looked for (ours)."""

_WORD = re.compile(r"\S+")
_OPENING = "*_`\"'“”‘’„«([{<>"
_CLOSING = "*_`\"'“”‘’«»)]}>.,;:!?。！"
_STOPS = ".,;:!?。！"
_LIST_MARK = re.compile(r"^[^\S\n]*(?:[-*+•>]|\(?\d{1,3}[.)]|#{1,6})(?=[^\S\n])", re.MULTILINE)
"""The number, bullet or other mark before an item, a heading or a quotation."""
_BORDER = re.compile(r"</?[A-Za-z][^<>\n]{0,40}>|(?<=\w)=(?=\w)|(?<=\w):(?=\*)|\\boxed\{|\}")
"""Marks between which a value may stand within a word: ``<answer>7</answer>``."""
_SET_APART = re.compile(
    r"(?P<mark>\*\*\*|\*\*|__|`|\"|'(?=\S))(?P<inner>[^\n*_`\"]{1,300}?)(?P=mark)(?!\w)"
    r"|“(?P<quoted>[^\n“”]{1,300})”|<(?P<tag>[a-z]{1,20})>(?P<tagged>[^<>\n]{1,300})</(?P=tag)>"
)
"""A part of a line within emphasis, quotes, backticks or a tag."""
_LABEL = re.compile(r"^[^\S\n]*[*_]{0,3}[^\W\d][^\n:]{0,60}:[*_]{0,3}[^\S\n]+(?=\S)", re.MULTILINE)
"""A name and a colon before the rest of a line."""
_LINE = re.compile(r"[^\n]+")
_SHAPE = re.compile(r"(?P<letters>[^\W\d_]+)|\d+")


class TextSpan(NamedTuple):
    """A part of a text, from ``start`` up to ``end``."""

    start: int
    end: int

    def holds(self, other: TextSpan) -> bool:
        """Return whether another span lies within this one."""
        return self.start <= other.start and other.end <= self.end


def phrases(text: str) -> Iterator[TextSpan]:
    """Yield runs of up to eight words of one line, the longest of each beginning first; nothing
    where the text has too many words.

    The number of a list's item belongs to no run.
    """
    words = list(islice(_WORD.finditer(text), MAX_WORDS + 1))
    if len(words) > MAX_WORDS:
        return
    marks = {match.end() for match in _LIST_MARK.finditer(text)}
    bounds = [_bounds(match, text) for match in words if match.end() not in marks]
    for first, (starts, _) in enumerate(bounds):
        last = first
        while last + 1 < len(bounds) and last + 1 < first + _MAX_PHRASE:
            if "\n" in text[bounds[last][1][0] : bounds[last + 1][0][0]]:
                break
            last += 1
        for place in range(last, first - 1, -1):
            for start in starts:
                for end in bounds[place][1]:
                    if start < end:
                        yield TextSpan(start, end)


def _bounds(match: re.Match[str], text: str) -> tuple[list[int], list[int]]:
    """Return where a value may begin and where it may end within a word."""
    start, end = match.span()
    while end > start + 1 and text[end - 1] in _STOPS:
        end -= 1  # the stop belongs to the sentence
    starts, ends = [start], [end]
    while start < end and text[start] in _OPENING:
        start += 1
    while end > start and text[end - 1] in _CLOSING:
        end -= 1
    starts.append(start)
    ends.append(end)
    for border in islice(_BORDER.finditer(text, *match.span()), _MAX_BORDERS):
        ends.append(border.start())
        starts.append(border.end())
    return list(dict.fromkeys(starts)), list(dict.fromkeys(ends))


def apart(text: str) -> list[TextSpan]:
    """Return the parts that a text itself sets apart: fenced blocks, paragraphs, lines, what stands
    behind a label on its line, and what stands in emphasis, quotes, backticks or tags."""
    found: dict[TextSpan, None] = {}

    def add(start: int, end: int) -> None:
        part = text[start:end]
        start += len(part) - len(part.lstrip())
        end = start + len(part.strip())
        if start < end and end - start < len(text):
            found[TextSpan(start, end)] = None

    for block in code_blocks(text):
        place = text.find(block.code, block.start)
        if block.closed and block.code.strip() and place >= 0:
            add(place, place + len(block.code))
    for place in paragraphs(text)[:MAX_WORDS]:
        add(*place)
    for match in islice(_LINE.finditer(text), MAX_WORDS):
        add(*match.span())
        if mark := _LIST_MARK.match(match.group()):
            add(match.start() + mark.end(), match.end())
    for match in islice(_LABEL.finditer(text), MAX_WORDS):
        line_end = text.find("\n", match.end())
        add(match.end(), len(text) if line_end < 0 else line_end)
    for match in islice(_SET_APART.finditer(text), MAX_WORDS):
        group = next(name for name in ("inner", "quoted", "tagged") if match[name] is not None)
        add(*match.span(group))
    return list(found)


def paragraphs(text: str) -> list[TextSpan]:
    """Return the paragraphs of a text, between blank lines and fences; a line that ends in a colon
    is one of its own."""
    found: list[TextSpan] = []
    start = end = place = 0
    for line in text.splitlines(keepends=True):
        begin, place = place, place + len(line)
        if not line.strip() or begins_with_fence(line):
            if end > start:
                found.append(TextSpan(start, end))
            start = end = place
        else:
            start = start if end > start else begin
            end = begin + len(line.rstrip())
            if line.rstrip().endswith(":") and start == begin:
                found.append(TextSpan(start, end))
                start = end = place
    return [*found, TextSpan(start, end)] if end > start else found


_PROSE = re.compile(r"[*_]{0,3}[^\W\d_][^|\t{}\[\]<>]*[.!?:][*_]{0,3}")
_HEADING = re.compile(r"#{1,6} [^\n|]+|\*\*[^\n*|]+\*\*:?|[^\W\d_][^\n|,;:]{0,60}:")
_MIN_PROSE = 3
"""Words of a sentence; of an exclamation one is enough (ours)."""


def is_prose(text: str) -> bool:
    """Return whether a paragraph is sentences or a heading, and surely no record of data."""
    bare = text.strip()
    if _HEADING.fullmatch(bare):
        return True
    words = [word for word in bare.split() if any(map(str.isalpha, word))]
    enough = len(words) >= _MIN_PROSE or bare.endswith("!")
    return enough and _PROSE.fullmatch(bare) is not None


_BRACKETS = {"[": "]", "(": ")", "{": "}"}
_ELEMENT = re.compile(
    r"<(?P<name>[A-Za-z][\w.-]{0,60})(?:\s[^<>]{0,500})?>.*</(?P=name)>", re.DOTALL
)


def bracketed(text: str) -> list[TextSpan]:
    """Return the outermost parts of a text in brackets, or from a tag to its end; a bracket
    without its counterpart is a part, too."""
    if (element := _ELEMENT.search(text)) is not None:
        outside = text[: element.start()] + text[element.end() :]
        return [TextSpan(*element.span()), *(TextSpan(0, 0) for _ in _BORDER.finditer(outside))]
    found: list[TextSpan] = []
    open_brackets: list[str] = []
    start, quote = 0, ""
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif open_brackets and character in "\"'":
            quote = character
        elif character in _BRACKETS:
            start = start if open_brackets else place
            open_brackets.append(_BRACKETS[character])
        elif character in _BRACKETS.values():
            if not open_brackets or open_brackets.pop() != character:
                found.append(TextSpan(0, 0))
                open_brackets = []
            elif not open_brackets:
                found.append(TextSpan(start, place + 1))
    return [*found, *(TextSpan(0, 0) for _ in open_brackets)]


def without_list_mark(before: str) -> str:
    """Return the text before a value, without a list's mark or a heading's right before it."""
    line = before.rpartition("\n")[2]
    mark = _LIST_MARK.match(f"{line} ") if line.strip() else None
    return (
        before[: len(before) - len(line)] if mark and mark.end() >= len(line.rstrip()) else before
    )


def shape_of(text: str) -> str:
    """Return the marks of a text, with one letter for each run of letters and one digit for each
    number: ``a@a.a``, ``9-9-9``."""
    return _SHAPE.sub(lambda run: "a" if run["letters"] else "9", text)
