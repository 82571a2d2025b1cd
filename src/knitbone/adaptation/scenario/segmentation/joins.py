"""Joins of neighbouring chunks: the text that both have, and what the splitter dropped between
them.

The text that was cut is not at hand. Shared text (an overlap) shows exactly what stood around a
border. Without one, a splitter either cuts anywhere and drops nothing, or drops the blanks at its
borders: then whether a blank stood there is a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.requirements.records import ChunkSpec
from knitbone.adaptation.scenario.segmentation.border_look import ENDED

__all__ = ["MAX_OVERLAP", "MIN_OVERLAP", "ChunkLayout", "Join", "find_joins"]

MIN_OVERLAP = 12
"""Characters that both have by chance more rarely than by design, unless the code declares the
very number (ours)."""
_MIN_LENGTH = 40
"""Characters; short records often have one length, where the code does not declare it (ours)."""
MAX_OVERLAP = 4_000
"""Characters in which an overlap is looked for."""


class Join(NamedTuple):
    """The join of two neighbouring chunks."""

    overlap: int = 0
    """Characters that the first ends with and the second starts with."""
    exact: bool = False
    """Whether nothing was dropped between them."""
    pinned: bool = False
    """Whether it cannot be told where the text overlaps, and the border has to stay: the shared
    text repeats itself, or it is so short that the author may have written it twice."""
    untold: bool = False
    """Whether all lengths say that nothing was dropped, but a blank before the last chunk would
    show in none of them."""


class ChunkLayout(NamedTuple):
    """The joins of all chunks."""

    joins: tuple[Join, ...]
    drops_blanks: bool
    """Whether the splitter takes the blanks off the ends of its chunks."""


def find_joins(texts: Sequence[str], spec: ChunkSpec, deadline: Deadline) -> ChunkLayout:
    """Find the join of every two neighbours; linear in the texts' length.

    Raises:
        TimeoutError: the deadline has passed.
    """
    bound = _overlap_bound(spec)
    overlaps: list[int] = []
    for index in range(len(texts) - 1):
        if not index % 64:
            deadline.check()
        overlaps.append(
            _overlap_length(texts[index], texts[index + 1], bound, declared=spec.overlap)
        )
    fixed = _have_one_length(texts, spec)
    edges = any(text[:1].isspace() or text[-1:].isspace() for text in texts)
    # The last chunk has no length that would tell that its blank was taken off.
    untold = len(texts) - 2 if not edges and _strips_blanks(spec) else None
    keeps = not fixed and _keeps_blanks(texts, overlaps)
    size = spec.size if spec.length == "characters" else None
    joins: list[Join] = []
    # A shared text tells the join; without one, the lengths of the chunks and their blanks do.
    for index, overlap in enumerate(overlaps):
        one, other = texts[index], texts[index + 1]
        join = _shared_text_join(one, other, overlap, bound)
        if join is None:
            full = size is not None and len(one) == len(other) == size
            exact = (fixed or full or keeps) and not _lacks_blank(one, other)
            doubtful = exact and index == untold and not full and not keeps
            join = Join(0, exact=exact and not doubtful, untold=doubtful)
        joins.append(join)
    return ChunkLayout(tuple(joins), drops_blanks=not fixed and not edges)


def _shared_text_join(one: str, other: str, overlap: int, bound: int) -> Join | None:
    """Return the join of two chunks that share a text; ``None`` where they share none."""
    if overlap:
        return Join(overlap, exact=True, pinned=_repeats(one, other, overlap))
    few = _short_overlap(one, other) if bound else 0
    return Join(few, exact=True, pinned=True) if few else None


def _lacks_blank(one: str, other: str) -> bool:
    """Return whether a blank was dropped, whatever the lengths say: a full stop meets a capital."""
    blank = one[-1:].isspace() or other[:1].isspace()
    return not blank and other[:1].isupper() and ENDED.search(one[-8:]) is not None


def _strips_blanks(spec: ChunkSpec) -> bool:
    """Return whether the splitter takes blanks off the ends of its chunks also where it cuts
    anywhere.

    LangChain's splitters do unless told otherwise.
    """
    library = spec.splitter.rpartition(".")[2].endswith("TextSplitter")
    return library and not spec.keeps_blanks


def _overlap_bound(spec: ChunkSpec) -> int:
    if spec.overlap is not None and spec.length == "characters":
        return min(spec.overlap, MAX_OVERLAP)
    return 0 if spec.overlap == 0 else MAX_OVERLAP


def _overlap_length(one: str, other: str, bound: int, *, declared: int | None) -> int:
    """Return the length of the longest end of the first chunk that the second starts with; never
    all of either."""
    bound = min(bound, len(one) - 1, len(other) - 1)
    if bound <= 0:
        return 0
    if bound == declared and one.endswith(other[:bound]):
        return bound
    head = other[:MIN_OVERLAP]
    position = one.find(head, len(one) - bound) if bound >= MIN_OVERLAP else -1
    while position >= 0 and len(one) - position >= MIN_OVERLAP:
        if other.startswith(one[position:]):
            return len(one) - position
        position = one.find(head, position + 1)
    return 0


def _short_overlap(one: str, other: str) -> int:
    """Return the length of a shared text that is shorter than ``MIN_OVERLAP``, where it is whole
    words.

    Splitters that cut between words share as many of them as fit: of 20 characters perhaps "for".
    """
    for length in range(min(MIN_OVERLAP, len(one), len(other)) - 1, 0, -1):
        shared = other[:length]
        whole = not other[length].isalnum() and not one[-length - 1].isalnum()
        if whole and one.endswith(shared) and any(map(str.isalnum, shared)):
            return length
    return 0


def _repeats(one: str, other: str, overlap: int) -> bool:
    shared = other[:overlap]
    return one.find(shared) != len(one) - overlap or other.find(shared, 1) >= 0


def _have_one_length(texts: Sequence[str], spec: ChunkSpec) -> bool:
    """Return whether all chunks but the last have one length: they were cut anywhere."""
    lengths = {len(text) for text in texts[:-1]}
    if len(lengths) != 1:
        return False
    (length,) = lengths
    if spec.length == "characters" and spec.size is not None:
        return length == spec.size and len(texts[-1]) <= length
    return len(texts) > 3 and length >= _MIN_LENGTH and len(texts[-1]) < length


def _keeps_blanks(texts: Sequence[str], overlaps: Sequence[int]) -> bool:
    """Return whether the splitter cuts anywhere and drops nothing: between words the blank is
    there.

    Blanks behind a sentence say nothing: it may have been a line that ended with one.
    """
    bare = [place for place, overlap in enumerate(overlaps) if not overlap]
    kept = sum(
        _is_one_blank(texts[place], texts[place + 1])
        and not ENDED.search(texts[place].rstrip()[-8:])
        for place in bare
    )
    return kept >= max(2, len(bare) / 2)


def _is_one_blank(one: str, other: str) -> bool:
    """Return whether a single space stands at the border of two chunks, and no other blank.

    Indentation and line ends also stay where a splitter drops lines, so they tell nothing.
    """
    return (one[-1:] == " " and not one[-2:-1].isspace() and not other[:1].isspace()) or (
        other[:1] == " " and not other[1:2].isspace() and not one[-1:].isspace()
    )
