"""String-edit distances between short names.

Source: Comfrey §4.3.1 (identifiers are clustered by string-edit distance). Transposed neighbours
count as one edit (``Actoin``), as typing errors do.
"""

from __future__ import annotations

__all__ = ["distance_within", "indel_distance", "tolerance"]


def tolerance(identifier: str) -> int:
    """Bound the edits at which a spelling still is the identifier: none in short ones, where every
    edit makes another word (``no``, ``now``), else about one in five letters (ours)."""
    if len(identifier) < 4:
        return 0
    return 1 if len(identifier) < 8 else 2


def _differing(one: str, other: str) -> tuple[str, str]:
    """What is left of two texts without their common beginning and end."""
    start = 0
    shorter = min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return one[start : len(one) - end], other[start : len(other) - end]


def distance_within(written: str, known: str, bound: int) -> int | None:
    """Count the edits (insert, delete, exchange, transpose neighbours) between two short texts;
    ``None`` where it is more than ``bound``."""
    if written == known:
        return 0
    if abs(len(written) - len(known)) > bound:
        return None
    written, known = _differing(written, known)
    before: list[int] = []
    previous = list(range(len(known) + 1))
    for row, letter in enumerate(written, start=1):
        current = [row]
        for column, other in enumerate(known, start=1):
            cost = min(
                previous[column] + 1,
                current[-1] + 1,
                previous[column - 1] + (letter != other),
            )
            swapped = row > 1 and column > 1 and letter == known[column - 2]
            if swapped and written[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > bound:
            return None
        before, previous = previous, current
    return previous[-1] if previous[-1] <= bound else None


def indel_distance(first: str, second: str) -> int:
    """Count the characters to insert or delete; an exchanged one counts as two."""
    row = [0] * (len(second) + 1)
    for character in first:
        corner = 0
        for index, other in enumerate(second, start=1):
            above = row[index]
            row[index] = corner + 1 if character == other else max(above, row[index - 1])
            corner = above
    return len(first) + len(second) - 2 * row[-1]
