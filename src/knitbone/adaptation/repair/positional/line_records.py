"""The records among the lines of an answer, and which of them drifted.

A line is a record because the consumer reads it, or because its head says so *and* the other heads
of the answer agree: numbers that count on from one another are strong evidence, a number followed
by a blank (``3 apples are enough``) is weak evidence and counts only between its neighbours.
Everything else (prose, continuation lines, nested lists, code) is left alone.
"""

# ruff: noqa: RUF001 - the full-width characters and dashes that models write
from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from knitbone.adaptation.repair.positional.drift_signs import (
    MAX_GAP,
    head_pattern,
    template_words,
)
from knitbone.adaptation.repair.positional.heads import (
    Head,
    count_edits,
    lex_head,
    plain_head,
)
from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["MAX_LINE", "Line", "find_records"]

MAX_LINE = 10_000
"""Characters; a longer line is never repaired (ours; keeps the consumer's regex linear enough)."""

_INLINE_LEAST = 3
"""Consecutive numbers in one line that make it several records: two may be prose
(``1. Move to Python 2. It is old``)."""
_INLINE = re.compile(r"(?<=\S)([^\S\n]+)([0-9]{1,3})([.):])(?=\s)")


class Line(NamedTuple):
    """One line, or one part of a line that holds several records."""

    start: int
    end: int
    text: str
    head: Head | None
    conforms: bool
    edits: int
    inline: bool = False
    """Whether it begins inside a line of the answer."""
    assigned: int | None = None
    """The number to write where the answer has none."""

    @property
    def number(self) -> int | None:
        return self.head.number if self.head else None

    @property
    def indent(self) -> int:
        return self.head.indent if self.head else 0

    @property
    def strong(self) -> bool:
        return self.conforms or (self.head is not None and self.head.strong)


def find_records(
    text: str, template: PositionalTemplate, *, expired: Callable[[], bool] = lambda: False
) -> list[Line]:
    """Find the records of an answer, in order: those that conform and those that drifted.

    Args:
        expired: asked between lines; where it says so, ``TimeoutError`` is raised.
    """
    every = list(_lines(text, template, expired))
    lines = [line for line in every if line.head or line.conforms]
    numbered = [line for line in lines if line.number is not None or line.conforms]
    if len(numbered) == 1 and (parts := _split_inline(numbered[0], template)):
        return parts
    if template.marker == "bullet":
        return _bulleted_records(lines)
    if template.marker != "number":
        return [line for line in lines if line.conforms]
    chain = _chain(numbered)
    if chain:
        return _fill_gaps(chain, every)
    return _assign(_outermost_bullets(lines, text), 0)


def _lines(text: str, template: PositionalTemplate, expired: Callable[[], bool]) -> Iterator[Line]:
    """Yield the lines of an answer with their heads, also the parts of a line that holds several
    records."""
    found: list[Line] = []
    fenced: list[Line] = []
    in_fence = False
    start = 0
    words = template_words(template)
    pattern = re.compile(head_pattern(template)) if template.spans_lines else None
    for piece in text.split("\n"):
        end = start + len(piece)
        if piece.lstrip().startswith("```"):
            in_fence = not in_fence
        elif piece and len(piece) <= MAX_LINE:
            if expired():
                raise TimeoutError
            line = _line(piece, start, end, template, words, pattern)
            (fenced if in_fence and not line.conforms else found).append(line)
        start = end + 1
    # A list that stands wholly inside a fence is still the list; code beside a list is not.
    if fenced and not any(line.head or line.conforms for line in found):
        return iter(fenced)
    return iter(found)


def _line(
    piece: str,
    start: int,
    end: int,
    template: PositionalTemplate,
    words: tuple[str, ...],
    pattern: re.Pattern[str] | None,
) -> Line:
    head = lex_head(piece, words)
    conforms = bool(pattern.match(piece)) if pattern else bool(template.replay.read(piece))
    if head is not None and not conforms and not piece[head.end :].strip():
        head = None  # an identifier without content is not a record
    edits = 0 if conforms or head is None else count_edits(head, template)
    return Line(start, end, piece, head, conforms, edits)


def _split_inline(line: Line, template: PositionalTemplate) -> list[Line]:
    """Return the records of a line that holds several: ``1. a 2. b 3. c``, consecutively
    numbered."""
    head = line.head
    if head is None or head.number is None or not head.strong:
        return []
    expected, mark, starts = head.number + 1, "", [(0, 0)]
    for match in _INLINE.finditer(line.text, head.end):
        if int(match.group(2)) != expected or (mark and match.group(3) != mark):
            continue
        mark = match.group(3)
        starts.append((match.start(1), match.start(2)))
        expected += 1
    if len(starts) < _INLINE_LEAST or mark not in head.delimiter:
        return []
    if len(template.replay.read(line.text)) >= len(starts):
        return []
    ends = [gap for gap, _ in starts[1:]] + [len(line.text)]
    parts: list[Line] = []
    for (_, begin), end in zip(starts, ends, strict=True):
        part = _line(
            line.text[begin:end],
            line.start + begin,
            line.start + end,
            template,
            template_words(template),
            None,
        )
        if part.head is None:
            return []
        parts.append(part._replace(inline=begin > 0))
    return parts


