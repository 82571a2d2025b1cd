"""How much a text looks like a secret by itself: one that people make up (``cactus+ticket+67``) or
one that a machine draws (``e%PV+Y__5EWm``).

A text is read as pieces: words, numbers and signs. Identifiers, versions, paths and sentences are
made of long pieces that few signs join; what is made up has a number and a sign where no identifier
has one; what is drawn changes between small letters, capitals, digits and signs all the time.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

__all__ = ["Look", "are_groups", "look_of"]

LONGEST_LOOK = 128
"""Characters of a text that is judged as a whole."""


class Look(IntEnum):
    """How much a text looks like a secret. In 72 million characters of code, documentation and
    settings of public packages a text looks ``STRONG`` once in 100,000 characters (ours)."""

    NONE = 0
    """Words, numbers, versions, paths, addresses, digests, identifiers with a prefix."""
    FAINT = 1
    """Letters and digits, as identifiers have them: ``coffee-kettle-13``, hexadecimal digits."""
    LIKELY = 2
    """Words with capitals and a number, or short pieces: ``Charly.Marina38``, ``ru7no-2apiw``."""
    DRAWN = 3
    """Random letters and digits."""
    STRONG = 4
    """Words or random characters with a sign that no identifier has: ``97pizza??Bello``."""
    KEY = 5
    """Groups of random characters, a dozen words: how keys are written for people to type."""


_SHORTEST = 8
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_]+|[\W_]+")
_DRAWN_FROM = 12
_DRAWN_LONG = 20
"""Characters from which short pieces tell that a machine drew them: of letters of both cases and
digits, and of one case (ours)."""
_DRAWN_PIECE = 2.4
"""Characters of a piece of random letters and digits, on the average and at most (ours: of random
texts of letters of both cases and digits it is 1.5, of names of programs above 4)."""
_LONGEST_CHOSEN = 40
_MOST_PIECES = 9
"""Characters and pieces of what people make up (ours)."""
_SOFT = frozenset("-_.")
"""Signs that join words in identifiers."""
_MARKS = frozenset("!#$?")
_OPERATORS = frozenset("%&*+@^~")
"""Signs that stand in expressions, too: there, words are small and numbers short."""
_ORDINARY = re.compile(
    r"""(?:
      [vV]?\d[\d.:T/+Z,_-]*(?:[A-Za-z]{1,5}[\d.+-]*)?              # numbers, times, versions
    | [^@]+@[\w-]+\.[\w.-]+ | .*://.*                              # addresses
    | [\w.+~-]*/[\w.+~/-]*(?<![=+])                               # paths
    | [\w-]+\.[a-z][a-z0-9]{0,4}                                  # names of files
    | [0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}        # UUID
    | [a-z]{2,9}_[A-Za-z0-9]{8,} | (?:call|chatcmpl|file|req|i)-[A-Za-z0-9]+  # identifiers
    | (?:sha|md)\d.* | [$%#@&*/].*(?<!\d)(?<!\W)                  # digests, variables
    | .*%(?:2[0-9A-F]|3[A-F]|40|5[BDE]|7[BCDE]|C[23]%).*  # another encoding
    )\Z""",
    re.VERBOSE | re.DOTALL,
)
_HEXADECIMAL = re.compile(r"[0-9a-f-]+\Z|[0-9A-F-]+\Z")
_BASE64 = ("+", "/", "-", "_")
_KEYS = frozenset({16, 24, 32, 48, 96, 128})
"""Hexadecimal digits of keys; digests have 40 and 64."""
_TITLE = re.compile(r"[A-Z][a-z]{2}")
_NAMED = re.compile(r"[A-Z]{2}\d+\Z")
"""``HashAlgorithmName.SHA512``."""
_PATH_TO_RANDOM = 40
"""Characters of base64 in which a slash may stand."""


@lru_cache(maxsize=2_048)
def look_of(text: str) -> Look:
    """How much a text without spaces looks like a secret, whatever stands around it."""
    length = len(text)
    if not _SHORTEST <= length <= LONGEST_LOOK:
        return Look.NONE
    small, capital = text != text.upper(), text != text.lower()
    if not (small or capital) or text[0] in "-.+*" or text.startswith(("sha", "__")):
        return Look.NONE
    pieces: list[str] = _PIECE.findall(text)
    digits = [piece for piece in pieces if piece[0].isdigit()]
    if not digits:
        return Look.NONE
    signs = [piece for piece in pieces if not piece[0].isalnum()]
    hard = any(sign[0] in _MARKS or sign[0] in _OPERATORS for sign in signs if sign not in _BASE64)
    short = length - len("".join(signs)) <= _DRAWN_PIECE * (len(pieces) - len(signs))
    base64 = length >= _PATH_TO_RANDOM and short and small and capital and text.count("/") < 6
    if not base64 and _ORDINARY.match(text):
        return Look.NONE
    if _HEXADECIMAL.match(text):
        return Look.LIKELY if length in _KEYS and text.isalnum() else Look.FAINT
    if short and length >= _DRAWN_FROM and small and capital:
        return Look.STRONG if hard else Look.DRAWN
    if short and length >= _DRAWN_LONG and len(digits) > 2:
        return Look.STRONG if hard else Look.DRAWN
    if short and len(digits) > 2 and not hard and not any(map(str.isdigit, (text[0], text[-1]))):
        return Look.LIKELY
    return _made_up(text, pieces, digits, signs)


def _made_up(text: str, pieces: list[str], digits: list[str], signs: list[str]) -> Look:
    if len(text) > _LONGEST_CHOSEN or len(pieces) > _MOST_PIECES or max(map(len, digits)) > 5:
        return Look.FAINT
    words = [piece for piece in pieces if piece[0].isalpha()]
    long = sum(len(word) for word in words if len(word) > 2)
    title = _TITLE.search(text) is not None
    if not all(map(_is_typed, signs)):
        return Look.FAINT
    operators = sum(sign[0] in _OPERATORS for sign in signs)
    telling = sum(sign[0] in _MARKS or len(sign) == 2 or sign[0] in _OPERATORS for sign in signs)
    if signs and pieces[-1] == signs[-1] and pieces[-2][0].isdigit():
        telling += 1  # a number and then a sign: no name ends so
    both = text != text.upper() and text != text.lower()
    number = max(map(len, digits)) > 1
    if telling and long >= 4 and number and (not operators or both or telling > 1):
        return Look.STRONG
    ends = pieces[-1].isdigit() or len(pieces[-1]) == 1
    if title and ends and number and long >= 4 and not _NAMED.search(text):
        return Look.LIKELY
    twice = sum(len(digit) > 1 for digit in digits) > 1
    if both and twice and long >= 8:
        return Look.LIKELY
    short = len(text) - len("".join(signs)) <= _DRAWN_PIECE * (len(pieces) - len(signs))
    if not short or len(digits) < 2 or len(words) < 2:
        return Look.FAINT
    return Look.STRONG if telling and both else Look.LIKELY


def _is_typed(sign: str) -> bool:
    """Tell signs that people type into a password."""
    return len(sign) <= 2 and all(
        mark in _SOFT or mark in _MARKS or mark in _OPERATORS for mark in sign
    )


def are_groups(text: str) -> bool:
    """Whether words between spaces or hyphens are groups of random characters, as keys are written
    for people to type: ``jial 2rw5 dzai dlol``."""
    groups = re.split(r"[ -]", text)
    mixed = sum(not group.isalpha() and not group.isdigit() and group.isalnum() for group in groups)
    return mixed * 3 >= len(groups) and mixed > 1
