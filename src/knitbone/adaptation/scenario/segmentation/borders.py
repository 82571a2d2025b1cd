"""Borders between chunks that may cut something, judged by their surroundings and a dictionary.

Where nothing is missing between two chunks, a look is enough: the rejoined text decides later.
Where blanks may be missing, a border is taken for a cut only if a dictionary has the joined word,
or everything shows that a sentence goes on; then the blank is put back.

Source: Comfrey §4.3.2.

A cheap first look at a few hundred characters around a border comes first (Comfrey §4.3.2,
integrity of the first and last words and sentences): what looks right there is left alone.

A join is the text that two neighbouring chunks both have, or what the splitter dropped between
them. The text that was cut is not at hand. Shared text (an overlap) shows exactly what stood around
a border. Without one, a splitter either cuts anywhere and drops nothing, or drops the blanks at its
borders: then whether a blank stood there is a guess.

A word may be cut into two fragments, ``comput`` and ``er``. A dictionary tells (harper's, English)
where it is installed; in every language the text itself, where the joined word stands whole
elsewhere. What neither of them decides counts as two words.

Source: Comfrey §4.3.2 (dictionary validation).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from knitbone._forks import new_lock, unforked
from knitbone.adaptation.repair.checks import Deadline, Invocation
from knitbone.adaptation.repair.missing import note_missing
from knitbone.adaptation.requirements.records import ChunkSpec
from knitbone.adaptation.scenario.segmentation.positions import (
    Measure,
    cuts_character,
    is_spaceless,
)
from knitbone.errors import MissingExtraError, import_extra

__all__ = ["BorderCut", "Fragments", "cut_words", "find_cuts", "find_joins", "one_word"]

WINDOW = 400
"""Characters looked at on either side."""

_CLOSERS = "\"'\u201d\u2019)\\]}*_`>\u00bb\u300d\u300f\uff09"
ENDED = re.compile(rf"[.!?:;\u2026\u3002\uff01\uff1f\u0964\u061f\u06d4][{_CLOSERS}]{{0,4}}\Z")
"""A text that may end here."""
_CONTINUATION = re.compile(r"(?:[,;:!?)\]}%\u3001\u3002\uff0c]|\.(?![\w.]))")
"""No sentence, row or item starts like this."""
_OPEN_WORD = re.compile(
    r"(?:,|[(\[]|\b(?:an?|the|and|or|of|with|from|for|by|at|as|into|than|that|which|whose|is|are"
    r"|was|were|has|have|had|be|been|will|would|can|could|should|must|may|its|their|his|our|your"
    r"|my|these|those|this|every|each|not))\Z"
)
"""A comma, or a word that asks for another one: an incomplete phrase (Comfrey §4.3.2)."""
_BLOCK_START = re.compile(
    r"(?:[-*+\u2022|>#]|```|~~~|\(?(?:\d{1,3}|[A-Za-z])[.)])(?:\s|\Z)|\||```|~~~"
)
"""The start of a list item, a row, a quotation, a heading, a fence."""
_CODE = re.compile(
    r"[{}<>=\\|]|;\s*\Z|\w\(|\)\s*:|^(?:\t| {4})|::|__|[a-z]_[a-z]|[^\s\d],[^\s\"'\u201d\u2019]|"
    r"\A\s*(?:def|class|return|import|from \S+ import|@\w)\b"
)
"""Signs of code, markup and comma-separated rows in a line."""
_ADDRESS = re.compile(r"https?://\S+|\[[^\]\n]{0,200}\]\([^)\s]{0,200}\)")
_PROSE_WORDS = 3
"""Words without which a line is a title, a name or a cell rather than a part of a sentence."""


def may_cut(before: str, after: str, *, exact: bool, fenced: bool = False) -> bool:
    """Return whether something may be cut between two texts.

    Args:
        exact: nothing is missing between them; otherwise blanks may be.
        fenced: the border is inside of a code fence.
    """
    tail, head = before.rstrip(), after.lstrip()
    if not tail or not head:
        return False
    gap = before[len(tail) :] + after[: len(after) - len(head)]
    if not gap and cuts_character(tail, head):
        return True
    if fenced:
        return True
    if gap.count("\n") > 1:
        return False
    if "\n" in gap or not exact:
        return not _BLOCK_START.match(head) and _is_guess(tail, head)
    if not gap and _is_within_token(tail, head):
        return True
    return not ENDED.search(tail[-8:]) or head[0].islower()


def is_prose(before: str, after: str) -> bool:
    """Return whether the lines on both sides of a border look like parts of sentences."""
    last = before.rstrip()[-WINDOW:].rpartition("\n")[2]
    first = after.lstrip()[:WINDOW].partition("\n")[0]
    if _CODE.search(_ADDRESS.sub("", last)) or _CODE.search(_ADDRESS.sub("", first)):
        return False
    if is_spaceless(last[-1:]) and is_spaceless(first[:1]):
        return True
    return len(last.split()) >= _PROSE_WORDS and len(first.split()) >= 1


def _is_within_token(tail: str, head: str) -> bool:
    """Return whether no blank stands between: two sentences of Chinese need none."""
    return not (ENDED.search(tail[-8:]) and is_spaceless(head[0]))


def _is_guess(tail: str, head: str) -> bool:
    """Return whether something may be cut where a blank or a line end stands, or may have stood."""
    ended = ENDED.search(tail[-8:])
    if _cuts_row(tail, head):
        return True
    if head[0].islower():
        return True
    if ended:
        return False
    spaceless = is_spaceless(tail[-1]) and is_spaceless(head[0])
    return spaceless or bool(_OPEN_WORD.search(tail[-12:]) or _CONTINUATION.match(head))


def _cuts_row(tail: str, head: str) -> bool:
    """Return whether a row of a Markdown table starts before the border and does not end there."""
    last = tail.rpartition("\n")[2].lstrip()
    return last.startswith("|") and not last.endswith("|") and len(last) > 1 and head[0] != "|"


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


_WORD = re.compile(r"[^\W\d_]+")
_MAX_WORD = 40
"""Letters; the longest words of the dictionary have fewer."""
_MIN_WORD = 4
"""Letters of a joined word: shorter ones arise by chance (``to`` + ``o``)."""
_BATCH = 64
"""Words looked up between two looks at the clock; one takes 1 to 50 µs."""
_LOADING_S = 2.0
"""Building the dictionary takes 0.6 to 1 s of the processor's time, once a process; the value that
waits for it may."""


class Fragments(NamedTuple):
    """The letters on both sides of a border."""

    tail: str
    head: str

    @property
    def joined(self) -> str:
        return self.tail + self.head


def cut_words(
    fragments: Sequence[Fragments], texts: Sequence[str], deadline: Deadline
) -> set[Fragments]:
    """Return the fragments that are one word.

    Args:
        texts: the chunks, in which the word may stand whole.

    Raises:
        TimeoutError: the deadline has passed.
    """
    asked = {pair for pair in fragments if _MIN_WORD <= len(pair.joined) <= _MAX_WORD}
    if not asked:
        return set()
    known = _known_words({word for pair in asked for word in pair}, deadline)
    # Two whole words are not asked about further.
    asked = {pair for pair in asked if not (pair.tail in known and pair.head in known)}
    joined = _known_words({pair.joined for pair in asked}, deadline)
    cut = {pair for pair in asked if pair.joined in joined}
    undecided = {pair for pair in asked - cut if not known.intersection(pair)}
    return cut | _found_whole(undecided, texts, deadline)


_SHORT_WORDS = frozenset(
    {"a", "i", "am", "an", "as", "at", "be", "by", "do", "go", "he", "if", "in", "is",
     "it", "me", "my", "no", "of", "on", "or", "so", "to", "up", "us", "we"}
)  # fmt: skip
"""English words of one or two letters; of those the dictionary holds abbreviations, too."""


def one_word(pair: Fragments, deadline: Deadline) -> bool | None:
    """Return whether fragments are one word, for a border at which a dropped blank would not show.

    That is where the lengths of the chunks say that nothing was dropped. ``None`` where the
    dictionary knows both readings, or neither.

    Raises:
        TimeoutError: the deadline has passed.
    """
    known = _known_words({*pair, pair.joined}, deadline)
    two = all(word in known and (len(word) > 2 or word.lower() in _SHORT_WORDS) for word in pair)
    one = pair.joined in known
    return None if one == two else one


def _found_whole(pairs: set[Fragments], texts: Sequence[str], deadline: Deadline) -> set[Fragments]:
    """Return the fragments whose joined word stands elsewhere, while neither fragment does."""
    if not pairs:
        return set()
    wanted = {word for pair in pairs for word in (*pair, pair.joined)}
    inside: set[str] = set()
    for index, text in enumerate(texts):
        if not index % 64:
            deadline.check()
        # The words at the very edges are the fragments themselves.
        inside.update(wanted.intersection(_WORD.findall(text)[1:-1]))
    return {pair for pair in pairs if pair.joined in inside and not inside.intersection(pair)}


def _known_words(words: Iterable[str], deadline: Deadline) -> set[str]:
    dictionary = _dictionary(deadline)
    if dictionary is None:
        return set()
    known: set[str] = set()
    for index, word in enumerate(words):
        if not index % _BATCH:
            deadline.check()
        if dictionary.knows(word):
            known.add(word)
    return known


class _Dictionary:
    """harper's word list, of all kinds of English. Its linter is not thread-safe."""

    def __init__(self) -> None:
        harper = import_extra("harper", extra="language", purpose="The dictionary of words")
        self._lock = new_lock()
        with unforked:
            self._linter: Any = harper.Linter(harper.Dialect.AMERICAN)

    def knows(self, word: str) -> bool:
        """Return whether the list has a word, which is so if a text of that word is likely English.

        The spelling check tells the same, and takes 2 ms to think of corrections.
        """
        with self._lock, unforked:
            return self._linter.is_likely_english(word)


_loading = new_lock()
_loaded: list[_Dictionary | None] = []


def _dictionary(deadline: Deadline) -> _Dictionary | None:
    """Return the dictionary; ``None`` where it is not installed."""
    if not _loaded:
        deadline.extend(_LOADING_S)
        with _loading:
            if not _loaded:
                try:
                    _loaded.append(_Dictionary())
                except MissingExtraError as error:
                    note_missing(error)
                    _loaded.append(None)
    return _loaded[0]


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
