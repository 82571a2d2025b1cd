"""A reader of the lists in a text: which lines are items, at which level, with which marker.

Beside the markers of Markdown it reads those that models write instead: other dots and dashes, and
numbers in bold type or parentheses. A list is a run of items without a line of other text at the
margin in between. Levels are those of CommonMark (§5.2, §5.3): an item that begins at or behind
the content of the one before is nested in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.lexical.spans import Spans

__all__ = ["BULLETS", "NUMBER", "Item", "bullets_used", "find_lists", "has_items", "sibling_runs"]

MAX_ITEMS = 5_000
"""Items of one list that are looked at."""
BULLETS = "-*+\u2022\u25cf\u25e6\u25cb\u25aa\u25a0\u2023\u00b7\u2013\u2014"
"""Signs that open an item."""
NUMBER = r"[0-9]{1,3}[.)]|\*\*[0-9]{1,3}[.)]\*\*|\([0-9]{1,3}\)"
"""Numbers that open one, with what stands around them."""
_ANY = re.compile(rf"^ {{0,24}}(?:[{BULLETS}]|{NUMBER}) {{1,4}}\S", re.MULTILINE)
"""The beginning of a line that may be an item."""
MIN_CODE_INDENT = 4
"""Blanks with which a line outside of a list is code."""
_BREAK = re.compile(r" {0,24}(?:(?:- *){3,}|(?:\* *){3,})")
"""A rule made of signs that also open items: ``- - -``."""
_ITEM = re.compile(rf"( {{0,24}})([{BULLETS}]|{NUMBER})( {{1,4}})(?=\S)(.*)")
"""The line of an item: blanks, marker, blanks, text."""
_DIGITS = re.compile(r"[0-9]+")


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One list item."""

    start: int
    """Start of the marker in the text."""
    indent: int
    """Blanks before the marker."""
    marker: str
    gap: int
    """Blanks behind the marker."""
    text: str
    """The rest of its first line."""
    level: int
    tight: bool
    """Whether the line before belongs to the same list, without an empty line."""

    @property
    def number(self) -> int | None:
        """The number of a numbered item."""
        digits = _DIGITS.search(self.marker)
        return int(digits.group()) if digits else None

    @property
    def style(self) -> str:
        """The marker with ``1`` for whatever number it has."""
        return _DIGITS.sub("1", self.marker)

    @property
    def kind(self) -> str:
        """``bullet`` or ``number``."""
        return "bullet" if self.number is None else "number"


def bullets_used(items: list[Item]) -> list[str]:
    """Return the different bullets, in the order of their first use."""
    return list(dict.fromkeys(item.marker for item in items if item.number is None))


def has_items(text: str) -> bool:
    """Return whether there may be a list: the cheap test."""
    return _ANY.search(text) is not None


def _match_item(line: str, *, in_list: bool) -> re.Match[str] | None:
    """Match the line of an item; ``None`` for a rule, and for code outside of a list."""
    match = _ITEM.fullmatch(line.rstrip("\r"))
    if match is None or _BREAK.fullmatch(line.rstrip()):
        return None
    return match if in_list or len(match.group(1)) < MIN_CODE_INDENT else None


def find_lists(text: str, protected: Spans, deadline: Deadline) -> list[list[Item]]:
    """Find the lists of a text, in order, each with all of its levels.

    Raises:
        TimeoutError: the deadline has passed.
    """
    lists: list[list[Item]] = []
    items: list[Item] = []
    offsets: list[int] = []
    position, blank = 0, False
    for line in text.split("\n"):
        deadline.check()
        start, position = position, position + len(line) + 1
        match = None if protected.covers(start) else _match_item(line, in_list=bool(items))
        if match is not None and len(items) < MAX_ITEMS:
            indent, gap = len(match.group(1)), len(match.group(3))
            while offsets and indent < offsets[-1]:
                offsets.pop()
            items.append(
                Item(
                    start=start + indent,
                    indent=indent,
                    marker=match.group(2),
                    gap=gap,
                    text=match.group(4),
                    level=len(offsets),
                    tight=bool(items) and not blank,
                )
            )
            offsets.append(indent + len(match.group(2)) + gap)
            blank = False
        elif not line.strip():
            blank = True
        elif items and not line.startswith("  "):
            lists.append(items)
            items, offsets, blank = [], [], False
    if items:
        lists.append(items)
    return lists


def sibling_runs(items: list[Item]) -> Iterator[list[Item]]:
    """Yield the items that are siblings of one kind: same parent, all bullets or all numbers."""
    open_runs: dict[int, list[Item]] = {}
    for item in items:
        for level in [level for level in open_runs if level > item.level]:
            yield open_runs.pop(level)
        siblings = open_runs.get(item.level)
        if siblings is not None and siblings[-1].kind == item.kind:
            siblings.append(item)
        else:
            if siblings is not None:
                yield siblings
            open_runs[item.level] = [item]
    yield from open_runs.values()
