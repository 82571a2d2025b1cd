"""Cells of notebooks and lines of shells: code that has a source, but no file."""

from __future__ import annotations

from pathlib import Path

__all__ = ["file_of", "is_cell", "note_cell"]

_cells: set[str] = set()


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
