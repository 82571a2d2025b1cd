"""Misspelt keys and enumerated values, matched to those that the code knows.

Case and separators are punctuation (``itemName``, ``item-name``, ``Item Name``). Beyond that a
name is taken for another only where one or two characters were added or removed: what differs by
two replaced characters is mostly another word (``min_price``, ``max_price``).

Source: Comfrey §4.3.1 (identifiers drift; edit distance to the template's).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from knitbone.common.edit_distance import indel_distance

__all__ = ["MAX_NAME", "is_near", "match_names", "plain_name"]

MAX_NAME = 64
"""Characters of a name whose spelling is compared; the comparison is quadratic (ours)."""
_SEPARATORS = re.compile(r"""(?:[\s_"'`*:]|(?<=[^\W_])-(?=[^\W_])|\.(?!\d)|(?<=[^\W\d_])\.)+""")
"""Marks within a name. The sign and the point of a number are part of it."""
_DIGITS = re.compile(r"\d+")
_NEGATIONS = frozenset({"a", "nt", "in", "un", "im", "ir", "il", "no", "dis", "non", "de", "re"})
"""Added to a word, these say something else (``is_valid``, ``is_invalid``)."""
_ONE_EDIT = 4
_TWO_EDITS = 7
"""Lengths from which one or two added or removed characters are a slip: two of three characters
would be another word (ours)."""


def plain_name(name: str) -> str:
    """The name without case and separators."""
    return _SEPARATORS.sub("", name[: MAX_NAME + 1]).casefold()


def is_near(first: str, second: str) -> bool:
    """Tell whether two plain names differ by a slip of the pen.

    Characters added or removed are counted; a replaced one counts as two, and so does one that
    changed its place. The first character, the digits and a negation must be the same.
    """
    longer = max(len(first), len(second))
    allowed = 2 if longer >= _TWO_EDITS else 1 if longer >= _ONE_EDIT else 0
    if not first or not second or longer > MAX_NAME or first[0] != second[0]:
        return False
    if abs(len(first) - len(second)) > allowed:
        return False
    if _DIGITS.findall(first) != _DIGITS.findall(second):
        return False
    return indel_distance(first, second) <= allowed and not _negates(first, second)


def match_names(found: Iterable[str], wanted: Iterable[str]) -> list[tuple[str, str, bool]]:
    """Which of the keys that were found is which of those that are wanted.

    Only pairs that are unique both ways count.

    Returns:
        found key, wanted key, and whether it took more than case and separators.
    """
    left, missing = list(found), list(wanted)
    pairs: list[tuple[str, str, bool]] = []
    for near in (False, True):
        plain = {name: plain_name(name) for name in (*left, *missing)}
        for name in tuple(missing):
            alike = [key for key in left if _same(plain[key], plain[name], near=near)]
            if len(alike) != 1:
                continue
            back = [other for other in missing if _same(plain[alike[0]], plain[other], near=near)]
            if len(back) == 1:
                pairs.append((alike[0], name, near))
                left.remove(alike[0])
                missing.remove(name)
    return pairs


def _same(first: str, second: str, *, near: bool) -> bool:
    if not first or len(first) > MAX_NAME:
        return False
    return is_near(first, second) if near else first == second


def _negates(first: str, second: str) -> bool:
    """Tell whether what one has more than the other is a negation."""
    short, long = sorted((first, second), key=len)
    start = 0
    while start < len(short) and short[start] == long[start]:
        start += 1
    extra = len(long) - len(short)
    # The piece may be read at several places ("isinvalid": "in", "ni"): all that fit are tried.
    return any(
        long[place : place + extra] in _NEGATIONS and long[:place] + long[place + extra :] == short
        for place in range(max(0, start - extra), start + 1)
    )
