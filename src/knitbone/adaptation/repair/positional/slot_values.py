"""Contents of slots that the code converts or compares: ``Confidence: 70%``, ``Label:
**Positive**``.

Source: Comfrey §4.3.1 (type conversion of elements that violate the schema).
"""

from __future__ import annotations

import re

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.positional.constants import Constants, find_constant
from knitbone.adaptation.repair.positional.label_plan import GROUPED, Slot
from knitbone.adaptation.repair.positional.number_prompt import NumberPrompt
from knitbone.adaptation.repair.positional.values import find_value
from knitbone.common.structured.dates import respelled

__all__ = ["fit_slot"]

_EMPHASIS_BEFORE_NUMBER = re.compile(r"[*_`\"'(\[~#]{1,4}(?=\d)")


def fit_slot(
    content: str, slot: Slot, invocation: Invocation
) -> tuple[str, tuple[str, ...]] | None:
    """Return the content as the code can take it, and what was done; ``None`` where that is not
    clear."""
    if slot.options:
        if not invocation.uses("positional.constants"):
            return None
        named = find_constant(content, Constants(slot.options, "whole", False))
        if named is None:
            return None
        return named.option, (f'slot written as "{named.option[:40]}"',)
    if not invocation.uses("positional.values"):
        return None
    if slot.number:
        if grouped := GROUPED.match(content):
            plain = grouped.group().replace(",", "")
            return plain + content[grouped.end() :], ("number written plainly",)
        marked = _EMPHASIS_BEFORE_NUMBER.match(content)
        return (content[marked.end() :], ("emphasis left out",)) if marked else None
    if slot.reading:
        day = respelled(content, slot.reading)
        return None if day is None else (day, (f'date written as "{day[:40]}"',))
    found = find_value(content, slot.type, asked=NumberPrompt(invocation, named=True))
    return None if found is None else (found.text, found.rules)
