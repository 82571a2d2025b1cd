"""Two slots around one delimiter: ``host:port``, ``key=value``, ``verdict - reason``.

A delimiter that is missing may stand there in another form: with other blanks, as another dash, as
the full-width character. It is written as the template's only where exactly one such form is
found.

Source: Comfrey §4.3.1 (delimiter supplementation).
"""

# ruff: noqa: RUF001 - the dashes and full-width characters that models write
from __future__ import annotations

import re

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unmatched,
)
from knitbone.adaptation.repair.positional.label_plan import LabelPlan, Slot, parse, plan_of, reads
from knitbone.adaptation.repair.positional.slot_values import fit_slot
from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["MAX_TEXT", "prepare_delimited_slots", "prepare_typed_slots"]

MAX_TEXT = 4_096
"""Characters; a longer answer is no short record of slots between marks (ours)."""

_FAMILIES = ("-–—−‐", ":：", "=", ";；", ",，", "|｜¦", "/／")
_ARROWS = re.compile(r"->|=>|→|⇒")
_FIRST = re.compile(
    r"(?P<key>[^\s:=：|\n][^:=：|\n]{0,40}?)\s{0,4}(?P<mark>[:：]|=(?!=)|\s[-–—]\s)\s{0,4}(?=\S)"
)


def prepare_delimited_slots(template: PositionalTemplate) -> Check | None:
    """Build the check of a template whose only identifier is a delimiter."""
    plan = plan_of(template)
    if plan is None or plan.labels or len(plan.records) != 1:
        return None
    if len(plan.records[0].identifiers) != 1 or template.reader is not None:
        return None
    return _check(
        plan, optional=template.confidence != "high" and template.on_violation != "raises"
    )


def prepare_typed_slots(template: PositionalTemplate) -> Check | None:
    """Build the check of one record of slots between one mark that are all converted: ``3.11.4``.

    What it does not accept it refuses: such a value is looked for within words.
    """
    marks = {e.text for e in template.elements if e.kind == "delimiter"}
    slots = [Slot(e.type, reading=e.reading) for e in template.elements if e.kind == "slot"]
    if len(marks) != 1 or template.reader is not None or template.repeated or len(slots) < 2:
        return None
    alternating = [e.kind for e in template.elements[1::2]] == ["delimiter"] * (len(slots) - 1)
    if not alternating or any(slot.plain for slot in slots):
        return None
    mark = marks.pop()

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        del invocation
        parts = text.split(mark)
        if len(parts) == len(slots) and all(
            s.accepts(p) for s, p in zip(slots, parts, strict=True)
        ):
            return conforming(text)
        return unmatched(text, f"it is not {len(slots)} values between {mark!r}")

    return check


def _check(plan: LabelPlan, *, optional: bool) -> Check:
    """Build the check of one delimiter with a slot on each side.

    Args:
        optional: whether an answer without the delimiter may be right as well.
    """
    record = plan.records[0]
    identifier = record.identifiers[0]

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if reads(text, plan):
            return conforming(text)
        if len(text) > MAX_TEXT or not invocation.uses("positional.delimiters"):
            return unmatched(text, f"{identifier.text!r} is missing in the answer")
        rules: list[str] = []
        if text.count(identifier.text) > 1:
            return refused(text, f"{identifier.text!r} stands more than once")
        slots = parse(text, record, plan)
        if slots is None:
            slots = _split_at_variant(text.strip(), identifier.text, near=plan.repeated)
            if slots is None and optional:
                return conforming(text)
            if slots is None:
                return unmatched(text, f"{identifier.text!r} is missing in the answer")
            rules.append(f"delimiter written as {identifier.text!r}")
        for index, (slot, content) in enumerate(zip(record.slots, slots, strict=True)):
            if slot is None or slot.plain or slot.accepts(content):
                continue
            fitted = fit_slot(content.strip(), slot, invocation)
            if fitted is None or not _is_outermost(fitted[0], content, last=index > 0):
                return unmatched(text, "a slot is not what the code takes")
            slots[index] = fitted[0]
            rules.extend(fitted[1])
        if len(rules) >= invocation.config.tau_element:
            return unmatched(text, f"{len(rules)} edits, not this template")
        candidate = f"{_blank_before(plan)}{identifier.text}{identifier.blank or ''}".join(slots)
        if not reads(candidate, plan):
            return unmatched(text, "the consumer would not read the answer")
        return repaired(candidate, *rules, edits=len(rules))

    return check


def _is_outermost(value: str, content: str, *, last: bool) -> bool:
    """Return whether nothing but marks stands between the delimiter and the value."""
    words = content.partition(value)[0 if last else 2]
    return not any(character.isalnum() for character in words)


def _blank_before(plan: LabelPlan) -> str:
    """Return the blank before a delimiter that has one behind it: ``verdict - reason``."""
    identifier = plan.records[0].identifiers[0]
    return " " if identifier.blank and identifier.text in "-–—|=" else ""


def _split_at_variant(text: str, mark: str, *, near: bool) -> list[str] | None:
    """Return the slots on both sides of the one place where the delimiter stands in another form.

    Args:
        near: whether only forms of the same mark count: of many lines, most may be no records.
    """
    family = next((f for f in _FAMILIES if mark[:1] and mark[:1] in f), mark)
    # One character of a longer mark is not that mark: ``*`` may belong to a word, ``***`` does not.
    times = "{2,}" if set(mark) == {mark[:1]} and len(mark) > 1 else ""
    found = list(re.finditer(rf"\s{{0,4}}[{re.escape(family)}]{times}\s{{0,4}}", text))
    if len(found) == 1 and (found[0].group().strip() != "-" or found[0].group() != "-"):
        match = found[0]
    elif near:
        return None
    elif not found and len(arrows := list(_ARROWS.finditer(text))) == 1:
        match = arrows[0]
    elif not found and "\n" not in text and (first := _FIRST.match(text)) is not None:
        if len(first["key"].split()) > 3 or len(_FIRST.findall(text)) > 1:
            return None
        return [first["key"], text[first.end() :]]
    else:
        return None
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
    return [before, after] if before and after else None
