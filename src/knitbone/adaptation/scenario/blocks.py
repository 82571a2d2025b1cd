"""A reader of Markdown as language models write it: text in, blocks with their exact positions out.

A block is a paragraph, a list item, a heading, code, a table, verse and so on. This is no
CommonMark parser: it passes over the lines once, builds no tree, and each block is a slice of the
text. Repairs change prose and list items only, so a line that could be either prose or something
else counts as something else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal

import msgspec

__all__ = ["Block", "read_blocks"]

BlockKind = Literal[
    "paragraph", "item", "lines", "dialogue", "heading", "code", "table", "quotation", "rule",
    "data",
]  # fmt: skip
"""``lines``: short lines of their own (verse, an address, a column of values); ``data``: JSON,
markup, logs and the like, outside a fence."""

_SHORT_LINE = 60
"""Characters. Prose that is wrapped by hand runs to 65 or more; verse rarely does."""
_LABEL = 40

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
"""The mark of a code fence."""
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
"""A heading: ``## Title``."""
_BOLD_LINE = re.compile(r" {0,3}(\*\*|__)[^*_\n]{1,200}\1:?[ \t]*$")
"""A line in bold type, which stands for a heading."""
_RULE = re.compile(r" {0,3}(?:-[ \t]*){3,}$| {0,3}(?:\*[ \t]*){3,}$| {0,3}[=_]{3,}[ \t]*$")
"""A line that is a rule: ``---``."""
_BULLET = r"[-*+\u2022\u2023\u25e6\u25aa\u00b7\u2013\u2014]"
_ORDINAL = r"\(?(?:\d{1,4}|[A-Za-z]|[ivx]{2,4})[.)]"
_WORDED = (
    r"(?i:task|step|idea|point|reason|goal|topic|feature|tip|benefit|option|suggestion|"
    r"recommendation|requirement|action|item|objective|finding|rule|fact|advantage|"
    r"disadvantage|strategy|principle|lesson|method|way|risk|issue|to-?do)"
    r" {1,2}#?\d{1,3}(?:[.:)]| ?[-\u2013\u2014])"
)
"""``Task 3.``, ``Idea 2 -``."""
_MARKER = re.compile(rf"([ \t]*)((?:\*\*)?(?:{_BULLET}|{_ORDINAL}|{_WORDED})(?:\*\*)?)[ \t]+(?=\S)")
"""The blanks and the marker before the text of an item."""
_NUMBER = re.compile(r"\d{1,4}")
_LABELLED = re.compile(rf"[*_(\[]{{0,3}}([A-Z][^\n:.!?]{{0,{_LABEL}}}?)[)\]]?[*_]{{0,2}}:")
"""A label at the start of a paragraph: ``Anna:``, ``**Note**:``."""
_MACHINE = re.compile(
    r"[ \t]*(?:[\"'][^\"'\n]{1,80}[\"'][ \t]*:|[{}\[\]<]|[/~$#]\S|\w{0,80}(?:Error|Warning)\b|"
    r"\w{0,80}Exception\b|[^\s:]{1,200}:\d+:|Traceback |(?:[A-Z][\w ]{0,30}: )?https?://)|"
    r"[ \t]{4,}\S"
)
"""How a line of JSON, markup, a path, a command or a log starts."""
_QUOTES = '"\u201c\u00ab\u201e'


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """One block: ``text[start:end]`` without the line break behind it."""

    kind: BlockKind
    start: int
    end: int
    body: int
    """Where its text starts: behind the indentation and the marker of an item."""
    indent: int = 0
    """Columns before the marker of an item."""
    marker: str = ""
    """``-``, ``3.``, ``(b)``, ``Task 3.`` as written."""
    number: int | None = None
    series: int = -1
    """Items of one list, at one depth, have the same; -1: no item."""
    extent: int = 0
    """Where an item ends with everything nested in it."""


