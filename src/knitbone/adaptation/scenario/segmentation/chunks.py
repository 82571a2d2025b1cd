"""The check of chunks cut from one text: find borders that cut something, move them, prove it.

Source: Comfrey §4.3.2. *Departures:* in place of a syntactic parser, which takes seconds to load,
the sentences of the rejoined text decide (common/sentences.py), and closed-class words that cannot
end a phrase. A fragment moves to the chunk that has the rest instead of being copied: copying would
double text beyond the overlap that the code declares.

A stretch is a run of neighbouring chunks, rejoined into the text they were cut from, and cut anew.
Bridging fragments and the sliding window are one walk: each chunk ends at the best position near
its old end that lets it fit; what no longer fits moves on to the next.

Source: Comfrey §4.3.2 (fragment bridging; sliding-window re-segmentation).

Texts that were cut into single characters are replaced by chunks (Comfrey §3, §4.3.2).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from knitbone.adaptation.repair.checks import (
    Deadline,
    EntryCheck,
    EntryVerdict,
    Invocation,
    ListEntry,
    conforming_entries,
)
from knitbone.adaptation.requirements.records import ChunkSpec
from knitbone.adaptation.scenario.segmentation.borders import BorderCut, find_cuts, find_joins
from knitbone.adaptation.scenario.segmentation.positions import (
    Measure,
    Positions,
    is_spaceless,
    make_measure,
)
from knitbone.common.sentences import split_sentences

__all__ = ["HEURISTICS", "MAX_CHARACTERS", "MAX_STRETCH", "load", "prepare"]

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


_MIN_ENTRIES = 16
"""Fewer single characters may be meant: the letters of four answers."""
_MIN_SIZE = 8
"""Characters; who asks for less wants characters."""


def are_characters(texts: Sequence[str], spec: ChunkSpec) -> bool:
    """Return whether the chunks are single characters, and nothing asks for that."""
    if len(texts) < _MIN_ENTRIES or max(map(len, texts)) > 1:
        return False
    return spec.size is None or spec.size >= _MIN_SIZE


def rejoin(
    texts: Sequence[str],
    spec: ChunkSpec,
    length: Callable[[str], int] | None,
    deadline: Deadline,
) -> tuple[StretchPiece, ...] | None:
    """Return the chunks that the text should have been cut into; ``None`` where blanks between
    words are lost.

    They are as long as the size allows, or one for each sentence where there is no size.

    Raises:
        TimeoutError: the deadline has passed.
    """
    text = "".join(texts)
    spaceless = sum(map(is_spaceless, text)) > len(text) / 2
    if not spaceless and sum(map(str.isspace, text)) < len(text) / 20:
        return None
    if length is None and spec.length != "characters":
        return None
    measure = Measure(length or len, spec.size or 1, 0)
    positions = Positions(text, deadline)

    def fits(start: int, end: int) -> bool:
        deadline.check()
        return measure.length(text[start:end]) <= measure.size

    pieces: list[StretchPiece] = []
    start = 0
    while start < len(text):
        deadline.check()
        if spec.size is None:
            end = positions.next_position(start)
        else:
            end = len(text) if fits(start, len(text)) else positions.furthest(start, fits)
        pieces.append(StretchPiece(start, end))
        start = end
    return tuple(pieces)


HEURISTICS: tuple[str, ...] = (
    "segmentation.characters",
    "segmentation.words",
    "segmentation.sentences",
    "segmentation.guess",
)

MAX_ENTRIES = 20_000
"""Chunks of one text; a book of 1,000 pages has some 3,000."""
MAX_CHARACTERS = 10_000_000
"""Characters of all chunks together."""
MAX_STRETCH = 1_000_000
"""Characters of neighbouring chunks that are cut anew together: some 0.5 s."""


class _MovedBorders(NamedTuple):
    """The entries with moved borders, and what they had cut."""

    entries: tuple[ListEntry, ...]
    cuts: Counter[str]
    """The kinds of cuts, and how many of each."""
    reason: str


def load(_: ChunkSpec) -> None:
    """Load, ahead of the first list, what a check would load with it."""
    split_sentences("One sentence. Another one.")


def prepare(spec: ChunkSpec, *, length: Callable[[str], int] | None = None) -> EntryCheck | None:
    """Compile the specification into a check.

    Args:
        length: the application's own length function, where it has one.
    """
    return partial(_check, spec=spec, length=length)


def _check(
    entries: Sequence[ListEntry],
    invocation: Invocation,
    /,
    *,
    spec: ChunkSpec,
    length: Callable[[str], int] | None,
) -> EntryVerdict:
    """Move the borders that cut something.

    No text is lost, no text is doubled beyond the overlap, and the order stays; where blanks were
    dropped at a border that moves, one blank or line end takes their place. A chunk is never
    longer than the size, unless it came so.

    Raises:
        TimeoutError: the deadline has passed.
    """
    given = tuple(entries)
    if len(given) < 2 or not invocation.uses("segmentation"):
        return conforming_entries(given)
    if len(given) > MAX_ENTRIES or sum(len(entry.text) for entry in given) > MAX_CHARACTERS:
        return _refused(given, f"more than {MAX_ENTRIES} chunks or {MAX_CHARACTERS} characters")
    try:
        return _decide(given, spec, length, invocation)
    except _LengthError as error:
        return _refused(given, f"the length function failed: {error.__cause__!r}"[:200])
    except _TooLongError as error:
        return _refused(given, str(error))


class _TooLongError(Exception):
    """A stretch is over its bound."""


class _LengthError(Exception):
    """The application's length function raised."""


