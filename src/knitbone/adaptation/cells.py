"""Cells of notebooks and lines of shells: code that has a source, but no file."""

from __future__ import annotations

import linecache
import re
from pathlib import Path

__all__ = ["cells_beside", "file_of", "is_cell", "note_cell"]

_cells: set[str] = set()
_COUNT = re.compile(r"\d+|[0-9a-f]{6,}")
"""The parts of a cell's name in which it differs from other cells: a count, a hash, a process."""
_MAX_CELLS = 200
"""Cells of one notebook that are read, the last ones (ours)."""


def file_of(filename: str) -> str:
    """The path under which code is known: where there is no such file, the name that it was
    compiled under."""
    path = Path(filename)
    return str(path.resolve()) if path.is_file() else filename


def note_cell(filename: str) -> None:
    """Something in this cell is decorated: it is the application's own code."""
    _cells.add(filename)


def is_cell(filename: str) -> bool:
    """Whether it was noted; its imports come from the current folder."""
    return filename in _cells


def cells_beside(filename: str) -> dict[str, str]:
    """The texts of the other cells that ran in the same notebook, by their names, the last one
    first: those that are named alike. They share one namespace."""
    if Path(filename).is_file():
        return {}
    own = _COUNT.sub("", filename)
    texts: dict[str, str] = {}
    for name, entry in reversed(list(linecache.cache.items())):
        alike = name != filename and _COUNT.sub("", name) == own
        if alike and len(entry) == 4 and entry[1] is None and len(texts) < _MAX_CELLS:
            texts[name] = "".join(entry[2])
    return texts
