"""The fenced blocks of a text, with fences that Markdown would not accept.

The lines are read once. Unlike in CommonMark, a fence with a tag opens a block even where another
one is open: a model that writes a second tag forgot to close the first.
"""

from __future__ import annotations

import re

import msgspec

from knitbone.adaptation.repair.fenced.tags import is_known, language_of, tag_in

__all__ = ["MAX_BLOCKS", "FencedBlock", "find_blocks"]

MAX_BLOCKS = 256
"""Blocks that are looked at; an answer with more is not repaired (ours)."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(
    r"(?P<lead>[ \t]{0,16}(?:(?:[-*+>]|[0-9]{1,3}[.)])[ \t]{1,8})?)(?P<mark>`{3,}|~{3,})"
)
_ENDING = re.compile(r"[^`]```$")


class FencedBlock(msgspec.Struct, frozen=True, kw_only=True):
    """One fenced block; positions are offsets into the text."""

    start: int
    """Start of the mark of the opening fence."""
    mark: str
    tag: str
    """The tag as written; empty where there is none."""
    inside: int
    """Start of the content."""
    end: int
    """End of the content, which is the start of the closing fence's line."""
    after: int
    """Behind the closing mark; ``end`` where there is none."""
    closed: bool
    close_lead: str = ""
    """Blanks in front of the closing mark."""
    inline: bool = False
    """Whether a fence shares its line with the content."""


def find_blocks(text: str) -> list[FencedBlock] | None:
    """Find the blocks in order; ``None`` where there are more than ``MAX_BLOCKS``."""
    found: list[FencedBlock] = []
    opened: FencedBlock | None = None
    for line in _LINE.finditer(text):
        row = line.group().rstrip("\r\n")
        fence = _FENCE.match(row)
        if fence is None:
            # The closing mark may stand at the end of the last line of code.
            if opened is not None and opened.mark == "```" and _ENDING.search(row):
                found.append(_close(opened, line.start() + len(row) - 3, 3, inline=True))
                opened = None
            continue
        position, mark = line.start() + fence.start("mark"), fence["mark"]
        info = row[fence.end() :].strip()
        if opened is not None and mark[0] == opened.mark[0] and not info:
            if len(mark) >= len(opened.mark):
                lead = fence["lead"] if not fence["lead"].strip() else ""
                end = line.start() if lead == fence["lead"] else position
                found.append(_close(opened, end, len(mark), lead))
                opened = None
            continue
        if opened is not None:
            if mark[0] != opened.mark[0] or language_of(opened.tag) == "markdown":
                continue  # content of the open block
            found.append(unclosed(opened, line.start()))
        opened = _open(position, mark, info, line.end())
        if opened.inline:
            found.append(_one_line_block(opened, text, line.start() + len(row)))
            opened = None
        if len(found) > MAX_BLOCKS:
            return None
    if opened is not None:
        found.append(unclosed(opened, len(text)))
    return found


def unclosed(block: FencedBlock, end: int) -> FencedBlock:
    """Return the block as one without a closing fence, whose content ends there."""
    return msgspec.structs.replace(block, end=end, after=end, closed=False)


def _open(position: int, mark: str, info: str, end: int) -> FencedBlock:
    inline = "```" in info and mark == "```"
    return FencedBlock(
        start=position,
        mark=mark,
        tag=tag_in(info),
        inside=end,
        end=end,
        after=end,
        closed=False,
        inline=inline,
    )


def _close(
    block: FencedBlock, position: int, length: int, lead: str = "", *, inline: bool = False
) -> FencedBlock:
    return msgspec.structs.replace(
        block,
        end=position,
        after=position + len(lead) + length,
        closed=True,
        close_lead=lead,
        inline=inline,
    )


def _one_line_block(block: FencedBlock, text: str, end: int) -> FencedBlock:
    """Return a block on one line: the tag is its first word, the content what follows up to the
    mark."""
    inside = block.start + len(block.mark)
    close = text.index("```", inside, end)
    tag, blank, code = text[inside:close].partition(" ")
    if not (blank and code.strip() and is_known(tag)):
        tag = ""
    inside += len(tag) + len(blank if tag else "")
    return msgspec.structs.replace(
        block, tag=tag, inside=inside, end=close, after=close + 3, closed=True
    )
