"""Words that were cut into two fragments: ``comput`` and ``er``.

A dictionary tells (harper's, English) where it is installed; in every language the text itself,
where the joined word stands whole elsewhere. What neither of them decides counts as two words.

Source: Comfrey §4.3.2 (dictionary validation).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from knitbone._forks import new_lock, unforked
from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.repair.missing import note_missing
from knitbone.errors import MissingExtraError, import_extra

__all__ = ["Fragments", "cut_words", "one_word"]

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
