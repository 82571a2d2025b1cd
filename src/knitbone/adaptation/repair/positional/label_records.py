"""Records of labels and slots in a fixed order: ``Thought:`` ``Action:`` ``Action Input:``,
``Score: 8``.

Source: Comfrey §4.3.1 (positional templates).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    RepairRefusal,
    Verdict,
    conforming,
    refused,
    repaired,
    unmatched,
    unread,
)
from knitbone.adaptation.repair.positional.composition import (
    ALIGNED,
    Composed,
    Unit,
    compose,
    count_displaced,
    units_of,
)
from knitbone.adaptation.repair.positional.identifiers import Occurrence, find_identifiers
from knitbone.adaptation.repair.positional.label_plan import (
    Identifier,
    LabelPlan,
    RecordForm,
    parse,
    plan_of,
    reads,
)
from knitbone.adaptation.repair.positional.slot_values import fit_slot
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.text.wrappers.remarks import is_lead_in

__all__ = ["MAX_TEXT", "prepare_label_records"]

MAX_TEXT = 65_536
"""Characters; slots may run over lines, and the consumer's expression may take quadratic time
(ours)."""

_FREE_LABELS = frozenset({"thought", "thoughts", "reasoning", "rationale", "analysis"})
"""First labels, of ReAct agents and the like, that a model leaves out when it begins with their
slot at once."""
_MAX_PREAMBLE = 600
"""Characters in front of the first identifier that may be left out, or be its slot (ours)."""
_AGENT_LINE = re.compile(
    r"^\W{0,6}(?:thought|observation|final answer|question|answer|action|action input)\W{0,3}:",
    re.IGNORECASE | re.MULTILINE,
)
"""Lines of ReAct agents that begin another part of a record: a slot that holds one is not moved."""
_FRACTION = re.compile(r"[.,]\d")


def prepare_label_records(template: PositionalTemplate) -> Check | None:
    """Build the check of a template with at least one identifier of letters."""
    plan = plan_of(template)
    if plan is None or not plan.labels:
        return None

    optional = template.confidence != "high" and template.on_violation != "raises"

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        accepted = plan.repeats(text) if plan.repeated else reads(text, plan)
        if accepted and not plan.is_decorated(text):
            return _check_repeats(text, plan, invocation)
        try:
            return _repair(text, plan, invocation, optional=optional)
        except RepairRefusal as refusal:
            return refused(text, str(refusal))

    return check


def _check_repeats(text: str, plan: LabelPlan, invocation: Invocation) -> Verdict:
    """Accept an answer that is read, unless a label stands twice and a slot takes the second one
    with it."""
    repeated = _find_label_repeat(text, plan)
    if repeated is None:
        return conforming(text)
    said_again = repeated.text and invocation.uses("positional.repeated")
    if (
        said_again
        and reads(repeated.text, plan)
        and _find_label_repeat(repeated.text, plan) is None
    ):
        return repaired(repeated.text, f'"{repeated.name[:40]}" with the same text left out')
    return refused(text, f"{repeated.name[:40]!r} stands on a line inside another part")


class _LabelRepeat(NamedTuple):
    """A label inside a slot."""

    name: str
    """The identifier that stands on a line of the slot."""
    text: str
    """The answer without it, where it only says the slot's content once more; else empty."""


def _find_label_repeat(text: str, plan: LabelPlan) -> _LabelRepeat | None:
    """Find the first label that begins a line inside a slot of a record that is accepted."""
    if plan.repeated or not plan.spans_lines:
        return None
    marks = [f"\n{label.text}" for label in plan.labels]
    if all(("\n" + text).count(mark) < 2 for mark in marks):
        return None
    for record in plan.records:
        slots = parse(text, record, plan)
        end = len(text)
        # From the last slot on: where each of them ends is known then.
        for identifier, slot in zip(
            reversed(record.identifiers), reversed((slots or [""])[1:]), strict=False
        ):
            inside = [(position, mark) for mark in marks if (position := slot.find(mark)) >= 0]
            start = text.rfind(slot, 0, end)
            if inside:
                position, mark = min(inside)
                first, again = slot[:position], slot[position + len(mark) :]
                own = mark == f"\n{identifier.text}" and first.strip() == again.strip()
                cut = text[: start + position] + text[start + len(slot.rstrip()) :]
                return _LabelRepeat(mark.strip(), cut if own else "")
            end = start
    return None


def _repair(text: str, plan: LabelPlan, invocation: Invocation, *, optional: bool) -> Verdict:
    """Find the identifiers, and repair one record or all of them."""
    fuzzy = invocation.uses("positional.cluster")
    occurrences = find_identifiers(text, plan, check=invocation.deadline.check, fuzzy=fuzzy)
    if not occurrences:
        if plan.guard or optional or reads(text, plan):
            return conforming(text)
        return unmatched(text, "nothing in the answer is an identifier of the template")
    if plan.repeated:
        return _repair_all(text, occurrences, plan, invocation)
    return _repair_one(text, occurrences, plan, invocation)


