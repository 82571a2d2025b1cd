"""An application's own expression, replayed on text that nobody has seen before.

``\\{.*\\}`` on a text of opening braces alone takes quadratic time: from each of them the matcher
runs to the end. What stands literally in an expression has to stand in the text, in the same order,
wherever it matches: where it does not, nothing is tried.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

__all__ = ["find_all", "find_one", "may_match"]

_MODERN = sys.version_info >= (3, 11)
# Private modules since 3.11, without type stubs; their token layout is the same in 3.10 to 3.13.
_sre: Any = importlib.import_module("re._constants" if _MODERN else "sre_constants")
_parser: Any = importlib.import_module("re._parser" if _MODERN else "sre_parse")


def find_all(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What ``pattern.finditer(text)`` gives."""
    if not may_match(pattern, text):
        return
    for match in pattern.finditer(text):
        yield match
        if not may_match(pattern, text, match.end()):
            return


def find_one(pattern: re.Pattern[str], method: str, text: str) -> re.Match[str] | None:
    """What the pattern's ``search``, ``match`` or ``fullmatch`` gives."""
    return getattr(pattern, method)(text) if may_match(pattern, text) else None


def may_match(pattern: re.Pattern[str], text: str, place: int = 0) -> bool:
    """Whether everything that a match behind ``place`` has to hold is there, in its order."""
    for literal in _literals(pattern):
        found = text.find(literal, place)
        if found < 0:
            return False
        place = found + len(literal)
    return True


@lru_cache(maxsize=256)
def _literals(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """The texts that each match holds, one behind the other."""
    if pattern.flags & re.IGNORECASE:
        return ()
    found: list[list[str]] = [[]]
    _collect(_parser.parse(pattern.pattern, pattern.flags), found)
    return tuple("".join(run) for run in found if run)


def _collect(items: Any, found: list[list[str]]) -> None:
    """Add what the items hold in every case; a new run begins where anything else may stand
    between. What is only looked at, not taken, is passed over."""
    for operator, argument in items:
        if operator is _sre.LITERAL:
            found[-1].append(chr(argument))
        elif operator is _sre.SUBPATTERN and not argument[1] and not argument[2]:
            _collect(argument[3], found)
        elif operator is not _sre.AT:
            found.append([])
