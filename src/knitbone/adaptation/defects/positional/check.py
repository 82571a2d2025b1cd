"""A positional template, compiled into the check of its form.

The forms, each a module that reads detect -> repair -> verify:

- ``constants``: the answer is one of a few texts,
- ``values``: the answer is a number or a date,
- ``labelled``: identifiers of letters in their order, and slots between them,
- ``lines``: a list, one record a line, recognised by number, bullet or word,
- ``marks``: slots between marks such as ``:`` or ``|``,
- ``items``: a list on one line, or one item a line.

Source: Comfrey §4.3.1 (positional templates).
"""

from __future__ import annotations

import msgspec

from knitbone.adaptation.checks import Check, Invocation, Verdict
from knitbone.adaptation.defects.positional.constants import prepare_constants
from knitbone.adaptation.defects.positional.derived import line_reader
from knitbone.adaptation.defects.positional.items import prepare_items
from knitbone.adaptation.defects.positional.labelled import prepare_labelled
from knitbone.adaptation.defects.positional.lines import adapt_text
from knitbone.adaptation.defects.positional.marks import prepare_marks
from knitbone.adaptation.defects.positional.values import prepare_value
from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["HEURISTICS", "adapt_text", "prepare", "reads_whole"]

HEURISTICS: tuple[str, ...] = (
    "positional.cluster",
    "positional.constants",
    "positional.delimiters",
    "positional.items",
    "positional.lead_in",
    "positional.lines",
    "positional.reorder",
    "positional.supply",
    "positional.values",
)
"""What can be switched off one by one."""


def prepare(template: PositionalTemplate) -> Check | None:
    """The template as a check; ``None`` where nothing of it can be checked."""
    if not template.elements:
        return None
    if reads_whole(template) and not _is_labelled(template):
        return _prepare_lines(template)
    for form in (prepare_constants, prepare_value, prepare_labelled, prepare_items, prepare_marks):
        if (check := form(template)) is not None:
            return check
    return None


def reads_whole(template: PositionalTemplate) -> bool:
    """Whether the check wants the whole output, because it goes the steps before the consumer
    itself; else it wants the text as the consumer sees it."""
    return template.reader is not None or line_reader(template) is not None


def _is_labelled(template: PositionalTemplate) -> bool:
    """Whether the identifiers of a record have letters, so that they are told by their names."""
    return not template.repeated or (
        template.marker == "words" and not any(e.kind == "number" for e in template.head)
    )


def _prepare_lines(template: PositionalTemplate) -> Check:
    if template.reader is None:
        template = msgspec.structs.replace(template, reader=line_reader(template))

    def check(text: str, invocation: Invocation) -> Verdict:
        return adapt_text(text, template, invocation.config)

    return check
