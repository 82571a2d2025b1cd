r"""Lines with several slots in one expression: ``\[(.*?)\] (\w+): (.*)``, ``(.+) \((low|high)\)``.

A line that the code does not read is tried with the same slots and other marks between them:
without brackets, in emphasis, behind a bullet, with a dash for a colon. It counts as a record only
where a number or one of a few known words shows it, and where there is no second way to split it;
then the marks are written as the expression has them.

Source: Comfrey §4.3.1 (positional templates, delimiter supplementation).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from knitbone.adaptation.consumers.readers import Reader, Record
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
from knitbone.adaptation.repair.positional.line_patterns import (
    Gap,
    LinePattern,
    Piece,
    read_pieces,
)
from knitbone.adaptation.repair.positional.loose_lines import (
    MAX_LINE,
    first_slot_expression,
    loose_expression,
)
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.requirements.regex_templates import UnreadablePattern
from knitbone.common.matching import compiled, find_one, matches_whole

__all__ = ["MAX_TEXT", "prepare_slot_lines"]

MAX_TEXT = 500_000
"""Characters (ours)."""
_MAX_SLOTS = 8
_MAX_FREE = 2
"""Slots that do not end by themselves: the time grows with the length to their number (ours)."""

_PAIRS = ("()", "[]", "{}")
_ONE_DIGIT = re.compile(r"(?<!\d)\d(?!\d)")
_CLOCK = re.compile(r"\d{1,2}(?::\d{1,2}){1,2}|\d{1,4}([-/.])\d{1,2}\1\d{1,4}")
"""Times and dates, where a missing zero says nothing; ``1.5`` is no ``01.05``."""
_EMPHASIS = re.compile(r"[*_`]+")


class _RewrittenLine(NamedTuple):
    """A line as the code reads it."""

    line: str
    groups: Record
    edits: int


class _RewrittenAnswer(NamedTuple):
    """The lines of an answer, rewritten where that makes them records."""

    lines: list[str]
    expected: list[Record]
    """The records that the code has to find in them."""
    changed: int
    edits: int
    others: int
    """Lines that are no records."""
    lost: str
    """The first line that begins like a record and is none."""


def prepare_slot_lines(template: PositionalTemplate, *, listed: bool = False) -> Check | None:
    """Build the check of lines that are read by an expression with several groups.

    Args:
        listed: whether the lines are told by their number, which another form sees to: then only
            what stands behind their first slot is looked at.
    """
    reader = template.reader
    if reader is None or reader.kind != "regex" or not template.repeated or template.spans_lines:
        return None
    if template.ignore_case or not (
        reader.splits_lines or reader.method in ("findall", "finditer")
    ):
        return None
    try:
        pattern = read_pieces(reader.pattern, reader.flags)
    except UnreadablePattern:
        return None
    told = [slot for slot in pattern.slots[listed:] if slot.digits or slot.options]
    free = [slot for slot in pattern.slots if slot.free]
    if not told or not 2 <= len(pattern.slots) <= _MAX_SLOTS or len(free) > _MAX_FREE:
        return None
    if not all(gap.text.strip() for gap in pattern.gaps[1:-1]):
        return None  # a blank between two slots tells nothing
    return _SlotLines(template, reader, pattern, listed=listed)


class _SlotLines:
    """The check of lines with several slots."""

    reads_whole = False

    def __init__(
        self,
        template: PositionalTemplate,
        reader: Reader,
        pattern: LinePattern,
        *,
        listed: bool,
    ) -> None:
        self._template = template
        self._reader = reader
        self._pattern = pattern
        self._strict = [re.compile(gap.source) for gap in pattern.gaps]
        self._shortest = re.compile(loose_expression(pattern, shortest=True, listed=listed))
        self._longest = re.compile(loose_expression(pattern, shortest=False, listed=listed))
        first = pattern.slots[0]
        self._telling = not first.free or any(s.options or s.compound for s in pattern.slots)
        """Whether one line shows that it is a record; else all of them have to."""
        beginning = first_slot_expression(pattern)
        self._beginning = None if beginning is None else re.compile(beginning)

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        """Rewrite the lines that the expression does not read but a looser one does; prove the
        whole."""
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        before = self._reader.read(text)
        lines = text.split("\n")
        if len(before) >= sum(1 for line in lines if line and not line.isspace()):
            return conforming(text)
        result = self._rewrite(lines, invocation)
        lost = result.lost
        reason = f"a line begins like a record, but is none: {lost[:60]!r}" if lost else ""
        if not result.changed or (result.others and not self._telling):
            return refused(text, reason) if lost else conforming(text)
        if not invocation.uses("positional.lines"):
            return unmatched(text, "the consumer's expression does not read every record")
        candidate = "\n".join(result.lines)
        if self._reader.read(candidate) != result.expected:
            return refused(text, "the consumer would read another content")
        count = f"{result.changed} line{'s' if result.changed > 1 else ''}"
        rule = f"marks of {count} written as the code reads them"
        return repaired(candidate, rule, edits=result.edits, reason=reason)

    def _rewrite(self, lines: list[str], invocation: Invocation) -> _RewrittenAnswer:
        """Write the lines that the code does not read with its own marks, where they are
        records."""
        new_lines = list(lines)
        expected: list[Record] = []
        lost, others, changed, edits = "", 0, 0, 0
        for index, line in enumerate(lines):
            if not line.strip():
                continue
            invocation.deadline.check()
            if records := self._reader.read(line):
                expected += records
            elif (written := self._with_own_marks(line, invocation)) is not None:
                new_lines[index] = written.line
                expected.append(written.groups)
                changed, edits = changed + 1, edits + max(1, written.edits)
            else:
                others += 1
                lost = lost or self._lost_record(line)
        return _RewrittenAnswer(new_lines, expected, changed, edits, others, lost)

    def _lost_record(self, line: str) -> str:
        """Return a line that begins like a record; empty for another line."""
        begins = self._beginning is not None and _begins(self._beginning, line)
        return line.strip() if begins else ""

    def _with_own_marks(self, line: str, invocation: Invocation) -> _RewrittenLine | None:
        """Return the line with the expression's own marks; ``None`` where it is no record for
        sure."""
        parts = self._take_apart(line)
        if parts is None:
            return None
        between, contents = parts
        kept = [
            matches_whole(strict, gap) for strict, gap in zip(self._strict, between, strict=True)
        ]
        edits = _count_edits(kept, self._pattern.gaps)
        if edits >= invocation.config.tau_element:
            return None
        lead, *behind = [
            gap if keep else own.text
            for gap, own, keep in zip(between, self._pattern.gaps, kept, strict=True)
        ]
        new = lead + "".join(map("".join, zip(contents, behind, strict=True)))
        groups = tuple(map(self._reader.transform, contents))
        return _RewrittenLine(new, groups, edits) if self._reader.read(new) == [groups] else None

    def _take_apart(self, line: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return what stands around the slots of a line, and the content of each slot; ``None``
        where there is no way to split it, or more than one."""
        if len(line) > MAX_LINE:
            return None
        match = _match_whole(self._shortest, line)
        if match is None or match.groups() != (_match_whole(self._longest, line) or match).groups():
            return None
        between, contents = match.groups()[::2], match.groups()[1::2]
        is_closed = _has_balanced_marks(between, self._pattern.slots[0])
        if not is_closed or not all(map(_is_closed, contents)) or not self._has_marks(between):
            return None
        return between, tuple(map(_canonical_content, contents, self._pattern.slots))

    def _has_marks(self, between: Sequence[str]) -> bool:
        """Return whether a mark stands between any two slots, or a time or date ends by itself."""
        return all(
            gap.strip() or (gap and slot.compound)
            for gap, slot in zip(between[1:-1], self._pattern.slots, strict=False)
        )


