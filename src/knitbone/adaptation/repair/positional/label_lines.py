"""Labelled lines in any order: ``if line.startswith("Reply:")``, ``fields[name] = text``.

A loop over lines takes each label's line for itself, so neither the order counts nor, as a rule,
what stands on other lines. A label may be written differently, or stand inside another label's
line; which line is meant must be clear: two lines of one label with different contents are
refused.

Source: Comfrey §4.3.1 (positional templates).
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence

from knitbone.adaptation.consumers.readers import LINE_STEPS, STEPS
from knitbone.adaptation.repair.checks import (
    Check,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unmatched,
    unread,
)
from knitbone.adaptation.repair.positional.composition import ALIGNED, Unit, compose, units_of
from knitbone.adaptation.repair.positional.identifiers import (
    EMPTY_FIRST,
    Occurrence,
    find_identifiers,
)
from knitbone.adaptation.repair.positional.label_plan import (
    Identifier,
    LabelPlan,
    RecordForm,
    Slot,
    plan_of,
)
from knitbone.adaptation.repair.positional.label_readers import ByName, ByStart, LabelReader
from knitbone.adaptation.repair.positional.slot_values import fit_slot
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.text.wrappers.remarks import without_other_lines

__all__ = ["MAX_TEXT", "prepare_label_lines"]

MAX_TEXT = 65_536
"""Characters (ours)."""
_LEAD = re.compile(r"[^\S\n]{0,16}(?:>[^\S\n]?){0,3}(?:#{1,6}[^\S\n]|[-*+•][^\S\n]|\d{1,2}[.)]\s)?")
"""Marks that may stand before a label that begins its line."""


def prepare_label_lines(template: PositionalTemplate) -> Check | None:
    """Build the check of a record whose parts are lines, each read by its label."""
    names = [step.name for step in template.steps]
    if not template.keyed and (template.reader is not None or not set(names) & LINE_STEPS):
        return None
    if not template.repeated or not set(names) <= STEPS | LINE_STEPS | {"iterate"}:
        return None
    plan = plan_of(template)
    if plan is None or len(plan.records) != 1 or len(plan.labels) < (1 if template.keyed else 2):
        return None
    record = plan.records[0]
    if len(record.identifiers) != len(plan.labels) or any(i.is_tag for i in plan.labels):
        return None
    return _LabelLines(template, plan, record)


class _LabelLines:
    """The check of one record of labelled lines."""

    reads_whole = True
    """It goes the steps itself: a label may have to be moved to a line of its own."""

    def __init__(self, template: PositionalTemplate, plan: LabelPlan, record: RecordForm) -> None:
        self._template = template
        self._keyed = template.keyed
        self._plan = plan
        self._reader: LabelReader = (
            ByName(template, plan) if template.keyed else ByStart(template, plan)
        )
        slots = [e for e in template.elements if e.kind == "slot" or (e.captured and e.options)]
        self._spare = {
            label.key for label, slot in zip(plan.labels, slots, strict=False) if slot.optional
        }
        """The keys of names that may be missing."""
        self._optional = template.confidence != "high" and template.on_violation != "raises"
        names = "|".join(re.escape(label.text) for label in plan.labels)
        self._hanging = re.compile(rf"\n(?:{names})[^\S\n]{{0,16}}\n(?=\S)(?!{names})")
        """A label with nothing behind it but what stands on the next line."""
        self._slots = dict(zip((i.key for i in record.identifiers), record.slots[1:], strict=True))

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        accepted = self._reads(text)
        hangs = self._hanging.search("\n" + text) is not None
        if accepted and not hangs and not self._plan.is_decorated(text):
            return conforming(text)
        fuzzy = invocation.uses("positional.cluster")
        found = find_identifiers(text, self._plan, check=invocation.deadline.check, fuzzy=fuzzy)
        if not found and self._optional:
            return conforming(text)
        if not found:
            return unmatched(text, "nothing in the answer is an identifier of the template")
        chosen = _choose_occurrences(text, found, self._plan.labels, self._spare)
        if isinstance(chosen, str):
            return refused(text, chosen)
        return self._repair(text, chosen, invocation)

    def _repair(self, text: str, chosen: list[Occurrence], invocation: Invocation) -> Verdict:
        """Write each label in its own line with a slot that the code can take, and prove the
        result."""
        units = [_slot_on_label_line(unit) for unit in units_of(text, chosen)]
        rules: list[str] = []
        if (mark := _mark_between(units)) is not None:
            units = [*(_without_last(unit, mark) for unit in units[:-1]), units[-1]]
            rules.append(f"{mark!r} between the parts left out")
        for index, unit in enumerate(units):
            fitted = self._with_fitting_slot(unit, invocation)
            if fitted is None:
                name = unit.occurrence.identifier.text[:40]
                return unmatched(text, f"what stands behind {name!r} is not what the code takes")
            units[index], more = fitted
            rules += more
        order = tuple(
            unit.occurrence.identifier._replace(
                own_line=True, blank=unit.occurrence.identifier.blank if self._keyed else None
            )
            for unit in units
        )
        units = [
            unit._replace(occurrence=unit.occurrence._replace(identifier=identifier))
            for unit, identifier in zip(units, order, strict=True)
        ]
        made = compose(units, RecordForm(order, (None,) * (len(order) + 1)), last=True)
        candidate = text[: chosen[0].start] + made.text
        if self._reader.every_line and not self._reads(candidate):
            candidate, left_out = without_other_lines(candidate, self._reader.is_record)
            rules += left_out
        if candidate == text:
            return conforming(text) if self._reads(text) else unmatched(text, _UNREAD)
        if not self._reads(candidate) or not self._keeps(candidate, made.units):
            return unmatched(text, _UNREAD)
        aligned = () if rules and made.rules == (ALIGNED,) else made.rules
        return repaired(candidate, *aligned, *rules, edits=max(1, made.edits + len(rules)))

    def _with_fitting_slot(
        self, unit: Unit, invocation: Invocation
    ) -> tuple[Unit, tuple[str, ...]] | None:
        """Return the unit with a slot that the code can take, and what was done; ``None`` where
        that is unclear."""
        slot = self._slots[unit.occurrence.identifier.key]
        line = unit.content.partition("\n")[0].rstrip()
        if slot is None or slot.plain or slot.accepts(line):
            return unit, ()
        fitted = fit_slot(line, slot, invocation) if line else None
        at = unit.slot.find(line)
        if fitted is None:
            return None
        value, rules = fitted
        return unit._replace(slot=unit.slot[:at] + value + unit.slot[at + len(line) :]), rules

    def _reads(self, text: str) -> bool:
        """Return whether the code finds each label, and can convert what it converts there."""
        taken = self._reader.texts_by_label(text)
        return taken is not None and all(
            self._content_of(taken, label) is not None
            or (label.key in self._spare and not taken[label.key])
            for label in self._plan.labels
        )

    def _content_of(self, taken: Mapping[str, Sequence[str]], label: Identifier) -> str | None:
        """Return what the code takes behind a label, if it can take all that stands there."""
        slot: Slot | None = self._slots[label.key]
        texts = taken[label.key]
        if not texts or (slot is not None and not all(map(slot.accepts, texts))):
            return None
        return texts[0]

    def _keeps(self, candidate: str, units: Sequence[Unit]) -> bool:
        """Return whether the code takes each slot whole, up to the end of its line."""
        taken = self._reader.texts_by_label(candidate, rewrite=False)
        if taken is None:
            return False
        for unit in units:
            text = self._content_of(taken, unit.occurrence.identifier)
            if text is None or not unit.content.startswith(text.strip()):
                return False
        return True


_UNREAD = "the consumer would not read the answer"


def _choose_occurrences(
    text: str, found: Sequence[Occurrence], labels: Sequence[Identifier], spare: Container[str]
) -> list[Occurrence] | str:
    """Return one occurrence of each label, in the order of the text, or the reason why there is
    none."""
    chosen: list[Occurrence] = []
    for label in labels:
        of_label = [one for one in found if one.identifier.key == label.key]
        begins = [one for one in of_label if _begins_line(text, one)]
        candidates = begins or of_label
        if not candidates and label.key in spare:
            continue
        if not candidates:
            return f'"{label.text[:40]}" is missing in the answer'
        contents = {_line_behind(text, one) for one in candidates}
        if len(candidates) > 1 and (len(contents) > 1 or not begins):
            return f'"{label.text[:40]}" stands more than once'
        chosen.append(_with_empty_word(text, candidates[0]))
    return sorted(chosen, key=lambda one: one.start)


def _begins_line(text: str, one: Occurrence) -> bool:
    line = text.rfind("\n", 0, one.start) + 1
    return _LEAD.fullmatch(text, line, one.start) is not None


def _with_empty_word(text: str, one: Occurrence) -> Occurrence:
    """Return an occurrence with the empty word before it: ``Full Name:`` of ``Name:``."""
    line = text.rfind("\n", 0, one.start) + 1
    if text[line : one.start].strip().casefold() not in EMPTY_FIRST:
        return one
    return one._replace(start=line, drift=(*one.drift, "spelling"), edits=1)


def _line_behind(text: str, one: Occurrence) -> str:
    end = text.find("\n", one.end)
    return text[one.end : end if end >= 0 else len(text)].strip().strip("*_`")


def _mark_between(units: Sequence[Unit]) -> str | None:
    """Return the mark that separates labels on one line: ``Name: Ada, City: Bern``."""
    contents = [unit.slot for unit in units[:-1]]
    if not contents or any("\n" in content for content in contents):
        return None
    marks = {content.rstrip()[-1:] for content in contents}
    mark = marks.pop()
    return mark if not marks and mark and mark in ",;|" else None


def _without_last(unit: Unit, mark: str) -> Unit:
    return unit._replace(slot=unit.slot.rstrip().removesuffix(mark).rstrip() + "\n")


def _slot_on_label_line(unit: Unit) -> Unit:
    """Return a unit whose slot begins on the line below its label, moved up where it is one
    line."""
    before = unit.slot[: len(unit.slot) - len(unit.slot.lstrip())]
    if before.strip(" \t") != "\n" or "\n" in unit.slot.strip():
        return unit
    return unit._replace(slot=" " + unit.slot.lstrip())
