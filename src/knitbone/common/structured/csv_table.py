"""Delimited text: records as ``csv`` reads them, each with the place where it stands.

Source: RFC 4180; Comfrey §4.3.1 (structured templates).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

__all__ = [
    "DELIMITERS",
    "CsvRecord",
    "is_number",
    "join_cells",
    "merged",
    "read_rows",
    "records_of",
]

DELIMITERS = (",", ";", "\t", "|")
"""What may stand between cells; the wanted one is tried first."""
_ROWS = 5_000
"""Rows that are read between two looks at the time (ours)."""
_MAX_MERGES = 64
"""Places at which a cell with a delimiter in it is looked for (ours)."""
_NUMBER = re.compile(r"\s*[-+]?[$€£]?\d{1,3}(?:\d*|(?:,\d{3})*)(?:\.\d*)?\s*%?\s*")


class CsvRecord(NamedTuple):
    """One record and its source."""

    start: int
    end: int
    """Behind its last character, before the line break."""
    cells: list[str]


def read_rows(
    text: str, delimiter: str, *, pause: Callable[[], None] = lambda: None
) -> list[list[str]] | None:
    """The rows as a default reader with this delimiter gives them, blank ones included; ``None``
    where it raises.

    Args:
        pause: called now and then; it may raise where the time is spent.
    """
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    rows: list[list[str]] = []
    try:
        while some := list(islice(reader, _ROWS)):
            rows += some
            pause()
    except csv.Error:
        return None
    return rows


def records_of(text: str, delimiter: str, *, spaced: bool = False) -> list[CsvRecord] | None:
    """The records that are not blank; ``None`` where a quotation mark is not closed.

    Args:
        spaced: whether a blank behind a delimiter is no part of the cell.
    """
    lines = text.splitlines(keepends=True) if "\r" in text else text.split("\n")
    if "\r" not in text:
        lines = [*(line + "\n" for line in lines[:-1]), lines[-1]]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=spaced, strict=True)
    found: list[CsvRecord] = []
    before = 0
    try:
        for cells in reader:
            start, end = starts[before], starts[reader.line_num]
            before = reader.line_num
            if any(cell.strip() for cell in cells):
                found.append(CsvRecord(start, start + len(text[start:end].rstrip("\r\n")), cells))
    except csv.Error:
        return None
    return found


def join_cells(cells: Iterable[str], delimiter: str) -> str:
    """One record as a default reader reads it back."""
    written = io.StringIO()
    # The writer quotes the characters of its line end only: both, so that no cell is torn apart.
    csv.writer(written, delimiter=delimiter, lineterminator="\r\n").writerow(cells)
    return written.getvalue()[:-2]


def merged(cells: list[str], width: int, numeric: list[bool], delimiter: str) -> list[str] | None:
    """The cells of a row with too many, one of which holds delimiters that were not quoted.

    Args:
        numeric: for each column, whether it holds a number in every other row.

    Returns:
        the only reading that fits: numbers stand where numbers stand in the other rows, and the
        cell is a number in groups, or a blank stands behind each delimiter inside it and behind no
        other. ``None`` where none or several fit.
    """
    extra = len(cells) - width
    if extra < 1 or width > _MAX_MERGES:
        return None
    readings: list[tuple[int, list[str]]] = []
    for place in range(width):
        joined = delimiter.join(cells[place : place + extra + 1])
        row = [*cells[:place], joined, *cells[place + extra + 1 :]]
        if all(bool(_NUMBER.fullmatch(c[:64])) or not n for c, n in zip(row, numeric, strict=True)):
            readings.append((place, row))
    if len(readings) != 1 or not is_number(readings[0][1][readings[0][0]]):
        readings = [r for r in readings if _is_spaced(cells, r[0], extra)]
    return readings[0][1] if len(readings) == 1 else None


def _is_spaced(cells: list[str], place: int, extra: int) -> bool:
    inside = range(place + 1, place + extra + 1)
    return all(
        cell.startswith(" ") == (index in inside) for index, cell in enumerate(cells) if index
    )


def is_number(cell: str) -> bool:
    """Tell whether a cell holds a number and nothing else, as people write it."""
    return _NUMBER.fullmatch(cell[:64]) is not None
