"""Closing brackets of the wrong kind, and their meaning, from what follows it.

Brackets before it may be missing (``{"a": [1, 2}``), it may stand for the other kind
(``{"a": [1, 2}, "b": 3}``), or be one too many (``{"a": [1]]}``). A key can follow only inside an
object, an item only inside an array.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from knitbone.common.structured.json_tokens import KEY_AHEAD

__all__ = ["CLOSER", "Meaning", "continues", "meaning_of", "reopens"]

Meaning: TypeAlias = Literal["missing", "wrong", "extra"]

CLOSER = {"{": "}", "[": "]"}
_COMMA = re.compile(r"\s*,")
_THEN_ITEM = re.compile(r"""\s*["'“\[{\-0-9]""")
_FIRST_KEY = re.compile(
    r"""\s*\{\s*(?:"([^"\\\n]{1,100})"|'([^'\\\n]{1,100})'|([\w$]{1,100}))\s*:"""
)
_NEXT = re.compile(r"\s*(.?)", re.DOTALL)


def meaning_of(sign: str, text: str, place: int, brackets: Sequence[str]) -> Meaning | None:
    """Tell what the bracket ``sign`` at ``place`` means; ``None``: more than one thing, or nothing.

    Args:
        brackets: what is open, outermost first; ``sign`` does not close the last.
    """
    opened = [index for index, bracket in enumerate(brackets) if CLOSER[bracket] == sign]
    # Meaning -> what encloses the place behind the bracket.
    encloses: dict[Meaning, str] = {"wrong": brackets[-2] if len(brackets) > 1 else ""}
    if opened:
        encloses["missing"] = brackets[opened[-1] - 1] if opened[-1] else ""
    else:
        encloses["extra"] = brackets[-1]
    due = _due(text, place + 1)
    if due:
        possible: list[Meaning] = [
            meaning for meaning, bracket in encloses.items() if bracket == due
        ]
        return possible[0] if len(possible) == 1 else None
    if opened:
        return "missing"
    following = _NEXT.match(text, place + 1)
    fits = following is not None and following.group(1) == CLOSER[brackets[-1]]
    return "extra" if fits else "wrong"


def _due(text: str, behind: int) -> str:
    """The bracket that has to be open for what follows; empty: nothing tells."""
    comma = _COMMA.match(text, behind)
    if comma is None:
        return ""
    if KEY_AHEAD.match(text, comma.end()):
        return "{"
    return "[" if _THEN_ITEM.match(text, comma.end()) else ""


def reopens(text: str, array: int, place: int) -> bool:
    """Tell whether the array that begins at ``array``, and was closed, goes on with the object or
    the array at ``place``: both hold records. ``], [`` parts one array only where the records begin
    alike; arrays that differ are two values, one of which lacks its key."""
    if text[array] != "[":
        return False
    if text[place] == "{":
        inside = _NEXT.match(text, array + 1)
        return inside is not None and inside.group(1) == "{"
    first = _first_key(text, array + 1)
    return bool(first) and first == _first_key(text, place + 1)


def continues(text: str, start: int, end: int, place: int) -> bool:
    """Tell whether the object at ``place`` is the next record behind the one that begins at
    ``start``, whose last value ends at ``end``: it begins alike, on a line of its own."""
    if text[start] != "{" or "\n" not in text[end:place]:
        return False
    first = _first_key(text, start)
    return bool(first) and first == _first_key(text, place)


def _first_key(text: str, start: int) -> str:
    match = _FIRST_KEY.match(text, start)
    return match[match.lastindex or 0] if match else ""
