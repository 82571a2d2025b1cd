"""Code fences around an answer, or around a part of it.

Each repair accepts different lines as a fence: a table may stand behind any, code only behind a
fence of its language. So there is one expression for each, side by side. Fences are also read by
``common/structured`` (documents inside of them, which fuzz needs as well) and by ``repair/fenced``
(whose subject the fences themselves are).
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

__all__ = [
    "CodeBlock",
    "begins_with_fence",
    "code_blocks",
    "content_of_block",
    "is_fence",
    "is_fence_of_data",
    "json_in_block",
    "lines_of_block",
    "parts_with_table",
    "without_fence_marks",
    "without_markdown_fence",
]

_MAX_FENCES = 64
"""Marks of one answer that are looked at (ours)."""

_LINE = re.compile(r"\s{0,4}```[\w+-]{0,20}\s*")
"""A line that is a fence, with or without a tag."""
_DATA_LINE = re.compile(r"[`~]{3,}[\w+#.\-]*")
"""A stripped line that is a fence around data, of any kind and length."""
_MARKS = re.compile(r"```[\w+-]{0,20}\s{0,4}\n|\n?```")
"""Each mark of a fence, with the line break that belongs to it."""
_BLOCK = re.compile(r"```[\w+-]{0,20}[ ]*\n(?P<inner>[^`]*)```")
"""A short text that is one block and holds no backtick."""
_LINES = re.compile(r"\s*```[\w+-]*[ \t]*\n(.*?)\n```\s*", re.DOTALL)
"""A text that is one block of lines."""
_JSON = re.compile(
    r"\s*(?P<mark>```|~~~)(?:json[5lc]?)?[ \t]*\n(?P<body>.*)\n[ \t]*(?P=mark)\s*",
    re.DOTALL | re.IGNORECASE,
)
"""A text that is one block without a tag, or with one of JSON."""
_MARKDOWN = re.compile(r"\s{0,8}```(?:markdown|md|text)?[^\S\n]{0,8}\n", re.IGNORECASE)
"""The opening fence around a whole text of Markdown."""
_END_OF_MARKDOWN = re.compile(r"\n[^\S\n]{0,4}```\s{0,8}\Z")
"""The closing fence around a whole text of Markdown."""
_IN_MARKDOWN = re.compile(r"[^\S\n]{0,4}(?:```|~~~)")
"""A fence at the start of a line inside Markdown."""
_CODE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n`]*$", re.MULTILINE)
"""A fence around code, with its mark and its tag."""
_TABLE = re.compile(r"^[ \t]{0,8}(?:```|~~~)[^\n]*$", re.MULTILINE)
"""A fence between parts of an answer in which a table may stand."""


def is_fence(line: str) -> bool:
    """Return whether a line is nothing but three backticks, with or without a tag."""
    return _LINE.fullmatch(line) is not None


def begins_with_fence(line: str) -> bool:
    """Return whether a fence begins a line of Markdown, whatever stands behind it."""
    return _IN_MARKDOWN.match(line) is not None


def is_fence_of_data(line: str) -> bool:
    """Return whether a stripped line is a fence of any kind and length, as around structured
    data."""
    return _DATA_LINE.fullmatch(line) is not None


def content_of_block(text: str) -> str | None:
    """Return the content of a short text that is one fenced block; ``None`` where it is not, or
    holds a backtick."""
    block = _BLOCK.fullmatch(text)
    return block["inner"].strip() if block else None


def lines_of_block(text: str) -> str | None:
    """Return the lines inside a text that is one fenced block; ``None`` where it is not."""
    block = _LINES.fullmatch(text)
    return block[1] if block is not None and "```" not in block[1] else None


def json_in_block(text: str) -> str | None:
    """Return the JSON inside a text that is one fenced block; ``None`` where it is not, or the tag
    is another language's."""
    block = _JSON.fullmatch(text)
    return block["body"] if block else None


def without_markdown_fence(text: str) -> str:
    """Return Markdown without a fence around the whole; the text itself where there is none."""
    opening, closing = _MARKDOWN.match(text), _END_OF_MARKDOWN.search(text[-40:])
    if opening is None or closing is None:
        return text
    inner = text[opening.end() : len(text) - len(closing.group())]
    fences = sum(map(begins_with_fence, inner.split("\n")))
    return inner if fences % 2 == 0 else text


def without_fence_marks(text: str) -> str:
    """Replace each mark of a fence by a line break, wherever it stands."""
    return _MARKS.sub("\n", text)


def parts_with_table(text: str) -> list[str]:
    """Return the parts of an answer in which a table may stand: what is between fences, the last
    first; the text itself where there is no fence."""
    marks = list(islice(_TABLE.finditer(text), _MAX_FENCES))
    if not marks:
        return [text]
    inside = [
        text[opening.end() + 1 : closing.start()]
        for opening, closing in zip(marks[::2], marks[1::2], strict=False)
    ]
    if len(marks) % 2:
        # A fence without its counterpart: a table behind an opening one, or before a closing one.
        inside.append(text[marks[-1].end() + 1 :])
        inside.append(text[: marks[0].start()])
    return [part for part in reversed(inside) if part.strip()]


class CodeBlock(NamedTuple):
    """One block of code; positions are offsets into the text."""

    start: int
    """Start of the line of its opening fence."""
    end: int
    """Behind its closing fence, or behind the last fence of the text where it is not closed."""
    tag: str
    """The tag in small letters; empty where there is none."""
    code: str
    closed: bool


def code_blocks(text: str) -> list[CodeBlock]:
    """Return the fenced blocks of code of a text; the last one may not be closed.

    A fence ends at a mark of its kind that is at least as long and has no tag.
    """
    blocks: list[CodeBlock] = []
    opening: re.Match[str] | None = None
    end = 0
    for mark in islice(_CODE.finditer(text), _MAX_FENCES):
        end = mark.end()
        if opening is None:
            opening = mark
        elif mark[1][0] == opening[1][0] and len(mark[1]) >= len(opening[1]) and not mark[2]:
            code = text[opening.end() + 1 : mark.start()]
            blocks.append(CodeBlock(opening.start(), end, opening[2].lower(), code, True))
            opening = None
    if opening is not None:
        code = text[opening.end() + 1 :]
        blocks.append(CodeBlock(opening.start(), end, opening[2].lower(), code, False))
    return blocks
