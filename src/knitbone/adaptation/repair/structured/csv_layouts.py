"""Layouts: the ways in which an answer can be read as a table, the likeliest first.

A layout is a region of lines, a delimiter, and whether blanks behind delimiters, numbering, or the
bars of a Markdown table belong to the dialect.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.text.wrappers.fences import parts_with_table
from knitbone.common.structured.csv_table import DELIMITERS, CsvRecord, records_of
from knitbone.common.structured.names import match_names

__all__ = ["BYTE_ORDER_MARK", "TableLayout", "is_in_prompt", "layouts"]

_MAX_PROMPT = 20_000
"""Characters of a message that is searched for the header (ours)."""
_OTHERS = ("\t", ";", "|")
"""Delimiters that hardly stand in a sentence."""
_SENTENCE = 4
"""Words of a line without delimiters that is taken for prose (ours)."""
BYTE_ORDER_MARK = "\ufeff"
"""A mark in front of a text; readers take it for a part of the first cell."""
_MARKS = re.compile(r"[\s\"'`*_]+")
_RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")
_STRAY_QUOTE = re.compile(r'\A\s+"|\A[^"]*(?<!\d)"\s*\Z|\A[^"]*"\w')
"""A quotation mark behind a blank, at one end of a cell alone, or before a word within it."""
_NUMBERING = re.compile(r"\s{0,8}(\d{1,6})[.)][ \t]+")
_BULLET = re.compile(r"\s{0,8}[-*•][ \t]+")


class TableLayout(msgspec.Struct, frozen=True, kw_only=True):
    """One reading of the answer as a table."""

    text: str
    """The part of the answer that the offsets of the records count in."""
    delimiter: str
    header: list[str]
    """Empty where the code reads rows by position."""
    header_source: str = ""
    records: list[CsvRecord]
    width: int
    rewritten: bool = False
    """Whether blanks, bars or numbers around the cells were taken off."""
    rules: tuple[str, ...] = ()
    edits: int = 0


def layouts(
    text: str, wanted: str, names: tuple[str, ...], cells: int, invocation: Invocation
) -> Iterator[TableLayout]:
    """Yield the readings of the answer, the nearest first.

    Args:
        wanted: the delimiter that the code reads.
        names: of the columns that it reads; empty where it reads by position.
        cells: how many it then takes of each row; 0 where that is not known.
    """
    fenced = invocation.uses("structured.csv_region")
    marked = fenced and text.startswith(BYTE_ORDER_MARK)
    text = text[1:] if marked else text
    delimiters = [wanted]
    if invocation.uses("structured.csv_delimiter"):
        delimiters += [mark for mark in DELIMITERS if mark != wanted]
    blanks = (False, True) if invocation.uses("structured.csv_cells") else (False,)
    for region in parts_with_table(text) if fenced else [text]:
        for delimiter in delimiters:
            rows = _without_bars(region) if delimiter == "|" else region
            for spaced in blanks:
                invocation.deadline.check()
                dialect = _Dialect(delimiter, spaced or delimiter == "|")
                found = _layout(rows, dialect, names, cells, invocation)
                if found is None:
                    continue
                rules = list(found.rules)
                if delimiter != wanted:
                    rules.insert(0, f"delimiter {delimiter!r} -> {wanted!r}")
                if marked:
                    rules.insert(0, "byte order mark removed")
                if region is not text:
                    rules.insert(0, "fence removed")
                yield msgspec.structs.replace(found, rules=tuple(rules), edits=len(rules))


class _Dialect(NamedTuple):
    """A delimiter, and whether blanks around a cell belong to it."""

    delimiter: str
    spaced: bool
    """Whether blanks around a cell are no part of it."""


def _without_bars(text: str) -> str:
    """Return the lines of a Markdown table without outer bars and rules, at their offsets."""
    lines: list[str] = []
    for line in text.split("\n"):
        row = line.strip()
        if row.startswith("|") and row.endswith("|") and len(row) > 1:
            lines.append("" if _RULE.fullmatch(row) else row[1:-1])
        else:
            lines.append("" if _RULE.fullmatch(row) and "-" * 3 in row else line)
    return "\n".join(lines)


class _TableRecords(NamedTuple):
    """The records of an answer that are a table."""

    header: list[str]
    """Empty where the code reads rows by position."""
    written: CsvRecord | None
    """The header as the answer has it; ``None`` where it has none."""
    body: list[CsvRecord]
    width: int
    outside: bool
    """Whether the answer holds other lines as well."""


def _layout(
    text: str, dialect: _Dialect, names: tuple[str, ...], cells: int, invocation: Invocation
) -> TableLayout | None:
    """Read the answer in one dialect; ``None`` where it holds no table of it."""
    table = _find_table(text, dialect, names, cells, invocation)
    if table is None or (table.outside and not invocation.uses("structured.csv_region")):
        return None
    if any(_STRAY_QUOTE.search(cell) for record in table.body for cell in record.cells):
        return None  # blanks belong to the dialect, or a cell was torn: quotes are no part of it
    header, written, body = table.header, table.written, table.body
    body, unmarked = _without_numbering(body, text, dialect) if header else (body, "")
    padded = dialect.spaced or (bool(written) and header != written.cells)
    if padded:
        body = [record._replace(cells=[cell.strip() for cell in record.cells]) for record in body]
    done = {
        "header added as the prompt gives it": bool(header) and written is None,
        "text around the table removed": table.outside,
        unmarked: bool(unmarked),
        "blanks around cells removed": padded,
    }
    return TableLayout(
        text=text,
        delimiter=dialect.delimiter,
        header=header,
        header_source=text[written.start : written.end] if written else "",
        records=body,
        width=table.width,
        rewritten=padded or bool(unmarked),
        rules=tuple(rule for rule, is_done in done.items() if is_done),
    )


def _find_table(
    text: str, dialect: _Dialect, names: tuple[str, ...], cells: int, invocation: Invocation
) -> _TableRecords | None:
    """Return the table that an answer holds in one dialect."""
    records = records_of(text, dialect.delimiter, spaced=dialect.spaced)
    if not records:
        return None
    header, written, first = _header(records, names, dialect, invocation)
    if names and not header:
        return None
    if written is None:
        first = next((n for n, record in enumerate(records) if not _is_prose(record.cells)), 0)
    elif not all(_is_above(record.cells) for record in records[: first - 1]):
        return None  # another table, or records above the header
    width = len(header) or cells or _usual_width(records)
    body = _table_records(records[first:], width) if width else None
    if body is None:
        return None
    outside = len(body) + (written is not None) < len(records)
    return _TableRecords(header, written, body, width, outside)


def _usual_width(records: list[CsvRecord]) -> int:
    """Return the width of more than half of the records; 0 where there is none, or it is 1."""
    width, times = Counter(len(record.cells) for record in records).most_common(1)[0]
    return width if width > 1 and times * 2 > len(records) else 0


def _header(
    records: list[CsvRecord], names: tuple[str, ...], dialect: _Dialect, invocation: Invocation
) -> tuple[list[str], CsvRecord | None, int]:
    """Return the header's cells, its record, and where the records behind it begin."""
    if not names:
        return [], None, 0
    place = _header_at(records, names)
    if place is not None:
        return [cell.strip() for cell in records[place].cells], records[place], place + 1
    width = _usual_width(records)
    if width and invocation.uses("structured.csv_header"):
        shown = [
            cells
            for said in invocation.messages
            for line in said.text[:_MAX_PROMPT].split("\n")
            for cells in _headers_in(line, dialect.delimiter, width)
            if all(cells.count(name) == 1 for name in names)
        ]
        if shown and all(cells == shown[0] for cells in shown):
            return shown[0], None, 0
    return [], None, 0


