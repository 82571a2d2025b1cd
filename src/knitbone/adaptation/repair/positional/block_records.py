r"""Records in blocks, with labels in each: ``for block in text.split("\n\n")``.

Every block is checked by itself. Where one is no record, the blocks may be cut at other places
than the code cuts: without the empty line, with one inside a record, with a rule of Markdown
between them. Then each record begins at its first label, and is written with the separator that
the code looks for; every block must be one record after that. Labels that all records write in one
other form (``Q1:`` for ``Q:``) are rewritten together.

Source: Comfrey §4.3.1 (delimiter supplementation, clustering of identifiers).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

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
from knitbone.adaptation.repair.positional.identifiers import find_identifiers
from knitbone.adaptation.repair.positional.label_plan import Identifier, LabelPlan, plan_of
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.text.wrappers.remarks import is_closing_remark, is_lead_in

__all__ = ["MAX_BLOCKS", "MAX_TEXT", "prepare_blocks"]

MAX_TEXT = 65_536
"""Characters (ours)."""
MAX_BLOCKS = 1_000
"""Records of one answer (ours)."""

_TRIMMING = frozenset({"strip", "lstrip", "rstrip"})
_RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,}|#{3,})\s*")
_LABEL_LEAD = r"^(?P<lead>[^\S\n]{0,8}(?:[-*+•>][^\S\n])?(?:\*\*|__|[*_`])?)"


def prepare_blocks(
    template: PositionalTemplate, inner: Callable[[PositionalTemplate], Check | None]
) -> Check | None:
    """Build the check of a template whose records are read one block at a time.

    Args:
        inner: compiles the template of one block.
    """
    steps = template.steps
    index = next((n for n, step in enumerate(steps) if step.name == "split"), None)
    if index is None or template.reader is not None:
        return None
    mark = steps[index].arguments[0] if len(steps[index].arguments) == 1 else None
    behind = [step for step in steps[index + 1 :] if step.name != "iterate"]
    if not isinstance(mark, str) or not _separates_blocks(mark):
        return None
    if not all(step.name in _TRIMMING for step in steps[:index]):
        return None
    if not all(step.name in STEPS | LINE_STEPS for step in behind):
        return None
    if not any(step.name in LINE_STEPS for step in behind):
        return None
    alone = msgspec.structs.replace(template, steps=tuple(behind))
    check, plan = inner(alone), plan_of(alone)
    if check is None or plan is None or len(plan.records) != 1 or not plan.labels:
        return None
    return _Blocks(mark, check, plan, ignore_case=template.ignore_case)


def _separates_blocks(mark: str) -> bool:
    """Return whether a separator is empty lines or a rule."""
    return mark.count("\n") > 1 if not mark.strip() else _RULE.fullmatch(mark) is not None


class _Blocks:
    """The check of blocks of labelled lines."""

    reads_whole = True
    """The end of a block is told by the one behind it."""

    def __init__(self, mark: str, check: Check, plan: LabelPlan, *, ignore_case: bool) -> None:
        self._mark = mark
        self._check = check
        self._plan = plan
        labels = "|".join(re.escape(label.text) for label in plan.labels)
        folded = re.IGNORECASE if ignore_case else 0
        self._begun = re.compile(rf"^[^\S\n]{{0,64}}({labels})", re.MULTILINE | folded)
        """A line that the code takes."""

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        if text.count(self._mark) >= MAX_BLOCKS:
            return unread(text, f"the answer has more blocks than {MAX_BLOCKS}")
        if self._begun.search(text) is None and (
            other := self._with_common_labels(text, invocation)
        ):
            return other
        verdicts = [self._verdict(block, invocation) for block in text.split(self._mark)]
        if all(verdict.disposition == "conforming" for verdict in verdicts):
            return conforming(text)
        return self._with_other_borders(text, verdicts, invocation)

    def _with_common_labels(self, text: str, invocation: Invocation) -> Verdict | None:
        """Repair an answer without any line that the code takes, if all its labels have one other
        form."""
        labels = self._plan.records[0].identifiers
        other = _rewrite_labels(text, labels) if invocation.uses("positional.cluster") else None
        if other is None or other == text:
            return None
        verdict = self(other, invocation)
        if verdict.disposition == "refused":
            return None
        rules = ("labels written as the code looks for them", *verdict.rules)
        return repaired(verdict.text, *rules, edits=verdict.edits + 1, reason=verdict.reason)

    def _with_other_borders(
        self, text: str, verdicts: Sequence[Verdict], invocation: Invocation
    ) -> Verdict:
        """Repair an answer whose blocks are cut at other places than the code cuts."""
        bad = next((verdict for verdict in verdicts if verdict.disposition == "refused"), None)
        if bad is None:
            return self._repair(text, verdicts, invocation)
        anew = self._blocks_by_labels(text, invocation)
        if anew is not None and len(anew) <= MAX_BLOCKS:
            again = [self._verdict(block, invocation) for block in anew]
            if not any(verdict.disposition == "refused" for verdict in again):
                rule = f"{len(again)} records parted by {self._mark!r}"
                return self._repair(text, again, invocation, rule)
        if bad.final:
            return refused(text, bad.reason)
        if any(verdict.disposition == "repaired" for verdict in verdicts):
            return self._repair(text, verdicts, invocation, reason=bad.reason)
        return unmatched(text, bad.reason)

    def _verdict(self, block: str, invocation: Invocation) -> Verdict:
        """Check one block; a block that names none of the labels conforms."""
        invocation.deadline.check()
        if not block.strip() or not self._starts(block, invocation, every=True):
            return conforming(block)
        if self._holds_several(block):
            return refused(block, "a block holds several records")
        core = block.strip("\n")
        verdict = self._check(core, invocation)
        at = block.find(core)
        whole = block[:at] + verdict.text + block[at + len(core) :]
        changed = verdict.disposition == "repaired"
        return msgspec.structs.replace(verdict, text=whole if changed else block)

    def _holds_several(self, block: str) -> bool:
        """Return whether every label begins more than one line."""
        begun = [match[1].casefold() for match in self._begun.finditer(block)]
        return all(begun.count(label.text.casefold()) > 1 for label in self._plan.labels)

    def _repair(
        self,
        text: str,
        verdicts: Sequence[Verdict],
        invocation: Invocation,
        *rules: str,
        reason: str = "",
    ) -> Verdict:
        """Write the repaired blocks with the code's separator, and prove the result."""
        candidate = self._mark.join(verdict.text for verdict in verdicts)
        blocks = candidate.split(self._mark)
        for verdict, block in zip(verdicts, blocks, strict=False):
            if verdict.disposition == "refused":
                continue
            if self._verdict(block, invocation).disposition != "conforming":
                return refused(text, "a block would not be one record")
        if len(blocks) != len(verdicts) or candidate == text:
            return refused(text, "a block would not be one record")
        changed = sum(verdict.disposition == "repaired" for verdict in verdicts)
        made = dict.fromkeys(rule for verdict in verdicts for rule in verdict.rules)
        every = [*rules, *(f"{rule} in {changed} blocks" for rule in made)]
        edits = len(rules) + sum(verdict.edits for verdict in verdicts)
        return repaired(candidate, *every, edits=edits, reason=reason)

    def _starts(self, text: str, invocation: Invocation, *, every: bool = False) -> list[int]:
        """Return where a line begins with the first label; with ``every``, with any of them."""
        plan = self._plan._replace(repeated=True)
        fuzzy = invocation.uses("positional.cluster")
        found = find_identifiers(text, plan, check=invocation.deadline.check, fuzzy=fuzzy)
        first = self._plan.records[0].identifiers[0]
        return [
            o.start
            for o in found
            if (every or o.identifier.key == first.key)
            and not text[text.rfind("\n", 0, o.start) + 1 : o.start].strip()
        ]

    def _blocks_by_labels(self, text: str, invocation: Invocation) -> list[str] | None:
        """Return the blocks that begin at the labels; ``None`` where the labels tell nothing."""
        if not invocation.uses("positional.delimiters"):
            return None
        lines = [line for line in text.split("\n") if not _RULE.fullmatch(line)]
        text = "\n".join(lines)
        starts = self._starts(text, invocation)
        if not starts:
            return None
        blocks: list[str] = []
        before = text[: starts[0]].strip()
        if before and not all(is_lead_in(f"{line}\n") for line in before.split("\n")):
            return None
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            record = [line for line in text[start:end].split("\n") if line.strip()]
            remark = end == len(text) and len(record) > 1 and is_closing_remark(record[-1])
            blocks.append("\n".join(record[: len(record) - remark]))
            if remark:
                blocks.append(record[-1])
        return [before, *blocks] if before else blocks


