"""Rows of cells: ``name, company, city, budget = line.split("|")``, a row a line.

What models add to rows is left out: the frame of a Markdown table, a header, a fence, the sentences
around. A row with another delimiter is written with the template's where its cells then are as
many as the code takes. A row with a cell too few or too many stays as it is.

Source: Comfrey §4.3.1 (delimiter supplementation, extraneous elements).
"""

# ruff: noqa: RUF001 - the full-width characters that models write
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from knitbone.adaptation.checks import (
    Check,
    Invocation,
    Verdict,
    conforming,
    in_time,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.defects.positional.framed import is_lead_in
from knitbone.adaptation.defects.positional.record import Slot
from knitbone.adaptation.defects.positional.remarks import is_closing_remark
from knitbone.adaptation.defects.positional.slots import fit_slot
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.requirements.readers import LINE_STEPS, STEPS

__all__ = ["MAX_TEXT", "prepare_columns"]

MAX_TEXT = 262_144
"""Characters (ours)."""
_DELIMITERS = "|;,\t"
"""Marks that part cells; others (``:``, ``-``) part a name from its value."""
_OTHERS = ("|", "｜", "¦", ";", "；", "\t", ",", "，", " - ", " – ", " — ")
"""What models write for them; a mark of letters is none."""
_RULE = re.compile(r"[\s|:+=-]*-{2}[\s|:+=-]*")
"""The line below the header of a table."""
_FENCE = re.compile(r"\s{0,4}```[\w+-]{0,20}\s*")
_BOUNDED = re.compile(r"\.(?:partition\(|split\([^()]*,\s*(?:maxsplit\s*=\s*)?\d{1,3}\s*\))")
"""A cut that leaves further marks in the last cell."""
_NAMED = re.compile(r"[\"']([|;,]|\\t)[\"'] in ")
"""``if "|" in line``: lines without the mark are passed over."""


class _Row(NamedTuple):
    cells: tuple[str, ...]
    rules: tuple[str, ...] = ()
    """What was done to it; empty where it stands as the code reads it."""


class _Unread(Exception):  # noqa: N818 - control flow between the stages
    """The answer is passed on; the message says why."""


def prepare_columns(template: PositionalTemplate) -> Check | None:
    """The check of a line that is cells between one and the same mark."""
    marks = {e.text for e in template.elements if e.kind == "delimiter"}
    slots = [e for e in template.elements if e.kind == "slot"]
    kinds = [e.kind for e in template.elements if e.kind != "space"]
    if len(marks) != 1 or not marks <= set(_DELIMITERS) or template.reader is not None:
        return None
    if kinds != ["slot", "delimiter"] * (len(slots) - 1) + ["slot"] or template.separator:
        return None
    if not all(step.name in STEPS | LINE_STEPS | {"iterate"} for step in template.steps):
        return None
    if len(slots) == 2 and not any(step.name in LINE_STEPS for step in template.steps):
        return None  # one mark in one text: a form of its own
    read = tuple(Slot(slot.type, reading=slot.reading) for slot in slots)
    return _Columns(template, marks.pop(), read)


class _Columns:
    """The check of an answer whose lines are rows."""

    reads_whole = True
    """What is no row must go from between the rows: the lines are looked at together."""

    def __init__(self, template: PositionalTemplate, mark: str, slots: tuple[Slot, ...]) -> None:
        self._mark = mark
        self._slots = slots
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
        lines = self._seen(text)
        if all(self._accepts(line) for line in in_time(lines, invocation.deadline)):
            return conforming(text)
        if not invocation.uses("positional.columns"):
            return refused(text, f"a line is not {len(self._slots)} cells")
        try:
            written, rules, edits = self._rewritten(text, invocation)
        except _Unread as reason:
            return refused(text, str(reason))
        if not rules:
            return conforming(text)
        candidate = "\n".join(written)
        now = self._seen(candidate)
        if not now or not all(self._accepts(line) for line in in_time(now, invocation.deadline)):
            return refused(text, "the consumer would not read the answer")
        return repaired(candidate, *rules, edits=edits)

    def _seen(self, text: str) -> list[str]:
        """The units that the code cuts into cells."""
        units = [text]
        for step in self._steps:
            if step.name in LINE_STEPS:
                units = [u for each in units for u in getattr(each, step.name)(*step.arguments)]
            elif step.name != "iterate":
                units = [getattr(unit, step.name)(*step.arguments) for unit in units]
        return units

    def _accepts(self, line: str) -> bool:
        """Whether the code reads the line as a row, or passes it over."""
        if not line.strip():
            return self._skips_blank and self._by_line
        cells = self._cells(line)
        if len(cells) != len(self._slots):
            # More cells than are read may be as good, unless the ends are a table's frame.
            framed = len(cells) > len(self._slots) and not cells[0].strip()
            return not self._demands_rows and not framed and self._other(line) is None
        return self._fits(cells)

    def _cells(self, line: str) -> list[str]:
        return line.split(self._mark, len(self._slots) - 1 if self._bounded else -1)

    def _fits(self, cells: Sequence[str]) -> bool:
        return all(map(_accepted, self._slots, cells))

    def _rewritten(
        self, text: str, invocation: Invocation
    ) -> tuple[list[str], tuple[str, ...], int]:
        """The lines of the new answer, and what was done.

        Raises:
            _Unread: a line is no row, and nothing that may be left out.
        """
        lines = text.split("\n") if self._by_line else [" ".join(text.split("\n")).strip()]
        rows = [self._row(line, invocation) for line in in_time(lines, invocation.deadline)]
        places = [place for place, row in enumerate(rows) if row is not None]
        if not places and self._optional and self._mark not in text:
            return lines, (), 0
        if not places:
            raise _Unread(f"no line is {len(self._slots)} cells as the code takes them")
        counts: dict[str, int] = {}
        kept: list[str] = []
        for place, (line, row) in enumerate(zip(lines, rows, strict=True)):
            invocation.deadline.check()
            if row is not None:
                kept.append(self._mark.join(row.cells) if row.rules else line)
                for rule in row.rules:
                    counts[rule] = counts.get(rule, 0) + 1
                continue
            rule = self._left_out(place, lines, rows, invocation)
            if not rule and self._accepts(line):
                kept.append(line)
                continue
            if not rule:
                raise _Unread(f"{line[:40]!r} is not {len(self._slots)} cells")
            if rule != _BLANK or not self._skips_blank:
                counts[rule] = counts.get(rule, 0) + 1
        rules = tuple(f"{rule} in {n} lines" if n > 1 else rule for rule, n in counts.items())
        return kept, rules, sum(counts.values())

    def _row(self, line: str, invocation: Invocation) -> _Row | None:
        """The line as a row, its cells as the code takes them; ``None`` where it is none."""
        cells, rules = self._parted(line)
        if cells is None:
            return None
        fitted: list[str] = []
        for slot, cell in zip(self._slots, cells, strict=True):
            if _accepted(slot, cell):
                fitted.append(cell)
                continue
            found = fit_slot(cell.strip(), slot, invocation) if cell.strip() else None
            if found is None:
                return None
            fitted.append(found[0])
            rules = (*rules, *found[1])
        if len(rules) >= invocation.config.tau_element:
            return None
        return _Row(tuple(fitted), rules)

    def _parted(self, line: str) -> tuple[list[str] | None, tuple[str, ...]]:
        """The cells of a line, and what was done to part them."""
        wanted = len(self._slots)
        cells = self._cells(line)
        if len(cells) == wanted and not (self._bounded and not self._fits(cells)):
            return cells, ()
        framed = _unframed(line.split(self._mark), wanted)
        if framed is not None:
            return framed, ("frame of a table left out",)
        mark = self._other(line)
        if mark is None:
            return None, ()
        cells = [cell.strip() for cell in line.split(mark)]
        framed = cells if len(cells) == wanted else _unframed(cells, wanted)
        return framed, (f"delimiter {mark!r} -> {self._mark!r}",)

    def _other(self, line: str) -> str | None:
        """The one other mark that parts the line into as many cells."""
        wanted = len(self._slots)
        if self._mark in line or (wanted == 2 and not self._typed):
            return None
        found: list[str] = []
        for mark in _OTHERS if wanted > 2 else (*_OTHERS, ": "):
            cells = [cell.strip() for cell in line.split(mark)]
            cells = cells if len(cells) == wanted else _unframed(cells, wanted) or []
            if len(cells) == wanted and all(cells) and self._fits(cells):
                found.append(mark)
        return found[0] if len(found) == 1 else None

    def _left_out(
        self,
        place: int,
        lines: Sequence[str],
        rows: Sequence[_Row | None],
        invocation: Invocation,
    ) -> str:
        """Why a line that is no row may go; empty where it may not."""
        line = lines[place]
        before = any(row is not None for row in rows[:place])
        after = any(row is not None for row in rows[place + 1 :])
        if not line.strip():
            return _BLANK
        if _FENCE.fullmatch(line) and before != after:
            return "fence left out"
        if _RULE.fullmatch(line) and not before:
            return "rule of a table left out"
        if before or not after:
            closing = before and not after and not lines[place - 1].strip()
            return "closing remark left out" if closing and is_closing_remark(line) else ""
        if self._is_header(place, lines, invocation):
            return "header left out"
        rest = next((each for each in lines[place + 1 :] if each.strip()), "")
        announces = is_lead_in(line + "\n") and bool(line.strip()) and self._mark not in line
        return "text before the rows left out" if announces and rest else ""

    def _is_header(self, place: int, lines: Sequence[str], invocation: Invocation) -> bool:
        """Whether a line above the rows names the columns: a rule stands below it, or what the
        model was asked names them so."""
        if place + 1 < len(lines) and _RULE.fullmatch(lines[place + 1]) is not None:
            return True
        names = self._names(lines[place])
        if len(names) != len(self._slots):
            return False
        return any(
            len(asked) == len(names)
            and all(a.startswith(n) or n.startswith(a) for a, n in zip(asked, names, strict=True))
            for message in invocation.said
            for asked in map(self._names, message.text.split("\n"))
        )

    def _names(self, line: str) -> list[str]:
        """The cells of a line without regard to case and marks; none of them empty."""
        mark = self._mark if self._mark in line else ""
        for other in _OTHERS if not mark else ():
            if line.count(other) >= len(self._slots) - 1:
                mark = other
                break
        cells = [re.sub(r"[\W_]+", " ", c).strip().casefold() for c in line.split(mark or None)]
        return [cell for cell in cells if cell]


_BLANK = "blank line left out"


def _accepted(slot: Slot, cell: str) -> bool:
    return slot.plain or slot.accepts(cell)


def _unframed(cells: Sequence[str], wanted: int) -> list[str] | None:
    """The cells inside the frame of a table: ``| a | b |``, or ``a | b |``."""
    inner = list(cells)
    if len(inner) > wanted and not inner[-1].strip():
        inner.pop()
    if len(inner) > wanted and not inner[0].strip():
        inner.pop(0)
    framed = len(inner) == wanted < len(cells)
    return [cell.strip() for cell in inner] if framed else None
