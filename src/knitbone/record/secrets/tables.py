"""Secrets in the columns of tables whose heads announce them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from knitbone.record.secrets.values import is_chosen

__all__ = ["secrets_below_heads"]

_ROWS = 50
"""Rows below the head of a table that are read."""
_LONGEST_ROW = 1_000
_BREAK = re.compile(r"\r?\n|\\+r\\+n|\\+n|\r")
_RULE = re.compile(r"[\s|:+-]*\Z")
_CELLS = re.compile(r"[\w \"/-]{1,40}(?:(?P<sign>[,;\t|])[\w \"/-]{1,40})+\Z")


class _Head(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def secrets_below_heads(text: str, names: Iterable[_Head]) -> Iterator[tuple[int, int]]:
    """Places of secrets in the columns of tables that have a name for their head."""
    for name in names:
        yield from _below_head(text, name.start, name.end)


def _below_head(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Secrets in the column of a table that has the name for its head."""
    head = max(
        text.rfind("\n", max(0, start - _LONGEST_ROW), start) + 1,
        text.rfind("\\n", max(0, start - _LONGEST_ROW), start) + 2
        if "\\n" in text[max(0, start - _LONGEST_ROW) : start]
        else 0,
    )
    stop = end + _LONGEST_ROW
    # Most texts have none, which an expression takes long to say.
    if all(text.find(sign, end, stop) < 0 for sign in "\n\r\\"):
        return
    found = _BREAK.search(text, end, stop)
    if found is None:
        return
    sign = _separator(text[head : found.start()])
    if not sign:
        return
    column = text.count(sign, head, start)
    for _ in range(_ROWS):
        if found is None:
            return
        row = found.end()
        found = _BREAK.search(text, row, row + _LONGEST_ROW)
        line = text[row : found.start() if found else row + _LONGEST_ROW]
        cells = line.split(sign)
        if len(cells) <= max(column, 1):
            return
        value = cells[column].strip(" \t\"'\\")
        if not _RULE.match(line) and is_chosen(value, plain=True):
            place = row + sum(len(cell) + 1 for cell in cells[:column])
            place += cells[column].index(value)
            yield place, place + len(value)


def _separator(line: str) -> str:
    """The sign between the heads of the columns of a table, or none."""
    if "|" in line:
        return "|"
    found = _CELLS.match(line.strip())
    return found["sign"] if found and line.count(found["sign"]) > 1 else ""
