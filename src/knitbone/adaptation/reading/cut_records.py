"""Data types of a record that code reads by cutting a text at marks.

``head, body = text.split("Body:", 1)`` gives a ``CutRecord`` with what stands before the mark as
its ``lead`` and one ``Cell``: the mark ``Body:``, and the elements behind it.
"""

from __future__ import annotations

from typing import NamedTuple

from knitbone.adaptation.reading.regex_outlines import FENCE
from knitbone.adaptation.reading.text_consumers import Consumer, first_text
from knitbone.adaptation.requirements.records import Element, Requirement
from knitbone.adaptation.requirements.regex_templates import literal_elements

__all__ = [
    "LINE_BREAK",
    "MARK_TESTS",
    "SEARCHES",
    "SLOT",
    "SPLITS",
    "Cell",
    "CutRecord",
    "mark_of",
]

SLOT = Element(kind="slot", captured=True)
"""Content of any kind that the code takes."""
LINE_BREAK = Element(kind="space", text="\n", options=("\n",))
SPLITS = frozenset({".split", ".rsplit", ".partition", ".rpartition"})
"""Methods that cut a text at a mark."""
SEARCHES = frozenset({".find", ".index", ".rfind", ".rindex"})
"""Methods that give the position of a mark."""
MARK_TESTS = frozenset({".startswith", ".endswith", "contains"})
"""Operations that ask whether a mark is there."""


class Cell(NamedTuple):
    """A mark, and the elements between it and the next mark."""

    mark: str
    """As the code writes it, blanks included."""
    after: tuple[Element, ...]


class CutRecord(NamedTuple):
    """The record that one or several cuts of a text show."""

    lead: tuple[Element, ...] = ()
    """The elements before the first mark."""
    cells: tuple[Cell, ...] = ()
    below: tuple[Requirement, ...] = ()
    """The requirements of the contents of the cells."""
    separator: str = ""
    """Of a list: what stands between its items. A list has no cells."""
    certain: bool = True
    """True if the code shows that it needs every mark."""

    @property
    def marks(self) -> set[str]:
        """Return the marks without the blanks around them."""
        return {cell.mark.strip() for cell in self.cells}

    @property
    def elements(self) -> tuple[Element, ...]:
        """Return the elements of the whole record, marks included."""
        found: list[Element] = list(self.lead)
        for cell in self.cells:
            found.extend(literal_elements(cell.mark.strip()))
            if cell.mark.strip() != cell.mark and cell.mark[-1:] == " " and cell.after:
                found.append(Element(kind="space", text=" ", options=(" ",)))
            found.extend(cell.after)
        return tuple(found)


def mark_of(consumer: Consumer) -> str:
    """Return the mark that an operation names; empty for blanks and fences."""
    mark = first_text(consumer.use.operation)
    return mark if mark is not None and FENCE not in mark else ""
