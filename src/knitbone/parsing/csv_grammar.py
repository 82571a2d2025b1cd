"""The grammar of delimited text for the least-cost reader, and the records of such a text.

What is due at a node is a cell of a column, or the delimiter or row end behind it; the number of
columns is known before. ``try_edits`` has the edits: a delimiter, quotation mark or row end that
was lost, doubled or exchanged, and a cell that holds delimiters without being quoted. What the
columns of the intact rows have in common is evidence.

Source: RFC 4180; edits and their conditions are ours.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from knitbone.common.edit_distance import distance_within
from knitbone.common.structured.csv_table import DELIMITERS, is_number
from knitbone.common.structured.names import plain_name
from knitbone.parsing.costs import COSTS, Costs
from knitbone.parsing.search import DocumentEdit, Enclosure, PlaceSchema, Search, SearchNode

__all__ = ["CsvSearch", "delimiter_of", "header_of", "parse_csv", "tables_of", "write_csv"]

_LONGEST_CELL = 20_000
"""Characters behind a quotation mark in which a lost one is looked for."""
_MOST_BOUNDS = 16
_MOST_SPLITS = 40
"""Places at which a cell of two whose delimiter was lost is parted."""
_MOST_MERGED = 3
"""Delimiters in a cell that is not quoted."""
_MOST_COLUMNS = 5_000
"""Columns of rows in which faults are looked for."""
_KEPT_ROWS = 2
"""Intact rows before a broken one that are read cell by cell, so that edits in them are tried."""
_INTACT = 3
"""Rows from which on what they have in common is evidence."""
_ROWS_TO_LOOK_AT = 200

# What is due at a node: a cell of column n is 2 n, what follows it 2 n + 1.
_START, _END = -2, -1
_WHOLE = re.compile(r'"(?:[^"]|"")*+"')
_EMPTY_LINES = re.compile(r"[\r\n]+")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


class _Column(NamedTuple):
    """What the cells of a column have in common."""

    numeric: bool = False
    filled: bool = False
    form: str | None = None


class CsvSearch(Search):
    """The readings of a text as rows of as many cells as the first one.

    Args:
        delimiter: what stands between cells.
        keys: the names of the columns; empty: those of the first row.
    """

    member_end = 0

    def __init__(  # noqa: PLR0913 - all but the text have defaults
        self,
        text: str,
        start: int = 0,
        end: int | None = None,
        *,
        delimiter: str = ",",
        keys: Sequence[str] = (),
        slot: PlaceSchema | None = None,
        several: bool = False,
        costs: Costs = COSTS,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self.delimiter = delimiter
        self.keys = frozenset(keys)
        part = text[start:end]
        rows = list(_intact_rows(part, delimiter))
        self.width = len(keys) or _usual_width(rows)
        self.columns = _columns([row for row in rows[1:] if len(row) == self.width], self.width)
        self._jumps = self._intact_lines(text, start, len(text) if end is None else end)
        mark = re.escape(delimiter)
        self._quoted = re.compile(rf'"(?:[^"]|"")*+"(?=[\r\n]|{mark}|\Z)')
        self._bare = re.compile(rf"[^\r\n{mark}]*")
        self._bound = re.compile(rf"(?=[\r\n]|{mark}|\Z)")
        self._inner = re.compile(rf'"{mark}(?! )|{mark}"')
        self._spaced = re.compile(rf'[ \t]+("(?:[^"]|"")*+")[ \t]*(?=[\r\n]|{mark}|\Z)')
        super().__init__(
            text, start, end, start_due=_START, slot=slot, several=several, costs=costs, pause=pause
        )
        last = self.text.find("\n", len(self.text.rstrip()))
        self._last = self.end if last < 0 else last
        self.header = self.outermost.opened("header", None)
        self.body = self.outermost.opened("row", None)
        self._changed = {
            self.header: self.outermost.opened("changed header", None),
            self.body: self.outermost.opened("changed row", None),
        }

    def _intact_lines(self, text: str, start: int, end: int) -> dict[int, int]:
        """Where the last but one of several intact rows begins, by where each of them does: there
        is nothing to look for in the rows before."""
        jumps: dict[int, int] = {}
        run: list[int] = []
        pieces = text[start:end].split("\n")
        for line in (*pieces, '"'):
            if line and '"' not in line and line.count(self.delimiter) == self.width - 1:
                run.append(start)
            else:
                jumps.update(
                    dict.fromkeys(run[:-_KEPT_ROWS], run[-_KEPT_ROWS])
                    if len(run) > _KEPT_ROWS
                    else ()
                )
                run = []
            start += len(line) + 1
        return jumps

    def edge(
        self,
        node: SearchNode,
        cost: float,
        at: int,
        due: int,
        frame: Enclosure,
        slot: PlaceSchema | None,
        edit: DocumentEdit | None = None,
    ) -> None:
        """Add an edge; one slip in a row: with two, any row has as many cells as are wanted."""
        if edit is not None and cost >= self.costs.slip / 2:
            if node.frame not in self._changed:
                return
            frame = self._changed.get(frame, frame)
        elif node.frame not in self._changed:
            frame = self._changed.get(frame, frame)
        super().edge(node, cost, at, due, frame, slot, edit)

    # -- tokens -----------------------------------------------------------------------------------

    def step(self, node: SearchNode) -> SearchNode | None:
        """Read the cell, delimiter or row end at a node."""
        text, at, due = self.text, node.at, node.due
        if due == _START:
            while at < self.end and text[at] in "\ufeff\r\n \t":
                at += 1
            if at >= self.end or self.width > _MOST_COLUMNS:
                return None
            return self.relax(node, 0.0, at, 0, self.header, None)
        if due == _END:
            self.goal(node)
            return None
        if due % 2:
            return self._behind(node)
        if due == 0 and not self._is_header(node):
            if (behind := self._jumps.get(at)) is not None:
                return self.relax(node, 0.0, behind, 0, self.body, None)
            if at >= self._last or self._is_prose(at):
                return self.relax(node, 0.0, at, _END, self.outermost, None)
            if (empty := _EMPTY_LINES.match(text, at)) is not None:
                stop = empty.end()
                edit = DocumentEdit(at, stop, "", "empty lines removed")
                self.edge(node, self.habit(node, "line"), stop, 0, self.body, None, edit)
                return self.broken(node)
        if text.startswith('"', at):
            found = self._quoted.match(text, at)
            if found is None:
                if _WHOLE.match(text, at) is None:
                    self.ends_early(node.cost, ended=text[-1:] in "\r\n")
                return self.broken(node)
            return self._cell(node, found.end(), found[0][1:-1].replace('""', '"'))
        spaced = self._spaced.match(text, at)
        if spaced is not None:
            edit = DocumentEdit(at, spaced.end(), spaced[1], "blanks around a cell removed")
            self._cell(
                node, spaced.end(), spaced[1][1:-1].replace('""', '"'), self.habit(node, " "), edit
            )
        end = self._bare_end(at)
        return self._cell(node, end, text[at:end])

    def _behind(self, node: SearchNode) -> SearchNode | None:
        """The delimiter or the row end behind a cell."""
        text, at, column = self.text, node.at, node.due // 2
        last = column == self.width - 1
        sign = text[at] if at < self.end else ""
        if sign == self.delimiter:
            if not last:
                return self.relax(node, 0.0, at + 1, node.due + 1, node.frame, None)
        elif last and (not sign or sign in "\r\n"):
            return self.relax(node, 0.0, self._row_end(at), 0, self.body, None)
        elif not sign:
            self.ends_early(node.cost, ended=False)
        return self.broken(node)

    def _bare_end(self, at: int) -> int:
        found = self._bare.match(self.text, at)
        return found.end() if found is not None else at

    def _is_header(self, node: SearchNode) -> bool:
        return node.frame.kind.endswith("header")

    def _row_end(self, at: int) -> int:
        if self.text.startswith("\r\n", at):
            return at + 2
        return min(at + 1, self.end)

    def _cell(
        self,
        node: SearchNode,
        end: int,
        content: str,
        cost: float = 0.0,
        edit: DocumentEdit | None = None,
        *,
        due: int | None = None,
        frame: Enclosure | None = None,
        changed: bool = False,
    ) -> SearchNode | None:
        """Go on behind a cell, which may be another one than the marks say."""
        changed = changed or edit is not None
        column = node.due // 2
        if self._is_header(node):
            if self.keys and content not in self.keys:
                self._rename(node, end, content, cost, edit)
                cost += self.costs.unlikely
        else:
            cost += self._against(column, content) * self.costs.unlikely
        if '"' in content and not self.text.startswith('"', node.at):
            cost += self.costs.unlikely
        against = (self._inner.search(content) is not None) + (changed and "\n" in content)
        cost += against * self.costs.unlikely
        due = node.due + 1 if due is None else due
        frame = frame or node.frame
        if not cost:
            return self.relax(node, 0.0, end, due, frame, None, edit)
        self.edge(node, cost, end, due, frame, None, edit)
        return None if changed else self.broken(node)

    def _rename(
        self, node: SearchNode, end: int, content: str, cost: float, edit: DocumentEdit | None
    ) -> None:
        """The name of a column that is spelt otherwise."""
        costs = self.costs
        for key in islice(self.keys, _ROWS_TO_LOOK_AT):
            same = plain_name(key) == plain_name(content)
            near = same or (len(key) > 2 and distance_within(content, key, 1) == 1)
            if edit is None and content and near:
                new = DocumentEdit(node.at, end, _written(key, self.delimiter), f"column {key!r}")
                more = costs.dialect if same else costs.slip
                self.edge(node, cost + more, end, node.due + 1, node.frame, None, new)

    def _against(self, column: int, content: str) -> int:
        """Whether a cell lacks what all the others of its column have."""
        if not self.columns:
            return 0
        known = self.columns[column]
        return int(
            (known.filled and not content.strip())
            or (known.numeric and not is_number(content))
            or (known.form is not None and _form(content) != known.form)
        )

    def _is_prose(self, at: int) -> bool:
        """Whether what follows the rows, behind an empty line, is none."""
        text = self.text
        if self.width < 2 or not (text[at] in "\r\n" or text.startswith("```", at)):
            return False
        lines = _LINE.finditer(text, at, self._last)
        return not any(line[0].count(self.delimiter) >= self.width - 1 for line in lines)

    # -- edits ------------------------------------------------------------------------------------

    def try_edits(self, node: SearchNode) -> None:
        """Add the edges of all edits at a cell, or behind it."""
        if node.due >= 0 and node.at < self.end:
            if node.due % 2:
                self._try_behind(node)
            else:
                self._try_cell(node)

    def _try_behind(self, node: SearchNode) -> None:
        text, at, slip = self.text, node.at, self.costs.slip
        column, sign = node.due // 2, text[at]
        last = column == self.width - 1
        mark, rule = ("\n", "row end") if last else (self.delimiter, "delimiter")
        behind = self._row_end(at) if sign in "\r\n" else at + 1
        due, frame = (0, self.body) if last else (node.due + 1, node.frame)
        bounds = sign == self.delimiter or sign in "\r\n"
        if not bounds or (last and sign == self.delimiter):
            edit = DocumentEdit(at, at, mark, f"{rule} added")
            self.edge(node, slip, at, due, frame, None, edit)
        # At the end of the text a delimiter would make a cell of nothing.
        if not (sign in "\r\n" if last else sign == self.delimiter or behind >= self._last):
            edit = DocumentEdit(at, behind, mark, f"{sign!r} -> {rule}")
            self.edge(node, self._exchange(sign), behind, due, frame, None, edit)
        if sign == '"' and text.startswith(self.delimiter, at + 1) and not last:
            edit = DocumentEdit(at, at + 2, f'{self.delimiter}"', "delimiter and quote exchanged")
            for place in islice(self._closing(at + 2, min(self.end, at + _LONGEST_CELL)), 1):
                swapped = edit._replace(end=place, new=edit.new + text[at + 2 : place])
                self.edge(node, slip, place + 1, node.due + 2, frame, None, swapped)
        if sign not in "\r\n" and (not bounds or (last and self._ends_row(behind))):
            edit = DocumentEdit(at, behind, "", f"{sign!r} removed")
            self.edge(node, slip, behind, node.due, node.frame, None, edit)

    def _ends_row(self, at: int) -> bool:
        return at >= self.end or self.text[at] in "\r\n"

    def _exchange(self, sign: str) -> float:
        """The cost of a mark in the place of another character."""
        likely = not (sign.isalnum() or sign == " ")
        return self.costs.slip + (0.0 if likely else self.costs.unlikely)

    def _try_cell(self, node: SearchNode) -> None:
        text, at, costs = self.text, node.at, self.costs
        slip, sign = costs.slip, text[at]
        limit = min(self.end, at + _LONGEST_CELL)
        if sign in ('"', self.delimiter):
            edit = DocumentEdit(at, at + 1, "", f"{sign!r} removed")
            self.edge(node, slip, at + 1, node.due, node.frame, None, edit)
        if sign == '"':
            self._try_quoted(node, limit)
            return
        # The opening quotation mark was lost or exchanged.
        for place in islice(self._closing(at, limit), 2):
            whole = text[at:place].replace('""', "")
            if '"' not in whole:
                self._quote(node, at, place + 1, text[at:place], slip, "opening quote added")
                rule = f"{sign!r} -> opening quote"
                self._quote(node, at, place + 1, text[at + 1 : place], self._exchange(sign), rule)
        self._try_merged(node)
        self._try_split(node)

    def _closing(self, start: int, limit: int) -> Iterator[int]:
        """Quotation marks behind which a cell may end."""
        place = self.text.find('"', start, limit)
        count = 0
        while place >= 0 and count < _MOST_BOUNDS:
            if self._bound.match(self.text, place + 1):
                count += 1
                yield place
            place = self.text.find('"', place + 1, limit)

    def _quote(
        self, node: SearchNode, start: int, end: int, inner: str, cost: float, rule: str
    ) -> None:
        """Write ``inner``, whose marks are doubled, as the quoted cell up to ``end``."""
        edit = DocumentEdit(start, end, f'"{inner}"', rule)
        self._cell(node, end, inner.replace('""', '"'), cost, edit)

    def _try_quoted(self, node: SearchNode, limit: int) -> None:
        """A cell whose closing quotation mark was lost or exchanged, or that has marks inside."""
        text, at, costs = self.text, node.at, self.costs
        slip = costs.slip
        for bound in islice(self._bound.finditer(text, at + 1, limit), _MOST_BOUNDS):
            place = bound.start()
            inner = text[at + 1 : place]
            if '"' in inner.replace('""', "") and not inner.endswith('"'):
                break
            if '"' not in inner.replace('""', ""):
                self._quote(node, at, place, inner, slip, "closing quote added")
            if inner and inner[-1] != '"':
                rule = f"{inner[-1]!r} -> closing quote"
                self._quote(node, at, place, inner[:-1], self._exchange(inner[-1]), rule)
        for place in self._closing(at + 1, limit):
            inner = text[at + 1 : place]
            if inner.count('"') and not re.search(r'(?<!\\)"', inner):
                written = inner.replace('\\"', '""')
                self._quote(node, at, place + 1, written, self.habit(node, "\\"), '"\\"" -> """"')
            runs = [m.span() for m in re.finditer('"+', inner)]
            odd = [stop for start, stop in runs if (stop - start) % 2]
            if len(odd) > 1 and len(odd) == inner.count('"'):
                pairs, single = divmod(len(odd), 2)
                cost = pairs * costs.inner_quotes + single * costs.inner_quote
                written = inner.replace('"', '""')
                self._quote(node, at, place + 1, written, cost, "quotes in a cell doubled")
            elif len(odd) == 1:
                cut = odd[0]
                doubled = f'{inner[:cut]}"{inner[cut:]}'
                self._quote(node, at, place + 1, doubled, slip, "quote in a cell doubled")
                without = inner[: cut - 1] + inner[cut:]
                self._quote(node, at, place + 1, without, slip, "quote in a cell removed")
                for beside in (cut - 2, cut):
                    if 0 <= beside < len(inner) and inner[beside] != '"':
                        sign = inner[beside]
                        twice = f'{inner[:beside]}"{inner[beside + 1 :]}'
                        cost = self._exchange(sign)
                        self._quote(node, at, place + 1, twice, cost, f"{sign!r} -> quote")
        # The cell ends, and what should follow does not.
        if (whole := _WHOLE.match(text, at)) is not None:
            self._cell(node, whole.end(), whole[0][1:-1].replace('""', '"'), 1e-4, changed=True)
        # Two cells between which the mark was lost look like one with a quotation mark in it.
        for place in islice(_doubled(text, at + 1, limit), _MOST_BOUNDS):
            inner = text[at + 1 : place]
            if '"' not in inner.replace('""', ""):
                self._cell(node, place + 1, inner.replace('""', '"'), 1e-4, changed=True)

    def _try_merged(self, node: SearchNode) -> None:
        """A cell that holds delimiters and is not quoted."""
        text, at, costs = self.text, node.at, self.costs
        end = self._bare_end(at)
        spaced = True
        for count in range(1, _MOST_MERGED + 1):
            if not text.startswith(self.delimiter, end):
                return
            spaced = spaced and text.startswith(" ", end + 1)
            end = self._bare_end(end + 1)
            content = text[at:end]
            if '"' in content:
                return
            cost = costs.bare_text if spaced else costs.slip
            swallows = not spaced and count >= self.width - 1
            if swallows or content.strip(self.delimiter) != content:
                cost += 2 * costs.unlikely  # rather a row, or empty cells
            self._quote(node, at, end, content, cost, "cell with a delimiter quoted")

    def _try_split(self, node: SearchNode) -> None:
        """A cell that is two, between which the delimiter or row end was lost."""
        text, at, slip = self.text, node.at, self.costs.slip
        end = self._bare_end(at)
        last = node.due // 2 == self.width - 1
        mark, rule = ("\n", "row end") if last else (self.delimiter, "delimiter")
        due, frame = (0, self.body) if last else (node.due + 2, node.frame)
        known = self.keys if self._is_header(node) else ()
        places = range(at if last else at + 1, min(end, at + _MOST_SPLITS))
        for place in places:
            if known and text[at:place] not in known:
                continue
            edit = DocumentEdit(place, place, mark, f"{rule} added")
            self._cell(node, place, text[at:place], slip, edit, due=due, frame=frame)
            if place + 1 < end:
                sign = text[place]
                edit = DocumentEdit(place, place + 1, mark, f"{sign!r} -> {rule}")
                cost = self._exchange(sign)
                self._cell(node, place + 1, text[at:place], cost, edit, due=due, frame=frame)


