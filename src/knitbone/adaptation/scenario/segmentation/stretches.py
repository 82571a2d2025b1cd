"""Stretches: runs of neighbouring chunks, rejoined into the text they were cut from, and cut anew.

Bridging fragments and the sliding window are one walk: each chunk ends at the best position near
its old end that lets it fit; what no longer fits moves on to the next.

Source: Comfrey §4.3.2 (fragment bridging; sliding-window re-segmentation).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.segmentation.measure import Measure
from knitbone.adaptation.scenario.segmentation.positions import Positions

__all__ = ["Stretch", "StretchPiece", "make_stretch", "recut"]


_BLANKS = 1_000
"""Characters; nobody pads a chunk with more of them than its own text and these."""


class StretchPiece(NamedTuple):
    """A part of a stretch's text."""

    start: int
    end: int


class Stretch(NamedTuple):
    """Neighbouring chunks with a cut between every two, as one text."""

    text: str
    pieces: tuple[StretchPiece, ...]


def make_stretch(texts: Sequence[str], overlaps: Sequence[int], missing: Sequence[str]) -> Stretch:
    """Rejoin chunks into the text that they were cut from.

    Args:
        overlaps: characters that every two neighbours share.
        missing: what the splitter dropped between them.
    """
    parts = [texts[0]]
    pieces = [StretchPiece(0, len(texts[0]))]
    for text, overlap, blank in zip(texts[1:], overlaps, missing, strict=True):
        start = pieces[-1].end + len(blank) - overlap
        parts += [blank, text[overlap:]]
        pieces.append(StretchPiece(start, start + len(text)))
    return Stretch("".join(parts), tuple(pieces))


def recut(
    stretch: Stretch, measure: Measure, deadline: Deadline, *, stop: int, strip: bool
) -> tuple[StretchPiece, ...]:
    """Return the pieces with the borders moved that cut something; the same pieces where none does.

    Args:
        stop: where the next chunk starts, which stays; the length of the text where it shares
            nothing.
        strip: the application's chunks have no blanks at their ends.

    Raises:
        TimeoutError: the deadline has passed.
    """
    walk = _BorderSearch(stretch.text, measure, deadline, strip=strip)
    groups: list[list[StretchPiece]] = [[stretch.pieces[0]]]
    # What stands between two right borders is dealt with by itself.
    for one, other in itertools.pairwise(stretch.pieces):
        deadline.check()
        if walk.is_right(one.end, other.start):
            groups.append([])
        groups[-1].append(other)
    done: list[StretchPiece] = []
    starts = [*(group[0].start for group in groups[1:]), stop]
    for group, following in zip(groups, starts, strict=True):
        pieces = walk.recut_all(group)
        # New pieces that lie wholly in what the next chunk shares say nothing more.
        while len(group) > 1 and len(pieces) > 1 and pieces[-1].start >= following:
            pieces.pop()
        done += pieces
    return tuple(done)


class _BorderSearch:
    """The walk over one stretch that chooses new borders."""

    def __init__(self, text: str, measure: Measure, deadline: Deadline, *, strip: bool) -> None:
        self._text = text
        self._measure = measure
        self._deadline = deadline
        self._strip = strip
        self._positions = Positions(text, deadline)

    def fits(self, start: int, end: int) -> bool:
        if self._measure.length is len and end - start > 2 * self._measure.size + _BLANKS:
            return False  # without copying a text that is far too long
        return self._length(start, end) <= self._measure.size

    def _length(self, start: int, end: int) -> int:
        self._deadline.check()
        piece = self._text[start:end]
        return self._measure.length(piece.strip() if self._strip else piece)

    def is_right(self, end: int, start: int) -> bool:
        right = self._positions.is_right
        return right(end, self.fits) and (end == start or right(start, self.fits))

    def recut_all(self, pieces: Sequence[StretchPiece]) -> list[StretchPiece]:
        """Return the pieces cut anew; there is a cut between every two."""
        if len(pieces) == 1:
            return list(pieces)
        start, stop = pieces[0].start, pieces[-1].end
        done: list[StretchPiece] = []
        k = 0
        while True:
            self._deadline.check()
            while k < len(pieces) - 1 and pieces[k].end <= start:
                k += 1
            end = self._end(start, pieces[k].end, stop)
            done.append(StretchPiece(start, end))
            if end >= stop:
                return done
            start = self._next_start(pieces, k, start, end)
            k = min(k + 1, len(pieces) - 1)

    def _end(self, start: int, target: int, stop: int) -> int:
        if target < stop:
            end = self._positions.nearest(start, target, self.fits)
        elif self.fits(start, stop):
            end = stop
        else:
            end = self._positions.furthest(start, self.fits)
        return min(stop, end)

    def _next_start(self, pieces: Sequence[StretchPiece], k: int, start: int, end: int) -> int:
        """Return where the next chunk starts: with as much of this one as it may share, if any."""
        following = pieces[min(k + 1, len(pieces) - 1)].start
        if following >= pieces[k].end or not self._measure.overlap:
            return end
        place = end
        for earlier in self._positions.earlier_positions(end):
            if earlier <= start or self._length(earlier, end) > self._measure.overlap:
                break
            place = earlier
        # The next chunk has to reach further than this one.
        return place if self.fits(place, self._positions.next_position(end)) else end
