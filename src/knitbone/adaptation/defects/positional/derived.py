"""The reader of a template whose consumer was not read as one: a loop over lines that begin with a
mark (``line.startswith("- ")``) reads what an expression for the mark reads."""

from __future__ import annotations

import re

from knitbone.adaptation.requirements import Element, PositionalTemplate
from knitbone.adaptation.requirements.readers import LINE_STEPS, STEPS, Reader, Step

__all__ = ["line_reader"]

_LOOPS = frozenset({"iterate"})


def line_reader(template: PositionalTemplate) -> Reader | None:
    """The reader of a loop over lines that are told by a bullet or number; ``None`` for others."""
    if template.reader is not None or not template.repeated or not template.line_start:
        return None
    if template.separator or template.marker not in ("bullet", "number"):
        return None
    steps = tuple(step for step in template.steps if step.name not in _LOOPS)
    if not all(step.name in STEPS | LINE_STEPS for step in steps):
        return None
    if not any(step.name in LINE_STEPS for step in steps):
        steps = (Step("splitlines"), *steps)
    pattern = "".join(map(_pattern, template.elements))
    return Reader(kind="regex", method="match", pattern=pattern, steps=steps)


def _pattern(element: Element) -> str:
    if element.kind == "slot":
        return "(.*)"
    if element.kind == "choice":
        fragment = "|".join("".join(map(_pattern, each)) for each in element.alternatives)
        fragment = f"(?:{fragment})"
    elif element.kind == "number":
        fragment = r"\d+"
    elif element.kind == "space" and not element.options:
        fragment = r"\s"
    else:
        fragment = f"(?:{'|'.join(map(re.escape, element.options or (element.text,)))})"
    return f"{fragment}?" if element.optional else fragment
