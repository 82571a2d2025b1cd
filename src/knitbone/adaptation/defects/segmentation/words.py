"""Whether two fragments are one word that was cut: ``comput`` and ``er``.

A dictionary (harper's, English) where it is installed; in every language the text itself, where
the joined word stands whole elsewhere. What neither of them decides counts as two words.

Source: Comfrey §4.3.2 (dictionary validation).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from knitbone.adaptation.checks import Deadline
from knitbone.errors import MissingExtraError, import_extra

__all__ = ["Fragments", "cut_words"]

_WORD = re.compile(r"[^\W\d_]+")
_MAX_WORD = 40
"""Letters; the longest words of the dictionary have fewer."""
_MIN_WORD = 4
"""Letters of a joined word: shorter ones arise by chance (``to`` + ``o``)."""
_BATCH = 400
"""Words looked up at once, some 5 ms."""
_LOADING_S = 3.0
"""Building the dictionary takes 0.6 s, once a process; the value that waits for it may."""


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
    """The fragments that are one word.

    Args:
        texts: the chunks, in which the word may stand whole.

    Raises:
        TimeoutError: the deadline has passed.
    """
    asked = {pair for pair in fragments if _MIN_WORD <= len(pair.joined) <= _MAX_WORD}
    if not asked:
        return set()
    known = _known_words({word for pair in asked for word in (*pair, pair.joined)}, deadline)
    cut = {
        pair
        for pair in asked
        if pair.joined in known and not (pair.tail in known and pair.head in known)
    }
    undecided = {pair for pair in asked - cut if not known & {*pair, pair.joined}}
    return cut | _found_whole(undecided, texts, deadline)


def _found_whole(pairs: set[Fragments], texts: Sequence[str], deadline: Deadline) -> set[Fragments]:
    """Those whose joined word stands elsewhere, and neither fragment does."""
    if not pairs:
        return set()
    wanted = {word for pair in pairs for word in (*pair, pair.joined)}
    inside: set[str] = set()
    for place, text in enumerate(texts):
        if not place % 64:
            deadline.check()
        # The words at the very edges are the fragments themselves.
        inside.update(wanted.intersection(_WORD.findall(text)[1:-1]))
    return {pair for pair in pairs if pair.joined in inside and not inside.intersection(pair)}


def _known_words(words: Iterable[str], deadline: Deadline) -> set[str]:
    dictionary = _dictionary(deadline)
    if dictionary is None:
        return set()
    known: set[str] = set()
    ordered = sorted(words)
    for start in range(0, len(ordered), _BATCH):
        deadline.check()
        batch = ordered[start : start + _BATCH]
        known.update(set(batch) - dictionary.unknown(batch))
    return known


class _Dictionary:
    """harper's spelling check and nothing else of it. Its linter is not thread-safe."""

    def __init__(self) -> None:
        harper = import_extra("harper", extra="language", purpose="The dictionary of words")
        self._lock = threading.Lock()
        self._plain = harper.Language.PLAINTEXT
        self._linter: Any = harper.Linter(harper.Dialect.AMERICAN)
        rules = self._linter.get_lint_config()
        self._linter.set_lint_config({name: name == "SpellCheck" for name in rules})

    def unknown(self, words: Sequence[str]) -> set[str]:
        text = "\n\n".join(words)
        with self._lock:
            return {found.problem_text for found in self._linter.lint(text, language=self._plain)}


_loading = threading.Lock()
_loaded: list[_Dictionary | None] = []


def _dictionary(deadline: Deadline) -> _Dictionary | None:
    """The dictionary; ``None`` where it is not installed."""
    if not _loaded:
        deadline.extend(_LOADING_S)
        with _loading:
            if not _loaded:
                try:
                    _loaded.append(_Dictionary())
                except MissingExtraError:
                    _loaded.append(None)
    return _loaded[0]