def _headers_in(line: str, delimiter: str, width: int) -> Iterator[list[str]]:
    """Yield what may be a header of so many columns in a line of a prompt: the whole line, or words
    within it with nothing but the delimiter between them."""
    cells = [cell.strip(" `\"'*.:") for cell in line.split(delimiter)]
    if len(cells) == width:
        yield cells
    for run in line.split():
        names = run.strip("`\"'*.:;()").split(delimiter)
        if len(names) == width > 1 and names != cells:
            yield names


def is_in_prompt(cells: list[str], invocation: Invocation) -> bool:
    """Return whether the prompt lists these names one behind the other."""
    names = [_normalised(cell) for cell in cells]
    said = [_normalised(message.text[:_MAX_PROMPT]) for message in invocation.messages]
    return all(names) and any(mark.join(names) in text for mark in (",", ";", "|") for text in said)


def _normalised(text: str) -> str:
    return _MARKS.sub("", text).casefold()


def _header_at(records: Sequence[CsvRecord], names: tuple[str, ...]) -> int | None:
    for number, record in enumerate(records[:200]):
        cells = [cell.strip() for cell in record.cells]
        if len(cells) < len(names) or len(cells) > 256:
            continue
        missing = [name for name in names if name not in cells]
        others = [cell for cell in cells if cell not in names]
        if not missing or len(match_names(others, missing)) == len(missing):
            return number
    return None


def _table_records(records: list[CsvRecord], width: int) -> list[CsvRecord] | None:
    """Return the records up to the prose behind the table; ``None`` where rows and prose
    alternate."""
    if width < 2:
        return records
    end = len(records)
    while end and _is_prose(records[end - 1].cells):
        end -= 1
    if any(len(record.cells) < 2 for record in records[:end]):
        return None
    return records[:end]


def _is_above(cells: list[str]) -> bool:
    """Return whether a line above the header is a title, a comment or prose, and no record."""
    return len(cells) == 1 or cells[0].lstrip().startswith("# ") or _is_prose(cells)


def _is_prose(cells: list[str]) -> bool:
    """Return whether a line is a sentence and surely no record, not even one that lacks cells.

    Signs are commas with a blank behind each, and a mark at the end; without commas, a few words
    will do.
    """
    last = cells[-1].rstrip()
    if not "".join(cells).strip(" .…"):
        return False  # dots stand for records that were left out
    if any(mark in cell for cell in cells for mark in _OTHERS):
        return False  # a record with another delimiter
    if len(cells) == 1:
        return last.endswith((".", "!", "?", ":")) or len(last.split()) >= _SENTENCE
    return last.endswith((".", "!", "?", ":")) and all(cell[:1] == " " for cell in cells[1:])


def _without_numbering(
    records: list[CsvRecord], text: str, dialect: _Dialect
) -> tuple[list[CsvRecord], str]:
    """Return the records without a number or bullet in front of each, where every one has it."""
    if len(records) < 2:
        return records, ""
    numbers = [_NUMBERING.match(record.cells[0]) for record in records]
    counted = [int(match[1]) for match in numbers if match]
    if counted == list(range(counted[0] if counted else 1, len(records) + (counted or [1])[0])):
        marks, rule = numbers, "numbers in front of the records removed"
    else:
        marks, rule = [_BULLET.match(r.cells[0]) for r in records], "bullets removed"
    if not all(marks):
        return records, ""
    cleaned: list[CsvRecord] = []
    for record, mark in zip(records, marks, strict=True):
        length = mark.end() if mark else 0
        source = text[record.start + length : record.end]
        again = records_of(source, dialect.delimiter, spaced=dialect.spaced)
        if not again or len(again) != 1:
            return records, ""
        cleaned.append(record._replace(cells=again[0].cells))
    return cleaned, rule
