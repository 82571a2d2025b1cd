"""Records of a cut text: marks, and what stands behind each."""

from __future__ import annotations

from typing import NamedTuple

from knitbone.adaptation.reading.regex_outlines import FENCE
from knitbone.adaptation.reading.text_consumers import Consumer, first_text
from knitbone.adaptation.requirements.records import Element, Requirement
from knitbone.adaptation.requirements.regex_templates import literal_elements

__all__ = ["SLOT", "SPLITS", "Cell", "Cut", "mark_of"]

SLOT = Element(kind="slot", captured=True)
SPLITS = frozenset({".split", ".rsplit", ".partition", ".rpartition"})


class Cell(NamedTuple):
    """A mark, and the elements behind it."""

    mark: str
    after: tuple[Element, ...]


class Cut(NamedTuple):
    """The record that one or several cuts of a text show."""

    lead: tuple[Element, ...] = ()
    cells: tuple[Cell, ...] = ()
    below: tuple[Requirement, ...] = ()
    """What is read from the contents."""
    separator: str = ""
    certain: bool = True

    @property
    def marks(self) -> set[str]:
        """The marks, without the blanks around them."""
        return {cell.mark.strip() for cell in self.cells}

    @property
    def elements(self) -> tuple[Element, ...]:
        """The record."""
        found: list[Element] = list(self.lead)
        for cell in self.cells:
            found.extend(literal_elements(cell.mark.strip()))
            if cell.mark.strip() != cell.mark and cell.mark[-1:] == " " and cell.after:
                found.append(Element(kind="space", text=" ", options=(" ",)))
            found.extend(cell.after)
        return tuple(found)


def mark_of(consumer: Consumer) -> str:
    """The mark that an operation names; empty for blanks and fences."""
    mark = first_text(consumer.use.operation)
    return mark if mark is not None and FENCE not in mark else ""