def _repair_one(
    text: str, occurrences: Sequence[Occurrence], plan: LabelPlan, invocation: Invocation
) -> Verdict:
    """Repair an answer that is one record, and prove the result."""
    first, record = _first_group(text, occurrences, plan, invocation)
    preamble = text[: first[0].occurrence.start]
    rules: list[str] = []
    if plan.anchored and not plan.by_line and preamble and record.slots[0] is None:
        if not invocation.uses("positional.lead_in") or not is_lead_in(preamble):
            raise RepairRefusal("other text stands before the first identifier")
        rules += ["text before the first identifier left out"] * bool(preamble.strip())
        preamble = ""
    made = _compose_record(first, record, invocation, last=True, whole=plan.spans_lines)
    edits = made.edits + len(rules)
    if edits >= invocation.config.tau_element:
        raise RepairRefusal(f"{edits} edits, not this template")
    candidate = preamble + made.text
    if candidate == text:
        return conforming(text) if reads(text, plan) else unmatched(text, _UNREAD)
    if reason := _reason_unproven(candidate, made.units, record, plan):
        raise RepairRefusal(reason)
    if rules and made.rules == (ALIGNED,):
        return repaired(candidate, *rules, edits=edits)
    return repaired(candidate, *rules, *made.rules, edits=max(1, edits))


_UNREAD = "the identifiers are there, but the consumer does not read them"


def _first_group(
    text: str, occurrences: Sequence[Occurrence], plan: LabelPlan, invocation: Invocation
) -> tuple[list[Unit], RecordForm]:
    """Return the units of the first record; what follows it stays in its last slot."""
    groups = _group_by_record(occurrences, plan)
    first, record = groups[0]
    units = units_of(text, first)
    units[-1] = units[-1]._replace(slot=text[first[-1].end :])
    missing = [i for i in record.identifiers if i.key and i not in [o.identifier for o in first]]
    if missing:
        supplied = _supply_first(text, units, missing, record, invocation)
        if supplied is None:
            names = ", ".join(f'"{i.text[:40]}"' for i in missing)
            raise RepairRefusal(f"{names} is missing in the answer")
        units = supplied
    if len(first) == 1 and first[0].drift and _stands_twice(first[0].identifier, text):
        # Which of two answers is meant, and whether the second is a part of the first?
        raise RepairRefusal(f"{first[0].identifier.text[:40]!r} stands twice, in other forms")
    if len(groups) > 1:
        names = {o.identifier.key for o in first}
        if count_displaced(units, record) or any(
            o.identifier.key not in names for group, _ in groups[1:] for o in group
        ):
            raise RepairRefusal("identifiers stand twice, or of two alternatives")
    if len(plan.records) > 1 and any(other is not record for _, other in groups):
        raise RepairRefusal("identifiers of two alternatives")
    return units, record


def _stands_twice(identifier: Identifier, text: str) -> bool:
    """Return whether the word of a label stands twice with a colon behind it, in whatever form."""
    word = identifier.text.strip(" \t\n:*_#")
    label = re.compile(rf"(?<!\w){re.escape(word)}[*_`\"' \t]{{0,6}}[:\uff1a]", re.IGNORECASE)
    return bool(word) and len(label.findall(text)) > 1


def _group_by_record(
    occurrences: Sequence[Occurrence], plan: LabelPlan
) -> list[tuple[list[Occurrence], RecordForm]]:
    """Group the occurrences by record: one ends where an identifier comes again, or one of another
    record."""
    groups: list[tuple[list[Occurrence], RecordForm]] = []
    for one in occurrences:
        if groups:
            group, record = groups[-1]
            known = any(i is one.identifier for i in record.identifiers)
            if known and not any(o.identifier is one.identifier for o in group):
                group.append(one)
                continue
        owner = next(
            r for r in plan.records if any(i.key == one.identifier.key for i in r.identifiers)
        )
        groups.append(([one], owner))
    return groups


def _supply_first(
    text: str,
    units: list[Unit],
    missing: Sequence[Identifier],
    record: RecordForm,
    invocation: Invocation,
) -> list[Unit] | None:
    """Return the units with the first identifier supplied, where the answer begins with its
    slot."""
    start = units[0].occurrence.start
    preamble = text[:start].strip()
    if (
        list(missing) != list(record.identifiers[:1])
        or missing[0].key not in _FREE_LABELS
        or not 0 < len(preamble) <= _MAX_PREAMBLE
        or preamble.endswith(":")
        or not invocation.uses("positional.supply")
    ):
        return None
    occurrence = Occurrence(missing[0], 0, 0, ("left out",))
    return [Unit(occurrence, text[:start]), *units]


