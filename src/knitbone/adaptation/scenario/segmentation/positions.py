"""Positions at which a text may be cut, ranked from the best to the worst.

Rank 0 is between sentences, items, rows and blocks; 1 between clauses, and between the lines of a
block; 2 between words; 3 between characters. A worse rank is right only where the unit of the
better rank does not fit into a chunk.

Source: Comfrey §4.3.2 (boundary markers; sliding-window re-segmentation).

A character may have several code points: a letter and its accents, an emoji and its colour. Lengths
of chunks and their bounds are in the application's unit (characters, tokens).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from knitbone._forks import lazy
from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.requirements.records import ChunkSpec
from knitbone.adaptation.scenario.blocks import Block, read_blocks
from knitbone.common.sentences import split_sentences

__all__ = ["Measure", "Positions", "cuts_character", "is_spaceless", "make_measure"]

_JOINER = "\u200d"
_SELECTORS = frozenset("\ufe0e\ufe0f\u20e3")
_MODIFIERS = ("\U0001f3fb", "\U0001f3ff")
_REGIONAL = ("\U0001f1e6", "\U0001f1ff")
_MARKS = frozenset({"Mn", "Me", "Mc"})
SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts without blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""
_SPACELESS = re.compile(f"[{SPACELESS}]")
_MAX_FLAGS = 64
"""Regional indicators looked back at: flags are pairs of them."""


def is_spaceless(character: str) -> bool:
    """Return whether the script of a character writes no blanks between words."""
    return _SPACELESS.match(character) is not None


def cuts_character(before: str, after: str) -> bool:
    """Return whether the border of two texts splits what is read as one character."""
    if not before or not after:
        return False
    last, first = before[-1], after[0]
    if last < "\x7f" and first < "\x7f":
        return last == "\r" and first == "\n"
    if "\ud800" <= last <= "\udbff" and "\udc00" <= first <= "\udfff":
        return True
    if _JOINER in (last, first) or first in _SELECTORS:
        return not last.isspace()
    if _MODIFIERS[0] <= first <= _MODIFIERS[1] or unicodedata.category(first) in _MARKS:
        return not last.isspace()
    if _REGIONAL[0] <= first <= _REGIONAL[1]:
        return _regionals(before) % 2 == 1
    return False


def _regionals(before: str) -> int:
    count = 0
    for character in reversed(before[-_MAX_FLAGS:]):
        if not _REGIONAL[0] <= character <= _REGIONAL[1]:
            break
        count += 1
    return count


Length = Callable[[str], int]


class Measure(NamedTuple):
    """A length function, and the bounds of chunks."""

    length: Length
    size: int
    """The greatest length of a chunk."""
    overlap: int
    """The greatest length of the text that two neighbours share."""
    reason: str = ""
    """Why the bounds are not those that the code declares, where that is so."""


def make_measure(
    texts: Sequence[str], shared: Sequence[int], spec: ChunkSpec, length: Length | None
) -> Measure:
    """Return the bounds that the code declares; else those that the chunks keep already.

    Args:
        shared: characters of the overlaps that were found.
        length: the application's own function.
    """
    if length is None and spec.length == "characters":
        length = len
    if length is None:
        reason = f"the length in {spec.length} cannot be measured: kept to the longest chunk"
        return _as_found(texts, shared, reason)
    lengths = [length(text) for text in texts]
    longest = max(lengths)
    if spec.size is None:
        size, reason = longest, ""
    elif sum(found > spec.size for found in lengths) > len(lengths) / 2:
        # The declared number is not in this unit: words, or a target that is no bound.
        return _as_found(texts, shared, f"most chunks exceed {spec.size}: kept to the longest")
    else:
        size, reason = spec.size, ""
    if spec.overlap is not None:
        return Measure(length, size, spec.overlap, reason)
    found = max((length(text[:n]) for text, n in zip(texts[1:], shared, strict=True)), default=0)
    return Measure(length, size, found, reason)


def _as_found(texts: Sequence[str], shared: Sequence[int], reason: str) -> Measure:
    longest = max(len(text) for text in texts)
    return Measure(len, longest, max(shared, default=0), reason)


Fits: TypeAlias = "Callable[[int, int], bool]"
"""Whether a span of the text fits into a chunk."""

_CLAUSE = re.compile(r"[,;:\u2013\u2014)][\"'\u201d\u2019]?\s+|[\uff0c\u3001\uff1b\uff1a]|\n\s*")
"""The border of a clause or line, with the blanks behind it."""
_WORD = re.compile(rf"\s+|(?<=[{SPACELESS}])(?=\S)|(?<=\S)(?=[{SPACELESS}])")
"""The border of a word; in scripts without blanks, of a character."""
_BLANK = re.compile(r"\s*")
_MAX_INDENT = 200
"""Characters; what is longer is no indentation."""
_MAX_CHARACTER = 64
"""Code points on either side of a place: emoji have some ten, what has more is a stunt."""
_FIRST_STEP = 64
"""Characters tried first of a word that is longer than a chunk."""
_LINES = frozenset({"lines", "dialogue", "table"})
"""Kinds of blocks whose lines are units of their own."""
_SENTENCES = frozenset({"paragraph", "item", "quotation", "dialogue"})
"""Kinds of blocks that hold sentences."""


class Positions:
    """The positions at which a text may be cut.

    They stand behind blanks, which stay with the chunk before them, but in front of a line's
    indentation.

    Raises:
        TimeoutError: the deadline has passed.
    """

    def __init__(self, text: str, deadline: Deadline) -> None:
        self._text = text
        self._deadline = deadline
        best: set[int] = set()
        for block in read_blocks(text):
            deadline.check()
            best.update(_borders(text, block))
        deadline.check()
        best_places = self._settled(best)
        deadline.check()
        clauses = self._settled(match.end() for match in _CLAUSE.finditer(text))
        deadline.check()
        self._ranks = (best_places, sorted({*best_places, *clauses}))

    @lazy
    def _words(self) -> list[int]:
        """Return the positions of rank 2; most texts never need them."""
        words = self._settled(match.end() for match in _WORD.finditer(self._text))
        self._deadline.check()
        return sorted({*self._ranks[1], *words})

    def _ranked(self) -> Iterator[list[int]]:
        yield from self._ranks
        yield self._words

    def _settled(self, found: Iterable[int]) -> list[int]:
        positions = {self.settle(position) for position in found}
        positions.discard(self.settle(0))
        return sorted({0, len(self._text)} | {p for p in positions if not self._is_inside(p)})

    def _is_inside(self, position: int) -> bool:
        """Return whether a position is inside of a character."""
        text = self._text
        if not 0 < position < len(text) or (
            text[position - 1] < "\x7f" and text[position] < "\x7f"
        ):
            return text[position - 1 : position + 1] == "\r\n"
        return cuts_character(text[max(0, position - 64) : position], text[position])

    def settle(self, position: int) -> int:
        """Return the same position behind the blanks around it, and in front of an indentation."""
        text = self._text
        if 1 < position < len(text) and not text[position].isspace():
            # One blank or none before it, as nearly everywhere.
            if text[position - 1] == "\n" or not text[position - 1].isspace():
                return position
            if text[position - 1] == " " and not text[position - 2].isspace():
                return position
        match = _BLANK.match(text, position)
        end = match.end() if match else position
        if end == len(text):
            return end
        line = text.rfind("\n", max(0, end - _MAX_INDENT), end) + 1
        return line if line and text[line:end].isspace() else end

    def rank(self, position: int) -> int:
        """Return the best rank of a position; 4: not even between characters."""
        if self._is_inside(position):
            return 4
        for rank, found in enumerate(self._ranks):
            index = bisect_left(found, position)
            if index < len(found) and found[index] == position:
                return rank
        before, after = self._text[position - 1], self._text[position]
        return 2 if before.isspace() or is_spaceless(before) or is_spaceless(after) else 3

    def is_right(self, position: int, fits: Fits) -> bool:
        """Return whether nothing is cut here that fits into a chunk whole."""
        position = self.settle(position)
        rank = self.rank(position)
        return not any(fits(*self.unit(position, better)) for better in range(rank))

    def unit(self, position: int, rank: int) -> tuple[int, int]:
        """Return the sentence, clause, word or character that a position is inside of."""
        if rank == 3:
            return self._character(position)
        found = self._ranks[rank] if rank < 2 else self._words
        after = bisect_right(found, position)
        return found[after - 1], found[after]

    def nearest(self, start: int, target: int, fits: Fits) -> int:
        """Return the best end of a chunk that starts at ``start`` and should end at ``target``."""
        for found in self._ranked():
            for position in self._candidates(found, start, target, fits):
                if fits(start, position):
                    return position
        return self._within_word(start, fits)

    def furthest(self, start: int, fits: Fits) -> int:
        """Return the best end of a chunk that starts at ``start`` and is as long as it may be."""
        for found in self._ranked():
            position = _last_fitting(found, start, fits)
            if position is not None:
                return position
        return self._within_word(start, fits)

    def earlier_positions(self, position: int) -> Iterator[int]:
        """Yield the positions before one that have its rank, backwards."""
        found, index = self._rank_list(position)
        for earlier in range(index - 1, -1, -1):
            yield found[earlier]

    def next_position(self, position: int) -> int:
        """Return the next position of the same rank."""
        found, index = self._rank_list(position)
        return found[min(index + 1, len(found) - 1)]

    def _rank_list(self, position: int) -> tuple[list[int], int]:
        position = self.settle(position)
        rank = self.rank(position)
        found = self._ranks[rank] if rank < 2 else self._words
        return found, bisect_left(found, position)

    def _candidates(self, found: list[int], start: int, target: int, fits: Fits) -> Iterator[int]:
        """Yield the positions left and right of the target, the nearer first, then the last that
        fits."""
        right = bisect_left(found, target)
        left = right - 1
        near = [found[right]] if right < len(found) else []
        if left >= 0 and found[left] > start:
            near.append(found[left])
        yield from sorted(near, key=lambda position: abs(position - target))
        last = _last_fitting(found, start, fits)
        if last is not None:
            yield last

    def _within_word(self, start: int, fits: Fits) -> int:
        """Return an end within a word longer than a chunk: as many whole characters as fit, or
        part of one."""
        step = _FIRST_STEP
        while start + step < len(self._text) and fits(start, start + step):
            step *= 2
        low, high = start + 1, min(start + step, len(self._text))
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if fits(start, middle) else (low, middle - 1)
        whole = self._character(low)[0] if self._is_inside(low) else low
        return whole if whole > start else low

    def _character(self, position: int) -> tuple[int, int]:
        start, end = position, position
        while position - start < _MAX_CHARACTER and self._is_inside(start):
            start -= 1
        while end - position < _MAX_CHARACTER and self._is_inside(end):
            end += 1
        return start, end


def _last_fitting(found: list[int], start: int, fits: Fits) -> int | None:
    """Return the last position with which a chunk from ``start`` fits; longer texts never measure
    less."""
    low = first = bisect_right(found, start)
    high = len(found)
    # Gallop: chunks are short, and the text may be long.
    step = 1
    while low < high and fits(start, found[min(low + step, high) - 1]):
        low = min(low + step, high)
        step *= 2
    high = min(low + step, high)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if fits(start, found[middle]) else (low, middle)
    return found[low - 1] if low > first else None


def _borders(text: str, block: Block) -> Iterator[int]:
    yield block.start
    if block.kind in _SENTENCES:
        # Not between the marker of an item and its text.
        for start, _ in split_sentences(text, block.body, block.end):
            if start > block.body:
                yield start
    if block.kind in _LINES:
        position = text.find("\n", block.start, block.end)
        while position >= 0:
            yield position + 1
            position = text.find("\n", position + 1, block.end)
