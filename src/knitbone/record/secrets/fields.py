"""Secrets in the fields of a record that its other fields announce: ``{"name": "DB_PASSWORD",
"value": …}``, ``{"selector": "#password", "text": …}``, ``{"login": ["ann", …]}``,
``{"password": {"plain": …}}``.

The short texts of a record are read as the text that they would be in JSON, so that a parsed record
loses what its text would lose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from knitbone.record.secrets.marks import read_marks
from knitbone.record.secrets.names import word_set, words_of

__all__ = ["FieldReader", "tells_of_others"]

_LONGEST_FIELD = 256
"""Characters of a field that is read together with others; prose is read alone (ours)."""
_LONGEST_RECORD = 4_000
"""Characters of a record that is read as one text (ours)."""
_OF_VALUE = word_set("value val values text data fill string input plain content result")
"""Words for the field whose name stands in another one."""


def tells_of_others(name: str) -> bool:
    """Whether a field of this name holds what another field names, or names what another holds."""
    words = words_of(name)
    if words and words[-1] in _OF_VALUE:
        return True
    marks = read_marks(name, name.encode("latin-1", "replace").lower())
    return marks is not None and bool(marks.names or marks.has_cues or marks.is_foreign)


class FieldReader:
    """Collects the short texts of one record, then removes secrets that one field announces and
    another one holds.

    The reader of a record calls ``open``, ``text`` and ``close`` in the order of its JSON, sets
    ``is_telling`` if a field's name asks for it (``tells_of_others``), and calls ``clean`` at the
    end. Without ``is_telling`` nothing is removed.
    """

    __slots__ = ("_length", "_parts", "_texts", "is_telling")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._texts: list[tuple[int, Any, Any]] = []
        self.is_telling = False

    def open(self, name: str, bracket: str) -> None:
        """A mapping or a list begins under this name."""
        self._add(f'"{name}": {bracket}' if name else bracket)

    def close(self, bracket: str) -> None:
        """It ends."""
        self._add(f"{bracket}, ")

    def text(self, name: str, home: Any, key: Any) -> None:
        """A text stands in a mapping or a list that was made, under this name or key."""
        text = home[key]
        if len(text) <= _LONGEST_FIELD and self._length <= _LONGEST_RECORD:
            self._add(f'"{name}": "' if name else '"')
            self._texts.append((self._length, home, key))
            self._add(text)
            self._add('", ')

    def _add(self, part: str) -> None:
        self._parts.append(part)
        self._length += len(part)

    def clean(
        self,
        places: Callable[[str], list[tuple[int, int]]],
        without: Callable[[str, list[tuple[int, int]]], str],
    ) -> None:
        """Remove secrets where they stand.

        Args:
            places: finds secrets in a text.
            without: a text without these.
        """
        if not self.is_telling or self._length > _LONGEST_RECORD or not self._texts:
            return
        found = places("".join(self._parts))
        for begin, home, key in self._texts if found else ():
            text = home[key]
            stop = begin + len(text)
            inside = [
                (max(start, begin) - begin, min(end, stop) - begin)
                for start, end in found
                if start < stop and end > begin
            ]
            if inside:
                home[key] = without(text, inside)
