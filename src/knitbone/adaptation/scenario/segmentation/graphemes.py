"""Characters of several code points: a letter and its accents, an emoji and its colour."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["SPACELESS", "cuts_character", "is_spaceless"]

_JOINER = "\u200d"
_SELECTORS = frozenset("\ufe0e\ufe0f\u20e3")
_MODIFIERS = ("\U0001f3fb", "\U0001f3ff")
_REGIONAL = ("\U0001f1e6", "\U0001f1ff")
_MARKS = frozenset({"Mn", "Me", "Mc"})
SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts without blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
_SPACELESS = re.compile(f"[{SPACELESS}]")
_MAX_FLAGS = 64
"""Regional indicators looked back at: flags are pairs of them."""


def is_spaceless(character: str) -> bool:
    """Return whether the script of a character writes no blanks between words."""
    return _SPACELESS.match(character) is not None


def cuts_character(before: str, after: str) -> bool:
    """Return whether the border of two texts splits what is read as one character."""
    if not before or not after:
        return False
    last, first = before[-1], after[0]
    if last < "\x7f" and first < "\x7f":
        return last == "\r" and first == "\n"
    if "\ud800" <= last <= "\udbff" and "\udc00" <= first <= "\udfff":
        return True
    if _JOINER in (last, first) or first in _SELECTORS:
        return not last.isspace()
    if _MODIFIERS[0] <= first <= _MODIFIERS[1] or unicodedata.category(first) in _MARKS:
        return not last.isspace()
    if _REGIONAL[0] <= first <= _REGIONAL[1]:
        return _regionals(before) % 2 == 1
    return False


def _regionals(before: str) -> int:
    count = 0
    for character in reversed(before[-_MAX_FLAGS:]):
        if not _REGIONAL[0] <= character <= _REGIONAL[1]:
            break
        count += 1
    return count
