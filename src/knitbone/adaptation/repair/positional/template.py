"""A positional template, compiled into the check of its form.

The forms, each a module that reads detect -> repair -> verify:

- ``constants``: the answer is one of a few texts,
- ``values``: the answer is a number or a date,
- ``label_records``: identifiers of letters in their order, and slots between them,
- ``label_lines``: lines that are told by their labels, in any order,
- ``lines``: a list, one record a line, recognised by number, bullet or word,
- ``prefix_lines``: lines that begin with a word, such as ``Task``,
- ``sections``: headings of one level, each before its section,
- ``marks``: slots between marks such as ``:`` or ``|``,
- ``pairs``: lines of two parts around a mark,
- ``columns``: rows of cells, a row a line,
- ``row_bullets``: rows of cells, some of them behind a list's mark,
- ``actions``: a name with its argument in brackets, where the form itself refuses,
- ``optional_label``: one of the others, behind a label that may be missing,
- ``block_records``: one of the others in each block, between empty lines or rules,
- ``slot_lines``: lines that one expression with several groups takes apart,
- ``items``: a list on one line, or one item a line,
- ``surroundings``: whatever an expression reads, but for what stands around it.

Source: Comfrey §4.3.1 (positional templates).
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from knitbone.adaptation.repair.checks import Check, Invocation, Verdict, conforming, repaired
from knitbone.adaptation.repair.positional.actions import prepare_actions
from knitbone.adaptation.repair.positional.block_records import prepare_blocks
from knitbone.adaptation.repair.positional.columns import prepare_columns
from knitbone.adaptation.repair.positional.completion import as_labels, line_reader, with_prefix
from knitbone.adaptation.repair.positional.constants import prepare_constants
from knitbone.adaptation.repair.positional.items import prepare_items
from knitbone.adaptation.repair.positional.label_lines import prepare_label_lines
from knitbone.adaptation.repair.positional.label_records import prepare_label_records
from knitbone.adaptation.repair.positional.lines import adapt_text
from knitbone.adaptation.repair.positional.marks import prepare_marks
from knitbone.adaptation.repair.positional.optional_label import prepare_optional_label
from knitbone.adaptation.repair.positional.pairs import prepare_pairs
from knitbone.adaptation.repair.positional.prefix_lines import prepare_prefix_lines
from knitbone.adaptation.repair.positional.row_bullets import prepare_row_bullets
from knitbone.adaptation.repair.positional.sections import prepare_sections
from knitbone.adaptation.repair.positional.slot_lines import prepare_slot_lines
from knitbone.adaptation.repair.positional.surroundings import prepare_surroundings
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
"""What can be switched off one by one."""


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
    prepare_pairs,
    prepare_marks,
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
    if (check := prepare_optional_label(template, prepare)) is not None:
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
    """Return whether its records are lines that are told by a number or a bullet."""
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
        return verdict if self._behind is None else _also(verdict, self._behind, invocation)


def _also(verdict: Verdict, check: Check, invocation: Invocation) -> Verdict:
    """Add what a second check says of the text that the first one delivers."""
    behind = check(verdict.text, invocation)
    if behind.disposition == "conforming":
        return verdict
    if verdict.disposition != "repaired":
        return behind
    rules, edits = (*verdict.rules, *behind.rules), verdict.edits + behind.edits
    reason = behind.reason or verdict.reason
    return repaired(behind.text, *rules, edits=edits, reason=reason)
