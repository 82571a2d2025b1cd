"""Text of a requirements file in blocks, so that what a person wrote stays as it is written.

A block is one ``[[site]]`` or ``[[site.requirement]]`` header with the lines below it; the
comments that stand directly above a header belong to it. The standard library's parser gives the
values but neither lines nor comments.
"""

from __future__ import annotations

import re

import msgspec

__all__ = ["FileBlock", "comments_in", "split_blocks"]

_HEADER = re.compile(r"\s*\[\[\s*(site|site\s*\.\s*requirement)\s*\]\]\s*(#.*)?")
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|\n",
    re.DOTALL,
)
"""Strings, comments and line ends of TOML: all that decides what a line of text means."""


class FileBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A header with what belongs to it."""

    kind: str
    """``head`` (what stands before the first site), ``site`` or ``requirement``."""
    line: int
    """1-based, of the header."""
    text: str
    """With the comments above, without blank lines at the end."""


def split_blocks(text: str) -> list[FileBlock]:
    """Return the blocks of a file that is valid TOML, the head first."""
    lines = text.split("\n")
    fresh = _lines_outside_strings(text)
    starts: list[tuple[int, int, str]] = [(0, 0, "head")]
    for index, line in enumerate(lines):
        header = _HEADER.fullmatch(line.rstrip("\r")) if index in fresh else None
        if header is not None:
            start = index
            while start > starts[-1][1] and _is_comment(lines[start - 1], start - 1, fresh):
                start -= 1
            kind = "site" if header[1] == "site" else "requirement"
            starts.append((start, index + 1, kind))
    blocks: list[FileBlock] = []
    for position, (start, line, kind) in enumerate(starts):
        end = starts[position + 1][0] if position + 1 < len(starts) else len(lines)
        body = "\n".join(lines[start:end]).strip()
        blocks.append(FileBlock(kind=kind, line=max(line, 1), text=body))
    return blocks


def _is_comment(line: str, index: int, fresh: set[int]) -> bool:
    """Return whether a line is a comment."""
    return index in fresh and line.lstrip().startswith("#")


def _lines_outside_strings(text: str) -> set[int]:
    """Return the indexes of the lines that do not begin inside a string."""
    fresh, line = {0}, 0
    for token in _TOKEN.finditer(text):
        line += token.group().count("\n")
        if token.group() == "\n":
            fresh.add(line)
    return fresh


def comments_in(text: str) -> list[str]:
    """Return the comments of a block, wherever they stand in it."""
    found = (token.group() for token in _TOKEN.finditer(text))
    return [comment.rstrip() for comment in found if comment.startswith("#")]