def _doubled(text: str, start: int, limit: int) -> Iterator[int]:
    place = text.find('""', start, limit)
    while place >= 0:
        yield place
        place = text.find('""', place + 1, limit)


def _form(content: str) -> str:
    """A cell with each run of digits and of letters as one sign."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", content[:64]))


def _intact_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """The rows of one line that are well formed."""
    for line in text.split("\n"):
        bare = line.rstrip("\r")
        if not bare:
            continue
        if '"' not in bare:
            yield bare.split(delimiter)
            continue
        try:
            yield from csv.reader([bare], delimiter=delimiter, strict=True)
        except csv.Error:
            continue


def _usual_width(rows: list[list[str]]) -> int:
    counts = Counter(map(len, rows))
    if not counts:
        return 1
    most = max(counts.values())
    return next(len(row) for row in rows if counts[len(row)] == most)


def _columns(rows: list[list[str]], width: int) -> list[_Column]:
    if len(rows) < _INTACT or not width:
        return []
    found: list[_Column] = []
    for cells in zip(*rows, strict=True):
        numeric = all(is_number(cell) and cell.strip() for cell in cells)
        form = None if numeric else _form(cells[0])
        if form is not None and not all(_form(cell) == form for cell in cells):
            form = None
        found.append(_Column(numeric, all(cell.strip() for cell in cells), form))
    return found


# -- values ---------------------------------------------------------------------------------------


def parse_csv(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    """The records of a text, by the names in its first row.

    Raises:
        ValueError: it is not well formed, two columns have one name, or a row has other cells.
    """
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise ValueError(str(error)) from error
    if not rows or not rows[0]:
        raise ValueError("there is no row")
    header = rows[0]
    if len(set(header)) < len(header):
        raise ValueError("two columns have one name")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            raise ValueError(f"row {number} has {len(row)} cells, the first has {len(header)}")
    return [dict(zip(header, row, strict=True)) for row in rows[1:]]


def write_csv(rows: Sequence[Sequence[str]]) -> str:
    """Rows as RFC 4180 has them, with line feeds."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _written(cell: str, delimiter: str) -> str:
    marked = any(sign in cell for sign in (delimiter, '"', "\n", "\r"))
    return '"' + cell.replace('"', '""') + '"' if marked else cell


