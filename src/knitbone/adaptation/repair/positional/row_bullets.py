"""Rows of cells of which a few begin with a bullet: ``- nail | 100`` beside ``bolt | 20``.

The code takes the bullet for content of the first cell. It is left out where most rows have none:
the answer itself shows that it is no part of them. Where all rows or half of them have it, where
lines that are no rows do, or where the model was shown such rows, it may be meant, and stays.

Source: Comfrey §4.3.1 (extraneous elements).
"""

from __future__ import annotations

import re

from knitbone.adaptation.consumers.readers import LINE_STEPS
from knitbone.adaptation.repair.checks import Check, FunctionCheck, Invocation, Verdict, repaired
from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["prepare_row_bullets"]

_CELLS = frozenset("|;,\t")
"""Marks that part cells; lines of others (``:``, ``-``) are prose as often."""
_BULLETS = "-*•"
_MARKED = re.compile(rf"([{_BULLETS}])[^\S\n]{{1,4}}(?=[^\W\d_])")
"""A list's mark before a word; before a number it may be a sign."""
_SIGNED = re.compile(rf"[{_BULLETS}+]\s")


def prepare_row_bullets(template: PositionalTemplate, check: Check) -> Check:
    """Add the removal of a few bullets behind ``check``; return ``check`` itself where the
    template is no row.

    A row begins with a slot that takes any text.
    """
    mark = _first_delimiter(template)
    of_lines = template.repeated or any(step.name in LINE_STEPS for step in template.steps)
    if mark not in _CELLS or not of_lines or template.spans_lines or template.separator:
        return check

    def look(text: str, invocation: Invocation) -> Verdict:
        verdict = check(text, invocation)
        if verdict.disposition not in ("conforming", "repaired"):
            return verdict
        candidate, count = _without_bullets(verdict.text, mark, invocation)
        if not count or not invocation.uses("positional.frame"):
            return verdict
        if check(candidate, invocation).disposition != "conforming":
            return verdict
        rule = f"mark of a list left out before {count} row{'s' if count > 1 else ''}"
        return repaired(candidate, *verdict.rules, rule, edits=verdict.edits + count)

    return FunctionCheck(look, reads_whole=check.reads_whole)


def _first_delimiter(template: PositionalTemplate) -> str:
    """Return the delimiter behind the first slot, where a record begins with one that takes any
    text."""
    elements = [element for element in template.elements if element.kind != "space"]
    if len(elements) < 2 or elements[0].kind != "slot" or elements[1].kind != "delimiter":
        return ""
    first = elements[0]
    return elements[1].text.strip(" ") if first.type == "any" and not first.options else ""


def _without_bullets(text: str, mark: str, invocation: Invocation) -> tuple[str, int]:
    """Return the text without the bullets that few of its rows have, and how many these are."""
    if not any(text.startswith(f"{each} ") or f"\n{each} " in text for each in _BULLETS):
        return text, 0
    lines = text.split("\n")
    rows = [index for index, line in enumerate(lines) if mark in line]
    marked = {index: bullet for index in rows if (bullet := _MARKED.match(lines[index]))}
    kinds = {bullet[1] for bullet in marked.values()}
    signed = sum(_SIGNED.match(line) is not None for line in lines)
    few = len(marked) < len(rows) - len(marked)
    if len(kinds) != 1 or signed != len(marked) or not few:
        return text, 0
    # The prompt may show such rows: then the bullet is meant.
    shown = (line for message in invocation.messages for line in message.text.split("\n"))
    if any(mark in line and _SIGNED.match(line.lstrip()) for line in shown):
        return text, 0
    for index, bullet in marked.items():
        lines[index] = lines[index][bullet.end() :]
    return "\n".join(lines), len(marked)
