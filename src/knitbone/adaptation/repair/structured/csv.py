"""The check of CSV: find the table in the answer, bring its records into the consumer's dialect,
prove it.

Each line is a record. Lines that are as they should be stay as they are, byte for byte.

Source: Comfrey §4.3.1 (structured templates: minimum edits, then type conversion).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.repair.structured.csv_layouts import (
    BYTE_ORDER_MARK,
    TableLayout,
    is_in_prompt,
    layouts,
)
from knitbone.adaptation.requirements.records import StructuredTemplate
from knitbone.common.structured.conformance import conform, fits
from knitbone.common.structured.csv_table import is_number, join_cells, merged, read_rows
from knitbone.common.structured.names import match_names
from knitbone.common.structured.shape import Field, Shape

__all__ = ["HEURISTICS", "MAX_READ", "MAX_TEXT", "prepare_csv"]

HEURISTICS = (
    "structured.csv_region",
    "structured.csv_delimiter",
    "structured.csv_cells",
    "structured.csv_header",
    "structured.csv_types",
)
MAX_READ = 4_000_000
"""Characters of an answer that is looked at (ours)."""
MAX_TEXT = 100_000
"""Characters of a table that is repaired: ten readings of it may be tried. A longer one is passed
on with a record (ours)."""
_PARSERS = frozenset({"csv.reader", "csv.DictReader", "pandas.read_csv"})


def prepare_csv(requirement: StructuredTemplate) -> Check | None:
    """Compile the requirement into a check; ``None`` where the parser's dialect is not known."""
    if not requirement.delimiter or requirement.parser not in _PARSERS:
        return None
    consumer = _CsvConsumer(
        delimiter=requirement.delimiter,
        fields=_columns(requirement),
        named=requirement.parser != "csv.reader",
    )

    @FunctionCheck
    def check(text: str, invocation: Invocation, /) -> Verdict:
        if len(text) > MAX_READ:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_READ}")
        if consumer.accepts(text, invocation.deadline.check):
            return conforming(text)
        if len(text) > MAX_TEXT:
            return refused(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        reason = "no table with the columns that the code reads"
        for layout in layouts(text, consumer.delimiter, consumer.names, consumer.cells, invocation):
            table = _Table(layout, consumer)
            fitted = table.bring_into_form(invocation)
            invocation.deadline.check()
            if not fitted:
                reason = table.reason or reason
                continue
            candidate = table.written(newline="\r\n" if "\r\n" in text else "\n")
            if text[-1:] != "\n":
                candidate = candidate.rstrip("\r\n")
            if candidate != text and consumer.accepts(candidate, invocation.deadline.check):
                rules = table.rules or ["blank lines removed"]
                return repaired(candidate, *rules, edits=max(layout.edits + table.edits, 1))
        return refused(text, reason)

    return check


def _columns(requirement: StructuredTemplate) -> tuple[Field, ...]:
    """Return the columns that the code reads, by name or else by position."""
    if requirement.parser == "csv.reader":
        cells = enumerate(requirement.columns)
        return tuple(Field(name=str(place), shape=shape) for place, shape in cells)
    shape = requirement.shape
    return (shape.items if shape.items is not None else shape).fields


class _CsvConsumer(msgspec.Struct, frozen=True, kw_only=True):
    """The table that the code reads."""

    delimiter: str
    fields: tuple[Field, ...]
    """The columns that it reads; without names all there are, or none where that is not known."""
    named: bool
    """Whether the first row is a header by whose names the code reads."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields if field.required) if self.named else ()

    @property
    def cells(self) -> int:
        """The number of cells that the code takes of each row by position; 0: not known, or it
        reads by name."""
        return 0 if self.named else len(self.fields)

    def place_of(self, field: Field, header: list[str]) -> int:
        """Return the index of a field's cell in a row; -1: there is none."""
        if not self.named:
            return int(field.name)
        return header.index(field.name) if field.name in header else -1

    def accepts(self, text: str, pause: Callable[[], None]) -> bool:
        """Return whether the code reads every record of the text as it is meant.

        Args:
            pause: called now and then; it may raise where the time is spent.
        """
        rows = read_rows(text, self.delimiter, pause=pause)
        pause()
        if not rows or text.lstrip().startswith(("```", "~~~", BYTE_ORDER_MARK)):
            return False
        rows = [row for row in rows if row] if self.named else rows
        if not rows or not rows[0]:
            return False
        header = rows[0]
        return self._has_columns(header, rows) and all(
            _reads([row[place] for row in rows[self.named :]], field.shape)
            for field in self.fields
            if field.shape.type != "any" and (place := self.place_of(field, header)) >= 0
        )

    def _has_columns(self, header: list[str], rows: list[list[str]]) -> bool:
        """Return whether every row has the cells that the code counts on, by name or by number."""
        if self.named and any(header.count(name) != 1 for name in self.names):
            return False
        width = self.cells or len(header)
        if any(len(row) != width for row in rows):
            return False
        return self.named or width > 1 or not _other_delimiter(rows)


def _reads(cells: list[str], shape: Shape) -> bool:
    """Return whether the code can convert each cell."""
    if shape.type == "integer" and not shape.values:
        try:
            for cell in cells:
                int(cell)
        except ValueError:
            return False
        return True
    wanted = _text_shape(shape)
    return all(fits(cell, wanted) for cell in cells)


def _text_shape(shape: Shape) -> Shape:
    """Return the shape of a cell, which is a text: what the code makes a number of may be any text
    of one."""
    convertible = shape.type in ("integer", "number", "boolean")
    return msgspec.structs.replace(shape, convertible=convertible, fields=(), items=None)


def _other_delimiter(rows: list[list[str]]) -> bool:
    """Return whether every row of one column has the same number of another delimiter."""
    return len(rows) > 1 and any(
        {row[0].count(mark) for row in rows} == {rows[0][0].count(mark)} and mark in rows[0][0]
        for mark in (";", "\t", "|")
    )


class _Table:
    """One reading of the answer as a table, on its way into the consumer's form."""

    def __init__(self, layout: TableLayout, consumer: _CsvConsumer) -> None:
        self.layout = layout
        self.consumer = consumer
        self.records = layout.records
        self.rows = [list(record.cells) for record in layout.records]
        self.header = list(layout.header)
        self.rules = list(layout.rules)
        self.edits = 0
        self.reason = ""

    def bring_into_form(self, invocation: Invocation) -> bool:
        """Fit the header, then widths, then types; return whether it is the table."""
        if self.consumer.named and not self._name_columns(invocation):
            return False
        if not self.consumer.named:
            self._drop_header(invocation)
        return self._fit_widths(invocation) and self._convert(invocation)

    @property
    def width(self) -> int:
        if self.header:
            return len(self.header)
        return self.consumer.cells or self.layout.width

    def _name_columns(self, invocation: Invocation) -> bool:
        """Write the names of the columns as the code reads them, where they are misspelt."""
        missing = [name for name in self.consumer.names if name not in self.header]
        others = [cell for cell in self.header if cell not in self.consumer.names]
        pairs = match_names(others, missing) if missing else []
        if len(pairs) != len(missing) or any(self.header.count(name) > 1 for name in others[:64]):
            self.reason = "the header lacks columns that the code reads"
            return False
        near = sum(1 for _, _, is_near in pairs if is_near)
        if pairs and not invocation.uses("structured.csv_header"):
            return False
        if near >= invocation.config.tau_element:
            self.reason = f"{near} columns have other names"
            return False
        for found, name, _ in pairs:
            self.header[self.header.index(found)] = name
            self.rules.append(f'column "{found[:40]}" -> "{name[:40]}"')
        self.edits += len(pairs)
        return True

    def _drop_header(self, invocation: Invocation) -> None:
        """Leave out a first row that names the columns in the words of the prompt, where the code
        reads by position and makes a number of one of them."""
        first = self.rows[0] if len(self.rows) > 1 else []
        numeric = any(field.shape.type in ("integer", "number") for field in self.consumer.fields)
        if not numeric or len(first) != self.width or any(is_number(cell) for cell in first):
            return
        if invocation.uses("structured.csv_header") and is_in_prompt(first, invocation):
            del self.rows[0]
            self.records = self.records[1:]
            self.rules.append("header removed")
            self.edits += 1

    def _fit_widths(self, invocation: Invocation) -> bool:
        """Make every record as wide as the header; one that cannot be is a reason to refuse all."""
        width = self.width
        wrong = [number for number, row in enumerate(self.rows) if len(row) != width]
        if not wrong:
            return True
        if len(wrong) == len(self.rows):
            self.reason = f"no record has {width} cells"
            return False
        right = [row for row in self.rows if len(row) == width]
        numeric = [all(is_number(row[column]) for row in right) for column in range(width)]
        for number in wrong:
            row = self.rows[number]
            tried = None
            if invocation.uses("structured.csv_cells"):
                tried = merged(row, width, numeric, self.layout.delimiter)
            if tried is None:
                self.reason = f"record {number + 1} has {len(row)} cells, not {width}"
                return False
            self.rows[number] = tried
            self.edits += 1
        self.rules.append(f"cell with a delimiter quoted in {len(wrong)} records")
        return True

    def _convert(self, invocation: Invocation) -> bool:
        """Write the cells that the code makes numbers and dates of in a spelling that it can
        read."""
        changed: Counter[str] = Counter()
        for field in self.consumer.fields:
            column = self.consumer.place_of(field, self.header)
            if column < 0 or field.shape.type == "any":
                continue
            for row in self.rows:
                done = conform(row[column], _text_shape(field.shape), name=field.name)
                if not done.fits:
                    self.reason = f'column "{field.name[:40]}": {done.reason}'
                    return False
                if done.value is not row[column]:
                    row[column] = str(done.value)
                    changed["date" if field.shape.type == "date" else "number"] += 1
        if changed and not invocation.uses("structured.csv_types"):
            return False
        for kind, cells in changed.items():
            self.rules.append(f"{kind} spelled as the code reads it in {cells} cells")
            self.edits += cells
        return True

    def written(self, newline: str) -> str:
        """Return the table in the consumer's dialect; unchanged records keep their source."""
        return "".join(line + newline for line in self._lines())

    def _lines(self) -> Iterator[str]:
        layout, wanted = self.layout, self.consumer.delimiter
        kept = layout.delimiter == wanted and not layout.rewritten
        if self.header:
            same = kept and layout.header_source and self.header == layout.header
            yield layout.header_source if same else join_cells(self.header, wanted)
        for row, record in zip(self.rows, self.records, strict=True):
            source = layout.text[record.start : record.end]
            yield source if kept and row == record.cells else join_cells(row, wanted)
