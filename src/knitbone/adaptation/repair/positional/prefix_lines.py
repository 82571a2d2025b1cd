"""Lines that begin with a word: ``if line.startswith("Task ")``.

Source: Comfrey §4.3.1 (fixed identifiers).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from knitbone.adaptation.consumers.readers import LINE_STEPS, STEPS
from knitbone.adaptation.repair.checks import (
    Check,
    Invocation,
    Verdict,
    conforming,
    repaired,
    unmatched,
    unread,
)
from knitbone.adaptation.repair.positional.heads import (
    IDENTIFIER_WORDS,
    same_word,
    with_emphasis,
)
from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["MAX_TEXT", "prepare_prefix_lines"]

MAX_TEXT = 1_000_000
"""Characters (ours)."""

_LINE = re.compile(
    r"(?P<lead>[^\S\n]{0,16}(?:>[^\S\n]?){0,3}(?:#{1,6}[^\S\n]{1,4})?(?:[-*+•][^\S\n]{1,4})?)"
    r"(?P<open>\*\*|__|[*_`])?(?:(?P<word>[^\W\d_]{2,20})[^\S\n]{0,4})?"
    r"(?=[#(\[]?(?P<number>\d{1,3})(?:[.):\]]|[^\S\n]|\*|_|`))"
)
"""The start of a numbered line, up to its number."""


def prepare_prefix_lines(template: PositionalTemplate) -> Check | None:
    """Build the check of lines that are told by one word in front."""
    kinds = [e.kind for e in template.elements if e.kind != "space"]
    first = template.elements[0]
    if not template.repeated or not template.line_start or kinds != ["words", "slot"]:
        return None
    if template.reader is not None or template.separator or len(first.options) > 1:
        return None
    if not all(step.name in STEPS | LINE_STEPS | {"iterate"} for step in template.steps):
        return None
    return _PrefixLines(first.text)


class _PrefixLines:
    """The check of lines that begin with ``word``."""

    reads_whole = True
    """Numbers count over all lines."""

    def __init__(self, word: str) -> None:
        self._word = word

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        lines = text.split("\n")
        drifted = _drifted_lines(lines, self._word, invocation)
        if not drifted:
            if any(line.lstrip().startswith(self._word) for line in lines):
                return conforming(text)
            return unmatched(text, f"no line begins with {self._word!r}")
        if not invocation.uses("positional.lines"):
            return unmatched(text, f"{len(drifted)} lines do not begin with {self._word!r}")
        for index, match in drifted:
            lines[index] = _with_word(lines[index], match, self._word)
        count = f"{len(drifted)} line{'s' if len(drifted) > 1 else ''}"
        return repaired("\n".join(lines), f'"{self._word}" in front of {count}', edits=len(drifted))


def _drifted_lines(
    lines: Sequence[str], word: str, invocation: Invocation
) -> list[tuple[int, re.Match[str]]]:
    """Return the numbered lines that have the word in another spelling.

    Where no line has it in any spelling, the numbered lines that count from 1, to which it is
    added.
    """
    spelled: list[tuple[int, re.Match[str]]] = []
    bare: list[tuple[int, re.Match[str]]] = []
    right = False
    for index, line in enumerate(lines):
        invocation.deadline.check()
        if line.startswith(word):
            right = True
            continue
        match = _LINE.match(line)
        if match is None:
            continue
        if match["word"] is None:
            bare.append((index, match))
        elif same_word(match["word"], word) or match["word"].lower() in IDENTIFIER_WORDS:
            spelled.append((index, match))
    if right or spelled:
        return spelled
    numbers = [int(match["number"]) for _, match in bare]
    return bare if len(bare) > 1 and numbers == list(range(1, len(bare) + 1)) else []


_NUMBER = re.compile(r"(?P<number>\D{0,2}\d{1,3}[^\S\n]?[.):\]]{0,2})(?P<blank>[^\S\n]*)")


def _with_word(line: str, match: re.Match[str], word: str) -> str:
    """Return the line with the word in front; emphasis that closes in the content stays with it."""
    rest, opened = line[match.end() :], match["open"]
    number = _NUMBER.match(rest)
    if not opened or number is None:
        return f"{word} {rest}"
    behind = rest[number.end("number") :]
    if behind.startswith(opened):
        return f"{word} {number['number']}{behind[len(opened) :]}"
    return f"{word} {number[0]}{with_emphasis(opened, rest[number.end() :])}"
