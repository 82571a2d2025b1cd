"""Secrets in the fields of one mapping that its other fields announce: ``{"name": "DB_PASSWORD",
"value": …}``, ``{"selector": "#password", "text": …}``, ``{"login": ["ann", …]}``.

The fields are read as the text they would be in JSON, so that a parsed record loses what its text
would lose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from knitbone.core.secrets.marks import read_marks
from knitbone.core.secrets.names import word_set, words_of

__all__ = ["LONGEST_FIELD", "spans_in_fields", "tells_of_others"]

LONGEST_FIELD = 256
"""Characters of a field that is read together with others; prose is read alone (ours)."""

_OF_VALUE = word_set("value val values text data fill string input plain content result")
"""Words for the field whose name stands in another one."""

Span = tuple[int, int]


def tells_of_others(name: str) -> bool:
    """Whether a field of this name holds what another field names, or names what another holds."""
    words = words_of(name)
    if words and words[-1] in _OF_VALUE:
        return True
    marks = read_marks(name, name.encode("latin-1", "replace").lower())
    return marks is not None and bool(marks.names)


def spans_in_fields(
    fields: Sequence[tuple[str, str]], places: Callable[[str], list[Span]]
) -> dict[int, list[Span]]:
    """Where secrets stand in fields, by the index of the field.

    Args:
        fields: names and values.
        places: finds secrets in a text.
    """
    parts: list[str] = ["{"]
    starts: list[int] = []
    length = 1
    for name, value in fields:
        before = f'"{name}": "'
        starts.append(length + len(before))
        parts += (before, value, '", ')
        length += len(before) + len(value) + 3
    found: dict[int, list[Span]] = {}
    if not fields:
        return found
    for start, end in places("".join(parts)):
        for index, begin in enumerate(starts):
            stop = begin + len(fields[index][1])
            if start < stop and end > begin:
                span = (max(start, begin) - begin, min(end, stop) - begin)
                found.setdefault(index, []).append(span)
    return found
