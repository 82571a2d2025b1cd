"""Borders between chunks that may cut something, judged by their surroundings and a dictionary.

Where nothing is missing between two chunks, a look is enough: the rejoined text decides later.
Where blanks may be missing, a border is taken for a cut only if a dictionary has the joined word,
or everything shows that a sentence goes on; then the blank is put back.

Source: Comfrey §4.3.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.scenario.segmentation.border_look import WINDOW, is_prose, may_cut
from knitbone.adaptation.scenario.segmentation.graphemes import cuts_character, is_spaceless
from knitbone.adaptation.scenario.segmentation.joins import ChunkLayout, Join
from knitbone.adaptation.scenario.segmentation.measure import Measure
from knitbone.adaptation.scenario.segmentation.word_fragments import Fragments, cut_words, one_word

__all__ = ["BorderCut", "find_cuts"]

_FENCE = "```"
_TAIL = re.compile(r"(?<![\w'\u2019])[^\W\d_]{1,40}\Z")
"""The letters at the end of a text, unless an apostrophe stands before them: ``it's`` + ``cat``."""
_HEAD = re.compile(r"[^\W\d_]{1,40}")
_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u0964][\"'\u201d\u2019)\]]?(?:\s|\Z)")
_NO_BLANK = ".,;:!?)]}%\u3001\u3002\uff0c"
_FULL = 0.5
"""Share of the size that a chunk has where the size, and not a separator, ended it (ours)."""
_SENTENCES = 0.1
"""Sentence ends for each chunk without which the chunks are records, not prose (ours)."""


class BorderCut(NamedTuple):
    """A border that may cut something."""

    what: str
    """The kind of cut, for people: ``word``, ``character``, ``code block``, ``sentence or
    line``."""
    missing: str = ""
    """The blank that belongs between the two chunks."""


def find_cuts(
    texts: Sequence[str],
    layout: ChunkLayout,
    measured: Callable[[], Measure],
    invocation: Invocation,
) -> dict[int, BorderCut]:
    """Find the borders that may cut something, by the index of the first of two neighbours.

    Raises:
        TimeoutError: the deadline has passed.
    """
    cuts: dict[int, BorderCut] = {}
    doubtful: list[int] = []
    fenced = _are_inside_fence(texts, layout.joins)
    for index, join in enumerate(layout.joins):
        if not index % 64:
            invocation.deadline.check()
        if join.pinned or not _is_suspect(texts, index, join, fenced=fenced[index]):
            continue
        if join.exact or fenced[index]:
            cuts[index] = _exact_cut(texts, index, join, fenced=fenced[index])
        else:
            doubtful.append(index)
    if doubtful and invocation.uses("segmentation.guess"):
        cuts.update(_confirmed_cuts(texts, doubtful, layout, measured, invocation))
    return {index: cut for index, cut in cuts.items() if invocation.uses(_heuristic(cut))}


def _heuristic(cut: BorderCut) -> str:
    return f"segmentation.{'words' if cut.what in _WORDS else 'sentences'}"


_WORDS = frozenset({"word", "character"})


def _words_around(texts: Sequence[str], index: int, join: Join) -> tuple[str, str, str, str]:
    """Return the text around the end of the first chunk, and around the start of the second."""
    one, other, n = texts[index], texts[index + 1], join.overlap
    end = len(one) - n
    start = other[:WINDOW]
    return one[-WINDOW:], other[n : n + WINDOW], one[max(0, end - WINDOW) : end], start


def _is_suspect(texts: Sequence[str], index: int, join: Join, *, fenced: bool) -> bool:
    tail, after, before, head = _words_around(texts, index, join)
    if may_cut(tail, after, exact=join.exact, fenced=fenced):
        return True
    return bool(join.overlap) and may_cut(before, head, exact=True)


def _exact_cut(texts: Sequence[str], index: int, join: Join, *, fenced: bool) -> BorderCut:
    tail, after, before, head = _words_around(texts, index, join)
    blank = "\n" if fenced and not join.exact else ""
    for left, right in ((tail, after), (before, head)):
        if cuts_character(left, right):
            return BorderCut("character", blank)
        if left[-1:].isalnum() and right[:1].isalnum() and not is_spaceless(right[0]):
            return BorderCut("word", blank)
    return BorderCut("code block" if fenced else "sentence or line", blank)


def _confirmed_cuts(
    texts: Sequence[str],
    indices: Sequence[int],
    layout: ChunkLayout,
    measured: Callable[[], Measure],
    invocation: Invocation,
) -> dict[int, BorderCut]:
    """Return those borders that cut something although blanks may be missing there."""
    cuts: dict[int, BorderCut] = {}
    fragments: dict[int, Fragments] = {}
    for index in indices:
        tail, head = _TAIL.search(texts[index][-41:]), _HEAD.match(texts[index + 1])
        if tail and head and head.group()[0].islower():
            fragments[index] = Fragments(tail.group(), head.group())
    words = cut_words(list(fragments.values()), texts, invocation.deadline)
    prose: bool | None = None
    measure = measured()
    for index in indices:
        one, other = texts[index], texts[index + 1]
        pair = fragments.get(index)
        if layout.joins[index].untold and one[-1:].isalnum() and other[:1].isalnum():
            single = _is_one_word(one, other, pair, invocation)
            if single is not None:  # else either guess may spoil the text
                cuts[index] = BorderCut("word") if single else BorderCut("sentence or line", " ")
        elif cuts_character(one, other):
            cuts[index] = BorderCut("character")
        elif pair in words:
            cuts[index] = BorderCut("word")
        elif is_prose(one[-WINDOW:], other[:WINDOW]):
            if prose is None:
                prose = _are_prose(texts, invocation)
            if prose and measure.length(one) >= measure.size * _FULL:
                cuts[index] = BorderCut("sentence or line", _missing_blank(one, other))
    return cuts


def _is_one_word(
    one: str, other: str, pair: Fragments | None, invocation: Invocation
) -> bool | None:
    """Return whether the text around a border is one word or number; ``None`` where nothing tells.

    Numbers stand beside one another more rarely than one is cut.
    """
    if one[-1:].isdigit() and other[:1].isdigit():
        return True
    return None if pair is None else one_word(pair, invocation.deadline)


def _missing_blank(one: str, other: str) -> str:
    """Return the blank that stood between two chunks.

    Nothing in scripts without blanks, before a full stop, or where a blank is there already.
    """
    if one[-1:].isspace() or other[:1].isspace() or other[0] in _NO_BLANK:
        return ""
    return "" if is_spaceless(one[-1]) and is_spaceless(other[0]) else " "


def _are_prose(texts: Sequence[str], invocation: Invocation) -> bool:
    wanted = max(1, len(texts) * _SENTENCES)
    found = 0
    for text in texts:
        invocation.deadline.check()
        for _ in _SENTENCE_END.finditer(text):
            found += 1
            if found >= wanted:
                return True
    return False


def _are_inside_fence(texts: Sequence[str], joins: Sequence[Join]) -> list[bool]:
    """Return for each border whether it is inside of a code fence; none is where a fence is never
    closed."""
    inside = False
    states: list[bool] = []
    for index, text in enumerate(texts):
        shared = joins[index - 1].overlap if index else 0
        if text.count(_FENCE, shared) % 2:
            inside = not inside
        states.append(inside)
    return [False] * len(joins) if inside else states[:-1]
