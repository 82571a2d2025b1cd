"""Rows of cells, one on each line: ``name, company, city, budget = line.split("|")``.

What models add to rows is left out: the frame of a Markdown table, a header, a fence, the
sentences around. A row with another delimiter is written with the template's if it then has as
many cells as the code takes. A row with a cell too few or too many stays as it is.

Source: Comfrey §4.3.1 (delimiter supplementation, extraneous elements).
"""

# ruff: noqa: RUF001 - the full-width characters that models write
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from knitbone.adaptation.consumers.readers import LINE_STEPS, STEPS, pieces_behind
from knitbone.adaptation.repair.checks import (
    Check,
    Invocation,
    RepairRefusal,
    Verdict,
    conforming,
    in_time,
    refused,
    repaired,
    unmatched,
    unread,
)
from knitbone.adaptation.repair.positional.label_plan import Slot
from knitbone.adaptation.repair.positional.left_out_names import are_in_order, name_beside
from knitbone.adaptation.repair.positional.slot_values import fit_slot
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.text.wrappers.fences import is_fence
from knitbone.adaptation.text.wrappers.remarks import (
    is_closing_remark,
    is_lead_in,
    says_nothing,
)

__all__ = ["MAX_TEXT", "prepare_columns"]

MAX_TEXT = 262_144
"""Characters (ours)."""
_DELIMITERS = "|;,\t"
"""Marks that part cells; others (``:``, ``-``) part a name from its value."""
_OTHERS = ("|", "｜", "¦", ";", "；", "\t", ",", "，", " - ", " – ", " — ")
"""Delimiters that models write instead; a mark of letters is none."""
_RULE = re.compile(r"[\s|:+=-]*-{2}[\s|:+=-]*")
"""The line below the header of a table."""
_BOUNDED = re.compile(r"\.(?:partition\(|split\([^()]*,\s*(?:maxsplit\s*=\s*)?\d{1,3}\s*\))")
"""A cut that leaves further marks in the last cell."""
_EMPHASIZED = re.compile(
    r"\s*(?P<mark>\*{1,3}|__|`)(?P<inner>[^\s*_`](?:[^*_`]*[^\s*_`])?)(?P=mark)\s*"
)
"""A cell that is emphasized as a whole."""
_NAMED = re.compile(r"[\"']([|;,]|\\t)[\"'] in ")
"""``if "|" in line``: lines without the mark are passed over."""


class _Row(NamedTuple):
    """A line read as a row."""

    cells: tuple[str, ...]
    rules: tuple[str, ...] = ()
    """The changes to the line; empty where it stands as the code reads it."""


class _Frame(NamedTuple):
    """The marks around a row that the code counts on."""

    before: bool = False
    behind: bool = False


def prepare_columns(template: PositionalTemplate) -> Check | None:
    """Build the check of a line that is cells between one and the same mark."""
    marks = {e.text for e in template.elements if e.kind == "delimiter"}
    slots = [e for e in template.elements if e.kind == "slot"]
    kinds = [e.kind for e in template.elements if e.kind != "space"]
    if len(marks) != 1 or not marks <= set(_DELIMITERS) or template.reader is not None:
        return None
    framed = kinds[:1] == ["delimiter"]
    bare = kinds[framed : len(kinds) - (kinds[-1] == "delimiter")]
    if bare != ["slot", "delimiter"] * (len(slots) - 1) + ["slot"] or template.separator:
        return None
    if (kinds[-1] == "delimiter" and not framed) or (framed and len(slots) < 2):
        return None  # a mark before a line is no row
    if not all(step.name in STEPS | LINE_STEPS | {"iterate"} for step in template.steps):
        return None
    if len(slots) == 2 and not any(step.name in LINE_STEPS for step in template.steps):
        return None  # one mark in one text: a form of its own
    read = tuple(Slot(slot.type, reading=slot.reading) for slot in slots)
    frame = _Frame(framed, framed and kinds[-1] == "delimiter")
    return _Columns(template, marks.pop(), read, frame)


