"""A positional template, compiled into the check of its form.

The forms, each a module that reads detect -> repair -> verify:

- ``constants``: the answer is one of a few texts,
- ``values``: the answer is a number or a date,
- ``label_records``: identifiers of letters in their order, and slots between them,
- ``label_lines``: lines that are told by their labels, in any order,
- ``list_lines``: a list, one record a line, recognised by number, bullet or word,
- ``prefix_lines``: lines that begin with a word, such as ``Task``,
- ``sections``: headings of one level, each before its section,
- ``delimited_slots``: two slots around a delimiter such as ``:`` or ``=``,
- ``pair_lines``: lines of two parts around a mark,
- ``columns``: rows of cells, one on each line,
- ``row_bullets``: rows of cells, some of them behind a list's mark,
- ``actions``: a name with its argument in brackets, where the form itself refuses,
- ``block_records``: one of the others in each block, between empty lines or rules,
- ``slot_lines``: lines that one expression with several groups takes apart,
- ``items``: a list on one line, or one item a line,
- ``surroundings``: whatever an expression reads, once the text around it is left out.

A template may also begin with a label that may be missing, before any of these forms.

Source: Comfrey §4.3.1 (positional templates).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from knitbone.adaptation.repair.checks import Check, FunctionCheck, Invocation, Verdict
from knitbone.adaptation.repair.positional.actions import prepare_actions
from knitbone.adaptation.repair.positional.block_records import prepare_blocks
from knitbone.adaptation.repair.positional.columns import prepare_columns
from knitbone.adaptation.repair.positional.constants import prepare_constants
from knitbone.adaptation.repair.positional.delimited_slots import (
    prepare_delimited_slots,
    prepare_typed_slots,
)
from knitbone.adaptation.repair.positional.items import prepare_items
from knitbone.adaptation.repair.positional.label_lines import prepare_label_lines
from knitbone.adaptation.repair.positional.label_plan import key_of
from knitbone.adaptation.repair.positional.label_records import prepare_label_records
from knitbone.adaptation.repair.positional.list_lines import prepare_list_lines
from knitbone.adaptation.repair.positional.pair_lines import prepare_pair_lines
from knitbone.adaptation.repair.positional.prefix_lines import prepare_prefix_lines
from knitbone.adaptation.repair.positional.row_bullets import prepare_row_bullets
from knitbone.adaptation.repair.positional.sections import prepare_sections
from knitbone.adaptation.repair.positional.slot_lines import prepare_slot_lines
from knitbone.adaptation.repair.positional.surroundings import prepare_surroundings
from knitbone.adaptation.repair.positional.template_completion import as_labels
from knitbone.adaptation.repair.positional.values import prepare_value
from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["HEURISTICS", "prepare"]

HEURISTICS: tuple[str, ...] = (
    "positional.cluster",
    "positional.columns",
    "positional.constants",
    "positional.delimiters",
    "positional.forms",
    "positional.frame",
    "positional.items",
    "positional.lead_in",
    "positional.lines",
    "positional.paragraphs",
    "positional.reorder",
    "positional.repeated",
    "positional.sections",
    "positional.supply",
    "positional.values",
    "positional.words",
)
"""The heuristics that can be switched off one by one."""

_LABEL_MARKS = 16
"""Characters of markup that may stand before an optional label and in it (ours)."""

# The first form that takes a template checks it: special forms come before general ones.
_FORMS = (
    prepare_constants,
    prepare_value,
    prepare_sections,
    prepare_label_lines,
    prepare_slot_lines,
    prepare_label_records,
    prepare_prefix_lines,
    prepare_items,
    prepare_columns,
    prepare_pair_lines,
    prepare_delimited_slots,
    prepare_typed_slots,
    prepare_surroundings,
)


def prepare(template: PositionalTemplate) -> Check | None:
    """Compile the template into a check; ``None`` where nothing of it can be checked."""
    if not template.elements:
        return None
    if template.reader is None and template.inside is not None:
        template = msgspec.structs.replace(template, reader=template.inside, steps=())
    if (check := prepare_list_lines(template)) is not None:
        return check
    template = as_labels(template)
    if (check := _prepare_optional_label(template, prepare)) is not None:
        return check
    if (check := prepare_blocks(template, prepare_label_lines)) is not None:
        return check
    for form in _FORMS:
        if (check := form(template)) is not None:
            return prepare_actions(template, prepare_row_bullets(template, check))
    return None


def _prepare_optional_label(
    template: PositionalTemplate, inner: Callable[[PositionalTemplate], Check | None]
) -> Check | None:
    """Build the check of a template that begins with a label that may be missing.

    The code removes such a label where it stands: ``head.replace("To:", "")``. With the label the
    answer is one record, without it another; its first letters tell which of both it is. Nothing
    is supplied, and no label of that name further behind is moved there. Source: Comfrey §4.3.1
    (of several templates the nearest).

    Args:
        inner: compiles a template without one.
    """
    elements = template.elements
    count = next((n for n, e in enumerate(elements) if not e.optional), len(elements))
    if not count or elements[0].kind != "words" or template.reader is not None:
        return None
    demanded = (msgspec.structs.replace(e, optional=False) for e in elements[:count])
    whole = msgspec.structs.replace(template, elements=(*demanded, *elements[count:]))
    rest = msgspec.structs.replace(template, elements=elements[count:])
    labelled, bare = inner(whole), inner(rest)
    if labelled is None or bare is None:
        return None
    label = elements[0].text
    key = key_of(label)

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        start = key_of(text[: len(label) + _LABEL_MARKS])
        begins = start == key or start.startswith(f"{key} ")
        return (labelled if begins else bare)(text, invocation)

    return check