def _decide(
    given: tuple[ListEntry, ...],
    spec: ChunkSpec,
    length: Callable[[str], int] | None,
    invocation: Invocation,
) -> EntryVerdict:
    """Move the borders, make sure that a second look moves none, and describe what was done."""
    guarded = _safe_length(length) if length is not None else None
    plan = _move_borders(given, spec, guarded, invocation)
    if plan.entries is given:
        return conforming_entries(given, plan.reason)
    # Looking at the result again must give the result.
    again = _move_borders(plan.entries, spec, guarded, invocation)
    if again.entries is not plan.entries:
        return _refused(given, "the borders do not come to rest")
    rules = [
        f"{what} cut at {count} border{'s' if count > 1 else ''}: made whole"
        for what, count in sorted(plan.cuts.items())
    ]
    if len(plan.entries) != len(given):
        rules.append(f"{len(given)} chunks -> {len(plan.entries)}")
    return EntryVerdict(
        disposition="repaired", entries=plan.entries, rules=tuple(rules), reason=plan.reason
    )


def _safe_length(length: Callable[[str], int]) -> Callable[[str], int]:
    """Return the application's length function, whose errors become ours."""

    def guarded(text: str) -> int:
        try:
            return length(text)
        except TimeoutError:
            raise
        except Exception as error:
            raise _LengthError from error

    return guarded