def read_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a text in order.

    They do not overlap; blank lines between them belong to none.
    """
    stripped = text.strip()
    if stripped and (stripped[0] + stripped[-1] in ("{}", "[]", "<>")):
        start = text.index(stripped[0])
        whole = Block(kind="data", start=start, end=start + len(stripped), body=start)
        return (msgspec.structs.replace(whole, extent=whole.end),)
    blocks = [_refine(text, block) for block in _BlockReader(text).read()]
    return tuple(_number_lists(_mark_dialogue(text, blocks)))


class _BlockReader:
    """The state of one pass over the lines of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._done: list[Block] = []
        self._open: Block | None = None
        """The paragraph, item, table or quotation that the next line may go on."""
        self._fence = ""
        self._after_blank = True
        self._in_list = False

    def read(self) -> list[Block]:
        for start, end in _lines(self._text):
            self._line(start, end, self._text[start:end])
        self._close()
        return self._done

    def _line(self, start: int, end: int, line: str) -> None:
        """Add one line to the open block, or begin a block with it."""
        if self._fence:
            self._extend(end)
            if line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0]):
                self._fence = ""
                self._close()
            return
        if not line.strip():
            self._close()
            self._after_blank = True
            return
        kind, body = self._classify(start, line)
        if kind == "more":
            self._extend(end)
        else:
            self._close()
            self._open = Block(kind=kind, start=start, end=end, body=body)
            if kind == "item" and (marker := _MARKER.match(line)):
                digits = _NUMBER.search(marker.group(2))
                self._open = msgspec.structs.replace(
                    self._open,
                    indent=len(marker.group(1).expandtabs(4)),
                    marker=marker.group(2),
                    number=int(digits.group()) if digits else None,
                )
            if kind in ("heading", "rule"):
                self._close()
        self._in_list = kind == "item" or (self._in_list and (kind == "more" or line[0] in " \t"))
        self._after_blank = False

    def _classify(self, start: int, line: str) -> tuple[BlockKind | Literal["more"], int]:
        """Return the kind of block that a line begins, and where its text starts; ``more``: the
        line goes on with the open block."""
        body = start + len(line) - len(line.lstrip())
        bare = line.lstrip()
        open_kind = self._open.kind if self._open else ""
        if fence := _FENCE.match(line):
            self._fence = fence.group(1)
            return "code", body
        if open_kind == "paragraph" and set(bare.rstrip()) in ({"="}, {"-"}):
            return "more", body  # the underline of a heading: see _refine
        if _RULE.match(line):
            return "rule", body
        if _HEADING.match(line) or _BOLD_LINE.match(line):
            return "heading", body
        if bare[0] == ">":
            return ("more" if open_kind == "quotation" else "quotation"), body
        if bare.count("|") >= 2:
            return ("more" if open_kind == "table" else "table"), body
        if marker := _MARKER.match(line):
            return "item", start + marker.end()
        indented = line.startswith(("    ", "\t"))
        if indented and not self._in_list and (self._after_blank or open_kind == "code"):
            return ("more" if open_kind == "code" else "code"), body
        return ("more" if open_kind in ("paragraph", "item") else "paragraph"), body

    def _extend(self, end: int) -> None:
        if self._open is not None:
            self._open = msgspec.structs.replace(self._open, end=end)

    def _close(self) -> None:
        if self._open is not None and not self._fence:
            self._done.append(self._open)
            self._open = None
        elif self._open is not None and self._open.end == len(self._text):
            self._done.append(self._open)  # a fence that is never closed runs to the end


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        yield start, end - (end > start and text[end - 1] == "\r")
        start = end + 1


def _refine(text: str, block: Block) -> Block:
    """Correct the kind of a paragraph by looking at all of its lines.

    Short lines are verse or the like, a line that a machine wrote makes it data, and an underlined
    line is a heading.
    """
    if block.kind != "paragraph":
        return block
    lines = text[block.start : block.end].split("\n")
    # The first line is looked at without its indentation: it may belong to an item.
    if _MACHINE.match(lines[0].lstrip()) or any(map(_MACHINE.match, lines[1:])):
        return msgspec.structs.replace(block, kind="data")
    if len(lines) == 1:
        return block
    if set(lines[-1].strip()) in ({"="}, {"-"}):
        return msgspec.structs.replace(block, kind="heading")
    if all(len(line) < _SHORT_LINE for line in lines[:-1]):
        return msgspec.structs.replace(block, kind="lines")
    return block


def _mark_dialogue(text: str, blocks: list[Block]) -> list[Block]:
    """Mark paragraphs as dialogue that open with a quotation mark or with a speaker's label; a
    label counts only where another paragraph opens with the same one."""
    labels: dict[int, str] = {}
    for index, block in enumerate(blocks):
        if block.kind in ("paragraph", "lines"):
            match = _LABELLED.match(text, block.body, block.end)
            if match:
                labels[index] = match.group(1).strip()
    frequency = Counter(labels.values())
    spoken_indices = {index for index, label in labels.items() if frequency[label] > 1}
    return [
        msgspec.structs.replace(block, kind="dialogue")
        if index in spoken_indices or (block.kind == "paragraph" and text[block.body] in _QUOTES)
        else block
        for index, block in enumerate(blocks)
    ]


def _number_lists(blocks: list[Block]) -> Iterator[Block]:
    """Give every item the number of its list and its extent. A block that is not indented ends all
    lists."""
    opened: list[tuple[int, int, bool]] = []  # indent, series, numbered
    count = 0
    item_ends = _ends_of_items(blocks)
    for index, block in enumerate(blocks):
        if block.kind != "item":
            if block.body == block.start:
                opened.clear()
            yield msgspec.structs.replace(block, extent=block.end)
            continue
        numbered = any(character.isalnum() for character in block.marker)
        while opened and (
            opened[-1][0] > block.indent
            or (opened[-1][0] == block.indent and opened[-1][2] != numbered)
        ):
            opened.pop()
        if not opened or opened[-1][0] < block.indent:
            opened.append((block.indent, count, numbered))
            count += 1
        yield msgspec.structs.replace(block, series=opened[-1][1], extent=item_ends[index])


def _ends_of_items(blocks: list[Block]) -> dict[int, int]:
    """Return for each item where the last block that is nested in it ends."""
    ends: dict[int, int] = {}
    open_items: list[tuple[int, int]] = []  # indent, index
    last = 0
    for index, block in enumerate(blocks):
        depth = block.indent if block.kind == "item" else block.body - block.start
        while open_items and depth <= open_items[-1][0]:
            ends[open_items.pop()[1]] = last
        if block.kind == "item":
            open_items.append((block.indent, index))
        last = block.end
    while open_items:
        ends[open_items.pop()[1]] = last
    return ends
