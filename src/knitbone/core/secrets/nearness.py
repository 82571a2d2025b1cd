"""Secrets that stand near a name which announces one, whatever stands between: below a variable's
name, under ``value`` or ``default``, in a column of a table, on the line after a command.

The further from its name, the more a value has to look like a secret by itself; a value under a
name of its own belongs to that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knitbone.core.secrets.names import Strength
from knitbone.core.secrets.values import is_chosen, is_placeholder, is_random

__all__ = ["secrets_near"]

_WINDOW = 120
"""Characters after a name in which its value is looked for (ours)."""
_LINES = 3
"""Lines in which it is looked for, that of the name included."""
_ROWS = 50
"""Rows below the head of a table that are read."""
_LONGEST_ROW = 1_000

_BREAK = re.compile(r"\r?\n|\\+r\\+n|\\+n|\r")
_BLANK = re.compile(r"(?:\r?\n|\\+r\\+n|\\+n)[ \t]*(?:\r?\n|\\+r\\+n|\\+n)")
_OWNER = re.compile(r"(?P<key>[\w.-]{1,64})(?:\\*[\"'])?\s{0,8}[:=]\s{0,8}\Z")
"""The name under which a value stands."""
_SLOT = frozenset({"value", "val", "default", "text", "result", "content", "data", "list", "fill"})
"""Names that say no more than that this is the value."""
_QUOTED = re.compile(r"\\*([\"'])(?P<value>[^\s\"'\\]{8,256})(?=\\*\1)")
_TOKEN = re.compile(r"(?<![^\s:>])(?P<value>[^\s\"'`<>\\|]{8,256})(?![^\s,;.])")
_ALONE = re.compile(r"(?:\A|\n|\\n)[ \t+]*\Z")
_RULE = re.compile(r"[\s|:+-]*\Z")


def secrets_near(
    text: str, start: int, end: int, stop: int, strength: Strength
) -> Iterator[tuple[int, int]]:
    """Places of secrets that belong to the name at this place but do not stand beside it.

    Args:
        stop: where the next name stands.
    """
    name = text[start:end]
    within = text[max(0, start - 1) : start] + text[end : end + 1]
    if strength is Strength.FAINT or is_random(name) or "+" in within or within.endswith("/"):
        return
    window = text[end : min(end + _WINDOW, stop)]
    if blank := _BLANK.search(window):
        window = window[: blank.start()]
    lines = list(_BREAK.finditer(window))
    if len(lines) >= _LINES:
        window = window[: lines[_LINES - 1].start()]
    first = lines[0].end() if lines else len(window)
    if "|" in text[max(0, start - 3) : start] + window[:3]:
        yield from _below_head(text, start, end)
        return
    for pattern in (_QUOTED, _TOKEN):
        for match in pattern.finditer(window):
            place = match.start("value")
            value = match["value"]
            if _fits(window, place, value, strength, place >= first):
                yield end + place, end + match.end("value")
                return


def _fits(window: str, place: int, value: str, strength: Strength, below: bool) -> bool:
    """Whether a value in the window looks enough like a secret for where it stands."""
    if is_placeholder(value):
        return False
    before = window[:place].rstrip("\\\"'")
    owner = _OWNER.search(before)
    if owner and owner["key"].lower() in _SLOT:
        return is_chosen(value, plain=True) or is_random(value, strong=True)
    if owner and below:
        return False
    if below and _ALONE.search(before) and _BREAK.search(window[place:] + "\n"):
        following = window[place + len(value) :]
        alone = not following or _BREAK.match(following) is not None
        return alone and strength is Strength.PASSWORD and is_chosen(value)
    if strength is Strength.POSSIBLE or below:
        return False
    return is_random(value, strong=True) and before.endswith((":", ": "))


def _below_head(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Secrets in the column of a table that has the name for its head."""
    head = max(
        text.rfind("\n", 0, start) + 1,
        text.rfind("\\n", 0, start) + 2
        if "\\n" in text[max(0, start - _LONGEST_ROW) : start]
        else 0,
    )
    column = text.count("|", head, start)
    found = _BREAK.search(text, end, end + _LONGEST_ROW)
    for _ in range(_ROWS):
        if found is None:
            return
        row = found.end()
        found = _BREAK.search(text, row, row + _LONGEST_ROW)
        line = text[row : found.start() if found else row + _LONGEST_ROW]
        cells = line.split("|")
        if len(cells) <= max(column, 1):
            return
        value = cells[column].strip()
        if not _RULE.match(line) and is_chosen(value, plain=True):
            place = row + sum(len(cell) + 1 for cell in cells[:column])
            place += cells[column].index(value)
            yield place, place + len(value)
