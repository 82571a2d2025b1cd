"""Labels that stand twice in one record, so that a slot takes the second one for content.

Source: Comfrey §4.3.1 (extraneous elements).
"""

from __future__ import annotations

from typing import NamedTuple

from knitbone.adaptation.repair.positional.label_plan import LabelPlan, parse

__all__ = ["LabelRepeat", "find_label_repeat"]


class LabelRepeat(NamedTuple):
    """A label inside a slot."""

    name: str
    """The identifier that stands on a line of the slot."""
    text: str
    """The answer without it, where it only says the slot's content once more; else empty."""


def find_label_repeat(text: str, plan: LabelPlan) -> LabelRepeat | None:
    """Find the first label that begins a line inside a slot of a record that is accepted."""
    if plan.repeated or not plan.spans_lines:
        return None
    marks = [f"\n{label.text}" for label in plan.labels]
    if all(("\n" + text).count(mark) < 2 for mark in marks):
        return None
    for record in plan.records:
        slots = parse(text, record, plan)
        end = len(text)
        # From the last slot on: where each of them ends is known then.
        for identifier, slot in zip(
            reversed(record.identifiers), reversed((slots or [""])[1:]), strict=False
        ):
            inside = [(position, mark) for mark in marks if (position := slot.find(mark)) >= 0]
            start = text.rfind(slot, 0, end)
            if inside:
                position, mark = min(inside)
                first, again = slot[:position], slot[position + len(mark) :]
                own = mark == f"\n{identifier.text}" and first.strip() == again.strip()
                cut = text[: start + position] + text[start + len(slot.rstrip()) :]
                return LabelRepeat(mark.strip(), cut if own else "")
            end = start
    return None
