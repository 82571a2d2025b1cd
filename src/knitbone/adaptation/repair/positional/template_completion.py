"""Templates made complete with what the code does not say: a reader, a prefix, alternatives as
labels."""

from __future__ import annotations

import re

import msgspec

from knitbone.adaptation.consumers.readers import LINE_STEPS, STEPS, Reader, Step
from knitbone.adaptation.requirements import Element, PositionalTemplate
from knitbone.adaptation.requirements.regex_templates import literal_elements

__all__ = ["as_labels", "line_reader", "with_prefix"]

_LOOPS = frozenset({"iterate"})


def line_reader(template: PositionalTemplate) -> Reader | None:
    """Return a reader for a loop over lines with a bullet or number; ``None`` for other templates.

    ``line.startswith("- ")`` reads what an expression for the mark reads.
    """
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


def with_prefix(template: PositionalTemplate) -> PositionalTemplate:
    """Return the template with the prefix that the code removes from each line.

    A test for it often stands right before (``if line.startswith("Task "): line.removeprefix("Task
    ")``), so that a repair must leave or write it.
    """
    steps = template.reader.steps if template.reader is not None else ()
    prefixes = [s.arguments[0] for s in steps if s.name == "removeprefix" and s.arguments]
    if len(prefixes) != 1 or not isinstance(prefixes[0], str) or not prefixes[0].strip():
        return template
    return msgspec.structs.replace(
        template, elements=(*literal_elements(prefixes[0]), *template.elements)
    )


def as_labels(template: PositionalTemplate) -> PositionalTemplate:
    """Return a template of lines that begin with one of a few names as one with a choice of labels.

    ``speaker, _, said = line.partition(":")`` where ``speaker in CAST``. Other templates stay.
    """
    kinds = [element.kind for element in template.elements if element.kind != "space"]
    if kinds != ["words", "delimiter", "slot"] or template.reader is not None:
        return template
    names, *rest = template.elements
    if not template.repeated or not template.line_start or len(names.options) < 2:
        return template
    if not rest[0].text.startswith(":") or not all(name[:1].isalpha() for name in names.options):
        return template
    labels = tuple((*literal_elements(name), rest[0]) for name in names.options)
    choice = Element(kind="choice", alternatives=labels)
    return msgspec.structs.replace(template, elements=(choice, *rest[1:]))


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
