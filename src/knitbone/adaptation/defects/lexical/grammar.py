"""Words of the wrong variety that the table of spellings does not know, through a grammar checker.

Asked only about an answer that is already known to mix varieties, and only about words that are
built like the pairs of the table (``tokenisation``). Its first suggestion is taken where the two
differ by a rule of spelling and by nothing else; any other is a guess at another word.

Source: Comfrey §4.4.2 (the first repairing suggestion of a grammar checker).
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Any

from knitbone.adaptation.defects.lexical.signs import letters_only
from knitbone.adaptation.defects.lexical.varieties import (
    Axis,
    Side,
    Spelling,
    Standard,
    pair_by_rule,
    spellings,
)
from knitbone.errors import import_extra

__all__ = ["MAX_WORDS", "has_candidates", "is_candidate", "ready", "suggested"]

MAX_WORDS = 40
"""Different words of one answer that are asked about; a known one takes 0.3 ms, another 10."""
_BUILT: dict[Side, re.Pattern[str]] = {
    # By the side that the word would have to be brought to.
    "US": re.compile(
        r"[a-z]{3,20}[iy]s(?:e|es|ed|er|ers|ing|ation|ations|able)"
        r"|[a-z]{2,20}our(?:s|ed|ing|able|ful|less|ist|ists|hood)?"
        r"|[a-z]{2,20}ll(?:ed|ing|ers?)"
    ),
    "UK": re.compile(
        r"[a-z]{3,20}yz(?:e|es|ed|er|ers|ing)"
        r"|[a-z]{2,20}[^aeiou]or(?:s|ed|ing|able|ful|less|ist|ists|hood)?"
        r"|[a-z]{2,20}[aeiou]l(?:ed|ing|ers?)"
    ),
}


def has_candidates(text: str, standard: Standard) -> bool:
    """Whether there is any word to ask about."""
    return any(is_candidate(word, standard) for word in set(letters_only(text)))


def is_candidate(word: str, standard: Standard) -> bool:
    """Whether a word is built like one on the wrong side, and is not in the table."""
    return bool(_sides(word, standard))


def suggested(word: str, standard: Standard) -> Spelling | None:
    """What the word should be in the standard; ``None``: it is as it should be, or unknown.

    To be called where the checker is ``ready``.
    """
    for side in _sides(word, standard):
        other = _suggest(word, side)
        axis = _axis(word, other, side) if other else None
        if axis is not None and standard.get(axis) == side:
            return Spelling(axis=axis, side="UK" if side == "US" else "US", other=other)
    return None


def _sides(word: str, standard: Standard) -> list[Side]:
    """The sides that the word may have to be brought to."""
    if word in spellings():
        return []
    return [side for side in sorted(set(standard.values())) if _BUILT[side].fullmatch(word)]


def _axis(word: str, other: str, side: Side) -> Axis | None:
    return pair_by_rule(other, word) if side == "US" else pair_by_rule(word, other)


class _Checker:
    """harper's spelling lint alone, in the two dialects that a side stands for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started = False
        self._linters: dict[Side, Any] = {}

    def start(self) -> threading.Thread | None:
        """Begin to load, once; the thread that loads."""
        harper = import_extra("harper", extra="language", purpose="Checking the spelling variety")
        with self._lock:
            if self._started:
                return None
            self._started = True
        thread = threading.Thread(
            target=self._load, args=(harper,), name="knitbone-grammar", daemon=True
        )
        thread.start()
        return thread

    @property
    def loaded(self) -> bool:
        return bool(self._linters)

    def suggest(self, word: str, side: Side) -> str:
        """The first suggestion for a word in a dialect; empty where it is correct there."""
        with self._lock:
            lints = self._linters[side].lint(word)
        for lint in lints:
            if lint.problem_text == word and lint.lint_kind == "Spelling" and lint.suggestions:
                return lint.suggestions[0].replacement_text
        return ""

    def _load(self, harper: Any) -> None:
        linters: dict[Side, Any] = {
            "US": harper.Linter(harper.Dialect.AMERICAN),
            "UK": harper.Linter(harper.Dialect.BRITISH),
        }
        only_spelling = dict.fromkeys(linters["US"].get_lint_config(), False)
        for linter in linters.values():
            linter.set_lint_config(only_spelling | {"SpellCheck": True})
            linter.lint("unknownish")  # the search for suggestions builds its tables
        self._linters = linters


_checker = _Checker()


def ready(*, wait: bool = False) -> bool:
    """Whether the grammar checker can be asked now.

    Its dictionary takes a second to load, which no answer waits for: it is loaded in a thread
    from the first call on.

    Args:
        wait: until it is loaded.

    Raises:
        MissingExtraError: ``harper-py`` is not installed.
    """
    thread = _checker.start() if not _checker.loaded else None
    if wait and thread is not None:
        thread.join()
    return _checker.loaded


@lru_cache(maxsize=4_096)
def _suggest(word: str, side: Side) -> str:
    return _checker.suggest(word, side)