class _Chain:
    """The records found so far, and what the next line is compared with."""

    def __init__(self) -> None:
        self.records: list[Line] = []
        self.strong = False
        self._styles: set[tuple[str, str, bool]] = set()
        self._last: int | None = None
        self._levels: list[tuple[int, int]] = []
        """Indentation and number of the last record of each level, the deepest last."""

    def add(self, line: Line) -> None:
        self.records.append(line)
        self.strong = self.strong or line.strong
        if line.head is not None:
            self._styles.add(line.head.style)
        if line.number is None:
            return
        self._last = line.number
        # A later record hides the earlier ones that are indented as much or more.
        while self._levels and self._levels[-1][0] >= line.indent:
            self._levels.pop()
        self._levels.append((line.indent, line.number))

    def lasts(self, indent: int) -> set[int]:
        """Return the last number of all, and the last one that is not indented deeper."""
        found: set[int] = set() if self._last is None else {self._last}
        place = bisect_right(self._levels, indent, key=lambda level: level[0])
        if place:
            found.add(self._levels[place - 1][1])
        return found

    def alike(self, head: Head) -> bool:
        """Return whether a record has a head in the same style."""
        return head.style in self._styles


def _chain(lines: Sequence[Line]) -> list[Line]:
    """Return the numbered lines that count on from one another, outermost list first.

    A deeper line belongs to the list only where it continues the numbers of the line right before
    it (careless indentation); a nested list begins its numbers anew.
    """
    strong = [line.indent for line in lines if line.strong and line.head]
    outermost = min(strong, default=0)
    runs = _run_lengths(lines)
    chain = _Chain()
    previous: Line | None = None
    for index, line in enumerate(lines):
        records = chain.records
        bulleted = line.head is not None and bool(line.head.bullet)
        nested = line.indent > outermost and bool(records)
        nested = nested and (bulleted or records[-1] is not previous)
        follows = _next_is_strong(index, lines)
        if line.conforms or (
            not nested and _belongs_to_chain(line, runs[index], follows, chain, outermost)
        ):
            chain.add(line)
        previous = line
    return chain.records


def _belongs_to_chain(line: Line, run: int, follows: bool, chain: _Chain, outermost: int) -> bool:
    """Return whether the numbers around a drifted line say that it is a record.

    Args:
        run: lines from here on that count on from one another.
        follows: whether the next line is a record for sure.
    """
    head = line.head
    if head is None or head.number is None:
        return False
    number = head.number
    lasts = chain.lasts(line.indent)
    if not head.strong:
        return _is_weak_record(number, lasts, run, follows, chain)
    if number - 1 in lasts:
        return True
    if not lasts:
        return number in (0, 1) or run >= 2 or (_is_listed(head) and number < 100)
    if line.indent > outermost:
        return False
    near = any(last <= number <= last + MAX_GAP for last in lasts)
    return chain.alike(head) and (number == 1 or near)


def _is_weak_record(
    number: int, lasts: Collection[int], run: int, follows: bool, chain: _Chain
) -> bool:
    """Return whether a number that no mark makes one of a list counts on in it, or begins it."""
    if number - 1 in lasts:
        # Between its neighbours, or the end of a list that has no delimiters at all.
        return run >= 2 or (len(chain.records) >= 2 and not chain.strong)
    if lasts or number not in (0, 1):
        return False
    return run >= 3 or (run == 2 and follows)


def _is_listed(head: Head) -> bool:
    """Return whether a head is written as that of a list."""
    return bool(head.word or head.enclosed or head.delimiter[:1] in (")", ".", "）", "．", "、"))


def _run_lengths(lines: Sequence[Line]) -> list[int]:
    """Return for each line how many lines from there on count on from one another."""
    lengths = [1] * len(lines)
    for index in range(len(lines) - 2, -1, -1):
        before, after = lines[index].number, lines[index + 1].number
        if before is not None and after == before + 1:
            lengths[index] = lengths[index + 1] + 1
    return lengths


def _next_is_strong(index: int, lines: Sequence[Line]) -> bool:
    return index + 1 < len(lines) and lines[index + 1].strong