def header_of(text: str, keys: Sequence[str]) -> int | None:
    """Where the row with the names of the columns begins: the first line half of whose cells are
    keys; ``None`` where there is none."""
    wanted = {plain_name(key) for key in keys}
    whole = "".join(map(plain_name, keys))
    for line in islice(_LINE.finditer(text), _ROWS_TO_LOOK_AT):
        cells = re.split(r"[,;\t|]|\"\"", line[0][:_LONGEST_CELL])
        known = {plain_name(cell.strip('" \r\n')) for cell in cells} & wanted
        if "".join(map(plain_name, cells)) == whole:
            known = wanted  # between two of them the delimiter is lost
        if known and 2 * len(known) >= len(wanted):
            return line.start()
    return None


def delimiter_of(text: str, keys: Sequence[str]) -> str:
    """The mark between cells: the one that parts the keys, or the same number of cells in most
    lines."""

    def worth(delimiter: str) -> tuple[int, int]:
        rows = list(islice(_intact_rows(text, delimiter), _ROWS_TO_LOOK_AT))
        if keys:
            cells = {plain_name(cell.strip()) for cell in (rows[0] if rows else ())}
            return len(cells & {plain_name(key) for key in keys}), 0
        width = _usual_width(rows)
        return sum(len(row) == width for row in rows) if width > 1 else 0, width

    return max(DELIMITERS, key=worth)


_TABLE_RULE = re.compile(r"\|?(?:\s*:?-{2,}:?\s*\|?)+")


def tables_of(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """The rows of a Markdown table, and those of cells with a blank behind every delimiter, each
    with what was done."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and "|" in lines[0] and _TABLE_RULE.fullmatch(lines[1][:_LONGEST_CELL]):
        rows: list[list[str]] = []
        for line in (lines[0], *lines[2:]):
            if "|" not in line:
                break
            bare = line.removeprefix("|")
            bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
            rows.append([cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", bare)])
        yield "Markdown table -> rows", rows
    for delimiter in DELIMITERS:
        if delimiter not in (lines[0] if lines else ""):
            continue
        try:
            plain = list(csv.reader(lines, delimiter=delimiter))
            rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True))
        except csv.Error:
            continue
        if all(cell[:1] == " " for row in plain for cell in row[1:]):
            rows = [[cell.rstrip(" ") for cell in row] for row in rows]
            yield "blanks around the delimiters removed", rows
