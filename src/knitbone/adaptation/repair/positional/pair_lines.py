"""Lines of a name and a text around a mark: ``if "::" in line: word, meaning = line.split("::",
1)``.

All lines together tell which mark an answer has instead, never one line: a colon or a dash stands
in sentences too. Where the code reads some of the lines, the others stay as they are.

Source: Comfrey §4.3.1 (delimiter supplementation).
"""

# ruff: noqa: RUF001 - the dashes and full-width characters that models write
from __future__ import annotations

import re
from collections.abc import Sequence

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
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.text.wrappers.remarks import is_closing_remark, is_lead_in

__all__ = ["MAX_TEXT", "prepare_pair_lines"]

MAX_TEXT = 65_536
"""Characters (ours)."""
_MAX_NAME = 60
"""Characters of the first part, where the mark is another one (ours)."""

_MARKS = tuple(
    re.compile(rf"[^\S\n]{{{before},4}}{mark}[^\S\n]{{1,4}}")
    for before, mark in (
        *((0, ":"), (0, "："), (1, ": ?:"), (0, "::"), (1, "-"), (1, "–"), (1, "—")),
        *((1, "="), (1, "==?>"), (1, "-{1,2}>"), (1, "→"), (1, r"\|")),
    )
)
"""Marks that models write between two parts, with the blanks around them."""
_HEAD = re.compile(r"[^\S\n]{0,8}(?:[-*+•][^\S\n]{1,4}|\d{1,3}[.)][^\S\n]{1,4})?")
"""The mark of a list item before the first part."""
_NAME = re.compile(r"(?P<open>\*\*|__|[*_`])(?P<name>[^*_`]+)(?P=open)")
"""A first part in emphasis."""
_INNER = re.compile(r"(?P<open>\*\*|__|[*_`])(?P<name>[^*_`]+?)[^\S\n]?[:：](?P=open)[^\S\n]{1,4}")
"""A first part in emphasis with the mark inside: ``**Word:** meaning``."""
_SENTENCE = re.compile(r"[.!?:：]")
"""Signs in a sentence, which is no name."""


def prepare_pair_lines(template: PositionalTemplate) -> Check | None:
    """Build the check of lines of two parts, where the code passes over lines without the mark."""
    kinds = [element.kind for element in template.elements if element.kind != "space"]
    if kinds != ["slot", "delimiter", "slot"] or template.reader is not None:
        return None
    if not template.repeated or template.keyed or template.separator:
        return None
    names = [step.name for step in template.steps]
    if not set(names) & LINE_STEPS or not set(names) <= STEPS | LINE_STEPS | {"iterate"}:
        return None
    if any(e.kind == "slot" and e.type != "any" for e in template.elements):
        return None
    mark = next(element.text for element in template.elements if element.kind == "delimiter")
    return _Pairs(mark)


class _Pairs:
    """The check of lines with ``mark`` between two parts."""

    reads_whole = True
    """Which mark the lines have is told by all of them."""

    def __init__(self, mark: str) -> None:
        self._mark = mark

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        """Write the code's mark in all lines, where all of them have one other mark."""
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        lines = text.split("\n")
        filled = [index for index, line in enumerate(lines) if line.strip()]
        read = [index for index in filled if self._mark in lines[index]]
        if read:
            # The code reads some lines: what it passes over may be meant to be passed over.
            passed = [p for p in filled if read[0] < p < read[-1] and p not in read]
            if passed and len(read) > len(passed):
                lost = lines[passed[0]].strip()
                return refused(text, f"{self._mark!r} is missing in a line: {lost[:60]!r}")
            return conforming(text)
        records = _lines_inside(lines, filled)
        found = [written for index in records if (written := self._with_mark(lines[index]))]
        if len(records) < 2 or not found:
            return conforming(text)
        if len(found) < len(records) or len({kind for kind, _ in found}) > 1:
            return unmatched(text, f"{self._mark!r} is missing in the answer")
        if not invocation.uses("positional.delimiters"):
            return unmatched(text, f"{self._mark!r} is missing in the answer")
        for index, (_, line) in zip(records, found, strict=True):
            lines[index] = line
        return repaired(
            "\n".join(lines), f"{self._mark!r} between the parts of {len(records)} lines"
        )

    def _with_mark(self, line: str) -> tuple[str, str] | None:
        """Return the first other mark, where a name stands before it, and the line with the code's
        own mark."""
        head = _HEAD.match(line)
        body = line[head.end() if head else 0 :].rstrip()
        if (named := _INNER.match(body)) is not None:
            return ":", f"{named['name'].strip()} {self._mark} {body[named.end() :]}"
        first = min(
            (match for mark in _MARKS if (match := mark.search(body)) is not None),
            key=lambda match: (match.start(), -match.end()),
            default=None,
        )
        if first is None:
            return None
        name, rest = body[: first.start()], body[first.end() :]
        plain = _NAME.fullmatch(name)
        name = plain["name"] if plain else name
        if not name.strip() or not rest or len(name) > _MAX_NAME or _SENTENCE.search(name):
            return None
        return first.group().strip(), f"{name.strip()} {self._mark} {rest}"


def _lines_inside(lines: Sequence[str], filled: Sequence[int]) -> list[int]:
    """Return the lines between an announcement and a closing remark."""
    indices = list(filled)
    if indices and is_lead_in(lines[indices[0]] + "\n"):
        indices.pop(0)
    if len(indices) > 1 and is_closing_remark(lines[indices[-1]]):
        indices.pop()
    return indices