def _rewrite_labels(text: str, labels: Sequence[Identifier]) -> str | None:
    """Return the text with the labels as the template has them.

    ``None`` where it is not clear that all records have them in the same other form: ``Q1:``,
    ``Q.``, ``Question:``. That a number counts the records, or that a word stands for its initial,
    is told by all records together, never by one line.
    """
    names = [label.text.rstrip(" :") for label in labels]
    plain = all(label.text == f"{name}:" for label, name in zip(labels, names, strict=True))
    if not all(names) or not plain or len({name.casefold() for name in names}) < len(names):
        return None
    found = list(_label_expression(names).finditer(text))
    if not _follow_in_turn(
        [match["name"].casefold() for match in found], [n.casefold() for n in names]
    ):
        return None
    if not _have_one_form(found, names):
        return None
    parts: list[str] = []
    position = 0
    for index, match in enumerate(found):
        parts.append(text[position : match.start()])
        parts.append(f"{match['lead']}{names[index % len(names)]}{match['close'] or ''}:")
        position = match.end()
    return "".join((*parts, text[position:]))


def _label_expression(names: Sequence[str]) -> re.Pattern[str]:
    """Return an expression for the other forms of a label: with a number; an initial also as a
    word, or with a full stop."""
    short = all(len(name) == 1 and name.isalpha() for name in names)
    word = r"(?P<more>[^\W\d_]{2,15})?" if short else "(?P<more>(?!))?"
    stop = "[:.]" if short else ":"
    return re.compile(
        rf"{_LABEL_LEAD}(?P<name>{'|'.join(map(re.escape, names))}){word}"
        rf"(?:[^\S\n]?\#?(?P<number>\d{{1,3}}))?(?P<close>\*\*|__|[*_`])?{stop}(?=[^\S\n]|\*|_|`)",
        re.MULTILINE | re.IGNORECASE,
    )


def _have_one_form(found: Sequence[re.Match[str]], names: Sequence[str]) -> bool:
    """Return whether all records have their labels in the same form, and their numbers count."""
    if len({(match["name"].casefold(), match["more"]) for match in found}) > len(names):
        return False  # several words with one initial
    records = len(found) // len(names)
    numbers = [match["number"] for match in found]
    counted = [str(n) for n in range(1, records + 1) for _ in names]
    if any(numbers) and (numbers != counted or records < 2):
        return False
    return len({match["more"] is None for match in found}) == 1


def _follow_in_turn(found: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether the labels stand in the order of the template, each as often as the others."""
    records, left = divmod(len(found), len(names))
    return records > 0 and not left and list(found) == list(names) * records
