"""The features of a text on which an expression may run, from its length, a quick look, or all of
it.

``RoughText`` and ``MeasuredText`` are the two ``Features`` that ``cost.py`` asks for.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from knitbone.common.expressions.characters import (
    ASCII,
    NEWLINE,
    SPACES,
    characters_in,
    is_few,
    runs_of,
)

__all__ = ["MAX_LOOK", "MeasuredText", "RoughText", "Traits", "traits_of"]

MAX_LOOK = 65_536
"""Characters of a text whose traits are looked for: it takes up to 64 steps each (ours)."""
_SHORT = 15
_LONG = 63
_LONG_BLANK = re.compile(r"\s{16}")
_LONG_WORD = re.compile(r"\S{64}")


class Traits(NamedTuple):
    """Bounds on the lengths of the lines, blanks and words of a text."""

    line: int
    blank: int
    word: int

    def with_words(self, text: str) -> Traits:
        """Return the traits with the lengths of blanks and words, which take several times as long
        to find."""
        blank = self.blank if _LONG_BLANK.search(text) else min(self.blank, _SHORT)
        word = self.word if _LONG_WORD.search(text) else min(self.word, _LONG)
        return self._replace(blank=blank, word=word)


def traits_of(text: str) -> Traits:
    """Return the length of the longest line of a text: it takes 2 microseconds for each KB."""
    return Traits(max(map(len, text.split("\n"))), len(text), len(text))


class RoughText(NamedTuple):
    """A text of which some lengths are known, each rounded up by an eighth at most."""

    length: int
    starts: int
    """Places at which the expression may begin."""
    line: int
    blank: int
    word: int
    marks: int
    """The characters that were counted, as a set, and how many of them there are."""
    marked: int

    @classmethod
    def of(
        cls, length: int, starts: int, counted: tuple[int, int], traits: Traits | None
    ) -> RoughText:
        """Return the features for all texts of about this length."""
        line, blank, word = traits or (length, length, length)
        marks, marked = counted
        return cls(
            length=_round_up(length),
            starts=_round_up(min(length, starts)),
            line=_round_up(line),
            blank=_round_up(blank),
            word=_round_up(word),
            marks=marks,
            marked=_round_up(marked),
        )

    def most(self, characters: int) -> float:
        """Return how many characters of the set the text holds, at most."""
        return float(self.length if characters & ~self.marks else self.marked)

    def runs(self, characters: int) -> tuple[float, float]:
        """Return the longest run of such characters, and the sum of ``r * (r + 1) / 2`` over runs
        of length ``r``."""
        longest = self.length
        if not characters & NEWLINE:
            longest = min(longest, self.line)
        if not characters & ~SPACES:
            longest = min(longest, self.blank)
        if not characters & SPACES:
            longest = min(longest, self.word)
        return float(longest), self.length * (longest + 1) / 2


def _round_up(number: int) -> int:
    """Round up to the next of eight steps between powers of two."""
    spare = max(number.bit_length() - 4, 0)
    return (((number >> spare) + 1) << spare) - 1


class MeasuredText:
    """A text that is read, once for each set of characters that is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.length = len(text)
        self._mask = ASCII if text.isascii() else -1
        self._runs: dict[int, tuple[float, float]] = {}

    def most(self, characters: int) -> float:
        """Return how many characters of the set the text holds."""
        characters &= self._mask
        if not is_few(characters):
            return float(self.length)
        return float(sum(map(self._text.count, characters_in(characters))))

    def runs(self, characters: int) -> tuple[float, float]:
        """Return the longest run of such characters, and the sum of ``r * (r + 1) / 2`` over runs
        of length ``r``."""
        if characters not in self._runs:
            lengths = list(map(len, runs_of(characters).findall(self._text)))
            pairs = sum(length * (length + 1) for length in lengths) / 2
            self._runs[characters] = float(max(lengths, default=0)), pairs
        return self._runs[characters]
