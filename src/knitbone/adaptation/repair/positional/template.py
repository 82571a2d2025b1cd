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
from functools import lru_cache

import msgspec

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    repaired,
)
from knitbone.adaptation.repair.positional.actions import prepare_actions
from knitbone.adaptation.repair.positional.block_records import prepare_blocks
from knitbone.adaptation.repair.positional.columns import prepare_columns
from knitbone.adaptation.repair.positional.constants import prepare_constants
from knitbone.adaptation.repair.positional.delimited_slots import prepare_delimited_slots
from knitbone.adaptation.repair.positional.items import prepare_items
from knitbone.adaptation.repair.positional.label_lines import prepare_label_lines
from knitbone.adaptation.repair.positional.label_plan import key_of
from knitbone.adaptation.repair.positional.label_records import prepare_label_records
from knitbone.adaptation.repair.positional.list_lines import adapt_text
from knitbone.adaptation.repair.positional.pair_lines import prepare_pair_lines
from knitbone.adaptation.repair.positional.prefix_lines import prepare_prefix_lines
from knitbone.adaptation.repair.positional.row_bullets import prepare_row_bullets
from knitbone.adaptation.repair.positional.sections import prepare_sections
from knitbone.adaptation.repair.positional.slot_lines import prepare_slot_lines
from knitbone.adaptation.repair.positional.surroundings import prepare_surroundings
from knitbone.adaptation.repair.positional.template_completion import (
    as_labels,
    line_reader,
    with_prefix,
)
from knitbone.adaptation.repair.positional.values import prepare_value
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.requirements.records import plain_elements
from knitbone.adaptation.requirements.regex_templates import BULLETS

__all__ = ["HEURISTICS", "adapt_text", "prepare", "reads_beyond_head"]

HEURISTICS: tuple[str, ...] = (
    "positional.cluster",
    "positional.columns",
    "positional.constants",
    "positional.delimiters",
    "positional.frame",
    "positional.items",
    "positional.lead_in",
    "positional.lines",
    "positional.reorder",
    "positional.repeated",
    "positional.sections",
    "positional.supply",
    "positional.values",
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
    prepare_surroundings,
)


def prepare(template: PositionalTemplate) -> Check | None:
    """Compile the template into a check; ``None`` where nothing of it can be checked."""
    if not template.elements:
        return None
    if template.reader is None and template.inside is not None:
        template = msgspec.structs.replace(template, reader=template.inside, steps=())
    if _is_list(template):
        if template.reader is not None:
            return _Lines(template)
        if (reader := line_reader(template)) is not None:
            return _Lines(msgspec.structs.replace(template, reader=reader))
    template = as_labels(template)
    if (check := _prepare_optional_label(template, prepare)) is not None:
        return check
    if (check := prepare_blocks(template, prepare_label_lines)) is not None:
        return check
    for form in _FORMS:
        if (check := form(template)) is not None:
            return prepare_actions(template, prepare_row_bullets(template, check))
    return None


@lru_cache(maxsize=64)
def reads_beyond_head(template: PositionalTemplate) -> bool:
    """Return whether more of a line is checked than its head."""
    return prepare_slot_lines(template, listed=_is_list(template)) is not None


def _is_list(template: PositionalTemplate) -> bool:
    """Return whether the records of a template are lines that are told by a number or a bullet."""
    marks = [e for e in plain_elements(template.head) if e.kind == "delimiter"]
    if sum(e.kind == "number" for e in plain_elements(template.head)) > 1:
        return False  # a time or date, which counts nothing
    if template.marker == "bullet":
        return bool(marks) and set("".join(marks[0].options)) <= set(BULLETS)
    return template.marker == "number" and (template.repeated or template.line_start)


class _Lines:
    """The check of a list."""

    reads_whole = True
    """It goes the steps before the consumer itself: numbers count over all lines."""

    def __init__(self, template: PositionalTemplate) -> None:
        self._template = with_prefix(template)
        self._behind = prepare_slot_lines(template, listed=True)
        """The check of what stands behind the number."""

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        if not invocation.uses("positional.lines"):
            return conforming(text)
        config, deadline = invocation.config, invocation.deadline
        verdict = adapt_text(text, self._template, config, deadline=deadline)
        return (
            verdict
            if self._behind is None
            else _with_second_check(verdict, self._behind, invocation)
        )


def _with_second_check(verdict: Verdict, check: Check, invocation: Invocation) -> Verdict:
    """Return a verdict with that of a second check on the text that the first one delivers."""
    behind = check(verdict.text, invocation)
    if behind.disposition == "conforming":
        return verdict
    if verdict.disposition != "repaired":
        return behind
    rules, edits = (*verdict.rules, *behind.rules), verdict.edits + behind.edits
    reason = behind.reason or verdict.reason
    return repaired(behind.text, *rules, edits=edits, reason=reason)


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