def _move_borders(
    entries: tuple[ListEntry, ...],
    spec: ChunkSpec,
    length: Callable[[str], int] | None,
    invocation: Invocation,
) -> _MovedBorders:
    """Return the entries with better borders; the very entries where nothing is cut."""
    texts = [entry.text for entry in entries]
    if are_characters(texts, spec):
        return _rejoin_characters(entries, texts, spec, length, invocation)
    layout = find_joins(texts, spec, invocation.deadline)
    shared = [join.overlap for join in layout.joins]

    def measured() -> Measure:
        return make_measure(texts, shared, spec, length)

    cuts = find_cuts(texts, layout, measured, invocation)
    if not cuts:
        return _MovedBorders(entries, Counter(), "")
    measure = measured()
    done: list[ListEntry] = []
    moved: Counter[str] = Counter()
    start = 0
    for first, last in _runs(sorted(cuts), len(entries)):
        if sum(map(len, texts[first:last])) > MAX_STRETCH:
            raise _TooLongError(f"more than {MAX_STRETCH} characters hang together")
        done += entries[start:first]
        overlaps = shared[first : last - 1]
        missing = [cuts[index].missing for index in range(first, last - 1)]
        stretch = make_stretch(texts[first:last], overlaps, missing)
        stop = len(stretch.text) - (shared[last - 1] if last <= len(shared) else 0)
        pieces = recut(stretch, measure, invocation.deadline, stop=stop, strip=layout.drops_blanks)
        if pieces == stretch.pieces:
            done += entries[first:last]
        else:
            done += _entries_of(stretch, pieces, entries[first:last], strip=layout.drops_blanks)
            moved.update(_count_moved(stretch, pieces, [cuts[k] for k in range(first, last - 1)]))
        start = last
    done += entries[start:]
    return _MovedBorders(tuple(done) if moved else entries, moved, measure.reason)


def _rejoin_characters(
    entries: tuple[ListEntry, ...],
    texts: list[str],
    spec: ChunkSpec,
    length: Callable[[str], int] | None,
    invocation: Invocation,
) -> _MovedBorders:
    """Return the entries for a text that was cut into its characters."""
    if not invocation.uses("segmentation.characters"):
        return _MovedBorders(entries, Counter(), "")
    pieces = rejoin(texts, spec, length, invocation.deadline)
    if pieces is None:
        return _MovedBorders(entries, Counter(), "single characters, and no size to join them to")
    stretch = make_stretch(texts, [0] * (len(texts) - 1), [""] * (len(texts) - 1))
    made = _entries_of(stretch, pieces, entries, strip=False)
    return _MovedBorders(tuple(made), Counter({"word": len(texts) - 1}), "")


def _runs(borders: Sequence[int], count: int) -> list[tuple[int, int]]:
    """Return the runs of entries whose borders are all in ``borders``: first index, and one behind
    the last."""
    runs: list[tuple[int, int]] = []
    for border in borders:
        if runs and runs[-1][1] == border + 1:
            runs[-1] = (runs[-1][0], border + 2)
        else:
            runs.append((border, min(border + 2, count)))
    return runs


def _entries_of(
    stretch: Stretch, pieces: Sequence[StretchPiece], old: Sequence[ListEntry], *, strip: bool
) -> list[ListEntry]:
    """Return the new entries; each keeps the identity of the one that most of its text comes from.

    An entry whose text stays is the very entry.
    """
    made: list[ListEntry] = []
    low = 0
    for piece in pieces:
        while low + 1 < len(old) and stretch.pieces[low].end <= piece.start:
            low += 1
        best, most = low, 0
        k = low
        while k < len(old) and stretch.pieces[k].start < piece.end:
            start, end = stretch.pieces[k]
            common = min(end, piece.end) - max(start, piece.start)
            if common > most:
                best, most = k, common
            k += 1
        if piece == stretch.pieces[best]:
            made.append(old[best])
            continue
        text = stretch.text[piece.start : piece.end]
        text = text.strip() if strip else text
        if text:
            made.append(ListEntry(text=text, source=old[best].source))
    return made


def _count_moved(
    stretch: Stretch, pieces: Sequence[StretchPiece], cuts: Sequence[BorderCut]
) -> Counter[str]:
    """Count what was cut at the borders that are no more."""
    ends = {piece.end for piece in pieces}
    starts = {piece.start for piece in pieces}
    return Counter(
        cut.what
        for one, other, cut in zip(stretch.pieces, stretch.pieces[1:], cuts, strict=False)
        if one.end not in ends or other.start not in starts
    )


def _refused(entries: tuple[ListEntry, ...], reason: str) -> EntryVerdict:
    return EntryVerdict(disposition="refused", entries=entries, reason=reason)