def _compose_record(
    units: Sequence[Unit],
    record: RecordForm,
    invocation: Invocation,
    *,
    last: bool,
    whole: bool = True,
) -> Composed:
    """Write the record as the template wants it, with its typed slots.

    Args:
        whole: whether a slot may run over lines; else the code takes the first of its lines.
    """
    moved = count_displaced(units, record)
    if moved and not invocation.uses("positional.reorder"):
        raise RepairRefusal("the identifiers stand in another order")
    if moved and any(_AGENT_LINE.search(unit.content) for unit in units):
        raise RepairRefusal("a slot that would be moved holds another part")
    fixed: list[Unit] = []
    rules: list[str] = []
    slots = {i.key: s for i, s in zip(record.identifiers, record.slots[1:], strict=True)}
    for unit in units:
        slot = slots[unit.occurrence.identifier.key]
        content = unit.content
        if slot is None or slot.plain or slot.accepts(content):
            fixed.append(unit)
            continue
        if not whole:
            content = content.partition("\n")[0].rstrip()
        fitted = fit_slot(content, slot, invocation) if content else None
        at = unit.slot.find(content)
        if fitted is None or at < 0:
            name = unit.occurrence.identifier.text[:40]
            raise RepairRefusal(f"what stands behind {name!r} is not what the code takes")
        value, found = fitted
        rules.extend(found)
        fixed.append(unit._replace(slot=unit.slot[:at] + value + unit.slot[at + len(content) :]))
    made = compose(fixed, record, last=last)
    if rules and made.rules == (ALIGNED,):
        return made._replace(rules=tuple(rules), edits=made.edits + len(rules))
    return made._replace(rules=(*made.rules, *rules), edits=made.edits + len(rules))


def _reason_unproven(
    candidate: str, units: Sequence[Unit], record: RecordForm, plan: LabelPlan
) -> str:
    """Return the reason why the new text may not be delivered; empty where the consumer reads the
    slots."""
    if not reads(candidate, plan):
        return _UNREAD
    contents = [unit.content for unit in units]
    slots = parse(candidate, record, plan)
    if slots is not None and not _slots_hold(slots[1:], contents, whole=plan.spans_lines):
        return _ANOTHER
    if plan.reader is None:
        return ""
    for groups in plan.reader.read(candidate):
        for group in groups:
            stripped = group.strip()
            home = next((c for c in contents if stripped in c), None)
            if home is None:
                return _ANOTHER
            if stripped[-1:].isdigit() and _FRACTION.match(home.partition(stripped)[2]):
                return "a number would be cut"
    return ""


_ANOTHER = "the consumer would read another content"


def _slots_hold(slots: Sequence[str], contents: Sequence[str], *, whole: bool) -> bool:
    """Return whether each slot is the content, or the line of it that the code takes."""
    if len(slots) != len(contents):
        return True  # marks between the identifiers: the reader decides
    return all(
        slot.strip() == content or (not whole and content.startswith(slot.strip()))
        for slot, content in zip(slots, contents, strict=True)
    )


def _repair_all(
    text: str, occurrences: Sequence[Occurrence], plan: LabelPlan, invocation: Invocation
) -> Verdict:
    """Repair every record by itself; one that drifted too far is left as it is."""
    pieces = [text[: occurrences[0].start]]
    rules: dict[str, int] = {}
    left = edits = 0
    groups = _group_by_record(occurrences, plan)
    mixed = len({bool(count_displaced(units_of(text, g), r)) for g, r in groups}) > 1
    for index, (group, record) in enumerate(groups):
        invocation.deadline.check()
        last = index + 1 == len(groups)
        end = len(text) if last else groups[index + 1][0][0].start
        if (
            mixed
            and count_displaced(units_of(text, group), record)
            and not _stands_apart(text, groups, index)
        ):
            left += 1  # a part of it may belong to the record before, or behind
            pieces.append(text[group[0].start : end])
            continue
        old = text[group[0].start : end]
        try:
            made = _repair_record(text[:end], group, record, invocation, last=last)
        except RepairRefusal:
            left += 1
            pieces.append(old)
            continue
        pieces.append(made.text)
        if made.text != old:
            edits += max(1, made.edits)
            for rule in made.rules:
                rules[rule] = rules.get(rule, 0) + 1
    candidate = "".join(pieces)
    beyond = f"{left} records are incomplete or have too many edits" if left else ""
    if candidate == text:
        return (
            unmatched(text, beyond)
            if left == len(groups) and not reads(text, plan)
            else conforming(text)
        )
    if plan.reader is not None:
        before, after = plan.reader.read(text), plan.reader.read(candidate)
        if len(after) <= len(before) and not plan.is_decorated(text):
            return unmatched(text, "the consumer would read no more records")
    written = (f"{rule} in {n} record{'s' if n > 1 else ''}" for rule, n in rules.items())
    return repaired(candidate, *written, edits=edits, reason=beyond)


def _stands_apart(
    text: str, groups: Sequence[tuple[list[Occurrence], RecordForm]], index: int
) -> bool:
    """Return whether blank lines part a record from the ones beside it."""
    starts = [group[0].start for group, _ in groups[max(index, 1) : index + 2]]
    return all(text[:start].rstrip(" \t").endswith("\n\n") for start in starts)


def _repair_record(
    text: str,
    group: Sequence[Occurrence],
    record: RecordForm,
    invocation: Invocation,
    *,
    last: bool,
) -> Composed:
    if any(i.key and not any(o.identifier is i for o in group) for i in record.identifiers):
        raise RepairRefusal("an identifier is missing")
    made = _compose_record(units_of(text, group), record, invocation, last=last)
    if made.edits >= invocation.config.tau_element:
        raise RepairRefusal("too many edits")
    return made
