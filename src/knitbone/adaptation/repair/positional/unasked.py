"""Lines of an answer that are none of those asked for, where every line has to be one.

Source: Comfrey §4.3.1 (extraneous elements).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from knitbone.adaptation.repair.positional.remarks import is_closing_remark
from knitbone.adaptation.repair.positional.surroundings import is_lead_in

__all__ = ["without_other_lines"]

_FENCE = re.compile(r"\s{0,4}```[\w+-]{0,20}\s*")


def without_other_lines(text: str, is_record: Callable[[str], bool]) -> tuple[str, list[str]]:
    """The text without the lines around the records that say nothing, and what was left out.

    Blank lines, a fence, a sentence that announces the records and one that ends them go; any
    other line stays, and the caller will find that the code does not read it.
    """
    lines = text.split("\n")
    places = [n for n, line in enumerate(lines) if is_record(line) and not is_lead_in(line + "\n")]
    if not places:
        return text, []
    kept: list[str] = []
    rules: dict[str, None] = {}
    for place, line in enumerate(lines):
        rule = _why(line, before=place < places[0], after=place > places[-1])
        if rule:
            rules[rule] = None
        else:
            kept.append(line)
    return "\n".join(kept), list(rules)


def _why(line: str, *, before: bool, after: bool) -> str:
    """Why a line may go; empty where it stays."""
    if not line.strip():
        return "blank lines left out"
    if (before or after) and _FENCE.fullmatch(line):
        return "fence left out"
    if before and is_lead_in(line + "\n"):
        return "text before the lines left out"
    return "closing remark left out" if after and is_closing_remark(line) else ""
