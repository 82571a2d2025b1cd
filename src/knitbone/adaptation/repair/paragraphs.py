"""The paragraphs of an answer that the application's own code reads, where it does not read all.

A model writes an introduction or a note beside the lines that the code takes apart, leaves blank
lines between them, or writes a table without its outer bars. The code is rehearsed on each run of
paragraphs, the longest first. What is left out is prose without a number, which takes nothing back.

Source: Comfrey §4.3.1 (extraneous elements around a template).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knitbone.adaptation.consumers.rehearsal import Ending, is_same
from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.conversions import (
    Converted,
    ReadAnswer,
    Rehearse,
    convert_stumbled,
    reads_values_alone,
)
from knitbone.adaptation.text.wrappers.remarks import may_take_back, says_nothing
from knitbone.adaptation.text.wrappers.spans import paragraphs

__all__ = ["find_read_paragraphs"]

_MAX_TEXT = 4_096
"""Characters of an answer whose paragraphs are tried (ours)."""
_MAX_PARAGRAPHS = 6
"""Paragraphs of such an answer (ours)."""
_ROW = re.compile(r"[^|\n]+(?:\|[^|\n]*)+[^|\n]")
"""A row of a table without bars at its ends."""


def find_read_paragraphs(
    text: str, rehearse: Rehearse, invocation: Invocation
) -> ReadAnswer | None:
    """Return the paragraphs that the code reads; ``None`` where there are none, or it is not sure
    which.

    Raises:
        TimeoutError: the time is spent.
    """
    if len(text) > _MAX_TEXT or not invocation.uses("positional.paragraphs"):
        return None
    parts = [text[span.start : span.end] for span in paragraphs(text)]
    if len(parts) > _MAX_PARAGRAPHS:
        return None
    found: list[tuple[range, Converted]] = []
    for chosen in _runs(len(parts)):
        inside = any(set(chosen) <= set(each) for each, _ in found)
        left = [each for n, each in enumerate(parts) if n not in chosen]
        if inside or not all(map(says_nothing, left)):
            continue
        run = [parts[n] for n in chosen]
        read = _read(run, text, rehearse, invocation)
        if read is not None and all(
            says_nothing(each) or _counts(n, run, read, rehearse, invocation)
            for n, each in enumerate(run)
        ):
            found.append((chosen, read))
    if not found:
        return None
    chosen, read = found[0]
    if not all(_is_alike(each.ending, read.ending) for _, each in found):
        return None
    left_out = ["text around the answer left out"] if len(chosen) < len(parts) else []
    return ReadAnswer(
        read.text, (*left_out, *(read.rules or (() if left_out else _layout(text, read.text))))
    )


def _layout(text: str, read: str) -> tuple[str]:
    """Return in words how paragraphs were written anew."""
    barred = read.count("|") > text.count("|")
    return ("written with bars around rows" if barred else "written without blank lines",)


def _runs(count: int) -> Iterator[range]:
    """Yield the runs of so many paragraphs, the longest first."""
    for size in range(count, 0, -1):
        for start in range(count - size + 1):
            yield range(start, start + size)


def _read(
    chosen: Sequence[str], text: str, rehearse: Rehearse, invocation: Invocation
) -> Converted | None:
    """Return how the code reads paragraphs: as they stand, without blank lines between them, or
    with bars around the rows of a table."""
    for part in dict.fromkeys(("\n\n".join(chosen), "\n".join(chosen), _barred("\n".join(chosen)))):
        read = convert_stumbled(part, rehearse, invocation)
        if read is None or read.text == text:
            continue
        ending = read.ending
        if ending.is_empty or ending.handled or ending.unknown:
            continue
        if not read.rules or reads_values_alone(part, read, rehearse, invocation):
            return read
    return None


def _counts(
    number: int, run: Sequence[str], read: Converted, rehearse: Rehearse, invocation: Invocation
) -> bool:
    """Return whether the code makes something else of a run without a paragraph (else a later one
    has taken its place, or the code passes over it), and a block of lines is no whole answer."""
    if len(run) == 1:
        return True
    if may_take_back(run[number]):
        return False
    blocks = any("\n" in each for each in run)
    if blocks and _read(run[number : number + 1], "", rehearse, invocation) is not None:
        return False
    others = [*run[:number], *run[number + 1 :]]
    left = _read(others, "", rehearse, invocation)
    return left is None or not is_same(left.ending.value, read.ending.value)


def _barred(part: str) -> str:
    """Return a table with bars at both ends of each row; the text itself where it is none."""
    lines = part.split("\n")
    if not all(_ROW.fullmatch(line.strip()) for line in lines):
        return part
    return "\n".join(f"| {line.strip()} |" for line in lines)


def _is_alike(first: Ending, other: Ending) -> bool:
    return is_same((first.value, first.effects), (other.value, other.effects))