class _Columns:
    """The check of an answer whose lines are rows."""

    reads_whole = True
    """Lines that are no rows must go from between the rows, so all lines are looked at together."""

    def __init__(
        self, template: PositionalTemplate, mark: str, slots: tuple[Slot, ...], frame: _Frame
    ) -> None:
        self._mark = mark
        self._slots = slots
        self._frame = frame
        self._passed_over = template.passed_over
        # The requirement has no fields for these two facts, so they are read off the consumer's
        # source text; where it is written in another way, the stricter reading holds.
        self._bounded = _BOUNDED.search(template.evidence.expression) is not None
        self._typed = any(not slot.plain for slot in slots)
        self._steps = template.steps
        self._by_line = any(step.name in LINE_STEPS for step in template.steps)
        tested = _NAMED.search(template.evidence.expression) is not None
        self._demands_rows = template.on_violation == "raises" and not tested
        self._optional = template.confidence != "high" and not self._demands_rows
        self._skips_blank = template.skips_blank or not self._demands_rows

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        if self._reads(text, invocation):
            return conforming(text)
        if not invocation.uses("positional.columns"):
            return refused(text, f"a line is not {len(self._slots)} cells")
        try:
            written, rules, edits = self._rewrite(text, invocation)
        except RepairRefusal as refusal:
            return refusal.verdict(text)
        if not rules:
            return conforming(text)
        candidate = "\n".join(written)
        if not self._units(candidate) or not self._reads(candidate, invocation):
            return unmatched(text, "the consumer would not read the answer")
        return repaired(candidate, *rules, edits=edits)

    def _reads(self, text: str, invocation: Invocation) -> bool:
        """Return whether the code reads every line that it looks at."""
        lines = self._units(text)
        if self._passed_over < 0 and lines and not self._accepts(lines[0]):
            lines = lines[1:]
        if self._passed_over == 2 and self._lacks_rule(text):
            return False
        return all(self._accepts(line) for line in in_time(lines, invocation.deadline))

    def _lacks_rule(self, text: str) -> bool:
        """Return whether a row stands where the code passes over the rule of a table."""
        second = text.strip().split("\n")[1:2]
        return self._typed and any(
            len(cells := self._cells(line)) == len(self._slots) and self._fits(cells)
            for line in second
        )

    def _units(self, text: str) -> list[str]:
        """Return the units that the code splits into cells."""
        return pieces_behind(self._steps, text, first=max(0, self._passed_over))

    def _accepts(self, line: str) -> bool:
        """Return whether the code reads the line as a row, or passes it over."""
        if not line.strip():
            return self._skips_blank and self._by_line
        cells = self._cells(line)
        if len(cells) != len(self._slots):
            # More cells than are read may be as good, unless the ends are a table's frame.
            framed = len(cells) > len(self._slots) and not cells[0].strip()
            framed = framed or (self._frame.before and not cells and self._mark in line)
            return not self._demands_rows and not framed and self._other_mark(line) is None
        return self._fits(cells)

    def _cells(self, line: str) -> list[str]:
        """Return the cells as the code counts them; none where the marks around them are
        missing."""
        cells = line.split(self._mark, len(self._slots) - 1 if self._bounded else -1)
        if not self._frame.before:
            return cells
        ended = len(cells) > 1 and not cells[-1].strip()
        if cells[0].strip() or (self._frame.behind and not ended):
            return []
        return cells[1 : len(cells) - ended]

    def _join_cells(self, cells: Sequence[str]) -> str:
        if not self._frame.before:
            return self._mark.join(cells)
        inner = f" {self._mark} ".join(cell.strip() for cell in cells)
        return f"{self._mark} {inner} {self._mark}"

    def _fits(self, cells: Sequence[str]) -> bool:
        return all(map(_accepts_cell, self._slots, cells))

    def _rewrite(self, text: str, invocation: Invocation) -> tuple[list[str], tuple[str, ...], int]:
        """Return the lines of the new answer, what was done, and the number of edits.

        Raises:
            RepairRefusal: there is no row, or a line that is none may not be left out.
        """
        lines = text.split("\n") if self._by_line else [" ".join(text.split("\n")).strip()]
        rows = [self._row(line, invocation) for line in in_time(lines, invocation.deadline)]
        places = [index for index, row in enumerate(rows) if row is not None]
        if not places and self._optional and self._mark not in text:
            return lines, (), 0
        if not places:
            raise RepairRefusal(f"no line is {len(self._slots)} cells as the code takes them")
        rows = [row and self._without_emphasis(row) for row in rows]
        counts: dict[str, int] = {}
        kept: list[str] = []
        begun = 0
        if self._passed_over and self._by_line:
            begun = self._first_row(lines, rows, places[0])
            kept, said = self._passed_lines(lines[:begun])
            counts = dict.fromkeys(said, 1)
        for index in range(begun, len(lines)):
            invocation.deadline.check()
            line, said = self._rewrite_line(index, lines, rows, invocation)
            if line is not None:
                kept.append(line)
            for rule in said:
                counts[rule] = counts.get(rule, 0) + 1
        rules = tuple(f"{rule} in {n} lines" if n > 1 else rule for rule, n in counts.items())
        return kept, rules, sum(counts.values())

    def _rewrite_line(
        self,
        index: int,
        lines: Sequence[str],
        rows: Sequence[_Row | None],
        invocation: Invocation,
    ) -> tuple[str | None, tuple[str, ...]]:
        """Return the line as the code reads it, ``None`` where it is left out, and what was done.

        Raises:
            RepairRefusal: it is no row, and nothing that may be left out.
        """
        line, row = lines[index], rows[index]
        if row is not None:
            return (self._join_cells(row.cells) if row.rules else line), row.rules
        rule = self._reason_to_leave_out(index, lines, rows, invocation)
        if not rule and self._accepts(line):
            return line, ()
        if not rule:
            reason = f"{line[:40]!r} is not {len(self._slots)} cells"
            raise RepairRefusal(reason, final=not says_nothing(line))
        return None, () if rule == _BLANK and self._skips_blank else (rule,)

    def _first_row(self, lines: Sequence[str], rows: Sequence[_Row | None], first: int) -> int:
        """Return where the rows begin: not with a line that has the rule of a table below it."""
        if first + 1 == len(lines) or _RULE.fullmatch(lines[first + 1]) is None:
            return first
        behind = (index for index, row in enumerate(rows) if row is not None)
        return next((index for index in behind if index > first + 1), first)

    def _passed_lines(self, lines: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the lines that the code passes over, just as many as it does, and what was done.

        Raises:
            RepairRefusal: how many these are is not known, or there are others.
        """
        head: list[str] = []
        rules: list[str] = []
        for line in lines:
            announces = not head and self._mark not in line and is_lead_in(line + "\n")
            if not line.strip():
                rules.append(_BLANK)
            elif is_fence(line):
                rules.append("fence left out")
            elif announces:
                rules.append("text before the rows left out")
            else:
                head.append(line)
        wanted = self._passed_over
        if wanted == 1 and len(head) == 2 and _RULE.fullmatch(head[1]) is not None:
            rules.append("rule of a table left out")
            head.pop()
        if wanted == 2 and len(head) == 1 and _RULE.fullmatch(head[0]) is None:
            rules.append("rule of a table added")
            head.append(self._join_cells(["---"] * len(self._slots)))
        if wanted < 0 and lines:
            raise RepairRefusal("the code may pass over lines by their place")
        if wanted > 0 and len(head) != wanted:
            raise RepairRefusal(f"the code passes over {wanted} lines before the rows")
        return head, rules

    def _row(self, line: str, invocation: Invocation) -> _Row | None:
        """Return the line as a row, its cells as the code takes them; ``None`` where it is none."""
        cells, rules = self._split_cells(line)
        if cells is None:
            return None
        fitted: list[str] = []
        names: list[str] = []
        for slot, cell in zip(self._slots, cells, strict=True):
            if _accepts_cell(slot, cell):
                fitted.append(cell)
                continue
            found = fit_slot(cell.strip(), slot, invocation) if cell.strip() else None
            if found is None:
                return None
            fitted.append(found[0])
            rules = (*rules, *found[1])
            if slot.type in ("integer", "number") and (name := name_beside(cell)):
                names.append(name)
        if len(rules) >= invocation.config.tau_element:
            return None
        if len(names) > 1 and not are_in_order(line, names, invocation):
            return None
        return _Row(tuple(fitted), rules)

    def _without_emphasis(self, row: _Row) -> _Row:
        """Return a row whose texts stand without the emphasis that a model put around whole cells.

        A table that the code cannot read as it is, is written for people; once its other cells are
        mended, the marks would be taken for a part of the text.
        """
        cells = tuple(
            match["inner"] if slot.plain and (match := _EMPHASIZED.fullmatch(cell)) else cell
            for slot, cell in zip(self._slots, row.cells, strict=True)
        )
        return row if cells == row.cells else _Row(cells, (*row.rules, "emphasis left out"))

    def _split_cells(self, line: str) -> tuple[list[str] | None, tuple[str, ...]]:
        """Return the cells of a line, and what was done to separate them."""
        wanted = len(self._slots)
        cells = self._cells(line)
        if len(cells) == wanted and not (self._bounded and not self._fits(cells)):
            return cells, ()
        parts = line.split(self._mark)
        framed = (
            _without_frame(parts, wanted)
            if not self._frame.before
            else _without_half_frame(parts, wanted)
        )
        if framed is not None:
            said = "completed" if self._frame.before else "left out"
            return framed, (f"frame of a table {said}",)
        mark = self._other_mark(line)
        if mark is None:
            return None, ()
        cells = [cell.strip() for cell in line.split(mark)]
        framed = cells if len(cells) == wanted else _without_frame(cells, wanted)
        return framed, (f"delimiter {mark!r} -> {self._mark!r}",)

    def _other_mark(self, line: str) -> str | None:
        """Return the one other mark that separates the line into as many cells."""
        wanted = len(self._slots)
        if self._mark in line or (wanted == 2 and not self._typed):
            return None
        found: list[str] = []
        for mark in _OTHERS if wanted > 2 else (*_OTHERS, ": "):
            cells = [cell.strip() for cell in line.split(mark)]
            cells = cells if len(cells) == wanted else _without_frame(cells, wanted) or []
            if len(cells) == wanted and all(cells) and self._fits(cells):
                found.append(mark)
        return found[0] if len(found) == 1 else None

    def _reason_to_leave_out(
        self,
        index: int,
        lines: Sequence[str],
        rows: Sequence[_Row | None],
        invocation: Invocation,
    ) -> str:
        """Return the reason why a line that is no row may be left out; empty where it may not."""
        line = lines[index]
        before = any(row is not None for row in rows[:index])
        after = any(row is not None for row in rows[index + 1 :])
        if not line.strip():
            return _BLANK
        if is_fence(line) and before != after:
            return "fence left out"
        if _RULE.fullmatch(line) and not before:
            return "rule of a table left out"
        if before or not after:
            closing = before and not after and not lines[index - 1].strip()
            return "closing remark left out" if closing and is_closing_remark(line) else ""
        if self._is_header(index, lines, invocation):
            return "header left out"
        rest = next((each for each in lines[index + 1 :] if each.strip()), "")
        announces = is_lead_in(line + "\n") and bool(line.strip()) and self._mark not in line
        return "text before the rows left out" if announces and rest else ""

    def _is_header(self, index: int, lines: Sequence[str], invocation: Invocation) -> bool:
        """Return whether a line above the rows names the columns.

        Then a rule stands below it, or the messages to the model name them so.
        """
        if index + 1 < len(lines) and _RULE.fullmatch(lines[index + 1]) is not None:
            return True
        names = self._cell_names(lines[index])
        if len(names) != len(self._slots):
            return False
        return any(
            len(asked) == len(names)
            and all(a.startswith(n) or n.startswith(a) for a, n in zip(asked, names, strict=True))
            for message in invocation.messages
            for asked in map(self._cell_names, message.text.split("\n"))
        )

    def _cell_names(self, line: str) -> list[str]:
        """Return the cells of a line without case and marks; no cells where one is empty."""
        mark = self._mark if self._mark in line else ""
        for other in _OTHERS if not mark else ():
            if line.count(other) >= len(self._slots) - 1:
                mark = other
                break
        cells = [re.sub(r"[\W_]+", " ", c).strip().casefold() for c in line.split(mark or None)]
        return [cell for cell in cells if cell]


_BLANK = "blank line left out"


def _accepts_cell(slot: Slot, cell: str) -> bool:
    return slot.plain or slot.accepts(cell)


def _without_half_frame(cells: Sequence[str], wanted: int) -> list[str] | None:
    """Return the cells of a row whose frame is not whole: ``| a | b``, or ``a | b``."""
    inner = list(cells)
    if len(inner) > wanted and not inner[0].strip():
        inner.pop(0)
    if len(inner) > wanted and not inner[-1].strip():
        inner.pop()
    return [cell.strip() for cell in inner] if len(inner) == wanted else None


def _without_frame(cells: Sequence[str], wanted: int) -> list[str] | None:
    """Return the cells inside the frame of a table: ``| a | b |``, or ``a | b |``."""
    inner = list(cells)
    if len(inner) > wanted and not inner[-1].strip():
        inner.pop()
    if len(inner) > wanted and not inner[0].strip():
        inner.pop(0)
    framed = len(inner) == wanted < len(cells)
    return [cell.strip() for cell in inner] if framed else None