def _fill_gaps(chain: list[Line], lines: Sequence[Line]) -> list[Line]:
    """Add lines that stand exactly where the numbers skip: ``1. a``, ``- b``, ``3. c``.

    A line without a mark counts only where no record runs on over several lines.
    """
    starts = [line.start for line in lines]
    gaps: list[list[Line]] = []  # the lines between each two records
    for before, after in pairwise(chain):
        between = lines[bisect_right(starts, before.start) : bisect_left(starts, after.start)]
        gaps.append([line for line in between if line.text.strip()])
    told = {line.number for line in chain}
    missing = [_count_missing(before, after, told) for before, after in pairwise(chain)]
    alone = _are_one_line_each(chain, lines, gaps, missing)
    records: list[Line] = []
    first = chain[0]
    # The first record may have lost its number, too: then the list begins with 2.
    opens = alone and first.number == 2 and 1 not in told
    if opens and (leading := _line_above(lines, first.start)) is not None:
        records.extend(_assign([_without_head(leading)], 0))
    records.append(first)
    for line, gap, count in zip(chain[1:], gaps, missing, strict=True):
        previous = records[-1]
        bullets = [other for other in gap if _is_bullet(other, previous)]
        if count and len(bullets) == count:
            records.extend(_assign(bullets, previous.number or 0))
        elif count and alone and first.number in (0, 1, 2) and not _is_nested(gap, previous):
            records.extend(_assign([_without_head(other) for other in gap], previous.number or 0))
        records.append(line)
    return records


def _are_one_line_each(
    chain: Sequence[Line],
    lines: Sequence[Line],
    gaps: Sequence[Sequence[Line]],
    missing: Sequence[int],
) -> bool:
    """Return whether no record runs on over a second line.

    Then as many lines stand between records as there are numbers missing, and none right below the
    last.
    """
    below = bisect_right([line.start for line in lines], chain[-1].start)
    runs_on = below < len(lines) and lines[below].start == chain[-1].end + 1
    return not runs_on and all(len(g) == n for g, n in zip(gaps, missing, strict=True))


def _line_above(lines: Sequence[Line], start: int) -> Line | None:
    """Return the only filled line above a position, where it stands right there and announces
    nothing."""
    above = lines[: bisect_left([each.start for each in lines], start)]
    filled = [line for line in above if line.text.strip()]
    if len(filled) != 1 or filled[0].end + 1 != start or filled[0].text.rstrip().endswith(":"):
        return None
    return filled[0]


def _count_missing(before: Line, after: Line, told: Collection[int | None]) -> int:
    """Count the numbers skipped between two records; one that another record has is not skipped."""
    if before.number is None or after.number is None:
        return 0
    skipped = range(before.number + 1, after.number)
    return 0 if any(number in told for number in skipped) else len(skipped)


def _is_nested(gap: Sequence[Line], record: Line) -> bool:
    """Return whether a bullet stands below the record rather than after it."""
    return any(line.head and line.head.bullet and line.indent > record.indent for line in gap)


def _is_bullet(line: Line, record: Line) -> bool:
    head = line.head
    return (
        not line.conforms
        and head is not None
        and bool(head.bullet)
        and head.number is None
        and head.indent == record.indent
    )


def _without_head(line: Line) -> Line:
    """Return a line without a mark as a record whose whole text is the content."""
    indent = len(line.text) - len(line.text.lstrip())
    return line if line.head is not None else line._replace(head=plain_head(indent), edits=1)


def _outermost_bullets(lines: Sequence[Line], text: str) -> list[Line]:
    """Return the outermost bullets of an answer that numbers nothing."""
    bullets = [line for line in lines if line.head is not None and line.head.bullet]
    if not bullets:
        return []
    outermost = min(line.head.indent for line in bullets if line.head)
    outer = [line for line in bullets if line.head and line.head.indent == outermost]
    alone = len(outer) == 1 and outer[0].text.strip() == text.strip()
    return outer if len(outer) > 1 or alone else []


def _assign(lines: Sequence[Line], last: int) -> list[Line]:
    return [line._replace(assigned=last + n) for n, line in enumerate(lines, start=1)]


def _bulleted_records(lines: Sequence[Line]) -> list[Line]:
    """Return other bullets beside those that conform, or a numbered list, for a template of
    bullets."""
    conforming = [line for line in lines if line.conforms]
    indents = {line.head.indent for line in conforming if line.head}
    if conforming:
        # Other bullets belong to the list where they stand at a depth of its own bullets.
        return [
            line
            for line in lines
            if line.conforms or (line.head and line.number is None and line.head.indent in indents)
        ]
    numbered = [line for line in lines if line.number is not None]
    if chain := _chain(numbered):
        return chain
    bullets = [line for line in lines if line.head is not None and line.head.bullet]
    outermost = min((line.head.indent for line in bullets if line.head), default=0)
    return [line for line in bullets if line.head and line.head.indent == outermost]
