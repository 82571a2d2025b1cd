"""Sets of characters as bits of an integer: one bit for each ASCII character, four for all others.

The other characters are told apart as digits, blanks, letters and the rest, by the methods of
``str`` that Python's ``re`` uses. A set is never smaller than what the expression takes: where one
character outside ASCII is named, its whole kind is in the set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from knitbone.common.expressions.parsing import sre

__all__ = [
    "ALL",
    "ASCII",
    "NEWLINE",
    "SPACES",
    "characters_in",
    "class_of",
    "index_of",
    "is_few",
    "runs_of",
    "single_class",
]

ASCII = (1 << 128) - 1
_DIGIT, _SPACE, _WORD, _OTHER = (1 << kind for kind in range(128, 132))
_HIGH = _DIGIT | _SPACE | _WORD | _OTHER
ALL = ASCII | _HIGH
_FEW = 6
"""Characters that are counted one by one."""
_FOLDED = "ikIKsS"
"""ASCII letters that a letter outside ASCII is the other case of (dotless i, Kelvin, long s)."""


def index_of(character: str) -> int:
    """Return the number of the bit of a character."""
    code = ord(character)
    if code < 128:
        return code
    if character.isdecimal():
        return 128
    if character.isspace():
        return 129
    return 130 if character.isalnum() else 131


def _bits(characters: Iterable[str]) -> int:
    found = 0
    for character in characters:
        found |= 1 << index_of(character)
    return found


_LOW = [chr(code) for code in range(128)]
_CATEGORIES = {
    "DIGIT": (_bits(c for c in _LOW if c.isdecimal()), _DIGIT),
    "SPACE": (_bits(c for c in _LOW if c.isspace()), _SPACE),
    "WORD": (_bits(c for c in _LOW if c.isalnum() or c == "_"), _DIGIT | _WORD),
}
_PLAIN_SPACES = _bits(" \t\n\r\f\v")
NEWLINE = _bits("\n")
SPACES = _CATEGORIES["SPACE"][0] | _SPACE
"""All that ``\\s`` takes."""


def class_of(operation: Any, argument: Any, flags: int) -> int | None:
    """Return the set of characters that one token takes; ``None`` for a token that takes no single
    one."""
    if operation is sre.ANY:
        return ALL if flags & re.DOTALL else ALL & ~NEWLINE
    if operation is sre.LITERAL or operation is sre.CATEGORY:
        return _members([(operation, argument)], flags, least=False)
    if operation is sre.NOT_LITERAL:
        return ALL & ~_members([(sre.LITERAL, argument)], flags, least=True)
    if operation is not sre.IN:
        return None
    if argument and argument[0][0] is sre.NEGATE:
        return ALL & ~_members(argument[1:], flags, least=True)
    return _members(argument, flags, least=False)


def single_class(tokens: Sequence[tuple[Any, Any]], flags: int) -> int | None:
    """Return the set of characters of tokens that take just one; ``None`` for others."""
    if len(tokens) != 1:
        return None
    operation, argument = tokens[0]
    return class_of(operation, argument, flags)


def _members(members: Sequence[tuple[Any, Any]], flags: int, *, least: bool) -> int:
    """Return all characters that a class may take, or with ``least`` only those that it takes for
    sure."""
    found = categories = 0
    for operation, argument in members:
        if operation is sre.CATEGORY:
            categories |= _category(str(argument), flags)
            continue
        low, high = argument if operation is sre.RANGE else (argument, argument)
        found |= ((2 << min(high, 127)) - 1) & ~((1 << low) - 1) if low < 128 else 0
        if high >= 128 and not least:
            found |= (1 << index_of(chr(high))) if low == high else _HIGH
    # A category holds either both cases of a character or none.
    return categories | (_with_other_case(found, least=least) if flags & re.IGNORECASE else found)


def _category(name: str, flags: int) -> int:
    kind = name.rpartition("_")[2]
    low, high = _CATEGORIES[kind]
    if flags & re.ASCII:
        low, high = _PLAIN_SPACES if kind == "SPACE" else low, 0
    return ALL & ~(low | high) if "_NOT_" in name else low | high


def _with_other_case(characters: int, *, least: bool) -> int:
    """Return a set with the other case of each letter."""
    letters = [c for c in _LOW if c.isalpha() and characters >> ord(c) & 1]
    folded = characters | _bits(c.swapcase() for c in letters)
    if least:
        return folded
    if characters & _HIGH:
        return folded | _HIGH | _bits(_FOLDED)
    return folded | (_WORD if any(c in _FOLDED for c in letters) else 0)


def is_few(characters: int) -> bool:
    """Return whether the set holds so few characters that each can be counted in a text."""
    return not characters & _HIGH and characters.bit_count() <= _FEW


@lru_cache(maxsize=512)
def characters_in(characters: int) -> str:
    """Return the ASCII characters of a set."""
    return "".join(c for c in _LOW if characters >> ord(c) & 1)


@lru_cache(maxsize=512)
def runs_of(characters: int) -> re.Pattern[str]:
    """Return an expression for the longest runs of these characters; it takes linear time."""
    if characters & _HIGH:
        left_out = re.escape(characters_in(~characters))
        return re.compile(f"[^{left_out}]+" if left_out else r"(?s:.+)")
    return re.compile(f"[{re.escape(characters_in(characters))}]+" if characters else r"(?!)")