def _match_whole(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    return next(find_one(pattern, "fullmatch", (line,)), None)


def _begins(pattern: re.Pattern[str], line: str) -> bool:
    return next(find_one(pattern, "match", (line,)), None) is not None


def _canonical_content(content: str, slot: Piece) -> str:
    """Return the content of a slot as the code knows it: one of its options, or ``08:05`` for
    ``8:05``."""
    if slot.compound and not matches_whole(compiled(slot.source, 0), content):
        return _ONE_DIGIT.sub(r"0\g<0>", content) if _CLOCK.fullmatch(content) else content
    if content in slot.options:
        return content
    same = [option for option in slot.options if option.casefold() == content.casefold()]
    return same[0] if len(same) == 1 else content


def _has_balanced_marks(between: Sequence[str], first: Piece) -> bool:
    """Return whether every bracket and emphasis of the marks closes among them."""
    lead, *rest = between
    lead = re.sub(r"\d{1,3}\)", "", lead)  # a list's number has a bracket of its own
    if first.digits and not any(opening in lead for opening in "([{"):
        rest[0] = rest[0].removeprefix(")")
    return _is_closed(" ".join((lead, *rest)))


def _is_closed(text: str) -> bool:
    """Return whether a text closes what it opens."""
    if any(text.count(opening) != text.count(closing) for opening, closing in _PAIRS):
        return False
    runs: dict[str, int] = {}
    for run in _EMPHASIS.findall(text):
        if run != "_":  # stands in names
            runs[run] = runs.get(run, 0) + 1
    return all(count % 2 == 0 for count in runs.values())


def _count_edits(kept: Sequence[bool], gaps: Sequence[Gap]) -> int:
    """Count the drifted marks; those around one slot count once."""
    edits, place = 0, 0
    while place < len(kept):
        edits += not kept[place]
        around = not kept[place] and gaps[place].text.rstrip()[-1:] in tuple("([{<")
        place += 2 if around else 1
    return edits
