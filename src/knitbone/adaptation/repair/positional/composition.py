"""Composition of a record: its identifiers in the template's form and order, each with its slot.

The slots stay byte-identical. Source: Comfrey §4.3.1 (re-ordering of identifiers together with the
following slot).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from knitbone.adaptation.repair.positional.identifiers import Occurrence
from knitbone.adaptation.repair.positional.label_plan import Identifier, RecordForm

__all__ = ["ALIGNED", "Composed", "Unit", "compose", "count_displaced", "units_of"]


ALIGNED = "blanks or line breaks between identifiers aligned"


class Unit(NamedTuple):
    """An identifier with its slot."""

    occurrence: Occurrence
    slot: str
    """The text behind the identifier, up to the next one, with all blanks."""

    @property
    def content(self) -> str:
        """The slot without blanks around it, and without emphasis that the identifier opened."""
        content, opened = self.slot.strip(), self.occurrence.opened
        if opened and content.endswith(opened):
            return content[: -len(opened)].rstrip()
        return f"{opened}{content}" if opened and opened in content else content


class Composed(NamedTuple):
    """The new text of one record, and what was done."""

    units: tuple[Unit, ...]
    """The units in their new order."""
    text: str
    rules: tuple[str, ...]
    edits: int
    """Elements that were drifted, missing or out of place."""


def units_of(text: str, occurrences: Sequence[Occurrence]) -> list[Unit]:
    """Return the occurrences of identifiers with the text behind each."""
    ends = [o.start for o in occurrences[1:]] + [len(text)]
    return [Unit(o, text[o.end : end]) for o, end in zip(occurrences, ends, strict=True)]


def count_displaced(units: Sequence[Unit], record: RecordForm) -> int:
    """Return the least number of identifiers to move so that the order is the template's."""
    order = {identifier.key: n for n, identifier in enumerate(record.identifiers)}
    tails: list[int] = []
    for unit in units:
        place = order[unit.occurrence.identifier.key]
        at = bisect_left(tails, place)
        tails[at : at + 1] = [place]
    return len(units) - len(tails)


def compose(units: Sequence[Unit], record: RecordForm, *, last: bool) -> Composed:
    """Write the units in the template's order.

    Args:
        last: whether nothing follows: then the last unit keeps the blanks at its end.
    """
    moved = count_displaced(units, record)
    order = {identifier.key: n for n, identifier in enumerate(record.identifiers)}
    ordered = sorted(units, key=lambda u: order[u.occurrence.identifier.key]) if moved else units
    gaps = [_gap(unit) for unit in units]
    pieces: list[str] = []
    for index, unit in enumerate(ordered):
        following = ordered[index + 1].occurrence.identifier if index + 1 < len(units) else None
        pieces.append(_identifier_text(unit))
        gap = gaps[index]
        if following is not None and "\n" not in gap and (following.own_line or moved):
            gap = "\n"
        pieces.append(gap if following is not None or not last or not moved else gap.rstrip(" "))
    return Composed(
        tuple(ordered), "".join(pieces), _rules(units, moved), _edits(units, record, moved)
    )


def _gap(unit: Unit) -> str:
    """Return the blanks between a slot and the next identifier."""
    return unit.slot[len(unit.slot.rstrip()) :] if unit.slot.strip() else unit.slot


def _identifier_text(unit: Unit) -> str:
    occurrence, identifier = unit.occurrence, unit.occurrence.identifier
    if not unit.slot.strip():
        return identifier.text + (identifier.blank or "").replace("\n", "") * (
            not unit.slot.startswith(identifier.blank or "")
        )
    before = unit.slot[: len(unit.slot) - len(unit.slot.lstrip())]
    if "\n" in before and "\n" not in unit.content and occurrence.drift:
        before = " "  # the name stood on a line of its own
    return (
        identifier.text + _blank(before, identifier, drifted=bool(occurrence.drift)) + unit.content
    )


def _blank(before: str, identifier: Identifier, *, drifted: bool) -> str:
    if identifier.blank is not None:
        return before if before.startswith(identifier.blank) else identifier.blank
    if identifier.text[-1:] == "=":
        return before if "\n" in before else ""  # the blank belongs to the mark
    return before or " " if drifted and not identifier.is_tag else before


def _rules(units: Sequence[Unit], moved: int) -> tuple[str, ...]:
    rules: list[str] = []
    drifted = [unit.occurrence for unit in units if unit.occurrence.drift]
    if drifted:
        names = ", ".join(f'"{o.identifier.text[:20]}"' for o in drifted[:3])
        rules.append(f"{len(drifted)} identifier{'s' if len(drifted) > 1 else ''} aligned: {names}")
    if moved:
        rules.append(f"{moved} identifier{'s' if moved > 1 else ''} moved with the slot")
    return tuple(rules) or (ALIGNED,)


def _edits(units: Sequence[Unit], record: RecordForm, moved: int) -> int:
    """Count the elements that are missing, extraneous or exchanged.

    A decoration that all identifiers share is one drift, not one for each: it is one habit of the
    model (a departure; the paper does not say).
    """
    found = {unit.occurrence.identifier.key for unit in units}
    missing = sum(1 for i in record.identifiers if i.key and i.key not in found)
    misspelt = sum(1 for unit in units if unit.occurrence.edits)
    habits = {d for unit in units for d in unit.occurrence.drift} - {"spelling"}
    return missing + moved + misspelt + len(habits)
